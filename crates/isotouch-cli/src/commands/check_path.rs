use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, anyhow};
use isotouch::ccd::path::{
    Answer, ContactKind, Doubt, FixedPart, LegReport, MovingPart, Near, PathChecker, PathContact,
    PathOptions, PathReader, PathReport, Reason,
};
use isotouch::math::{DVec3, MotionKind, Pose};
use isotouch::output::plot::ClearancePlot;
use serde_json::{Value, json};

use super::build_args::FieldArgs;
use super::output_path;
use super::source;
use crate::console::Console;
use crate::failure::{Classify, Exit, Failure};
use crate::format::{count, duration, number, plural};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;
use crate::values::{named, not_negative, point, positive};

/// Legs that are told one by one.
const MOST_TOLD: usize = 10_000;
/// Lines of the table for people.
const MOST_LINES: usize = 24;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    The answer is about the meshes, for every point of their surfaces and every time: free (exit code 0) is proven, contact (1) comes \
    with a pose that shows it, undecided (3) is closer than the tolerance, or triangles do not tell what is inside.\n\n\
    A path is CSV with the header x,y,z,qx,qy,qz,qw, perhaps t before it, or these seven numbers per line, separated by blanks. \
    Quaternions are x y z w.\n\n\
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
    /// Poses of the moving part, one per line.
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
    let path = read_path(&args.path)?;
    interrupt::check()?;
    let moving_mesh = source::mesh(&args.moving, &args.build, console)?;
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
    let bar = Bar::new(console);
    let checked = checker.check_with(&path, |legs, of| bar.update("checking", legs as u64, of as u64));
    drop(bar);
    interrupt::check()?;
    let elapsed = start.elapsed();
    if let Some(plot) = &args.plot {
        draw(&checker, &path, &checked, plot)?;
    }

    let mut report = Report::new();
    in_words(&mut report, &checked, &checker, args.motion);
    report.facts(&[(
        "checked",
        format!("{} in {}", plural(checked.legs.len() as u64, "leg"), duration(elapsed)),
    )]);
    as_json(&mut report, &checked, &checker);
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

fn read_path(path: &Path) -> Result<Vec<Pose>, Failure> {
    let shown = path.display();
    let file = File::open(path).with_context(|| format!("cannot read {shown}")).or_bad_input()?;
    let poses: Vec<Pose> = PathReader::new(BufReader::new(file))
        .collect::<Result<_, _>>()
        .with_context(|| shown.to_string())
        .or_bad_input()?;
    match poses.len() {
        0 => Err(anyhow!("{shown} has no poses; a path needs at least two, one per line: x,y,z,qx,qy,qz,qw"))
            .or_bad_input(),
        1 => Err(anyhow!(
            "{shown} has only one pose; a path needs two. To check a single pose, write it twice"
        ))
        .or_bad_input(),
        _ => Ok(poses),
    }
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

fn in_words(report: &mut Report, checked: &PathReport, checker: &PathChecker<'_>, motion: MotionKind) {
    let legs = checked.legs.len();
    match (checked.answer, &checked.first_contact, &checked.undecided) {
        (Answer::Contact, Some(contact), _) => {
            report.line(format_args!("contact: {}", what(contact.kind)));
            report.facts(&facts_of(contact, legs, motion));
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
    if legs > 1 {
        for line in table(&checked.legs) {
            report.line(line);
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
        Reason::GivenUp => "given up; a larger --tolerance is sooner told".into(),
        Reason::Cancelled => "interrupted".into(),
    }
}

/// A time as people count.
fn at_time(leg: usize, t: f64, legs: usize) -> String {
    format!("leg {} of {legs}, t = {}", leg + 1, number(t))
}

fn what(kind: ContactKind) -> &'static str {
    match kind {
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

/// A line for each leg; where there are many, for the tightest.
fn table(legs: &[LegReport]) -> Vec<String> {
    let mut shown: Vec<usize> = (0..legs.len()).collect();
    shown.sort_by(|&a, &b| legs[a].clearance.total_cmp(&legs[b].clearance).then(a.cmp(&b)));
    let hidden = shown.len().saturating_sub(MOST_LINES);
    shown.truncate(MOST_LINES);
    shown.sort_unstable();
    let mut lines = vec![format!("  {:>8}  {:9}  {:>12}  contact", "leg", "answer", "clearance ≥")];
    for k in shown {
        let leg = &legs[k];
        let stretches: Vec<String> =
            leg.stretches.iter().map(|of| format!("{} to {}", number(of.start), number(of.end))).collect();
        let line = format!(
            "  {:>8}  {:9}  {:>12}  {}",
            k + 1,
            leg.answer.name(),
            if leg.answer == Answer::LetPass { String::new() } else { number(leg.clearance) },
            stretches.join(", ")
        );
        lines.push(line.trim_end().into());
    }
    if hidden > 0 {
        lines.push(format!("  and {} with more clearance", plural(hidden as u64, "leg")));
    }
    lines
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
    let legs: Vec<Value> = checked.legs.iter().take(MOST_TOLD).map(leg_json).collect();
    report.key("legs", legs);
    report.key("legs_left_out", checked.legs.len().saturating_sub(MOST_TOLD));
    report.key("looks", checked.legs.iter().map(|leg| leg.looks).sum::<u64>());
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

fn leg_json(leg: &LegReport) -> Value {
    let contacts: Vec<Value> =
        leg.stretches.iter().map(|of| json!({ "start": of.start, "end": of.end })).collect();
    json!({
        "answer": leg.answer.name(),
        "checked_from": leg.from,
        "clearance": leg.clearance,
        "nearest": leg.nearest.map(|near| json!({ "t": near.t, "distance": near.distance, "point": near.point.to_array() })),
        "contacts": contacts,
    })
}

/// Draws exact distances at poses along the path, what is proven for each leg, and where there is contact.
fn draw(
    checker: &PathChecker<'_>,
    path: &[Pose],
    checked: &PathReport,
    output: &Path,
) -> Result<(), Failure> {
    let legs = path.len() - 1;
    let poses = ClearancePlot::POINTS.max(legs.min(4 * ClearancePlot::POINTS));
    let mut plot = ClearancePlot::new(legs);
    for k in 0..=poses {
        interrupt::check()?;
        let at = legs as f64 * k as f64 / poses as f64;
        let leg = (at as usize).min(legs - 1);
        let motion = checker.motion(path[leg], path[leg + 1]);
        let distance = checker.distance_along(&motion, at - leg as f64, f64::INFINITY);
        plot.add_distance(at, distance.unwrap_or(f64::NAN));
    }
    for (k, leg) in checked.legs.iter().enumerate() {
        plot.add_bound(k, leg.clearance);
        for of in &leg.stretches {
            plot.add_contact(k as f64 + of.start, k as f64 + of.end);
        }
    }
    plot.write(output).with_context(|| format!("cannot write {}", output.display())).or_failed()
}
