//! From a text to a scene for a hand.

use std::fs;
use std::path::Path;

use super::poses::read_path;
use super::{CouplingSettings, FixedPart, HapticScene, HeldMass, PenaltySettings};
use crate::haptics::{Detection, GodObjectOptions, Held, RowNormals};
use crate::math::{DQuat, DVec3, Pose};
use crate::mesh::shapes;
use crate::scene::body::rotation;
use crate::scene::error::SceneError;
use crate::scene::shape::{MOST_CELLS, MOST_POINTS, PlacedShape, ShellPoints, shape_of_name, shape_of_table};
use crate::scene::surface::surface_shape;
use crate::scene::table::{Table, Text, Value, line_ends};

const KEYS: [&str; 17] = [
    "held",
    "fixed",
    "held_as",
    "resolution",
    "points",
    "offset",
    "position",
    "rotation",
    "density",
    "mass",
    "seconds",
    "poses",
    "path",
    "coupling",
    "constraint",
    "penalty",
    "device",
];

/// More than this the band of a field does not hold.
pub(super) const MOST_OFFSET: f64 = 1.5;

impl HapticScene {
    /// Reads a scene file; paths in it are relative to its folder.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, SceneError> {
        let path = path.as_ref();
        let text =
            fs::read_to_string(path).map_err(|source| SceneError::Read { path: path.to_owned(), source })?;
        Self::parse(&path.display().to_string(), &text)
    }

    /// A scene from its text. `file` is what messages call it; paths in the text are relative to its folder.
    pub fn parse(file: &str, text: &str) -> Result<Self, SceneError> {
        let ends = line_ends(text);
        let text = Text { file, text, line_ends: &ends };
        let root = text.parse()?;
        let root = Table::of_text(text, &root);
        if let Some(value) = root.get("bodies") {
            let problem =
                "this is a scene to be simulated and not one to be felt; run it with `isotouch simulate`";
            return Err(SceneError::Conflict { place: value.place(), problem: problem.to_owned() });
        }
        root.check_keys(&["about", "haptic"])?;
        let about = root.get("about").map(|value| value.text()).transpose()?.unwrap_or_default().to_owned();
        let table =
            root.need("haptic", "add [haptic] with held, fixed and poses")?.table("the haptic scene")?;
        table.check_keys(&KEYS)?;
        let folder = Path::new(file).parent().unwrap_or(Path::new("")).to_owned();

        let mut held = part(
            &table.need("held", "write held = \"sphere\", or held = { file = \"part.obj\" }")?,
            &folder,
        )?;
        let mut fixed = fixed_part(
            &table.need("fixed", "write fixed = \"torus\", or fixed = { plane = { normal = [0, 1, 0] } }")?,
            &folder,
        )?;
        let held_as = table.named("held_as", &[("shell", Held::Shell), ("field", Held::Field)])?;
        let held_as = held_as.unwrap_or_default();
        set_fineness(&table, held_as, &mut held, &mut fixed)?;
        let (path, seconds, start_place) = read_path(&table, &folder)?;
        Ok(Self {
            about,
            held_as,
            offset: match table.get("offset") {
                Some(value) => {
                    let offset = value.number()?;
                    let is_within = offset.abs() <= MOST_OFFSET;
                    is_within
                        .then_some(offset)
                        .ok_or_else(|| value.bad(format!("at most {MOST_OFFSET} cells either way")))?
                }
                None => 0.0,
            },
            mass: match table.either(["density", "mass"])? {
                Some(("density", value)) => HeldMass::Density(value.positive()?),
                Some((_, value)) => HeldMass::Total(value.positive()?),
                None => HeldMass::Density(1000.0),
            },
            world_from_fixed: Pose {
                position: table.vector("position")?.unwrap_or(DVec3::ZERO),
                rotation: table.get("rotation").map_or(Ok(DQuat::IDENTITY), |value| rotation(&value))?,
            },
            path,
            seconds,
            coupling: coupling(&table)?,
            constraint: constraint(&table)?,
            penalty: penalty(&table)?,
            device_scale: device(&table)?[0],
            force_scale: device(&table)?[1],
            place: table.place(),
            start_place,
            held,
            fixed,
        })
    }
}

fn part(value: &Value<'_>, folder: &Path) -> Result<PlacedShape, SceneError> {
    if value.is_text() {
        let name = value.text()?;
        return shape_of_name(name, value)
            .ok_or_else(|| value.unknown(name, "built-in shape", &shapes::NAMES));
    }
    let table = value.table(&value.what)?;
    for key in ["resolution", "points"] {
        if let Some(value) = table.get(key) {
            let problem =
                format!("{} stands in [haptic] itself: one part is a field, the other is points", value.what);
            return Err(SceneError::Conflict { place: value.place(), problem });
        }
    }
    shape_of_table(&table, folder)
}

fn fixed_part(value: &Value<'_>, folder: &Path) -> Result<FixedPart, SceneError> {
    if !value.is_text() {
        let table = value.table(&value.what)?;
        if let Some(shape) = surface_shape(&table)? {
            table.check_keys(&["plane", "ball", "cell"])?;
            return Ok(FixedPart::Surface(shape, table.positive("cell")?.unwrap_or(1e-3)));
        }
    }
    part(value, folder).map(FixedPart::Shape)
}

/// Cells of the part that is a field, points of the other.
fn set_fineness(
    table: &Table<'_>,
    held_as: Held,
    held: &mut PlacedShape,
    fixed: &mut FixedPart,
) -> Result<(), SceneError> {
    let conflict = |value: &Value<'_>, problem: &str| {
        Err(SceneError::Conflict { place: value.place(), problem: format!("{} {problem}", value.what) })
    };
    if let FixedPart::Surface(..) = fixed {
        if let Some(value) = table.get("resolution") {
            return conflict(&value, "has no effect, for what is touched is a formula; leave it out");
        }
        if let Some(value) = table.get("held_as").filter(|_| held_as == Held::Field) {
            return conflict(&value, "must be \"shell\", for a plane or a ball has no points");
        }
        for key in ["position", "rotation"] {
            if let Some(value) = table.get(key) {
                return conflict(&value, "has no effect on a plane or a ball; place it by its own numbers");
            }
        }
    }
    let resolution = table.get("resolution").map_or(Ok(128), |value| value.whole(4, MOST_CELLS))? as u32;
    let points = match table.get("points") {
        Some(value) if value.is_text() => value.named(&[("vertices", ShellPoints::Vertices)])?,
        Some(value) => ShellPoints::Count(value.whole(1, MOST_POINTS)? as usize),
        None => ShellPoints::Count(2000),
    };
    let (shell, field) = match (held_as, fixed) {
        (Held::Shell, FixedPart::Shape(fixed)) => (held, Some(fixed)),
        (Held::Shell, FixedPart::Surface(..)) => (held, None),
        (Held::Field, FixedPart::Shape(fixed)) => (fixed, Some(held)),
        // Refused above.
        (Held::Field, FixedPart::Surface(..)) => return Ok(()),
    };
    shell.source.points = points;
    if let Some(field) = field {
        field.source.resolution = resolution;
        field.source.points = ShellPoints::None;
    }
    Ok(())
}

fn coupling(table: &Table<'_>) -> Result<CouplingSettings, SceneError> {
    let usual = CouplingSettings {
        stiffness: 1000.0,
        angular_stiffness: None,
        damping: None,
        angular_damping: None,
        max_distance: None,
    };
    let Some(value) = table.get("coupling") else { return Ok(usual) };
    let table = value.table(&value.what)?;
    table.check_keys(&["stiffness", "angular_stiffness", "damping", "angular_damping", "max_distance"])?;
    Ok(CouplingSettings {
        stiffness: table.positive("stiffness")?.unwrap_or(usual.stiffness),
        angular_stiffness: not_negative(&table, "angular_stiffness")?,
        damping: not_negative(&table, "damping")?,
        angular_damping: not_negative(&table, "angular_damping")?,
        max_distance: table.positive("max_distance")?,
    })
}

fn constraint(table: &Table<'_>) -> Result<GodObjectOptions, SceneError> {
    let usual = GodObjectOptions::default();
    let Some(value) = table.get("constraint") else { return Ok(usual) };
    let table = value.table(&value.what)?;
    table.check_keys(&[
        "skin",
        "reach",
        "closing",
        "passes",
        "most_rows",
        "friction",
        "detection",
        "normals",
    ])?;
    let whole = |key: &str, most: u64, usual: u64| match table.get(key) {
        Some(value) => value.whole(1, most),
        None => Ok(usual),
    };
    let skin = table.positive("skin")?.unwrap_or(usual.skin);
    let reach = table.positive("reach")?.unwrap_or(usual.reach.max(2.0 * skin));
    if let Some(value) = table.get("reach").filter(|_| reach < 2.0 * skin) {
        return Err(value.bad(format!("at least twice the skin, {}", 2.0 * skin)));
    }
    let closing = table.positive("closing")?.unwrap_or(usual.closing);
    if let Some(value) = table.get("closing").filter(|_| closing > 1.0) {
        return Err(value.bad("above 0 and at most 1"));
    }
    let detections = [
        ("continuous", Detection::Continuous),
        ("papers", Detection::Papers),
        ("discrete", Detection::Discrete),
    ];
    let normals = [("fixed", RowNormals::Fixed), ("shell", RowNormals::Shell), ("field", RowNormals::Field)];
    Ok(GodObjectOptions {
        iso: 0.0,
        skin,
        reach,
        closing,
        passes: whole("passes", 100, usual.passes.into())? as u32,
        most_rows: whole("most_rows", 10_000, usual.most_rows as u64)? as usize,
        friction: not_negative(&table, "friction")?.unwrap_or(usual.friction),
        detection: table.named("detection", &detections)?.unwrap_or(usual.detection),
        normals: table.named("normals", &normals)?.unwrap_or(usual.normals),
    })
}

fn penalty(table: &Table<'_>) -> Result<PenaltySettings, SceneError> {
    let usual = PenaltySettings::default();
    let Some(value) = table.get("penalty") else { return Ok(usual) };
    let table = value.table(&value.what)?;
    table.check_keys(&["stiffness", "damping", "subintervals", "security_distance", "max_stiffness"])?;
    Ok(PenaltySettings {
        stiffness: table.positive("stiffness")?.unwrap_or(usual.stiffness),
        damping: not_negative(&table, "damping")?.unwrap_or(usual.damping),
        subintervals: match table.get("subintervals") {
            Some(value) => value.whole(1, 1000)? as u32,
            None => usual.subintervals,
        },
        security_distance: table.number("security_distance")?.unwrap_or(usual.security_distance),
        max_stiffness: table.positive("max_stiffness")?,
    })
}

/// Scales of lengths and forces.
fn device(table: &Table<'_>) -> Result<[f64; 2], SceneError> {
    let Some(value) = table.get("device") else { return Ok([1.0; 2]) };
    let table = value.table(&value.what)?;
    table.check_keys(&["scale", "force_scale"])?;
    Ok([table.positive("scale")?.unwrap_or(1.0), table.positive("force_scale")?.unwrap_or(1.0)])
}

fn not_negative(table: &Table<'_>, key: &str) -> Result<Option<f64>, SceneError> {
    let Some(value) = table.get(key) else { return Ok(None) };
    let number = value.number()?;
    if number < 0.0 { Err(value.bad("a finite number, 0 or more")) } else { Ok(Some(number)) }
}
