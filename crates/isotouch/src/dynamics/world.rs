//! Bodies, what stands still, and a step.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;

use super::body::{Body, BodyError, BodyId, BodyOptions};
use super::energy::EnergyWatch;
use super::free::Moved;
use super::overlap::Overlap;
use super::pairs::{Pair, Party, Pressed, Watched};
use super::{Shape, StepError, StepReport, check};
use crate::ccd::Touchable;
use crate::contact::{Law, LawError, Material, PenaltyOptions};
use crate::math::{Pose, Twist, Wrench};

/// How contact and motion are brought together; see the [module](super).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Integrator {
    /// Forces as they will be at the end of the step.
    #[default]
    Implicit,
    /// Impulses over the free motion, then velocities, then places.
    Symplectic,
    /// The mean force of the last step, as the papers do.
    Papers,
}

impl Integrator {
    /// All, with their names in scenes.
    pub const NAMES: [(&'static str, Self); 3] =
        [("implicit", Self::Implicit), ("symplectic", Self::Symplectic), ("papers", Self::Papers)];
}

/// When contact is looked for, by the explicit integrators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactModel {
    /// Along the whole step.
    #[default]
    Continuous,
    /// At its end only, for comparison.
    Discrete,
}

impl ContactModel {
    /// All, with their names in scenes.
    pub const NAMES: [(&'static str, Self); 2] =
        [("continuous", Self::Continuous), ("discrete", Self::Discrete)];
}

/// How a world steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldOptions {
    /// m/s². Usual: 9.81 downward, y being up.
    pub gravity: DVec3,
    /// How contact and motion are brought together.
    pub integrator: Integrator,
    /// When contact is looked for, by explicit integrators.
    pub contact: ContactModel,
    /// How forces are added up, by explicit integrators.
    pub penalty: PenaltyOptions,
    /// v₀ of [`Friction`](crate::contact::Friction), m/s. Usual: 10⁻⁵. Explicit integrators need about μ·g·dt.
    pub slip_speed: f64,
    /// Bodies that overlap at the start are let apart with this speed, m/s. Usual: 0.2. Faster, they jump.
    pub separation_speed: f64,
    /// A speed beyond which the simulation has exploded, m/s.
    pub top_speed: f64,
}

impl Default for WorldOptions {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            integrator: Integrator::default(),
            contact: ContactModel::default(),
            penalty: PenaltyOptions::default(),
            slip_speed: 1e-5,
            separation_speed: 0.2,
            top_speed: 1e5,
        }
    }
}

/// A surface's number in its world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SurfaceId(usize);

/// Why a surface was not added.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("surface '{surface}': {source}")]
pub struct SurfaceError {
    /// Which.
    pub surface: String,
    /// What is wrong with its material.
    pub source: LawError,
}

/// Something without a grid that stands still.
pub(super) struct Surface {
    pub(super) name: String,
    pub(super) surface: Box<dyn Touchable + Send + Sync>,
    pub(super) material: Material,
}

/// Rigid bodies and what they touch. [`World::step`] is all it takes.
pub struct World {
    pub(super) options: WorldOptions,
    pub(super) bodies: Vec<Body>,
    pub(super) surfaces: Vec<Surface>,
    pub(super) laws: BTreeMap<(u32, u32), Law>,
    pub(super) overlaps: BTreeMap<Pair, Overlap>,
    pub(super) time: f64,
    pub(super) steps_taken: u64,
    /// Bodies that were put somewhere: whether they overlap there is not known yet.
    pub(super) unmeasured: BTreeSet<usize>,
    pub(super) energy: EnergyWatch,
    /// What is known of roles from steps before. Saves looks and changes no bit, so it is no part of the state.
    watched: Vec<Watched>,
    /// What part of the step that was asked for is taken at once.
    pub(super) part: f64,
}

/// How far from a surface contacts are looked for by the implicit integrator, in parts of a cell: points that others may press in within the step. More takes longer; with less a few are
/// found a step later.
const MARGIN: f64 = 0.25;

impl World {
    /// Without bodies.
    pub fn new(options: WorldOptions) -> Self {
        Self {
            options,
            bodies: Vec::new(),
            surfaces: Vec::new(),
            laws: BTreeMap::new(),
            overlaps: BTreeMap::new(),
            time: 0.0,
            steps_taken: 0,
            unmeasured: BTreeSet::new(),
            energy: EnergyWatch::default(),
            watched: Vec::new(),
            part: 1.0,
        }
    }

    /// Adds a body.
    pub fn add_body(&mut self, shape: Arc<Shape>, options: BodyOptions) -> Result<BodyId, BodyError> {
        self.bodies.push(Body::new(shape, options)?);
        self.unmeasured.insert(self.bodies.len() - 1);
        Ok(BodyId(self.bodies.len() - 1))
    }

    /// Adds a surface that stands still: a plane as ground, a ball, a function.
    pub fn add_surface(
        &mut self,
        name: &str,
        surface: Box<dyn Touchable + Send + Sync>,
        material: Material,
    ) -> Result<SurfaceId, SurfaceError> {
        material.check().map_err(|source| SurfaceError { surface: name.to_owned(), source })?;
        self.surfaces.push(Surface { name: name.to_owned(), surface, material });
        Ok(SurfaceId(self.surfaces.len() - 1))
    }

    /// Tells the law of contact between two kinds of materials ([`Material::kind`]), with its own slip speed.
    pub fn set_law(&mut self, kind: u32, other: u32, law: Law) -> Result<(), LawError> {
        law.check()?;
        self.laws.insert((kind.min(other), kind.max(other)), law);
        Ok(())
    }

    /// How it steps.
    pub fn options(&self) -> &WorldOptions {
        &self.options
    }

    /// All bodies, in the order in which they were added.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// One body.
    pub fn body(&self, id: BodyId) -> &Body {
        &self.bodies[id.0]
    }

    /// The number of the body of that name, the first one if there are several.
    pub fn body_named(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|body| body.name == name).map(BodyId)
    }

    /// The number of a body by its place in [`World::bodies`].
    pub fn body_at(&self, index: usize) -> Option<BodyId> {
        (index < self.bodies.len()).then_some(BodyId(index))
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Steps since the start.
    pub fn steps_taken(&self) -> u64 {
        self.steps_taken
    }

    /// Pushes a body from now on, about its centre of mass, in the world: N and N·m. `Wrench::ZERO` ends it.
    pub fn set_force(&mut self, id: BodyId, force: Wrench) -> Result<(), BodyError> {
        check::force(&self.bodies[id.0].name, &force)?;
        self.bodies[id.0].user_force = force;
        Ok(())
    }

    /// Sets the velocity of a body: of its centre of mass (of its frame's origin, if forces do not move it) and how it turns. Fixed bodies stay.
    pub fn set_twist(&mut self, id: BodyId, twist: Twist) -> Result<(), BodyError> {
        let body = &mut self.bodies[id.0];
        check::twist(&body.name, &twist)?;
        if body.kind != super::BodyKind::Fixed {
            body.set_twist(twist);
        }
        Ok(())
    }

    /// Puts a body elsewhere, with its velocity as it is in the world.
    pub fn set_pose(&mut self, id: BodyId, pose: Pose) -> Result<(), BodyError> {
        let body = &mut self.bodies[id.0];
        let pose = check::pose(&body.name, pose)?;
        let twist = body.twist();
        body.pose = pose;
        body.set_twist(twist);
        self.unmeasured.insert(id.0);
        Ok(())
    }

    /// A step of `dt` seconds. On an error nothing has changed.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        let is_forward = dt > 0.0 && dt.is_finite();
        if !is_forward {
            return Err(StepError::BadStep { dt });
        }
        check::options(&self.options)?;
        let clock = Instant::now();
        let before = self.state();
        let counted = (self.time + dt, self.steps_taken + 1);
        self.part = 1.0;
        match self.step_in_parts(dt, 0) {
            Ok(report) => {
                self.count_as_one(counted);
                Ok(StepReport {
                    time: self.time,
                    step: self.steps_taken,
                    seconds: clock.elapsed().as_secs_f64(),
                    ..report
                })
            }
            Err(error) => {
                // The same bodies as a moment ago.
                let _ = self.restore(&before);
                Err(error)
            }
        }
    }

    /// A step as a whole. `None` if it makes energy and may be halved; then, as on an error, nothing has changed.
    pub(super) fn attempt(&mut self, dt: f64, may_halve: bool) -> Result<Option<StepReport>, StepError> {
        let kept = (self.overlaps.clone(), self.unmeasured.clone());
        self.update_overlaps(dt);
        let mut watched = std::mem::take(&mut self.watched);
        let stepped = self.stepped(dt, &mut watched);
        self.watched = watched;
        let of_bullets = self.bodies.iter().zip(&stepped.moves).filter(|(body, _)| body.is_bullet);
        let stopped = of_bullets.filter(|(_, of)| of.carried.is_some()).count();
        let checked = self.check(&stepped, dt);
        let is_bad = checked.as_ref().map_or(true, |(_, is_bearable)| !is_bearable);
        if checked.is_err() || (is_bad && may_halve) {
            (self.overlaps, self.unmeasured) = kept;
        }
        if is_bad && may_halve {
            return Ok(None);
        }
        (self.energy, _) = checked?;
        for ((body, of), force) in self.bodies.iter_mut().zip(&stepped.moves).zip(&stepped.forces) {
            body.pose = of.pose;
            body.velocity = of.velocity;
            body.angular_momentum = of.angular_momentum;
            body.contact_force = *force;
        }
        self.count_as_one((self.time + dt, self.steps_taken + 1));
        let Pressed { elastic_energy, deepest, deepest_cells, points } = stepped.pressed;
        Ok(Some(StepReport {
            elastic_energy,
            max_penetration: deepest.max(self.deepest_apart()),
            max_penetration_cells: deepest_cells,
            contacts: points,
            pairs: stepped.pairs,
            rounds: stepped.rounds,
            parts: 1,
            stopped,
            contact_seconds: stepped.contact_seconds,
            ..self.report()
        }))
    }

    /// Time, energies and momenta as they are now.
    pub fn report(&self) -> StepReport {
        let mut report = StepReport { time: self.time, step: self.steps_taken, ..Default::default() };
        for body in self.bodies.iter().filter(|body| body.is_dynamic()) {
            let center = body.center_of_mass();
            report.kinetic_energy += body.kinetic_energy();
            report.potential_energy -= body.mass * self.options.gravity.dot(center);
            report.momentum += body.momentum();
            report.angular_momentum += body.angular_momentum + center.cross(body.momentum());
        }
        report
    }

    fn stepped(&self, dt: f64, watched: &mut Vec<Watched>) -> Stepped {
        match self.options.integrator {
            Integrator::Implicit => self.step_implicit(dt, watched),
            Integrator::Symplectic => self.step_symplectic(dt),
            Integrator::Papers => self.step_as_papers(dt),
        }
    }

    /// Whether a step may be taken: then the energy account after it, and whether what it made is bearable.
    fn check(&self, stepped: &Stepped, dt: f64) -> Result<(EnergyWatch, bool), StepError> {
        let remedy = match self.options.integrator {
            Integrator::Implicit => "take smaller steps, or less stiffness",
            Integrator::Symplectic | Integrator::Papers => {
                "take smaller steps, less stiffness, or the implicit integrator"
            }
        };
        for (k, (body, of)) in self.bodies.iter().zip(&stepped.moves).enumerate() {
            let reach = body.shape.around().radius;
            let fastest = of.velocity.length() + of.rate.length() * reach;
            let quantity = if !of.pose.position.is_finite() || !of.pose.rotation.is_finite() {
                "its place is not a number"
            } else if !fastest.is_finite() {
                "its velocity is not a number"
            } else if fastest > self.options.top_speed {
                "it is faster than the top speed"
            } else {
                continue;
            };
            let remedy = if body.contact_force == Wrench::ZERO && stepped.forces[k] == Wrench::ZERO {
                "nothing touches it: look at its velocity and the forces on it, or raise the top speed"
            } else {
                remedy
            };
            return Err(StepError::Diverged {
                body: body.name.clone(),
                time: self.time + dt,
                quantity,
                remedy,
            });
        }
        let (energy, is_bearable, gained) = self.watch(stepped, dt);
        match gained {
            None => Ok((energy, is_bearable)),
            Some(k) => Err(StepError::Diverged {
                body: self.bodies[k].name.clone(),
                time: self.time + dt,
                quantity: "contacts have made more energy than there was",
                remedy,
            }),
        }
    }

    /// How far from what is touched contacts of a body are looked for.
    pub(super) fn margin(&self, on: Party, shell_of: usize) -> f64 {
        match on {
            Party::Body(j) => self.margin_of(&self.bodies[j]),
            Party::Surface(_) => self.margin_of(&self.bodies[shell_of]),
        }
    }

    pub(super) fn margin_of(&self, body: &Body) -> f64 {
        body.shape.field().map_or(1e-3 * body.shape.around().radius, |field| MARGIN * field.grid().cell)
    }
}

/// What a step comes to, whoever made it.
pub(super) struct Stepped {
    pub(super) moves: Vec<Moved>,
    /// Mean contact force over the step, on every body.
    pub(super) forces: Vec<Wrench>,
    pub(super) pressed: Pressed,
    pub(super) pairs: usize,
    pub(super) rounds: usize,
    pub(super) contact_seconds: f64,
}
