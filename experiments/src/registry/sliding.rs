//! A part slides on another: figure 6b of 2016.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use isotouch::haptics::{Coupling, GodObject, GodObjectOptions, HeldPair, Renderer, Session};
use isotouch::math::Pose;
use isotouch::mesh::TriMesh;
use isotouch::output::chart::{Axis, Chart};

use super::Setup;
use crate::haptic_scenes::{
    Sorted, blobs, draw, field_of, least_value, shell_of, shell_on_field, state_of, without_limits,
};
use crate::report::{Report, Table, count, number};

/// s.
const DT: f64 = 1e-3;
/// N/m, and where the spring grows no more, m: 1.5 N.
const STIFFNESS: f64 = 500.0;
const SATURATED: f64 = 3e-3;
/// N: jumps of the force from one millisecond to the next, 99 in a hundred of them. Hands feel steps of about a tenth of a force.
const JUMP: f64 = 0.05 * STIFFNESS * SATURATED;
/// N: the largest of them, where a part falls off a lump; in coarse fields it falls by more, some cells of 1.5 mm.
const LARGEST_JUMP: f64 = 0.2 * STIFFNESS * SATURATED;
/// N: jumps beyond what the spring makes of the ways of hand and part. There are none but for rounding: poses are good to some 1e-16 m, springs to 1e3 N/m.
const ROUNDING: f64 = 1e-9;

struct Scene {
    name: &'static str,
    pair: Arc<HeldPair>,
    /// From the middle to where the part surely is free, and how far in the hand goes, m.
    radius: f64,
    deep: f64,
}

fn scene(setup: &Setup) -> anyhow::Result<Scene> {
    if setup.quick || !setup.models.are_there() {
        let (points, resolution) = if setup.quick { (800, 64) } else { (7_500, 256) };
        let pair = blobs(points, resolution)?;
        return Ok(Scene { name: "a blob on a blob", pair, radius: 0.1, deep: 0.035 });
    }
    let sized = |file: &str, size: f64| -> anyhow::Result<TriMesh> {
        let mesh = setup.models.read(file)?.mesh;
        let bounds = mesh.bounds();
        let scale = size / bounds.extent().max_element();
        Ok(mesh.mapped(|p| (p - bounds.center()) * scale)?)
    };
    let (horse, dragon) = (sized("scan/horse.ply", 0.1)?, sized("scan/dragon_100k.obj", 0.06)?);
    let pair = shell_on_field(&dragon, shell_of(&dragon, 7_500)?, field_of(&horse, 256)?)?;
    Ok(Scene { name: "a dragon on a horse", pair, radius: 0.1, deep: 0.085 })
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let scene = scene(setup)?;
    let (steps, all): (u32, f64) = if setup.quick { (3_000, 0.3) } else { (20_000, 1.0) };
    let hands: Vec<Pose> = (0..steps).map(|k| scene.hand(all * f64::from(k) / f64::from(steps))).collect();
    let god = GodObject::new(Arc::clone(&scene.pair), hands[0], &GodObjectOptions::default())?;
    let coupling = Coupling::spring(STIFFNESS, 0.1).saturating(SATURATED, 0.03);
    let mut session = Session::in_step(Renderer::Constraint(Box::new(god), coupling), &without_limits())?;
    let [mut time, mut forces, mut jumps, mut torques, mut contacts, mut seconds]: [Vec<f64>; 6] =
        Default::default();
    let (mut last, mut last_force, mut least) = (hands[0], DVec3::ZERO, f64::INFINITY);
    let center = scene.pair.center();
    let (mut last_part, mut beyond) = (hands[0], f64::NEG_INFINITY);
    for (k, hand) in hands.iter().enumerate() {
        let wrench = session.servo(&state_of(k as f64 * DT, &last, hand, DT));
        let Some(told) = session.feedback() else { anyhow::bail!("the servo said nothing") };
        time.push(k as f64 * DT);
        forces.push(wrench.force.length());
        torques.push(wrench.torque.length());
        contacts.push(f64::from(told.contacts));
        if told.contacts > 0 {
            seconds.push(told.simulation_seconds);
            jumps.push(wrench.force.distance(last_force));
        }
        let way = |from: &Pose, to: &Pose| from.place(center).distance(to.place(center));
        let ways = way(&last, hand) + way(&last_part, &told.part);
        beyond = beyond.max(wrench.force.distance(last_force) - STIFFNESS * ways);
        last_part = told.part;
        if k % 20 == 0 {
            least = least.min(least_value(&scene.pair, &told.part) / scene.pair.surface().cell());
        }
        (last, last_force) = (*hand, wrench.force);
    }
    let mut force_chart =
        Chart::new(&format!("Force of {}", scene.name), Axis::new("time", "s"), Axis::new("force", "N"));
    force_chart.add("", &time, &forces);
    let mut contact_chart = Chart::new(
        &format!("Points of {}", scene.name),
        Axis::new("time", "s"),
        Axis::new("points in contact", ""),
    );
    contact_chart.add("", &time, &contacts);
    let [forces, jumps, torques, contacts, seconds] =
        [forces, jumps, torques, contacts, seconds].map(Sorted::new);
    let mut table = Table::new(
        format!("{}: {} steps of 1 ms, pressed in and slid", scene.name, count(u64::from(steps))),
        &[
            "steps in contact",
            "least φ, cells",
            "force, max, N",
            "torque, max, mN·m",
            "jump of force: p50, mN",
            "p99, mN",
            "max, mN",
            "points in contact, mean",
            "max",
            "step: p50, µs",
            "p99, µs",
        ],
    );
    table.row(vec![
        count(jumps.len() as u64),
        number(least),
        number(forces.max()),
        number(1e3 * torques.max()),
        number(1e3 * jumps.quantile(0.5)),
        number(1e3 * jumps.quantile(0.99)),
        number(1e3 * jumps.max()),
        number(contacts.mean()),
        number(contacts.max()),
        number(1e6 * seconds.quantile(0.5)),
        number(1e6 * seconds.quantile(0.99)),
    ]);
    report.tables.push(table);
    draw(&force_chart, "sliding-force", setup.quick)?;
    draw(&contact_chart, "sliding-contacts", setup.quick)?;
    let is_outside = least > 0.0;
    if !is_outside {
        report.failures.push(format!("a point came to {least} cells"));
    }
    if jumps.len() * 2 < hands.len() {
        report.failures.push(format!("in contact in {} steps only", jumps.len()));
    }
    if jumps.quantile(0.99) > JUMP {
        report.failures.push(format!("p99 of the force's jumps is {} N", jumps.quantile(0.99)));
    }
    if jumps.max() > LARGEST_JUMP {
        report.failures.push(format!("the force jumps by {} N", jumps.max()));
    }
    if beyond > ROUNDING {
        report.failures.push(format!("the force jumps by {beyond} N more than hand and part go"));
    }
    report.remarks.push(format!(
        "The hand goes round the fixed part, {} mm deep into it, at the speed of a hand that feels its way; the coupling is {STIFFNESS} N/m up to {} N. The paper slides a dragon of 7,537 points on a horse of 256³. Largest jumps are where the part falls \
         from one lump to the next; none is more than the spring makes of how far hand and part went.\n\n![Force](pictures/sliding-force.svg)\n\n![Points](pictures/sliding-contacts.svg)",
        1e3 * scene.deep,
        STIFFNESS * SATURATED,
    ));
    Ok(report)
}

impl Scene {
    /// Down from outside, then round.
    fn hand(&self, part: f64) -> Pose {
        let turn = DQuat::from_rotation_x(2.5 * part) * DQuat::from_rotation_z((3.0 * part).sin());
        let down = (8.0 * part).min(1.0);
        Pose {
            position: turn * DVec3::Y * (self.radius - self.deep * down),
            rotation: DQuat::from_rotation_y(2.0 * part),
        }
    }
}
