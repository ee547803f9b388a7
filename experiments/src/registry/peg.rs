//! A peg into its hole: figures 7 and 10b of 2016.

use std::sync::Arc;
use std::time::Instant;

use glam::{DQuat, DVec3};
use isotouch::contact::{Friction, Law, PenaltyOptions, Stiffness};
use isotouch::field::Field;
use isotouch::haptics::{
    Coupling, GodObject, GodObjectOptions, HeldPair, Looking, PenaltyObject, PenaltyObjectOptions,
};
use isotouch::math::Pose;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{HolePlateOptions, PegOptions, hole_plate, peg};
use isotouch::output::chart::{Axis, Chart};
use isotouch::shell::PointShell;

use super::{Setup, peg_stiffness};
use crate::haptic_scenes::{Sorted, draw, field_of, field_on_shell, least_value, moving, shell_of};
use crate::report::{Report, Table, count, number};

/// As in the paper.
const RESOLUTION: u32 = 64;
pub(super) const POINTS: usize = 6_700;
/// Cells: room around the peg in its field as it is interpolated, and by how much the field is grown then.
const ROOM: f64 = 0.05;
const GROWN: f64 = 0.1;
/// Cells: x_max of the coupling, as in the paper; and as much is the security distance.
const SATURATED: f64 = 0.5;
/// m.
pub(super) const PEG: PegOptions = PegOptions { radius: 0.015, length: 0.06, chamfer: 0.003, segments: 64 };
const THICKNESS: f64 = 0.02;
/// Of the peg's middle: where the hand begins and ends.
const FROM: f64 = 0.043;
pub(super) const TO: f64 = 0.018;
/// Step, s.
pub(super) const DT: f64 = 1e-3;
/// N/m of the coupling.
const STIFFNESS: f64 = 1000.0;
/// The paper has fewer constraints than this, and about 1,000 springs; more than so many here.
const FEW: f64 = 10.0;
const MANY: f64 = 200.0;
/// N/m of all contacts together, at most. A hand that pushes with all the coupling has, half a newton, comes about 0.1 cells deep where the chamfer meets the rim, and not half a cell.
const OF_CONTACTS: f64 = 4000.0;
const ANGULAR_STIFFNESS: f64 = 0.5;
/// N/m of a point.
const OF_POINT: f64 = 200.0;

pub(super) struct Pin {
    mesh: TriMesh,
    field: Arc<Field>,
    hole: Arc<PointShell>,
    /// Cells, least φ on the way in.
    room: f64,
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let pin = Pin::new(if setup.quick { 1_500 } else { POINTS })?;
    insertion(setup, &pin, &mut report)?;
    // Needs steps that the small version has no time for.
    if !setup.quick {
        peg_stiffness::stiffness(&pin, &mut report)?;
    }
    Ok(report)
}

impl Pin {
    /// The hole is made wider until the peg's field, as it is interpolated, leaves the room.
    pub(super) fn new(points: usize) -> anyhow::Result<Self> {
        let mesh = peg(PEG)?;
        let field = field_of(&mesh, RESOLUTION)?;
        let cell = field.grid().cell;
        let mut hole_radius = PEG.radius + ROOM * cell;
        let mut tries = 0;
        loop {
            let plate = HolePlateOptions { width: 0.06, thickness: THICKNESS, hole_radius, segments: 64 };
            let hole = shell_of(&hole_plate(plate)?, points)?;
            let pair = field_on_shell(&mesh, Arc::clone(&field), Arc::clone(&hole))?;
            let heights = (0..=400).map(|k| FROM + (TO - FROM) * f64::from(k) / 400.0);
            let least =
                heights.map(|z| least_value(&pair, &Pose::at(DVec3::Z * z))).fold(f64::INFINITY, f64::min);
            let room = least / cell;
            tries += 1;
            if (room - ROOM).abs() < 1e-4 || tries == 12 {
                anyhow::ensure!((room - ROOM).abs() < 2e-3, "the room is {room} cells, not {ROOM}");
                return Ok(Self { mesh, field, hole, room });
            }
            hole_radius += (ROOM - room) * cell;
        }
    }

    fn cell(&self) -> f64 {
        self.field.grid().cell
    }

    pub(super) fn pair(&self) -> anyhow::Result<Arc<HeldPair>> {
        field_on_shell(&self.mesh, Arc::clone(&self.field), Arc::clone(&self.hole))
    }

    /// The hand of all runs: down, not quite straight, and then still.
    pub(super) fn hands(&self, steps: usize) -> Vec<Pose> {
        let down = 0.8 * steps as f64;
        let hand = |k: usize| {
            let t = k as f64 * DT;
            let part = (k as f64 / down).min(1.0);
            let aside = DVec3::new((8.2 * t).sin(), (5.1 * t).cos(), 0.0) * (0.3 * self.cell());
            let tilted = DVec3::new((4.3 * t).sin(), (6.1 * t).sin(), 0.0) * 0.004;
            Pose {
                position: aside + DVec3::Z * (FROM + (TO - FROM) * part),
                rotation: DQuat::from_scaled_axis(tilted),
            }
        };
        (0..steps).map(hand).collect()
    }

    /// Contact begins `outside` cells from the peg's surface.
    pub(super) fn penalty(
        &self,
        pair: &HeldPair,
        looking: Looking,
        of_point: f64,
        outside: f64,
    ) -> PenaltyObjectOptions {
        let inertia = pair.mass().inertia.x_axis.x;
        let coupling = Coupling::critical(STIFFNESS, ANGULAR_STIFFNESS, pair.mass().mass, inertia);
        PenaltyObjectOptions {
            looking,
            law: Law { stiffness: Stiffness::PerPoint(of_point), damping: 1e-3, friction: Friction::NONE },
            penalty: PenaltyOptions { subintervals: 5, iso: outside * self.cell(), ..Default::default() },
            coupling: Some(coupling.saturating(SATURATED * self.cell(), 0.5 * PEG.length)),
            max_stiffness: OF_CONTACTS,
            ..Default::default()
        }
    }
}

/// What a run along the hands came to; lengths in cells, times in s.
#[derive(Default)]
struct Course {
    heights: Vec<f64>,
    depths: Vec<f64>,
    contacts: Vec<f64>,
    active: Vec<f64>,
    seconds: Vec<f64>,
    /// The least φ of any point above the grown surface, looked up for every point at every tenth pose.
    least: f64,
    /// By how much the peg's surface is grown.
    grown: f64,
}

impl Course {
    fn is_in(&self, cell: f64) -> bool {
        self.heights.last().is_some_and(|z| (z - TO) < cell)
    }

    fn deepest(&self) -> f64 {
        self.depths.iter().copied().fold(0.0, f64::max)
    }
}

fn by_constraints(pin: &Pin, pair: &Arc<HeldPair>, hands: &[Pose], grown: f64) -> anyhow::Result<Course> {
    let options = GodObjectOptions { iso: grown * pin.cell(), ..Default::default() };
    let mut god = GodObject::new(Arc::clone(pair), hands[0], &options)?;
    let mut course = Course { least: f64::INFINITY, grown, ..Default::default() };
    for (k, hand) in hands.iter().enumerate() {
        let begin = Instant::now();
        let step = god.step(hand);
        course.seconds.push(begin.elapsed().as_secs_f64());
        course.heights.push(step.pose.position.z);
        course.contacts.push(step.contacts as f64);
        course.active.push(step.active as f64);
        course.look(k, pair, &step.pose);
    }
    Ok(course)
}

fn by_springs(
    pin: &Pin,
    pair: &Arc<HeldPair>,
    hands: &[Pose],
    (grown, security): (f64, f64),
) -> anyhow::Result<Course> {
    let options = &pin.penalty(pair, Looking::Continuous, OF_POINT, grown + security);
    let mut part = PenaltyObject::new(Arc::clone(pair), hands[0], options)?;
    let mut course = Course { least: f64::INFINITY, grown, ..Default::default() };
    let mut last = hands[0];
    for (k, hand) in hands.iter().enumerate() {
        let placed = moving(&last, hand, pair.center(), DT);
        last = *hand;
        let begin = Instant::now();
        let step = part.step(&placed, DT);
        course.seconds.push(begin.elapsed().as_secs_f64());
        course.heights.push(step.pose.position.z);
        course.contacts.push(step.contacts as f64);
        course.active.push(step.contacts as f64);
        course.look(k, pair, &step.pose);
    }
    Ok(course)
}

impl Course {
    fn look(&mut self, k: usize, pair: &HeldPair, pose: &Pose) {
        let cell = pair.surface().cell();
        let least = pair.least_value(pose, self.grown * cell).map_or(self.grown, |least| least / cell);
        self.depths.push((self.grown - least).max(0.0));
        if k.is_multiple_of(10) {
            self.least = self.least.min(least_value(pair, pose) / cell - self.grown);
        }
    }
}

fn insertion(setup: &Setup, pin: &Pin, report: &mut Report) -> anyhow::Result<()> {
    let hands = pin.hands(if setup.quick { 1_500 } else { 4_000 });
    let pair = pin.pair()?;
    let constraints = |grown| by_constraints(pin, &pair, &hands, grown);
    let springs = |grown, security| by_springs(pin, &pair, &hands, (grown, security));
    // Name, course, whether it should go in.
    let runs = [
        ("room 0.05 cell: constraints", constraints(0.0)?, true),
        ("room 0.05 cell: continuous springs", springs(0.0, 0.0)?, true),
        ("grown by 0.1 cell: constraints", constraints(GROWN)?, false),
        ("grown by 0.1 cell: continuous springs", springs(GROWN, 0.0)?, true),
        ("grown by 0.1 cell: springs, security distance 0.5 cell", springs(GROWN, SATURATED)?, false),
    ];
    let mut table = Table::new(
        format!(
            "A peg ({RESOLUTION}³, in the hand) into a hole ({} points), one hand for all; room {} cell, grown: {}",
            count(pin.hole.len() as u64),
            number(pin.room),
            number(pin.room - GROWN),
        ),
        &[
            "peg and method",
            "goes in",
            "last height above the hand's, cells",
            "deepest, cells",
            "least φ of any point, cells",
            "most points in contact",
            "most that hold it",
            "step: p50, µs",
            "p99, µs",
        ],
    );
    let time: Vec<f64> = (0..hands.len()).map(|k| k as f64 * DT).collect();
    let chart = |title, y| Chart::new(title, Axis::new("time", "s"), y);
    let mut heights = chart("A peg into its hole", Axis::new("height of its middle", "mm"));
    let mut depths = chart("Penetration", Axis::new("below the surface", "cells"));
    let mut contacts = chart("Points in contact", Axis::new("points", ""));
    heights.add("hand", &time, &hands.iter().map(|hand| 1e3 * hand.position.z).collect::<Vec<_>>());
    for (name, course, should_go_in) in &runs {
        let is_in = course.is_in(pin.cell());
        let most = |of: &[f64]| count(of.iter().copied().fold(0.0, f64::max) as u64);
        let touching = course.seconds.iter().zip(&course.contacts).filter(|(_, n)| **n > 0.0);
        let seconds = Sorted::new(touching.map(|(s, _)| *s).collect());
        let last = course.heights.last().copied().unwrap_or(f64::NAN);
        table.row(vec![
            (*name).into(),
            if is_in { "yes" } else { "no" }.into(),
            number((last - TO) / pin.cell()),
            number(course.deepest()),
            number(course.least),
            most(&course.contacts),
            most(&course.active),
            number(1e6 * seconds.quantile(0.5)),
            number(1e6 * seconds.quantile(0.99)),
        ]);
        if is_in != *should_go_in {
            report.failures.push(format!("{name}: went in: {is_in}, expected: {should_go_in}"));
        }
        let never_enters = name.ends_with("constraints") || name.contains("security");
        if never_enters && (course.deepest() > 0.0 || course.least <= 0.0) {
            report.failures.push(format!("{name}: penetration {} cells", course.deepest()));
        }
        if course.deepest() > SATURATED {
            report.failures.push(format!("{name}: deeper than half a cell, {}", course.deepest()));
        }
        // Figure 7: springs hold at every point, constraints at a few.
        let holding = course.active.iter().copied().fold(0.0, f64::max);
        if name.ends_with("constraints") && holding >= FEW {
            report.failures.push(format!("{name}: {holding} constraints hold it at once"));
        }
        if name.ends_with("continuous springs") && !setup.quick && holding < MANY {
            report.failures.push(format!("{name}: {holding} points in contact only"));
        }
        heights.add(name, &time, &course.heights.iter().map(|z| 1e3 * z).collect::<Vec<_>>());
        depths.add(name, &time, &course.depths);
        contacts.add(name, &time, &course.contacts);
    }
    report.tables.push(table);
    for (chart, name) in [(&heights, "peg-height"), (&depths, "peg-penetration"), (&contacts, "peg-contacts")]
    {
        draw(chart, name, setup.quick)?;
    }
    report.remarks.push(
        "The paper (figure 7): both methods insert where peg and hole match; with the field grown by 0.1 cell constraints refuse, springs go in by less than half a cell; about 1,000 contacts of springs, fewer than 10 \
         constraints. The hand goes down 2.5 cm, up to 0.3 cells beside the axis and 0.004 rad askew, and then stays. All contacts together are kept to 4000 N/m along any direction; the coupling has 1000 N/m and saturates at half \
         a cell. Points in contact of constraints: those within twice the skin; those that hold it push.\n\n![Heights](pictures/peg-height.svg)\n\n![Penetrations](pictures/peg-penetration.svg)\n\n![Contacts](pictures/peg-contacts.svg)"
            .into(),
    );
    Ok(())
}
