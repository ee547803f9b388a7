//! A rod pressed on three bars: figure 11 of 2016.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use isotouch::haptics::{Detection, GodObject, GodObjectOptions, HeldPair};
use isotouch::math::Pose;
use isotouch::mesh::shapes::{BarsOptions, bars_and_rod};
use isotouch::output::chart::{Axis, Chart};

use super::Setup;
use crate::haptic_scenes::{draw, field_of, least_value, shell_of, shell_on_field};
use crate::report::{Report, Table, number};

/// Along z: where the rod begins, and where the hand ends, on the other side of the bars.
const FROM: f64 = -0.3;
const TO: f64 = 0.3;
/// How far the hand then slides along the bars, and in how many steps.
const ASIDE: f64 = 0.3;
const SLIDING: usize = 150;
/// Of the hand's way: without friction a rod that slides follows, but for a little of its last steps.
const FOLLOWS: f64 = 0.98;
/// In bar radii: a rod that ends so deep is stuck in the bars.
const DEEP: f64 = 0.2;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let (resolution, points) = if setup.quick { (96, 1_500) } else { (256, 6_000) };
    let options = BarsOptions::default();
    let puzzle = bars_and_rod(options)?;
    let pair =
        shell_on_field(&puzzle.rod, shell_of(&puzzle.rod, points)?, field_of(&puzzle.bars, resolution)?)?;
    let speeds: &[f64] =
        if setup.quick { &[0.1, 1.5] } else { &[0.02, 0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0] };
    let mut report = Report::default();
    let mut table = Table::new(
        format!(
            "A rod pressed on three bars ({resolution}³, {points} points) and pulled along them, by speed"
        ),
        &[
            "detection",
            "bar radii per step",
            "slides, of the hand's way",
            "height, bar radii",
            "least φ, bar radii",
            "passes through",
            "sticks in them",
        ],
    );
    let mut chart = Chart::new(
        "A rod on three bars",
        Axis::new("step", ""),
        Axis::new("height across the bars", "bar radii"),
    );
    let mut failed_discretely = false;
    for detection in [Detection::Continuous, Detection::Discrete] {
        let name = if detection == Detection::Continuous { "continuous" } else { "discrete" };
        for &speed in speeds {
            let hands = hands(speed * options.bar_radius);
            let course = drive(&pair, detection, &hands)?;
            let radii = |z: f64| z / options.bar_radius;
            let slid = course.end.position.x / ASIDE;
            let passes = course.end.position.z > 0.0;
            let sticks = !passes && (slid < 0.5 || radii(course.end_value) < -DEEP);
            table.row(vec![
                name.into(),
                number(speed),
                number(slid),
                number(radii(course.end.position.z)),
                number(radii(course.least)),
                if passes { "yes" } else { "no" }.into(),
                if sticks { "yes" } else { "no" }.into(),
            ]);
            let is_sound = !passes && slid > FOLLOWS && course.least > 0.0;
            if detection == Detection::Continuous && !is_sound {
                report.failures.push(format!(
                    "continuous detection at {speed}: slid {slid} of the way, least φ {}, ends at {}",
                    course.least, course.end.position
                ));
            }
            failed_discretely |= detection == Detection::Discrete && (passes || sticks);
            if speed == 1.5 || speed == 0.1 {
                let x: Vec<f64> = (0..course.heights.len()).map(|k| k as f64).collect();
                let y: Vec<f64> = course.heights.iter().map(|&z| radii(z)).collect();
                chart.add(&format!("{name}, {} radii per step", number(speed)), &x, &y);
            }
        }
    }
    if !failed_discretely {
        report.failures.push("discrete detection neither stuck nor passed, so the test shows nothing".into());
    }
    report.tables.push(table);
    draw(&chart, "three-bars", setup.quick)?;
    report.remarks.push(
        "The paper (figure 11): with discrete detection the rod sticks deep in the bars or passes through, with continuous detection it stays on them and slides. The hand goes across the bars, then along them; the rod lies \
         across all three. It sticks if it ends deeper than a fifth of a bar's radius, or follows by less than half the way.\n\n![A rod on three bars](pictures/three-bars.svg)"
            .into(),
    );
    Ok(report)
}

/// Across the bars by `way` a step, then along them.
fn hands(way: f64) -> Vec<Pose> {
    // The rod is made along z; it lies across the bars.
    let rotation = DQuat::from_rotation_x(std::f64::consts::FRAC_PI_2);
    let steps = ((TO - FROM) / way).ceil() as usize;
    let across = (0..=steps).map(|k| DVec3::Z * (FROM + way * k as f64).min(TO));
    let aside = (1..=SLIDING).map(|k| DVec3::new(ASIDE * k as f64 / SLIDING as f64, 0.0, TO));
    across.chain(aside).map(|position| Pose { position, rotation }).collect()
}

struct Course {
    end: Pose,
    /// The least φ of any point, at the end and ever.
    end_value: f64,
    least: f64,
    heights: Vec<f64>,
}

fn drive(pair: &Arc<HeldPair>, detection: Detection, hands: &[Pose]) -> anyhow::Result<Course> {
    let options = GodObjectOptions { detection, ..Default::default() };
    let mut god = GodObject::new(Arc::clone(pair), hands[0], &options)?;
    let (mut least, mut heights) = (f64::INFINITY, Vec::new());
    for hand in hands {
        god.step(hand);
        least = least.min(least_value(pair, &god.pose()));
        heights.push(god.pose().position.z);
    }
    let end = god.pose();
    Ok(Course { end, end_value: least_value(pair, &end), least, heights })
}
