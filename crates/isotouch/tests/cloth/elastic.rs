//! Strips and sheets against the theory of elasticity.

use std::sync::Arc;

use isotouch::ccd::Ball;
use isotouch::cloth::{
    Cloth, ClothId, ClothOptions, ClothWorld, ClothWorldOptions, Fabric, ObstacleOptions, StrandOptions,
    garments,
};
use isotouch::math::{DQuat, DVec3, Pose};

use crate::{G, soft};

const LENGTH: f64 = 1.0;
const SQUARES: usize = 40;
const FABRIC: Fabric = Fabric { density: 0.2, stretch: 60.0, shear: 20.0, bend: 0.0 };

fn settled(cloth: Cloth, seconds: f64, substeps: u32) -> Cloth {
    let mut world = ClothWorld::new(ClothWorldOptions { substeps, ..Default::default() });
    let id = world.add_cloth(cloth);
    for _ in 0..(seconds / 0.01) as usize {
        world.step(0.01).unwrap();
    }
    assert!(world.cloth(id).kinetic_energy() < 1e-9, "at rest: {}", world.cloth(id).kinetic_energy());
    world.cloth(id).clone()
}

/// Two rows of particles; those at x = −½ first in each.
fn strip(pins: Vec<usize>, damping: f64) -> Cloth {
    let mesh = garments::ribbon(LENGTH, 0.025, SQUARES).unwrap();
    Cloth::from_mesh(&mesh, &ClothOptions { pins, damping, ..soft(FABRIC) }).unwrap()
}

#[test]
fn a_hanging_strip_lengthens_by_its_weight() {
    // Already hanging along −y, so that it need not swing.
    let mut cloth = strip(vec![0, SQUARES + 1], 8.0);
    let hung: Vec<DVec3> =
        cloth.places().iter().map(|p| DVec3::new(0.0, -(p.x + 0.5 * LENGTH), p.z)).collect();
    cloth.set_places(&hung).unwrap();
    let cloth = settled(cloth, 4.0, 250);
    let longer = -cloth.places()[SQUARES].y - LENGTH;
    // The lowest half square hangs from springs that carry none of it: masses sit at particles, which is exact.
    let expected = FABRIC.density * G * LENGTH * LENGTH / (2.0 * FABRIC.stretch);
    assert!((longer / expected - 1.0).abs() < 0.01, "{longer} m, not {expected} m");
}

/// Sag of an elastic cable between two points of one height (Irvine): x(s) = H·s/EA + (H/w)·(asinh(V/H) − asinh((V − w·s)/H)), and
/// y(s) = (w·s/EA)·(V/w − s/2) + (H/w)·(√(1 + (V/H)²) − √(1 + ((V − w·s)/H)²)), with V = w·L/2.
fn catenary_sag(weight: f64, stiffness: f64, length: f64, span: f64) -> f64 {
    let v = 0.5 * weight * length;
    let reach = |h: f64| h * length / stiffness + 2.0 * h / weight * (v / h).asinh();
    let (mut low, mut high) = (1e-9 * v, 1e6 * v);
    for _ in 0..200 {
        let middle = (low * high).sqrt();
        if reach(middle) < span { low = middle } else { high = middle }
    }
    let h = (low * high).sqrt();
    let s = 0.5 * length;
    weight * s / stiffness * (v / weight - 0.5 * s) + h / weight * ((1.0 + (v / h).powi(2)).sqrt() - 1.0)
}

#[test]
fn a_strip_held_at_both_ends_sags_as_the_elastic_catenary() {
    for span in [0.7, 0.95] {
        let mut cloth = strip(vec![0, SQUARES, SQUARES + 1, 2 * SQUARES + 1], 6.0);
        // A parabola of about its length, ends at the span.
        let depth = (0.375 * span * (LENGTH - span)).sqrt();
        let hung: Vec<DVec3> = cloth
            .places()
            .iter()
            .map(|p| DVec3::new(p.x * span, -4.0 * depth * (0.25 - p.x * p.x), p.z))
            .collect();
        cloth.set_places(&hung).unwrap();
        let cloth = settled(cloth, 6.0, 250);
        let sag = -cloth.places()[SQUARES / 2].y;
        let expected = catenary_sag(FABRIC.density * G, FABRIC.stretch, LENGTH, span);
        assert!((sag / expected - 1.0).abs() < 0.01, "span {span}: {sag} m, not {expected} m");
    }
}

/// The tip of a clamped strand that its own weight bends a little falls by w·L⁴/(8·EI).
#[test]
fn a_clamped_strand_bends_as_a_beam() {
    let (long, points, density, bend) = (0.1, 21, 1e-3, 2e-5);
    let strand: Vec<DVec3> =
        (0..points).map(|k| DVec3::X * (long * f64::from(k) / f64::from(points - 1))).collect();
    let options =
        StrandOptions { density, bend, stretch: 200.0, held: 2, damping: 30.0, ..Default::default() };
    let cloth = Cloth::from_strands(&[strand], &options).unwrap();
    let cloth = settled(cloth, 1.0, 2000);
    let fallen = -cloth.places()[points as usize - 1].y;
    // Clamped between the first two points: the free length begins about half a piece after the first.
    let free = long - 0.5 * long / f64::from(points - 1);
    let expected = density * G * free.powi(4) / (8.0 * bend);
    assert!((fallen / expected - 1.0).abs() < 0.05, "{fallen} m, not {expected} m");
}

/// J: what a sheet of 0.5 m and the usual density gives when it falls down its length.
const FALL: f64 = 0.15 * 0.25 * G * 0.5;

/// J, kinetic, potential, and of the forces that act.
fn acting(world: &ClothWorld, id: ClothId) -> f64 {
    let cloth = world.cloth(id);
    cloth.kinetic_energy() + cloth.potential_energy(world.options().gravity) + cloth.carried_energy()
}

/// Of a sheet that swings without air. One round leaves strain over that nothing pulls with: what counts is the energy of the forces that act. With rounds enough it is that of the strain, and falls in every
/// step; with one round of a stiff sheet it goes up and down as forces are found late, less with more substeps, and never far above the least so far.
#[test]
fn energy_does_not_grow() {
    let mesh = garments::sheet([0.5, 0.5], [16, 16]).unwrap();
    let limp = Fabric { stretch: 50.0, shear: 5.0, ..Fabric::default() };
    let stiff = Fabric::default();
    for (fabric, substeps, rounds, room) in
        [(stiff, 10, 1, 0.06), (stiff, 30, 1, 5e-3), (stiff, 10, 20, 0.0), (limp, 40, 1, 0.0)]
    {
        let options = ClothOptions { pins: vec![0, 16], ..soft(fabric) };
        let mut world = ClothWorld::new(ClothWorldOptions { substeps, rounds, ..Default::default() });
        let id = world.add_cloth(Cloth::from_mesh(&mesh, &options).unwrap());
        // At the start it is at rest, in the plane y = 0: no energy of any kind.
        let mut least: f64 = 0.0;
        for step in 0..300 {
            world.step(0.01).unwrap();
            let cloth = world.cloth(id);
            let of_motion = cloth.kinetic_energy() + cloth.potential_energy(world.options().gravity);
            let now = acting(&world, id);
            assert!(now <= least + room * FALL, "{substeps}, {rounds}, step {step}: {now} J after {least} J");
            least = least.min(now);
            if rounds > 1 {
                let now = of_motion + cloth.elastic_energy();
                assert!(now < 0.0, "{substeps}, {rounds}, step {step}: {now} J with strain");
            }
        }
    }
}

/// A sheet falls on a ball that stands, that rises, or that turns: it gets no more than the ball works, which is what the ball feels along its way.
#[test]
fn obstacles_give_no_more_energy_than_they_work() {
    let mesh = garments::sheet([0.5, 0.5], [16, 16]).unwrap();
    for (rise, turn) in [(0.0, 0.0), (0.8, 0.0), (0.0, 6.0)] {
        let mut world = ClothWorld::default();
        let ball = Arc::new(Ball { center: DVec3::ZERO, radius: 0.1 });
        let obstacle =
            world.add_surface(ball, ObstacleOptions { friction: 0.5, ..Default::default() }).unwrap();
        let mut cloth = Cloth::from_mesh(&mesh, &soft(Fabric::default())).unwrap();
        let above: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::Y * 0.15).collect();
        cloth.set_places(&above).unwrap();
        let id = world.add_cloth(cloth);
        let mut last = acting(&world, id);
        let (mut worked, mut felt) = (0.0, 0.0);
        for step in 1..=100 {
            let time = 0.01 * f64::from(step);
            let (position, rotation) = (DVec3::Y * rise * time, DQuat::from_rotation_y(turn * time));
            world.move_obstacle(obstacle, Pose { position, rotation });
            world.step(0.01).unwrap();
            let impulse = world.obstacle(obstacle).impulse();
            let work = -impulse.force.y * rise - impulse.torque.y * turn;
            let now = acting(&world, id);
            assert!(now <= last + work, "{rise} m/s, {turn} rad/s, step {step}: {last} J, {work} J, {now} J");
            last = now;
            worked += work;
            felt += impulse.force.length();
        }
        assert!(felt > 0.1 && (worked > 0.01) == (rise + turn > 0.0), "{rise} m/s, {turn} rad/s: {worked} J");
    }
}

/// With itself in its way as well: what sets it apart feeds no energy either, within what one round leaves.
#[test]
fn energy_does_not_grow_where_cloth_meets_itself() {
    let mesh = garments::sheet([0.5, 0.5], [16, 16]).unwrap();
    let options = ClothOptions { pins: vec![0, 16], self_collision: true, ..soft(Fabric::default()) };
    let mut world = ClothWorld::default();
    let id = world.add_cloth(Cloth::from_mesh(&mesh, &options).unwrap());
    let mut least: f64 = 0.0;
    for step in 0..300 {
        world.step(0.01).unwrap();
        let now = acting(&world, id);
        assert!(now <= least + 5e-3 * FALL, "step {step}: {now} J after {least} J");
        least = least.min(now);
    }
}

/// A free sheet keeps its momentum: what holds it together pushes nothing but itself.
#[test]
fn without_forces_momentum_stays() {
    let mesh = garments::sheet([0.5, 0.5], [10, 10]).unwrap();
    let mut cloth = Cloth::from_mesh(&mesh, &soft(Fabric::default())).unwrap();
    let crumpled: Vec<DVec3> = cloth
        .places()
        .iter()
        .map(|p| DVec3::new(0.9 * p.x, 0.05 * (20.0 * p.x).sin(), 1.05 * p.z + 0.1 * p.x))
        .collect();
    cloth.set_places(&crumpled).unwrap();
    cloth.set_velocity(DVec3::new(1.0, 2.0, 3.0));
    let mut world = ClothWorld::new(ClothWorldOptions { gravity: DVec3::ZERO, ..Default::default() });
    let id = world.add_cloth(cloth);
    let momentum = |world: &ClothWorld| {
        let cloth = world.cloth(id);
        cloth.velocities().iter().zip(cloth.masses()).map(|(v, m)| *v * *m).sum::<DVec3>()
    };
    let start = momentum(&world);
    for _ in 0..50 {
        world.step(0.01).unwrap();
    }
    assert!((momentum(&world) - start).length() < 1e-10 * start.length());
}
