//! Cloth over a detailed head, beside Fuhrmann et al. (2003), and over a ball, beside PositionBasedDynamics.

use std::sync::Arc;

use isotouch::ccd::Ball;
use isotouch::cloth::{
    Cloth, ClothOptions, ClothWorld, ClothWorldOptions, ClothWorldState, CollisionMethod, EdgeTest,
    FrictionModel, ObstacleOptions, garments,
    scenes::{self, ClothScene},
};
use isotouch::math::DVec3;
use isotouch::output::chart::{Axis, Chart, Scale};

use super::Setup;
use crate::models::project_root;
use crate::peers::pypbd;
use crate::report::{Report, Table, count, number};
use crate::timing::seconds_of;

/// Squares along a side: 1,024, 1,296, 10,000 and 99,856 particles.
const SQUARES: [usize; 4] = [31, 35, 99, 315];
/// Runs beside pyPBD; the fastest counts.
const ROUNDS: u32 = 3;

/// What is looked at, as in Fig. 8 of 2003.
const KINDS: [Kind; 5] = [
    ("particles only, 2003", EdgeTest::None, FrictionModel::Simple, CollisionMethod::Discrete),
    ("with edges, 2003", EdgeTest::Centre, FrictionModel::Simple, CollisionMethod::Discrete),
    (
        "with edges, enhanced friction, 2003",
        EdgeTest::Centre,
        FrictionModel::Coulomb,
        CollisionMethod::Discrete,
    ),
    (
        "continuous, with edges (the default)",
        EdgeTest::Centre,
        FrictionModel::Coulomb,
        CollisionMethod::Continuous,
    ),
    (
        "continuous, deepest place of edges",
        EdgeTest::Deepest,
        FrictionModel::Coulomb,
        CollisionMethod::Continuous,
    ),
];

/// A contact method of [`KINDS`].
type Kind = (&'static str, EdgeTest, FrictionModel, CollisionMethod);
/// The one that is there without being asked for.
const DEFAULT: Kind = KINDS[3];
/// Steps until the clock starts, and those that are timed: the same for all sizes, as cloth falls over the head and folds.
const FOLDING: [u32; 2] = [30, 10];
/// The same as it hangs.
const DRAPED: [u32; 2] = [190, 10];
/// Rounds of what is timed; kinds take turns, and the fastest counts. Of the largest, which takes seconds a round, two.
const TURNS: usize = 5;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let sizes = if setup.quick { &[15][..] } else { &SQUARES[..] };
    // Made once: what takes longest is the head.
    let built: Vec<(usize, ClothScene)> = sizes
        .iter()
        .map(|&squares| Ok((squares, scenes::tablecloth(squares)?)))
        .collect::<anyhow::Result<_>>()?;
    report.tables.push(folding(setup, &built, &mut report.failures)?);
    report.tables.push(draped(setup, &built, &mut report.failures)?);
    report.remarks = remarks();
    report.tables.push(beside_pypbd(setup, &mut report.remarks)?);
    Ok(report)
}

/// A world over the head of a scene, as finely cut, and with ε as for centres, so that all look at the same contacts.
fn world_of(scene: &ClothScene, squares: usize, kind: Kind) -> anyhow::Result<ClothWorld> {
    let (_, edges, friction, method) = kind;
    let of = &scene.world.cloths()[0];
    let options = ClothOptions { edges, epsilon: Some(of.epsilon()), ..Default::default() };
    let mut cloth = Cloth::from_mesh(&garments::tablecloth(0.7, squares)?, &options)?;
    cloth.set_places(of.places())?;
    let mut world = ClothWorld::new(ClothWorldOptions { friction, method, ..Default::default() });
    for obstacle in scene.world.obstacles() {
        world.adopt(obstacle.clone());
    }
    world.add_cloth(cloth);
    Ok(world)
}

/// What was measured of a kind, in the fastest of its rounds.
#[derive(Clone, Copy)]
struct Measured {
    /// s.
    total: f64,
    obstacles: f64,
    itself: f64,
    /// m.
    deepest: f64,
    substeps: f64,
}

/// Times steps from a state.
fn measured(world: &mut ClothWorld, from: &ClothWorldState, steps: u32, dt: f64) -> anyhow::Result<Measured> {
    world.restore(from)?;
    let substeps = f64::from(world.options().substeps * steps);
    let mut sum = Measured { total: 0.0, obstacles: 0.0, itself: 0.0, deepest: f64::NEG_INFINITY, substeps };
    for _ in 0..steps {
        let of = world.step(dt)?;
        sum.total += of.seconds;
        sum.obstacles += of.collision_seconds;
        sum.itself += of.self_collision_seconds;
        sum.deepest = sum.deepest.max(world.penetration());
    }
    Ok(sum)
}

/// The default's state after so many steps, without what is known of distances, which other kinds do not know.
fn state_after(scene: &ClothScene, squares: usize, steps: u32) -> anyhow::Result<ClothWorldState> {
    let mut world = world_of(scene, squares, DEFAULT)?;
    for _ in 0..steps {
        world.step(scene.dt)?;
    }
    let mut state = world.state();
    for of in &mut state.cloths {
        of.clearances.clear();
        of.edge_clearances.clear();
    }
    Ok(state)
}

const COLUMNS: [&str; 8] = [
    "contact",
    "particles",
    "substep, ms",
    "of it obstacles, ms",
    "share of obstacles, %",
    "of it cloth on itself, ms",
    "µs per particle",
    "deepest, mm",
];

fn row(name: &str, particles: usize, of: &Measured) -> Vec<String> {
    let per = |seconds: f64| number(1e3 * seconds / of.substeps);
    vec![
        name.into(),
        count(particles as u64),
        per(of.total),
        per(of.obstacles),
        number(100.0 * of.obstacles / of.total),
        per(of.itself),
        number(1e6 * of.total / of.substeps / particles as f64),
        number(1e3 * of.deepest.max(0.0)),
    ]
}

/// Kinds at every size, over the same part of the motion, from the same state.
fn folding(
    setup: &Setup,
    built: &[(usize, ClothScene)],
    failures: &mut Vec<String>,
) -> anyhow::Result<Table> {
    let mut table = Table::new(
        format!(
            "A tablecloth over a head of 292,820 triangles from 0.3 to 0.4 s, per substep of {:.2} ms, {} threads",
            10.0 / f64::from(ClothWorldOptions::default().substeps),
            setup.threads
        ),
        &COLUMNS,
    );
    let mut chart = Chart::new(
        "Cloth over a head",
        Axis::new("particles", "").scaled(Scale::Logarithmic),
        Axis::new("substep", "ms").scaled(Scale::Logarithmic),
    );
    let [until, timed] = if setup.quick { [3, 2] } else { FOLDING };
    let mut found: Vec<Vec<Measured>> = Vec::new();
    for (squares, scene) in built {
        eprintln!("{squares} squares");
        let state = state_after(scene, *squares, until)?;
        let mut worlds: Vec<ClothWorld> =
            KINDS.iter().map(|&kind| world_of(scene, *squares, kind)).collect::<anyhow::Result<_>>()?;
        let mut best: Vec<Option<Measured>> = vec![None; KINDS.len()];
        let turns = if setup.quick {
            1
        } else if *squares > 200 {
            2
        } else {
            TURNS
        };
        for _ in 0..turns {
            for (best, world) in best.iter_mut().zip(&mut worlds) {
                let of = measured(world, &state, timed, scene.dt)?;
                *best = best.filter(|best| best.total < of.total).or(Some(of));
            }
        }
        found.push(best.into_iter().flatten().collect());
    }
    for (k, &(name, edges, _, method)) in KINDS.iter().enumerate() {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for ((squares, _), of) in built.iter().zip(&found) {
            let (particles, of) = ((squares + 1).pow(2), &of[k]);
            table.row(row(name, particles, of));
            if method == CollisionMethod::Continuous && edges == EdgeTest::Centre && of.deepest > 0.0 {
                failures.push(format!("{name}, {particles} particles: {} m below the surface", of.deepest));
            }
            x.push(particles as f64);
            y.push(1e3 * of.total / of.substeps);
        }
        chart.add(name, &x, &y);
    }
    // What the normals cost: queries alone, at the places of the cloth.
    let (squares, scene) = &built[0];
    let places = state_after(scene, *squares, until)?.cloths[0].places.clone();
    let shape = scene.world.obstacles()[0].shape();
    let rounds = 100;
    let mut sum = 0.0;
    let per = |seconds: f64| number(1e3 * seconds / f64::from(rounds));
    let value = seconds_of(|| {
        for _ in 0..rounds {
            sum += places.iter().map(|&p| shape.value(p)).sum::<f64>();
        }
    });
    let both = seconds_of(|| {
        for _ in 0..rounds {
            sum += places
                .iter()
                .map(|&p| shape.value_and_gradient(p))
                .map(|(d, n)| d + n.map_or(0.0, |n| n.x))
                .sum::<f64>();
        }
    });
    assert!(!sum.is_nan(), "the sum keeps the queries from being left out");
    let particles_alone = &found[0][0];
    let without = f64::from(rounds) * particles_alone.total / particles_alone.substeps - (both - value);
    for (name, seconds) in [
        ("particles only, 2003, less all their normals", without),
        ("queries alone, distance", value),
        ("queries alone, distance and normal", both),
    ] {
        let none = || "–".to_owned();
        let particles = places.len();
        table.row(vec![
            name.into(),
            count(particles as u64),
            per(seconds),
            none(),
            none(),
            none(),
            number(1e6 * seconds / f64::from(rounds) / particles as f64),
            none(),
        ]);
    }
    if !setup.quick {
        chart.write(project_root().join("docs/pictures/cloth-substep.svg"))?;
    }
    Ok(table)
}

/// The default as it hangs, of what gets there in reasonable time.
fn draped(setup: &Setup, built: &[(usize, ClothScene)], failures: &mut Vec<String>) -> anyhow::Result<Table> {
    let mut table = Table::new("The same at rest, from 1.9 to 2 s", &COLUMNS);
    let [until, timed] = if setup.quick { [5, 2] } else { DRAPED };
    let name = DEFAULT.0;
    for (squares, scene) in built.iter().filter(|(squares, _)| *squares < 200) {
        eprintln!("{squares} squares, draped");
        let state = state_after(scene, *squares, until)?;
        let mut world = world_of(scene, *squares, DEFAULT)?;
        let mut best: Option<Measured> = None;
        for _ in 0..if setup.quick { 1 } else { TURNS } {
            let of = measured(&mut world, &state, timed, scene.dt)?;
            best = best.filter(|best| best.total < of.total).or(Some(of));
        }
        let Some(best) = best else { continue };
        let particles = (squares + 1).pow(2);
        table.row(row(name, particles, &best));
        if best.deepest > 0.0 {
            failures.push(format!("draped, {particles} particles: {} m below the surface", best.deepest));
        }
    }
    Ok(table)
}

/// The same sheet over the same ball, by PositionBasedDynamics.
fn beside_pypbd(setup: &Setup, remarks: &mut Vec<String>) -> anyhow::Result<Table> {
    let mut table = Table::new(
        "A sheet of 0.7 m falls on a ball of 0.12 m for half a second, substeps of 1 ms, one round each; no cloth on itself",
        &[
            "particles",
            "isotouch, substep, ms",
            "pyPBD, substep, ms",
            "ratio",
            "isotouch: nearest, mm",
            "pyPBD: nearest, mm",
        ],
    );
    for &squares in if setup.quick { &[10][..] } else { &SQUARES[1..3] } {
        eprintln!("pyPBD, {squares} squares");
        let steps = if setup.quick { 3 } else { 50 };
        let sheet =
            pypbd::Sheet { squares, size: 0.7, radius: 0.12, height: 0.14, steps, dt: 0.01, substeps: 10 };
        let mut best = f64::INFINITY;
        let mut nearest = f64::NAN;
        for _ in 0..ROUNDS {
            let mut world =
                ClothWorld::new(ClothWorldOptions { substeps: sheet.substeps, ..Default::default() });
            let ball = Ball { center: DVec3::ZERO, radius: sheet.radius };
            world.add_surface(Arc::new(ball), ObstacleOptions::default())?;
            let options = ClothOptions { self_collision: false, drag: 0.0, ..Default::default() };
            let mut cloth = Cloth::from_mesh(&garments::tablecloth(sheet.size, squares)?, &options)?;
            let above: Vec<DVec3> = cloth.places().iter().map(|p| *p + DVec3::Y * sheet.height).collect();
            cloth.set_places(&above)?;
            let id = world.add_cloth(cloth);
            let mut seconds = 0.0;
            for _ in 0..steps {
                seconds += world.step(sheet.dt)?.seconds;
            }
            best = best.min(seconds / f64::from(steps * sheet.substeps));
            let lengths = world.cloth(id).places().iter().map(|p| p.length() - sheet.radius);
            nearest = lengths.fold(f64::INFINITY, f64::min);
        }
        let [mut theirs, mut ratio, mut off] = ["–", "–", "–"].map(str::to_owned);
        // A small version asks no network.
        if !setup.quick {
            match pypbd::run(&sheet, ROUNDS) {
                Ok((run, version)) => {
                    theirs = number(1e3 * run.seconds);
                    ratio = number(run.seconds / best);
                    off = number(1e3 * run.nearest);
                    remarks.push(format!(
                        "{} particles by pyPBD {version}.",
                        count((squares + 1).pow(2) as u64)
                    ));
                }
                Err(error) => remarks.push(format!("Without pyPBD: {error:#}.")),
            }
        }
        table.row(vec![
            count((squares + 1).pow(2) as u64),
            number(1e3 * best),
            theirs,
            ratio,
            number(1e3 * nearest),
            off,
        ]);
    }
    remarks.push(
        "pyPBD: XPBD springs along edges and isometric bending, particles against the ball's distance function. Here: strain of triangles, bending, particles and edges against the ball, continuous. Of three runs the \
         fastest counts; pyPBD uses as many threads as it likes."
            .into(),
    );
    Ok(table)
}

fn remarks() -> Vec<String> {
    vec![
        format!(
            "2003 tells, on two Xeons of 2 GHz and in Java: edge tests take three times as long as particles alone, normals and the enhanced friction next to nothing, and obstacles are half of a step. \
             Its time step is 10 ms, here cut into {}. Every substep has wind, bending, strain, cloth on itself, and obstacles. What is far from the head, by what is known of the last substep, is not \
             looked at again. All kinds begin from the same state, which the default reached untimed, and take turns; the fastest of {TURNS} rounds counts, of 99,856 particles of two.",
            ClothWorldOptions::default().substeps
        ),
        "![Time of a substep against the number of particles](pictures/cloth-substep.svg)".into(),
    ]
}
