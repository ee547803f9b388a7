//! The two loops on this machine: time of a servo call, deadlines, memory.

use std::fs;
use std::time::Instant;

use isotouch::haptics::clock::{ClockOptions, Histogram, Priority, ServoClock, raise_priority};
use isotouch::haptics::{Coupling, Feedback, GodObject, GodObjectOptions, Renderer, Session, SessionOptions};
use isotouch::math::{DVec3, Pose};
use isotouch::output::chart::{Axis, Chart};

use super::Setup;
use crate::haptic_scenes::{around_the_blob, blobs, draw, state_of};
use crate::report::{Report, Table, count, none, number};

/// s: what is asked of a servo call at 99.9 %.
const TARGET: f64 = 20e-6;
/// The hand goes once round in this many seconds, and back.
const ROUND: f64 = 10.0;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let seconds = match setup.count {
        Some(seconds) => seconds as f64,
        None if setup.quick => 1.0,
        None => 60.0,
    };
    let (points, resolution) = if setup.quick { (800, 64) } else { (7_500, 256) };
    let mut report = Report::default();
    let mut table = Table::new(
        format!(
            "A blob of {} points on a blob ({resolution}³), in contact, {seconds} s each",
            count(points as u64)
        ),
        &[
            "servo rate, Hz",
            "achieved, Hz",
            "missed deadlines",
            "of ticks, %",
            "late: p50, µs",
            "p99.9, µs",
            "max, µs",
            "call: p50, µs",
            "p99.9, µs",
            "max, µs",
            "simulation, Hz",
            "ticks in contact, %",
            "faults",
            "memory before, MB",
            "after, MB",
        ],
    );
    let mut chart = Chart::new("Memory of the program", Axis::new("time", "s"), Axis::new("resident", "MB"));
    for rate in [1000.0, 4000.0] {
        eprintln!("{rate} Hz");
        let pair = blobs(points, resolution)?;
        let god = GodObject::new(pair, around_the_blob(0.008, 0.0), &GodObjectOptions::default())?;
        let coupling = Coupling::spring(500.0, 0.1).saturating(3e-3, 0.02);
        let options = SessionOptions { rate, ..Default::default() };
        let session = Session::threaded(Renderer::Constraint(Box::new(god), coupling), &options)?;
        let run = turn(session, rate, seconds)?;
        let clock = run.clock.statistics();
        let micro = |seconds: f64| number(1e6 * seconds);
        let megabytes = |bytes: Option<u64>| bytes.map_or_else(none, crate::report::megabytes);
        table.row(vec![
            number(rate),
            number(clock.achieved_rate()),
            count(clock.missed()),
            number(100.0 * clock.missed() as f64 / (clock.ticks() + clock.missed()) as f64),
            micro(clock.lateness().quantile(0.5)),
            micro(clock.lateness().quantile(0.999)),
            micro(clock.lateness().max()),
            micro(run.calls.quantile(0.5)),
            micro(run.calls.quantile(0.999)),
            micro(run.calls.max()),
            number(run.simulation_steps as f64 / seconds),
            number(100.0 * run.touching as f64 / clock.ticks() as f64),
            count(run.faults),
            megabytes(run.memory.first().map(|of| of.1)),
            megabytes(run.memory.last().map(|of| of.1)),
        ]);
        if run.touching * 2 < clock.ticks() && !setup.quick {
            report.failures.push(format!("{rate} Hz: in contact in {} ticks only", run.touching));
        }
        if run.calls.quantile(0.999) > TARGET && !setup.quick {
            report.remarks.push(format!(
                "**{rate} Hz: p99.9 of a servo call is {} µs, above the 20 µs that were asked for.**",
                micro(run.calls.quantile(0.999))
            ));
        }
        if let (Some(first), Some(last)) = (run.memory.first(), run.memory.last()) {
            let grown = last.1.saturating_sub(first.1);
            if grown > MOST_GROWTH {
                report.failures.push(format!("{rate} Hz: memory grew by {grown} bytes in {seconds} s"));
            }
        }
        let (x, y): (Vec<f64>, Vec<f64>) =
            run.memory.iter().map(|&(t, bytes)| (t, bytes as f64 / 1e6)).unzip();
        chart.add(&format!("{rate} Hz"), &x, &y);
        report.remark_once(match run.priority {
            Priority::RealTime => "The servo loop ran with real-time priority.".into(),
            Priority::Ordinary { why } => format!("The servo loop ran with ordinary priority: {why}."),
        });
    }
    report.tables.push(table);
    draw(&chart, "haptic-loops-memory", setup.quick)?;
    report.remarks.push(
        "Asked for: p99.9 of a servo call below 20 µs. The servo loop and the simulation each have a thread; the hand follows a fixed way, so nothing but the loops is timed. Late is a tick after its deadline; missed are deadlines that are over before the loop is back. \
         `--count N` runs for N seconds at each rate: 600 for ten minutes.\n\n![Memory](pictures/haptic-loops-memory.svg)"
            .into(),
    );
    Ok(report)
}

/// Bytes that memory may grow by: pages that are touched for the first time, such as those of the stacks.
const MOST_GROWTH: u64 = 4_000_000;

struct Run {
    clock: ServoClock,
    calls: Histogram,
    touching: u64,
    faults: u64,
    simulation_steps: u64,
    /// s, bytes; from when the part is in contact.
    memory: Vec<(f64, u64)>,
    priority: Priority,
}

/// Runs in a thread of its own, which ends with its priority.
fn turn(session: Session, rate: f64, seconds: f64) -> anyhow::Result<Run> {
    let thread =
        std::thread::Builder::new().name("servo".into()).spawn(move || servo(session, rate, seconds))?;
    thread.join().map_err(|_| anyhow::anyhow!("the servo loop panicked"))?
}

fn servo(mut session: Session, rate: f64, seconds: f64) -> anyhow::Result<Run> {
    let priority = raise_priority();
    let mut clock = ServoClock::new(ClockOptions { rate, ..Default::default() })?;
    let mut calls = Histogram::default();
    let (mut touching, mut told): (u64, Option<Feedback>) = (0, None);
    // As many as there can be, so that nothing grows here.
    let mut memory = Vec::with_capacity(1_000);
    let between = (seconds / 500.0).max(0.1);
    let dt = 1.0 / rate;
    loop {
        let tick = clock.wait();
        if tick.time > seconds {
            break;
        }
        let (from, to) = (hand(tick.time - dt), hand(tick.time));
        let state = state_of(tick.time, &from, &to, dt);
        let begin = Instant::now();
        let wrench = session.servo(&state);
        calls.add_seconds(begin.elapsed().as_secs_f64());
        anyhow::ensure!(wrench.is_finite(), "a force that is not finite at {}", tick.time);
        told = session.feedback().copied();
        touching += u64::from(told.is_some_and(|told| told.contacts > 0));
        // Once it has been round for a while: everything that is made at first is there.
        let since = tick.time - 0.1 * seconds;
        if since >= between * memory.len() as f64
            && let Some(bytes) = resident()
        {
            memory.push((tick.time, bytes));
        }
    }
    let faults = session.servo_half().safety().all_faults();
    let simulation_steps = told.map_or(0, |told| told.simulation_steps);
    Ok(Run { clock, calls, touching, faults, simulation_steps, memory, priority })
}

/// Round and back.
fn hand(time: f64) -> Pose {
    let turns = (time / ROUND).rem_euclid(2.0);
    let part = if turns < 1.0 { turns } else { 2.0 - turns };
    // Not out to where it began.
    let pose = around_the_blob(0.008, 0.125 + 0.875 * part);
    let begin = (1.0 - 4.0 * time).max(0.0);
    Pose { position: pose.position + pose.position.normalize_or(DVec3::Y) * 0.03 * begin, ..pose }
}

/// Bytes of this program in memory, where the system tells.
fn resident() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find(|line| line.starts_with("VmRSS:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(1024 * kilobytes)
}
