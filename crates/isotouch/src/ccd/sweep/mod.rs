//! A whole shell moved through a field: when and where do its points touch?
//!
//! ```
//! use isotouch::ccd::{Sweep, SweepOptions};
//! use isotouch::field::{Field, FieldOptions};
//! use isotouch::math::{DVec3, Motion, MotionKind, Pose};
//! use isotouch::mesh::shapes;
//! use isotouch::shell::{PointShell, ShellOptions};
//!
//! let ball = shapes::sphere(1.0, 5120).unwrap();
//! let field = Field::from_mesh(&ball, &FieldOptions { resolution: 64, ..Default::default() })?;
//! let shell = PointShell::from_mesh(&ball, &ShellOptions::default()).unwrap();
//!
//! // Two balls of radius 1: from 4 apart they touch after half of the way to each other.
//! let (there, here) = (Pose::at(DVec3::new(4.0, 0.0, 0.0)), Pose::IDENTITY);
//! let sweep = Sweep::new(&shell, &field, &SweepOptions::default());
//! let found = sweep.first_contact(&Motion::new(MotionKind::Rigid, there, here));
//! assert!((found.contact.unwrap().hit.t - 0.5).abs() < 0.02);
//! # Ok::<(), isotouch::field::BuildError>(())
//! ```
//!
//! # What makes it sound
//!
//! A curved motion is cut into 2ᵐ pieces, and every point's path in a piece is its chord; what a chord is off by, the *sagitta*, times how steep the
//! interpolant can be, is added to σ; beyond the band of a sparse field also what values may jump by between levels. Then every point is a question about segments ([`LevelSet`]). The tree of spheres only saves such questions: a sphere of radius ρ whose
//! centre stays farther than σ + ρ + ε from the solid has no point in contact, for the affine map between two poses,
//! (1 − t)·R₀ + t·R₁, is a contraction, so what is within ρ of the centre stays so. The distance at the centre is a true lower bound
//! ([`Field::lower_bound`]), and ε is what the interpolant at the points may be below the true distance. Several pieces
//! at once are asked about with the sagitta of all of them together. Where all contacts are wanted, the same tells when the points of a leaf are
//! all inside, so that each is asked only while its sphere comes through the surface. Linear and tree traversal give the same points and times, to the last bit:
//! outside the field's box, where a point alone is told a lower bound only, linear traversal asks the spheres above it too.

mod alike;
mod all;
mod first;
mod near;
mod neighbours;
mod pieces;
mod spheres;
mod vicinity;

use std::sync::OnceLock;

use glam::DVec3;

pub use alike::{Obstacle, chord_contacts};
pub use all::PointContacts;
pub use near::NearPoint;
pub use neighbours::Neighbours;
use pieces::{Pieces, Span};
pub use vicinity::Vicinity;

use super::{CastOptions, Hit, LevelSet, Segment};
use crate::field::Field;
use crate::field::storage::Storage;
use crate::math::Motion;
use crate::shell::PointShell;

/// How points in contact are found. The answers are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SweepTraversal {
    /// Spheres over points first.
    #[default]
    Tree,
    /// Every point.
    Linear,
}

impl SweepTraversal {
    /// All, with their names on the command line.
    pub const NAMES: [(&'static str, Self); 2] = [("tree", Self::Tree), ("linear", Self::Linear)];
}

/// How to sweep.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct SweepOptions {
    /// The level set of the field that is asked about.
    pub iso: f64,
    /// How points in contact are found.
    pub traversal: SweepTraversal,
    /// Most that a chord may be off its curve, less where a field without a certificate may be steeper than distances are. Less is more exact and takes longer, for it needs more pieces; `None` for a twentieth of a cell.
    pub tolerance: Option<f64>,
    /// Most spheres that are tested for one answer, by tree traversal. Where that is too few, a coarser level of the shell is asked, and the
    /// answer says so.
    pub budget: Option<u64>,
    /// How segments are cast.
    pub cast: CastOptions,
}

/// A point of the shell in contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contact {
    /// Its number in the shell.
    pub point: u32,
    /// When and where, in the field's frame.
    pub hit: Hit,
}

/// The first contact, if there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FirstContact {
    /// The earliest contact; of several at one time that of the point with the least number. `None` is a proof for the points of the level
    /// that was asked: that the field's interpolant stays above σ along their paths. What that says about the solid the field's certificate
    /// tells ([`Field::is_certified`]); a sheet has none beyond its rim.
    pub contact: Option<Contact>,
    /// What it took, and which points were asked.
    pub effort: Effort,
}

/// All contacts.
#[derive(Debug, Clone, PartialEq)]
pub struct AllContacts {
    /// Points in contact, by number, each with every interval.
    pub points: Vec<PointContacts>,
    /// What it took, and which points were asked.
    pub effort: Effort,
}

/// What an answer took, and what it is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Effort {
    /// Spheres that were tested, each over some of the time.
    pub sphere_tests: u64,
    /// Points that were cast, each over a piece of the time.
    pub point_tests: u64,
    /// Pieces that the motion was cut into.
    pub pieces: u32,
    /// The level of the shell that was asked to its end; less than the last one, or none, only where the budget was spent.
    pub level: Option<usize>,
    /// Whether all points were asked.
    pub is_complete: bool,
}

/// A shell and a field, ready to be asked about many motions.
pub struct Sweep<'a> {
    shell: &'a PointShell,
    field: &'a Field,
    options: SweepOptions,
    /// How much the true values may change along any direction.
    lipschitz: f64,
    /// How far the farthest point is from the body's origin.
    reach: f64,
    /// For every point, its place in the order of the tree, once that was asked for.
    places: OnceLock<Vec<u32>>,
}

impl<'a> Sweep<'a> {
    /// Prepares for motions of `shell` against `field`.
    pub fn new(shell: &'a PointShell, field: &'a Field, options: &SweepOptions) -> Self {
        let lipschitz = field.lipschitz_between_nodes();
        // Not the farthest point, which would have to be looked for at every step of a simulation.
        let reach = if shell.is_empty() { 0.0 } else { shell.tree().sphere(0).reach() };
        Self { shell, field, options: *options, lipschitz, reach, places: OnceLock::new() }
    }

    /// Whether any point comes into contact: `false` is a proof if the answer is complete.
    pub fn touches(&self, motion: &Motion) -> bool {
        self.first_contact(motion).contact.is_some()
    }

    /// How far chords may be off their curves: what was asked for, or more where that would need too many pieces.
    pub fn sagitta(&self, motion: &Motion) -> f64 {
        self.pieces(motion).sagitta
    }

    fn pieces(&self, motion: &Motion) -> Pieces {
        let tolerance = self.options.tolerance.unwrap_or(0.05 * self.field.grid().cell);
        // Where the interpolant may be steeper than distances are, chords are closer to their curves, so that no more is added to σ for it.
        let per_distance = self.steepness(self.options.iso) / (3f64.sqrt() * self.field.lipschitz());
        Pieces::new(motion, self.reach, tolerance / per_distance.max(1.0))
    }

    /// How much the interpolant can change per unit of length within one level, in cells that it is `iso` somewhere in: √3 along a diagonal.
    fn steepness(&self, iso: f64) -> f64 {
        3f64.sqrt() * self.field.steepness_per_cell(iso) / self.field.grid().cell
    }

    fn place_of(&self, point: u32) -> usize {
        let places = self.places.get_or_init(|| {
            let mut places = vec![0; self.shell.len()];
            for (&number, place) in self.shell.tree().order().iter().zip(0..) {
                places[number as usize] = place;
            }
            places
        });
        places[point as usize] as usize
    }

    /// One motion, with all that its questions share.
    fn question(&self, motion: &Motion) -> Question<'_> {
        let pieces = self.pieces(motion);
        let iso = self.raised_iso(motion, pieces.sagitta);
        let set = self.field.level_set(iso, &self.options.cast);
        let clear_of_points = iso + self.error_at_points(iso) + 1e-9 * self.field.grid().cell;
        Question { sweep: self, pieces, set, iso, clear_of_points }
    }

    /// Chords, and rounding of places, are paid for by a level set that is farther out.
    fn raised_iso(&self, motion: &Motion, sagitta: f64) -> f64 {
        let off = sagitta + motion.rounding(self.reach);
        let mut iso = self.options.iso + self.steepness(self.options.iso) * off;
        // Beyond the band values jump where cells become coarser. With p on the curve and q on its chord, d(q) ≤ φ(p) + ε + L·off and
        // φ(q) ≤ d(q) + ε.
        if sagitta > 0.0 && self.error_at_points(iso) > self.field.error_bound() {
            iso += 2.0 * self.error_at_points(iso);
        }
        iso
    }

    /// How far the interpolant may be below the true distance where that matters: at full resolution as long as σ is well within the
    /// band, for beyond it cells are known to be above.
    fn error_at_points(&self, iso: f64) -> f64 {
        match self.field.nodes() {
            Storage::Sparse(nodes) if !self.field.is_fine_at(iso) => {
                self.field.error_of_cells(f64::from(nodes.top_step) * self.field.grid().cell)
            }
            Storage::Dense(_) | Storage::Sparse(_) => self.field.error_bound(),
        }
    }
}

/// One motion.
struct Question<'a> {
    sweep: &'a Sweep<'a>,
    pieces: Pieces,
    /// σ with the sagitta.
    iso: f64,
    /// Its level set.
    set: LevelSet<'a>,
    /// What a point must be farther from the solid than not to be in contact.
    clear_of_points: f64,
}

impl Question<'_> {
    /// The path of a point in a piece.
    #[inline(always)]
    fn segment(&self, point: DVec3, piece: u32) -> Segment {
        let [from, to] = self.pieces.ends(piece);
        Segment::new(from.transform_point3(point), to.transform_point3(point))
    }

    /// A time as part of a piece.
    fn part_of(&self, piece: u32, time: f64) -> f64 {
        Span { halvings: self.pieces.halvings, index: piece }.part(time)
    }
}
