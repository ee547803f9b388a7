//! A nut on a bolt: turned by a torque, run down by gravity, locked by friction; beside MuJoCo's.

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use isotouch::contact::Material;
use isotouch::dynamics::{BodyKind, BodyOptions, Mass, Shape, ShapeOptions, World, WorldOptions};
use isotouch::math::{Pose, Wrench};
use isotouch::mesh::shapes::{BoltOptions, NutOptions, bolt, nut};
use isotouch::mesh::{MassProperties, mass_properties};

use super::Setup;
use crate::peers::mujoco;
use crate::report::{Report, Table, number};

const DT: f64 = 1.0 / 240.0;
/// N/m³: steel of 20 cm.
const STIFFNESS: f64 = 1e12;
/// Of M16, m.
const PITCH: f64 = 0.002;

/// A nut and its bolt, axes along z, head below.
struct Pair {
    name: &'static str,
    bolt: Arc<Shape>,
    nut: Arc<Shape>,
    mass: MassProperties,
    /// Where the nut is free on the thread.
    start: Pose,
}

/// What drives the nut.
struct Drive {
    name: &'static str,
    friction: f64,
    /// N·m about the axis.
    torque: f64,
    seconds: f64,
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report { remarks: remarks(), ..Default::default() };
    let mut table = Table::new(
        "M16 × 2 nut on its bolt, steps of 1/240 s",
        &[
            "parts",
            "drive",
            "μ",
            "s",
            "turns",
            "travel, mm",
            "travel per turn, pitches",
            "deepest, µm",
            "cells",
            "points in contact",
            "ms per step: mean",
            "longest",
        ],
    );
    let drives = [
        Drive { name: "torque of 0.7 N·mm", friction: 0.1, torque: -0.7e-3, seconds: 1.0 },
        Drive { name: "gravity", friction: 0.0, torque: 0.0, seconds: 2.0 },
        Drive { name: "gravity", friction: 0.1, torque: 0.0, seconds: 2.0 },
    ];
    for pair in pairs(setup)? {
        for drive in &drives {
            let seconds = if setup.quick { 0.05 } else { drive.seconds };
            eprintln!("{}, {}, μ = {}", pair.name, drive.name, drive.friction);
            let run = turned(&pair, drive, (seconds, DT))?;
            let per_turn = run.travel / run.turns / PITCH;
            // A quick run is too short to tell.
            if !setup.quick {
                let told = format!("{}, {}, μ = {}", pair.name, drive.name, drive.friction);
                report.failures.extend(run.failures(drive).into_iter().map(|what| format!("{told}: {what}")));
            }
            table.row(vec![
                pair.name.into(),
                drive.name.into(),
                number(drive.friction),
                number(seconds),
                number(run.turns),
                number(1e3 * run.travel),
                if run.turns.abs() > 0.02 { number(per_turn) } else { "–".into() },
                number(1e6 * run.deepest),
                number(run.deepest_cells),
                number(run.contacts),
                number(1e3 * run.seconds / run.steps),
                number(1e3 * run.longest),
            ]);
        }
    }
    report.tables.push(table);
    let (table, failures) = run_down(setup)?;
    report.tables.push(table);
    report.failures.extend(failures);
    if !setup.quick {
        match mujoco::Peer::new().and_then(|mut peer| Ok((peer.version().to_string(), peer.round()?))) {
            Ok((version, run)) => {
                let mut table = Table::new(
                    format!(
                        "MuJoCo {version}, its own nut, lying on the tip of its bolt, by its SDF plugin, steps of 1/240 s"
                    ),
                    &["ms per step in contact", "deepest, parts of the bolt's radius", "contacts"],
                );
                table.row(vec![number(run.ms_per_step), number(run.deepest / 0.255), number(run.contacts)]);
                report.tables.push(table);
            }
            Err(error) => report.remark_once(format!("MuJoCo is missing here: {error:#}.")),
        }
    }
    Ok(report)
}

struct Run {
    turns: f64,
    travel: f64,
    deepest: f64,
    /// In cells of the part that was entered.
    deepest_cells: f64,
    contacts: f64,
    steps: f64,
    seconds: f64,
    longest: f64,
    /// Radians.
    last_turn: f64,
}

/// Travel per turn must be a pitch within this part.
const OFF_PITCH: f64 = 0.05;
/// Shorter steps come as near to the closed form, but for this part of it: what facets take does not depend on steps.
const AS_GOOD: f64 = 0.02;
/// A nut that locks itself creeps less than this, turns per second.
const LOCKED: f64 = 0.02;

impl Run {
    /// What the nut did that a nut does not.
    fn failures(&self, drive: &Drive) -> Vec<String> {
        let mut failures = Vec::new();
        let is_locked = drive.torque == 0.0 && drive.friction > 0.0;
        let per_turn = self.travel / self.turns / PITCH;
        if is_locked && self.turns.abs() > LOCKED * drive.seconds {
            failures.push(format!("it should lock itself, but makes {} turns", number(self.turns)));
        }
        if !is_locked && self.turns.abs() < 1.0 {
            failures.push(format!("it should turn, but makes {} turns", number(self.turns)));
        }
        // A nut falls through the play of its thread before it turns: up to a tenth of a pitch, which counts where it makes few turns.
        let off = (per_turn - 1.0).abs() * self.turns.abs();
        let keeps_pitch = off < OFF_PITCH * self.turns.abs() + 0.1;
        if !is_locked && !keeps_pitch {
            failures.push(format!("it travels {} pitches per turn", number(per_turn)));
        }
        if self.deepest_cells > 0.5 {
            failures.push(format!("it is {} cells deep", number(self.deepest_cells)));
        }
        failures
    }
}

/// Steps per second of the frictionless run, each with the least part of the closed form's travel that it has to come to.
const STEPS: [(f64, f64); 2] = [(240.0, 0.7), (960.0, 0.8)];

/// Without friction the nut falls with a = m·g/(m + I·(2π/p)²), all of its thread's turning included: beside that, with ever shorter steps.
fn run_down(setup: &Setup) -> anyhow::Result<(Table, Vec<String>)> {
    let mut table = Table::new(
        "Frictionless under gravity, 1 s: travel beside that of the closed form, ½·t²·m·g/(m + I·(2π/p)²)",
        &[
            "parts",
            "steps per second",
            "travel, mm",
            "closed form, mm",
            "ratio",
            "turn per step at the end, mrad",
        ],
    );
    let mut failures = Vec::new();
    let steps = if setup.quick { &STEPS[..1] } else { &STEPS[..] };
    let seconds = if setup.quick { 0.05 } else { 1.0 };
    let drive = Drive { name: "gravity", friction: 0.0, torque: 0.0, seconds };
    for pair in pairs(setup)? {
        let (mass, inertia) = (pair.mass.mass, pair.mass.inertia.z_axis.z);
        let acceleration = 9.81 * mass / (mass + inertia * (TAU / PITCH).powi(2));
        let closed = 0.5 * acceleration * seconds * seconds;
        let mut last = 0.0;
        for &(per_second, least) in steps {
            eprintln!("{}, frictionless, {per_second} steps per second", pair.name);
            let run = turned(&pair, &drive, (seconds, 1.0 / per_second))?;
            let ratio = -run.travel / closed;
            // It falls through the play of the thread first, up to a tenth of a pitch.
            let most = 1.0 + 0.1 * PITCH / closed;
            let is_fine = ratio > least.max(last - AS_GOOD) && ratio < most;
            if !is_fine && !setup.quick {
                failures.push(format!(
                    "{}, frictionless, {per_second} steps per second: {} of the closed form",
                    pair.name,
                    number(ratio)
                ));
            }
            last = ratio;
            table.row(vec![
                pair.name.into(),
                number(per_second),
                number(1e3 * run.travel),
                number(-1e3 * closed),
                number(ratio),
                number(1e3 * run.last_turn),
            ]);
        }
    }
    Ok((table, failures))
}

fn turned(pair: &Pair, drive: &Drive, (seconds, dt): (f64, f64)) -> anyhow::Result<Run> {
    let mut world = World::new(WorldOptions { gravity: DVec3::Z * -9.81, ..Default::default() });
    let (mu, stiffness) = (drive.friction, STIFFNESS);
    let material = Material {
        stiffness,
        damping: 1e-3,
        static_friction: mu,
        kinetic_friction: mu,
        ..Default::default()
    };
    let fixed = BodyOptions { name: "bolt".into(), kind: BodyKind::Fixed, material, ..Default::default() };
    world.add_body(pair.bolt.clone(), fixed)?;
    let moving = BodyOptions {
        name: "nut".into(),
        pose: pair.start,
        mass: Mass::Given(pair.mass),
        material,
        ..Default::default()
    };
    let nut = world.add_body(pair.nut.clone(), moving)?;
    world.set_force(nut, Wrench { force: DVec3::ZERO, torque: DVec3::Z * drive.torque })?;
    let mut run = Run {
        turns: 0.0,
        travel: 0.0,
        deepest: 0.0,
        deepest_cells: 0.0,
        contacts: 0.0,
        steps: 0.0,
        seconds: 0.0,
        longest: 0.0,
        last_turn: 0.0,
    };
    let angle = |pose: Pose| {
        let x = pose.rotation * DVec3::X;
        x.y.atan2(x.x)
    };
    let mut last = angle(pair.start);
    while world.time() < seconds {
        let report = world.step(dt)?;
        let pose = world.body(nut).pose();
        let now = angle(pose);
        // The shorter way round.
        let change = (now - last + 1.5 * TAU).rem_euclid(TAU) - 0.5 * TAU;
        run.turns += change / TAU;
        run.last_turn = change;
        last = now;
        run.travel = pose.position.z - pair.start.position.z;
        run.deepest = run.deepest.max(report.max_penetration);
        run.deepest_cells = run.deepest_cells.max(report.max_penetration_cells);
        run.contacts += report.contacts as f64;
        run.steps += 1.0;
        run.seconds += report.seconds;
        run.longest = run.longest.max(report.seconds);
        anyhow::ensure!(pose.position.truncate().length() < 0.002, "the nut left the bolt");
    }
    run.contacts /= run.steps;
    Ok(run)
}

fn pairs(setup: &Setup) -> anyhow::Result<Vec<Pair>> {
    let (resolution, points) = if setup.quick { (96, 3_000) } else { (384, 20_000) };
    let options = ShapeOptions { resolution, points };
    let (diameter, pitch) = (0.016, PITCH);
    let bolt_mesh = bolt(BoltOptions {
        diameter,
        pitch,
        length: 0.04,
        head_width: 0.024,
        head_height: 0.01,
        segments: 48,
    })?;
    let nut_mesh =
        nut(NutOptions { diameter, pitch, height: 0.008, width: 0.024, clearance: 1.2e-4, segments: 48 })?;
    let steel = mass_properties(&nut_mesh, 7850.0)?;
    // On the thread, a few turns down from the tip.
    let z = -0.014;
    let start = Pose { position: DVec3::Z * z, rotation: DQuat::from_rotation_z(TAU * z / pitch) };
    let mut pairs = vec![Pair {
        name: "built in",
        bolt: Arc::new(Shape::from_mesh(&bolt_mesh, &options)?),
        nut: Arc::new(Shape::from_mesh(&nut_mesh, &options)?),
        mass: steel,
        start,
    }];
    if !setup.quick {
        let bolt = setup.models.read("assembly/factory_bolt_m16_loose.obj")?.mesh;
        let nut = setup.models.read("assembly/factory_nut_m16_loose_subdiv_3x.obj")?.mesh;
        let bounds = nut.bounds();
        // The mesh is open and has no mass of its own: that of a steel nut of the size.
        let inertia = DVec3::new(2.5e-6, 2.5e-6, 4e-6);
        let mass = MassProperties {
            mass: 0.034,
            center_of_mass: bounds.center(),
            inertia: DMat3::from_diagonal(inertia),
            volume: 0.034 / 7850.0,
        };
        pairs.push(Pair {
            name: "factory M16 loose",
            bolt: Arc::new(Shape::from_mesh(&bolt, &options)?),
            nut: Arc::new(Shape::from_mesh(&nut, &options)?),
            mass,
            // Where it is free; five turns up from there.
            start: Pose::at(DVec3::Z * (0.004 + 5.0 * PITCH)),
        });
    }
    Ok(pairs)
}

fn remarks() -> Vec<String> {
    vec![
        "Implicit integrator, stiffness 10¹² N/m³ (with a tenth of that a nut that comes to the end of its thread is pressed 0.8 cells into it, where few points carry it), fields of 384³, shells of 20,000 points, both parts shell and field in turn. Positive turns are counter-clockwise seen from the tip, where positive travel \
         leads: a right-hand thread has a ratio of 1. The lead angle is 2.5°, so the nut runs down by itself without friction, and locks itself at μ = 0.1; what it creeps then is what a regularised friction law lets it. MuJoCo's nut lies on the tip of its bolt: no \
         pose was found in which its own two parts are threaded without penetration, so its times are of an easier scene with far fewer contacts, and its penetration is not of a thread."
            .into(),
        "Without friction the nut falls behind the closed form by what dampers take where facets of one thread pass over those of the other, which is there with short steps too, and is most of it with Factory's parts; and by the \
         first order of the steps, which brake what turns in proportion to how far it turns in one: half of what the built-in pair, with coarser facets, loses at 240 steps per second."
            .into(),
    ]
}
