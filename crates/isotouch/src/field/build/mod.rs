//! Building fields: from a mesh, from a function, from another grid.
//!
//! ```text
//! mesh ─► bvh ─► sampler (distance + sign of an octet of nodes) ─► nodes (which bricks, then their values)
//!                                                                    └─► check ─► bounds ─► Field
//! ```

pub(super) mod check;
mod distance;
mod function;
mod memory;
mod mesh;
pub(super) mod nodes;
mod progress;
mod sampler;
mod sign;
mod tangle;

use std::borrow::Cow;
use std::fmt;

use glam::{DVec3, UVec3};

use self::check::Contradictions;
use self::function::{FunctionSampler, GridSampler};
use self::mesh::MeshSampler;
use self::sampler::Sampler;
use self::sign::{Pseudonormals, SignOracle, Untangled};
use super::grid::Spacing;
use super::storage::{DenseNodes, Storage};
use super::{Bounds, Execution, Facts, Field, FieldOptions, Grid, SignMethod, StorageKind, bounds};
use crate::math::Aabb;
use crate::mesh::adjacency::EdgeFaults;
use crate::mesh::{Bvh, TriMesh, WindingTree};
use crate::simd::SimdLevel;

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

/// Something a user should be told about a build that succeeded.
#[derive(Debug, Clone, PartialEq)]
pub enum BuildNote {
    /// The mesh was wound inward and has been turned.
    TurnedOutward,
    /// Pseudonormals contradicted each other, so winding numbers decided.
    UsedWinding {
        /// Pairs of neighbouring nodes that contradicted each other.
        contradictions: u64,
    },
    /// The solid touches the border of the box.
    ReachesBorder,
}

impl fmt::Display for BuildNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TurnedOutward => {
                write!(f, "the mesh is wound inward (its triangles face the inside); it was turned")
            }
            Self::UsedWinding { contradictions } => write!(
                f,
                "the mesh seems to intersect itself ({contradictions} neighbouring nodes disagreed about inside and \
                 outside); winding numbers decided instead"
            ),
            Self::ReachesBorder => write!(
                f,
                "the solid reaches the border of the box, so nothing is known outside it; give more padding"
            ),
        }
    }
}

/// Why there is no field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// An option makes no sense.
    #[error("{name} is {value}; it must be {must_be}")]
    BadOption {
        /// Its name.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What would do.
        must_be: &'static str,
    },
    /// More cells than anything could hold.
    #[error(
        "{cells} cells along one side are too many (at most {MOST_CELLS}); use a lower resolution or a larger cell size"
    )]
    TooFine {
        /// How many there would be.
        cells: u64,
    },
    /// The mesh has no triangles.
    #[error("the mesh has no triangles, so there is nothing to measure distances to")]
    NoTriangles,
    /// The mesh encloses nothing.
    #[error("the mesh is flat: it encloses no volume, so nothing is inside it; give it a thickness")]
    Flat,
    /// Numbers too large or too small to store distances in `f32`.
    #[error(
        "the mesh is {size:e} across; sizes between 1e-30 and 1e30 can be stored, so scale it to a usual unit first"
    )]
    SizeOutOfRange {
        /// Longest side of its box.
        size: f64,
    },
    /// The mesh does not separate inside from outside.
    #[error("the mesh is not closed: {}; close it first, for instance with a hole-filling tool (open and broken meshes are not supported yet)", faults_in_words(*boundary_edges, *crowded_edges, *flipped_edges))]
    NotClosed {
        /// Edges with only one triangle.
        boundary_edges: usize,
        /// Edges with more than two triangles.
        crowded_edges: usize,
        /// Edges whose two triangles have opposite orientations.
        flipped_edges: usize,
    },
    /// The mesh is closed but pseudonormals cannot serve it.
    #[error(
        "pseudonormals need edges with exactly two triangles, and {crowded_edges} edges have more; use the sign method \
         'winding'"
    )]
    Crowded {
        /// Edges with more than two triangles.
        crowded_edges: usize,
    },
    /// Neighbouring nodes contradict each other.
    #[error(
        "{count} pairs of neighbouring nodes contradict each other, the first at node ({}, {}, {}) with values {value} and \
         {neighbour}; {remedy}", node.x, node.y, node.z
    )]
    Contradiction {
        /// How many pairs.
        count: u64,
        /// Grid index of the first.
        node: UVec3,
        /// Its value.
        value: f32,
        /// Its neighbour's value.
        neighbour: f32,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The number of values does not fit the grid.
    #[error("the grid has {expected} nodes, but {given} values were given")]
    WrongCount {
        /// Nodes of the grid.
        expected: u64,
        /// Values given.
        given: u64,
    },
    /// There is not enough memory.
    #[error(
        "this field needs about {}, and {} are available; use a lower resolution, a narrower band or sparse storage",
        in_gigabytes(*needed), in_gigabytes(*available)
    )]
    TooMuchMemory {
        /// Bytes the field would take.
        needed: u64,
        /// Bytes that may be used.
        available: u64,
    },
    /// More bricks than the index can name.
    #[error("the band has more than 4294967295 bricks; use a lower resolution or a narrower band")]
    TooManyBricks,
    /// The threads asked for could not be started.
    #[error("could not start {threads} threads: {reason}")]
    Threads {
        /// How many.
        threads: usize,
        /// What the system said.
        reason: String,
    },
    /// The build was told to stop.
    #[error("cancelled")]
    Cancelled,
}

fn in_gigabytes(bytes: u64) -> String {
    if bytes < 1_000_000_000 {
        format!("{:.0} MB", bytes as f64 / 1e6)
    } else {
        format!("{:.1} GB", bytes as f64 / 1e9)
    }
}

fn faults_in_words(boundary: usize, crowded: usize, flipped: usize) -> String {
    let kinds = [
        (boundary, "edges have a triangle on one side only"),
        (crowded, "edges have more than two triangles"),
        (flipped, "edges join triangles of opposite orientation"),
    ];
    let words: Vec<String> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")).collect();
    words.join(", ")
}

impl Field {
    /// The field of a closed mesh.
    ///
    /// ```
    /// use isotouch::{field::{Field, FieldOptions}, mesh::shapes};
    /// let torus = shapes::by_name("torus").unwrap();
    /// let field = Field::from_mesh(&torus, &FieldOptions { resolution: 64, ..Default::default() })?;
    /// assert!(field.error_bound() < field.grid().cell);
    /// # Ok::<(), isotouch::field::BuildError>(())
    /// ```
    pub fn from_mesh(mesh: &TriMesh, options: &FieldOptions) -> Result<Self, BuildError> {
        Self::from_mesh_with(mesh, options, &Execution::default()).map(|built| built.field)
    }

    /// The field of a closed mesh, with a say in how it is computed, and notes on what was found.
    pub fn from_mesh_with(
        mesh: &TriMesh,
        options: &FieldOptions,
        execution: &Execution<'_>,
    ) -> Result<Built, BuildError> {
        check_options(options)?;
        let solid = mesh.bounds();
        if solid.is_empty() {
            return Err(BuildError::NoTriangles);
        }
        let size = solid.extent().max_element();
        if size > 0.0 && !(1e-30..=1e30).contains(&size) {
            return Err(BuildError::SizeOutOfRange { size });
        }
        let (area, volume) = (mesh.area(), mesh.signed_volume());
        // A closed mesh with less than 10⁻¹² of a ball's volume for its area is rounding, not a solid.
        if volume.abs() <= 1e-12 * area.powf(1.5) && is_flat_or_closed(mesh) {
            return Err(BuildError::Flat);
        }
        let grid = Grid::around(solid, options.padding, spacing(options));
        check_size(&grid)?;
        memory::check(memory::estimate(&grid, options.storage, area, options.band), execution)?;
        in_pool(execution, || from_sound_mesh(mesh, grid, options, execution))?
    }

    /// The field of a function whose values change by at most `lipschitz` per unit of length, over `region` without padding.
    /// Values ≤ 0 are inside. The band of a sparse field is where |value| ≤ band · cell size.
    pub fn from_function(
        function: impl Fn(DVec3) -> f64 + Sync,
        region: Aabb,
        lipschitz: f64,
        options: &FieldOptions,
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
        let execution = Execution::default();
        memory::check(
            memory::estimate(&grid, options.storage, region.surface_area(), options.band),
            &execution,
        )?;
        let sampler = FunctionSampler { function, lipschitz };
        let facts = Facts { sign: SignMethod::Given, lipschitz, band: options.band, capped_nodes: 0 };
        let storage = fill(&sampler, &grid, options, &execution)?;
        let remedy = "the function is steeper than its stated Lipschitz bound, or not finite";
        check::neighbours(&storage, &grid, lipschitz).map_err(|found| found.into_error(remedy))?;
        Ok(finish(storage, grid, facts))
    }

    /// The field of values at all nodes of a grid, x fastest, then y, then z. The values change by at most `lipschitz` per
    /// unit of length between the nodes they were taken at; 1 for true distances.
    pub fn from_grid(
        grid: Grid,
        values: Vec<f32>,
        lipschitz: f64,
        options: &FieldOptions,
    ) -> Result<Self, BuildError> {
        check_options(options)?;
        positive("lipschitz", lipschitz)?;
        positive("grid.cell", grid.cell)?;
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
        let facts = Facts { sign: SignMethod::Given, lipschitz, band: options.band, capped_nodes: 0 };
        let remedy = "the values are steeper than the stated Lipschitz bound, or not finite";
        let all = Storage::Dense(nodes);
        check::neighbours(&all, &grid, lipschitz).map_err(|found| found.into_error(remedy))?;
        let storage = match (options.storage, all) {
            (StorageKind::Sparse, Storage::Dense(nodes)) => {
                let sampler = GridSampler { grid: &grid, nodes: &nodes, slope: lipschitz };
                fill(&sampler, &grid, options, &Execution::default())?
            }
            (_, all) => all,
        };
        Ok(finish(storage, grid, facts))
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
        return Err(BuildError::BadOption { name: "band", value: options.band, must_be: "at least 1 cell" });
    }
    Ok(())
}

fn check_size(grid: &Grid) -> Result<(), BuildError> {
    let cells = grid.cells.max_element();
    if cells > MOST_CELLS { Err(BuildError::TooFine { cells: u64::from(cells) }) } else { Ok(()) }
}

/// A flat mesh is reported as flat even when it is open as well: thickness is what it lacks first.
fn is_flat_or_closed(mesh: &TriMesh) -> bool {
    let extent = mesh.bounds().extent();
    extent.min_element() <= 1e-9 * extent.max_element()
        || crate::mesh::adjacency::Adjacency::new(mesh).1.unbalanced == 0
}

/// Runs `work` on as many threads as were asked for.
fn in_pool<R: Send>(execution: &Execution<'_>, work: impl FnOnce() -> R + Send) -> Result<R, BuildError> {
    let Some(threads) = execution.threads else { return Ok(work()) };
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads)
        .build()
        .map_err(|reason| BuildError::Threads { threads, reason: reason.to_string() })?;
    Ok(pool.install(work))
}

fn from_sound_mesh(
    mesh: &TriMesh,
    grid: Grid,
    options: &FieldOptions,
    execution: &Execution<'_>,
) -> Result<Built, BuildError> {
    let mut notes = Vec::new();
    let inward = mesh.signed_volume() < 0.0;
    let mesh = if inward { Cow::Owned(mesh.clone().flipped()) } else { Cow::Borrowed(mesh) };
    if inward {
        notes.push(BuildNote::TurnedOutward);
    }
    let ((normals, faults), bvh) = rayon::join(|| Pseudonormals::new(&mesh), || Bvh::new(&mesh));
    let mut method = choose_sign(options.sign, &faults)?;
    let simd = execution.simd.unwrap_or_else(SimdLevel::detect);
    let oracle = match method {
        SignMethod::Winding => SignOracle::Winding(WindingTree::new(&mesh, &bvh)),
        _ => SignOracle::Pseudonormal(normals),
    };
    let mut sampler = MeshSampler { bvh: &bvh, sign: oracle, simd };
    let mut storage = fill(&sampler, &grid, options, execution)?;
    let mut checked = check::neighbours(&storage, &grid, 1.0);
    if let Err(found) = checked
        && options.sign == SignMethod::Auto
        && let SignOracle::Pseudonormal(normals) = sampler.sign
    {
        notes.push(BuildNote::UsedWinding { contradictions: found.count });
        method = SignMethod::Winding;
        let untangled = Untangled::new(&mesh, &bvh, normals);
        let misleading =
            TriMesh::new(mesh.vertices().to_vec(), untangled.misleading_triangles()).unwrap_or_default();
        let suspects = Bvh::new(&misleading);
        sampler = MeshSampler { bvh: &bvh, sign: SignOracle::Untangled(untangled), simd };
        // The closest triangle of a node is at most as far from the brick's centre as the first node's is from
        // that node, plus three half diagonals.
        let near_suspects = |center: DVec3, half: f64, first: f32| {
            let reach = f64::from(first.abs()) + 3.0 * 3f64.sqrt() * half;
            suspects.distance_within(center, reach * (1.0 + 1e-6)).is_some()
        };
        nodes::refill(&sampler, &grid, &mut storage, &near_suspects, execution)?;
        checked = check::neighbours(&storage, &grid, 1.0);
        if checked.is_err() {
            // A tangle that patches do not explain: slower, and right for any closed mesh.
            sampler.sign = SignOracle::Winding(WindingTree::new(&mesh, &bvh));
            nodes::refill(&sampler, &grid, &mut storage, &|_, _, _| true, execution)?;
            checked = check::neighbours(&storage, &grid, 1.0);
        }
    }
    let remedy = match method {
        SignMethod::Pseudonormal => "the mesh seems to intersect itself, so use the sign method 'winding'",
        _ => "please report this mesh: the winding numbers of a closed mesh should not do that",
    };
    checked.map_err(|found| found.into_error(remedy))?;
    let facts = Facts { sign: method, lipschitz: 1.0, band: options.band, capped_nodes: 0 };
    let field = finish(storage, grid, facts);
    if !field.is_certified_outside() {
        notes.push(BuildNote::ReachesBorder);
    }
    Ok(Built { field, notes })
}

/// The method that serves a mesh with such edges, or why none does.
fn choose_sign(wanted: SignMethod, faults: &EdgeFaults) -> Result<SignMethod, BuildError> {
    if faults.is_closed_and_oriented() {
        return Ok(if wanted == SignMethod::Winding { wanted } else { SignMethod::Pseudonormal });
    }
    // Edges with as many triangles one way as the other still give whole winding numbers.
    if faults.unbalanced == 0 {
        return match wanted {
            SignMethod::Pseudonormal => Err(BuildError::Crowded { crowded_edges: faults.crowded }),
            _ => Ok(SignMethod::Winding),
        };
    }
    Err(BuildError::NotClosed {
        boundary_edges: faults.boundary,
        crowded_edges: faults.crowded,
        flipped_edges: faults.flipped,
    })
}

impl Contradictions {
    fn into_error(self, remedy: &'static str) -> BuildError {
        let Self { count, node, value, neighbour } = self;
        BuildError::Contradiction { count, node, value, neighbour, remedy }
    }
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
