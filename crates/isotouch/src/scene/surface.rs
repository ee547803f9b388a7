//! What stands still and needs no grid.

use glam::DVec3;

use super::body::FARTHEST;
use super::error::{Place, SceneError};
use super::materials::Materials;
use super::table::Table;
use crate::ccd::{Ball, Plane, Touchable};
use crate::contact::Material;

/// A surface of a scene.
#[derive(Debug, Clone, PartialEq)]
pub struct SceneSurface {
    /// For messages.
    pub name: String,
    /// What it is.
    pub shape: SurfaceShape,
    /// What it is like.
    pub material: Material,
    /// Where it is described.
    pub place: Place,
}

/// A surface by a formula.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SurfaceShape {
    /// All below is solid.
    Plane(Plane),
    /// Solid within.
    Ball(Ball),
}

impl SurfaceShape {
    pub(super) fn touchable(self) -> Box<dyn Touchable + Send + Sync> {
        match self {
            Self::Plane(plane) => Box::new(plane),
            Self::Ball(ball) => Box::new(ball),
        }
    }
}

pub(super) fn read_surface(
    table: &Table<'_>,
    number: usize,
    materials: &Materials,
) -> Result<SceneSurface, SceneError> {
    table.check_keys(&["name", "plane", "ball", "material"])?;
    let name = match table.get("name") {
        Some(value) => value.text()?.to_owned(),
        None => format!("surface {number}"),
    };
    let shape = surface_shape(table)?.ok_or_else(|| SceneError::Missing {
                place: table.place(),
                what: table.what.clone(),
                key: "a shape",
                remedy: "write plane = { normal = [0, 1, 0], offset = 0 } or ball = { center = [0, 0, 0], radius = 1 }",
            })?;
    Ok(SceneSurface { name, shape, material: materials.of(table)?, place: table.place() })
}

/// The plane or the ball of a table, if it has one.
pub(super) fn surface_shape(table: &Table<'_>) -> Result<Option<SurfaceShape>, SceneError> {
    Ok(match table.either(["plane", "ball"])? {
        Some(("plane", value)) => {
            let plane = value.table(format!("the plane of {}", table.what))?;
            plane.check_keys(&["normal", "offset"])?;
            let normal = match plane.get("normal") {
                Some(value) => {
                    value.vector()?.try_normalize().ok_or_else(|| value.bad("a direction, as [0, 1, 0]"))?
                }
                None => DVec3::Y,
            };
            let offset = plane.number("offset")?.unwrap_or(0.0);
            if let Some(value) = plane.get("offset").filter(|_| offset.abs() > FARTHEST) {
                return Err(value.bad(format!("a number up to {FARTHEST:e} m")));
            }
            Some(SurfaceShape::Plane(Plane { normal, offset }))
        }
        Some((_, value)) => {
            let ball = value.table(format!("the ball of {}", table.what))?;
            ball.check_keys(&["center", "radius"])?;
            let value = ball.need("radius", "write radius = 1.0")?;
            let radius = value.positive()?;
            if radius > FARTHEST {
                return Err(value.bad(format!("a positive number up to {FARTHEST:e} m")));
            }
            let center = ball.vector_within("center", (FARTHEST, "m"))?.unwrap_or(DVec3::ZERO);
            Some(SurfaceShape::Ball(Ball { center, radius }))
        }
        None => None,
    })
}
