//! Building fields: from a mesh, from a function, from another grid.
//!
//! ```text
//! mesh ─► bvh ─► sampler (distance + sign of an octet of nodes) ─► nodes (which bricks, then their values)
//!                                                                    └─► check ─► bounds ─► Field
//! ```

mod caps;
mod cavities;
pub(super) mod check;
mod distance;
mod distance_sampler;
mod error;
mod from_mesh;
mod function;
mod gathered;
mod in_front;
mod lattice;
mod leaf_vertices;
mod lost_parts;
mod memory;
mod near_vertices;
pub(super) mod nodes;
mod notes;
mod open;
mod pockets;
mod reach;
mod sampler;
mod side;
mod sign;
mod soup;
mod tangle;

use glam::DVec3;

pub use self::error::{BuildError, BuildNote};
use self::function::{FunctionSampler, GridSampler};
pub use self::memory::available_memory;
use self::sampler::Sampler;
use super::grid::Spacing;
use super::progress::{self, Cancelled, Stage, on_threads};
use super::storage::{DenseNodes, Storage};
use super::{Bounds, Execution, Facts, Field, FieldOptions, Grid, SignMethod, StorageKind, bounds};
use crate::math::Aabb;

/// Most cells along one side. Indices would allow more, no memory does.
pub(super) const MOST_CELLS: u32 = 1 << 24;

/// A field and what is worth knowing about how it came to be.
#[derive(Debug)]
pub struct Built {
    /// The field.
    pub field: Field,
    /// Things a user should be told.
    pub notes: Vec<BuildNote>,
}

impl Field {
    /// The field of a function whose values change by at most `lipschitz` per unit of length, over `region` without padding.
    /// Values ≤ 0 are inside. The band of a sparse field is where |value| ≤ band · cell size.
    ///
    /// The function is called in `region` only. The box of the field is larger by up to half a cell on each side where a side
    /// is no whole number of cells; nodes there have the value of the nearest point of the region. Error bounds and lower
    /// bounds hold all the same, also of a function that goes on outside with the same Lipschitz bound.
    pub fn from_function(
        function: impl Fn(DVec3) -> f64 + Sync,
        region: Aabb,
        lipschitz: f64,
        options: &FieldOptions,
    ) -> Result<Self, BuildError> {
        Self::from_function_with(function, region, lipschitz, options, &Execution::default())
    }

    /// [`Field::from_function`] with a say in how it is computed. Five arguments, so that the first four are the same.
    pub fn from_function_with(
        function: impl Fn(DVec3) -> f64 + Sync,
        region: Aabb,
        lipschitz: f64,
        options: &FieldOptions,
        execution: &Execution<'_>,
    ) -> Result<Self, BuildError> {
        check_options(options)?;
        positive("lipschitz", lipschitz)?;
        if region.is_empty() || !region.extent().is_finite() || region.extent().min_element() <= 0.0 {
            let value = region.extent().min_element();
            return Err(BuildError::BadOption {
                name: "region",
                value,
                must_be: "a box with positive finite sides",
            });
        }
        let grid = Grid::around(region, 0.0, spacing(options));
        check_size(&grid)?;
        memory::check_field(&grid, options, region.surface_area(), execution)?;
        let sampler = FunctionSampler { function, region, lipschitz };
        let facts = facts_of_values(lipschitz, options);
        on_threads(execution, || {
            let storage = fill(&sampler, &grid, options, execution)?;
            let remedy = "the function is steeper than its stated Lipschitz bound, or not finite";
            check::neighbours(&storage, &grid, lipschitz).map_err(|found| found.into_error(remedy))?;
            Ok(finish(storage, grid, facts))
        })?
    }

    /// The field of values at all nodes of a grid, x fastest, then y, then z. The values change by at most `lipschitz` per
    /// unit of length between the nodes they were taken at; 1 for true distances.
    pub fn from_grid(
        grid: Grid,
        values: Vec<f32>,
        lipschitz: f64,
        options: &FieldOptions,
    ) -> Result<Self, BuildError> {
        Self::from_grid_with(grid, values, lipschitz, options, &Execution::default())
    }

    /// [`Field::from_grid`] with a say in how it is computed. Five arguments, so that the first four are the same.
    pub fn from_grid_with(
        grid: Grid,
        values: Vec<f32>,
        lipschitz: f64,
        options: &FieldOptions,
        execution: &Execution<'_>,
    ) -> Result<Self, BuildError> {
        check_options(options)?;
        // First, for a bound that was estimated with this cell would be wrong as well.
        positive("grid.cell", grid.cell)?;
        positive("lipschitz", lipschitz)?;
        if grid.cells.min_element() == 0 {
            return Err(BuildError::BadOption {
                name: "grid.cells",
                value: 0.0,
                must_be: "at least 1 along each axis",
            });
        }
        let bounds = grid.bounds();
        for end in [bounds.min, bounds.max] {
            if let Some(&value) = end.to_array().iter().find(|x| !x.is_finite()) {
                return Err(BuildError::BadOption {
                    name: "grid.origin",
                    value,
                    must_be: "finite, as all of the box",
                });
            }
        }
        check_size(&grid)?;
        let (expected, given) = (grid.node_count(), values.len() as u64);
        if expected != given {
            return Err(BuildError::WrongCount { expected, given });
        }
        let nodes = DenseNodes { nodes: grid.nodes(), values: values.into() };
        let facts = facts_of_values(lipschitz, options);
        let all = Storage::Dense(nodes);
        on_threads(execution, || {
            let stage = Stage::new(execution, "values", 0);
            stage.check()?;
            let remedy = "the values are steeper than the stated Lipschitz bound, or not finite";
            check::neighbours(&all, &grid, lipschitz).map_err(|found| found.into_error(remedy))?;
            stage.check()?;
            let storage = match (options.storage, all) {
                (StorageKind::Sparse, Storage::Dense(nodes)) => {
                    let sampler = GridSampler { grid: &grid, nodes: &nodes, slope: lipschitz };
                    fill(&sampler, &grid, options, execution)?
                }
                (_, all) => all,
            };
            Ok(finish(storage, grid, facts))
        })?
    }
}

impl From<Cancelled> for BuildError {
    fn from(_: Cancelled) -> Self {
        Self::Cancelled
    }
}

/// What is known of a field whose values were given.
fn facts_of_values(lipschitz: f64, options: &FieldOptions) -> Facts {
    Facts {
        sign: SignMethod::Given,
        lipschitz,
        band: options.band,
        capped_nodes: 0,
        is_certified: true,
        understates_depth: false,
        hides_triangles: false,
        grown: None,
    }
}

fn spacing(options: &FieldOptions) -> Spacing {
    options.cell_size.map_or(Spacing::Resolution(options.resolution), Spacing::CellSize)
}

fn positive(name: &'static str, value: f64) -> Result<(), BuildError> {
    if value > 0.0 && value.is_finite() {
        Ok(())
    } else {
        Err(BuildError::BadOption { name, value, must_be: "a positive finite number" })
    }
}

fn check_options(options: &FieldOptions) -> Result<(), BuildError> {
    match options.cell_size {
        Some(cell) => positive("cell size", cell)?,
        None => positive("resolution", f64::from(options.resolution))?,
    }
    if !(options.padding >= 0.0 && options.padding <= 100.0) {
        let must_be = "between 0 and 100 (a fraction of the longest side)";
        return Err(BuildError::BadOption { name: "padding", value: options.padding, must_be });
    }
    if !(options.band >= 1.0 && options.band <= 1e6) {
        let must_be = "between 1 and 1000000 (cells)";
        return Err(BuildError::BadOption { name: "band", value: options.band, must_be });
    }
    Ok(())
}

fn check_size(grid: &Grid) -> Result<(), BuildError> {
    let cells = grid.cells.max_element();
    if cells > MOST_CELLS {
        return Err(BuildError::TooFine { cells: u64::from(cells) });
    }
    let bounds = grid.bounds();
    let distance = bounds.min.abs().max(bounds.max.abs()).max_element();
    // Positions are rounded to 2⁻⁵³ of the coordinates. The searches allow for 10⁻⁶ of a cell; ten times less is safe.
    if distance * f64::EPSILON > 1e-7 * grid.cell {
        return Err(BuildError::TooFarFromOrigin { distance, cell: grid.cell });
    }
    Ok(())
}

fn fill<S: Sampler>(
    sampler: &S,
    grid: &Grid,
    options: &FieldOptions,
    execution: &Execution<'_>,
) -> Result<Storage, BuildError> {
    Ok(match options.storage {
        StorageKind::Dense => Storage::Dense(nodes::dense(sampler, grid, 1, execution)?),
        StorageKind::Sparse => Storage::Sparse(nodes::sparse(sampler, grid, options.band, execution)?),
    })
}

/// A field from nodes that have been checked: computes their bounds.
fn finish(mut storage: Storage, grid: Grid, facts: Facts) -> Field {
    if let Storage::Sparse(sparse) = &mut storage {
        for level in &mut sparse.levels {
            level.ranges = bounds::brick_ranges(level).into();
        }
    }
    let bounds = Bounds::new(&storage, &grid);
    Field::from_parts(grid, storage, bounds, facts)
}
