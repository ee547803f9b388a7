//! Tight parts: pinched or jammed, and by what. Figure 13 of 2016.

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::DVec3;
use isotouch::contact::constraint::{Freedom, Row, Weighted};
use isotouch::haptics::{GodObject, GodObjectOptions, HeldPair};
use isotouch::math::{Pose, Wrench};
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::cuboid;
use isotouch::output::chart::{Axis, Chart};

use super::Setup;
use crate::haptic_scenes::{draw, field_of, least_value, shell_of, shell_on_field};
use crate::report::{Report, Table, count, none, number};

/// Of the passage and of walls, m.
const WIDTH: f64 = 0.2;
const WALL: f64 = 0.2;
const LENGTH: f64 = 1.0;
/// The plate that goes into it, but for its thickness.
const PLATE: f64 = 0.3;
/// Room on either side, cells: more than a skin, less than two.
const ROOM: f64 = 0.0125;
/// m: by how much a field is shrunk where a part is stuck, as in the paper.
const SHRUNK: f64 = 1e-3;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let (resolution, points) = if setup.quick { (96, 600) } else { (192, 3_000) };
    let mut report = Report::default();
    passages(setup, resolution, points, &mut report)?;
    tight(resolution, points, &mut report)?;
    Ok(report)
}

fn join(parts: &[(DVec3, DVec3)]) -> anyhow::Result<TriMesh> {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for &(size, shift) in parts {
        let part = cuboid(size)?;
        let first = vertices.len() as u32;
        vertices.extend(part.vertices().iter().map(|&v| v + shift));
        triangles.extend(part.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    Ok(TriMesh::new(vertices, triangles)?)
}

/// Two walls, apart along x.
fn walls() -> Vec<(DVec3, DVec3)> {
    let size = DVec3::new(WALL, LENGTH, LENGTH);
    let shift = DVec3::X * 0.5 * (WIDTH + WALL);
    vec![(size, -shift), (size, shift)]
}

/// A block beside the plate, in the middle of the passage: far enough from the walls that the field between is not made of both.
fn stop(at: DVec3) -> (DVec3, DVec3) {
    let across = 0.1;
    (if at.y == 0.0 { DVec3::new(across, across, PLATE) } else { DVec3::new(across, PLATE, across) }, at)
}

struct Passage {
    name: &'static str,
    fixed: TriMesh,
    /// Where the hand pulls it.
    pull: DVec3,
    wanted: &'static str,
}

fn passages(setup: &Setup, resolution: u32, points: usize, report: &mut Report) -> anyhow::Result<()> {
    // The cell is known once the walls are: all passages have the same longest side.
    let cell = field_of(&join(&walls())?, resolution)?.grid().cell;
    let room = ROOM * cell;
    let beside = PLATE + room;
    let with = |sides: &[DVec3]| {
        let mut parts = walls();
        parts.extend(sides.iter().map(|&side| stop(side * beside)));
        join(&parts)
    };
    let sides = [DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let passages = [
        Passage {
            name: "between two walls, pulled aside",
            fixed: with(&[])?,
            pull: DVec3::X,
            wanted: "pinched",
        },
        Passage {
            name: "between two walls, against a third",
            fixed: with(&[DVec3::Y])?,
            pull: DVec3::new(0.3, 1.0, 0.0),
            wanted: "pinched",
        },
        Passage {
            name: "walls on all sides",
            fixed: with(&sides)?,
            pull: DVec3::new(0.3, 1.0, 0.5),
            wanted: "jammed",
        },
    ];
    let mut table = Table::new(
        format!(
            "A plate in passages with {ROOM} cells of room ({resolution}³, {} points), pulled against a wall",
            count(points as u64)
        ),
        &[
            "passage",
            "is",
            "rows that touch and prove it",
            "what is left of them",
            "rows in all",
            "moved, mm",
            "with the field shrunk by 1 mm",
            "may still slide along",
        ],
    );
    for (k, passage) in passages.iter().enumerate() {
        let plate = cuboid(DVec3::new(WIDTH - 2.0 * room, PLATE, PLATE))?;
        let pair = shell_on_field(&plate, shell_of(&plate, points)?, field_of(&passage.fixed, resolution)?)?;
        let mut god = GodObject::new(Arc::clone(&pair), Pose::IDENTITY, &GodObjectOptions::default())?;
        let hand = Pose::at(passage.pull * 0.1);
        for _ in 0..20 {
            god.step(&hand);
        }
        let (freedom, proof) = god.freedom();
        let (is, slide) = match freedom {
            Freedom::Free { .. } => ("free", None),
            Freedom::Pinched { slide } => ("pinched", Some(slide)),
            Freedom::Jammed => ("jammed", None),
            Freedom::Unsettled | Freedom::Refused(_) => ("unsettled", None),
        };
        let left = residue(god.rows(), &proof);
        // Figure 13b: with a millimetre more on every side the same hand moves it.
        let shrunk = GodObjectOptions { iso: -SHRUNK, ..Default::default() };
        let mut eased = GodObject::new(Arc::clone(&pair), Pose::IDENTITY, &shrunk)?;
        for _ in 0..20 {
            eased.step(&hand);
        }
        let [moved, moved_eased] = [&god, &eased].map(|of| of.pose().position.length());
        if is == "jammed" && moved > 4.0 * room {
            report.failures.push(format!("{}: jammed, yet it moved {moved} m", passage.name));
        }
        if moved_eased < 0.5 * SHRUNK {
            report.failures.push(format!("{}: shrunk it moves only {moved_eased} m", passage.name));
        }
        table.row(vec![
            passage.name.into(),
            is.into(),
            count(proof.len() as u64),
            number(left),
            count(god.rows().len() as u64),
            number(1e3 * moved),
            number(1e3 * moved_eased),
            slide.map_or_else(none, |slide| {
                let way = slide.linear.normalize_or_zero();
                format!("({:.2} {:.2} {:.2})", way.x, way.y, way.z)
            }),
        ]);
        if is != passage.wanted {
            report.failures.push(format!("{}: {is}, not {}", passage.name, passage.wanted));
        }
        if left > 1e-6 {
            report.failures.push(format!("{}: the proof's rows leave {left}", passage.name));
        }
        draw(&gauss_map(passage.name, god.rows(), &proof), &format!("stuck-{}", k + 1), setup.quick)?;
    }
    report.tables.push(table);
    report.remarks.push(
        "Pinched: no motion leaves all contacts at once, some slide along them. Jammed: none is left at all. The rows of the proof, with positive weights, sum to nothing; what is left of the sum stands beside them. \
         The Gauss maps draw the directions of their forces and torques from the middle of a sphere, as the paper does: where they point to all sides, nothing moves.\n\n![Pinched](pictures/stuck-1.svg)\n\n![Against a third wall](pictures/stuck-2.svg)\n\n![Jammed](pictures/stuck-3.svg)"
            .into(),
    );
    Ok(())
}

/// |Σ w·J|, beside the weights themselves.
fn residue(rows: &[Row], proof: &[Weighted]) -> f64 {
    let sum = proof.iter().fold(Wrench::ZERO, |sum, of| sum + rows[of.row].direction * of.weight);
    let weights: f64 = proof.iter().map(|of| of.weight).sum();
    (sum.force.length() + sum.torque.length()) / weights.max(f64::MIN_POSITIVE)
}

/// Directions of the proof's forces and torques, seen from aside and above.
fn gauss_map(name: &str, rows: &[Row], proof: &[Weighted]) -> Chart {
    let mut chart =
        Chart::new(&format!("Gauss map: {name}"), Axis::new("", ""), Axis::new("", "")).sized(560.0, 560.0);
    let circle: Vec<f64> = (0..=120).map(|k| TAU * f64::from(k) / 120.0).collect();
    let [x, y]: [Vec<f64>; 2] =
        [circle.iter().map(|a| a.cos()).collect(), circle.iter().map(|a| a.sin()).collect()];
    let flat = |v: DVec3| {
        let (right, up) = (DVec3::new(0.8, 0.0, -0.6), DVec3::new(-0.24, 0.92, -0.32).normalize_or_zero());
        [v.dot(right), v.dot(up)]
    };
    let mut rays = |name: &str, of: &dyn Fn(&Row) -> DVec3| {
        // Back to the middle after every ray; those without a direction are none.
        let directions = proof.iter().map(|of_proof| of(&rows[of_proof.row])).filter(|d| d.length() > 1e-9);
        let points: Vec<[f64; 2]> =
            directions.flat_map(|d| [flat(d.normalize_or_zero()), [0.0, 0.0]]).collect();
        let [x, y] = [0, 1].map(|axis| points.iter().map(|p| p[axis]).collect::<Vec<f64>>());
        chart.add(name, &x, &y);
    };
    rays("forces", &|row| row.direction.force);
    rays("torques", &|row| row.direction.torque);
    chart.add("sphere", &x, &y);
    chart
}

/// Half of the plate's thickness at a height: straight, or a wedge that is as much too thin below as it is too thick above.
#[derive(Clone, Copy)]
enum Sides {
    Straight,
    Wedge,
}

impl Sides {
    fn name(self) -> &'static str {
        match self {
            Self::Straight => "plate, too thick by 0.5 mm on either side",
            Self::Wedge => "wedge, from 0.5 mm too thin to 0.5 mm too thick",
        }
    }

    fn plate(self) -> anyhow::Result<TriMesh> {
        let block = cuboid(DVec3::new(2.0, PLATE, PLATE))?;
        let vertices = block.vertices().iter().map(|&v| {
            let too_thick = match self {
                Self::Straight => TOO_THICK,
                Self::Wedge => TOO_THICK * v.y / (0.5 * PLATE),
            };
            DVec3::new(v.x * (0.5 * WIDTH + too_thick), v.y, v.z)
        });
        Ok(TriMesh::new(vertices.collect(), block.triangles().to_vec())?)
    }
}

/// m: on either side.
const TOO_THICK: f64 = 0.5e-3;
/// mm, up to the paper's.
const SHRUNK_BY: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1e3 * SHRUNK];

/// Parts that are too thick for a passage by half a millimetre, and fields shrunk by more and more: where do they stop, what holds them, and when do they go in?
fn tight(resolution: u32, points: usize, report: &mut Report) -> anyhow::Result<()> {
    let field = field_of(&join(&walls())?, resolution)?;
    let cell = field.grid().cell;
    let mut table = Table::new(
        format!(
            "Tight parts {PLATE} m long, pushed down through a passage of {LENGTH} m ({resolution}³, cells of {} mm), by how much the field is shrunk",
            number(1e3 * cell)
        ),
        &[
            "part",
            "shrunk by, mm",
            "cells",
            "goes all the way in",
            "way in, m",
            "is",
            "rows that touch and prove it",
            "what is left of them",
            "rows in all",
            "least φ + shrunk, cells",
        ],
    );
    for sides in [Sides::Straight, Sides::Wedge] {
        let plate = sides.plate()?;
        let pair = shell_on_field(&plate, shell_of(&plate, points)?, Arc::clone(&field))?;
        for by in SHRUNK_BY {
            let pushed = Pushed::new(&pair, 1e-3 * by)?;
            let left = (pushed.least + 1e-3 * by) / cell;
            let is_held = !pushed.goes_in && pushed.is != "free";
            table.row(vec![
                sides.name().into(),
                number(by),
                number(1e-3 * by / cell),
                if pushed.goes_in { "yes" } else { "no" }.into(),
                number(pushed.way),
                pushed.is.into(),
                if is_held { count(pushed.proof as u64) } else { none() },
                if is_held { number(pushed.residue) } else { none() },
                count(pushed.rows as u64),
                number(left),
            ]);
            report.failures.extend(pushed.failures(sides, by, left));
        }
    }
    report.tables.push(table);
    report.remarks.push(
        "Figure 13b: a tight part jams, and goes in where the field is offset by 1 mm. The plate stops at the mouth and rests on the rim, which is no being stuck: it could leave. The wedge comes in until it is as thick as the passage, and \
         is held there by contacts on both sides; with a millimetre more both go all the way in."
            .into(),
    );
    Ok(())
}

/// What came of a part that was pushed down from above.
struct Pushed {
    /// From the mouth, m.
    way: f64,
    goes_in: bool,
    is: &'static str,
    proof: usize,
    residue: f64,
    rows: usize,
    /// The least φ of any point, m.
    least: f64,
}

impl Pushed {
    fn new(pair: &Arc<HeldPair>, shrunk: f64) -> anyhow::Result<Self> {
        let mouth = 0.5 * (LENGTH + PLATE);
        let from = mouth + 0.05;
        let options = GodObjectOptions { iso: -shrunk, ..Default::default() };
        let mut god = GodObject::new(Arc::clone(pair), Pose::at(DVec3::Y * from), &options)?;
        let mut least = f64::INFINITY;
        // Down, and a little longer: it may lag behind.
        for k in 1..=240 {
            god.step(&Pose::at(DVec3::Y * (from - 0.005 * f64::from(k.min(200)))));
            least = least.min(least_value(pair, &god.pose()));
        }
        let (freedom, proof) = god.freedom();
        let is = match freedom {
            Freedom::Free { .. } => "free",
            Freedom::Pinched { .. } => "pinched",
            Freedom::Jammed => "jammed",
            Freedom::Unsettled | Freedom::Refused(_) => "unsettled",
        };
        let (way, hand) = (mouth - god.pose().position.y, mouth - from + 1.0);
        Ok(Self {
            way,
            goes_in: (way - hand).abs() < 1e-3,
            is,
            proof: proof.len(),
            residue: residue(god.rows(), &proof),
            rows: god.rows().len(),
            least,
        })
    }

    /// What should not be, of a part in a field shrunk by so many mm, whose points come no nearer than `left` cells.
    fn failures(&self, sides: Sides, by: f64, left: f64) -> Vec<String> {
        let mut failures = Vec::new();
        let mut fail = |what: String| failures.push(format!("{}, shrunk by {by} mm: {what}", sides.name()));
        // Points rest on a skin of 0.01 cells on either side, so a little more than too thick is needed.
        if (1e-3 * by <= TOO_THICK && self.goes_in) || (by == 1e3 * SHRUNK && !self.goes_in) {
            fail(format!("goes in: {}, {} m", self.goes_in, self.way));
        }
        // Part of the way, and held by rows that prove it.
        let is_part_way = self.way > 0.1 * PLATE && self.way < 0.9 * PLATE;
        let is_held = ["pinched", "jammed"].contains(&self.is) && self.proof >= 2 && self.residue < 1e-6;
        if matches!(sides, Sides::Wedge) && by == 0.0 && !(is_part_way && is_held) {
            fail(format!(
                "{} after {} m, by {} rows that leave {}",
                self.is, self.way, self.proof, self.residue
            ));
        }
        // Written so that NaN is inside.
        let is_outside = left > 0.0;
        if !is_outside {
            fail(format!("a point came to {left} cells"));
        }
        failures
    }
}
