//! What a body is made of, shared by all bodies that are alike.

use std::sync::Arc;

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
    #[error("the field's solid reaches the border of its box; build it with some padding (5 % is usual)")]
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
        let of_shell = shell.as_ref().map(|shell| shell.tree().sphere(0));
        let of_field = field.as_ref().map(|field| {
            let bounds = field.grid().bounds();
            Sphere { center: bounds.center(), radius: 0.5 * bounds.extent().length() }
        });
        // The shell's is the smaller one; the field's holds where the shell is of another mesh.
        let Some(around) = of_shell.or(of_field) else { return Err(ShapeBuildError::Nothing) };
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
