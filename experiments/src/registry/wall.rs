//! A virtual wall: how stiff it may be, and how far the god object is from where it should be.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use isotouch::ccd::{Ball, Plane};
use isotouch::haptics::device::{Device, DeviceCommand, Hand, HandOptions, Path};
use isotouch::haptics::{
    Coupling, GodObject, GodObjectOptions, Held, HeldPair, Passivity, Renderer, Session, Surface,
};
use isotouch::math::{Pose, Twist};
use isotouch::mesh::mass_properties;
use isotouch::mesh::shapes::sphere;
use isotouch::output::chart::{Axis, Chart, Scale};

use super::Setup;
use crate::haptic_scenes::{Sorted, draw, shell_of, without_limits};
use crate::report::{Report, Table, none, number};

/// What counts as a cell, m.
const CELL: f64 = 1e-3;
/// Of the ball in the hand, m.
const RADIUS: f64 = 0.01;
/// The device: its mass, kg, its own damping b, N·s/m, and a light grip, N/m.
const MASS: f64 = 0.05;
const DAMPING: f64 = 2.0;
const GRIP: f64 = 100.0;
/// T, s.
const PERIOD: f64 = 1e-3;
/// The device moves on between two commands, in this many steps.
const SUBSTEPS: u32 = 10;
/// Stiffnesses that are tried, N/m.
const STIFFEST: f64 = 2e5;
const SOFTEST: f64 = 50.0;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    stability(setup, &mut report)?;
    ideal(setup, &mut report)?;
    Ok(report)
}

fn ball_on(surface: Surface, radius: f64, points: usize) -> anyhow::Result<Arc<HeldPair>> {
    let ball = sphere(radius, 1_280)?;
    Ok(Arc::new(HeldPair::new(
        shell_of(&ball, points)?,
        surface,
        Held::Shell,
        mass_properties(&ball, 1000.0)?,
    )?))
}

/// Whether a hand that falls on the wall comes to rest: in the last sixth of the time it moves by less than a twentieth of what it does in the first.
fn comes_to_rest(pair: &Arc<HeldPair>, coupling: Coupling, seconds: f64) -> anyhow::Result<bool> {
    let start = Pose::at(DVec3::Y * (RADIUS + 0.002));
    let path = Path::new(vec![(0.0, start), (1e-3, Pose::at(DVec3::Y * (RADIUS - 0.02)))])?;
    let options = HandOptions {
        mass: MASS,
        stiffness: GRIP,
        damping: DAMPING,
        rate: f64::from(SUBSTEPS) / PERIOD,
        ..Default::default()
    };
    let mut hand = Hand::new(path, options)?;
    let god = GodObject::new(Arc::clone(pair), start, &GodObjectOptions::default())?;
    let renderer = Renderer::Constraint(Box::new(god), coupling);
    let mut session = Session::in_step(renderer, &without_limits())?;
    let steps = (seconds / PERIOD) as usize;
    let mut spans = [[f64::INFINITY, f64::NEG_INFINITY]; 6];
    for k in 0..steps {
        let mut state = hand.read()?;
        state.time = k as f64 * PERIOD;
        if !(state.is_finite() && state.pose.position.length() < 1.0) {
            return Ok(false);
        }
        let span = &mut spans[6 * k / steps];
        let y = state.pose.position.y;
        *span = [span[0].min(y), span[1].max(y)];
        let command = DeviceCommand::Wrench(session.servo(&state));
        for _ in 0..SUBSTEPS {
            hand.write(&command)?;
        }
    }
    let moves = |k: usize| spans[k][1] - spans[k][0];
    Ok(moves(5) < 0.05 * moves(0))
}

fn stability(setup: &Setup, report: &mut Report) -> anyhow::Result<()> {
    let (dampings, seconds, halvings): (&[f64], f64, usize) = if setup.quick {
        (&[0.0, 1.0, 4.0], 1.5, 4)
    } else {
        (
            &[
                0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0,
                48.0,
            ],
            3.0,
            9,
        )
    };
    let pair = ball_on(Surface::Analytic(Arc::new(Plane::GROUND), CELL), RADIUS, 400)?;
    let device = Passivity { device_damping: DAMPING, device_angular_damping: 0.14, period: PERIOD };
    let mut table = Table::new(
        format!(
            "A wall of stiffness K and damping B at 1 kHz, a device of {MASS} kg with b = {DAMPING} N·s/m: largest K at which it comes to rest"
        ),
        &["B, N·s/m", "largest stable K, N/m", "passive below, N/m", "ratio"],
    );
    let (mut stable, mut passive) = (Vec::new(), Vec::new());
    for &damping in dampings {
        let holds = |stiffness: f64| {
            comes_to_rest(&pair, Coupling { damping, ..Coupling::spring(stiffness, 0.1) }, seconds)
        };
        let (mut low, mut high) = (SOFTEST, STIFFEST);
        let largest = if !holds(low)? {
            f64::NAN
        } else {
            for _ in 0..halvings {
                let middle = (low * high).sqrt();
                if holds(middle)? { low = middle } else { high = middle }
            }
            low
        };
        let limit = device.most_stiffness(damping);
        stable.push(largest);
        passive.push(limit);
        let told = |value: f64| if value.is_finite() { number(value) } else { none() };
        table.row(vec![
            number(damping),
            told(largest),
            number(limit),
            if limit > 0.0 { told(largest / limit) } else { none() },
        ]);
        // Passive is stable, whatever the hand; the search is within a few percent.
        let step = (STIFFEST / SOFTEST).powf(0.5f64.powi(halvings as i32));
        let is_promised = limit > SOFTEST * step;
        let is_kept = largest * step >= limit * 0.99;
        if is_promised && !is_kept {
            report
                .failures
                .push(format!("B = {damping}: passive below {limit} N/m, but stable below {largest} only"));
        }
    }
    report.tables.push(table);
    let mut chart = Chart::new(
        "How stiff a wall may be",
        Axis::new("damping B", "N·s/m"),
        Axis::new("stiffness K", "N/m").scaled(Scale::Logarithmic),
    );
    chart.add("stable below", dampings, &stable);
    let line: Vec<f64> = (0..=100).map(|k| 0.999 * DAMPING * f64::from(k) / 100.0).collect();
    chart.add(
        "passive below: b > K·T/2 + |B|",
        &line,
        &line.iter().map(|&b| device.most_stiffness(b)).collect::<Vec<_>>(),
    );
    draw(&chart, "wall", setup.quick)?;
    report.remarks.push(format!(
        "A hand on a spring of {GRIP} N/m falls 2 mm onto the wall and pushes 2 cm into it, {seconds} s in all; the device moves {SUBSTEPS} times between two commands. It comes to rest if in the last sixth of the time it moves \
         by less than a twentieth of what it did in the first. Passive (Colgate & Schenkel 1994) is stable with any hand and any damping B; B takes from what is passive, while with this hand it helps up to some point.\n\n![How stiff a wall \
         may be](pictures/wall.svg)"
    ));
    Ok(())
}

/// Where the hand is and where the ideal proxy, at a part of the way.
type Way<'a> = &'a dyn Fn(f64) -> (DVec3, DVec3);

/// Beside proxies that are known: a ball in the hand, whose middle belongs on the surface a radius farther out, at the place nearest to the hand.
fn ideal(setup: &Setup, report: &mut Report) -> anyhow::Result<()> {
    const STIFFNESS: f64 = 1000.0;
    const DEEP: f64 = 3e-3;
    let (points, steps) = if setup.quick { (800, 1_000) } else { (8_000, 5_000) };
    let plane = ball_on(Surface::Analytic(Arc::new(Plane::GROUND), CELL), RADIUS, points)?;
    let big = 0.05;
    let round = Surface::Analytic(Arc::new(Ball { center: DVec3::ZERO, radius: big }), CELL);
    let round = ball_on(round, RADIUS, points)?;
    let mut table = Table::new(
        format!(
            "A ball ({points} points) pressed 3 mm in and slid: god object and force beside the ideal proxy, 1000 N/m"
        ),
        &[
            "surface",
            "steps",
            "place off, mean, cells",
            "max, cells",
            "force off, mean, N",
            "max, N",
            "ideal force, N",
            "direction off, max, °",
        ],
    );
    let on_plane = |part: f64| {
        let at = DVec3::new(0.1 * part, 0.0, 0.03 * (9.0 * part).sin());
        (at + DVec3::Y * (RADIUS - DEEP), at + DVec3::Y * RADIUS)
    };
    let on_ball = |part: f64| {
        let way = DQuat::from_rotation_z(2.0 * part) * DQuat::from_rotation_x((5.0 * part).sin()) * DVec3::Y;
        (way * (big + RADIUS - DEEP), way * (big + RADIUS))
    };
    let cases: [(&str, &Arc<HeldPair>, Way<'_>); 2] =
        [("plane", &plane, &on_plane), ("ball, 5 cm", &round, &on_ball)];
    for (name, pair, at) in cases {
        let (_, above) = at(0.0);
        let start = Pose::at(above + DVec3::Y * 0.005);
        let mut god = GodObject::new(Arc::clone(pair), start, &GodObjectOptions::default())?;
        let coupling = Coupling::spring(STIFFNESS, 0.1);
        let [mut places, mut forces, mut angles]: [Vec<f64>; 3] = Default::default();
        for k in 0..steps {
            let (hand, ideal) = at(f64::from(k) / f64::from(steps));
            let hand = Pose::at(hand);
            god.step(&hand);
            // It has to arrive first.
            if k < steps / 20 {
                continue;
            }
            places.push(god.pose().position.distance(ideal) / CELL);
            let gap = hand.displacement_to(&god.pose(), pair.center());
            let force = coupling.wrench(&gap, &Twist::ZERO).force;
            let wanted = (ideal - hand.position) * STIFFNESS;
            forces.push(force.distance(wanted));
            angles.push(force.angle_between(wanted).to_degrees());
        }
        let [places, forces, angles] = [places, forces, angles].map(Sorted::new);
        table.row(vec![
            name.into(),
            crate::report::count(places.len() as u64),
            number(places.mean()),
            number(places.max()),
            number(forces.mean()),
            number(forces.max()),
            number(STIFFNESS * DEEP),
            number(angles.max()),
        ]);
        if places.max() > 0.25 {
            report.failures.push(format!("{name}: the god object is {} cells off", places.max()));
        }
    }
    report.tables.push(table);
    report.remarks.push(
        "The ideal proxy of a ball is as far from the surface as its radius, above the hand. The shell's points lie on a polyhedron in the ball, so its least distance is up to some hundredths of a cell smaller; the skin adds 0.01 cells."
            .into(),
    );
    Ok(())
}
