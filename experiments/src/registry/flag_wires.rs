//! A flag against wires, faster and faster: who loses particles?

use isotouch::ccd::Segment;
use isotouch::cloth::{CollisionMethod, scenes};
use isotouch::math::DVec3;

use super::Setup;
use crate::report::{Report, Table, count, number};

/// m/s.
const SPEEDS: [f64; 6] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0];

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.tables.push(wires(setup, &mut report.failures)?);
    report.remarks = vec![
        "Lost: the chord of a particle from substep to substep goes through a wire, from one side of their plane to the other. Deepest: of particles and middles of edges, at the end of \
         any substep."
            .into(),
    ];
    Ok(report)
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
