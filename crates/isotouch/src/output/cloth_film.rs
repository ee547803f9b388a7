//! Cloth over time: as a film (`.glb`), as a mesh per frame (`.obj`), as arrays (`.npz`).
//!
//! ```
//! use isotouch::cloth::{Cloth, ClothOptions, ClothWorld, garments};
//! use isotouch::output::cloth_film::ClothFilm;
//!
//! # let folder = tempfile::tempdir()?;
//! let mut world = ClothWorld::default();
//! world.add_cloth(Cloth::from_mesh(&garments::tablecloth(1.0, 8)?, &ClothOptions { pins: vec![0, 8], ..Default::default() })?);
//! let mut film = ClothFilm::new(&world);
//! for _ in 0..5 {
//!     world.step(0.01)?;
//!     film.record(&world);
//! }
//! film.write_glb(folder.path().join("sheet.glb"))?;
//! film.write_npz(folder.path().join("sheet.npz"))?;
//! let files = film.write_objs(folder.path())?;
//! assert_eq!(files.len(), 6);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use glam::DVec3;

use super::animation::{Animation, AnimationError};
use super::palette;
use crate::cloth::{Cloth, ClothWorld, ObstacleId};
use crate::math::Pose;
use crate::mesh::io::{self, WriteError};
use crate::mesh::{InvalidMesh, TriMesh};
use crate::npy::NpyError;
use crate::npy::npz::{Compression, Npz};

/// Cloth and obstacles, frame by frame.
#[derive(Debug, Clone)]
pub struct ClothFilm {
    times: Vec<f64>,
    cloths: Vec<Actor>,
    obstacles: Vec<(ObstacleId, String, Arc<TriMesh>, Vec<Pose>)>,
}

#[derive(Debug, Clone)]
struct Actor {
    name: String,
    /// What is shown: of strands, ribbons.
    mesh: TriMesh,
    strands: Vec<Range<usize>>,
    particles: usize,
    /// Places of particles.
    frames: Vec<Vec<DVec3>>,
}

/// Strands are shown so wide, as a part of the distance between their first two points.
const RIBBON: f64 = 0.1;

impl Actor {
    fn new(cloth: &Cloth) -> Self {
        let (name, strands) = (cloth.name().to_owned(), cloth.strands().to_vec());
        let mesh = match cloth.mesh() {
            Some(mesh) => (**mesh).clone(),
            None => {
                // Particle i has the vertices 2i and 2i + 1.
                let of_strand = |range: &Range<usize>| {
                    (range.start as u32..range.end as u32 - 1)
                        .flat_map(|i| [[2 * i, 2 * i + 2, 2 * i + 1], [2 * i + 1, 2 * i + 2, 2 * i + 3]])
                };
                let triangles = strands.iter().flat_map(of_strand).collect();
                // Places of particles are finite, and ranges are theirs.
                TriMesh::new(ribbons(&strands, cloth.places()), triangles).unwrap_or_default()
            }
        };
        Self { name, mesh, strands, particles: cloth.places().len(), frames: Vec::new() }
    }

    /// Vertices of the mesh in every frame.
    fn shown(&self) -> Vec<Vec<DVec3>> {
        if self.strands.is_empty() {
            return self.frames.clone();
        }
        self.frames.iter().map(|places| ribbons(&self.strands, places)).collect()
    }
}

/// Two vertices for each particle, beside it.
fn ribbons(strands: &[Range<usize>], places: &[DVec3]) -> Vec<DVec3> {
    let mut vertices = Vec::with_capacity(2 * places.len());
    for range in strands {
        let strand = &places[range.clone()];
        let half = 0.5 * RIBBON * strand[0].distance(strand[1]);
        for k in 0..strand.len() {
            let along = strand[(k + 1).min(strand.len() - 1)] - strand[k.saturating_sub(1)];
            let aside = along.cross(DVec3::Y).try_normalize().unwrap_or(DVec3::X) * half;
            vertices.extend([strand[k] - aside, strand[k] + aside]);
        }
    }
    vertices
}

/// Why there is no film.
#[derive(Debug, thiserror::Error)]
pub enum ClothFilmError {
    /// As `.glb`.
    #[error(transparent)]
    Animation(#[from] AnimationError),
    /// As `.npz`.
    #[error(transparent)]
    Npz(#[from] NpyError),
    /// As `.obj`.
    #[error(transparent)]
    Mesh(#[from] WriteError),
    /// A frame that is no mesh: the simulation diverged.
    #[error("frame {frame} of '{name}' is no mesh: {source}")]
    Diverged {
        /// The cloth.
        name: String,
        /// Counted from 0.
        frame: usize,
        /// What is wrong.
        source: InvalidMesh,
    },
}

/// A cloth as it is shown.
#[derive(Debug, Clone)]
pub struct ShownCloth {
    /// The cloth's; of several of one name, from the second on, with a number.
    pub name: String,
    /// How vertices are joined; strands are ribbons.
    pub mesh: TriMesh,
    /// Vertices of the mesh in every frame.
    pub frames: Vec<Vec<DVec3>>,
}

impl ClothFilm {
    /// Begins with the world as it is.
    pub fn new(world: &ClothWorld) -> Self {
        let mut film = Self::of(world.cloths());
        film.record(world);
        film
    }

    /// Of cloths alone, without a frame, for [`ClothFilm::record_places`].
    pub fn of(cloths: &[Cloth]) -> Self {
        let mut actors: Vec<Actor> = Vec::with_capacity(cloths.len());
        for cloth in cloths {
            let mut actor = Actor::new(cloth);
            // Files and arrays are called by their names: of several of one name, from the second on, they get a number that makes none of the others.
            let is_taken = |name: &str| actors.iter().any(|other| other.name == name);
            let is_free = |name: &String| !is_taken(name) && cloths.iter().all(|other| other.name() != name);
            if is_taken(&actor.name)
                && let Some(name) = (2..).map(|k| format!("{} {k}", actor.name)).find(is_free)
            {
                actor.name = name;
            }
            actors.push(actor);
        }
        Self { times: Vec::new(), cloths: actors, obstacles: Vec::new() }
    }

    /// Adds a frame from places that were kept: those of all particles, one cloth after the other.
    pub fn record_places(&mut self, time: f64, places: &[DVec3]) {
        self.times.push(time);
        let mut rest = places;
        for actor in &mut self.cloths {
            let (own, others) = rest.split_at(actor.particles.min(rest.len()));
            actor.frames.push(own.to_vec());
            rest = others;
        }
    }

    /// Every cloth as it is shown.
    pub fn shown(&self) -> Vec<ShownCloth> {
        let of = |actor: &Actor| ShownCloth {
            name: actor.name.clone(),
            mesh: actor.mesh.clone(),
            frames: actor.shown(),
        };
        self.cloths.iter().map(of).collect()
    }

    /// Shows an obstacle too, by a mesh in its frame. To be told before anything else is recorded.
    pub fn show(&mut self, world: &ClothWorld, id: ObstacleId, mesh: Arc<TriMesh>) {
        let of = world.obstacle(id);
        let poses = vec![of.pose(); self.times.len()];
        self.obstacles.push((id, of.name().to_owned(), mesh, poses));
    }

    /// Adds a frame.
    pub fn record(&mut self, world: &ClothWorld) {
        self.times.push(world.time());
        for (actor, cloth) in self.cloths.iter_mut().zip(world.cloths()) {
            actor.frames.push(cloth.places().to_vec());
        }
        for (id, _, _, poses) in &mut self.obstacles {
            poses.push(world.obstacle(*id).pose());
        }
    }

    /// Frames so far.
    pub fn frames(&self) -> usize {
        self.times.len()
    }

    /// A film that browsers and Blender play.
    pub fn write_glb(&self, path: impl AsRef<Path>) -> Result<(), ClothFilmError> {
        let shown: Vec<Vec<Vec<DVec3>>> = self.cloths.iter().map(Actor::shown).collect();
        let mut film = Animation::new(&self.times)?;
        for (k, (actor, frames)) in self.cloths.iter().zip(&shown).enumerate() {
            film.add_cloth(&actor.name, &actor.mesh, palette::distinct(k), frames)?;
        }
        for (_, name, mesh, poses) in &self.obstacles {
            film.add_body(name, mesh, [150, 150, 155], poses)?;
        }
        Ok(film.write(path)?)
    }

    /// `NAME.0000.obj` and so on in a folder, for programs that read sequences. The files, in order.
    pub fn write_objs(&self, folder: impl AsRef<Path>) -> Result<Vec<PathBuf>, ClothFilmError> {
        let mut files = Vec::new();
        for actor in &self.cloths {
            for (frame, vertices) in actor.shown().into_iter().enumerate() {
                let triangles = actor.mesh.triangles().to_vec();
                let mesh = TriMesh::new(vertices, triangles).map_err(|source| ClothFilmError::Diverged {
                    name: actor.name.clone(),
                    frame,
                    source,
                })?;
                let path = folder.as_ref().join(format!("{}.{frame:04}.obj", actor.name));
                io::write(&path, &mesh)?;
                files.push(path);
            }
        }
        Ok(files)
    }

    /// `times` (frames), and for each cloth `NAME` (frames, particles, 3), with `NAME_triangles` (n, 3) or `NAME_strands` (n, 2), first and behind the last particle.
    pub fn write_npz(&self, path: impl AsRef<Path>) -> Result<(), ClothFilmError> {
        let mut npz = Npz::new();
        npz.add("times", &[self.times.len()], &self.times[..]);
        for actor in &self.cloths {
            let numbers: Vec<f64> = actor.frames.iter().flatten().flat_map(DVec3::to_array).collect();
            let particles = actor.frames.first().map_or(0, Vec::len);
            npz.add(actor.name.clone(), &[actor.frames.len(), particles, 3], numbers);
            if !actor.strands.is_empty() {
                let ends: Vec<u32> =
                    actor.strands.iter().flat_map(|range| [range.start as u32, range.end as u32]).collect();
                npz.add(format!("{}_strands", actor.name), &[actor.strands.len(), 2], ends);
                continue;
            }
            let corners: Vec<u32> = actor.mesh.triangles().iter().flatten().copied().collect();
            npz.add(format!("{}_triangles", actor.name), &[actor.mesh.triangles().len(), 3], corners);
        }
        Ok(npz.write(path, Compression::default())?)
    }
}
