//! One point on a straight path: when is it in contact with the level set σ of a field?
//!
//! ```
//! use isotouch::ccd::{CastOptions, HitStatus, Segment};
//! use isotouch::field::{Field, FieldOptions};
//! use isotouch::{math::DVec3, mesh::shapes};
//!
//! let ball = shapes::sphere(1.0, 20_480).unwrap();
//! let field = Field::from_mesh(&ball, &FieldOptions { resolution: 64, ..Default::default() })?;
//!
//! let through = Segment::new(DVec3::new(-2.0, 0.1, 0.0), DVec3::new(2.0, 0.1, 0.0));
//! let hit = field.first_hit(&through, 0.0, &CastOptions::default()).unwrap();
//! assert!(hit.status == HitStatus::Crossing && (hit.point.x + 0.995).abs() < 0.01);
//! assert_eq!(field.intervals(&through, 0.0, &CastOptions::default()).len(), 1);
//!
//! let beside = Segment::new(DVec3::new(-2.0, 1.1, 0.0), DVec3::new(2.0, 1.1, 0.0));
//! assert!(field.first_hit(&beside, 0.0, &CastOptions::default()).is_none());
//! # Ok::<(), isotouch::field::BuildError>(())
//! ```
//!
//! # What is proven
//!
//! `None` is a proof: the interpolant stays above σ on the whole path, rounding included. A hit is the first time it does not:
//! nothing before it, and there |φ − σ| is within a few 10⁻¹¹ cells, unless its status says otherwise.
//!
//! ```text
//! segment ─► track (in cells; when it passes which plane) ─► traversal ─► pieces (a cell, from entry to exit) ─► cubic ─► time
//!            outside the box: lower bounds of the distance
//! ```
//!
//! # Rounding of the path
//!
//! Places along the track are off by at most δ (`Track::blur`), and so is the choice of the cell next to a face: a point
//! counted to one cell may lie in its neighbour, by δ. Both agree on their face, and the interpolant of either changes by no more
//! than `steepness` per cell along an axis. So what is computed is off by no more than 3·δ·steepness, and that much is
//! added to σ (`Walk`): the answer is for a solid thicker by some 10⁻¹² cells.
//!
//! # Every traversal gives the same answer
//!
//! When a path is in which cell follows from the times at which it passes the planes of the grid, and these depend on the segment and
//! the plane alone. So a cell is always met with the same entry and exit, whoever finds it; and what traversals pass
//! over would have been found free.

mod asking;
mod batch;
mod far;
mod hierarchy;
mod intervals;
mod lanes;
mod leap;
mod nearby;
mod occupied;

mod outside;
mod piece;
mod through;
mod track;
mod uniform;
mod walk;

use glam::{DVec3, UVec3};

pub use intervals::Interval;
pub(crate) use intervals::add as add_interval;
pub(crate) use nearby::Nearby;
pub use walk::LevelSet;

use crate::field::Field;
use crate::simd::SimdLevel;

/// The straight path of a point over t in [0, 1].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Segment {
    /// Where it is at t = 0.
    pub from: DVec3,
    /// Where it is at t = 1.
    pub to: DVec3,
}

impl Segment {
    /// The path from one point to another.
    pub fn new(from: DVec3, to: DVec3) -> Self {
        Self { from, to }
    }

    /// Where the point is at time `t`.
    pub fn at(&self, t: f64) -> DVec3 {
        // Exact at both ends.
        self.from * (1.0 - t) + self.to * t
    }

    /// The same path the other way.
    #[must_use]
    pub fn reversed(&self) -> Self {
        Self { from: self.to, to: self.from }
    }
}

/// How cells are found along the path. The answers are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Traversal {
    /// Every cell, one after the other (3D DDA), as the papers do.
    Uniform,
    /// Blocks whose least value is above σ are passed whole, and so, where all contacts are asked for, those whose largest is below:
    /// the octree of Xu and Barbič 2014, as ranges of bricks and a pyramid above them.
    Hierarchy,
    /// The same with minima only, as in 2016.
    Minima,
    /// The same without the pyramid: single bricks are passed.
    Leaves,
    /// As far as the distance at a node allows, at once.
    #[default]
    Leap,
}

impl Traversal {
    /// All, with their names on the command line.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("leap", Self::Leap),
        ("hierarchy", Self::Hierarchy),
        ("minima", Self::Minima),
        ("leaves", Self::Leaves),
        ("uniform", Self::Uniform),
    ];
}

/// How the contact within a cell is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RootMethod {
    /// With proof.
    #[default]
    Certified,
    /// By Cardano's formula (Xu and Barbič 2016). For comparison: it misses contacts where digits cancel.
    Cardano,
    /// By five steps of bisection where entry and exit differ in sign (Xu and Barbič 2014). For comparison: it misses contacts.
    Bisection,
}

impl RootMethod {
    /// All, with their names on the command line.
    pub const NAMES: [(&'static str, Self); 3] =
        [("certified", Self::Certified), ("cardano", Self::Cardano), ("bisection", Self::Bisection)];
}

/// How to look for contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CastOptions {
    /// How cells are found.
    pub traversal: Traversal,
    /// How contacts within a cell are found.
    pub root: RootMethod,
    /// Which instructions batches use; `None` for the widest of the machine. The answers are the same.
    pub simd: Option<SimdLevel>,
}

/// What is known about the beginning of a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitStatus {
    /// The path goes below σ, proven.
    Crossing,
    /// It comes within rounding of σ, and may or may not reach it.
    Touch,
    /// It begins below σ, proven: t = 0. Where it begins at σ, as far as rounding can tell, the hit at t = 0 is a touch, or a crossing if
    /// the path then goes below.
    StartsInside,
    /// Where a sparse field becomes coarser or finer its values jump, here from above σ to below. Only for |σ| beyond the band.
    LevelBoundary,
    /// Outside the box it cannot be excluded: the field knows a lower bound there, or nothing.
    Bound,
}

impl HitStatus {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Crossing => "crossing",
            Self::Touch => "touch",
            Self::StartsInside => "starts_inside",
            Self::LevelBoundary => "level_boundary",
            Self::Bound => "bound",
        }
    }
}

/// The beginning of the first contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// When.
    pub t: f64,
    /// Where.
    pub point: DVec3,
    /// Direction away from the solid there; `None` outside the box, and where the gradient vanishes.
    pub normal: Option<DVec3>,
    /// The cell of the grid; `None` outside the box.
    pub cell: Option<UVec3>,
    /// What is known about it.
    pub status: HitStatus,
}

impl LevelSet<'_> {
    /// [`Field::first_hit`].
    pub fn first_hit(&self, segment: &Segment) -> Option<Hit> {
        self.walk(segment).first_hit()
    }

    /// The same for who has no use for a hit later than `until`: such a one may be told or not.
    pub(crate) fn first_hit_until(&self, segment: &Segment, until: f64) -> Option<Hit> {
        self.walk(segment).first_hit_until(until)
    }

    /// The first contact in the field's box, where values are known: never one that only cannot be excluded ([`HitStatus::Bound`]). A path that
    /// enters the box below σ is in contact from then on, a crossing.
    pub(crate) fn first_hit_in_box(&self, segment: &Segment) -> Option<Hit> {
        let walk = self.walk(segment);
        let (enters, _) = walk.time_inside()?;
        let hit = walk.first_hit_in_box(f64::INFINITY)?;
        let enters_below = enters > 0.0 && hit.t == enters;
        Some(if enters_below { Hit { status: HitStatus::Crossing, ..hit } } else { hit })
    }

    /// [`Field::touches`].
    pub fn touches(&self, segment: &Segment) -> bool {
        self.walk(segment).touches()
    }

    /// [`Field::intervals`].
    pub fn intervals(&self, segment: &Segment) -> Vec<Interval> {
        self.walk(segment).intervals()
    }
}

impl Field {
    /// A level set, for many questions.
    pub fn level_set(&self, iso: f64, options: &CastOptions) -> LevelSet<'_> {
        LevelSet::new(self, iso, options)
    }

    /// The first contact of a moving point with the level set `iso`. `None` is a proof that there is none. A segment that is not finite
    /// is never free: it is a hit at once with status [`HitStatus::Bound`].
    pub fn first_hit(&self, segment: &Segment, iso: f64, options: &CastOptions) -> Option<Hit> {
        self.level_set(iso, options).first_hit(segment)
    }

    /// Whether there is any contact: `false` is a proof. Faster than [`Field::first_hit`].
    pub fn touches(&self, segment: &Segment, iso: f64, options: &CastOptions) -> bool {
        self.level_set(iso, options).touches(segment)
    }

    /// Every contact, in order, apart from each other.
    pub fn intervals(&self, segment: &Segment, iso: f64, options: &CastOptions) -> Vec<Interval> {
        self.level_set(iso, options).intervals(segment)
    }
}
