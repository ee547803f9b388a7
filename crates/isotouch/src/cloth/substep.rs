//! The parts of a substep, and how obstacles go in it.

use super::collide::Rules;
use super::obstacles::{Obstacle, Placed};
use super::self_collision::{Crowded, Keeping};
use super::wind::{Air, blow};
use super::{Cloth, ClothWorldOptions};
use crate::math::{Pose, Wrench};

/// How an obstacle goes in a substep: straight on, turning evenly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Way {
    pub(crate) from: Pose,
    pub(crate) to: Pose,
}

/// Obstacles on their ways.
pub(super) fn placed<'a>(obstacles: &'a [Obstacle], ways: &[Way]) -> Vec<Placed<'a>> {
    obstacles.iter().zip(ways).enumerate().map(|(k, (of, way))| of.placed(k, way.from, way.to)).collect()
}

impl Way {
    /// How far any point of an obstacle goes, m.
    pub(super) fn fastest(&self, of: &Obstacle) -> f64 {
        of.placed(0, self.from, self.to).drift(of.reach())
    }
}

/// Cloth that was let out of something may fly again once it is stretched by no more than this. More flings it; less holds back soft cloth that hangs.
const STRETCHED: f64 = 0.1;

/// The parts of a substep.
impl Cloth {
    /// As air, gravity and what joins particles would have it.
    pub(super) fn move_freely(&mut self, options: &ClothWorldOptions, (h, part): (f64, f64)) {
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

    /// How many pairs were too near. Those that were before are set apart by `push_out`.
    pub(super) fn set_itself_apart(&mut self, push_out: f64) -> Result<usize, Crowded> {
        let Some(thickness) = self.thickness else { return Ok(0) };
        self.neighbours.update(&self.places, (thickness, None))?;
        let (friction, rest) = (self.self_friction, &self.rest[..]);
        let keeping = Keeping { thickness, friction, push_out, rest, sheets: None };
        Ok(self.neighbours.set_apart(&mut self.places, &self.anchors, &self.inverse_masses, &keeping))
    }

    /// How many particles and places on edges touched.
    pub(super) fn be_kept_off(
        &mut self,
        options: &ClothWorldOptions,
        h: f64,
        (obstacles, impulses): (&[Placed<'_>], &mut [Wrench]),
    ) -> usize {
        self.keep_off(obstacles, &self.rules(options, h), (h, impulses))
    }

    /// How it is kept off obstacles.
    pub(super) fn rules(&self, options: &ClothWorldOptions, h: f64) -> Rules {
        Rules {
            epsilon: self.epsilon,
            method: options.method,
            friction: options.friction,
            push_out: options.push_out_speed * h,
            rest_way: 2.0 * options.gravity.length() * h * h,
        }
    }

    /// Whether any of it began the substep inside something, or did before and stretched it since.
    pub(super) fn look_whether_let_out(&mut self) -> bool {
        let is_inside = |(&phi, &w): (&f64, &f64)| phi < 0.0 && w > 0.0;
        self.is_let_out = self.contacts.clearance.iter().zip(&self.inverse_masses).any(is_inside)
            || (self.is_let_out && self.largest_stretch() > STRETCHED);
        self.is_let_out
    }

    /// m/s.
    pub(super) fn fastest_pin(&self, h: f64) -> f64 {
        let way = |pin: &super::particles::Pin| {
            let k = pin.particle as usize;
            self.places[k].distance(self.before[k])
        };
        self.pins.iter().map(way).fold(0.0, f64::max) / h
    }

    /// Of all particles. With a limit none becomes faster than that, or than it would be freely: while a part of the cloth is let out of something, the rest is stretched towards it, and would be flung.
    pub(super) fn find_velocities(&mut self, h: f64, limit: Option<f64>) {
        let kept = (-self.damping * h).exp();
        for (k, velocity) in self.velocities.iter_mut().enumerate() {
            let free = velocity.length();
            *velocity = (self.places[k] - self.anchors[k]) / h;
            if self.inverse_masses[k] > 0.0 {
                *velocity *= kept;
                if let Some(limit) = limit {
                    *velocity = velocity.clamp_length_max(free.max(limit));
                }
            }
        }
    }
}
