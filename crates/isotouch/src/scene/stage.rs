//! Bodies and cloth together.

use std::collections::BTreeSet;
use std::sync::Arc;

use glam::DVec3;

use super::body::SceneBody;
use super::cloth::SceneHandle;
use super::error::SceneError;
use super::parse::Scene;
use crate::ccd::{Segment, Touchable};
use crate::cloth::{
    Cloth, ClothError, ClothId, ClothReport, ClothStepError, ClothWorld, FreeBody, Handle, ObstacleId,
    ObstacleOptions, Way,
};
use crate::dynamics::{Body, BodyKind, StepError, StepReport, World, WorldState};
use crate::math::{Aabb, Pose, Twist, Wrench};
use crate::numbers::significant;

/// A world of bodies and a world of cloth that touch each other: bodies with fields are obstacles to cloth, and give way to it.
///
/// Where cloth and bodies that forces move may touch within a step, both are stepped together, substep by substep of cloth: bodies first, with all that they touch beside cloth; then cloth, on the way that each body went; and
/// cloth and bodies are kept off each other with the masses that both have (`cloth::free_bodies`). What cloth did to a body in a substep the next substep of bodies knows. Exchanging momentum once in a whole step is
/// rejected: a force that is late by 10 ms makes energy, and throws bodies lighter than the cloth that lies on them. So is to move bodies in the substeps of cloth by themselves and to tell their world at
/// the end: what lies between cloth and the ground would be pressed into the ground for a whole step.
///
/// Where they do not touch, bodies take the step at once, and cloth after them. That costs nothing more than both alone. Where wind, say, takes cloth to a body within such a step, it is taken back, and both step together.
pub struct Stage {
    /// The bodies.
    pub bodies: World,
    /// The cloth.
    pub cloth: ClothWorld,
    /// Which obstacle a body is.
    obstacles: Vec<Option<ObstacleId>>,
    /// A point within each body, in its frame.
    witnesses: Vec<Option<DVec3>>,
    doubts: Doubts,
    notes: Vec<String>,
    /// Hands that lead cloth. What they do depends on the time alone, so that a stage that is put back goes on as it would have.
    hands: Vec<(ClothId, Handle, SceneHandle)>,
}

/// A body that went through cloth: it was smaller than the gaps between particles, or stretched them until it was.
#[derive(Debug, Clone, PartialEq)]
pub struct Passage {
    /// Its name.
    pub body: String,
    /// The cloth's name.
    pub cloth: String,
    /// When, s.
    pub time: f64,
}

/// What cloth did since a stage was made that is not to be believed. What is kept of a stage to go on from later is the state of its bodies and of its cloth, and this.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Doubts {
    /// Bodies that went through cloth, each pair once.
    pub passages: Vec<Passage>,
    /// How much longer than at rest the most stretched place of each cloth was at the end of any step, as a part.
    pub largest_stretches: Vec<f64>,
}

/// Why a step of both was not taken.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum StageError {
    /// Of bodies.
    #[error(transparent)]
    Bodies(#[from] StepError),
    /// Of cloth.
    #[error(transparent)]
    Cloth(#[from] ClothStepError),
}

impl Stage {
    /// A step of `dt` seconds. On an error nothing has changed, of bodies nor of cloth.
    pub fn step(&mut self, dt: f64) -> Result<(StepReport, ClothReport), StageError> {
        // Bodies have moved when cloth finds that it cannot.
        let (before, told) = (self.bodies.state(), self.doubts.passages.len());
        self.lead_hands(dt);
        let stepped = if self.may_touch(dt) { self.step_together(dt) } else { self.step_apart(dt, &before) };
        if stepped.is_err() {
            // The same bodies as a moment ago.
            let _ = self.bodies.restore(&before);
            self.doubts.passages.truncate(told);
        }
        for (most, cloth) in self.doubts.largest_stretches.iter_mut().zip(self.cloth.cloths()) {
            *most = most.max(cloth.largest_stretch());
        }
        stepped
    }

    /// Leads pins to where they are at the end of the next step.
    fn lead_hands(&mut self, dt: f64) {
        let end = self.cloth.time() + dt;
        for (id, handle, script) in &self.hands {
            // Its particles are pinned as long as it is there.
            let _ = handle.lead(self.cloth.cloth_mut(*id), Pose::at(script.way(end)));
        }
    }

    /// Which bodies went through which cloth since it was made, each pair once.
    pub fn passages(&self) -> &[Passage] {
        &self.doubts.passages
    }

    /// How much longer than at rest the most stretched place of each cloth was at the end of any step since it was made, as a part.
    pub fn largest_stretches(&self) -> &[f64] {
        &self.doubts.largest_stretches
    }

    /// Both, to be kept with the states of bodies and cloth.
    pub fn doubts(&self) -> &Doubts {
        &self.doubts
    }

    /// Puts back what [`Stage::doubts`] gave, in a stage of the same bodies and cloth.
    pub fn recall_doubts(&mut self, doubts: &Doubts) {
        self.doubts.passages.clone_from(&doubts.passages);
        for (most, &kept) in self.doubts.largest_stretches.iter_mut().zip(&doubts.largest_stretches) {
            *most = kept;
        }
    }

    /// What there is to tell of how it was made: nothing, mostly.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Whether cloth may touch a body that forces move within a step, as far as can be told before it.
    fn may_touch(&self, dt: f64) -> bool {
        let gravity = self.cloth.options().gravity.length();
        let fastest = |cloth: &Cloth| cloth.velocities().iter().map(|v| v.length()).fold(0.0, f64::max);
        let reach = |cloth: &Cloth| {
            // Hands that begin to move are not yet fast.
            let bounds = Aabb::of_points(cloth.places().iter().copied().chain(cloth.led_to()));
            (bounds, fastest(cloth) * dt + cloth.epsilon())
        };
        let cloths: Vec<(Aabb, f64)> = self.cloth.cloths().iter().map(reach).collect();
        let is_near = |body: &Body| {
            let (around, twist) = (body.shape().around(), body.twist());
            let arm = around.center.length() + around.radius;
            // As fast as now, and faster by gravity, of both; and by half of the body for what else may come. What touches all the same, led by wind, springs or other bodies, is found after the step.
            let way = (twist.linear.length() + twist.angular.length() * arm + 2.0 * gravity * dt) * dt;
            let reach = 1.5 * around.radius + way;
            let center = body.pose().place(around.center);
            cloths.iter().any(|(bounds, way)| bounds.distance_squared(center).sqrt() <= reach + way)
        };
        self.givers().any(|(body, _)| is_near(body))
    }

    /// Bodies that give way to cloth, and what they are to it.
    fn givers(&self) -> impl Iterator<Item = (&Body, ObstacleId)> {
        let all = self.bodies.bodies().iter().zip(&self.obstacles);
        all.filter_map(|(body, id)| (body.kind() == BodyKind::Dynamic).then_some((body, (*id)?)))
    }

    /// Both by themselves. If cloth did come to a body that gives way, which in this step did not, it counts for nothing and both step together.
    fn step_apart(&mut self, dt: f64, before: &WorldState) -> Result<(StepReport, ClothReport), StageError> {
        let cloth = self.givers().next().is_some().then(|| self.cloth.state());
        let (from, told): (Vec<DVec3>, usize) = (self.centers().collect(), self.doubts.passages.len());
        let stepped = self.step_in_turn(dt)?;
        let Some(cloth) = cloth.filter(|_| self.has_touched() || self.came_near(&from)) else {
            return Ok(stepped);
        };
        // The same bodies and cloth as a moment ago.
        let _ = self.bodies.restore(before);
        let _ = self.cloth.restore(&cloth);
        self.doubts.passages.truncate(told);
        self.lead_hands(dt);
        self.step_together(dt)
    }

    /// Whether cloth touched a body that gives way in the last step.
    fn has_touched(&self) -> bool {
        self.givers().any(|(_, id)| self.cloth.obstacle(id).impulse() != Wrench::ZERO)
    }

    /// Middles of bodies that give way to cloth.
    fn centers(&self) -> impl Iterator<Item = DVec3> {
        self.givers().map(|(body, _)| body.pose().place(body.shape().around().center))
    }

    /// Whether one of them, which were there before the step, came near to cloth in it. What a force or another body pushed is not foreseen, and pinned particles feel nothing.
    fn came_near(&self, from: &[DVec3]) -> bool {
        let near = |cloth: &Cloth| Aabb::of_points(cloth.places().iter().copied()).expanded(cloth.epsilon());
        let near: Vec<Aabb> = self.cloth.cloths().iter().map(near).collect();
        let ways = from.iter().zip(self.centers()).zip(self.givers());
        ways.map(|((&from, to), (body, _))| (Segment::new(from, to), body.shape().around().radius)).any(
            |(way, radius)| {
                near.iter().any(|bounds| {
                    // Of the whole way, as far as the nearest place of its middle may be from that of any other.
                    let middle = 0.5 * (way.from + way.to);
                    let reach = radius + 0.5 * way.from.distance(way.to);
                    bounds.distance_squared(middle) <= reach * reach
                })
            },
        )
    }

    /// Bodies, then cloth.
    fn step_in_turn(&mut self, dt: f64) -> Result<(StepReport, ClothReport), StageError> {
        let of_bodies = self.bodies.step(dt)?;
        self.lead_obstacles();
        let mut passages = std::mem::take(&mut self.doubts.passages);
        let (time, bodies) = (self.bodies.time(), &self.watched());
        let of_cloth = self.cloth.step_watched(dt, |cloths, ways| {
            look_for_passages((cloths, ways), bodies, time, &mut passages);
        });
        self.doubts.passages = passages;
        Ok((of_bodies, of_cloth?))
    }

    /// Bodies that are obstacles to cloth, with a point within each.
    fn watched(&self) -> Vec<Watched> {
        let all = self.bodies.bodies().iter().zip(&self.obstacles).zip(&self.witnesses);
        let of = |((body, id), witness): ((&Body, &Option<ObstacleId>), &Option<DVec3>)| {
            let (obstacle, witness) = ((*id)?, (*witness)?);
            Some(Watched { name: body.name().to_owned(), obstacle, witness })
        };
        all.filter_map(of).collect()
    }

    fn lead_obstacles(&mut self) {
        for (body, id) in self.bodies.bodies().iter().zip(&self.obstacles) {
            if let Some(id) = id {
                self.cloth.move_obstacle(*id, body.pose());
            }
        }
    }

    /// Both, substep by substep.
    fn step_together(&mut self, dt: f64) -> Result<(StepReport, ClothReport), StageError> {
        let clock = (self.bodies.time() + dt, self.bodies.steps_taken() + 1);
        let mut stepping = self.cloth.begin(dt)?;
        let substeps = self.cloth.options().substeps;
        let mut ways: Vec<Way> =
            self.cloth.obstacles().iter().map(|of| Way { from: of.pose(), to: of.pose() }).collect();
        let mut free = self.free_bodies();
        let watched = self.watched();
        let mut sum = StepReport::default();
        for _ in 0..substeps {
            let report = match self.bodies.step(dt / f64::from(substeps)) {
                Ok(report) => report,
                Err(error) => {
                    self.cloth.abandon(&stepping);
                    return Err(error.into());
                }
            };
            sum = sum.followed_by(&report);
            for (body, id) in self.bodies.bodies().iter().zip(&self.obstacles) {
                if let Some(id) = id {
                    let way = &mut ways[id.index()];
                    *way = Way { from: way.to, to: body.pose() };
                }
            }
            for (k, body) in &mut free {
                let of = &self.bodies.bodies()[*k];
                if let Some((_, inertia)) = of.center_and_inertia() {
                    body.inertia = inertia;
                }
                let way = ways[body.obstacle.index()];
                (body.from, body.to) = (way.from, way.to);
            }
            let mut bodies: Vec<FreeBody> = free.iter().map(|(_, body)| body.clone()).collect();
            self.cloth.advance(&mut stepping, &ways, &mut bodies);
            for ((k, body), moved) in free.iter_mut().zip(bodies) {
                *body = moved;
                ways[body.obstacle.index()].to = body.to;
                self.bodies.give_way(*k, body.to, body.impulse);
            }
            look_for_passages((self.cloth.cloths(), &ways), &watched, clock.0, &mut self.doubts.passages);
        }
        self.bodies.count_as_one(clock);
        self.lead_obstacles();
        let of_cloth = self.cloth.finish(stepping)?;
        Ok((told(sum, &self.bodies.report()), of_cloth))
    }

    /// Bodies that give way, with their numbers.
    fn free_bodies(&self) -> Vec<(usize, FreeBody)> {
        let of = |(k, (body, id)): (usize, (&Body, &Option<ObstacleId>))| {
            let ((center, inertia), obstacle) = (body.center_and_inertia()?, (*id)?);
            let around = body.shape().around();
            Some((
                k,
                FreeBody {
                    obstacle,
                    mass: body.mass(),
                    inertia,
                    center,
                    reach: around.center.distance(center) + around.radius,
                    from: body.pose(),
                    to: body.pose(),
                    change: Twist::ZERO,
                    impulse: Wrench::ZERO,
                },
            ))
        };
        self.bodies.bodies().iter().zip(&self.obstacles).enumerate().filter_map(of).collect()
    }
}

/// A body that may go through cloth.
struct Watched {
    name: String,
    obstacle: ObstacleId,
    /// In its frame.
    witness: DVec3,
}

/// Adds the bodies that went through cloth in the last substep, each pair once.
fn look_for_passages(
    (cloths, ways): (&[Cloth], &[Way]),
    bodies: &[Watched],
    time: f64,
    told: &mut Vec<Passage>,
) {
    for body in bodies {
        let way = ways[body.obstacle.index()];
        let (from, to) = (way.from.place(body.witness), way.to.place(body.witness));
        for cloth in cloths {
            let is_told = |of: &Passage| of.body == body.name && of.cloth == cloth.name();
            if !told.iter().any(is_told) && cloth.is_passed(from, to) {
                let (body, cloth) = (body.name.clone(), cloth.name().to_owned());
                told.push(Passage { body, cloth, time });
            }
        }
    }
}

/// A point within a body, in its frame: its centre of mass, or its middle, or where that is outside, as of rings, a place below its surface.
fn within(body: &Body) -> Option<DVec3> {
    // What is led may have no mass.
    let middle = body.shape().around().center;
    let center = body.center_and_inertia().map_or(middle, |(center, _)| center);
    let field = body.shape().field()?;
    if field.value(center) < 0.0 {
        return Some(center);
    }
    let below = |&p: &DVec3| {
        let inward = -field.gradient(p)?.try_normalize()?;
        Some(p + inward * field.grid().cell)
    };
    let mut places = body.shape().mesh()?.vertices().iter().filter_map(below);
    places.find(|&p| field.value(p) < 0.0)
}

/// The same with time, energies and momenta as they are at its end.
fn told(sum: StepReport, end: &StepReport) -> StepReport {
    StepReport {
        time: end.time,
        step: end.step,
        kinetic_energy: end.kinetic_energy,
        potential_energy: end.potential_energy,
        momentum: end.momentum,
        angular_momentum: end.angular_momentum,
        ..sum
    }
}

impl Scene {
    /// Bodies and cloth of the scene, with bodies as they are in `bodies`, which is made of it ([`Scene::world`], [`Scene::world_with`]).
    pub fn stage(&self, bodies: World) -> Result<Stage, SceneError> {
        let mut cloth = ClothWorld::new(self.cloth_options);
        let mut obstacles = Vec::with_capacity(self.bodies.len());
        for (body, of) in bodies.bodies().iter().zip(&self.bodies) {
            let Some(field) = body.shape().shared_field() else {
                obstacles.push(None);
                continue;
            };
            let options = ObstacleOptions {
                name: body.name().to_owned(),
                pose: body.pose(),
                friction: body.material().kinetic_friction,
                bounce: 0.0,
            };
            let id = cloth.add_field(field, options).map_err(|error| SceneError::Cloth {
                place: of.place.clone(),
                cloth: body.name().to_owned(),
                source: error.into(),
            })?;
            obstacles.push(Some(id));
        }
        for surface in &self.surfaces {
            let options = ObstacleOptions {
                name: surface.name.clone(),
                friction: surface.material.kinetic_friction,
                ..Default::default()
            };
            cloth.add_surface(Arc::from(surface.shape.touchable()), options).map_err(|error| {
                SceneError::Cloth {
                    place: surface.place.clone(),
                    cloth: surface.name.clone(),
                    source: error.into(),
                }
            })?;
        }
        let mut hands = Vec::new();
        for of in &self.cloth {
            let mut made = of.make().map_err(|source| of.failure(source))?;
            let mut handles = Vec::with_capacity(of.handles.len());
            let mut led = BTreeSet::new();
            for script in &of.handles {
                let held: Result<Vec<usize>, ClothError> =
                    script.particles.iter().map(|&number| made.particle(number)).collect();
                if let Ok(held) = &held {
                    of.check_handle(script, held, &mut led)?;
                }
                let grip = held.and_then(|held| Handle::grip(&mut made.cloth, &held, Pose::IDENTITY));
                handles.push(grip.map_err(|source| SceneError::Cloth {
                    place: script.place.clone(),
                    cloth: of.options.name.clone(),
                    source: source.into(),
                })?);
            }
            let id = cloth.add_cloth(made.cloth);
            hands.extend(
                handles.into_iter().zip(&of.handles).map(|(handle, script)| (id, handle, script.clone())),
            );
        }
        let witnesses = bodies.bodies().iter().map(within).collect();
        let notes = self.coarse_fields(&bodies, &cloth);
        Ok(Stage {
            bodies,
            cloth,
            obstacles,
            witnesses,
            doubts: Doubts { passages: Vec::new(), largest_stretches: vec![0.0; self.cloth.len()] },
            notes,
            hands,
        })
    }

    /// What there is to tell of fields that are coarse where cloth lies on them.
    fn coarse_fields(&self, bodies: &World, cloth: &ClothWorld) -> Vec<String> {
        let Some(thickest) = cloth.cloths().iter().max_by(|a, b| a.epsilon().total_cmp(&b.epsilon())) else {
            return Vec::new();
        };
        let epsilon = thickest.epsilon();
        let note = |(body, of): (&Body, &SceneBody)| {
            let field = body.shape().field().filter(|field| !field.is_fine_at(epsilon))?;
            let needed = (epsilon / field.grid().cell).ceil() + 2.0;
            Some(format!(
                "{}: the cloth '{}' is kept {} mm off '{}', where its field is coarse; give the shape band = {needed}",
                of.place,
                thickest.name(),
                significant(1e3 * epsilon, 3),
                body.name()
            ))
        };
        bodies.bodies().iter().zip(&self.bodies).filter_map(note).collect()
    }
}
