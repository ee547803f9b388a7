//! Cloth over a detailed head, beside Fuhrmann et al. (2003), and over a ball, beside PositionBasedDynamics.

use std::sync::Arc;

use isotouch::ccd::Ball;
use isotouch::cloth::{
    Cloth, ClothOptions, ClothWorld, ClothWorldOptions, CollisionMethod, EdgeTest, FrictionModel,
    ObstacleOptions, garments,
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
const KINDS: [(&str, EdgeTest, FrictionModel, CollisionMethod); 5] = [
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

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.tables.push(draped(setup, &mut report.failures)?);
    report.remarks = remarks();
    report.tables.push(beside_pypbd(setup, &mut report.remarks)?);
    Ok(report)
}

fn draped(setup: &Setup, failures: &mut Vec<String>) -> anyhow::Result<Table> {
    let sizes = if setup.quick { &[15][..] } else { &SQUARES[..] };
    let mut table = Table::new(
        format!(
            "A tablecloth over a head of 292,820 triangles, per substep of {:.2} ms, {} threads",
            10.0 / f64::from(ClothWorldOptions::default().substeps),
            setup.threads
        ),
        &[
            "contact",
            "particles",
            "substep, ms",
            "of it obstacles, ms",
            "share of obstacles, %",
            "of it cloth on itself, ms",
            "µs per particle",
            "deepest, mm",
        ],
    );
    let mut chart = Chart::new(
        "Cloth over a head",
        Axis::new("particles", "").scaled(Scale::Logarithmic),
        Axis::new("substep", "ms").scaled(Scale::Logarithmic),
    );
    // Made once: what takes longest is the head.
    let built: Vec<ClothScene> =
        sizes.iter().map(|&squares| scenes::tablecloth(squares)).collect::<Result<_, _>>()?;
    for (name, edges, friction, method) in KINDS {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for (&squares, scene) in sizes.iter().zip(&built) {
            eprintln!("{name}, {squares}");
            let options = ClothOptions { edges, ..Default::default() };
            // As finely cut, and with ε as for centres, so that all look at the same contacts.
            let start = scene.world.cloths()[0].places().to_vec();
            let options = ClothOptions { epsilon: Some(scene.world.cloths()[0].epsilon()), ..options };
            let mut cloth = Cloth::from_mesh(&garments::tablecloth(0.7, squares)?, &options)?;
            cloth.set_places(&start)?;
            let mut world = ClothWorld::new(ClothWorldOptions { friction, method, ..Default::default() });
            for obstacle in scene.world.obstacles() {
                world.adopt(obstacle.clone());
            }
            world.add_cloth(cloth);
            // Two seconds, or as much of them as large cloth allows.
            let steps = if setup.quick { 3 } else { (200_000 / (squares + 1).pow(2)).clamp(5, 100) * 2 };
            let (mut total, mut obstacles, mut itself, mut deepest) = (0.0, 0.0, 0.0, f64::NEG_INFINITY);
            for _ in 0..steps {
                let of = world.step(scene.dt)?;
                total += of.seconds;
                obstacles += of.collision_seconds;
                itself += of.self_collision_seconds;
                deepest = deepest.max(world.penetration());
            }
            let substeps = f64::from(world.options().substeps) * steps as f64;
            let particles = (squares + 1).pow(2);
            table.row(vec![
                name.into(),
                count(particles as u64),
                number(1e3 * total / substeps),
                number(1e3 * obstacles / substeps),
                number(100.0 * obstacles / total),
                number(1e3 * itself / substeps),
                number(1e6 * total / substeps / particles as f64),
                number(1e3 * deepest.max(0.0)),
            ]);
            if method == CollisionMethod::Continuous && edges == EdgeTest::Centre && deepest > 0.0 {
                failures.push(format!("{name}, {particles} particles: {deepest} m below the surface"));
            }
            x.push(particles as f64);
            y.push(1e3 * total / substeps);
        }
        chart.add(name, &x, &y);
    }
    // What the normals cost: queries alone, at the places of the cloth.
    let mut scene = scenes::tablecloth(sizes[0])?;
    for _ in 0..if setup.quick { 2 } else { 100 } {
        scene.step()?;
    }
    let places = scene.world.cloths()[0].places().to_vec();
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
    for (name, seconds) in [("queries alone, distance", value), ("queries alone, distance and normal", both)]
    {
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
             looked at again. Two seconds are simulated; of 10,000 particles 0.4 s, of 99,856 the first 0.1 s.",
            ClothWorldOptions::default().substeps
        ),
        "![Time of a substep against the number of particles](pictures/cloth-substep.svg)".into(),
    ]
}
