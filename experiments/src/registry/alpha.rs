//! Two α tubes, linked: a planner takes them apart, and the path is proven free.

use glam::DVec3;
use isotouch::ccd::path::{Answer, FixedPart, MovingPart, PathChecker, PathOptions};
use isotouch::field::{Field, FieldOptions};
use isotouch::math::Pose;
use isotouch::mesh::shapes::{AlphaOptions, alpha_path, alpha_tube};

use super::Setup;
use crate::planner::Plan;
use crate::random::Random;
use crate::report::{Report, Table, count, number};
use crate::timing::timed;

/// What paths are to keep, of the tube's size: four cells at 256³ and a half.
const ROOM: f64 = 0.02;
/// What the planner keeps at the poses that it looks at: more, for between them it does not look.
const ROOM_AT_POSES: f64 = 0.022;
/// How far a radian moves a tube, about: its points are 0.1 to 0.6 from its middle.
const PER_RADIAN: f64 = 0.35;
/// From pose to pose: a point moves by the room at most.
const STEP: f64 = 0.006;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let (resolution, seeds, tries, ways) = if setup.quick { (96, 1, 40, 20) } else { (256, 5, 400, 1_000) };
    let options = AlphaOptions::default();
    let tube = alpha_tube(options)?;
    let field = Field::from_mesh(&tube, &FieldOptions { resolution, ..Default::default() })?;
    // Of 256³, also where the field is coarser.
    let cell = field.grid().cell * f64::from(resolution) / 256.0;
    let (moving, fixed) = (MovingPart::new(&tube, DVec3::ZERO)?, FixedPart::new(&tube, &field)?);
    let with =
        |clearance: f64| PathChecker::new(&moving, &fixed, &PathOptions { clearance, ..Default::default() });
    let (checker, roomy) = (with(0.0), with(ROOM));
    // The middles of the tube's rings stand for it: what is so far from them is that far from its skin.
    let line: Vec<DVec3> = tube.vertices()[..options.rings * options.segments]
        .chunks(2 * options.segments)
        .map(|rings| rings[..options.segments].iter().sum::<DVec3>() / options.segments as f64)
        .collect();
    let least = options.tube_radius + ROOM_AT_POSES;
    let is_clear = |pose: &Pose| line.iter().all(|&p| field.distance(pose.place(p)).value() > least);
    let kept = alpha_path();
    let (Some(&first), Some(&last)) = (kept.first(), kept.last()) else { anyhow::bail!("no path") };

    let mut report = Report::default();
    let mut table = Table::new(
        "Paths from linked to apart, proven by check-path; room in cells of a field with 256³",
        &[
            "path",
            "poses reached",
            "planning, s",
            "poses",
            "made shorter",
            "s",
            "clearance",
            "cells",
            "proof, s",
        ],
    );
    let mut proven = |name: String, made: [String; 4], path: &[Pose], report: &mut Report| {
        let (seconds, checked) = timed(|| checker.check(path));
        if checked.answer != Answer::Free || checked.clearance < 2.0 * cell {
            report.failures.push(format!("{name} is {}, {}", checked.answer.name(), checked.clearance));
        }
        let [reached, planning, poses, shortening] = made;
        table.row(vec![
            name,
            reached,
            planning,
            poses,
            count(path.len() as u64),
            shortening,
            number(checked.clearance),
            number(checked.clearance / cell),
            number(seconds),
        ]);
    };
    let not_made = ["–"; 4].map(String::from);
    proven("as it is kept".into(), not_made, &kept, &mut report);
    for seed in 1..=seeds {
        eprintln!("seed {seed}");
        let plan = Plan {
            is_clear: &is_clear,
            per_radian: PER_RADIAN,
            step: STEP,
            within: 1.0,
            most_poses: 60_000,
            seed,
        };
        let (planning, planned) = timed(|| plan.path(first, last));
        let Some(planned) = planned else {
            report.failures.push(format!("seed {seed} finds no path"));
            continue;
        };
        let poses = planned.path.len();
        let is_free = |a: &Pose, b: &Pose| roomy.answer(&roomy.motion(*a, *b)) == Answer::Free;
        let (shortening, path) = timed(|| plan.shortened(planned.path, tries, &is_free));
        let made = [count(planned.poses as u64), number(planning), count(poses as u64), number(shortening)];
        proven(format!("seed {seed}"), made, &path, &mut report);
        eprintln!("{}", path.iter().map(line_of).collect::<Vec<_>>().join("\n"));
    }
    report.tables.push(table);

    let mut random = Random::new(1);
    let mut pulled = Table::new("Straight ways out", &["from", "directions", "contact", "free"]);
    for (name, pose) in [("linked", first), ("apart", last)] {
        let answers: Vec<Answer> = (0..ways)
            .map(|_| {
                let to = Pose { position: pose.position + 4.0 * random.direction(), ..pose };
                checker.answer(&checker.motion(pose, to))
            })
            .collect();
        let number_of = |answer| count(answers.iter().filter(|of| **of == answer).count() as u64);
        pulled.row(vec![name.into(), count(ways), number_of(Answer::Contact), number_of(Answer::Free)]);
        if name == "linked" && answers.contains(&Answer::Free) {
            report.failures.push("a straight way out is free".into());
        }
    }
    report.tables.push(pulled);
    report.remarks = remarks();
    Ok(report)
}

/// As in a path's file.
fn line_of(pose: &Pose) -> String {
    pose.to_numbers().map(|number| format!("{number:.4}")).join(",")
}

fn remarks() -> Vec<String> {
    vec![format!(
        "Two tubes of size 1 (`shapes::alpha_tube`, defaults), from where they are linked to where they are beside each other. The planner (RRT-Connect, on one thread) \
         looks at the middles of one tube's rings in the field of the other, keeping {ROOM_AT_POSES} at poses {STEP} apart; pieces of its path are then \
         replaced by straight ones that check-path proves to keep {ROOM}. The whole path is proven in the end, its clearance being a lower \
         bound of the distance of the two meshes. The first row is `shapes::alpha_path`, which is part of the library."
    )]
}
