//! Films of bodies and cloth as binary glTF 2.0 (`.glb`), which browsers, Blender and most 3D programs play.
//!
//! ```
//! use isotouch::math::{DVec3, Pose};
//! use isotouch::mesh::shapes;
//! use isotouch::output::animation::Animation;
//! use isotouch::output::palette;
//!
//! # let folder = tempfile::tempdir()?;
//! # let path = folder.path().join("drop.glb");
//! let times: Vec<f64> = (0..=60).map(|frame| f64::from(frame) / 60.0).collect();
//! let ball = shapes::sphere(0.1, 320)?;
//! let ground = shapes::cuboid(DVec3::new(4.0, 0.1, 4.0))?;
//! let fall: Vec<Pose> = times.iter().map(|t| Pose::at(DVec3::Y * (5.0 - 4.905 * t * t))).collect();
//!
//! let mut film = Animation::new(&times)?;
//! film.add_body("ball", &ball, palette::distinct(0), &fall)?;
//! // One pose: it stands still.
//! film.add_body("ground", &ground, [150, 150, 150], &[Pose::at(DVec3::new(0.0, -0.05, 0.0))])?;
//! film.write(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! - y is up, as in glTF, and lengths are metres.
//! - A body is a node with a translation and a rotation per frame, linear in between: the short way, so that less than half
//!   a turn between frames looks right. Equal meshes are stored once.
//! - Cloth is a mesh with a morph target per frame, blended from one to the next. At most
//!   [`MAX_SHAPES`] frames of it are kept, evenly spread.
//! - The film begins at 0, whatever the first time is.
//! - Numbers are `f32`, as glTF wants. What is far from the origin, compared to its size, is stored relative to its own middle,
//!   and a node above all others puts it back: the shapes stay exact, and programs that place nodes in `f64` show them so.

mod binary;
mod document;
mod frames;
mod normals;

use std::io;
use std::path::{Path, PathBuf};

use glam::{DQuat, DVec3};

use crate::atomic_file::write_atomically;
use crate::math::{Aabb, Pose};
use crate::mesh::TriMesh;

pub use frames::{FrameClock, frames_at_rate};

/// Frames of cloth that are kept. Weights take the square of it, and programs load every shape to the graphics card at once.
pub const MAX_SHAPES: usize = 256;

/// A file's own account of its length has 32 bits.
const MAX_BYTES: u64 = u32::MAX as u64;

/// Bodies and cloth over common times.
#[derive(Debug, Clone)]
pub struct Animation<'a> {
    /// From 0 on, strictly ascending.
    times: Vec<f32>,
    actors: Vec<Actor<'a>>,
}

/// Something in a film.
#[derive(Debug, Clone)]
struct Actor<'a> {
    name: String,
    mesh: &'a TriMesh,
    /// sRGB.
    colour: [u8; 3],
    motion: Motion<'a>,
}

#[derive(Debug, Clone)]
enum Motion<'a> {
    /// One pose for each frame or one for all; neighbouring quaternions on the same side.
    Rigid(Vec<Pose>),
    /// Positions of all vertices: the kept frames, and what they are.
    Cloth { kept: Vec<usize>, frames: &'a [Vec<DVec3>] },
}

/// Why there is no film.
#[derive(Debug, thiserror::Error)]
pub enum AnimationError {
    /// A film without frames.
    #[error("a film needs the time of at least one frame")]
    NoFrames,
    /// Times that do not ascend, as far as `f32` tells.
    #[error(
        "frame {frame} at {time} s is not after the one before at {before} s, in the 32 bits that glTF has for times; take fewer frames \
         (see frames_at_rate)"
    )]
    Times {
        /// The frame, counted from 0.
        frame: usize,
        /// Its time.
        time: f64,
        /// The time before.
        before: f64,
    },
    /// Not one pose or shape for each frame.
    #[error("'{name}' has {found} poses or shapes, but the film has {frames} frames")]
    WrongLength {
        /// The body or cloth.
        name: String,
        /// How many were given.
        found: usize,
        /// How many are needed.
        frames: usize,
    },
    /// A pose or a vertex that is NaN or infinite, or too far away for `f32`.
    #[error(
        "'{name}' has a number in frame {frame} that is not finite, or beyond 1e37; did the simulation diverge?"
    )]
    NotFinite {
        /// The body or cloth.
        name: String,
        /// The frame, counted from 0.
        frame: usize,
    },
    /// A mesh without triangles.
    #[error("the mesh of '{name}' has no triangles to show")]
    NoTriangles {
        /// The body or cloth.
        name: String,
    },
    /// A frame of cloth that is not one position for each vertex of the mesh.
    #[error("frame {frame} of '{name}' has {found} vertices, but its mesh has {vertices}")]
    WrongVertices {
        /// The cloth.
        name: String,
        /// The frame, counted from 0.
        frame: usize,
        /// How many were given.
        found: usize,
        /// How many are needed.
        vertices: usize,
    },
    /// More than a file can hold.
    #[error(
        "the film would have at least {bytes} bytes, but a .glb file can have 4294967295; take fewer frames"
    )]
    TooLarge {
        /// Its size, at least.
        bytes: u64,
    },
    /// The file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

impl<'a> Animation<'a> {
    /// An empty stage. `times` of the frames in seconds, ascending.
    pub fn new(times: &[f64]) -> Result<Self, AnimationError> {
        let &first = times.first().ok_or(AnimationError::NoFrames)?;
        let from_zero: Vec<f32> = times.iter().map(|time| (time - first) as f32).collect();
        for frame in 0..times.len() {
            let before = if frame > 0 { from_zero[frame - 1] } else { -1.0 };
            // Written so that NaN is refused.
            let ascends = from_zero[frame].is_finite() && from_zero[frame] > before;
            if !ascends {
                let before = times[frame.saturating_sub(1)];
                return Err(AnimationError::Times { frame, time: times[frame], before });
            }
        }
        Ok(Self { times: from_zero, actors: Vec::new() })
    }

    /// How many frames.
    pub fn frames(&self) -> usize {
        self.times.len()
    }

    /// Adds a rigid body with its pose `world_from_body` in each frame, or with one pose in which it stays. `colour` is sRGB.
    pub fn add_body(
        &mut self,
        name: &str,
        mesh: &'a TriMesh,
        colour: [u8; 3],
        poses: &[Pose],
    ) -> Result<(), AnimationError> {
        self.check_shape(name, mesh)?;
        if poses.len() != 1 {
            self.check_length(name, poses.len())?;
        }
        let is_good = |pose: &Pose| is_placeable(pose.position) && pose.rotation.length().is_normal();
        if let Some(frame) = poses.iter().position(|pose| !is_good(pose)) {
            return Err(AnimationError::NotFinite { name: name.to_owned(), frame });
        }
        let motion = Motion::Rigid(on_one_side(poses));
        self.actors.push(Actor { name: name.to_owned(), mesh, colour, motion });
        Ok(())
    }

    /// Adds a mesh whose vertices move: `frames` are their positions in the world in each frame, `mesh` says how they are
    /// joined. `colour` is sRGB.
    pub fn add_cloth(
        &mut self,
        name: &str,
        mesh: &'a TriMesh,
        colour: [u8; 3],
        frames: &'a [Vec<DVec3>],
    ) -> Result<(), AnimationError> {
        self.check_shape(name, mesh)?;
        self.check_length(name, frames.len())?;
        let vertices = mesh.vertices().len();
        for (frame, positions) in frames.iter().enumerate() {
            let name = || name.to_owned();
            if positions.len() != vertices {
                let found = positions.len();
                return Err(AnimationError::WrongVertices { name: name(), frame, found, vertices });
            }
            if !positions.iter().all(|&position| is_placeable(position)) {
                return Err(AnimationError::NotFinite { name: name(), frame });
            }
        }
        let kept = frames::spread(frames.len(), MAX_SHAPES);
        self.actors.push(Actor {
            name: name.to_owned(),
            mesh,
            colour,
            motion: Motion::Cloth { kept, frames },
        });
        Ok(())
    }

    /// Writes the film. The file appears whole or not at all.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), AnimationError> {
        let path = path.as_ref();
        let glb = self.glb()?;
        write_atomically(path, |out| out.write_all(&glb))
            .map_err(|source| AnimationError::Write { path: path.to_owned(), source })
    }

    /// The bytes of the file.
    pub fn glb(&self) -> Result<Vec<u8>, AnimationError> {
        let bytes = self.cloth_bytes();
        if bytes > MAX_BYTES {
            return Err(AnimationError::TooLarge { bytes });
        }
        document::glb(self)
    }

    /// What the shapes of cloth take: a film that is too large for them is told before it takes memory.
    fn cloth_bytes(&self) -> u64 {
        let of_actor = |actor: &Actor<'_>| match &actor.motion {
            Motion::Rigid(_) => 0,
            Motion::Cloth { kept, .. } => {
                let shapes = kept.len() as u64 - 1;
                shapes * (24 * actor.mesh.vertices().len() as u64 + 4 * (shapes + 1))
            }
        };
        self.actors.iter().map(of_actor).sum()
    }

    fn check_shape(&self, name: &str, mesh: &TriMesh) -> Result<(), AnimationError> {
        if mesh.triangles().is_empty() {
            return Err(AnimationError::NoTriangles { name: name.to_owned() });
        }
        if !mesh.vertices().iter().all(|&vertex| is_placeable(vertex)) {
            return Err(AnimationError::NotFinite { name: name.to_owned(), frame: 0 });
        }
        Ok(())
    }

    fn check_length(&self, name: &str, found: usize) -> Result<(), AnimationError> {
        let frames = self.times.len();
        if found == frames {
            Ok(())
        } else {
            Err(AnimationError::WrongLength { name: name.to_owned(), found, frames })
        }
    }

    /// Where everything is in the first frame.
    fn bounds(&self) -> Aabb {
        let of_actor = |actor: &Actor<'_>| match &actor.motion {
            Motion::Rigid(poses) => {
                Aabb::of_points(actor.mesh.vertices().iter().map(|&vertex| poses[0].place(vertex)))
            }
            Motion::Cloth { frames, .. } => Aabb::of_points(frames[0].iter().copied()),
        };
        self.actors.iter().map(of_actor).fold(Aabb::EMPTY, Aabb::union)
    }
}

/// Finite in `f32`, and so are sums and differences of a few.
fn is_placeable(point: DVec3) -> bool {
    point.abs().max_element() <= 1e37 && !point.is_nan()
}

/// The same rotations, with the sign of quaternions that is nearer to the one before: programs that interpolate component by
/// component, and those that do not flip signs themselves, then take the short way too.
fn on_one_side(poses: &[Pose]) -> Vec<Pose> {
    let mut before = DQuat::IDENTITY;
    poses
        .iter()
        .map(|pose| {
            let rotation = pose.rotation.normalize();
            before = if rotation.dot(before) < 0.0 { -rotation } else { rotation };
            Pose { position: pose.position, rotation: before }
        })
        .collect()
}
