//! Cloth over a detailed head, beside Fuhrmann et al. (2003); and against wires, faster and faster.

use std::sync::Arc;

use isotouch::ccd::{Ball, Segment};
use isotouch::cloth::{
    Cloth, ClothOptions, ClothWorld, ClothWorldOptions, CollisionMethod, EdgeTest, FrictionModel,
    ObstacleOptions, garments, scenes,
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
/// m/s.
const SPEEDS: [f64; 6] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0];

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
    report.tables.push(wires(setup, &mut report.failures)?);
    report.tables.push(stretch(setup)?);
    report.remarks = remarks();
    report.tables.push(beside_pypbd(setup, &mut report.remarks)?);
    Ok(report)
}

fn draped(setup: &Setup, failures: &mut Vec<String>) -> anyhow::Result<Table> {
    let sizes = if setup.quick { &[15][..] } else { &SQUARES[..] };
    let mut table = Table::new(
        format!(
            "A tablecloth over a head of 292,820 triangles, per substep of 1 ms, {} threads",
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
    for (name, edges, friction, method) in KINDS {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for &squares in sizes {
            eprintln!("{name}, {squares}");
            let mut scene = scenes::tablecloth(squares)?;
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
            scene.world = world;
            // Two seconds, or as much of them as large cloth allows.
            let steps = if setup.quick { 3 } else { (200_000 / (squares + 1).pow(2)).clamp(5, 200) * 2 };
            let (mut total, mut obstacles, mut itself, mut deepest) = (0.0, 0.0, 0.0, f64::NEG_INFINITY);
            for _ in 0..steps {
                let of = scene.step()?;
                total += of.seconds;
                obstacles += of.collision_seconds;
                itself += of.self_collision_seconds;
                deepest = deepest.max(scene.world.penetration());
            }
            let substeps = f64::from(scene.world.options().substeps) * steps as f64;
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

/// Particles whose chord from substep to substep went through a wire.
fn lost(method: CollisionMethod, speed: f64) -> anyhow::Result<(usize, f64)> {
    let mut scene = scenes::flag_wires(speed)?;
    scene.world.options_mut().method = method;
    // Every substep is looked at: over several, ways around a wire are bent.
    scene.dt /= f64::from(scene.world.options().substeps);
    scene.world.options_mut().substeps = 1;
    let inverses: Vec<_> = scene.world.obstacles().iter().map(|of| of.pose().inverse()).collect();
    let mut through = vec![false; scene.world.cloths()[0].places().len()];
    let mut deepest = f64::NEG_INFINITY;
    for _ in 0..scene.steps() {
        let before: Vec<DVec3> = scene.world.cloths()[0].places().to_vec();
        scene.step()?;
        deepest = deepest.max(scene.world.penetration());
        let places = scene.world.cloths()[0].places();
        for (of, inverse) in scene.world.obstacles().iter().zip(&inverses) {
            for (k, (from, to)) in before.iter().zip(places).enumerate() {
                let segment = Segment::new(inverse.place(*from), inverse.place(*to));
                // From one side of the plane of wires to the other.
                let crosses = segment.from.x * segment.to.x < 0.0;
                through[k] |= crosses && of.shape().touches(&segment, 0.0);
            }
        }
    }
    Ok((through.iter().filter(|is_through| **is_through).count(), deepest))
}

fn wires(setup: &Setup, failures: &mut Vec<String>) -> anyhow::Result<Table> {
    let mut table = Table::new(
        "A flag of 1,089 particles flies into wires of 2 mm: particles that come through a wire",
        &[
            "speed, m/s",
            "way per substep, mm",
            "2003: lost",
            "deepest, mm",
            "continuous: lost",
            "deepest, mm",
        ],
    );
    let speeds = if setup.quick { &SPEEDS[4..5] } else { &SPEEDS[..] };
    for &speed in speeds {
        eprintln!("{speed} m/s");
        let (by_2003, depth_2003) = lost(CollisionMethod::Discrete, speed)?;
        let (continuous, depth) = lost(CollisionMethod::Continuous, speed)?;
        table.row(vec![
            number(speed),
            number(speed * 0.25),
            count(by_2003 as u64),
            number(1e3 * depth_2003.max(0.0)),
            count(continuous as u64),
            number(1e3 * depth.max(0.0)),
        ]);
        if continuous > 0 || depth > 0.0 {
            failures.push(format!("{speed} m/s: {continuous} particles came through, {depth} m deep"));
        }
    }
    Ok(table)
}

/// A sheet hung from two corners: how far it is stretched by what one round per substep leaves over.
fn stretch(setup: &Setup) -> anyhow::Result<Table> {
    let mut table = Table::new(
        "A sheet of 1 m × 1 m hung from an edge, 2000 N/m: the most stretched place after a second, by substeps of a step of 10 ms",
        &["substeps", "particles", "stretch, %", "substeps per second"],
    );
    let cases: &[(usize, &[u32])] = if setup.quick {
        &[(10, &[4])]
    } else {
        &[(35, &[5, 10, 20, 40, 80]), (99, &[10, 40, 160]), (315, &[40, 160])]
    };
    for &(squares, all) in cases {
        for &substeps in all {
            eprintln!("{squares} squares, {substeps} substeps");
            let pins = (0..=squares).collect();
            let options = ClothOptions { pins, self_collision: false, damping: 3.0, ..Default::default() };
            let mut cloth = Cloth::from_mesh(&garments::tablecloth(1.0, squares)?, &options)?;
            // Hanging already.
            let hung: Vec<DVec3> = cloth.places().iter().map(|p| DVec3::new(p.x, -p.z - 0.5, 0.0)).collect();
            cloth.set_places(&hung)?;
            let mut world = ClothWorld::new(ClothWorldOptions { substeps, ..Default::default() });
            let id = world.add_cloth(cloth);
            let steps = if setup.quick || squares > 200 { 20 } else { 100 };
            let seconds = seconds_of(|| {
                for _ in 0..steps {
                    // Diverged or not is seen in the stretch.
                    let _ = world.step(0.01);
                }
            });
            table.row(vec![
                count(u64::from(substeps)),
                count((squares + 1).pow(2) as u64),
                number(100.0 * world.cloth(id).largest_stretch()),
                number(f64::from(substeps * steps) / seconds),
            ]);
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
            let mut world = ClothWorld::default();
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
        "2003 tells, on two Xeons of 2 GHz and in Java: edge tests take three times as long as particles alone, normals and the enhanced friction next to nothing, and obstacles are half of a step. \
         Its time step is 10 ms, here cut into ten. Every substep has wind, bending, strain, cloth on itself, and obstacles."
            .into(),
        "Lost: the chord of a particle from substep to substep goes through a wire, from one side of their plane to the other.".into(),
        "![Time of a substep against the number of particles](pictures/cloth-substep.svg)".into(),
    ]
}
