//! What is told of a run.

use std::path::Path;
use std::time::Duration;

use serde_json::{Map, Value, json};

use super::play::Plan;
use super::recording;
use super::run::{Ending, Run};
use crate::format::{count, duration, number, plural};
use crate::report::Report;

/// The facts of a run, as summary.json has them.
pub(super) fn of(run: &Run, name: &str, plan: &Plan, ending: &Ending) -> Map<String, Value> {
    let rows = || run.recording.rows();
    let most = |of: &dyn Fn(recording::Row<'_>) -> f64| rows().map(of).fold(0.0, f64::max);
    let mut times: Vec<f64> = rows().skip(1).map(|row| 1e3 * row.seconds()[0]).collect();
    times.sort_by(f64::total_cmp);
    let part = |share: f64| times.get((share * times.len() as f64) as usize).or(times.last()).copied();
    let cloth: Vec<Value> = run
        .play
        .cloths()
        .iter()
        .map(|cloth| {
            json!({
                "name": cloth.name(),
                "particles": cloth.places().len(),
                "mass": cloth.masses().iter().sum::<f64>(),
                "epsilon": cloth.epsilon(),
                "thickness": cloth.thickness(),
                "largest_stretch": cloth.largest_stretch(),
            })
        })
        .collect();
    let bodies: Vec<Value> = run
        .play
        .bodies()
        .iter()
        .map(|body| {
            json!({
                "name": body.name(),
                "mass": body.mass(),
                "pose": body.pose().to_numbers(),
                "speed": body.twist().linear.length(),
                "turning": body.twist().angular.length(),
            })
        })
        .collect();
    let energy = |row: Option<recording::Row<'_>>| row.map(|row| row.energies().iter().sum::<f64>());
    let first = run.recording.rows().next();
    let summary = json!({
        "scene": name,
        "finished": matches!(ending, Ending::Done),
        "steps": run.steps_taken(),
        "dt": plan.dt,
        "seconds": run.time(),
        "max_penetration": most(&|row| row.penetration()),
        "max_contacts": most(&|row| row.contacts()) as u64,
        "stopped_bullets": rows().map(recording::Row::stopped).sum::<f64>() as u64,
        "energy_start": energy(first),
        "energy_end": energy(run.recording.last()),
        "step_ms": { "p50": part(0.5), "p99": part(0.99), "max": times.last() },
        "bodies": bodies,
        "particles": run.play.particles(),
        // Negative: how near cloth came.
        "cloth_depth": rows().map(recording::Row::cloth_depth).reduce(f64::max).filter(|depth| depth.is_finite()),
        "cloth": cloth,
    });
    match summary {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}

/// What is told at the end.
pub(super) fn report(folder: &Path, summary: Map<String, Value>, stepping: Duration) -> Report {
    let mut report = Report::new();
    let of = |key: &str| summary.get(key).and_then(Value::as_f64).unwrap_or(f64::NAN);
    let step = |key: &str| {
        let found = summary.get("step_ms").and_then(|times| times.get(key)).and_then(Value::as_f64);
        format!("{:.2} ms", found.unwrap_or(f64::NAN))
    };
    let length = |key: &str| summary.get(key).and_then(Value::as_array).map_or(0, Vec::len);
    let bodies = match length("bodies") {
        1 => "1 body".to_owned(),
        bodies => format!("{} bodies", count(bodies as u64)),
    };
    let particles = of("particles") as u64;
    let moved = match (length("bodies"), particles) {
        (_, 0) => bodies,
        (0, particles) => format!("cloth of {}", plural(particles, "particle")),
        (_, particles) => format!("{bodies} and cloth of {}", plural(particles, "particle")),
    };
    let steps = of("steps") as u64;
    let taken = match summary.get("resumed_at_step").and_then(Value::as_u64) {
        Some(from) => {
            format!("{} more, {} in all,", plural(steps.saturating_sub(from), "step"), count(steps))
        }
        None => plural(steps, "step"),
    };
    report.line(format_args!(
        "{taken} of {moved} in {}: {} s simulated",
        duration(stepping),
        number(of("seconds"))
    ));
    let mut facts = vec![
        ("step", format!("{} (p50), {} (p99), {} (max)", step("p50"), step("p99"), step("max"))),
        ("deepest penetration", format!("{} mm", number(1e3 * of("max_penetration")))),
        ("points in contact", format!("{} at most", count(of("max_contacts") as u64))),
    ];
    if particles > 0 {
        let depth = of("cloth_depth");
        let words = if depth < 0.0 {
            format!("never nearer than {} mm to a surface", number(-1e3 * depth))
        } else if depth >= 0.0 {
            format!("{} mm below a surface at most", number(1e3 * depth))
        } else {
            "nothing near that it could touch".to_owned()
        };
        facts.push(("cloth", words));
        let sheets = summary.get("cloth").and_then(Value::as_array).into_iter().flatten();
        let stretches = sheets.filter_map(|sheet| sheet.get("largest_stretch").and_then(Value::as_f64));
        let largest = stretches.fold(0.0, f64::max);
        facts.push(("stretch at the end", format!("{} % at most", number(1e2 * largest))));
    }
    facts.push(("results", format!("{}: scene.glb, energy.png, trajectory.csv, …", folder.display())));
    if let Some(models) = summary.get("models").and_then(Value::as_str) {
        facts.insert(0, ("models", format!("of {models}; ISOTOUCH_MODELS= takes built-in shapes")));
    }
    report.facts(&facts);
    for (key, value) in summary {
        report.key(&key, value);
    }
    report.key("output", folder.display().to_string());
    report
}
