//! What a body is made of, shared by all bodies that are alike.

use std::sync::Arc;

use glam::DVec3;

use crate::field::{BuildError, Field, FieldOptions};
use crate::mesh::{MassError, MassProperties, TriMesh, mass_properties};
use crate::shell::{PointShell, Sampling, ShellError, ShellOptions, Sphere};

/// A field to be touched, a shell that touches, and the mesh that both are of. All in one frame, that of the body.
#[derive(Debug, Clone)]
pub struct Shape {
    field: Option<Arc<Field>>,
    shell: Option<Arc<PointShell>>,
    mesh: Option<Arc<TriMesh>>,
    around: Sphere,
}

/// How a shape is made of a mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShapeOptions {
    /// Cells along the longest side of the field's box. More holds finer detail. Usual: 64 to 256.
    pub resolution: u32,
    /// Points of the shell; 0 for the mesh's vertices. What is thinner than the gaps between points can slip between them. Usual: 500 to 20,000.
    pub points: usize,
}

impl Default for ShapeOptions {
    fn default() -> Self {
        Self { resolution: 96, points: 2000 }
    }
}

/// Why there is no shape.
#[derive(Debug, thiserror::Error)]
pub enum ShapeBuildError {
    /// Its field.
    #[error(transparent)]
    Field(#[from] BuildError),
    /// Its shell.
    #[error(transparent)]
    Shell(#[from] ShellError),
    /// A field whose solid goes on outside its box: nothing is known there.
    #[error(
        "the field's solid reaches the border of its box: the mesh is an open sheet, or the box lacks padding; close the mesh, or build the field with some padding (5 % is usual)"
    )]
    NoBorder,
    /// Neither a field nor a shell: it could touch nothing.
    #[error("a shape needs a field, a shell, or both")]
    Nothing,
}

impl Shape {
    /// Field and shell of a mesh.
    pub fn from_mesh(mesh: &TriMesh, options: &ShapeOptions) -> Result<Self, ShapeBuildError> {
        let field =
            Field::from_mesh(mesh, &FieldOptions { resolution: options.resolution, ..Default::default() })?;
        let sampling =
            if options.points == 0 { Sampling::Vertices } else { Sampling::Points(options.points) };
        let shell = PointShell::from_mesh(mesh, &ShellOptions { sampling, ..Default::default() })?;
        Self::new(Some(Arc::new(field)), Some(Arc::new(shell)), Some(Arc::new(mesh.clone())))
    }

    /// Of parts that are there already. Without a field nothing can touch it but by its own points; without a shell it can only be touched. The mesh is for mass and
    /// pictures.
    pub fn new(
        field: Option<Arc<Field>>,
        shell: Option<Arc<PointShell>>,
        mesh: Option<Arc<TriMesh>>,
    ) -> Result<Self, ShapeBuildError> {
        if field.as_ref().is_some_and(|field| !field.is_certified_outside()) {
            return Err(ShapeBuildError::NoBorder);
        }
        // The shell's points alone would leave out what is between and behind few of them; the solid is within the mesh, or else somewhere in the field's box.
        // Not the tree's first sphere: that is centred on one of its points, and twice as large.
        let of_shell = shell.as_ref().map(|shell| around_points(shell.points()));
        let of_solid = match (&mesh, &field) {
            (Some(mesh), _) => Some(around_points(mesh.vertices())),
            (None, Some(field)) => {
                let bounds = field.grid().bounds();
                Some(Sphere { center: bounds.center(), radius: 0.5 * bounds.extent().length() })
            }
            (None, None) => None,
        };
        let around = match (of_shell, of_solid) {
            (Some(shell), Some(solid)) => around_both(shell, solid),
            (one, other) => one.or(other).ok_or(ShapeBuildError::Nothing)?,
        };
        Ok(Self { field, shell, mesh, around })
    }

    /// What can be touched.
    pub fn field(&self) -> Option<&Field> {
        self.field.as_deref()
    }

    /// The same, to be kept.
    pub fn shared_field(&self) -> Option<Arc<Field>> {
        self.field.clone()
    }

    /// What touches.
    pub fn shell(&self) -> Option<&PointShell> {
        self.shell.as_deref()
    }

    /// What both are of.
    pub fn mesh(&self) -> Option<&Arc<TriMesh>> {
        self.mesh.as_ref()
    }

    /// A sphere around it, in the body's frame.
    pub fn around(&self) -> Sphere {
        self.around
    }

    /// Mass, centre of mass and inertia for a density; of a closed mesh only.
    pub fn mass(&self, density: f64) -> Option<Result<MassProperties, MassError>> {
        self.mesh.as_ref().map(|mesh| mass_properties(mesh, density))
    }
}

fn around_points(points: &[DVec3]) -> Sphere {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = points.iter().fold(none, |(low, high), p| (low.min(*p), high.max(*p)));
    let center = 0.5 * (low + high);
    let farthest = points.iter().map(|p| p.distance_squared(center)).fold(0.0, f64::max);
    Sphere { center, radius: farthest.sqrt() }
}

/// The smallest sphere that holds two, or the larger one if it holds the other.
fn around_both(a: Sphere, b: Sphere) -> Sphere {
    let way = b.center - a.center;
    let distance = way.length();
    // 1 ppm for rounding, so that a shell of the mesh's own vertices does not move the centre.
    if distance + b.radius <= a.radius * (1.0 + 1e-6) {
        return Sphere { radius: a.radius.max(distance + b.radius), ..a };
    }
    if distance + a.radius <= b.radius * (1.0 + 1e-6) {
        return Sphere { radius: b.radius.max(distance + a.radius), ..b };
    }
    let radius = 0.5 * (distance + a.radius + b.radius);
    Sphere { center: a.center + way * ((radius - a.radius) / distance), radius }
}
