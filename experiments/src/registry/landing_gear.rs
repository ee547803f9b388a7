//! A part against wires two cells wide, faster and faster: figures 6c, 8 and 12 of 2016.

use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use isotouch::contact::{Friction, Law, PenaltyOptions, Stiffness};
use isotouch::haptics::{
    Coupling, GodObject, GodObjectOptions, HeldPair, Looking, PenaltyObject, PenaltyObjectOptions,
};
use isotouch::math::{Motion, MotionKind, Pose};
use isotouch::mesh::shapes::{StrungFrameOptions, sphere, strung_frame};
use isotouch::output::chart::{Axis, Chart, Scale};

use super::Setup;
use crate::haptic_scenes::{Sorted, draw, field_of, least_value, moving, shell_covering, shell_on_field};
use crate::random::Random;
use crate::report::{Report, Table, count, none, number};

/// Step, s.
const DT: f64 = 1e-3;
/// N/m of the coupling and of a point. Softer points let the ball through at any speed: the field of a wire two cells thick is less than half a cell deep, and no spring on it pushes harder.
const STIFFNESS: f64 = 1000.0;
const OF_POINT: f64 = 10_000.0;
/// After the hand has arrived: time to come through, if it does. Steps.
const AFTER: usize = 100;

/// A ball that is too large to pass between wires however it is turned.
struct Gear {
    fine: Arc<HeldPair>,
    coarse: Arc<HeldPair>,
    resolution: u32,
    coarse_resolution: u32,
    radius: f64,
    frame: StrungFrameOptions,
    coverage: f64,
}

#[derive(Clone, Copy, PartialEq)]
enum Method {
    Discrete,
    Continuous,
    Constraint,
}

impl Method {
    const ALL: [Self; 3] = [Self::Discrete, Self::Continuous, Self::Constraint];

    fn name(self) -> &'static str {
        match self {
            Self::Discrete => "discrete springs",
            Self::Continuous => "continuous springs",
            Self::Constraint => "constraints",
        }
    }
}

impl Gear {
    fn new(quick: bool) -> anyhow::Result<Self> {
        let (resolution, wires, radius) = if quick { (128, 4, 0.11) } else { (1_024, 24, 0.02) };
        // As thick as two cells: 5 % of the frame's size, which is 1 m, are added on each side.
        let cell = 1.1 / f64::from(resolution);
        let frame = StrungFrameOptions { wires, wire_radius: cell, ..Default::default() };
        anyhow::ensure!(2.0 * radius > frame.wire_spacing(), "the ball would fit between the wires");
        let (mesh, ball) = (strung_frame(frame)?, sphere(radius, 20_480)?);
        // Finer than the wires, so that none finds a gap between points.
        let shell = shell_covering(&ball, 0.95 * frame.wire_radius)?;
        let coverage = shell.coverage();
        let coarse_resolution = resolution / 4;
        let pair = |resolution| shell_on_field(&ball, Arc::clone(&shell), field_of(&mesh, resolution)?);
        Ok(Self {
            fine: pair(resolution)?,
            coarse: pair(coarse_resolution)?,
            resolution,
            coarse_resolution,
            radius,
            frame,
            coverage,
        })
    }

    /// A hand that goes straight through the window, `speed` cells of the fine field in a step, and stays behind it.
    fn hands(&self, speed: f64, random: &mut Random) -> Vec<Pose> {
        let cell = self.frame.wire_radius;
        let room = 0.5 * self.frame.height - self.frame.border - 1.5 * self.radius;
        let mut aside = || room * (2.0 * random.unit() - 1.0);
        let (x, y) = (aside(), aside());
        // A way that whole steps do not divide: where steps end is random.
        let begin = -(self.radius + 3.0 * cell) - random.unit() * speed * cell;
        let end = 2.0 * self.radius;
        let steps = ((end - begin) / (speed * cell)).ceil() as usize;
        let at = |k: usize| Pose::at(DVec3::new(x, y, (begin + speed * cell * k as f64).min(end)));
        (0..=steps + AFTER).map(at).collect()
    }

    /// Whether a ball there has come through: its middle is behind the plane of the wires, which between them it cannot be.
    fn is_through(&self, pose: &Pose) -> bool {
        pose.position.z > 0.0
    }
}

/// What one way came to.
struct Course {
    is_through: bool,
    /// Below the surface, m.
    deepest: f64,
    /// Steps in contact in which something was looked for, which in one that rests there is not: s, and points.
    seconds: Vec<f64>,
    contacts: Vec<f64>,
}

fn drive(pair: &Arc<HeldPair>, gear: &Gear, method: Method, hands: &[Pose]) -> anyhow::Result<Course> {
    let mut course = Course { is_through: false, deepest: 0.0, seconds: Vec::new(), contacts: Vec::new() };
    let mut deepest = 0f64;
    let mut note = |seconds: f64, contacts: usize| {
        if contacts > 0 {
            course.seconds.push(seconds);
            course.contacts.push(contacts as f64);
        }
    };
    let last = match method {
        Method::Constraint => {
            let mut god = GodObject::new(Arc::clone(pair), hands[0], &GodObjectOptions::default())?;
            for hand in hands {
                let from = god.pose();
                let begin = Instant::now();
                let step = god.step(hand);
                let seconds = begin.elapsed().as_secs_f64();
                if !god.trail().is_empty() {
                    note(seconds, step.contacts);
                }
                deepest = deepest.max(deepest_along(pair, from, god.trail()));
            }
            deepest = deepest.max(-least_value(pair, &god.pose()));
            god.pose()
        }
        Method::Discrete | Method::Continuous => {
            let looking = if method == Method::Discrete { Looking::AtEnd } else { Looking::Continuous };
            let mass = pair.mass();
            let coupling = Coupling::critical(STIFFNESS, 1.0, mass.mass, mass.inertia.x_axis.x);
            let options = PenaltyObjectOptions {
                looking,
                law: Law {
                    stiffness: Stiffness::PerPoint(OF_POINT),
                    damping: 1e-3,
                    friction: Friction::NONE,
                },
                penalty: PenaltyOptions { subintervals: 5, ..Default::default() },
                // Half a cell, as in the paper.
                coupling: Some(coupling.saturating(0.5 * pair.surface().cell(), gear.radius)),
                ..Default::default()
            };
            // As fast as the hand: from rest the coupling, which is limited, would bring it to the wires at the same speed whatever the hand's.
            let carried = moving(&hands[0], &hands[1], pair.center(), DT).twist;
            let mut part = PenaltyObject::new(Arc::clone(pair), hands[0], &options)?.moving(carried);
            let mut last = hands[0];
            for hand in &hands[1..] {
                let placed = moving(&last, hand, pair.center(), DT);
                last = *hand;
                let begin = Instant::now();
                let step = part.step(&placed, DT);
                note(begin.elapsed().as_secs_f64(), step.contacts);
                deepest = deepest.max(step.penetration);
            }
            part.part().world_from_body
        }
    };
    (course.is_through, course.deepest) = (gear.is_through(&last), deepest);
    Ok(course)
}

/// How deep any point is at some poses of every piece of a way, m.
fn deepest_along(pair: &HeldPair, from: Pose, trail: &[Pose]) -> f64 {
    let starts = std::iter::once(from).chain(trail.iter().copied());
    let poses = starts.zip(trail).flat_map(|(from, &to)| {
        let piece = Motion::new(MotionKind::Rigid, from, to);
        [0.25, 0.5, 0.75, 1.0].map(|part| piece.pose(part))
    });
    poses.filter_map(|pose| pair.least_value(&pose, 0.0)).fold(0.0, |deepest, value| deepest.max(-value))
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let gear = Gear::new(setup.quick)?;
    let (speeds, ways): (&[f64], usize) = if setup.quick {
        (&[0.02, 2.0, 50.0], 3)
    } else {
        (&[0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 16.0, 32.0, 64.0, 200.0], 20)
    };
    let mut table = Table::new(
        format!(
            "{ways} ways of a ball ({} points, coverage {} of the wires' radius) through wires two cells wide ({}³), by speed: how many came through",
            count(gear.fine.shell().len() as u64),
            number(gear.coverage / gear.frame.wire_radius),
            gear.resolution
        ),
        &[
            "cells per step",
            "m/s",
            "discrete springs",
            "deepest, cells",
            "continuous springs",
            "deepest, cells",
            "constraints",
            "deepest, cells",
        ],
    );
    let cell = gear.fine.surface().cell();
    let mut through = [const { Vec::new() }; 3];
    let mut times: [(Vec<f64>, Vec<f64>); 3] = Default::default();
    for &speed in speeds {
        eprintln!("{speed}");
        let mut random = Random::new(12);
        let hands: Vec<Vec<Pose>> = (0..ways).map(|_| gear.hands(speed, &mut random)).collect();
        let mut cells = vec![number(speed), number(speed * cell / DT)];
        for (k, method) in Method::ALL.into_iter().enumerate() {
            let (mut came, mut deepest) = (0, 0f64);
            for hands in &hands {
                let course = drive(&gear.fine, &gear, method, hands)?;
                came += usize::from(course.is_through);
                deepest = deepest.max(course.deepest / cell);
                if !course.is_through {
                    times[k].0.extend(course.seconds);
                    times[k].1.extend(course.contacts);
                }
            }
            through[k].push(100.0 * came as f64 / ways as f64);
            cells.extend([count(came as u64), number(deepest)]);
            if method == Method::Constraint && (came > 0 || deepest > 0.0) {
                report
                    .failures
                    .push(format!("constraints: {came} came through at {speed}, {deepest} cells deep"));
            }
        }
        table.row(cells);
    }
    report.tables.push(table);
    let tunnels = |k: usize| through[k].iter().any(|&part| part > 0.0);
    if !tunnels(0) {
        report.failures.push("discrete springs never let it through, so the test shows nothing".into());
    }
    if !setup.quick {
        if through[0][0] > 0.0 || through[1][0] > 0.0 {
            report.failures.push("springs let even the slowest ball through".into());
        }
        // The speed from which on some come through. How many do then is a matter of momentum, for both.
        let first = |k: usize| through[k].iter().position(|&part| part > 0.0).unwrap_or(speeds.len());
        if first(1) < first(0) {
            report.failures.push("continuous springs let the ball through before discrete ones do".into());
        }
    }
    let mut chart = Chart::new(
        "Who comes through wires two cells wide",
        Axis::new("speed", "cells per step").scaled(Scale::Logarithmic),
        Axis::new("came through", "%"),
    );
    for (method, through) in Method::ALL.iter().zip(&through) {
        chart.add(method.name(), speeds, through);
    }
    draw(&chart, "landing-gear", setup.quick)?;
    report.tables.push(step_times(times));
    report.tables.push(resolutions(&gear, ways, &mut report.failures)?);
    report.remarks.push(
        "The paper (figure 12): springs let a fast part through, continuous ones later than discrete ones, constraints with continuous detection never do; the time of a step (figure 6c): discrete < continuous < constraints; wires that a field of 256³ cannot \
         hold are passed, at 1024³ they hold (figure 8). So it is here for the longest steps, p99; in the middle it is the other way round: most steps of constraints have one or two points to look at, while springs ask all that are near in every step. Hand and ball come at the same speed, so where \
         momentum carries it through, springs of both kinds are alike. The part here is a ball, larger than the room between wires in every direction: its middle cannot be behind the wires unless it passed through them. Its points are \
         nearer to each other than wires are thick. The hand goes straight through the window and stays behind it.\n\n![Who comes through](pictures/landing-gear.svg)"
            .into(),
    );
    Ok(report)
}

/// Of steps with as many contacts: up to this many.
const SIMILAR: (f64, f64) = (3.0, 30.0);

fn step_times(times: [(Vec<f64>, Vec<f64>); 3]) -> Table {
    let mut table = Table::new(
        format!(
            "Time of a step in which contact is looked for, with {} to {} points in contact",
            SIMILAR.0, SIMILAR.1
        ),
        &["method", "steps", "points, mean", "p50, µs", "p99, µs"],
    );
    for (method, (seconds, contacts)) in Method::ALL.into_iter().zip(times) {
        let similar = |n: f64| (SIMILAR.0..=SIMILAR.1).contains(&n);
        let counted = Sorted::new(contacts.iter().copied().filter(|&n| similar(n)).collect());
        let of = seconds.iter().zip(&contacts).filter(|(_, n)| similar(**n)).map(|(s, _)| 1e6 * s).collect();
        let of = Sorted::new(of);
        let told = |value: f64| if value.is_finite() { number(value) } else { none() };
        table.row(vec![
            method.name().into(),
            count(of.len() as u64),
            told(counted.mean()),
            told(of.quantile(0.5)),
            told(of.quantile(0.99)),
        ]);
    }
    table
}

/// The same wires in a coarser field, slowly.
fn resolutions(gear: &Gear, ways: usize, failures: &mut Vec<String>) -> anyhow::Result<Table> {
    let mut table = Table::new(
        "The same wires in a coarser field: constraints, a quarter of a cell of the fine field in a step",
        &["field", "wires, cells thick", "least φ on a wire's axis, cells", "ways", "came through"],
    );
    let mut came_through = Vec::new();
    for (pair, resolution) in [(&gear.fine, gear.resolution), (&gear.coarse, gear.coarse_resolution)] {
        let mut random = Random::new(12);
        let mut came = 0;
        for _ in 0..ways {
            came += usize::from(
                drive(pair, gear, Method::Constraint, &gear.hands(0.25, &mut random))?.is_through,
            );
        }
        let cell = pair.surface().cell();
        let obstacle = pair.surface().obstacle();
        let spacing = gear.frame.wire_spacing();
        let half = 0.5 * gear.frame.width - gear.frame.border - 4.0 * gear.frame.wire_radius;
        let least = (0..200).map(|k| {
            let x = half * (2.0 * f64::from(k) / 199.0 - 1.0);
            // The wires are half a spacing from the window's middle where their number is even.
            let y = if gear.frame.wires.is_multiple_of(2) { 0.5 * spacing } else { 0.0 };
            obstacle.touchable().value(DVec3::new(x, y, 0.0)) / cell
        });
        table.row(vec![
            format!("{resolution}³"),
            number(2.0 * gear.frame.wire_radius / cell),
            number(least.fold(f64::INFINITY, f64::min)),
            count(ways as u64),
            count(came as u64),
        ]);
        came_through.push(came);
    }
    if came_through[0] > 0 {
        failures.push(format!("constraints let {} through in the fine field", came_through[0]));
    }
    // Wires half a cell thick leave no node inside: what the coarse field does not hold, nothing can stop.
    if came_through[1] == 0 {
        failures.push("the coarse field holds the wires, so it shows nothing".into());
    }
    Ok(table)
}
