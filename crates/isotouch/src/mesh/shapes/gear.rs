//! Spur gears with involute teeth.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::ShapeError;
use super::finish::{Count, Length, check_triangles};
use super::rings::Rings;
use crate::mesh::TriMesh;

/// Height of teeth above the pitch circle, and depth of their roots below it, in modules (ISO 53).
const ADDENDUM: f64 = 1.0;
const DEDENDUM: f64 = 1.25;

/// How much of the space between two teeth their roots take on either side, below the circle where involutes begin. It keeps corners of the outline in
/// different directions; more would come in the way of the other gear's tips.
const ROOT_SLOPE: f64 = 0.02;

/// Corners between two flanks, over a tip and along a root.
const ARC: usize = 3;

/// How [`gear`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GearOptions {
    /// Pitch diameter over number of teeth; gears that mesh have the same.
    pub module: f64,
    /// At least 2 / sin²(pressure angle), 18 at 20°: fewer would have to be undercut.
    pub teeth: usize,
    /// In radians, from 14° to 30°; 20° is usual. Gears that mesh have the same.
    pub pressure_angle: f64,
    /// Along z.
    pub thickness: f64,
    /// Radius of the hole along the axis, smaller than that of the roots; `None` for no hole.
    pub bore: Option<f64>,
    /// How much play two such gears have, along the pitch circle; less than half a module. Teeth are thinner by half of it.
    pub backlash: f64,
    /// Corners along each flank of a tooth, at least 2.
    pub flank_points: usize,
}

impl Default for GearOptions {
    fn default() -> Self {
        Self {
            module: 0.05,
            teeth: 20,
            pressure_angle: 20f64.to_radians(),
            thickness: 0.2,
            bore: Some(0.12),
            backlash: 0.004,
            flank_points: 8,
        }
    }
}

impl GearOptions {
    /// Half the pitch diameter: pitch circles of gears that mesh touch.
    pub fn pitch_radius(&self) -> f64 {
        0.5 * self.module * self.teeth as f64
    }
}

/// How two gears stand to each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GearMeshing {
    /// From axis to axis. The second gear stands that far along x.
    pub center_distance: f64,
    /// Angle, in radians about z, by which the second is turned while the first is not: then a tooth of the first is in the middle of a space of the second.
    pub phase: f64,
    /// Turns of the second per turn of the first; negative, for it turns the other way.
    pub ratio: f64,
}

/// A spur gear around z, centred on the origin, with a tooth along +x. Two that mesh stand as [`gears_mesh`] says.
///
/// Its outline is inside that of the true gear, with corners on it: what is free between gears of this kind is so between round ones, but for what is between
/// corners.
pub fn gear(options: GearOptions) -> Result<TriMesh, ShapeError> {
    let shape = "gear";
    check(shape, &options)?;
    let tooth = Tooth::new(&options);
    if let Some(value) = options.bore {
        Length { shape, parameter: "bore", value }
            .check_below("the radius between teeth", tooth.root * (PI / options.teeth as f64).cos())?;
    }
    let outline = tooth.outline(&options);
    let directions = outline.iter().map(|&[_, angle]| [angle.cos(), angle.sin()]).collect();
    let mut rings = Rings::new(shape, directions);
    let heights = [-0.5 * options.thickness, 0.5 * options.thickness];
    let [low, high] =
        heights.map(|z| rings.add(z, |k, [cos, sin]| [outline[k][0] * cos, outline[k][0] * sin]));
    rings.join(low, high);
    match options.bore {
        Some(radius) => {
            let [hole_low, hole_high] = heights.map(|z| rings.add_circle(z, radius));
            rings.join(hole_low, low);
            rings.join(high, hole_high);
            rings.join(hole_high, hole_low);
        }
        None => {
            rings.close_below(low, heights[0]);
            rings.close_above(high, heights[1]);
        }
    }
    rings.finish()
}

/// Where a second gear has to stand for the two to mesh with play on both sides of their teeth, half of it each. When the first is turned by some angle, the second is by
/// `ratio` times that.
pub fn gears_mesh(first: &GearOptions, second: &GearOptions) -> Result<GearMeshing, ShapeError> {
    let shape = "gears_mesh";
    check(shape, first)?;
    check(shape, second)?;
    let different = |parameter, value, range| Err(ShapeError::OutOfRange { shape, parameter, value, range });
    if first.module != second.module {
        return different("module", second.module, "what the other gear has");
    }
    if first.pressure_angle != second.pressure_angle {
        return different("pressure_angle", second.pressure_angle, "what the other gear has");
    }
    Ok(GearMeshing {
        center_distance: first.pitch_radius() + second.pitch_radius(),
        // Half a tooth from having one along −x.
        phase: PI - PI / second.teeth as f64,
        ratio: -(first.teeth as f64) / second.teeth as f64,
    })
}

fn check(shape: &'static str, options: &GearOptions) -> Result<(), ShapeError> {
    let &GearOptions { module, teeth, pressure_angle, thickness, backlash, flank_points, .. } = options;
    Length { shape, parameter: "module", value: module }.check()?;
    Length { shape, parameter: "thickness", value: thickness }.check()?;
    if !(14f64.to_radians()..=30f64.to_radians()).contains(&pressure_angle) {
        let range = "14° to 30°, in radians";
        return Err(ShapeError::OutOfRange {
            shape,
            parameter: "pressure_angle",
            value: pressure_angle,
            range,
        });
    }
    let least = (2.0 * ADDENDUM / pressure_angle.sin().powi(2)).ceil() as usize;
    Count { shape, parameter: "teeth", value: teeth }.check(least)?;
    Count { shape, parameter: "flank_points", value: flank_points }.check(2)?;
    check_triangles(shape, "`teeth` and `flank_points`", [teeth, flank_points.saturating_mul(8)])?;
    if backlash != 0.0 {
        Length { shape, parameter: "backlash", value: backlash }
            .check_below("half of `module`", 0.5 * module)?;
    }
    Ok(())
}

/// A tooth around the direction 0.
struct Tooth {
    tip: f64,
    root: f64,
    /// Radius of the circle that involutes unwind from.
    base: f64,
    /// Half the angle of the tooth where they begin.
    half_at_base: f64,
}

impl Tooth {
    fn new(options: &GearOptions) -> Self {
        let pitch = options.pitch_radius();
        let thickness = FRAC_PI_2 * options.module - 0.5 * options.backlash;
        Self {
            tip: pitch + ADDENDUM * options.module,
            root: pitch - DEDENDUM * options.module,
            base: pitch * options.pressure_angle.cos(),
            // inv α = tan α − α is what the involute turns by between base and pitch circle.
            half_at_base: 0.5 * thickness / pitch + options.pressure_angle.tan() - options.pressure_angle,
        }
    }

    /// Radius and half the tooth's angle where an involute has unwound by the angle t: r = base · √(1 + t²), inv = t − atan t.
    fn on_flank(&self, t: f64) -> [f64; 2] {
        [self.base * (1.0 + t * t).sqrt(), self.half_at_base - (t - t.atan())]
    }

    /// Corners of the whole gear, radius and angle, by rising angle.
    fn outline(&self, options: &GearOptions) -> Vec<[f64; 2]> {
        let step = TAU / options.teeth as f64;
        // (r / base)² − 1, and its root, at the ends of the flank.
        let unwound = |radius: f64| (radius / self.base).powi(2).max(1.0);
        let [start, end] = [self.root, self.tip].map(|radius| (unwound(radius) - 1.0).sqrt());
        let last = (options.flank_points - 1) as f64;
        let mut flank: Vec<[f64; 2]> = (0..options.flank_points)
            .map(|k| self.on_flank(start + (end - start) * (k as f64 / last)))
            .collect();
        if self.root < self.base {
            flank.insert(0, [self.root, self.half_at_base + ROOT_SLOPE * (0.5 * step - self.half_at_base)]);
        }
        let ([_, at_root], [_, at_tip]) = (flank[0], flank[flank.len() - 1]);
        let mut tooth: Vec<[f64; 2]> = flank.iter().map(|&[radius, half]| [radius, -half]).collect();
        let arc = |from: f64, to: f64, radius: f64| {
            (1..=ARC).map(move |k| [radius, from + (to - from) * (k as f64 / (ARC + 1) as f64)])
        };
        tooth.extend(arc(-at_tip, at_tip, self.tip));
        tooth.extend(flank.iter().rev());
        tooth.extend(arc(at_root, step - at_root, self.root));
        let turned = |k: usize| {
            let angle = TAU * k as f64 / options.teeth as f64;
            tooth.iter().map(move |&[radius, at]| [radius, at + angle])
        };
        (0..options.teeth).flat_map(turned).collect()
    }
}
