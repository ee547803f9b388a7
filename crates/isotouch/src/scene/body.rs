//! Bodies of a scene.

use glam::{DMat3, DQuat, DVec3};

use super::error::{Place, SceneError};
use super::materials::Materials;
use super::table::{Table, Value};
use crate::dynamics::{BodyKind, BodyOptions, Mass};
use crate::math::{Pose, Twist, Wrench};
use crate::mesh::MassProperties;

/// A body of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneBody {
    /// The number of its shape.
    pub shape: usize,
    /// What to add to a world.
    pub options: BodyOptions,
    /// What pushes it all the time, about its centre of mass, in the world.
    pub force: Wrench,
    /// Where it is described.
    pub place: Place,
}

const KINDS: [(&str, BodyKind); 3] =
    [("dynamic", BodyKind::Dynamic), ("kinematic", BodyKind::Kinematic), ("fixed", BodyKind::Fixed)];

const KEYS: [&str; 14] = [
    "name",
    "shape",
    "kind",
    "position",
    "rotation",
    "velocity",
    "angular_velocity",
    "density",
    "mass",
    "mass_properties",
    "material",
    "bullet",
    "force",
    "torque",
];

/// m. Farther than this not even a millimetre is told from none.
pub(super) const FARTHEST: f64 = 1e13;
/// m/s and rad/s; light is slower.
const FASTEST: f64 = 1e9;
/// N and N·m: a mass of 10³⁰ kg at a metre per square second.
const STRONGEST: f64 = 1e30;

/// All of a body but its shape.
pub(super) fn read_body(
    table: &Table<'_>,
    name: String,
    materials: &Materials,
) -> Result<(BodyOptions, Wrench), SceneError> {
    table.check_keys(&KEYS)?;
    let kind = table.named("kind", &KINDS)?.unwrap_or_default();
    let vector =
        |key: &str, within| table.vector_within(key, within).map(|found| found.unwrap_or(DVec3::ZERO));
    let rotation = match table.get("rotation") {
        Some(value) => rotation(&value)?,
        None => DQuat::IDENTITY,
    };
    let mass = match table.either(["density", "mass", "mass_properties"])? {
        Some(("density", value)) => Mass::Density(value.positive()?),
        Some(("mass", value)) => Mass::Total(value.positive()?),
        Some((_, value)) => Mass::Given(mass_properties(&value)?),
        None => Mass::Density(1000.0),
    };
    // What has no effect would be believed to have one.
    let moves_by_forces = kind == BodyKind::Dynamic;
    for key in ["density", "mass", "mass_properties", "force", "torque"] {
        if let Some(value) = table.get(key).filter(|_| !moves_by_forces) {
            let problem = format!("{} has no effect, for it is not dynamic; leave it out", value.what);
            return Err(SceneError::Conflict { place: value.place(), problem });
        }
    }
    for key in ["velocity", "angular_velocity"] {
        if let Some(value) = table.get(key).filter(|_| kind == BodyKind::Fixed) {
            let problem =
                format!("{} has no effect, for it is fixed; make it kinematic, or leave it out", value.what);
            return Err(SceneError::Conflict { place: value.place(), problem });
        }
    }
    let options = BodyOptions {
        name,
        kind,
        mass,
        pose: Pose { position: vector("position", (FARTHEST, "m"))?, rotation },
        twist: Twist {
            linear: vector("velocity", (FASTEST, "m/s"))?,
            angular: vector("angular_velocity", (FASTEST, "rad/s"))?,
        },
        material: materials.of(table)?,
        is_bullet: table.get("bullet").map(|value| value.flag()).transpose()?.unwrap_or(false),
    };
    let (force, torque) = (vector("force", (STRONGEST, "N"))?, vector("torque", (STRONGEST, "N·m"))?);
    Ok((options, Wrench { force, torque }))
}

/// `[x, y, z, w]` or `{ axis = [0, 1, 0], degrees = 30 }`.
pub(super) fn rotation(value: &Value<'_>) -> Result<DQuat, SceneError> {
    let Ok(table) = value.table(&value.what) else {
        let wanted = "a quaternion [x, y, z, w] of length 1, or { axis = [0, 1, 0], degrees = 30 }";
        let [x, y, z, w] = value.numbers().map_err(|_| value.bad(wanted))?;
        let pose = Pose::from_numbers([0.0, 0.0, 0.0, x, y, z, w]);
        return pose.map(|pose| pose.rotation).map_err(|error| value.bad(format!("{wanted} ({error})")));
    };
    table.check_keys(&["axis", "degrees"])?;
    let axis = table.need("axis", "write axis = [0, 1, 0]")?;
    let direction = axis.vector()?.try_normalize().ok_or_else(|| axis.bad("a direction, as [0, 1, 0]"))?;
    let degrees = table.need("degrees", "write degrees = 30")?.number()?;
    Ok(DQuat::from_axis_angle(direction, degrees.to_radians()))
}

fn mass_properties(value: &Value<'_>) -> Result<MassProperties, SceneError> {
    let table = value.table(&value.what)?;
    table.check_keys(&["mass", "center", "inertia"])?;
    let inertia =
        table.need("inertia", "write its three principal moments, inertia = [1, 1, 1], or three rows")?;
    let wanted = "three principal moments above 0, or three rows of three numbers";
    let matrix = match inertia.numbers::<3>() {
        Ok(moments) => DMat3::from_diagonal(DVec3::from_array(moments)),
        Err(_) => {
            let rows = inertia.list()?;
            let [a, b, c] = &rows[..] else { return Err(inertia.bad(wanted)) };
            let rows = [a.vector(), b.vector(), c.vector()].map(|row| row.map_err(|_| inertia.bad(wanted)));
            let [a, b, c] = rows;
            DMat3::from_cols(a?, b?, c?).transpose()
        }
    };
    // A positive definite, symmetric matrix: its leading minors are positive (Sylvester).
    let minor = matrix.x_axis.x * matrix.y_axis.y - matrix.x_axis.y * matrix.y_axis.x;
    let is_symmetric = matrix.abs_diff_eq(matrix.transpose(), 1e-9 * matrix.x_axis.x.abs());
    if !(is_symmetric && matrix.x_axis.x > 0.0 && minor > 0.0 && matrix.determinant() > 0.0) {
        return Err(inertia.bad(format!("{wanted}, symmetric and positive definite")));
    }
    Ok(MassProperties {
        mass: table.need("mass", "write mass = 1.0")?.positive()?,
        center_of_mass: table.vector("center")?.unwrap_or(DVec3::ZERO),
        inertia: matrix,
        volume: 0.0,
    })
}
