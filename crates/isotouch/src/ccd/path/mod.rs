//! Whole parts along whole paths: *free*, proven for every point of the surface at every time that was looked at; *contact*, with a pose
//! that shows it; or *undecided*, closer than the tolerance, or with triangles that do not tell what is inside ([`Reason`]).
//!
//! ```
//! use isotouch::ccd::path::{Answer, FixedPart, MovingPart, PathChecker, PathOptions};
//! use isotouch::field::{Field, FieldOptions};
//! use isotouch::math::{DVec3, MotionKind, Pose};
//! use isotouch::mesh::shapes;
//!
//! let (ball, ring) = (shapes::sphere(0.1, 1280).unwrap(), shapes::by_name("torus").unwrap());
//! let field = Field::from_mesh(&ring, &FieldOptions { resolution: 64, ..Default::default() })?;
//! let (moving, fixed) = (MovingPart::new(&ball, DVec3::ZERO)?, FixedPart::new(&ring, &field)?);
//! let checker = PathChecker::new(&moving, &fixed, &PathOptions::default());
//!
//! // The hole is 0.2 wide from the middle.
//! let through = [Pose::at(DVec3::Z * 3.0), Pose::at(DVec3::Z * -3.0)];
//! let report = checker.check(&through);
//! assert_eq!(report.answer, Answer::Free);
//! assert!(report.clearance > 0.08);
//!
//! let aside = through.map(|pose| Pose { position: pose.position + DVec3::X * 0.3, ..pose });
//! let report = checker.check(&aside);
//! assert_eq!(report.answer, Answer::Contact);
//! assert!(report.first_contact.unwrap().t < 0.5);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # How it is proven
//!
//! Patches of the moving surface (spheres over triangles, then triangles) and times are halved until each patch is clear for its time, largest first.
//! A sphere is clear if the field, a lower bound of the distance, says that nothing is nearer to its middle than its radius and the way that it moves.
//! A triangle is clear if every triangle of the other part that may come near is kept away by a plane: along the line between their
//! nearest points halfway, all corners stay apart at both ends of the time, but for the *sagitta* of their paths. A part that slides past another one closely is then
//! proven in large steps. Distances are those of the meshes, and of the caps where holes were closed; the grid only saves work.
//!
//! A *contact* is a time at which two triangles cross or are nearer than the clearance asked for. That nothing touches says nothing about a part
//! that is wholly inside another, so every component is looked up once, at the first pose: in the field where that is certain, else by the
//! triangles. An open mesh encloses nothing; where one is closed but for slits, or parts wound against each other cross, the answer may be undecided.

mod apart;
mod containment;
mod file;
mod leg;
mod looks;
mod parts;
mod report;
mod stretches;

pub use file::{PathFileError, PathReader};
pub use parts::{FixedPart, MovingPart, PartError};
pub use report::{Answer, ContactKind, Doubt, LegReport, Near, PathContact, PathReport, Reason, Stretch};

use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use crate::math::{Motion, MotionKind, Pose};
use apart::Apart;
use containment::Lie;
use leg::Search;

/// Legs that are checked before they are handed over.
const TOGETHER: usize = 64;

/// How to check a path.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PathOptions {
    /// How poses are joined.
    pub motion: MotionKind,
    /// The clearance that the path must keep, 0 or more; nearer counts as contact.
    pub clearance: f64,
    /// What is too close to call; `None` for 10⁻⁵ of the moving part's size. Less takes longer.
    pub tolerance: Option<f64>,
    /// Whether a contact at the first pose is let pass until the parts have come apart, by more than the tolerance. Until then nothing is
    /// looked at: [`PathReport::checked_from`] tells when that is.
    pub ignores_start_contact: bool,
}

/// Two parts, ready to be asked about many motions.
pub struct PathChecker<'a> {
    pub(self) moving: &'a MovingPart,
    pub(self) fixed: &'a FixedPart<'a>,
    pub(self) options: PathOptions,
    pub(self) tolerance: f64,
    cancel: Option<&'a AtomicBool>,
}

impl<'a> PathChecker<'a> {
    /// Prepares for paths of `moving` past `fixed`.
    pub fn new(moving: &'a MovingPart, fixed: &'a FixedPart<'a>, options: &PathOptions) -> Self {
        let tolerance = options.tolerance.unwrap_or(1e-5 * moving.size());
        // Less than nothing, or no number, is nothing.
        let options = PathOptions { clearance: options.clearance.max(0.0), ..*options };
        Self { moving, fixed, options, tolerance, cancel: None }
    }

    /// The same, to be stopped: once `cancel` is set, answers come soon, and what was not looked at is undecided.
    #[must_use]
    pub fn until(self, cancel: &'a AtomicBool) -> Self {
        Self { cancel: Some(cancel), ..self }
    }

    fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Relaxed))
    }

    /// The tolerance that is used.
    pub fn tolerance(&self) -> f64 {
        self.tolerance
    }

    /// Checks a whole path, its legs in parallel.
    pub fn check(&self, path: &[Pose]) -> PathReport {
        let mut legs = Vec::new();
        let report = self.check_with(path, |_, leg| legs.push(leg));
        PathReport { legs, ..report }
    }

    /// [`PathChecker::check`] of a path of any length: each leg is handed over with its number, in order, as soon as some more are known, and
    /// none is kept, so [`PathReport::legs`] is empty.
    pub fn check_with(&self, path: &[Pose], mut each: impl FnMut(usize, LegReport)) -> PathReport {
        // A single pose is a path that stays there.
        let still = [path.first(), path.first()].map(|pose| pose.copied().unwrap_or(Pose::IDENTITY));
        let path = if path.len() == 1 { &still[..] } else { path };
        let mut report = self.begin(path);
        let (first_leg, first_t) = report.checked_from.unwrap_or((path.len(), 0.0));
        let legs = path.len().saturating_sub(1);
        let check = |leg: usize| match leg {
            leg if leg < first_leg => LegReport::let_pass(),
            _ if self.is_cancelled() => LegReport::cancelled(),
            leg => {
                let from = if leg == first_leg { first_t } else { 0.0 };
                self.check_leg(&self.motion(path[leg], path[leg + 1]), from)
            }
        };
        for first in (0..legs).step_by(TOGETHER) {
            let some = first..legs.min(first + TOGETHER);
            let checked: Vec<LegReport> = some.clone().into_par_iter().map(check).collect();
            for (leg, of) in some.zip(checked) {
                report.add(leg, &of);
                each(leg, of);
            }
        }
        report.finish()
    }

    /// What the first pose tells, and from when on the rest is to be looked at.
    fn begin(&self, path: &[Pose]) -> PathReport {
        let mut report = PathReport::new();
        let Some(&pose) = path.first() else { return report };
        match self.lie(&pose.to_affine(), self.options.clearance) {
            Lie::Apart => {}
            Lie::Unknown(near) => {
                report.undecided = Some((0, Doubt { near, reason: Reason::PerhapsInside }));
            }
            Lie::Contact(near, kind) => {
                report.starts_in_contact = true;
                let contact = PathContact::new(0, pose, &near, kind);
                if !self.options.ignores_start_contact {
                    report.first_contact = Some(contact);
                    return report;
                }
                match self.apart(path) {
                    Apart::From(leg, t) => report.checked_from = Some((leg, t)),
                    // Then it is no contact that passes.
                    Apart::Never => {
                        report.checked_from = None;
                        report.first_contact = Some(contact);
                    }
                    Apart::GivenUp(leg, t) => {
                        report.checked_from = None;
                        let reason = if self.is_cancelled() { Reason::Cancelled } else { Reason::GivenUp };
                        report.undecided = Some((leg, Doubt::nowhere(t, reason)));
                    }
                }
            }
        }
        report
    }

    /// One motion, from a time on: clearance and contacts.
    pub fn check_leg(&self, motion: &Motion, from: f64) -> LegReport {
        let mut search = Search::new(self, motion).with_clearance(from);
        search.run(from);
        search.report(from)
    }

    /// Whether a motion keeps clear, without finding out how far: sooner answered than [`PathChecker::check_leg`]. That the part is not inside the
    /// other at the start is not looked up here.
    pub fn answer(&self, motion: &Motion) -> Answer {
        let mut search = Search::new(self, motion).for_any_contact();
        search.run(0.0);
        search.answer()
    }

    /// The exact distance of the two surfaces at a pose, 0 where they cross; `None` where it is not below `bound`.
    pub fn distance_at(&self, pose: &Pose, bound: f64) -> Option<f64> {
        self.nearest_at(&pose.to_affine(), bound).map(|near| near.distance)
    }

    /// The same at a time of a motion, where chords have every point on its own line.
    pub fn distance_along(&self, motion: &Motion, t: f64, bound: f64) -> Option<f64> {
        self.nearest_at(&motion.frame_from_body(t), bound).map(|near| near.distance)
    }

    /// The motion of a leg.
    pub fn motion(&self, from: Pose, to: Pose) -> Motion {
        Motion::new(self.options.motion, from, to)
    }
}

#[cfg(test)]
mod tests;
