//! Cloth, obstacles, and a step.

use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;

use super::free_bodies::{self, FreeBody};
use super::obstacles::{Obstacle, ObstacleId, ObstacleOptions};
use super::sheets::{Sheets, are_several};
use super::state::ClothState;
use super::substep::Way;
use super::{Cloth, ClothStepError, ClothWorldOptions, ObstacleError};
use crate::ccd::Touchable;
use crate::field::Field;
use crate::math::{Pose, Wrench};

/// A cloth's number in its world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct ClothId(usize);

impl ClothId {
    /// Counted from 0, in the order in which cloths were added.
    pub fn index(self) -> usize {
        self.0
    }
}

/// A step, summed up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ClothReport {
    /// Seconds since the start.
    pub time: f64,
    /// Particles, and places on edges, that touched an obstacle in the last substep.
    pub contacts: usize,
    /// Pairs of particles that were set apart in the last substep.
    pub self_contacts: usize,
    /// Wall-clock seconds of the whole step. Not part of the deterministic results, like the next two.
    pub seconds: f64,
    /// Of these, for obstacles.
    pub collision_seconds: f64,
    /// Of these, for cloth against itself.
    pub self_collision_seconds: f64,
}

/// A step that is being taken.
pub(crate) struct Stepping {
    dt: f64,
    /// How many are taken.
    substep: u32,
    before: Vec<ClothState>,
    /// On obstacles, about the origins of their frames.
    impulses: Vec<Wrench>,
    report: ClothReport,
    /// Whether there were more pairs than lists can be made for.
    is_crowded: bool,
    clock: Instant,
}

/// Cloth and what it falls on. [`ClothWorld::step`] is all it takes.
#[derive(Clone, Default)]
pub struct ClothWorld {
    options: ClothWorldOptions,
    pub(super) cloths: Vec<Cloth>,
    pub(super) obstacles: Vec<Obstacle>,
    pub(super) sheets: Sheets,
    pub(super) time: f64,
}

impl ClothWorld {
    /// Without cloth.
    pub fn new(options: ClothWorldOptions) -> Self {
        Self { options, ..Default::default() }
    }

    /// Adds cloth.
    pub fn add_cloth(&mut self, cloth: Cloth) -> ClothId {
        self.cloths.push(cloth);
        ClothId(self.cloths.len() - 1)
    }

    /// Adds a field as an obstacle.
    pub fn add_field(
        &mut self,
        field: Arc<Field>,
        options: ObstacleOptions,
    ) -> Result<ObstacleId, ObstacleError> {
        self.add(Obstacle::of_field(field, options)?)
    }

    /// Adds anything that can be touched and knows no end: a plane, a ball, a function.
    pub fn add_surface(
        &mut self,
        surface: Arc<dyn Touchable + Send + Sync>,
        options: ObstacleOptions,
    ) -> Result<ObstacleId, ObstacleError> {
        self.add(Obstacle::new(surface, None, options)?)
    }

    /// Adds an obstacle of another world, as it is there.
    pub fn adopt(&mut self, obstacle: Obstacle) -> ObstacleId {
        self.obstacles.push(obstacle);
        self.forget_distances();
        ObstacleId(self.obstacles.len() - 1)
    }

    fn add(&mut self, obstacle: Obstacle) -> Result<ObstacleId, ObstacleError> {
        Ok(self.adopt(obstacle))
    }

    fn forget_distances(&mut self) {
        for cloth in &mut self.cloths {
            cloth.contacts.forget();
        }
    }

    /// How it steps.
    pub fn options(&self) -> &ClothWorldOptions {
        &self.options
    }

    /// How it steps, to be changed: wind that turns, say.
    pub fn options_mut(&mut self) -> &mut ClothWorldOptions {
        &mut self.options
    }

    /// All cloths, in the order in which they were added.
    pub fn cloths(&self) -> &[Cloth] {
        &self.cloths
    }

    /// One cloth.
    pub fn cloth(&self, id: ClothId) -> &Cloth {
        &self.cloths[id.0]
    }

    /// The same, to pin and lead it.
    pub fn cloth_mut(&mut self, id: ClothId) -> &mut Cloth {
        &mut self.cloths[id.0]
    }

    /// All obstacles, in the order in which they were added.
    pub fn obstacles(&self) -> &[Obstacle] {
        &self.obstacles
    }

    /// One obstacle.
    pub fn obstacle(&self, id: ObstacleId) -> &Obstacle {
        &self.obstacles[id.0]
    }

    /// The number of the obstacle of that name, the first one if there are several.
    pub fn obstacle_named(&self, name: &str) -> Option<ObstacleId> {
        self.obstacles.iter().position(|of| of.name == name).map(ObstacleId)
    }

    /// Seconds since the start.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Leads an obstacle somewhere: it is there at the end of the next step, on a straight way and turning evenly.
    pub fn move_obstacle(&mut self, id: ObstacleId, pose: Pose) {
        self.obstacles[id.0].target = Pose { rotation: pose.rotation.normalize(), ..pose };
    }

    /// Puts an obstacle elsewhere at once. Cloth that is inside it then is pushed out gently.
    pub fn put_obstacle(&mut self, id: ObstacleId, pose: Pose) {
        let pose = Pose { rotation: pose.rotation.normalize(), ..pose };
        self.obstacles[id.0].pose = pose;
        self.obstacles[id.0].target = pose;
        self.forget_distances();
    }

    /// Changes the friction on an obstacle.
    pub fn set_friction(&mut self, id: ObstacleId, friction: f64) -> Result<(), ObstacleError> {
        let is_good = friction.is_finite() && friction >= 0.0;
        let of = &mut self.obstacles[id.0];
        if !is_good {
            let (obstacle, quantity) = (of.name.clone(), "friction");
            let wanted = "a finite number, 0 or more";
            return Err(ObstacleError::BadNumber { obstacle, quantity, value: friction, wanted });
        }
        of.friction = friction;
        Ok(())
    }

    /// How deep the deepest free particle or middle of an edge with a free end is below a surface, m; 0 or less where none is.
    pub fn penetration(&self) -> f64 {
        let inverses: Vec<Pose> = self.obstacles.iter().map(|of| of.pose.inverse()).collect();
        let depth = |p: DVec3| {
            let of = self.obstacles.iter().zip(&inverses);
            of.map(|(of, inverse)| -of.shape.value(inverse.place(p)))
                .filter(|d| !d.is_nan())
                .fold(f64::NEG_INFINITY, f64::max)
        };
        let of_cloth = |cloth: &Cloth| {
            let is_free = |i: usize| cloth.inverse_masses[i] > 0.0;
            let particles = (0..cloth.places.len()).filter(|&i| is_free(i)).map(|i| depth(cloth.places[i]));
            let edges = cloth.edges().filter(|&[a, b]| is_free(a) || is_free(b));
            let middles = edges.map(|[a, b]| depth(0.5 * (cloth.places[a] + cloth.places[b])));
            particles.chain(middles).fold(f64::NEG_INFINITY, f64::max)
        };
        self.cloths.iter().map(of_cloth).fold(f64::NEG_INFINITY, f64::max)
    }

    /// J: of all cloth, kinetic, potential and elastic.
    pub fn energy(&self) -> f64 {
        let of = |cloth: &Cloth| {
            cloth.kinetic_energy() + cloth.elastic_energy() + cloth.potential_energy(self.options.gravity)
        };
        self.cloths.iter().map(of).sum()
    }

    /// A step of `dt` seconds, in [`ClothWorldOptions::substeps`] parts. On an error nothing has changed: cloth is where it was, and pins and obstacles are still to be led where they were to be; only
    /// [`Cloth::carried_energy`] is that of the step that failed.
    pub fn step(&mut self, dt: f64) -> Result<ClothReport, ClothStepError> {
        self.step_watched(dt, |_, _| ())
    }

    /// The same, with a look at all cloth, and at how obstacles went, after each substep.
    pub(crate) fn step_watched(
        &mut self,
        dt: f64,
        mut look: impl FnMut(&[Cloth], &[Way]),
    ) -> Result<ClothReport, ClothStepError> {
        let mut stepping = self.begin(dt)?;
        for substep in 0..self.options.substeps {
            let part = |k: u32| f64::from(k) / f64::from(self.options.substeps);
            let way =
                |of: &Obstacle| Way { from: of.pose_at(part(substep)), to: of.pose_at(part(substep + 1)) };
            let ways: Vec<Way> = self.obstacles.iter().map(way).collect();
            self.advance(&mut stepping, &ways, &mut []);
            look(&self.cloths, &ways);
        }
        self.finish(stepping)
    }

    /// Begins a step that is taken substep by substep, [`ClothWorld::advance`], and ends with [`ClothWorld::finish`].
    pub(crate) fn begin(&mut self, dt: f64) -> Result<Stepping, ClothStepError> {
        let is_forward = dt > 0.0 && dt.is_finite();
        if !is_forward {
            return Err(ClothStepError::BadStep { dt });
        }
        for (quantity, count) in [("substeps", self.options.substeps), ("rounds", self.options.rounds)] {
            if count == 0 {
                return Err(ClothStepError::NoRounds { quantity });
            }
        }
        // That it diverges is known only when it has. Copied once a step, which has many rounds.
        let before = self.states_of_cloths();
        for cloth in &mut self.cloths {
            cloth.contacts.begin_step();
            for pin in &mut cloth.pins {
                pin.from = cloth.places[pin.particle as usize];
            }
        }
        let impulses = vec![Wrench::ZERO; self.obstacles.len()];
        Ok(Stepping {
            dt,
            substep: 0,
            before,
            impulses,
            report: ClothReport::default(),
            is_crowded: false,
            clock: Instant::now(),
        })
    }

    /// A substep, while obstacles go their ways. Those of `free` give way; how they went is left in them.
    pub(crate) fn advance(&mut self, stepping: &mut Stepping, ways: &[Way], free: &mut [FreeBody]) {
        let Self { options, cloths, obstacles, sheets, .. } = self;
        let h = stepping.dt / f64::from(options.substeps);
        stepping.substep += 1;
        let part = f64::from(stepping.substep) / f64::from(options.substeps);
        let report = &mut stepping.report;
        for cloth in cloths.iter_mut() {
            cloth.move_freely(options, (h, part));
        }
        let clock = Instant::now();
        let push_out = options.push_out_speed * h;
        let set_apart = if stepping.is_crowded {
            Ok(0)
        } else if are_several(cloths) {
            sheets.set_apart(cloths, push_out)
        } else {
            cloths.iter_mut().map(|cloth| cloth.set_itself_apart(push_out)).sum()
        };
        // The step is refused at its end.
        stepping.is_crowded |= set_apart.is_err();
        report.self_contacts = set_apart.unwrap_or_default();
        report.self_collision_seconds += clock.elapsed().as_secs_f64();
        let clock = Instant::now();
        let impulses;
        (report.contacts, impulses) = free_bodies::keep_off(cloths, free, (obstacles, ways), (options, h));
        for (sum, impulse) in stepping.impulses.iter_mut().zip(impulses) {
            *sum += impulse;
        }
        report.collision_seconds += clock.elapsed().as_secs_f64();
        // What is inside something is carried with it, and what a hand holds with the hand.
        let led =
            || ways.iter().zip(obstacles.iter()).map(|(way, of)| way.fastest(of) / h).fold(0.0, f64::max);
        for cloth in cloths.iter_mut() {
            let limit = cloth
                .look_whether_let_out()
                .then(|| options.push_out_speed + led().max(cloth.fastest_pin(h)));
            cloth.contacts.settle();
            cloth.find_velocities(h, limit);
        }
    }

    /// Ends a step whose substeps are all taken, with obstacles where they were to be led.
    pub(crate) fn finish(&mut self, stepping: Stepping) -> Result<ClothReport, ClothStepError> {
        if let Some((cloth, particle)) = self.diverged() {
            let (cloth, time) = (self.cloths[cloth].name.clone(), self.time + stepping.dt);
            self.abandon(&stepping);
            return Err(ClothStepError::Diverged { cloth, particle, time });
        }
        if stepping.is_crowded {
            self.abandon(&stepping);
            let all = self.cloths.iter().filter_map(|of| Some((of.name.clone(), of.thickness?)));
            let thickest = all.max_by(|(_, a), (_, b)| a.total_cmp(b));
            let (cloth, thickness) = thickest.unwrap_or_default();
            return Err(ClothStepError::Crowded { cloth, thickness });
        }
        for (of, impulse) in self.obstacles.iter_mut().zip(stepping.impulses) {
            of.pose = of.target;
            of.impulse = impulse;
        }
        self.time += stepping.dt;
        let seconds = stepping.clock.elapsed().as_secs_f64();
        Ok(ClothReport { time: self.time, seconds, ..stepping.report })
    }

    /// Puts back what was before a step that is not to be.
    pub(crate) fn abandon(&mut self, stepping: &Stepping) {
        self.put_cloths_back(&stepping.before);
    }

    /// The first cloth with a particle that is nowhere or too fast, and that particle.
    fn diverged(&self) -> Option<(usize, usize)> {
        let is_wrong = |(x, v): (&DVec3, &DVec3)| {
            // Written so that NaN is found.
            let is_right = x.is_finite() && v.length() <= self.options.top_speed;
            !is_right
        };
        self.cloths.iter().enumerate().find_map(|(k, cloth)| {
            let particle = cloth.places.iter().zip(&cloth.velocities).position(is_wrong)?;
            Some((k, particle))
        })
    }
}
