//! Heaps of bodies: how long a step takes, and whether they come to rest.

use std::sync::Arc;

use glam::DVec3;
use isotouch::ccd::Plane;
use isotouch::contact::Material;
use isotouch::dynamics::{BodyOptions, Shape, ShapeOptions, World, WorldOptions};
use isotouch::math::Pose;
use isotouch::mesh::shapes::{BlobOptions, blob};
use isotouch::output::chart::{Axis, Chart, Scale};

use super::Setup;
use crate::models::project_root;
use crate::random::Random;
use crate::report::{Report, Table, count, number};
use crate::timing::seconds_of;

const DT: f64 = 1.0 / 240.0;
/// Simulated seconds.
const SECONDS: f64 = 5.0;
/// Kinetic energy per body below which a heap counts as at rest, J: a bunny of 20 cm at 3 mm a second. The last to rest is a body that rocks; less than this waits for that one, more calls heaps at rest that
/// are seen to move.
const AT_REST: f64 = 1e-5;
/// Of 20 bodies several heaps are looked at, for as long as this, s: when the last of them rests depends on how they happen to fall.
const STAY_SECONDS: f64 = 8.0;
const HEAPS: [u64; 5] = [3, 4, 5, 6, 7];
/// Of heaps that lie the time of a step may grow with this power of the points in contact, by the line through all heaps of 20 to 200 bodies; 1 is linear. Most of 20 bodies lie on the ground, where pairs are few:
/// that alone makes it more than 1.
const NEAR_LINEAR: f64 = 1.3;
/// And of what falls, from ever higher, no more than this.
const WHILE_FALLING: f64 = 1.7;
/// Rolling friction, m: a fiftieth of the bodies' radius, as of something hard on a carpet.
const ROLLING: f64 = 2e-3;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let bunny = if setup.quick {
        None
    } else {
        setup.models.read("scan/bunny_777v.obj").ok().map(|model| model.mesh)
    };
    let blob = blob(BlobOptions { triangles: 5_000, ..Default::default() })?;
    let mut models = vec![("blob", blob)];
    models.extend(bunny.map(|mesh| ("bunny_777v", mesh)));
    let numbers: &[usize] = if setup.quick { &[3] } else { &[5, 20, 50, 100, 200] };
    let seconds = if setup.quick { 0.2 } else { SECONDS };
    let mut table = Table::new(
        format!(
            "Bodies of 20 cm dropped into a heap, {seconds} s in steps of 1/240 s, {} threads",
            setup.threads
        ),
        &[
            "model",
            "bodies",
            "ms per step: mean",
            "longest",
            "parts of a step: mean",
            "of the simulated time",
            "points in contact: mean",
            "µs per point in contact",
            "pairs looked at: mean",
            "µs per pair",
            "last second: ms per step",
            "points in contact",
            "µs per point in contact",
            "deepest, mm",
            "at rest after, s",
            "kinetic energy per body at the end, J",
        ],
    );
    let mut chart = Chart::new(
        "Time of a step",
        Axis::new("bodies", "").scaled(Scale::Logarithmic),
        Axis::new("step", "ms").scaled(Scale::Logarithmic),
    );
    let mut resting = Table::new(
        format!("20 bodies, {STAY_SECONDS} s, fallen in {} ways", HEAPS.len()),
        &[
            "model",
            "at rest after, s: median",
            "first",
            "last",
            "kinetic energy per body after 5 s, J: median",
            "largest",
            "largest at the end",
        ],
    );
    let mut growth = Table::new(
        "How the time of a step grows with contacts: p of time ∝ contactsᵖ",
        &["model", "steps", "p, 20 to 50 bodies", "50 to 100", "100 to 200", "20 to 200, by all heaps"],
    );
    let mut failures = Vec::new();
    for (name, mesh) in models {
        let bounds = mesh.bounds();
        let scale = 0.2 / bounds.extent().max_element();
        let mesh = mesh.mapped(|p| (p - bounds.center()) * scale)?;
        let shape = Arc::new(Shape::from_mesh(&mesh, &ShapeOptions { resolution: 64, points: 1000 })?);
        let mut means = Vec::new();
        // Of all steps and of those of the last second, for every heap: mean contacts and time.
        let mut heaps: [Vec<(f64, f64)>; 2] = Default::default();
        for &bodies in numbers {
            eprintln!("{bodies} × {name}");
            let mut world = heap(&shape, bodies, HEAPS[0])?;
            let (mut longest, mut total, mut contacts, mut deepest) = (0.0f64, 0.0, 0u64, 0.0f64);
            let mut rest = f64::NAN;
            let mut kinetic = 0.0;
            let (mut pairs, mut parts) = (0u64, 0u64);
            // Of the last second: steps, time, contacts.
            let mut last = (0u32, 0.0, 0u64);
            while world.time() < seconds {
                let mut report = None;
                let took = seconds_of(|| report = Some(world.step(DT)));
                let Some(report) = report.transpose()? else { break };
                longest = longest.max(took);
                total += took;
                contacts += report.contacts as u64;
                pairs += report.pairs as u64;
                parts += u64::from(report.parts);
                if report.time > seconds - 1.0 {
                    last = (last.0 + 1, last.1 + took, last.2 + report.contacts as u64);
                }
                deepest = deepest.max(report.max_penetration);
                kinetic = report.kinetic_energy / bodies as f64;
                // The beginning of the last time below.
                if kinetic > AT_REST {
                    rest = f64::NAN;
                } else if rest.is_nan() {
                    rest = world.time();
                }
            }
            // What is promised is of 20; larger heaps are there for the time they take.
            if bodies == 20 && total > world.time() && !setup.quick {
                failures.push(format!("20 × {name} take longer than the time they simulate"));
            }
            let steps = world.steps_taken() as f64;
            means.push(1e3 * total / steps);
            let lying = f64::from(last.0.max(1));
            heaps[0].push((contacts as f64 / steps, total / steps));
            heaps[1].push((last.2 as f64 / lying, last.1 / lying));
            table.row(vec![
                name.into(),
                count(bodies as u64),
                number(1e3 * total / steps),
                number(1e3 * longest),
                number(parts as f64 / steps),
                number(total / world.time()),
                number(contacts as f64 / steps),
                number(1e6 * total / contacts.max(1) as f64),
                number(pairs as f64 / steps),
                number(1e6 * total / pairs.max(1) as f64),
                number(1e3 * last.1 / f64::from(last.0.max(1))),
                number(last.2 as f64 / f64::from(last.0.max(1))),
                number(1e6 * last.1 / last.2.max(1) as f64),
                number(1e3 * deepest),
                if rest.is_nan() { "not yet".into() } else { number(rest) },
                number(kinetic),
            ]);
        }
        if !setup.quick {
            for (heaps, when) in heaps.iter().zip(["all", "of the last second"]) {
                growth.row(growth_row((name, when), &heaps[1..]));
            }
            // What lies; a heap that still falls has impacts to follow, and few contacts to count them by.
            let p = exponent(&heaps[1][1..]);
            if p > NEAR_LINEAR {
                failures.push(format!(
                    "{name}: the time of a step grows with the power {} of contacts",
                    number(p)
                ));
            }
            let p = exponent(&heaps[0][1..]);
            if p > WHILE_FALLING {
                failures.push(format!("{name}: over the whole fall it grows with their power {}", number(p)));
            }
            let rests =
                HEAPS.iter().map(|&seed| come_to_rest(&shape, seed)).collect::<anyhow::Result<Vec<_>>>()?;
            failures.extend(fault_of(name, &rests));
            resting.row(row_of(name, &rests));
        }
        let x: Vec<f64> = numbers.iter().map(|&n| n as f64).collect();
        chart.add(name, &x, &means);
    }
    if !setup.quick {
        chart.write(project_root().join("docs/pictures/pile-step-time.svg"))?;
    }
    let tables = if setup.quick { vec![table] } else { vec![table, growth, resting] };
    Ok(Report { tables, remarks: remarks(), failures })
}

/// Of heaps of 20, 50, 100 and 200.
fn growth_row((name, when): (&str, &str), heaps: &[(f64, f64)]) -> Vec<String> {
    let mut row = vec![name.to_owned(), when.to_owned()];
    row.extend(heaps.windows(2).map(|two| number(exponent(two))));
    row.push(number(exponent(heaps)));
    row
}

/// p of y ∝ xᵖ: the slope of the line through the logarithms, by least squares.
fn exponent(points: &[(f64, f64)]) -> f64 {
    let logarithms = || points.iter().map(|(x, y)| (x.ln(), y.ln()));
    let count = points.len() as f64;
    let (x, y) = logarithms().fold((0.0, 0.0), |sum, (x, y)| (sum.0 + x / count, sum.1 + y / count));
    let (both, square) = logarithms()
        .fold((0.0, 0.0), |sum, at| (sum.0 + (at.0 - x) * (at.1 - y), sum.1 + (at.0 - x).powi(2)));
    both / square
}

/// How a heap of 20 comes to rest.
struct Rest {
    /// From when on it stays, s; infinite if it does not.
    after: f64,
    /// Kinetic energy per body after 5 s and at the end, J.
    energies: [f64; 2],
}

fn come_to_rest(shape: &Arc<Shape>, seed: u64) -> anyhow::Result<Rest> {
    let mut world = heap(shape, 20, seed)?;
    let mut rest = Rest { after: f64::INFINITY, energies: [0.0; 2] };
    while world.time() < STAY_SECONDS {
        let energy = world.step(DT)?.kinetic_energy / 20.0;
        if world.time() <= SECONDS {
            rest.energies[0] = energy;
        }
        rest.energies[1] = energy;
        if energy > AT_REST {
            rest.after = f64::INFINITY;
        } else if rest.after.is_infinite() {
            rest.after = world.time();
        }
    }
    Ok(rest)
}

fn sorted(rests: &[Rest], of: impl Fn(&Rest) -> f64) -> Vec<f64> {
    let mut values: Vec<f64> = rests.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    values
}

/// All heaps have to rest within the 5 s, and stay.
fn fault_of(name: &str, rests: &[Rest]) -> Option<String> {
    let last = sorted(rests, |rest| rest.after)[rests.len() - 1];
    (last > SECONDS).then(|| format!("20 × {name} are at rest after {} s at the latest", number(last)))
}

fn row_of(name: &str, rests: &[Rest]) -> Vec<String> {
    let after = sorted(rests, |rest| rest.after);
    let [at_five, at_end] = [0, 1].map(|k| sorted(rests, |rest| rest.energies[k]));
    let last = rests.len() - 1;
    vec![
        name.into(),
        number(after[rests.len() / 2]),
        number(after[0]),
        number(after[last]),
        number(at_five[rests.len() / 2]),
        number(at_five[last]),
        number(at_end[last]),
    ]
}

fn heap(shape: &Arc<Shape>, bodies: usize, seed: u64) -> anyhow::Result<World> {
    let mut world = World::new(WorldOptions::default());
    let material = Material { rolling_friction: ROLLING, ..Default::default() };
    world.add_surface("ground", Box::new(Plane::GROUND), material)?;
    let mut random = Random::new(seed);
    // Layers of up to nine, so that a large heap does not fall for ever.
    for k in 0..bodies {
        let (layer, place) = (k / 9, k % 9);
        let across = DVec3::new((place % 3) as f64 - 1.0, 0.0, (place / 3) as f64 - 1.0) * 0.24;
        let shaken = DVec3::new(random.unit() - 0.5, 0.0, random.unit() - 0.5) * 0.04;
        let pose = Pose {
            position: across + shaken + DVec3::Y * (0.2 + 0.24 * layer as f64),
            rotation: random.rotation(),
        };
        let options = BodyOptions { name: format!("{k}"), pose, material, ..Default::default() };
        world.add_body(shape.clone(), options)?;
    }
    Ok(world)
}

fn remarks() -> Vec<String> {
    vec![
        "Implicit integrator, the usual material (stiffness 10¹⁰ N/m³, damping 1 ms, μ = 0.5) with a rolling friction of 2 mm, a fiftieth of the radius; without it round bodies roll on for longer than 5 s. Fields of 64³ and shells of 1,000 points, all bodies shell and field in turn. At rest: from then on the mean kinetic energy of a body stays below \
         10⁻⁵ J, about 3 mm/s. Below 1, the fifth column says that the simulation is ahead of the clock."
            .into(),
        "Bodies fall in layers of nine, so a large heap is a tower that falls for longer, from higher, and faster: 22 layers for 200 bodies, the topmost from 5 m. Until it lies, steps have pairs to look at \
         and impacts to solve, but few points in contact; the mean cost per point over all 5 s counts that in. What lies is in the columns of the last second. A pair is looked at when the spheres around both \
         meet; the more bodies are in the middle of a heap, the more of these there are that do not touch."
            .into(),
        "Where the time goes with 200 bunnies (perf, all 5 s): on two threads about half of it finds contacts, the other half solves for velocities on one thread, since a heap is one island. What grows per contact are \
         the rounds of the solver while impacts come in: some body is struck in nearly every step of a large heap, and then all of it is solved for anew (20 rounds a step with 20 bodies, up to 64 with \
         200, 4 and 5 once they lie); and pairs that are near without touching (1.2 for each point in contact with 20 bunnies, 2.7 with 200)."
            .into(),
        "![Time of a step against the number of bodies](pictures/pile-step-time.svg)".into(),
    ]
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn squares_have_the_exponent_two() {
        let squares: Vec<(f64, f64)> = [3.0, 5.0, 8.0].iter().map(|x| (*x, 7.0 * x * x)).collect();
        assert!((exponent(&squares) - 2.0).abs() < 1e-12);
        assert!((exponent(&squares[..2]) - 2.0).abs() < 1e-12);
    }
}
