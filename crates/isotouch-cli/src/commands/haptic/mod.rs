//! A scene, felt: a device, a session of two loops, and what came of it.

mod device;
mod drive;
mod log;
mod passivity;
mod replayed;
mod results;
mod status;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow};
use isotouch::contact::constraint::Freedom;
use isotouch::haptics::device::Device;
use isotouch::haptics::record::{Recording, RecordingHeader};
use isotouch::haptics::safety::SafetyOptions;
use isotouch::haptics::session::{Stuck, Totals};
use isotouch::haptics::{Session, SessionOptions, Surface};
use isotouch::mesh::TriMesh;
use isotouch::mesh::io::ReadOptions;
use isotouch::scene::haptic::{BuiltHaptic, HapticScene, Method, built_in};
use isotouch::scene::{MeshSource, ShapeSource};
use serde_json::{Map, Value, json};

use super::{output_path, scene_source, source};
use crate::console::{Console, complain, write_stdout};
use crate::failure::{Classify, Exit, Failure};
use crate::format::{count, duration, number, plural};
use crate::interrupt;
use crate::report::Report;
use crate::values::{between, named, whole};
use device::{Chosen, DeviceArg};
use drive::{Drive, Ending, Outcome, Tape};
use log::Log;

#[derive(Debug, clap::Args)]
#[command(after_help = "\
    SCENE is a TOML file with [haptic] (docs/haptics.md describes it) or a built-in scene: peg, peg-tight, alpha, sliding, landing-gear, three-bars, wall.\n\n\
    Devices: hand, a simulated arm that follows the scene's path; replay:FILE, the states of a recording, with the same forces to the last bit where it was made \
    single-threaded; haply, an Inverse3 through its service on this machine; page, poses over a WebSocket on this machine.\n\n\
    DIR gets trajectory.csv and trajectory.npz (force, torque, penetration, contacts, times, poses), charts of these as SVG and PNG, scene.glb (a film) and \
    summary.json; what an earlier run left there is replaced.\n\n\
    Examples:\n  \
    isotouch haptic wall --seconds 1\n  \
    isotouch haptic wall --single-threaded --record wall.recording -o wall\n  \
    isotouch haptic wall --device replay:wall.recording --method penalty\n  \
    isotouch haptic wall --print-scene")]
pub(crate) struct Args {
    /// A scene file, or the name of a built-in scene.
    scene: PathBuf,
    /// What is in the hand: hand, replay:FILE, haply or page.
    #[arg(long, value_name = "DEVICE", default_value = "hand", value_parser = device::parse)]
    device: DeviceArg,
    /// How contact becomes force: constraint, penalty or discrete-penalty.
    #[arg(long, value_name = "METHOD", default_value = "constraint", value_parser = method)]
    method: Method,
    /// How long, up to 1,000,000 s, instead of what the scene says; haply and page go on until Ctrl-C.
    #[arg(long, value_name = "T", value_parser = between(1e-6, 1e6), allow_hyphen_values = true)]
    seconds: Option<f64>,
    /// Record everything in and out to this file (.recording).
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Folder for tables, charts and a film; made if it is not there.
    #[arg(long, short, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Rate of the servo loop: 200 to 20000 Hz [default: 1000, or that of a recording].
    #[arg(long, value_name = "HZ", value_parser = between(200.0, 20_000.0), allow_hyphen_values = true)]
    rate: Option<f64>,
    /// Grow the field's solid by so many cells, or shrink it, instead of what the scene says: −1.5 to 1.5.
    #[arg(long, value_name = "CELLS", value_parser = between(-1.5, 1.5), allow_hyphen_values = true)]
    offset: Option<f64>,
    /// Use a field of at most so many cells along its longest side.
    #[arg(long, value_name = "N", value_parser = whole(8, 2048), allow_negative_numbers = true)]
    resolution: Option<u32>,
    /// Use at most so many points.
    #[arg(long, value_name = "N", value_parser = whole(1, 5_000_000), allow_negative_numbers = true)]
    points: Option<u32>,
    /// Run both loops in one thread, as fast as they go: the same input gives the same forces, to the last bit. For hand and replay, which wait.
    #[arg(long)]
    single_threaded: bool,
    /// Replay a recording although it is of another scene.
    #[arg(long)]
    other_scene: bool,
    /// How long to wait for the page's first pose [default: 60 s with --seconds, otherwise until Ctrl-C]; --seconds counts from there.
    #[arg(long, value_name = "T", value_parser = between(1e-6, 1e6), allow_hyphen_values = true)]
    wait: Option<f64>,
    /// Port that the page connects to [default: 0, any that is free].
    #[arg(long, value_name = "N")]
    port: Option<u16>,
    /// Print the text of the scene, to be copied and changed, and do nothing else.
    #[arg(long)]
    print_scene: bool,
    /// Build fields of mesh files anew, and do not keep them for the next time.
    #[arg(long)]
    no_cache: bool,
}

fn method(text: &str) -> Result<Method, String> {
    named(text, &Method::NAMES)
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    refuse_what_does_not_apply(args)?;
    let text = scene_source::text_among(&args.scene, &built_in::ALL, &[])?;
    if args.print_scene {
        if console.is_json() {
            let mut report = Report::new();
            report.key("scene", text.text);
            return Ok(report);
        }
        write_stdout(&text.text).or_failed()?;
        return Ok(Report::new());
    }
    let mut scene = HapticScene::parse(&text.name, &text.text).or_bad_input()?;
    scene.offset = args.offset.unwrap_or(scene.offset);
    let most_points = args.points.map_or(usize::MAX, |points| points as usize);
    scene = scene.scaled_down(args.resolution.unwrap_or(u32::MAX), most_points);
    check_outputs(args)?;
    let fingerprint = replayed::fingerprint(&text.text);
    // Before fields are built, which may take long.
    let replayed = replayed::open(args, &text.name, &fingerprint, console)?;

    let clock = Instant::now();
    let built = build(&scene, args.no_cache, console)?;
    let building = clock.elapsed();
    if args.resolution.is_some() && matches!(built.pair.surface(), Surface::Analytic(..)) {
        console.warn("the fixed part is a formula, which has no cells: --resolution changes nothing");
    }
    let renderer = scene.renderer(&built.pair, args.method).or_bad_input()?;
    let rate = replayed.as_ref().map_or(args.rate.unwrap_or(1000.0), |of| of.header().rate);
    let chosen = Chosen::open(args, &scene, (rate, replayed.as_ref()), console)?;
    let capabilities = *chosen.device.capabilities();
    let coupling = scene.coupling_for(&built.pair, args.method);
    if args.method != Method::Constraint && scene.constraint.friction > 0.0 {
        console.warn("friction of [haptic.constraint] is that of constraints; springs have none");
    }
    if let Some(told) = scene.soft_contacts(&built.pair, args.method) {
        console.warn(told);
    }
    let not_passive = passivity::excess(&coupling, &capabilities, rate);
    if let Some(why) = not_passive.as_ref().filter(|_| chosen.is_live) {
        console.warn(why);
    }
    let options = SessionOptions {
        rate,
        safety: SafetyOptions::for_device(&capabilities),
        ..SessionOptions::default()
    };
    // A replay in two threads would not give the forces that were recorded.
    let is_paced = !(args.single_threaded || replayed.is_some());
    let session = if is_paced {
        Session::threaded(renderer, &options).or_failed()?
    } else {
        Session::in_step(renderer, &options).or_bad_input()?
    };
    let header = RecordingHeader {
        rate,
        causality: capabilities.causality,
        device: capabilities.name.to_owned(),
        scene: format!("{fingerprint} {} {}", replayed::made_with(args, &scene, &built), text.name),
        limits: Some([capabilities.max_force, capabilities.max_torque]),
    };
    if let Some(replayed) = &replayed {
        replayed::warn_of_other_options(&replayed.header().scene, &header.scene, console);
    }
    let limit = limit(args, &scene, rate, chosen.is_live);
    let drive = Drive {
        device: chosen.device,
        session,
        tape: Tape::start(args.record.as_deref(), &header, is_paced).or_failed()?,
        log: Log::new(args.output.is_some(), limit, replayed.as_ref().map(Recording::entries)),
        rate,
        limit,
        is_live: chosen.is_live,
    };
    let clock = Instant::now();
    let outcome = if is_paced { drive.paced(console)? } else { drive.in_step(console) };
    let elapsed = clock.elapsed();
    finish(args, (&text.name, &scene, &built), outcome, (building, elapsed, not_passive), console)
}

/// Writes what there is, and tells of it.
fn finish(
    args: &Args,
    (name, scene, built): (&str, &HapticScene, &BuiltHaptic),
    outcome: Outcome<'_>,
    (building, elapsed, not_passive): (Duration, Duration, Option<String>),
    console: &Console,
) -> Result<Report, Failure> {
    let Outcome { session, tape, log, ending, deadlines, priority, device } = outcome;
    let recorded = tape.finish();
    let mut session = session;
    let safety = session.servo_half().safety();
    let simulation = session
        .finish()
        .ok_or_else(|| {
            anyhow!("the simulation's thread ended before its time; this is a bug, please report it")
        })
        .or_failed()?;
    let totals = simulation.totals();
    let mut summary = log.summary();
    let mut put = |key: &str, value: Value| summary.insert(key.to_owned(), value);
    put("scene", name.into());
    put("device", device.into());
    put("method", args.method.name().into());
    put("finished", matches!(ending, Ending::Done).into());
    put("steps", totals.steps.into());
    put("max_penetration", totals.max_penetration.into());
    put("contacts", totals.most_contacts.into());
    put("stuck_steps", totals.stuck_steps.into());
    put("stuck", simulation.stuck().iter().map(stuck_as_json).collect());
    put("cell", built.pair.surface().cell().into());
    put("points", built.pair.shell().len().into());
    put("offset_cells", scene.offset.into());
    put("is_passive", not_passive.is_none().into());
    put("not_passive", not_passive.into());
    put("build_seconds", building.as_secs_f64().into());
    put("wall_seconds", elapsed.as_secs_f64().into());
    put("threads", if deadlines.is_some() { 2 } else { 1 }.into());
    put("priority", priority.map_or(Value::Null, Value::String));
    put("missed_deadlines", deadlines.as_ref().map_or(Value::Null, |of| of.missed().into()));
    put("rate", deadlines.as_ref().map_or(Value::Null, |of| json!(of.achieved_rate())));
    let lateness = deadlines.as_ref().map_or(Value::Null, |of| log::quantiles(of.lateness()));
    put("late_us", lateness);
    put("safety_faults", (safety.all_faults() + log.lost_ticks()).into());
    put("faults", log::faults(&safety, log.lost_ticks()));
    put("limited_calls", safety.limited_calls.into());
    let pose = simulation.renderer().pose();
    put("end_pose", json!(pose.to_numbers()));
    // What was felt until then is told all the same.
    let (recorded, unrecorded) = match recorded {
        Ok(recorded) => (recorded, None),
        Err(error) => (None, Some(error.to_string())),
    };
    if let (Some(recorded), Some(path)) = (recorded, &args.record) {
        if recorded.dropped > 0 {
            console.warn(format_args!(
                "{}: {} could not be written fast enough and are missing",
                path.display(),
                plural(recorded.dropped, "tick")
            ));
        }
        put(
            "recording",
            json!({ "file": path.display().to_string(), "entries": recorded.entries, "dropped": recorded.dropped }),
        );
    }
    if log.left_out() > 0 {
        console.warn(format_args!("tables and charts end after {} ticks", count(log.rows().len() as u64)));
    }
    if let Some(told) = log.told_of_loss() {
        console.warn(told);
    }
    let failed = match &ending {
        Ending::Lost(error) => Some(format!(
            "{error}; it did not come back within {} s, so the session ended after {}",
            drive::PATIENCE,
            plural(totals.steps, "step")
        )),
        Ending::Done | Ending::Interrupted => unrecorded,
    };
    if let Some(failed) = &failed {
        summary.insert("error".into(), failed.as_str().into());
    }
    if let Some(folder) = &args.output {
        summary.insert("output".into(), folder.display().to_string().into());
        let mut kept = summary.clone();
        kept.insert("warnings".into(), console.warnings().into());
        results::write(folder, scene, built, (&log, &kept)).or_failed()?;
    }
    let mut report = report(args, summary, (&totals, simulation.stuck()), elapsed);
    if let Some(failed) = &failed {
        // What there was until then is told all the same.
        complain("error", failed, "\x1b[31m");
        report.set_exit(Exit::Failed);
    }
    if matches!(ending, Ending::Interrupted) {
        report.set_exit(interrupt::exit());
    }
    Ok(report)
}

fn kind_of(stuck: &Stuck) -> &'static str {
    if stuck.freedom == Freedom::Jammed { "jammed" } else { "pinched" }
}

/// What holds the part, for programs.
fn stuck_as_json(stuck: &Stuck) -> Value {
    let held_by = stuck.held_by.iter().map(
        |of| json!({ "point": of.place.to_array(), "normal": of.normal.to_array(), "weight": of.weight }),
    );
    json!({
        "kind": kind_of(stuck),
        "time": stuck.time,
        "pose": stuck.pose.to_numbers(),
        "rows": stuck.rows,
        "held_by": held_by.collect::<Vec<Value>>(),
    })
}

fn report(
    args: &Args,
    summary: Map<String, Value>,
    (totals, stuck): (&Totals, &[Stuck]),
    elapsed: Duration,
) -> Report {
    let mut report = Report::new();
    let of = |key: &str| summary.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let text = |key: &str| summary.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let times = |key: &str| {
        let part = |part: &str| {
            let found = summary.get(key).and_then(|times| times.get(part)).and_then(Value::as_f64);
            number(found.unwrap_or(f64::NAN))
        };
        format!("{} µs (p50), {} µs (p99), {} µs (max)", part("p50"), part("p99"), part("max"))
    };
    report.line(format_args!(
        "{} by {}: {} of {} s of {} in {}",
        text("scene"),
        text("method"),
        plural(totals.steps, "step"),
        number(of("seconds")),
        text("device"),
        duration(elapsed)
    ));
    let mut facts = vec![
        ("simulation step", times("step_us")),
        ("servo call", times("servo_us")),
        (
            "deepest penetration",
            format!(
                "{} mm, {} cells",
                number(1e3 * totals.max_penetration),
                number(totals.max_penetration / of("cell"))
            ),
        ),
        (
            "points in contact",
            format!(
                "{} at most, {} on average",
                count(totals.most_contacts as u64),
                number(of("mean_contacts"))
            ),
        ),
        ("largest force", format!("{} N, {} N·m", number(of("max_force")), number(of("max_torque")))),
    ];
    if summary.get("rate").is_some_and(|rate| !rate.is_null()) {
        facts.push((
            "rate",
            format!("{:.1} Hz, {} missed", of("rate"), plural(of("missed_deadlines") as u64, "deadline")),
        ));
        facts.push(("priority", text("priority")));
    }
    if totals.stuck_steps > 0 {
        let kinds = stuck.iter().map(|of| {
            let contacts = plural(of.held_by.len() as u64, "contact");
            format!("; {} at t = {} s between {contacts}", kind_of(of), number(of.time))
        });
        facts.push(("stuck", plural(totals.stuck_steps, "step") + &kinds.collect::<String>()));
    }
    if of("safety_faults") > 0.0 {
        let faults = summary.get("faults").and_then(Value::as_object).into_iter().flatten();
        let named: Vec<String> = faults
            .map(|(name, calls)| format!("{} by {name}", plural(calls.as_u64().unwrap_or(0), "tick")))
            .collect();
        facts.push(("zero for safety", named.join(", ")));
    }
    if let Some(replay) = summary.get("replay") {
        let same = replay["same_commands"].as_bool() == Some(true);
        let difference = number(replay["max_force_difference"].as_f64().unwrap_or(f64::NAN));
        let words = match (same, replay["single_threaded"].as_bool()) {
            (true, _) => "the same, bit for bit".into(),
            (false, Some(false)) => format!(
                "off by {difference} N at most; it was made in two threads, and only what --single-threaded records is repeated bit for bit"
            ),
            (false, _) => format!("off by {difference} N at most"),
        };
        facts.push(("against the recording", words));
    }
    if let Some(path) = &args.record {
        facts.push(("recording", path.display().to_string()));
    }
    if let Some(folder) = &args.output {
        facts.push((
            "results",
            format!("{}: force.png, penetration.png, trajectory.csv, …", folder.display()),
        ));
    }
    report.facts(&facts);
    for (key, value) in summary {
        report.key(&key, value);
    }
    report
}

/// What an option was given for should come of it, or nothing should.
fn refuse_what_does_not_apply(args: &Args) -> Result<(), Failure> {
    let is_page = args.device == DeviceArg::Page;
    let is_live = is_page || args.device == DeviceArg::Haply;
    let is_replay = matches!(args.device, DeviceArg::Replay(_));
    let wrong = [
        (
            args.single_threaded && is_live,
            "--single-threaded runs without a clock, as fast as it goes, and somebody holds this device; leave it out, and replay the recording single-threaded",
        ),
        (args.port.is_some() && !is_page, "--port is for --device page"),
        (args.wait.is_some() && !is_page, "--wait is for --device page"),
        (args.other_scene && !is_replay, "--other-scene is for --device replay:FILE"),
    ];
    match wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
        Some((_, words)) => Err(anyhow!(words)).or_bad_input(),
        None => Ok(()),
    }
}

fn check_outputs(args: &Args) -> Result<(), Failure> {
    let inputs: Vec<&Path> = match &args.device {
        DeviceArg::Replay(path) => vec![&args.scene, path],
        _ => vec![&args.scene],
    };
    if let Some(path) = &args.record {
        output_path::check_of_option("--record", path, "recording", &inputs)?;
    }
    if let Some(folder) = &args.output {
        fs::create_dir_all(folder)
            .with_context(|| format!("cannot make the folder {}; choose another with -o", folder.display()))
            .or_bad_input()?;
        output_path::check_folder(folder, "-o").or_bad_input()?;
    }
    Ok(())
}

/// Ticks, if there is an end.
fn limit(args: &Args, scene: &HapticScene, rate: f64, is_live: bool) -> Option<u64> {
    let is_replay = matches!(args.device, DeviceArg::Replay(_));
    let seconds = args.seconds.or_else(|| (!is_live && !is_replay).then_some(scene.seconds))?;
    // What is a whole number of ticks but for rounding is that many.
    Some((seconds * rate - 1e-6).ceil().max(1.0) as u64)
}

/// Both parts, the field of a mesh file from the cache.
fn build(scene: &HapticScene, no_cache: bool, console: &Console) -> Result<BuiltHaptic, Failure> {
    // The library passes on what went wrong in words; how the process should end is remembered here.
    let mut failed = None;
    let built = scene.build_with(|wanted, mesh| {
        field(wanted, mesh, no_cache, console).map_err(|failure| {
            let words = failure.to_string();
            failed = Some(failure);
            words.into()
        })
    });
    interrupt::check()?;
    match (built, failed) {
        (Err(_), Some(Failure::Interrupted)) => Err(Failure::Interrupted),
        (Err(error), Some(Failure::Failed(_))) => Err(error).or_failed(),
        (built, _) => built.or_bad_input(),
    }
}

fn field(
    wanted: &ShapeSource,
    mesh: &TriMesh,
    no_cache: bool,
    console: &Console,
) -> Result<isotouch::field::Field, Failure> {
    interrupt::check()?;
    let options = wanted.field_options();
    match &wanted.mesh {
        MeshSource::File(path) => {
            let read = ReadOptions { scale: wanted.scale, ..Default::default() };
            Ok(source::field_of_mesh(path, (&read, &options), no_cache, console)?.field)
        }
        MeshSource::BuiltIn(shape) => {
            source::build(mesh, format!("the shape of kind '{}'", shape.name()), &options, console)
        }
    }
}
