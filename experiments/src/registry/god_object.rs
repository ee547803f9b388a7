//! The god object: whether anything is ever entered, and how long a step takes.
//!
//! The first is a long run: it keeps its counts in a file, can be stopped at any moment, and goes on where it was.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use anyhow::Context as _;

use glam::{DQuat, DVec3};
use isotouch::contact::constraint::Solver;
use isotouch::haptics::{GodObject, GodObjectOptions, HeldPair};
use isotouch::math::spatial::Cholesky6;
use isotouch::math::{Motion, MotionKind, Pose, Twist};
use isotouch::mesh::shapes::{AlphaOptions, alpha_path, alpha_tube};
use isotouch::output::chart::{Axis, Chart, Scale};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Setup, programs};
use crate::haptic_scenes::{
    Scene, Sorted, along, around_the_blob, blobs, draw, field_of, five, least_value, shell_of, shell_on_field,
};
use crate::machine;
use crate::models::project_root;
use crate::random::Random;
use crate::report::{Report, Table, count, number};
use crate::results::replace_file;
use crate::timing::seconds_of;

/// Steps from one start.
const STEPS_OF_RUN: usize = 250;
/// Most a hand moves in a step, in lengths of what it holds.
const FASTEST: f64 = 10.0;
/// Poses of the way that are looked at, for every piece of it: its end, and random ones.
const LOOKS: usize = 3;
/// In cells and radians: nearer than this it is where the hand is.
const ARRIVED: f64 = 1e-6;
/// Runs between states on disk: some seconds.
const RUNS_AT_ONCE: usize = 40;
/// What is asked for, s.
const STEP_TARGET: f64 = 0.2e-3;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    outside(setup, &mut report)?;
    speed(setup, &mut report)?;
    programs::many_rows(setup, &mut report)?;
    programs::adversarial(setup, &mut report);
    Ok(report)
}

/// What came of some steps.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Seen {
    steps: usize,
    touching: usize,
    /// Steps after which it was where the hand was.
    arrived: usize,
    /// Poses that were looked at.
    looks: usize,
    /// Steps in which the hand moved by more than a length of the part.
    fast: usize,
    /// Cells; the least φ of any point at any of them, and at most this to begin with: infinity has no form in the file.
    least: f64,
    not_numbers: usize,
}

impl Seen {
    const NOTHING: Self =
        Self { steps: 0, touching: 0, arrived: 0, looks: 0, fast: 0, least: f64::MAX, not_numbers: 0 };

    fn and(self, other: Self) -> Self {
        Self {
            steps: self.steps + other.steps,
            touching: self.touching + other.touching,
            arrived: self.arrived + other.arrived,
            looks: self.looks + other.looks,
            fast: self.fast + other.fast,
            least: self.least.min(other.least),
            not_numbers: self.not_numbers + other.not_numbers,
        }
    }
}

/// How far the run has come.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct State {
    /// What the scenes are made with.
    resolution: u32,
    points: usize,
    /// Of each scene: runs that are done, and what was seen.
    scenes: Vec<(usize, Seen)>,
    /// By the wall clock, s.
    seconds: f64,
    /// Of this library: what another one did says nothing of it.
    #[serde(default)]
    version: String,
}

impl State {
    fn new(resolution: u32, points: usize, scenes: usize) -> Self {
        let scenes = vec![(0, Seen::NOTHING); scenes];
        Self { resolution, points, scenes, seconds: 0.0, version: machine::version() }
    }

    /// The state in a file, or this one where there is no file, or only one of another version of the library.
    fn or_read(self, path: &Path) -> anyhow::Result<Self> {
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(self),
            Err(error) => return Err(error).with_context(|| format!("could not read {}", path.display())),
        };
        let remedy =
            || format!("{} is not the state of this experiment; remove it to begin anew", path.display());
        let state: Value = serde_json::from_str(&text).with_context(remedy)?;
        if state["version"] != self.version {
            eprintln!("{} is of another version; it begins anew", path.display());
            return Ok(self);
        }
        let state: Self = serde_json::from_value(state).with_context(remedy)?;
        let is_whole = state.scenes.iter().all(|(runs, seen)| seen.steps == runs * STEPS_OF_RUN);
        let is_the_same = (state.resolution, state.points, state.scenes.len())
            == (self.resolution, self.points, self.scenes.len());
        anyhow::ensure!(is_whole && is_the_same, "{}", remedy());
        Ok(state)
    }

    fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string(self).context("the state has no form as text")?;
        replace_file(path, &text).with_context(|| format!("could not write {}", path.display()))
    }

    /// Some more runs of a scene, no more than `runs` in all.
    fn advance(&mut self, k: usize, scene: &Scene, runs: usize) -> anyhow::Result<()> {
        let begin = Instant::now();
        let done = self.scenes[k].0;
        let until = runs.min(done + RUNS_AT_ONCE);
        let seen = (done..until)
            .into_par_iter()
            .map(|run| jump_about(scene, (1_000_003 * k + run) as u64))
            .try_reduce(|| Seen::NOTHING, |a, b| Ok(a.and(b)))?;
        self.scenes[k] = (until, self.scenes[k].1.and(seen));
        self.seconds += begin.elapsed().as_secs_f64();
        Ok(())
    }
}

/// The small version keeps no state, unless it is told to.
fn state_path(setup: &Setup) -> Option<PathBuf> {
    let usual = (!setup.quick).then(|| project_root().join("target/god-object.json"));
    setup.state.clone().or(usual)
}

fn outside(setup: &Setup, report: &mut Report) -> anyhow::Result<()> {
    let (resolution, points, steps) = if setup.quick { (48, 250, 2_000) } else { (96, 500, 1_000_000) };
    let steps = setup.count.map_or(steps, |count| count as usize);
    let scenes = five(resolution, points)?;
    let runs = (steps / scenes.len() / STEPS_OF_RUN).max(1);
    let path = state_path(setup);
    let mut state = State::new(resolution, points, scenes.len());
    if let Some(path) = &path {
        state = state.or_read(path)?;
    }
    for (k, scene) in scenes.iter().enumerate() {
        while state.scenes[k].0 < runs {
            state.advance(k, scene, runs)?;
            eprintln!("{}: {} of {runs} runs", scene.name, state.scenes[k].0);
            if let Some(path) = &path {
                state.write(path)?;
            }
        }
    }
    let mut table = Table::new(
        format!(
            "Random steps of god objects, by scene ({resolution}³, {points} points): the least φ of any point, at poses and on the way between"
        ),
        &[
            "held, fixed",
            "steps",
            "in contact",
            "at the hand",
            "faster than its length",
            "poses looked at",
            "least φ, cells",
            "not a number",
        ],
    );
    let all = state.scenes.iter().fold(Seen::NOTHING, |all, (_, seen)| all.and(*seen));
    for (scene, (_, seen)) in scenes.iter().zip(&state.scenes) {
        table.row(vec![
            scene.name.into(),
            count(seen.steps as u64),
            count(seen.touching as u64),
            count(seen.arrived as u64),
            count(seen.fast as u64),
            count(seen.looks as u64),
            number(seen.least),
            count(seen.not_numbers as u64),
        ]);
        let is_outside = seen.least > 0.0;
        if !is_outside || seen.not_numbers > 0 {
            report.failures.push(format!(
                "{}: a point came to {} cells, {} poses were not numbers",
                scene.name, seen.least, seen.not_numbers
            ));
        }
        if seen.touching * 10 < seen.steps {
            report.failures.push(format!("{}: rarely in contact, so it shows little", scene.name));
        }
    }
    report.tables.push(table);
    report.remarks.push(format!(
        "{} steps in all, {} s; a run begins anew every {STEPS_OF_RUN} steps, and is made from its number alone. The hand jumps towards random places among the fixed part and beyond, by 10⁻⁴ to \
         {FASTEST} lengths of the held part in a step, even on a logarithmic scale, and turns by up to half a turn. φ is looked up for every point by itself, at the end of every piece of the way and at two random \
         poses of it. Above 0 is outside; points rest at 0.01 cells. Asked of isotouch {}.",
        count(all.steps as u64),
        number(state.seconds),
        state.version,
    ));
    Ok(())
}

/// One run from somewhere far.
fn jump_about(scene: &Scene, seed: u64) -> anyhow::Result<Seen> {
    let mut random = Random::new(seed);
    let start = Pose { position: random.direction() * scene.far(), rotation: random.rotation() };
    let mut god = GodObject::new(Arc::clone(&scene.pair), start, &GodObjectOptions::default())?;
    let cell = scene.pair.surface().cell();
    let mut seen = Seen { steps: STEPS_OF_RUN, ..Seen::NOTHING };
    let mut hand = start;
    for step in 0..STEPS_OF_RUN {
        // The first step is to the middle of it all.
        let way =
            if step == 0 { f64::INFINITY } else { scene.length * FASTEST * 10f64.powf(-5.0 * random.unit()) };
        let spread = DVec3::new(random.unit(), random.unit(), random.unit()) * 2.0 - DVec3::ONE;
        let towards = spread * scene.around - hand.position;
        let way = if step == 0 { towards.length() } else { way };
        let turn = random.direction() * (way / scene.length).min(1.0) * std::f64::consts::PI * random.unit();
        hand = Pose {
            position: hand.position + towards.normalize_or_zero() * way,
            rotation: (DQuat::from_scaled_axis(turn) * hand.rotation).normalize(),
        };
        seen.fast += usize::from(way > scene.length);
        let mut from = god.pose();
        let told = god.step(&hand);
        seen.touching += usize::from(told.contacts > 0);
        let left = told.pose.displacement_to(&hand, scene.pair.center());
        seen.arrived += usize::from(left.linear.length() < ARRIVED * cell && left.angular.length() < ARRIVED);
        for &to in god.trail() {
            let piece = Motion::new(MotionKind::Rigid, from, to);
            for look in 0..LOOKS {
                let pose = piece.pose(if look == 0 { 1.0 } else { random.unit() });
                seen.not_numbers += usize::from(!(pose.position.is_finite() && pose.rotation.is_finite()));
                seen.least = seen.least.min(least_value(&scene.pair, &pose) / cell);
            }
            seen.looks += LOOKS;
            from = to;
        }
        seen.not_numbers += usize::from(from != god.pose() || told.pose != god.pose());
    }
    Ok(seen)
}

/// A hand's way, and what is held along it.
struct Drive {
    name: &'static str,
    pair: Arc<HeldPair>,
    resolution: u32,
    hands: Vec<Pose>,
}

fn drives(setup: &Setup) -> anyhow::Result<Vec<Drive>> {
    let (resolution, points, steps) = if setup.quick { (96, 2_000, 1_500) } else { (512, 25_000, 30_000) };
    let alpha = alpha_tube(AlphaOptions::default())?;
    let field = field_of(&alpha, resolution)?;
    let pair = shell_on_field(&alpha, shell_of(&alpha, points)?, field)?;
    let path = alpha_path();
    // The way out without its last leg, which is free, pushed aside by four times as much as it keeps away: the part slides along the other.
    let way = &path[..path.len() - 1];
    let alpha_hands = (0..steps).map(|k| {
        let part = k as f64 / (steps - 1) as f64;
        let pose = along(way, part);
        let aside = DQuat::from_rotation_z(13.0 * part) * DQuat::from_rotation_x(9.0 * part) * DVec3::X;
        // From nothing, so that it begins outside.
        Pose { position: pose.position + aside * 0.08 * (20.0 * part).min(1.0), ..pose }
    });
    let alpha_hands = alpha_hands.collect();
    let blob_hands = (0..steps).map(|k| around_the_blob(0.012, k as f64 / (steps - 1) as f64)).collect();
    Ok(vec![
        Drive { name: "alpha in alpha", pair, resolution, hands: alpha_hands },
        Drive { name: "blob on blob", pair: blobs(points, resolution)?, resolution, hands: blob_hands },
    ])
}

fn speed(setup: &Setup, report: &mut Report) -> anyhow::Result<()> {
    let mut table = Table::new(
        "Steps in contact: time of a step, and of its last program alone",
        &[
            "held, fixed",
            "points",
            "field",
            "steps in contact",
            "points at rest, mean",
            "rows, mean",
            "rows, max",
            "passes, mean",
            "step: p50, µs",
            "p99, µs",
            "max, µs",
            "program: p50, µs",
            "p99, µs",
            "max, µs",
        ],
    );
    let mut chart = Chart::new(
        "A step of the god object in contact",
        Axis::new("time", "µs").scaled(Scale::Logarithmic),
        Axis::new("of steps", "%"),
    );
    for drive in drives(setup)? {
        eprintln!("{}", drive.name);
        let taken = drive.run()?;
        let cells = drive.resolution;
        let micro = |seconds: f64| number(1e6 * seconds);
        table.row(vec![
            drive.name.into(),
            count(drive.pair.shell().len() as u64),
            format!("{cells}³"),
            count(taken.steps.len() as u64),
            number(taken.contacts.mean()),
            number(taken.rows.mean()),
            number(taken.rows.max()),
            number(taken.passes.mean()),
            micro(taken.steps.quantile(0.5)),
            micro(taken.steps.quantile(0.99)),
            micro(taken.steps.max()),
            micro(taken.programs.quantile(0.5)),
            micro(taken.programs.quantile(0.99)),
            micro(taken.programs.max()),
        ]);
        let (x, y) = taken.steps.outline((5e-6, 5e-3), 60);
        chart.add(drive.name, &x.iter().map(|s| 1e6 * s).collect::<Vec<_>>(), &y);
        if taken.steps.len() * 4 < drive.hands.len() {
            report.failures.push(format!("{}: in contact in {} steps only", drive.name, taken.steps.len()));
        }
        // Written so that NaN is above.
        let is_fast = taken.steps.quantile(0.99) <= STEP_TARGET;
        if !setup.quick && !is_fast {
            report.remarks.push(format!(
                "**{}: p99 of a step is {} µs, above the {} µs that were asked for.**",
                drive.name,
                micro(taken.steps.quantile(0.99)),
                micro(STEP_TARGET)
            ));
        }
    }
    report.tables.push(table);
    draw(&chart, "god-object-step", setup.quick)?;
    report.remarks.push(
        "Asked for: p99 of a step below 200 µs. Steps are those in which something rests on the surface, one thread, every step once. The program of a step is \
         solved again by itself, once and from scratch.\n\n![Time of a step](pictures/god-object-step.svg)"
            .into(),
    );
    Ok(())
}

/// Times, s, and numbers of every step in contact.
struct Taken {
    steps: Sorted,
    contacts: Sorted,
    rows: Sorted,
    passes: Sorted,
    programs: Sorted,
}

impl Drive {
    fn run(&self) -> anyhow::Result<Taken> {
        let options = GodObjectOptions::default();
        let mut god = GodObject::new(Arc::clone(&self.pair), self.hands[0], &options)?;
        let mut solver = Solver::with_capacity(options.most_rows);
        let [mut steps, mut contacts, mut rows, mut passes, mut programs]: [Vec<f64>; 5] = Default::default();
        for hand in &self.hands {
            let begin = Instant::now();
            let told = god.step(hand);
            let seconds = begin.elapsed().as_secs_f64();
            if told.contacts == 0 {
                continue;
            }
            steps.push(seconds);
            contacts.push(told.contacts as f64);
            rows.push(told.rows as f64);
            passes.push(f64::from(told.passes));
            let gap = god.pose().displacement_to(hand, self.pair.center());
            let wanted =
                Twist { linear: gap.linear * options.closing, angular: gap.angular * options.closing };
            let Some(metric) = Cholesky6::new(&self.pair.metric(god.pose().rotation)) else {
                anyhow::bail!("a mass that is none")
            };
            programs.push(seconds_of(|| solver.solve_or_relax(&metric, &wanted, god.rows(), &[])));
        }
        let [steps, contacts, rows, passes, programs] =
            [steps, contacts, rows, passes, programs].map(Sorted::new);
        Ok(Taken { steps, contacts, rows, passes, programs })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_that_was_stopped_comes_to_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.json");
        let scenes = five(24, 60).unwrap();
        let fresh = State::new(24, 60, 1);
        let mut whole = fresh.clone();
        whole.advance(0, &scenes[1], 3).unwrap();
        let mut pieces = fresh.clone().or_read(&path).unwrap();
        for runs in [1, 3] {
            pieces.advance(0, &scenes[1], runs).unwrap();
            pieces.write(&path).unwrap();
            pieces = fresh.clone().or_read(&path).unwrap();
        }
        let ((runs, seen), (_, wanted)) = (pieces.scenes[0], whole.scenes[0]);
        // Decimal numbers may be read with the last bit off.
        assert!((seen.least - wanted.least).abs() <= 1e-12 * wanted.least.abs());
        assert_eq!((runs, Seen { least: 0.0, ..seen }), (3, Seen { least: 0.0, ..wanted }));
        assert!(State::new(32, 60, 1).or_read(&path).unwrap_err().to_string().contains("remove it"));
        // What another version did says nothing of this one.
        State { version: "0.0.1".into(), ..pieces }.write(&path).unwrap();
        assert_eq!(fresh.clone().or_read(&path).unwrap(), fresh);
    }
}
