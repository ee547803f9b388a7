//! What can be wrong with cloth.

use crate::numbers::exact;

/// Why a mesh or strands do not make cloth.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClothError {
    /// Nothing to move.
    #[error(
        "the cloth '{cloth}' has no {what}; give it a mesh with triangles, or strands of two points or more"
    )]
    Empty {
        /// Which.
        cloth: String,
        /// What is missing.
        what: &'static str,
    },
    /// A triangle without area has no direction to be stretched in.
    #[error(
        "triangle {triangle} (counted from 0) of the cloth '{cloth}' has no area, so it has no material to stretch; take it out of the mesh, or merge its corners"
    )]
    ZeroArea {
        /// Which.
        cloth: String,
        /// Counted from 0.
        triangle: usize,
    },
    /// An edge of three triangles or more.
    #[error(
        "{triangles} triangles of the cloth '{cloth}' share the edge between vertices {from} and {to} (counted from 0); cloth is a surface, so give each sheet its own vertices there"
    )]
    NonManifold {
        /// Which.
        cloth: String,
        /// One end.
        from: u32,
        /// The other.
        to: u32,
        /// How many triangles.
        triangles: usize,
    },
    /// Two neighbouring points of a strand in one place.
    #[error("points {point} and {next} of strand {strand} of '{cloth}' are in one place; leave out one", next = point + 1)]
    ZeroLength {
        /// Which.
        cloth: String,
        /// Counted from 0.
        strand: usize,
        /// Counted from 0.
        point: usize,
    },
    /// A number that makes no sense.
    #[error("{quantity} of the cloth '{cloth}' is {}, but must be {wanted}", exact(*value))]
    BadNumber {
        /// Which.
        cloth: String,
        /// What was given a value.
        quantity: &'static str,
        /// The value.
        value: f64,
        /// What would do.
        wanted: &'static str,
    },
    /// A thickness that reaches over most of the cloth.
    #[error(
        "the thickness of the cloth '{cloth}' is {thickness} m, so millions of its particles are within reach of each other; give it a smaller one (usual, as it is cut: {} m), or turn self_collision off",
        crate::numbers::significant(*.usual, 3)
    )]
    TooThick {
        /// Which.
        cloth: String,
        /// m.
        thickness: f64,
        /// What it would have by itself, m.
        usual: f64,
    },
    /// A vertex that the mesh file does not have.
    #[error(
        "the mesh file of the cloth '{cloth}' has {count} vertices, so there is none of number {vertex} (counted from 0)"
    )]
    NoSuchVertex {
        /// Which.
        cloth: String,
        /// What was asked for.
        vertex: usize,
        /// How many there are.
        count: usize,
    },
    /// A vertex of the mesh file that is no particle.
    #[error(
        "no triangle of the cloth '{cloth}' uses vertex {vertex} of its mesh file (counted from 0), so there is nothing to hold; name a vertex of the surface"
    )]
    LooseVertex {
        /// Which.
        cloth: String,
        /// What was asked for.
        vertex: usize,
    },
    /// A particle that is not there.
    #[error(
        "the cloth '{cloth}' has {count} particles, so there is none of number {particle} (counted from 0)"
    )]
    NoSuchParticle {
        /// Which.
        cloth: String,
        /// What was asked for.
        particle: usize,
        /// How many there are.
        count: usize,
    },
}

/// Why something is no obstacle.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ObstacleError {
    /// A field whose solid goes on outside its box.
    #[error(
        "the field of the obstacle '{obstacle}' reaches the border of its box, so nothing is known outside; build it with some padding (5 % is usual)"
    )]
    NoBorder {
        /// Which.
        obstacle: String,
    },
    /// A number that makes no sense.
    #[error("{quantity} of the obstacle '{obstacle}' is {}, but must be {wanted}", exact(*value))]
    BadNumber {
        /// Which.
        obstacle: String,
        /// What was given a value.
        quantity: &'static str,
        /// The value.
        value: f64,
        /// What would do.
        wanted: &'static str,
    },
}

/// Why a step was not taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClothStepError {
    /// A step must lead forward.
    #[error("the time step is {dt} s, but must be positive and finite; 0.01 is usual")]
    BadStep {
        /// As it was given.
        dt: f64,
    },
    /// No substeps, or none of its rounds.
    #[error("{quantity} is 0, but must be at least 1")]
    NoRounds {
        /// Which number.
        quantity: &'static str,
    },
    /// More particles are near each other than can be kept apart.
    #[error(
        "millions of particles are within reach of each other, for they are kept {} m apart by the thickness of the cloth '{cloth}'; give it a smaller thickness, cut what it meets coarser, or turn self_collision off",
        crate::numbers::significant(*.thickness, 3)
    )]
    Crowded {
        /// The thickest.
        cloth: String,
        /// m.
        thickness: f64,
    },
    /// The simulation exploded.
    #[error(
        "particle {particle} of the cloth '{cloth}' diverged at t = {} s; take smaller steps or more substeps, less stretch and bend, or look whether its pins are torn apart or a body far heavier than the cloth lies on it",
        crate::numbers::significant(*.time, 6)
    )]
    Diverged {
        /// Which.
        cloth: String,
        /// Counted from 0.
        particle: usize,
        /// When.
        time: f64,
    },
}
