//! How large steps may be: figure 6 of 2014, figure 10a of 2016.

use std::sync::Arc;

use glam::DVec3;
use isotouch::ccd::Plane;
use isotouch::contact::{Friction, Law, Material, PenaltyOptions, Stiffness};
use isotouch::dynamics::{BodyOptions, ContactModel, Integrator, Shape, ShapeOptions, World, WorldOptions};
use isotouch::math::Pose;
use isotouch::mesh::shapes::{BlobOptions, blob};
use isotouch::output::chart::{Axis, Chart, Scale};

use super::Setup;
use crate::models::project_root;
use crate::random::Random;
use crate::report::{Report, Table, none, number};

/// Bodies, as in the papers.
const BODIES: usize = 20;
/// kg, of each.
const MASS: f64 = 1.0;
/// N/m, of each point. Steps scale with √(m/k), and so the ratios do not depend on it.
const STIFFNESS: f64 = 2000.0;
/// Energy may be above that of the start by this part: rounding and the loop's own delay add some where all is calm.
const BOUNDED: f64 = 0.05;
/// No body may get farther from the middle than this, m.
const FARTHEST: f64 = 6.0;
/// Halvings of the search for the largest step, on a logarithmic scale: within 9 %.
const HALVINGS: usize = 6;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let bunny = if setup.quick {
        None
    } else {
        setup.models.read("scan/bunny_777v.obj").ok().map(|model| model.mesh)
    };
    let name = if bunny.is_some() { "bunnies of 777 points" } else { "blobs of 777 points" };
    let mesh = match bunny {
        Some(mesh) => mesh,
        None => blob(BlobOptions { triangles: 1_550, ..Default::default() })?,
    };
    let bounds = mesh.bounds();
    let scale = 0.2 / bounds.extent().max_element();
    let mesh = mesh.mapped(|p| (p - bounds.center()) * scale)?;
    let shape = Arc::new(Shape::from_mesh(&mesh, &ShapeOptions { resolution: 64, points: 0 })?);
    let bodies = if setup.quick { 2 } else { BODIES };
    let seconds = if setup.quick { 0.4 } else { 1.2 };
    let dampings: &[f64] = if setup.quick { &[0.5] } else { &[0.01, 0.03, 0.1, 0.3, 1.0] };
    let stiffness = STIFFNESS;

    let mut table = Table::new(
        format!(
            "{bodies} {name}, 20 cm and 1 kg each, dropped on the ground, {STIFFNESS} N/m for each point, the papers' loop"
        ),
        &[
            "damping, of critical",
            "discrete: largest stable step, ms",
            "continuous",
            "ratio (papers: 3)",
            "continuous: deepest, mm",
            "discrete at that step: stable stiffness, N/m",
            "deepest, mm",
            "ratio (papers: 2.75)",
            "discrete, no deeper: largest step, ms",
            "ratio (papers: 2.6)",
        ],
    );
    let mut chart = Chart::new(
        "Largest stable step",
        Axis::new("damping", "of critical").scaled(Scale::Logarithmic),
        Axis::new("step", "ms").scaled(Scale::Logarithmic),
    );
    let mut steps = [Vec::new(), Vec::new()];
    // Penetration of the discrete method at the other's step, and steps at equal penetration.
    let mut others: Vec<[f64; 2]> = Vec::new();
    for &damping in dampings {
        eprintln!("damping {damping}");
        let trial = |contact, stiffness, dt| Trial {
            shape: &shape,
            bodies,
            seconds,
            contact,
            stiffness,
            damping,
            dt,
        };
        let largest = |contact: ContactModel, deepest: f64| {
            // From where a point alone would oscillate at its limit, with all others on its side, to where it surely does.
            let limit = 2.0 * (MASS / stiffness).sqrt();
            largest_where((limit / 256.0, limit), |dt| {
                trial(contact, stiffness, dt).run().is_some_and(|found| found <= deepest)
            })
        };
        let discrete = largest(ContactModel::Discrete, f64::INFINITY);
        let continuous = largest(ContactModel::Continuous, f64::INFINITY);
        let deepest = trial(ContactModel::Continuous, stiffness, continuous).run().unwrap_or(f64::NAN);
        let softer = largest_where((stiffness / 64.0, stiffness), |k| {
            trial(ContactModel::Discrete, k, continuous).run().is_some()
        });
        let softer_deepest = trial(ContactModel::Discrete, softer, continuous).run().unwrap_or(f64::NAN);
        let as_deep = largest(ContactModel::Discrete, deepest);
        for (steps, of) in steps.iter_mut().zip([discrete, continuous]) {
            steps.push(1e3 * of);
        }
        others.push([softer_deepest / deepest, continuous / as_deep]);
        table.row(vec![
            number(damping),
            told(1e3 * discrete),
            told(1e3 * continuous),
            told(continuous / discrete),
            told(1e3 * deepest),
            if softer_deepest.is_nan() { none() } else { number(softer) },
            told(1e3 * softer_deepest),
            told(softer_deepest / deepest),
            told(1e3 * as_deep),
            told(continuous / as_deep),
        ]);
    }
    chart.add("discrete", dampings, &steps[0]);
    chart.add("continuous", dampings, &steps[1]);
    if !setup.quick {
        chart.write(project_root().join("docs/pictures/stability.svg"))?;
    }
    let best = steps[0].iter().zip(&steps[1]).map(|(discrete, continuous)| continuous / discrete);
    let best = best.filter(|ratio| ratio.is_finite()).fold(0.0, f64::max);
    let mut failures = Vec::new();
    if !setup.quick && best < LEAST_GAIN {
        failures.push(format!(
            "continuous forces allow {} times the steps of discrete ones at best",
            number(best)
        ));
    }
    // Where the continuous method gains most in steps it gains in the other two as well.
    let at_best = steps[0].iter().zip(&steps[1]).zip(&others);
    let at_best = at_best.map(|((discrete, continuous), others)| (continuous / discrete, others));
    let at_best = at_best.filter(|(ratio, _)| ratio.is_finite()).max_by(|a, b| a.0.total_cmp(&b.0));
    if !setup.quick && !at_best.is_some_and(|(_, others)| others.iter().all(|ratio| *ratio >= LEAST_GAIN)) {
        failures.push(format!(
            "continuous forces come as deep, or allow no larger steps at equal depth: {:?}",
            at_best.map(|(_, others)| others)
        ));
    }
    Ok(Report { tables: vec![table], remarks: remarks(seconds), failures })
}

/// A number, if there was a stable run.
fn told(value: f64) -> String {
    if value.is_finite() { number(value) } else { none() }
}

/// Continuous forces have to allow steps this many times as long, at some damping.
const LEAST_GAIN: f64 = 1.3;

/// The largest value within a range for which something holds, on a logarithmic scale; NaN, if it does not at the lower end.
fn largest_where((mut low, mut high): (f64, f64), holds: impl Fn(f64) -> bool) -> f64 {
    if holds(high) {
        return high;
    }
    if !holds(low) {
        return f64::NAN;
    }
    for _ in 0..HALVINGS {
        let middle = (low * high).sqrt();
        if holds(middle) { low = middle } else { high = middle }
    }
    low
}

/// One run.
struct Trial<'a> {
    shape: &'a Arc<Shape>,
    bodies: usize,
    seconds: f64,
    contact: ContactModel,
    /// N/m, of each point.
    stiffness: f64,
    /// As a part of critical damping, for a point that carries a body alone.
    damping: f64,
    dt: f64,
}

impl Trial<'_> {
    /// The deepest penetration, m; `None` if it was not stable: energy rose, or a body left.
    fn run(&self) -> Option<f64> {
        let mut world = self.world().ok()?;
        let ground_up = |world: &World| world.report().energy();
        let start = ground_up(&world);
        let mut deepest: f64 = 0.0;
        while world.time() < self.seconds {
            let report = match world.step(self.dt) {
                Ok(report) => report,
                Err(_) => return None,
            };
            deepest = deepest.max(report.max_penetration);
            let leaves = |body: &isotouch::dynamics::Body| body.pose().position.length() > FARTHEST;
            if report.energy() > start * (1.0 + BOUNDED) || world.bodies().iter().any(leaves) {
                return None;
            }
        }
        Some(deepest)
    }

    fn world(&self) -> anyhow::Result<World> {
        let mut world = World::new(WorldOptions {
            integrator: Integrator::Papers,
            contact: self.contact,
            penalty: PenaltyOptions::papers(),
            top_speed: 1e3,
            ..Default::default()
        });
        // c = 2ζ·√(k·m) for a point that carries a body alone, and c = k·τ.
        let damping = 2.0 * self.damping * (MASS / self.stiffness).sqrt();
        // An explicit step needs about μ·g·dt, 5 mm/s at the longest ones; ten times as much, since impacts press harder than weight.
        let friction = Friction { slip_speed: 0.05, ..Friction::coulomb(0.3) };
        let law = Law { stiffness: Stiffness::PerPoint(self.stiffness), damping, friction };
        world.set_law(0, 0, law)?;
        world.add_surface("ground", Box::new(Plane::GROUND), Material::default())?;
        let mut random = Random::new(7);
        for k in 0..self.bodies {
            let rotation = random.rotation();
            // Layers of four.
            let (layer, place) = (k / 4, k % 4);
            let shaken = DVec3::new(random.unit() - 0.5, 0.0, random.unit() - 0.5) * 0.05;
            let across = DVec3::new((place % 2) as f64 - 0.5, 0.0, (place / 2) as f64 - 0.5) * 0.26;
            let position = across + shaken + DVec3::Y * (0.25 + 0.26 * layer as f64);
            let options = BodyOptions {
                name: format!("{k}"),
                pose: Pose { position, rotation },
                mass: isotouch::dynamics::Mass::Total(MASS),
                ..Default::default()
            };
            world.add_body(self.shape.clone(), options)?;
        }
        Ok(world)
    }
}

fn remarks(seconds: f64) -> Vec<String> {
    vec![
        format!(
            "Stable is a run of {seconds} s in which the energy (kinetic, potential above the ground, of springs) never exceeds that of the start by more than 5 %, and no body gets farther than 6 m from \
             the middle. The largest stable step is found by bisection on a logarithmic scale, to 9 %. All with normals of the shell, damping of the whole relative velocity \
             and a stiffness for each point, as in the papers. The second ratio is that of penetrations at the largest step of the continuous method, the stiffness of the discrete one lowered until it \
             is stable; the third that of steps, the discrete one penetrating no deeper."
        ),
        "Why the ratios are smaller than the papers' 3, 2.75 and 2.6: in this loop a step moves with the forces of the step before. The discrete force is that of the step's end, the continuous one \
         is the mean over the step, half a step older; so springs alone are less stable with it, and what it gains it gains where contact begins and ends within a step, and by its damping. The papers state neither \
         stiffness nor damping, and call stable what looks so; at a tenth of critical damping the ratio here is largest; with much less springs alone decide and the continuous method is the less stable one, and at critical damping, where the \
         damper alone sets the limit, both are alike."
            .into(),
        "![Largest stable steps](pictures/stability.svg)".into(),
    ]
}
