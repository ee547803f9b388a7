//! Two α tubes taken apart by a simulated hand: figure 6a of 2016.

use std::fs;
use std::sync::Arc;

use anyhow::Context as _;
use glam::DVec3;
use isotouch::ccd::path::{Answer, FixedPart, MovingPart, PathChecker, PathOptions};
use isotouch::field::{Field, FieldOptions};
use isotouch::haptics::device::{Device, DeviceCommand, Hand, HandOptions, Path};
use isotouch::haptics::session::Simulation;
use isotouch::haptics::{Coupling, GodObject, GodObjectOptions, Held, HeldPair, Renderer, Session, Surface};
use isotouch::math::{Motion, MotionKind, Pose};
use isotouch::mesh::shapes::{AlphaOptions, alpha_path, alpha_tube};
use isotouch::mesh::{MassProperties, TriMesh};
use isotouch::output::chart::{Axis, Chart};

use super::Setup;
use crate::haptic_scenes::{Sorted, draw, field_of, least_value, shell_of, shell_on_field, without_limits};
use crate::report::{Report, Table, count, none, number};

/// m: the built-in puzzle is 1 across, a hand's is 10 cm.
const SIZE: f64 = 0.1;
/// N/m and N·m/rad of the coupling.
const STIFFNESS: f64 = 1000.0;
const ANGULAR_STIFFNESS: f64 = 0.5;
/// Hz.
const RATE: f64 = 1000.0;
/// After the path's end, s.
const AFTER: f64 = 0.5;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    built_in(setup, &mut report)?;
    if setup.models.are_there() {
        puzzle(setup, &mut report)?;
    } else {
        report.remarks.push("The puzzle alpha 1.2 was not at hand.".into());
    }
    Ok(report)
}

struct Course {
    end: Pose,
    target: Pose,
    /// Cells, of every point at every twentieth pose.
    least: f64,
    penetration: f64,
    time: Vec<f64>,
    forces: Vec<f64>,
    torques: Vec<f64>,
    contacts: Vec<f64>,
    seconds: Vec<f64>,
    /// Every pose between which the part moved rigidly.
    trail: Vec<Pose>,
}

impl Course {
    /// m.
    fn off(&self) -> f64 {
        self.end.position.distance(self.target.position)
    }

    fn is_apart(&self) -> bool {
        self.off() < 0.05 * SIZE
    }
}

/// A simulated hand that follows poses, in this many seconds, with a part that keeps `iso` away from the surface.
fn drive(pair: &Arc<HeldPair>, poses: &[Pose], seconds: f64, iso: f64) -> anyhow::Result<Course> {
    let times = (0..poses.len()).map(|k| seconds * k as f64 / (poses.len() - 1) as f64);
    let path = Path::new(times.zip(poses.iter().copied()).collect())?;
    let mut hand = Hand::new(path, HandOptions { rate: RATE, ..Default::default() })?;
    let options = GodObjectOptions { iso, ..Default::default() };
    let god = GodObject::new(Arc::clone(pair), poses[0], &options)?;
    let coupling = Coupling::spring(STIFFNESS, ANGULAR_STIFFNESS).saturating(0.01, 0.05);
    let mut session = Session::in_step(Renderer::Constraint(Box::new(god), coupling), &without_limits())?;
    let (mut least, mut penetration) = (f64::INFINITY, 0f64);
    let [mut time, mut forces, mut torques, mut contacts, mut taken]: [Vec<f64>; 5] = Default::default();
    let (mut end, mut trail) = (poses[0], vec![poses[0]]);
    for k in 0..((seconds + AFTER) * RATE) as usize {
        let state = hand.read()?;
        let wrench = session.servo(&state);
        hand.write(&DeviceCommand::Wrench(wrench))?;
        let Some(told) = session.feedback() else { anyhow::bail!("the servo said nothing") };
        end = told.part;
        if let Some(Renderer::Constraint(god, _)) = session.simulation().map(Simulation::renderer) {
            trail.extend_from_slice(god.trail());
        }
        penetration = penetration.max(told.penetration);
        if k % 20 == 0 {
            least = least.min(least_value(pair, &told.part) / pair.surface().cell());
        }
        time.push(state.time);
        forces.push(wrench.force.length());
        torques.push(wrench.torque.length());
        contacts.push(f64::from(told.contacts));
        taken.push(told.simulation_seconds);
    }
    let target = *poses.last().unwrap_or(&Pose::IDENTITY);
    Ok(Course { end, target, least, penetration, time, forces, torques, contacts, seconds: taken, trail })
}

fn built_in(setup: &Setup, report: &mut Report) -> anyhow::Result<()> {
    let (resolution, points, seconds) = if setup.quick { (96, 1_500, 3.0) } else { (512, 25_269, 20.0) };
    let alpha = alpha_tube(AlphaOptions::default())?.mapped(|p| p * SIZE)?;
    let field = FieldOptions { resolution, band: BAND, ..Default::default() };
    let field = Arc::new(Field::from_mesh(&alpha, &field)?);
    let pair = shell_on_field(&alpha, shell_of(&alpha, points)?, field)?;
    let scaled = |pose: Pose| Pose { position: pose.position * SIZE, ..pose };
    let path: Vec<Pose> = alpha_path().into_iter().map(scaled).collect();
    let Some(&first) = path.first() else { anyhow::bail!("no path") };
    // Away along an axis, as far as they are long and a half, without wanting to turn.
    let straight = |axis: DVec3| {
        let to = Pose { position: first.position + 1.5 * SIZE * axis, ..first };
        vec![first, to]
    };
    let hands = [
        ("along the proven path", path.clone(), seconds),
        ("straight, +x", straight(DVec3::X), 0.3 * seconds),
        ("straight, −x", straight(DVec3::NEG_X), 0.3 * seconds),
        ("straight, +y", straight(DVec3::Y), 0.3 * seconds),
        ("straight, −y", straight(DVec3::NEG_Y), 0.3 * seconds),
        ("straight, +z", straight(DVec3::Z), 0.3 * seconds),
        ("straight, −z", straight(DVec3::NEG_Z), 0.3 * seconds),
    ];
    let mut table = Table::new(
        format!(
            "Two α tubes of 10 cm ({resolution}³, {} points), moved by a simulated hand at 1 kHz",
            count(points as u64)
        ),
        &[
            "hand",
            "comes apart",
            "from its target at the end, mm",
            "least φ of any point, cells",
            "most force, N",
            "most points in contact",
            "step: p50, µs",
            "p99, µs",
        ],
    );
    let mut chart = Chart::new("Two α tubes in the hand", Axis::new("time", "s"), Axis::new("force", "N"));
    let mut torques =
        Chart::new("Two α tubes in the hand", Axis::new("time", "s"), Axis::new("torque", "N·m"));
    let (mut stopped, mut found_out) = (0, Vec::new());
    for (name, poses, seconds) in &hands {
        eprintln!("{name}");
        let course = drive(&pair, poses, *seconds, 0.0)?;
        let (off, is_apart) = (course.off(), course.is_apart());
        let times = Sorted::new(course.seconds);
        table.row(vec![
            (*name).into(),
            if is_apart { "yes" } else { "no" }.into(),
            number(1e3 * off),
            number(course.least),
            number(course.forces.iter().copied().fold(0.0, f64::max)),
            count(course.contacts.iter().copied().fold(0.0, f64::max) as u64),
            number(1e6 * times.quantile(0.5)),
            number(1e6 * times.quantile(0.99)),
        ]);
        chart.add(name, &course.time, &course.forces);
        torques.add(name, &course.time, &course.torques);
        if poses.len() > 2 && !is_apart {
            report.failures.push(format!("{name}: it did not come apart"));
        }
        stopped += usize::from(poses.len() == 2 && !is_apart);
        if poses.len() == 2 && is_apart {
            found_out.push((*name, poses.clone(), *seconds));
        }
        if course.penetration > 0.0 || course.least <= 0.0 {
            report
                .failures
                .push(format!("{name}: penetration {}, least φ {}", course.penetration, course.least));
        }
    }
    if stopped == 0 {
        report.failures.push("pulled straight it comes apart whatever the direction".into());
    }
    report.tables.push(table);
    straight_ways(setup, &alpha, &pair, (&hands[1..], &found_out), report)?;
    draw(&chart, "haptic-alpha-force", setup.quick)?;
    draw(&torques, "haptic-alpha-torque", setup.quick)?;
    report.remarks.push(format!(
        "The paper (figure 6a) solves the puzzle by hand, at 512³ with 25,269 points. Straight: the hand goes 15 cm along an axis and does not turn. The part may: a mass that is pulled at its centre gives way where contact turns it, and towards the end of the proven path, +x, that leads out. Whether it is a way at all is asked of check-path, which knows the meshes and neither field nor points: the part is \
         driven once more, kept {KEPT_OFF} mm off by its constraints so that what points and grid leave out does not matter, and every piece of its way is proven. A part that cannot turn (its inertia is 10⁶ times as large) is stopped whichever way it is pulled, as check-path says it must be.\n\n![Force](pictures/haptic-alpha-force.svg)\n\n![Torque](pictures/haptic-alpha-torque.svg)",
        KEPT_OFF = number(1e3 * KEPT_OFF),
    ));
    Ok(())
}

/// m: more than places between points, 0.4 mm from one at most, may be nearer to the tube than these.
const KEPT_OFF: f64 = 1e-3;
/// Cells, of the field: levels that far from the surface, 4.5 cells of the large version, need a band that holds them.
const BAND: f64 = 8.0;
/// Times its inertia: what does not turn.
const RIGID_IN_TURN: f64 = 1e6;

type NamedHand = (&'static str, Vec<Pose>, f64);

/// What a straight pull can do: nothing, to a part that cannot turn; and where a part that can comes out, its way is proven on the meshes.
fn straight_ways(
    setup: &Setup,
    alpha: &TriMesh,
    pair: &Arc<HeldPair>,
    (hands, found_out): (&[NamedHand], &[NamedHand]),
    report: &mut Report,
) -> anyhow::Result<()> {
    let field = field_of(alpha, if setup.quick { 64 } else { 128 })?;
    let (moving, fixed) = (MovingPart::new(alpha, DVec3::ZERO)?, FixedPart::new(alpha, &field)?);
    let checker = PathChecker::new(&moving, &fixed, &PathOptions::default());
    let Surface::Field(touched) = pair.surface() else { anyhow::bail!("alpha is a field") };
    let mass = MassProperties { inertia: pair.mass().inertia * RIGID_IN_TURN, ..*pair.mass() };
    let shell = Arc::new(pair.shell().clone());
    let stiff = Arc::new(HeldPair::new(shell, Surface::Field(Arc::clone(touched)), Held::Shell, mass)?);
    let mut table = Table::new(
        "Pulled straight: by check-path, by a part that cannot turn, and by one that can",
        &[
            "hand",
            "the straight way is",
            "first contact after, mm",
            "a part that cannot turn stops after, mm",
            "one that can comes apart",
            "its way, kept off, is",
            "pieces",
            "clearance, mm",
        ],
    );
    for hand @ (name, poses, seconds) in hands {
        eprintln!("{name}: proof");
        let straight = checker.check(poses);
        let contact =
            straight.first_contact.as_ref().map(|of| of.t * poses[0].position.distance(poses[1].position));
        let held = drive(&stiff, poses, *seconds, 0.0)?;
        let stopped_after = held.end.position.distance(poses[0].position);
        if straight.answer != Answer::Contact || held.is_apart() || held.least <= 0.0 {
            report.failures.push(format!(
                "{name}: the straight way is {}; a part that cannot turn ends {stopped_after} m away, φ {}",
                straight.answer.name(),
                held.least
            ));
        }
        let mut cells = vec![
            (*name).into(),
            straight.answer.name().into(),
            contact.map_or_else(none, |way| number(1e3 * way)),
            number(1e3 * stopped_after),
        ];
        if found_out.contains(hand) {
            let course = drive(pair, poses, *seconds, KEPT_OFF)?;
            let proof = checker.check(&course.trail);
            cells.extend([
                if course.is_apart() { "yes" } else { "no" }.into(),
                proof.answer.name().into(),
                count(course.trail.len() as u64 - 1),
                number(1e3 * proof.clearance),
            ]);
            // The small version has too few points to keep all of the tube off.
            if (proof.answer != Answer::Free || !course.is_apart()) && !setup.quick {
                report.failures.push(format!(
                    "{name}: kept off it ends {} m from its target, its way is {}",
                    course.off(),
                    proof.answer.name()
                ));
            }
        } else {
            cells.extend(["no".into(), none(), none(), none()]);
        }
        table.row(cells);
    }
    report.tables.push(table);
    Ok(())
}

/// Points of ways between the file's poses.
const PER_LEG: usize = 40;
/// In cells: a god object so near to the hand has kept up.
const KEPT_UP: f64 = 0.5;

/// Alpha 1.2, whose clearance is a hundredth of a cell or less.
fn puzzle(setup: &Setup, report: &mut Report) -> anyhow::Result<()> {
    let (resolution, points) = if setup.quick { (64, 1_000) } else { (512, 25_000) };
    let center = robot_center(&fs::read_to_string(setup.models.path("puzzle/alpha_robot.obj")?)?)?;
    let robot = setup.models.read("puzzle/alpha_robot.obj")?.mesh.mapped(|p| p - center)?;
    let env = setup.models.read("puzzle/alpha_env-1.2.obj")?.mesh;
    let poses = read_poses(&fs::read_to_string(setup.models.path("puzzle/alpha-1.2.path")?)?)?;
    let shell = shell_of(&robot, points)?;
    // Every triangle is there twice, facing both ways: there is no volume, but a skin.
    let mass = HeldPair::skin_mass(&shell, 1.0);
    let field = field_of(&env, resolution)?;
    let cell = field.grid().cell;
    let pair = Arc::new(HeldPair::new(shell, Surface::Field(field), Held::Shell, mass)?);
    let least = |pose: &Pose| least_value(&pair, pose) / cell;
    let way: Vec<Pose> = poses
        .windows(2)
        .flat_map(|leg| {
            let motion = Motion::new(MotionKind::Rigid, leg[0], leg[1]);
            (0..PER_LEG).map(move |k| motion.pose(k as f64 / PER_LEG as f64))
        })
        .chain(poses.last().copied())
        .collect();
    let path_least = way.iter().map(least).fold(f64::INFINITY, f64::min);
    let mut table = Table::new(
        format!(
            "Alpha 1.2 of OMPL ({resolution}³, {} points; a cell is {}), led along its known path; the path itself leaves {} cells in this field",
            count(points as u64),
            number(cell),
            number(path_least),
        ),
        &[
            "field shrunk by, cells",
            "kept up for, % of the path",
            "farthest from the hand, cells",
            "at the end, cells",
            "least φ + shrunk, cells",
            "steps stuck",
        ],
    );
    // By as much as the path itself needs, with a skin and a half: then it must go through.
    let enough = (0.02 - path_least).max(0.0);
    let mut shrunk: Vec<f64> = vec![0.0, 0.05];
    if enough > 0.0 {
        shrunk.push(enough);
    }
    for by in shrunk {
        let options = GodObjectOptions { iso: -by * cell, ..Default::default() };
        let mut god = match GodObject::new(Arc::clone(&pair), way[0], &options) {
            Ok(god) => god,
            Err(error) => {
                report.remarks.push(format!("Shrunk by {} cells it cannot begin: {error}.", number(by)));
                continue;
            }
        };
        let (mut kept_up, mut farthest, mut stuck) = (0, 0f64, 0);
        let (mut deepest, mut end) = (f64::INFINITY, 0.0);
        for (k, hand) in way.iter().enumerate() {
            let step = god.step(hand);
            end = step.pose.position.distance(hand.position) / cell;
            farthest = farthest.max(end);
            stuck += usize::from(step.is_stuck);
            if farthest < KEPT_UP {
                kept_up = k;
            }
            if k % 10 == 0 {
                deepest = deepest.min(least(&step.pose) + by);
            }
        }
        table.row(vec![
            number(by),
            number(100.0 * kept_up as f64 / (way.len() - 1) as f64),
            number(farthest),
            number(end),
            number(deepest),
            count(stuck as u64),
        ]);
        let is_outside = deepest > 0.0;
        if !is_outside {
            report.failures.push(format!("shrunk by {by}: a point came to {deepest} cells"));
        }
        if by >= enough && end > KEPT_UP {
            report.failures.push(format!("shrunk by {by}, which is enough, it ends {end} cells away"));
        }
    }
    report.tables.push(table);
    Ok(())
}

/// From the robot's second comment line.
fn robot_center(obj: &str) -> anyhow::Result<DVec3> {
    let line =
        obj.lines().find(|line| line.contains("centre c0")).context("no line with the robot's centre")?;
    let numbers = line.rsplit(':').next().unwrap_or_default().split_whitespace();
    let numbers: Vec<f64> = numbers.map(str::parse).collect::<Result<_, _>>()?;
    let [x, y, z] = numbers[..] else { anyhow::bail!("the robot's centre is not three numbers") };
    Ok(DVec3::new(x, y, z))
}

fn read_poses(text: &str) -> anyhow::Result<Vec<Pose>> {
    let pose = |line: &str| -> anyhow::Result<Pose> {
        let numbers: Vec<f64> = line.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        let numbers: [f64; 7] =
            numbers.try_into().map_err(|_| anyhow::anyhow!("not seven numbers: {line}"))?;
        Ok(Pose::from_numbers(numbers)?)
    };
    text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')).map(pose).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_puzzle_s_files_are_understood() {
        let center = robot_center("# x\n# OMPL.app robot centre c0 (mean): -21.5 1 2.25\nv 0 0 0\n").unwrap();
        assert_eq!(center, DVec3::new(-21.5, 1.0, 2.25));
        let poses = read_poses("1 2 3 0 0 0 1\n\n# end\n").unwrap();
        assert_eq!(poses, [Pose::at(DVec3::new(1.0, 2.0, 3.0))]);
        assert!(read_poses("1 2 3").is_err());
    }
}
