//! Parts in a hand and parts that stand still, for the experiments of haptic rendering.

use std::sync::Arc;

use glam::{DQuat, DVec3};
use isotouch::contact::Placed;
use isotouch::field::{Field, FieldOptions};
use isotouch::haptics::device::DeviceState;
use isotouch::haptics::safety::SafetyOptions;
use isotouch::haptics::{Held, HeldPair, SessionOptions, Surface};
use isotouch::math::{Motion, MotionKind, Pose, Twist};
use isotouch::mesh::shapes::{
    AlphaOptions, BarsOptions, BlobOptions, HolePlateOptions, PegOptions, StrungFrameOptions,
    TorusKnotOptions, alpha_tube, bars_and_rod, blob, hole_plate, peg, sphere, strung_frame, torus_knot,
};
use isotouch::mesh::{TriMesh, mass_properties};
use isotouch::output::chart::Chart;
use isotouch::shell::{PointShell, Sampling, ShellOptions};

use crate::models::project_root;

/// kg/m³, of all parts: water.
const DENSITY: f64 = 1000.0;

/// So many points, spread evenly.
pub(crate) fn shell_of(mesh: &TriMesh, points: usize) -> anyhow::Result<Arc<PointShell>> {
    let options = ShellOptions { sampling: Sampling::Points(points), ..Default::default() };
    Ok(Arc::new(PointShell::from_mesh(mesh, &options)?))
}

/// Points so dense that no place of the surface is farther from one than this.
pub(crate) fn shell_covering(mesh: &TriMesh, coverage: f64) -> anyhow::Result<Arc<PointShell>> {
    // The coverage that is told exceeds the spacing by a hundredth at most.
    let options = ShellOptions { sampling: Sampling::Spacing(0.99 * coverage), ..Default::default() };
    Ok(Arc::new(PointShell::from_mesh(mesh, &options)?))
}

pub(crate) fn field_of(mesh: &TriMesh, resolution: u32) -> anyhow::Result<Arc<Field>> {
    Ok(Arc::new(Field::from_mesh(mesh, &FieldOptions { resolution, ..Default::default() })?))
}

/// Points in the hand, against a field.
pub(crate) fn shell_on_field(
    held: &TriMesh,
    shell: Arc<PointShell>,
    field: Arc<Field>,
) -> anyhow::Result<Arc<HeldPair>> {
    let mass = mass_properties(held, DENSITY)?;
    Ok(Arc::new(HeldPair::new(shell, Surface::Field(field), Held::Shell, mass)?))
}

/// A field in the hand, against points.
pub(crate) fn field_on_shell(
    held: &TriMesh,
    field: Arc<Field>,
    shell: Arc<PointShell>,
) -> anyhow::Result<Arc<HeldPair>> {
    let mass = mass_properties(held, DENSITY)?;
    Ok(Arc::new(HeldPair::new(shell, Surface::Field(field), Held::Field, mass)?))
}

/// φ of every point by itself, the least of them; in textbook transforms, without the tree and the bounds that the library has for it.
pub(crate) fn least_value(pair: &HeldPair, world_from_held: &Pose) -> f64 {
    let (shell, surface) = (pair.world_from_shell(world_from_held), pair.world_from_surface(world_from_held));
    let obstacle = pair.surface().obstacle();
    let back = surface.rotation.conjugate();
    let value = |&p: &DVec3| {
        let world = shell.rotation * p + shell.position;
        obstacle.touchable().value(back * (world - surface.position))
    };
    // Written so that NaN is the least of all.
    pair.shell()
        .points()
        .iter()
        .map(value)
        .fold(f64::INFINITY, |least, value| if value.is_nan() { f64::NEG_INFINITY } else { least.min(value) })
}

/// Two parts, and where a hand may go among them.
pub(crate) struct Scene {
    pub(crate) name: &'static str,
    pub(crate) pair: Arc<HeldPair>,
    /// How long the held part is.
    pub(crate) length: f64,
    /// Half of the box around the fixed part, about the origin: where hands go.
    pub(crate) around: DVec3,
}

impl Scene {
    fn new(name: &'static str, pair: Arc<HeldPair>, held: &TriMesh, fixed: &TriMesh) -> Self {
        let length = held.bounds().extent().max_element();
        Self { name, pair, length, around: 0.5 * fixed.bounds().extent() }
    }

    /// A distance at which nothing can touch: the parts' spheres are apart.
    pub(crate) fn far(&self) -> f64 {
        1.2 * (self.around.length() + self.length) + 0.1 * self.length
    }
}

/// Five scenes: parts that hook into each other, thin wires, a field in the hand, narrow gaps, a puzzle.
pub(crate) fn five(resolution: u32, points: usize) -> anyhow::Result<Vec<Scene>> {
    let held_shell = |name, held: &TriMesh, fixed: &TriMesh| -> anyhow::Result<Scene> {
        let pair = shell_on_field(held, shell_of(held, points)?, field_of(fixed, resolution)?)?;
        Ok(Scene::new(name, pair, held, fixed))
    };
    let knot = torus_knot(2, 3, TorusKnotOptions::default())?;
    let ball = sphere(0.12, 1_280)?;
    let wires = strung_frame(StrungFrameOptions { wires: 6, wire_radius: 0.02, ..Default::default() })?;
    let (pin, plate) = (peg(PegOptions::default())?, hole_plate(HolePlateOptions::default())?);
    let in_the_hand = field_on_shell(&pin, field_of(&pin, resolution)?, shell_of(&plate, points)?)?;
    let puzzle = bars_and_rod(BarsOptions::default())?;
    let alpha = alpha_tube(AlphaOptions::default())?;
    Ok(vec![
        held_shell("knot, knot", &knot, &knot)?,
        held_shell("ball, strung wires", &ball, &wires)?,
        Scene::new("peg (a field), hole (points)", in_the_hand, &pin, &plate),
        held_shell("rod, three bars", &puzzle.rod, &puzzle.bars)?,
        held_shell("alpha, alpha", &alpha, &alpha)?,
    ])
}

/// A blob that slides on a larger one, 10 cm across.
pub(crate) fn blobs(points: usize, resolution: u32) -> anyhow::Result<Arc<HeldPair>> {
    let fixed = blob(BlobOptions { radius: 0.05, amplitude: 0.3, ..Default::default() })?;
    let held = blob(BlobOptions { radius: 0.02, seed: 7, amplitude: 0.3, ..Default::default() })?;
    shell_on_field(&held, shell_of(&held, points)?, field_of(&fixed, resolution)?)
}

/// The blob's way: from above around the other, pressed in by `deep`.
pub(crate) fn around_the_blob(deep: f64, part: f64) -> Pose {
    let turn =
        DQuat::from_rotation_x(0.7 * std::f64::consts::TAU * part) * DQuat::from_rotation_z(1.1 * part);
    // Outside at the start, then as near as the two are large.
    let radius = 0.07 - deep + 0.04 * (1.0 - 8.0 * part).max(0.0);
    Pose { position: turn * DVec3::Y * radius, rotation: DQuat::from_rotation_y(3.0 * part) }
}

/// A path's pose at a part of it, 0 to 1; all legs take as long.
pub(crate) fn along(path: &[Pose], part: f64) -> Pose {
    let legs = path.len() - 1;
    let at = part.clamp(0.0, 1.0) * legs as f64;
    let leg = (at as usize).min(legs - 1);
    Motion::new(MotionKind::Rigid, path[leg], path[leg + 1]).pose(at - leg as f64)
}

/// A hand that was there a moment ago, and is here now: poses of the origin, velocity of the centre of mass.
pub(crate) fn moving(from: &Pose, to: &Pose, center: DVec3, dt: f64) -> Placed {
    let way = from.displacement_to(to, center);
    let twist = Twist { linear: way.linear / dt, angular: way.angular / dt };
    Placed { world_from_body: *to, center, twist }
}

/// The same as a device says it: velocity of the handle's origin.
pub(crate) fn state_of(time: f64, from: &Pose, to: &Pose, dt: f64) -> DeviceState {
    let way = from.displacement_to(to, DVec3::ZERO);
    let twist = Twist { linear: way.linear / dt, angular: way.angular / dt };
    DeviceState { time, twist, ..DeviceState::at(*to) }
}

/// Limits that are not reached, so that what is felt is what was computed.
pub(crate) fn without_limits() -> SessionOptions {
    let safety = SafetyOptions {
        max_force: 1e6,
        max_torque: 1e6,
        max_force_rate: 1e9,
        max_torque_rate: 1e9,
        ramp: 0.0,
        ..Default::default()
    };
    SessionOptions { safety, ..Default::default() }
}

/// Numbers in growing order, to be asked for quantiles.
pub(crate) struct Sorted(Vec<f64>);

impl Sorted {
    pub(crate) fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The smallest number that at least this part of them does not exceed; NaN of none.
    pub(crate) fn quantile(&self, part: f64) -> f64 {
        let rank = (part * self.0.len() as f64).ceil() as usize;
        self.0.get(rank.max(1) - 1).copied().unwrap_or(f64::NAN)
    }

    pub(crate) fn max(&self) -> f64 {
        self.quantile(1.0)
    }

    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len() as f64
    }

    /// How many percent of them lie in each of these many bins, even on a logarithmic scale: the outline of a histogram.
    pub(crate) fn outline(&self, (low, high): (f64, f64), bins: usize) -> (Vec<f64>, Vec<f64>) {
        let edge = |k: usize| low * (high / low).powf(k as f64 / bins as f64);
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for k in 0..bins {
            let below = |limit: f64| self.0.partition_point(|&value| value < limit);
            let share = 100.0 * (below(edge(k + 1)) - below(edge(k))) as f64 / self.0.len() as f64;
            x.extend([edge(k), edge(k + 1)]);
            y.extend([share, share]);
        }
        (x, y)
    }
}

/// Puts a chart among the pictures of the docs; in the small version it is only drawn.
pub(crate) fn draw(chart: &Chart, name: &str, quick: bool) -> anyhow::Result<()> {
    if quick {
        anyhow::ensure!(chart.svg().starts_with("<svg"), "{name} could not be drawn");
    } else {
        chart.write(project_root().join("docs/pictures").join(format!("{name}.svg")))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_numbers_that_were_given() {
        let sorted = Sorted::new(vec![4.0, 1.0, 3.0, 2.0]);
        assert_eq!([0.0, 0.5, 0.51, 0.99, 1.0].map(|q| sorted.quantile(q)), [1.0, 2.0, 3.0, 4.0, 4.0]);
        assert!(Sorted::new(vec![]).quantile(0.5).is_nan());
    }

    #[test]
    fn an_outline_has_all_of_them() {
        let (x, y) = Sorted::new(vec![1.0, 5.0, 50.0, 60.0]).outline((1.0, 100.0), 2);
        assert!((x[1] - 10.0).abs() < 1e-9 && x[1] == x[2]);
        assert_eq!(y, [50.0; 4]);
    }

    #[test]
    fn scenes_begin_apart() {
        for scene in five(24, 60).unwrap() {
            for direction in [DVec3::X, DVec3::Y, DVec3::Z] {
                let least = least_value(&scene.pair, &Pose::at(direction * scene.far()));
                assert!(least > 0.0, "{}", scene.name);
            }
        }
    }
}
