//! From a surface to a shell.

use std::sync::atomic::AtomicBool;

use glam::DVec3;
use rayon::prelude::*;

use super::coverage::{Points, coverage};
use super::levels::level_sizes;
use super::sampling::{Place, Sample, by_count, by_spacing};
use super::sphere_tree::farthest_first;
use super::surface::Surface;
use super::weights::Cells;
use super::{
    Facts, NormalSource, PointShell, Sampling, ShellError, ShellLevel, ShellNote, ShellOptions, SphereTree,
    weights,
};
use crate::field::{Cancelled, Execution, Field, Stage, on_threads};
use crate::mesh::TriMesh;

/// A shell, and what should be known of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Sampled {
    /// The shell.
    pub shell: PointShell,
    /// What a user should be told.
    pub notes: Vec<ShellNote>,
}

impl From<Cancelled> for ShellError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

impl PointShell {
    /// A shell on the surface of a mesh, in parallel on the current rayon pool.
    ///
    /// The mesh may be anything that has an area. Normals are outward if it is closed and consistently oriented, also where parts were
    /// wound inward; else they are those of the triangles as they are wound ([`PointShell::normal_source`]), and
    /// [`PointShell::with_normals_of`] takes better ones from a field. Notes are dropped: [`PointShell::from_mesh_with`] gives them.
    pub fn from_mesh(mesh: &TriMesh, options: &ShellOptions) -> Result<Self, ShellError> {
        Self::from_mesh_with(mesh, options, &Execution::default()).map(|sampled| sampled.shell)
    }

    /// [`PointShell::from_mesh`], with a say in how it is computed, and notes.
    pub fn from_mesh_with(
        mesh: &TriMesh,
        options: &ShellOptions,
        execution: &Execution<'_>,
    ) -> Result<Sampled, ShellError> {
        check_options(options)?;
        on_threads(execution, || {
            let surface = Surface::new(mesh)?;
            let source = if surface.is_oriented { NormalSource::Mesh } else { NormalSource::Triangles };
            let mut notes = Vec::new();
            if surface.turned > 0 {
                notes.push(ShellNote::Turned { triangles: surface.turned });
            }
            if !surface.is_oriented {
                notes.push(ShellNote::NotOriented);
            }
            make(&surface, options, execution, (source, None), notes)
        })?
    }

    /// A shell on the level set `iso` of a field, with normals along its gradient: an offset surface for `iso` > 0.
    ///
    /// Coverage is that of the triangles of [`Field::surface`]. They show the cells of the field wherever the surface turns, so no sharp edges are
    /// looked for. Notes are dropped: [`PointShell::from_field_with`] gives them.
    pub fn from_field(field: &Field, iso: f64, options: &ShellOptions) -> Result<Self, ShellError> {
        Self::from_field_with(field, iso, options, &Execution::default()).map(|sampled| sampled.shell)
    }

    /// [`PointShell::from_field`], with a say in how it is computed, and notes.
    pub fn from_field_with(
        field: &Field,
        iso: f64,
        options: &ShellOptions,
        execution: &Execution<'_>,
    ) -> Result<Sampled, ShellError> {
        check_options(options)?;
        let level_set = field.surface_with(iso, execution)?;
        if level_set.mesh.triangles().is_empty() {
            let (low, high) = field.value_range();
            return Err(ShellError::NoLevelSet { iso, low, high });
        }
        // Nothing turns by more than half a turn.
        let options = ShellOptions { sharp_angle: std::f64::consts::PI, ..*options };
        on_threads(execution, || {
            // Wound outward already: a hollow inside faces the hollow.
            let surface = Surface::facing_outward(&level_set.mesh)?;
            let sampled = make(&surface, &options, execution, (NormalSource::Field, Some(iso)), Vec::new())?;
            Ok(Sampled { shell: sampled.shell.with_normals_of(field), ..sampled })
        })?
    }

    /// The same points with normals along the gradient of a field: away from its solid, whatever the mesh's triangles say. Where the field
    /// knows none, outside its box and where the gradient vanishes, they stay.
    #[must_use]
    pub fn with_normals_of(mut self, field: &Field) -> Self {
        self.normals
            .par_iter_mut()
            .zip(&self.points)
            .with_min_len(1024)
            .for_each(|(normal, &point)| *normal = field.normal(point).unwrap_or(*normal));
        self.facts.normals = NormalSource::Field;
        self
    }
}

fn check_options(options: &ShellOptions) -> Result<(), ShellError> {
    let bad = |name, value, must_be| Err(ShellError::BadOption { name, value, must_be });
    match options.sampling {
        Sampling::Spacing(spacing) if !(spacing > 0.0 && spacing.is_finite()) => {
            return bad("spacing", spacing, "a positive finite number");
        }
        Sampling::Points(0) => return bad("points", 0.0, "at least 1"),
        _ => {}
    }
    if !(0.0..=std::f64::consts::PI).contains(&options.sharp_angle) {
        return bad("sharp_angle", options.sharp_angle, "from 0 to π");
    }
    if !(1e-6..=1.0).contains(&options.tolerance) {
        return bad("tolerance", options.tolerance, "from 10⁻⁶ to 1");
    }
    Ok(())
}

/// A sample at every vertex.
fn at_vertices(surface: &Surface, vertices: &[u32]) -> Vec<Sample> {
    let normals = surface.vertex_normals();
    let sample = |&v: &u32| Sample {
        point: surface.mesh.vertices()[v as usize],
        normal: normals[v as usize],
        place: Place::Corner,
    };
    vertices.iter().map(sample).collect()
}

fn make(
    surface: &Surface,
    options: &ShellOptions,
    execution: &Execution<'_>,
    (normals, iso): (NormalSource, Option<f64>),
    mut notes: Vec<ShellNote>,
) -> Result<Sampled, ShellError> {
    let used = surface.used_vertices();
    let samples = match options.sampling {
        Sampling::Vertices => at_vertices(surface, &used),
        Sampling::Spacing(spacing) => by_spacing(surface, spacing, options, execution)?,
        Sampling::Points(count) => by_count(surface, count, options, execution)?,
    };
    let chosen: Vec<DVec3> = samples.iter().map(|sample| sample.point).collect();
    let order = farthest_first(&SphereTree::new(&chosen), |_| 0, execution)?;
    let sizes = level_sizes(&order);
    let ordered: Vec<Sample> = order.order.iter().map(|&k| samples[k as usize]).collect();
    let points: Vec<DVec3> = ordered.iter().map(|sample| sample.point).collect();
    let tree = SphereTree::new(&points);

    let stage = Stage::new(execution, "coverage", sizes.len());
    let mut levels: Vec<ShellLevel> = Vec::with_capacity(sizes.len());
    for size in sizes {
        stage.check()?;
        let of_level = SphereTree::new(&points[..size]);
        let target =
            Points { points: &points[..size], tree: if size == points.len() { &tree } else { &of_level } };
        let never = AtomicBool::new(false);
        let found = coverage(surface, &target, options.tolerance, execution.cancel.unwrap_or(&never));
        let found = found.ok_or(ShellError::Cancelled)?;
        // Room for rounding, which is added at both ends.
        if found.upper > found.lower * (1.0 + options.tolerance) + 1e-13 * surface.reach
            && !notes.contains(&ShellNote::LooseCoverage)
        {
            notes.push(ShellNote::LooseCoverage);
        }
        // What holds for fewer points holds for more.
        let coverage = levels.last().map_or(found.upper, |coarser| coarser.coverage.min(found.upper));
        levels.push(ShellLevel { points: size, spacing: order.apart[size - 1], coverage });
        stage.advance();
    }

    let outward: Vec<DVec3> = ordered.iter().map(|sample| sample.normal).collect();
    let weights = if options.sampling == Sampling::Vertices {
        let mut of_vertex = vec![0; surface.mesh.vertices().len()];
        for (&sample, k) in order.order.iter().zip(0..) {
            of_vertex[used[sample as usize] as usize] = k;
        }
        weights::of_vertices(surface, &of_vertex, points.len())
    } else {
        let finest = FINEST_SHARE * levels.last().map_or(surface.size, |level| level.coverage);
        weights::of_nearest(
            surface,
            &Cells { points: &points, normals: &outward, tree: &tree, finest },
            execution,
        )?
    };
    let facts = Facts { sampling: options.sampling, normals, iso, area: surface.area };
    Ok(Sampled { shell: PointShell { points, normals: outward, weights, levels, tree, facts }, notes })
}

/// Length, in coverages, below which pieces of triangles are cut by planes to share their area out. A third cell that reaches into such a
/// piece is missed; shorter is more exact, and slower.
const FINEST_SHARE: f64 = 0.35;
