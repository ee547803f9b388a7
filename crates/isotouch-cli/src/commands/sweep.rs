use std::path::PathBuf;
use std::time::Instant;

use isotouch::ccd::sweep::{AllContacts, Effort};
use isotouch::ccd::{Contact, HitStatus, Sweep, SweepOptions, SweepTraversal};
use isotouch::field::Field;
use isotouch::math::{DVec3, Motion, MotionKind, Pose};
use isotouch::shell::PointShell;
use serde_json::{Value, json};

use super::build_args::FieldArgs;
use super::check_path::motion;
use super::poses;
use super::source;
use crate::console::Console;
use crate::failure::{Exit, Failure};
use crate::format::{count, duration, number, plural};
use crate::interrupt;
use crate::report::Report;
use crate::values::{finite, named, pose, positive};

/// Points in contact that are told one by one.
const MOST_TOLD: usize = 100_000;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    Asks about the points of a shell, not about what is between them: for whole surfaces there is check-path. Exit code 1 if there is \
    contact, 0 if it is proven that no point touches, 3 if that is undecided: --budget was too small to tell, or outside the field's box, where only a bound of the \
    distance is known, contact cannot be excluded (build the field with more --padding). \
    About a field without a certificate, as of an open sheet, nothing is proven, and a warning says so.\n\n\
    What is proven is about the surface of the field, which is that of its interpolated values, and those are within `error_bound` (in --json) of \
    the true distance: a point may pass that deep inside the mesh, at its sharp edges most of all. To miss no contact with the mesh, ask for --iso <error_bound> or more; \
    what is found then may be that far away.\n\n\
    A POSE is x,y,z,qx,qy,qz,qw.\n\n\
    Examples:\n  \
    isotouch sweep --moving peg.shell --fixed plate.field --from 0,0,50,0,0,0,1 --to 0,0,0,0,0,0,1\n  \
    isotouch sweep --moving peg.obj --fixed plate.obj --from 0,0,50,0,0,0,1 --to 0,0,0,0,0,0,1 --all --json")]
pub(crate) struct Args {
    /// Shell of the part that moves, or its mesh, of which a shell of 10000 points is made.
    #[arg(long, value_name = "SHELL")]
    moving: PathBuf,
    /// Field of the part that stands still, or its mesh.
    #[arg(long, value_name = "FIELD")]
    fixed: PathBuf,
    /// Where the moving part is at t = 0.
    #[arg(long, value_name = "POSE", value_parser = pose, allow_hyphen_values = true)]
    from: Pose,
    /// Where it is at t = 1.
    #[arg(long, value_name = "POSE", value_parser = pose, allow_hyphen_values = true)]
    to: Pose,
    /// Where the fixed part is at t = 0, if it moves as well.
    #[arg(long, value_name = "POSE", value_parser = pose, allow_hyphen_values = true, requires = "fixed_to")]
    fixed_from: Option<Pose>,
    /// Where it is at t = 1.
    #[arg(long, value_name = "POSE", value_parser = pose, allow_hyphen_values = true, requires = "fixed_from")]
    fixed_to: Option<Pose>,
    /// Find all contacts, not only the first.
    #[arg(long)]
    all: bool,
    /// The level set asked about: 0 is the surface, above 0 an offset outside it.
    #[arg(long, value_name = "SIGMA", default_value_t = 0.0, value_parser = finite, allow_hyphen_values = true)]
    iso: f64,
    /// How points are found: tree or linear. The answers are the same.
    #[arg(long, value_name = "KIND", default_value = "tree", value_parser = traversal)]
    traversal: SweepTraversal,
    /// How the poses are joined: rigid (straight line and slerp), screw or chord.
    #[arg(long, value_name = "KIND", default_value = "rigid", value_parser = motion)]
    motion: MotionKind,
    /// Most that the chord of a curved path may be off it; it is added to --iso [default: a twentieth of a cell].
    #[arg(long, value_name = "D", value_parser = positive, allow_hyphen_values = true)]
    tolerance: Option<f64>,
    /// Most spheres to test; where that is too few, a coarser level of the shell is asked.
    #[arg(long, value_name = "N", conflicts_with = "all")]
    budget: Option<u64>,
    #[command(flatten)]
    build: FieldArgs,
}

fn traversal(name: &str) -> Result<SweepTraversal, String> {
    named(name, &SweepTraversal::NAMES)
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    args.build.limit_threads()?;
    let shell = source::shell(&args.moving, &args.build, console)?;
    let found = source::certain_field(&args.fixed, &args.build, console)?;
    interrupt::check()?;
    let mut way = Motion::new(args.motion, args.from, args.to);
    poses::warn_of_half_turn(&way, "--from to --to", console);
    if let (Some(from), Some(to)) = (args.fixed_from, args.fixed_to) {
        poses::warn_of_half_turn(&Motion::new(args.motion, from, to), "--fixed-from to --fixed-to", console);
        way = way.seen_from(from, to);
    }
    let options = SweepOptions {
        iso: args.iso,
        traversal: args.traversal,
        tolerance: args.tolerance,
        budget: args.budget,
        ..Default::default()
    };
    let sweep = Sweep::new(&shell, &found.field, &options);

    let mut report = Report::new();
    let start = Instant::now();
    let (soonest, effort) = if args.all {
        let all = sweep.contacts(&way);
        report.line(format_args!(
            "{} of {} in contact, or not proven free of it",
            count(all.points.len() as u64),
            plural(shell.len() as u64, "point")
        ));
        report.key("contacts", contacts_json(&all));
        report.key("points_in_contact", all.points.len());
        report.key("contacts_left_out", all.points.len().saturating_sub(MOST_TOLD));
        // The earliest of all, with its place and normal.
        let soonest = if all.points.is_empty() { None } else { sweep.first_contact(&way).contact };
        (soonest, all.effort)
    } else {
        let found = sweep.first_contact(&way);
        report.key("contacts", Value::Null);
        (found.contact, found.effort)
    };
    // What only cannot be excluded is no contact; there may be one all the same, later.
    let is_known = |contact: &Contact| contact.hit.status != HitStatus::Bound;
    let doubt = soonest.filter(|contact| !is_known(contact));
    let first = if doubt.is_some() { sweep.first_known_contact(&way) } else { soonest };
    let elapsed = start.elapsed();
    let outcome = Outcome { first, doubt, effort };
    outcome.tell(&mut report, &shell, &found.field);
    if let Some(doubt) = doubt {
        console.warn(format_args!(
            "{}: outside the box of the field contact cannot be excluded, from t = {} on; {}",
            args.fixed.display(),
            number(doubt.hit.t),
            if found.field.is_certified() {
                "build the field with more --padding"
            } else {
                "without a certificate nothing is known there"
            }
        ));
    }
    if !effort.is_complete {
        let asked = effort.level.map_or(0, |level| shell.levels()[level].points);
        console.warn(format_args!(
            "the budget was enough for {} of {} only; nothing is proven about the others",
            plural(asked as u64, "point"),
            count(shell.len() as u64)
        ));
    }
    if found.field.is_certified()
        && let Err(coarse) = shell.check_against(2.0 * found.field.grid().cell)
    {
        console.warn(format_args!("what is finer than the shell may pass between its points: {coarse}"));
    }
    report
        .facts(&[("surface", source::surface_in_words(&found.field, args.iso)), ("time", duration(elapsed))]);
    report.key("first_contact", first.as_ref().map(|contact| contact_json(contact, &way)));
    report.key("doubt", doubt.as_ref().map(|contact| contact_json(contact, &way)));
    report.key("sphere_tests", effort.sphere_tests);
    report.key("point_tests", effort.point_tests);
    report.key("pieces", effort.pieces);
    report.key("sagitta", sweep.sagitta(&way));
    report.key("level", effort.level);
    report.key("is_complete", effort.is_complete);
    found.report_errors(&mut report);
    report.key("points", shell.len());
    report.key("coverage", shell.coverage());
    report.key("iso", args.iso);
    report.key("seconds", elapsed.as_secs_f64());
    found.report(&mut report);
    if first.is_some() {
        report.set_exit(Exit::Contact);
    } else if doubt.is_some() || !effort.is_complete {
        report.set_exit(Exit::Undecided);
    }
    Ok(report)
}

/// What came out.
struct Outcome {
    /// The first contact that is known.
    first: Option<Contact>,
    /// An earlier one that cannot be excluded.
    doubt: Option<Contact>,
    effort: Effort,
}

impl Outcome {
    fn tell(&self, report: &mut Report, shell: &PointShell, field: &Field) {
        let effort = &self.effort;
        match (&self.first, &self.doubt) {
            (Some(contact), _) => report.line(format_args!("first contact at t = {}", number(contact.hit.t))),
            (None, Some(doubt)) => report.line(format_args!(
                "undecided: no contact is known, but from t = {} on none can be excluded outside the field's box",
                number(doubt.hit.t)
            )),
            (None, None) if effort.is_complete && field.is_certified() => {
                report.line("no point touches the surface of the field: proven");
            }
            (None, None) if effort.is_complete => {
                report.line("no point touches, as far as a field without a certificate can tell");
            }
            (None, None) => {
                report.line("undecided: no contact among the points that the budget was enough for");
            }
        }
        if let Some(contact) = self.first.as_ref().or(self.doubt.as_ref()) {
            let vector = |v: DVec3| v.to_array().map(number).join(", ");
            let mut facts = vec![
                ("point", format!("{} of {}", contact.point, count(shell.len() as u64))),
                ("at", vector(contact.hit.point)),
                ("status", contact.hit.status.name().into()),
            ];
            facts.extend(contact.hit.normal.map(|normal| ("normal", vector(normal))));
            report.facts(&facts);
        }
        report.facts(&[(
            "looked at",
            format!(
                "{}, {}, {}",
                plural(effort.sphere_tests, "sphere"),
                plural(effort.point_tests, "point"),
                match effort.pieces {
                    1 => "the motion in 1 piece".into(),
                    pieces => format!("the motion in {} pieces", count(u64::from(pieces))),
                }
            ),
        )]);
    }
}

fn contacts_json(all: &AllContacts) -> Value {
    let of = |interval: &isotouch::ccd::Interval| json!([interval.start, interval.end]);
    let contacts: Vec<Value> = all
        .points
        .iter()
        .take(MOST_TOLD)
        .map(|of_point| {
            json!({
                "point": of_point.point,
                "intervals": of_point.intervals.iter().map(of).collect::<Vec<_>>(),
                "statuses": of_point.intervals.iter().map(|interval| interval.status.name()).collect::<Vec<_>>(),
            })
        })
        .collect();
    contacts.into()
}

fn contact_json(contact: &Contact, way: &Motion) -> Value {
    json!({
        "point": contact.point,
        "t": contact.hit.t,
        "at": contact.hit.point.to_array(),
        "normal": contact.hit.normal.map(|normal| normal.to_array()),
        "status": contact.hit.status.name(),
        "pose": way.pose(contact.hit.t).to_numbers(),
    })
}
