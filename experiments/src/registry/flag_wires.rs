//! A flag against wires, faster and faster: who loses particles?

use isotouch::ccd::Segment;
use isotouch::cloth::{CollisionMethod, scenes};
use isotouch::math::DVec3;

use super::Setup;
use crate::report::{Report, Table, count, number};

/// m/s.
const SPEEDS: [f64; 8] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0];

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    report.tables.push(wires(setup, &mut report.failures)?);
    report.remarks = vec![
        "Lost: the chord of a particle, or of the middle of an edge, from substep to substep goes through a wire, from one side of their plane to the other. Deepest: of particles and middles of \
         edges, at the end of any substep. Air slows the flag down before it is there: its speed at the wires is the mean of all particles in the substep in which the first comes into their plane."
            .into(),
    ];
    Ok(report)
}

/// What went through a wire on its chord from substep to substep, and how deep anything was.
struct Lost {
    particles: usize,
    middles: usize,
    deepest: f64,
    /// Of all particles on average, when the first comes into the plane of the wires, m/s; NaN if none does.
    speed: f64,
}

fn lost(method: CollisionMethod, speed: f64) -> anyhow::Result<Lost> {
    let mut scene = scenes::flag_wires(speed)?;
    scene.world.options_mut().method = method;
    // Every substep is looked at: over several, ways around a wire are bent.
    scene.dt /= f64::from(scene.world.options().substeps);
    scene.world.options_mut().substeps = 1;
    let inverses: Vec<_> = scene.world.obstacles().iter().map(|of| of.pose().inverse()).collect();
    let ends: Vec<[usize; 2]> = scene.world.cloths()[0].edges().collect();
    let points = |places: &[DVec3]| -> Vec<DVec3> {
        let middles = ends.iter().map(|&[a, b]| 0.5 * (places[a] + places[b]));
        places.iter().copied().chain(middles).collect()
    };
    let particles = scene.world.cloths()[0].places().len();
    let mut after = points(scene.world.cloths()[0].places());
    let mut through = vec![false; after.len()];
    let (mut deepest, mut speed) = (f64::NEG_INFINITY, f64::NAN);
    for _ in 0..scene.steps() {
        let before = after;
        scene.step()?;
        deepest = deepest.max(scene.world.penetration());
        after = points(scene.world.cloths()[0].places());
        let ways = || before.iter().zip(&after).take(particles);
        let is_there =
            scene.world.obstacles().iter().zip(&inverses).any(|(_, inverse)| {
                ways().any(|(from, to)| inverse.place(*from).x * inverse.place(*to).x < 0.0)
            });
        if speed.is_nan() && is_there {
            let sum: f64 = ways().map(|(from, to)| from.distance(*to)).sum();
            speed = sum / particles as f64 / scene.dt;
        }
        for (of, inverse) in scene.world.obstacles().iter().zip(&inverses) {
            for (k, (from, to)) in before.iter().zip(&after).enumerate() {
                let segment = Segment::new(inverse.place(*from), inverse.place(*to));
                // From one side of the plane of wires to the other.
                let crosses = segment.from.x * segment.to.x < 0.0;
                through[k] |= crosses && of.shape().touches(&segment, 0.0);
            }
        }
    }
    let count = |of: &[bool]| of.iter().filter(|is_through| **is_through).count();
    let [particles, middles] = [count(&through[..particles]), count(&through[particles..])];
    Ok(Lost { particles, middles, deepest, speed })
}

fn wires(setup: &Setup, failures: &mut Vec<String>) -> anyhow::Result<Table> {
    let mut table = Table::new(
        "A flag of 1,089 particles and 3,136 edges flies into wires of 2 mm: what comes through a wire",
        &[
            "thrown at, m/s",
            "at the wires, m/s",
            "way per substep there, mm",
            "2003: particles lost",
            "middles lost",
            "deepest, mm",
            "continuous: particles lost",
            "middles lost",
            "deepest, mm",
        ],
    );
    let speeds = if setup.quick { &SPEEDS[6..7] } else { &SPEEDS[..] };
    let mut lost_by_2003 = 0;
    for &speed in speeds {
        eprintln!("{speed} m/s");
        let by_2003 = lost(CollisionMethod::Discrete, speed)?;
        let continuous = lost(CollisionMethod::Continuous, speed)?;
        lost_by_2003 += by_2003.particles;
        let of = |lost: &Lost| {
            [count(lost.particles as u64), count(lost.middles as u64), number(1e3 * lost.deepest.max(0.0))]
        };
        let row = [number(speed), number(continuous.speed), number(continuous.speed * 0.25)].into_iter();
        table.row(row.chain(of(&by_2003)).chain(of(&continuous)).collect());
        if continuous.particles + continuous.middles > 0 || continuous.deepest > 0.0 {
            failures.push(format!(
                "{speed} m/s: {} particles and {} middles of edges came through, {} m deep",
                continuous.particles, continuous.middles, continuous.deepest
            ));
        }
    }
    if lost_by_2003 == 0 {
        failures.push("the method of 2003 loses nothing at any speed, so this shows nothing".into());
    }
    Ok(table)
}
