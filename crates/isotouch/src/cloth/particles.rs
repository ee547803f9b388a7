//! Cloth: particles, what joins them, and what holds them.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use super::ClothError;
use super::colours::{Coloured, Solver};
use super::constraints::{Bend, Link, Strain};
use super::keep_off::Contacts;
use super::options::{ClothOptions, EdgeTest, LEAST, StrandOptions, check};
use super::self_collision::Neighbours;
use super::topology::{Edge, Topology};
use crate::math::Pose;
use crate::mesh::TriMesh;

/// A sheet, a garment, or strands of hair: particles and what joins them.
///
/// ```
/// use isotouch::cloth::{Cloth, ClothOptions, garments};
///
/// let sheet = garments::sheet([1.0, 1.0], [20, 20])?;
/// let cloth = Cloth::from_mesh(&sheet, &ClothOptions { pins: vec![0, 20], ..Default::default() })?;
/// assert_eq!(cloth.places().len(), 21 * 21);
/// // A quarter of the longest edge, the diagonal of a square.
/// assert!((cloth.epsilon() - 0.25 * 0.05 * 2f64.sqrt()).abs() < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct Cloth {
    pub(super) name: String,
    mesh: Option<Arc<TriMesh>>,
    strands: Vec<Range<usize>>,
    pub(super) rest: Vec<DVec3>,
    pub(super) places: Vec<DVec3>,
    /// At the beginning of the substep.
    pub(super) before: Vec<DVec3>,
    /// Where they seem to come from: velocities are (place − anchor)/h.
    pub(super) anchors: Vec<DVec3>,
    pub(super) velocities: Vec<DVec3>,
    /// Whether a part of it is being pushed out of something.
    pub(super) is_let_out: bool,
    pub(super) masses: Vec<f64>,
    pub(super) inverse_masses: Vec<f64>,
    /// By their particles, in order.
    pub(super) pins: Vec<Pin>,
    pub(super) strains: Solver<3, Strain>,
    pub(super) bends: Solver<4, Bend<4>>,
    pub(super) links: Solver<2, Link>,
    pub(super) strand_bends: Solver<3, Bend<3>>,
    pub(super) edges: Coloured<Edge>,
    pub(super) contacts: Contacts,
    pub(super) neighbours: Neighbours,
    pub(super) epsilon: f64,
    pub(super) edge_test: EdgeTest,
    /// `None` where it is not kept off itself.
    pub(super) thickness: Option<f64>,
    pub(super) self_friction: f64,
    pub(super) damping: f64,
    pub(super) drag: f64,
    /// How long the last substep was, s; 0 before the first.
    pub(super) last_substep: f64,
}

/// A particle that is held, and where it is led in the next step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Pin {
    pub(super) particle: u32,
    pub(super) from: DVec3,
    pub(super) to: DVec3,
}

/// The usual thickness, in gaps between particles. With just one, a particle fits through the middle of a square, and sheets that are aligned fell through each other; stretched cloth has larger gaps.
const SPARE: f64 = 1.25;

/// Cloth that is held off farther than it is large is a typing error, of metres for millimetres say.
pub(crate) fn no_more_than_its_size(
    cloth: &str,
    (quantity, value): (&'static str, f64),
    places: &[DVec3],
) -> Result<(), ClothError> {
    let (low, high) = places.iter().fold((DVec3::MAX, DVec3::MIN), |(a, b), &p| (a.min(p), b.max(p)));
    if value <= (high - low).length() {
        return Ok(());
    }
    let wanted = "in metres, and no more than the cloth is large";
    Err(ClothError::BadNumber { cloth: cloth.to_owned(), quantity, value, wanted })
}

impl Cloth {
    /// Cloth in the shape of a mesh, which is its shape at rest. Vertices that no triangle uses stay where they are.
    pub fn from_mesh(mesh: &TriMesh, options: &ClothOptions) -> Result<Self, ClothError> {
        let name = options.name.clone();
        let fabric = &options.fabric;
        check(&name, "density", fabric.density, LEAST)?;
        check(&name, "stretch", fabric.stretch, LEAST)?;
        check(&name, "shear", fabric.shear, 0.0)?;
        check(&name, "bend", fabric.bend, 0.0)?;
        check(&name, "drag", options.drag, 0.0)?;
        check(&name, "self_friction", options.self_friction, 0.0)?;
        for (quantity, value) in [("thickness", options.thickness), ("epsilon", options.epsilon)] {
            let Some(value) = value else { continue };
            check(&name, quantity, value, LEAST)?;
            no_more_than_its_size(&name, (quantity, value), mesh.vertices())?;
        }
        let Topology { masses, strains, bends, edges, gap } = Topology::of(mesh, options)?;
        let mut cloth =
            Self::new(name, mesh.vertices().to_vec(), masses, edges, (options.epsilon, options.edges))?;
        let count = cloth.places.len();
        cloth.mesh = Some(Arc::new(mesh.clone()));
        cloth.strains = Solver::new(&strains, count);
        cloth.bends = Solver::new(&bends, count);
        let usual = SPARE * gap;
        cloth.thickness = options.self_collision.then(|| options.thickness.unwrap_or(usual));
        if let Some(thickness) = cloth.thickness
            && Neighbours::default().update(&cloth.places, (thickness, None)).is_err()
        {
            return Err(ClothError::TooThick { cloth: cloth.name, thickness, usual });
        }
        cloth.self_friction = options.self_friction;
        check(&cloth.name, "damping", options.damping, 0.0)?;
        cloth.damping = options.damping;
        cloth.drag = options.drag;
        for &particle in &options.pins {
            cloth.pin(particle)?;
        }
        Ok(cloth)
    }

    /// Strands of hair or rope: each a chain of points, held at its beginning. They do not feel each other.
    pub fn from_strands(strands: &[Vec<DVec3>], options: &StrandOptions) -> Result<Self, ClothError> {
        let name = options.name.clone();
        check(&name, "density", options.density, LEAST)?;
        check(&name, "stretch", options.stretch, LEAST)?;
        check(&name, "bend", options.bend, 0.0)?;
        let places: Vec<DVec3> = strands.iter().flatten().copied().collect();
        let mut masses = vec![0.0; places.len()];
        let (mut links, mut bends, mut edges, mut ranges) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut start = 0;
        for (k, strand) in strands.iter().enumerate() {
            if strand.len() < 2 {
                return Err(ClothError::Empty { cloth: name, what: "two points in one of its strands" });
            }
            for (j, pair) in strand.windows(2).enumerate() {
                let rest = pair[0].distance(pair[1]);
                // Written so that NaN is refused.
                let is_long = rest > 0.0 && rest.is_finite();
                if !is_long {
                    return Err(ClothError::ZeroLength { cloth: name, strand: k, point: j });
                }
                let ends = [(start + j) as u32, (start + j + 1) as u32];
                for i in ends {
                    masses[i as usize] += 0.5 * options.density * rest;
                }
                links.push(Link { particles: ends, rest, compliance: rest / options.stretch });
                edges.push(Edge { ends, length: rest });
            }
            if options.bend > 0.0 {
                let triples = strand.windows(3).enumerate().map(|(j, x)| {
                    let first = (start + j) as u32;
                    Bend::along([first, first + 1, first + 2], [x[0], x[1], x[2]], options.bend)
                });
                bends.extend(triples);
            }
            ranges.push(start..start + strand.len());
            start += strand.len();
        }
        let mut cloth = Self::new(name, places, masses, edges, (options.epsilon, options.edges))?;
        let count = cloth.places.len();
        cloth.links = Solver::new(&links, count);
        cloth.strand_bends = Solver::new(&bends, count);
        check(&cloth.name, "damping", options.damping, 0.0)?;
        cloth.damping = options.damping;
        for range in &ranges {
            for particle in range.clone().take(options.held) {
                cloth.pin(particle)?;
            }
        }
        cloth.strands = ranges;
        Ok(cloth)
    }

    fn new(
        name: String,
        places: Vec<DVec3>,
        masses: Vec<f64>,
        edges: Vec<Edge>,
        (epsilon, edge_test): (Option<f64>, EdgeTest),
    ) -> Result<Self, ClothError> {
        if places.is_empty() {
            return Err(ClothError::Empty { cloth: name, what: "particles" });
        }
        if let Some(epsilon) = epsilon {
            check(&name, "epsilon", epsilon, LEAST)?;
        }
        let longest = edges.iter().map(|edge| edge.length).fold(0.0, f64::max);
        let part = if edge_test == EdgeTest::None { 0.5 } else { 0.25 };
        let count = places.len();
        let edges = Coloured::new(&edges, count, |edge| edge.ends);
        Ok(Self {
            name,
            mesh: None,
            strands: Vec::new(),
            rest: places.clone(),
            before: places.clone(),
            anchors: places.clone(),
            velocities: vec![DVec3::ZERO; count],
            is_let_out: false,
            inverse_masses: masses.iter().map(|&m| if m > 0.0 { 1.0 / m } else { 0.0 }).collect(),
            masses,
            pins: Vec::new(),
            strains: Solver::default(),
            bends: Solver::default(),
            links: Solver::default(),
            strand_bends: Solver::default(),
            contacts: Contacts::new(count, edges.len()),
            edges,
            neighbours: Neighbours::default(),
            epsilon: epsilon.unwrap_or(part * longest),
            edge_test,
            thickness: None,
            self_friction: 0.0,
            damping: 0.0,
            drag: 0.0,
            last_substep: 0.0,
            places,
        })
    }

    /// For messages and files.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How particles are joined, with their places at rest; `None` for strands.
    pub fn mesh(&self) -> Option<&Arc<TriMesh>> {
        self.mesh.as_ref()
    }

    /// Which particles are which strand; none of a mesh.
    pub fn strands(&self) -> &[Range<usize>] {
        &self.strands
    }

    /// Where particles are, in the world.
    pub fn places(&self) -> &[DVec3] {
        &self.places
    }

    /// m/s.
    pub fn velocities(&self) -> &[DVec3] {
        &self.velocities
    }

    /// kg.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// Pairs of particles with an edge between them, each once.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = [usize; 2]> + '_ {
        self.edges.all.iter().map(|edge| edge.ends.map(|end| end as usize))
    }

    /// How far particles are held off surfaces, m.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// How far it is kept off itself, m; `None` where it is not.
    pub fn thickness(&self) -> Option<f64> {
        self.thickness
    }

    /// Sets the velocity of all particles that are free, m/s.
    pub fn set_velocity(&mut self, velocity: DVec3) {
        for (v, &w) in self.velocities.iter_mut().zip(&self.inverse_masses) {
            if w > 0.0 {
                *v = velocity;
            }
        }
    }

    /// Puts all particles elsewhere, without changing what they are at rest. As many as there are.
    pub fn set_places(&mut self, places: &[DVec3]) -> Result<(), ClothError> {
        if places.len() != self.places.len() {
            return Err(self.no_such(places.len()));
        }
        self.places.copy_from_slice(places);
        for pin in &mut self.pins {
            pin.to = places[pin.particle as usize];
        }
        self.contacts.forget();
        Ok(())
    }

    /// Holds a particle where it is.
    pub fn pin(&mut self, particle: usize) -> Result<(), ClothError> {
        let place = *self.places.get(particle).ok_or_else(|| self.no_such(particle))?;
        if let Err(at) = self.pin_of(particle) {
            self.pins.insert(at, Pin { particle: particle as u32, from: place, to: place });
            self.inverse_masses[particle] = 0.0;
            self.velocities[particle] = DVec3::ZERO;
        }
        Ok(())
    }

    /// Lets it go, with the velocity it has.
    pub fn unpin(&mut self, particle: usize) -> Result<(), ClothError> {
        let &mass = self.masses.get(particle).ok_or_else(|| self.no_such(particle))?;
        if let Ok(at) = self.pin_of(particle) {
            self.pins.remove(at);
        }
        self.inverse_masses[particle] = if mass > 0.0 { 1.0 / mass } else { 0.0 };
        Ok(())
    }

    /// Leads a pinned particle somewhere: it is there at the end of the next step, on a straight way.
    pub fn move_pin(&mut self, particle: usize, to: DVec3) -> Result<(), ClothError> {
        let at = self.pin_of(particle).map_err(|_| self.no_such(particle))?;
        self.pins[at].to = to;
        Ok(())
    }

    /// Where pins are led in the next step.
    pub(crate) fn led_to(&self) -> impl Iterator<Item = DVec3> + '_ {
        self.pins.iter().map(|pin| pin.to)
    }

    /// Whether a particle is held.
    pub fn is_pinned(&self, particle: usize) -> bool {
        self.pin_of(particle).is_ok()
    }

    /// Where its pin is, or would be.
    fn pin_of(&self, particle: usize) -> Result<usize, usize> {
        self.pins.binary_search_by_key(&particle, |pin| pin.particle as usize)
    }

    fn no_such(&self, particle: usize) -> ClothError {
        ClothError::NoSuchParticle { cloth: self.name.clone(), particle, count: self.places.len() }
    }

    /// J.
    pub fn kinetic_energy(&self) -> f64 {
        let of = |(k, v): (usize, &DVec3)| {
            if self.inverse_masses[k] > 0.0 { 0.5 * self.masses[k] * v.length_squared() } else { 0.0 }
        };
        self.velocities.iter().enumerate().map(of).sum()
    }

    /// J, stored in stretch, shear and bending.
    pub fn elastic_energy(&self) -> f64 {
        self.strains.energy(&self.places)
            + self.bends.energy(&self.places)
            + self.links.energy(&self.places)
            + self.strand_bends.energy(&self.places)
    }

    /// J, stored in what it pulled with in the last substep: ½·α·(λ/h²)² of every constraint. As far as constraints are solved this is [`Cloth::elastic_energy`]; what one
    /// round leaves over of a stiff sheet is strain that nothing pulls with, and counts there but not here. 0 before the first step.
    pub fn carried_energy(&self) -> f64 {
        if self.last_substep == 0.0 {
            return 0.0;
        }
        self.strains.carried(self.last_substep)
            + self.bends.carried(self.last_substep)
            + self.links.carried(self.last_substep)
            + self.strand_bends.carried(self.last_substep)
    }

    /// J, in a gravity; 0 at the origin.
    pub fn potential_energy(&self, gravity: DVec3) -> f64 {
        self.places.iter().zip(&self.masses).map(|(x, m)| -m * gravity.dot(*x)).sum()
    }

    /// How much longer than at rest the most stretched direction of warp and weft, or the most stretched link is, as a part; negative if all are shorter.
    pub fn largest_stretch(&self) -> f64 {
        let of_triangle = |one: &Strain| {
            let (u, v) = one.directions(one.particles.map(|i| self.places[i as usize]));
            u.length().max(v.length()) - 1.0
        };
        let of_link = |one: &Link| {
            let [a, b] = one.particles.map(|i| self.places[i as usize]);
            a.distance(b) / one.rest - 1.0
        };
        let triangles = self.strains.all().iter().map(of_triangle);
        triangles.chain(self.links.all().iter().map(of_link)).fold(f64::NEG_INFINITY, f64::max)
    }
}

/// Pinned particles that are led together, as by a hand.
#[derive(Debug, Clone, PartialEq)]
pub struct Handle {
    particles: Vec<usize>,
    /// In the handle's frame.
    arms: Vec<DVec3>,
}

impl Handle {
    /// Takes hold of particles where they are; the handle's frame is at `world_from_handle`.
    pub fn grip(cloth: &mut Cloth, particles: &[usize], world_from_handle: Pose) -> Result<Self, ClothError> {
        for &particle in particles {
            cloth.pin(particle)?;
        }
        let handle_from_world = world_from_handle.inverse();
        let arms = particles.iter().map(|&i| handle_from_world.place(cloth.places[i])).collect();
        Ok(Self { particles: particles.to_vec(), arms })
    }

    /// Leads its particles to where the handle is at the end of the next step.
    pub fn lead(&self, cloth: &mut Cloth, world_from_handle: Pose) -> Result<(), ClothError> {
        for (&particle, &arm) in self.particles.iter().zip(&self.arms) {
            cloth.move_pin(particle, world_from_handle.place(arm))?;
        }
        Ok(())
    }

    /// Lets go.
    pub fn release(self, cloth: &mut Cloth) -> Result<(), ClothError> {
        self.particles.into_iter().try_for_each(|particle| cloth.unpin(particle))
    }
}
