//! Cloth, obstacles, and a step.

use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;

use super::collide::Rules;
use super::obstacles::{Obstacle, ObstacleId, ObstacleOptions, Placed};
use super::self_collision::Keeping;
use super::sheets::{Sheets, are_several};
use super::wind::{Air, blow};
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
        let clock = Instant::now();
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
        let Self { options, cloths, obstacles, sheets, .. } = self;
        let h = dt / f64::from(options.substeps);
        let mut impulses = vec![Wrench::ZERO; obstacles.len()];
        let mut report = ClothReport::default();
        for cloth in cloths.iter_mut() {
            cloth.contacts.of_edges.begin_step();
            for pin in &mut cloth.pins {
                pin.from = cloth.places[pin.particle as usize];
            }
        }
        for substep in 0..options.substeps {
            let part = |k: u32| f64::from(k) / f64::from(options.substeps);
            let placed: Vec<Placed<'_>> = obstacles
                .iter()
                .enumerate()
                .map(|(k, of)| of.placed(k, of.pose_at(part(substep)), of.pose_at(part(substep + 1))))
                .collect();
            for cloth in cloths.iter_mut() {
                cloth.move_freely(options, (h, part(substep + 1)));
            }
            let clock = Instant::now();
            report.self_contacts = if are_several(cloths) {
                sheets.set_apart(cloths)
            } else {
                cloths.iter_mut().map(Cloth::set_itself_apart).sum()
            };
            report.self_collision_seconds += clock.elapsed().as_secs_f64();
            let clock = Instant::now();
            report.contacts =
                cloths.iter_mut().map(|cloth| cloth.be_kept_off(options, h, (&placed, &mut impulses))).sum();
            report.collision_seconds += clock.elapsed().as_secs_f64();
            cloths.iter_mut().for_each(|cloth| cloth.find_velocities(h));
        }
        if let Some((cloth, particle)) = self.diverged() {
            let cloth = self.cloths[cloth].name.clone();
            self.put_cloths_back(&before);
            return Err(ClothStepError::Diverged { cloth, particle, time: self.time + dt });
        }
        for (of, impulse) in self.obstacles.iter_mut().zip(impulses) {
            of.pose = of.target;
            of.impulse = impulse;
        }
        self.time += dt;
        report.time = self.time;
        report.seconds = clock.elapsed().as_secs_f64();
        Ok(report)
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

/// The parts of a substep.
impl Cloth {
    /// As air, gravity and what joins particles would have it.
    fn move_freely(&mut self, options: &ClothWorldOptions, (h, part): (f64, f64)) {
        if self.drag > 0.0
            && options.air_density > 0.0
            && let Some(mesh) = self.mesh().cloned()
        {
            let air = Air { velocity: options.wind, pressure: 0.5 * options.air_density * self.drag };
            blow(&air, mesh.triangles(), &self.places, &mut self.velocities, (&self.inverse_masses, h));
        }
        self.before.copy_from_slice(&self.places);
        self.anchors.copy_from_slice(&self.places);
        for ((place, velocity), &w) in
            self.places.iter_mut().zip(&mut self.velocities).zip(&self.inverse_masses)
        {
            if w > 0.0 {
                *velocity += options.gravity * h;
                *place += *velocity * h;
            }
        }
        for pin in &self.pins {
            self.places[pin.particle as usize] = pin.from.lerp(pin.to, part);
        }
        self.last_substep = h;
        self.strains.begin();
        self.bends.begin();
        self.links.begin();
        self.strand_bends.begin();
        for _ in 0..options.rounds {
            let (places, masses) = (&mut self.places, &self.inverse_masses);
            self.bends.round(places, masses, h);
            self.strand_bends.round(places, masses, h);
            self.strains.round(places, masses, h);
            self.links.round(places, masses, h);
        }
    }

    /// How many pairs were too near.
    fn set_itself_apart(&mut self) -> usize {
        let Some(thickness) = self.thickness else { return 0 };
        self.neighbours.update(&self.places, thickness);
        let keeping = Keeping { thickness, friction: self.self_friction, rest: &self.rest, sheets: None };
        self.neighbours.set_apart(&mut self.places, &self.anchors, &self.inverse_masses, &keeping)
    }

    /// How many particles and places on edges touched.
    fn be_kept_off(
        &mut self,
        options: &ClothWorldOptions,
        h: f64,
        (obstacles, impulses): (&[Placed<'_>], &mut [Wrench]),
    ) -> usize {
        let rules = Rules {
            epsilon: self.epsilon,
            method: options.method,
            friction: options.friction,
            push_out: options.push_out_speed * h,
            rest_way: 2.0 * options.gravity.length() * h * h,
        };
        self.keep_off(obstacles, &rules, (h, impulses))
    }

    fn find_velocities(&mut self, h: f64) {
        let kept = (-self.damping * h).exp();
        for (k, velocity) in self.velocities.iter_mut().enumerate() {
            *velocity = (self.places[k] - self.anchors[k]) / h;
            if self.inverse_masses[k] > 0.0 {
                *velocity *= kept;
            }
        }
    }
}
