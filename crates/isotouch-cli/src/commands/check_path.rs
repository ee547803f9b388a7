use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context;
use isotouch::ccd::path::{
    Answer, ContactKind, Doubt, FixedPart, MovingPart, Near, PathChecker, PathContact, PathOptions,
    PathReport, Reason,
};
use isotouch::math::{DVec3, MotionKind, Pose};
use isotouch::output::plot::ClearancePlot;
use serde_json::{Value, json};

use super::build_args::FieldArgs;
use super::legs::Legs;
use super::output_path;
use super::poses;
use super::source;
use crate::console::Console;
use crate::failure::{Classify, Exit, Failure};
use crate::format::{count, duration, number, plural};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;
use crate::values::{named, not_negative, point, positive};

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    The answer is about the meshes, for every point of their surfaces and every time: free (exit code 0) is proven, contact (1) comes \
    with a pose that shows it, undecided (3) is closer than the tolerance, or triangles do not tell what is inside.\n\n\
    A path is CSV with the header x,y,z,qx,qy,qz,qw, perhaps t before it, which must not fall, or these seven numbers per line, separated by \
    commas, semicolons or blanks. Quaternions are x y z w. A leg takes the shorter way round; of one that is half a turn rounding decides, \
    and a warning says so.\n\n\
    Holes of the fixed part's mesh are closed by caps, where its field closes them; those of the moving part's are not, and a warning says so: what passes through \
    one of them touches nothing.\n\n\
    Examples:\n  \
    isotouch check-path --moving peg.obj --fixed plate.obj --path insert.csv\n  \
    isotouch check-path --moving peg.obj --fixed plate.obj --path insert.csv --clearance 0.1 --plot clearance.svg\n  \
    isotouch check-path --moving nut.obj --fixed bolt.obj --path screw.csv --motion screw --json")]
pub(crate) struct Args {
    /// Mesh of the part that moves.
    #[arg(long, value_name = "MESH")]
    moving: PathBuf,
    /// Mesh of the part that stands still.
    #[arg(long, value_name = "MESH")]
    fixed: PathBuf,
    /// Poses of the moving part, one per line; - is standard input.
    #[arg(long, value_name = "FILE")]
    path: PathBuf,
    /// Distance to keep; nearer counts as contact.
    #[arg(long, value_name = "D", default_value_t = 0.0, value_parser = not_negative, allow_hyphen_values = true)]
    clearance: f64,
    /// What is too close to call [default: 0.00001 of the moving part's size].
    #[arg(long, value_name = "D", value_parser = positive, allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// How poses are joined: rigid (straight line and slerp), screw or chord.
    #[arg(long, value_name = "KIND", default_value = "rigid", value_parser = motion)]
    motion: MotionKind,
    /// The point of the moving mesh that positions are of, and that it turns about.
    #[arg(long, value_name = "X,Y,Z", default_value = "0,0,0", value_parser = point, allow_hyphen_values = true)]
    moving_origin: DVec3,
    /// Let a contact at the first pose pass until the parts have come apart. Before that nothing is checked; it is told when that is.
    #[arg(long)]
    ignore_start_contact: bool,
    /// Draw the clearance along the path: an SVG file.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    build: FieldArgs,
}

pub(super) fn motion(name: &str) -> Result<MotionKind, String> {
    named(name, &MotionKind::NAMES)
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    if let Some(plot) = &args.plot {
        output_path::check(plot, "svg", &[&args.moving, &args.fixed, &args.path])?;
    }
    args.build.limit_threads()?;
    let path = poses::read(&args.path, args.motion, console)?;
    interrupt::check()?;
    let moving_mesh = source::mesh(&args.moving, &args.build, console)?;
    source::warn_of_moving(&args.moving, &moving_mesh, console);
    let fixed_mesh = source::mesh(&args.fixed, &args.build, console)?;
    let found = source::field(&args.fixed, &args.build, console)?;
    interrupt::check()?;
    let moving = MovingPart::new(&moving_mesh, args.moving_origin)
        .with_context(|| args.moving.display().to_string())
        .or_bad_input()?;
    let fixed = FixedPart::new(&fixed_mesh, &found.field)
        .with_context(|| args.fixed.display().to_string())
        .or_bad_input()?;
    warn_of_sizes(moving.size(), fixed.size(), console);
    let options = PathOptions {
        motion: args.motion,
        clearance: args.clearance,
        tolerance: args.tolerance,
        ignores_start_contact: args.ignore_start_contact,
    };
    let checker = PathChecker::new(&moving, &fixed, &options).until(&interrupt::INTERRUPTED);
    let start = Instant::now();
    let all = path.len() - 1;
    let mut legs = Legs::new(args.plot.as_ref().map(|_| ClearancePlot::new(all)));
    let bar = Bar::new(console);
    let checked = checker.check_with(&path, |number, leg| {
        legs.add(number, leg);
        bar.update("checking", number as u64 + 1, all as u64);
    });
    drop(bar);
    interrupt::check()?;
    let elapsed = start.elapsed();
    if let (Some(output), Some(mut plot)) = (&args.plot, legs.plot.take()) {
        draw_distances(&checker, &path, &mut plot)?;
        plot.write(output).with_context(|| format!("cannot write {}", output.display())).or_failed()?;
    }

    let mut report = Report::new();
    in_words(&mut report, &checked, &checker, (all, args.motion));
    if all > 1 {
        legs.table().into_iter().for_each(|line| report.line(line));
    }
    report.facts(&[("checked", format!("{} in {}", plural(all as u64, "leg"), duration(elapsed)))]);
    as_json(&mut report, &checked, &checker);
    report.key("looks", legs.looks);
    let (told, left_out) = legs.into_json();
    report.key("legs", told);
    report.key("legs_left_out", left_out);
    report.key(
        "motion",
        MotionKind::NAMES.iter().find(|(_, kind)| *kind == args.motion).map(|(name, _)| *name),
    );
    report.key("plot", args.plot.as_ref().map(|plot| plot.display().to_string()));
    report.key("seconds", elapsed.as_secs_f64());
    found.report(&mut report);
    report.set_exit(match checked.answer {
        Answer::Free => Exit::Done,
        Answer::Contact => Exit::Contact,
        Answer::Undecided | Answer::LetPass => Exit::Undecided,
    });
    Ok(report)
}

fn warn_of_sizes(moving: f64, fixed: f64, console: &Console) {
    let ratio = (moving / fixed).max(fixed / moving);
    if ratio >= 1000.0 {
        console.warn(format_args!(
            "one part is {} times as large as the other ({} and {}): is one in millimetres and the other in metres? --scale is for both; \
             convert one of the files",
            count(ratio as u64),
            number(moving),
            number(fixed)
        ));
    }
}

fn in_words(
    report: &mut Report,
    checked: &PathReport,
    checker: &PathChecker<'_>,
    (legs, motion): (usize, MotionKind),
) {
    match (checked.answer, &checked.first_contact, &checked.undecided) {
        (Answer::Contact, Some(contact), _) => {
            report.line(format_args!("contact: {}", what(contact)));
            report.facts(&facts_of(contact, legs, motion));
            if checked.starts_in_contact && checked.checked_from.is_some() {
                report.line("  this is at the first pose: --ignore-start-contact lets it pass until the parts have come apart");
            }
        }
        (Answer::Undecided, _, Some((leg, doubt))) => {
            report.line(format_args!("undecided: {}", why(doubt, checker)));
            let mut facts = vec![("first", at_time(*leg, doubt.near.t, legs))];
            if doubt.near.point.is_finite() {
                facts.push(("there", place(&doubt.near, doubt.reason)));
            }
            report.facts(&facts);
        }
        _ => {
            match checked.checked_from {
                Some((leg, t)) if (leg, t) != (0, 0.0) => report.line(format_args!(
                    "free from leg {}, t = {} on: proven for the whole surface and all times since; before, the contact at the start \
                     was let pass and nothing was checked",
                    leg + 1,
                    number(t)
                )),
                _ => report.line(format_args!("free: proven for the whole surface and all times")),
            }
            report.facts(&[("clearance", format!("at least {}", number(checked.clearance)))]);
        }
    }
}

fn why(doubt: &Doubt, checker: &PathChecker<'_>) -> String {
    match doubt.reason {
        Reason::TooClose => format!(
            "too close to call with a tolerance of {}; a smaller --tolerance takes longer",
            number(checker.tolerance())
        ),
        Reason::PerhapsInside => {
            "at the first pose nothing touches, but the triangles do not tell whether a piece of one part is inside the other; \
             'isotouch inspect' says what is wrong with a mesh"
                .into()
        }
        Reason::Rounding => {
            "coordinates are so large that their rounding hides how close the parts come; move parts and path nearer to the origin, or \
             cut the leg into shorter ones"
                .into()
        }
        Reason::GivenUp => "given up; a larger --tolerance is sooner told".into(),
        Reason::Cancelled => "interrupted".into(),
    }
}

/// A time as people count.
fn at_time(leg: usize, t: f64, legs: usize) -> String {
    format!("leg {} of {legs}, t = {}", leg + 1, number(t))
}

fn what(contact: &PathContact) -> &'static str {
    match contact.kind {
        ContactKind::Surface if contact.distance > 0.0 => {
            "the parts come nearer than the clearance asked for"
        }
        ContactKind::Cap if contact.distance > 0.0 => {
            "the moving part comes nearer than the clearance asked for to a hole of the other one's mesh, which counts as closed"
        }
        ContactKind::Surface => "the parts touch",
        ContactKind::Cap => {
            "the moving part enters the other one through a hole of its mesh, which counts as closed"
        }
        ContactKind::MovingInside => {
            "at the first pose a piece of the moving part is wholly inside the other one"
        }
        ContactKind::FixedInside => {
            "at the first pose a piece of the other part is wholly inside the moving one"
        }
    }
}

fn facts_of(contact: &PathContact, legs: usize, motion: MotionKind) -> Vec<(&'static str, String)> {
    let vector = |v: DVec3| v.to_array().map(number).join(", ");
    let mut pose = contact.pose.to_numbers().map(|of| of.to_string()).join(",");
    if motion == MotionKind::Chord {
        pose.push_str(" (of the rigid motion; by chords the part shrinks between poses)");
    }
    let mut facts =
        vec![("first", at_time(contact.leg, contact.t, legs)), ("pose", pose), ("at", vector(contact.point))];
    facts.extend(contact.normal.map(|normal| ("normal", vector(normal))));
    if contact.distance > 0.0 {
        facts.push(("distance", number(contact.distance)));
    }
    facts
}

fn place(near: &Near, reason: Reason) -> String {
    let at = near.point.to_array().map(number).join(", ");
    if reason == Reason::PerhapsInside { at } else { format!("{} apart at {at}", number(near.distance)) }
}

fn as_json(report: &mut Report, checked: &PathReport, checker: &PathChecker<'_>) {
    report.key("answer", checked.answer.name());
    report.key("clearance", checked.clearance);
    report.key("tolerance", checker.tolerance());
    report.key("first_contact", checked.first_contact.as_ref().map(contact_json));
    report.key("starts_in_contact", checked.starts_in_contact);
    report.key("checked_from", checked.checked_from.map(|(leg, t)| json!({ "leg": leg, "t": t })));
    let undecided = checked.undecided.map(|(leg, Doubt { near, reason })| {
        let (distance, point) = (near.distance, near.point.to_array());
        json!({ "leg": leg, "t": near.t, "distance": distance, "point": point, "reason": reason.name() })
    });
    report.key("undecided", undecided);
}

fn contact_json(contact: &PathContact) -> Value {
    let kind = match contact.kind {
        ContactKind::Surface => "surface",
        ContactKind::Cap => "cap",
        ContactKind::MovingInside => "moving_inside",
        ContactKind::FixedInside => "fixed_inside",
    };
    json!({
        "leg": contact.leg,
        "t": contact.t,
        "pose": contact.pose.to_numbers(),
        "point": contact.point.to_array(),
        "normal": contact.normal.map(|normal| normal.to_array()),
        "distance": contact.distance,
        "kind": kind,
    })
}

/// Adds exact distances at poses along the path.
fn draw_distances(checker: &PathChecker<'_>, path: &[Pose], plot: &mut ClearancePlot) -> Result<(), Failure> {
    let legs = path.len() - 1;
    let poses = ClearancePlot::POINTS.max(legs.min(4 * ClearancePlot::POINTS));
    for k in 0..=poses {
        interrupt::check()?;
        let at = legs as f64 * k as f64 / poses as f64;
        let leg = (at as usize).min(legs - 1);
        let motion = checker.motion(path[leg], path[leg + 1]);
        let distance = checker.distance_along(&motion, at - leg as f64, f64::INFINITY);
        plot.add_distance(at, distance.unwrap_or(f64::NAN));
    }
    Ok(())
}
