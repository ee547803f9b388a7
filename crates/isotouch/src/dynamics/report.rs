//! What happened in a step.

use glam::DVec3;

use crate::numbers::exact;

/// A step, summed up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StepReport {
    /// Seconds since the start, at the end of the step.
    pub time: f64,
    /// Steps since the start.
    pub step: u64,
    /// J, of dynamic bodies.
    pub kinetic_energy: f64,
    /// J, in gravity, of dynamic bodies; 0 at the origin.
    pub potential_energy: f64,
    /// J, in the springs of contacts at the end of the step.
    pub elastic_energy: f64,
    /// kg·m/s, of dynamic bodies.
    pub momentum: DVec3,
    /// kg·m²/s, of dynamic bodies about the world's origin.
    pub angular_momentum: DVec3,
    /// m: how deep the deepest point was, at the end of the step or on its way there; 0 without contact.
    pub max_penetration: f64,
    /// The largest depth in cells of the field that was entered, which says more of fields as different as those of a bolt and its nut. Surfaces without cells, and bodies that are let apart, are not in it.
    pub max_penetration_cells: f64,
    /// Points in contact.
    pub contacts: usize,
    /// Pairs of bodies, or of a body and a surface, whose boxes met.
    pub pairs: usize,
    /// Rounds of the implicit solver, of the bodies that took most; of all parts of the step.
    pub rounds: usize,
    /// Parts that the step was taken in: 1, or more where contacts would have made energy otherwise. Beside cloth those of all its substeps.
    pub parts: u32,
    /// Bullets that stopped at a first contact; in each part of the step those that did.
    pub stopped: usize,
    /// Wall-clock seconds that finding contacts took. Not part of the deterministic results.
    pub contact_seconds: f64,
    /// Wall-clock seconds of the whole step.
    pub seconds: f64,
}

impl StepReport {
    /// Two parts of a step as one: at its end, as deep and as many as at most, as long as both together.
    pub(crate) fn followed_by(self, later: &Self) -> Self {
        Self {
            max_penetration: self.max_penetration.max(later.max_penetration),
            max_penetration_cells: self.max_penetration_cells.max(later.max_penetration_cells),
            contacts: self.contacts.max(later.contacts),
            pairs: self.pairs.max(later.pairs),
            rounds: self.rounds + later.rounds,
            parts: self.parts + later.parts,
            stopped: self.stopped + later.stopped,
            contact_seconds: self.contact_seconds + later.contact_seconds,
            seconds: self.seconds + later.seconds,
            ..*later
        }
    }

    /// J: kinetic, potential and elastic.
    pub fn energy(&self) -> f64 {
        self.kinetic_energy + self.potential_energy + self.elastic_energy
    }
}

/// Why a step was not taken. The world is as it was before.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A step must lead forward.
    #[error("the time step is {dt} s, but must be positive and finite; 1/240 is usual")]
    BadStep {
        /// As it was given.
        dt: f64,
    },
    /// An option of the world with which no step can be made.
    #[error("{quantity} of the world is {}, but must be {wanted}", exact(*value))]
    BadOption {
        /// Which.
        quantity: &'static str,
        /// As it was given; of vectors the length.
        value: f64,
        /// What would do.
        wanted: &'static str,
    },
    /// The simulation exploded.
    #[error(
        "body '{body}' diverged at t = {} s ({quantity}); {remedy}",
        crate::numbers::significant(*.time, 6)
    )]
    Diverged {
        /// Which.
        body: String,
        /// When.
        time: f64,
        /// What is not finite, or too large.
        quantity: &'static str,
        /// What to try.
        remedy: &'static str,
    },
}
