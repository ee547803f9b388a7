//! Fields of closed meshes.

use std::borrow::Cow;

use super::distance_sampler::MeshSampler;
use super::leaf_vertices::LeafVertices;
use super::sign::{Pseudonormals, SignOracle, Untangled};
use super::tangle::{Sides, Tangle};
use super::{BuildError, BuildNote, Built, check, check_options, check_size, fill, finish, memory, spacing};
use crate::field::{Execution, Facts, Field, FieldOptions, Grid, SignMethod};
use crate::mesh::adjacency::{Adjacency, EdgeFaults};
use crate::mesh::{Bvh, TriMesh, WindingTree};
use crate::simd::SimdLevel;

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
        if is_negligible(volume, area) && encloses_nothing(mesh, area) {
            return Err(BuildError::Flat);
        }
        let grid = Grid::around(solid, options.padding, spacing(options));
        check_size(&grid)?;
        memory::check(memory::estimate(&grid, options.storage, area, options.band), execution)?;
        in_pool(execution, || from_solid_mesh(mesh, grid, options, execution))?
    }
}

/// A closed mesh with less than 10⁻¹² of a ball's volume for its area is rounding, not a solid.
fn is_negligible(volume: f64, area: f64) -> bool {
    volume.abs() <= 1e-12 * area.powf(1.5)
}

/// Whether a mesh whose volumes add up to nothing has none in any part. A flat mesh is reported as flat even when it is open
/// as well: thickness is what it lacks first.
fn encloses_nothing(mesh: &TriMesh, area: f64) -> bool {
    let extent = mesh.bounds().extent();
    if extent.min_element() <= 1e-9 * extent.max_element() {
        return true;
    }
    let (adjacency, faults) = Adjacency::new(mesh);
    if faults.unbalanced > 0 {
        return false;
    }
    let components = adjacency.components();
    let mut volumes = vec![0.0; components.iter().max().map_or(0, |&last| last as usize + 1)];
    let origin = mesh.bounds().center();
    for (t, &component) in components.iter().enumerate() {
        let [a, b, c] = mesh.corners(t).map(|v| v - origin);
        volumes[component as usize] += a.dot(b.cross(c)) / 6.0;
    }
    volumes.iter().all(|&volume| is_negligible(volume, area))
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

fn from_solid_mesh(
    mesh: &TriMesh,
    grid: Grid,
    options: &FieldOptions,
    execution: &Execution<'_>,
) -> Result<Built, BuildError> {
    let mut notes = Vec::new();
    let mut mesh = Cow::Borrowed(mesh);
    if mesh.signed_volume() < 0.0 {
        mesh = Cow::Owned(mesh.into_owned().flipped());
        notes.push(BuildNote::TurnedOutward);
    }
    let built = match build(&mesh, grid, options, execution, Inverted::AreTurned)? {
        Outcome::Built(built) => built,
        Outcome::Inverted(triangles) => {
            notes.push(BuildNote::PartsTurned { triangles: triangles.len() });
            let turned = mesh.into_owned().with_flipped(&triangles);
            match build(&turned, grid, options, execution, Inverted::AreKept)? {
                Outcome::Built(built) => built,
                // Never, since they are kept; were it so, the field of nothing would be an error too.
                Outcome::Inverted(_) => return Err(BuildError::NoTriangles),
            }
        }
    };
    notes.extend(built.notes);
    Ok(Built { field: built.field, notes })
}

/// What to do about parts that are wound inward.
#[derive(PartialEq, Eq)]
enum Inverted {
    AreTurned,
    AreKept,
}

/// A field, or the triangles that must be turned before there can be one.
enum Outcome {
    Built(Box<Built>),
    Inverted(Vec<usize>),
}

fn build(
    mesh: &TriMesh,
    grid: Grid,
    options: &FieldOptions,
    execution: &Execution<'_>,
    inverted: Inverted,
) -> Result<Outcome, BuildError> {
    let mut notes = Vec::new();
    let ((normals, faults), bvh) = rayon::join(|| Pseudonormals::new(mesh), || Bvh::new(mesh));
    let mut method = choose_sign(options.sign, &faults)?;
    let is_ours_to_choose = options.sign == SignMethod::Auto && method == SignMethod::Pseudonormal;
    let tangle = is_ours_to_choose.then(|| Tangle::new(mesh, &bvh, normals.adjacency()));
    if inverted == Inverted::AreTurned
        && let Some(tangle) = &tangle
        && !tangle.inverted.is_empty()
    {
        return Ok(Outcome::Inverted(tangle.inverted.clone()));
    }
    let simd = execution.simd.unwrap_or_else(SimdLevel::detect);
    let sign = match (method, tangle) {
        (SignMethod::Winding, _) => SignOracle::Winding(WindingTree::new(mesh, &bvh)),
        (_, Some(tangle)) if !tangle.is_none() => {
            method = SignMethod::Winding;
            let hidden = tangle.count(Sides::Buried) + tangle.count(Sides::Stray);
            notes.push(BuildNote::RunsThroughItself { crossed: tangle.count(Sides::Crossed), hidden });
            SignOracle::Untangled(Untangled::new(normals, tangle.sides))
        }
        _ => SignOracle::Pseudonormal(normals),
    };
    let vertices = LeafVertices::new(mesh, &bvh);
    let mut sampler = MeshSampler { vertices: &vertices, bvh: &bvh, sign, simd };
    let mut storage = fill(&sampler, &grid, options, execution)?;
    let mut checked = check::neighbours(&storage, &grid, 1.0);
    if checked.is_err() && options.sign == SignMethod::Auto {
        // Not explained by crossings: slower, and right for any closed mesh.
        notes.push(BuildNote::UsedWinding);
        method = SignMethod::Winding;
        sampler.sign = SignOracle::Winding(WindingTree::new(mesh, &bvh));
        storage = fill(&sampler, &grid, options, execution)?;
        checked = check::neighbours(&storage, &grid, 1.0);
    }
    let remedy = match method {
        SignMethod::Pseudonormal => "the mesh seems to run through itself, so use the sign method 'winding'",
        _ => "please report this mesh: the winding numbers of a closed mesh should not do that",
    };
    checked.map_err(|found| found.into_error(remedy))?;
    let facts = Facts { sign: method, lipschitz: 1.0, band: options.band, capped_nodes: 0 };
    let field = finish(storage, grid, facts);
    if !field.is_certified_outside() {
        notes.push(BuildNote::ReachesBorder);
    }
    if field.value_range().0 > 0.0 {
        notes.push(BuildNote::NothingInside);
    }
    Ok(Outcome::Built(Box::new(Built { field, notes })))
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
