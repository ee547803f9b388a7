//! Fields of meshes.

use std::borrow::Cow;

use glam::DVec3;

use super::distance_sampler::MeshSampler;
use super::leaf_vertices::LeafVertices;
use super::open::{OpenMesh, winding_serves};
use super::sign::{Pseudonormals, SignOracle, Untangled};
use super::tangle::{Sides, Tangle};
use super::{
    BuildError, BuildNote, Built, check, check_options, check_size, fill, finish, lost_parts, memory,
    on_threads, spacing,
};
use crate::field::storage::Storage;
use crate::field::{Execution, Facts, Field, FieldOptions, Grid, SignMethod};
use crate::mesh::adjacency::{Adjacency, EdgeFaults};
use crate::mesh::{Bvh, TriMesh, WindingTree, is_flat};
use crate::simd::SimdLevel;

impl Field {
    /// The field of the solid that a mesh bounds; where it is not closed, of the solid that the sign method makes of it.
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

    /// [`Field::from_mesh`] with a say in how it is computed, and notes on what was found.
    pub fn from_mesh_with(
        mesh: &TriMesh,
        options: &FieldOptions,
        execution: &Execution<'_>,
    ) -> Result<Built, BuildError> {
        check_options(options)?;
        if options.sign == SignMethod::Given {
            return Err(BuildError::SignNotForMeshes);
        }
        let solid = mesh.bounds();
        if solid.is_empty() {
            return Err(BuildError::NoTriangles);
        }
        let size = solid.extent().max_element();
        // No resolution makes a cell of it.
        if size == 0.0 {
            return Err(if is_for_sheets(options.sign) { BuildError::OnePoint } else { BuildError::Flat });
        }
        if !(1e-30..=1e30).contains(&size) {
            return Err(BuildError::SizeOutOfRange { size });
        }
        if let Some(gap) = options.gap
            && !(gap > 0.0 && gap <= size)
        {
            let must_be = "above 0 and no wider than the mesh";
            return Err(BuildError::BadOption { name: "gap", value: gap, must_be });
        }
        if let Some(cell) = options.cell_size
            && cell > LARGEST_CELL * size
        {
            let must_be = "no more than a million times the size of the mesh";
            return Err(BuildError::BadOption { name: "cell", value: cell, must_be });
        }
        if !is_for_sheets(options.sign) && is_flat(mesh) {
            return Err(BuildError::Flat);
        }
        let grid = Grid::around(solid, options.padding, spacing(options));
        check_size(&grid)?;
        memory::check_field(&grid, options, mesh.area(), execution)?;
        let away = away_from_origin(&grid);
        on_threads(execution, || {
            if away == DVec3::ZERO {
                return from_solid_mesh(mesh, grid, options, execution);
            }
            // Finite again, since nothing gets larger; unless by a vertex of no triangle, and then as it is will do.
            let Ok(near) = mesh.clone().mapped(|v| v - away) else {
                return from_solid_mesh(mesh, grid, options, execution);
            };
            let grid_near = Grid { origin: grid.origin - away, ..grid };
            let mut built = from_solid_mesh(&near, grid_near, options, execution)?;
            built.field.grid = grid;
            Ok(built)
        })?
    }
}

/// A box so many times farther from the origin than it is long is moved there to be measured. Less than 3, and the move would not be
/// exact; much more, and nodes are rounded to fewer digits than the methods that spread and check their signs allow for, so that a
/// node on a face takes the side of its neighbour across.
const FAR: f64 = 4.0;

/// How far a box is from the origin, along the axes where that is far. Its coordinates are then within a factor of 2 of it, so
/// that taking it away from them, and from those of all vertices in the box, is exact (Sterbenz's lemma).
fn away_from_origin(grid: &Grid) -> DVec3 {
    let bounds = grid.bounds();
    let (center, length) = (bounds.center(), bounds.extent().max_element());
    DVec3::select(center.abs().cmpgt(DVec3::splat(FAR * length)), center, DVec3::ZERO)
}

/// Cells larger than this many meshes leave too few digits to tell them apart.
const LARGEST_CELL: f64 = 1e6;

/// A closed mesh with less than some 10⁻¹¹ of a ball's volume for its area is rounding, not a solid.
fn is_negligible(volume: f64, area: f64) -> bool {
    volume.abs() <= 1e-12 * area.powf(1.5)
}

/// Whether a method takes the front of every triangle as it is, and needs no volume.
fn is_for_sheets(sign: SignMethod) -> bool {
    matches!(sign, SignMethod::Oriented | SignMethod::FaceNormal)
}

/// A mesh with less volume than this, for its area, has no orientation to go by.
const LEAST_VOLUME: f64 = 1e-6;

/// Whether volumes cancel, as they do where every triangle is there twice, once each way.
fn is_wound_both_ways(mesh: &TriMesh) -> bool {
    mesh.signed_volume().abs() <= LEAST_VOLUME * mesh.area().powf(1.5)
}

/// Whether no part of a mesh encloses a volume by its orientation: not one wound both ways, nor one folded flat.
fn encloses_nothing(mesh: &TriMesh) -> bool {
    let area = mesh.area();
    if !is_negligible(mesh.signed_volume(), area) {
        return false;
    }
    // By shared vertices: where more than two triangles meet at an edge, parts joined by edges alone fall to pieces.
    let part_of = mesh.parts();
    let mut volumes = vec![0.0; mesh.vertices().len()];
    let origin = mesh.bounds().center();
    for (t, corners) in mesh.triangles().iter().enumerate() {
        let [a, b, c] = mesh.corners(t).map(|v| v - origin);
        volumes[part_of[corners[0] as usize] as usize] += a.dot(b.cross(c)) / 6.0;
    }
    volumes.iter().all(|&volume| is_negligible(volume, area))
}

fn from_solid_mesh(
    given: &TriMesh,
    grid: Grid,
    options: &FieldOptions,
    execution: &Execution<'_>,
) -> Result<Built, BuildError> {
    let mut notes = Vec::new();
    let mut mesh = Cow::Borrowed(given);
    let volume = mesh.signed_volume();
    if volume < 0.0 && !is_for_sheets(options.sign) && !is_negligible(volume, mesh.area()) {
        mesh = Cow::Owned(mesh.into_owned().flipped());
        notes.push(BuildNote::TurnedOutward);
    }
    let built = match build(&mesh, grid, options, execution, Inverted::AreTurned)? {
        Outcome::Built(built) => built,
        Outcome::Inverted(triangles) => {
            notes.push(BuildNote::PartsTurned { triangles: triangles.len() });
            mesh = Cow::Owned(mesh.into_owned().with_flipped(&triangles));
            match build(&mesh, grid, options, execution, Inverted::AreKept)? {
                Outcome::Built(built) => built,
                // Never, since they are kept; were it so, the field of nothing would be an error too.
                Outcome::Inverted(_) => return Err(BuildError::NoTriangles),
            }
        }
    };
    if built.field.sign() == SignMethod::Soup {
        // Whatever they face; it only matters to other methods.
        notes.retain(|note| *note != BuildNote::TurnedOutward);
    }
    notes.extend(built.notes);
    let field = built.field;
    if !is_for_sheets(options.sign) && !notes.contains(&BuildNote::NothingInside) {
        notes.extend(lost_parts::look_for(&mesh, &field));
    }
    Ok(Built { field, notes })
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
    let open = OpenMesh { mesh, normals: &normals, grid: &grid, options, execution };
    let mut method = choose_sign(mesh, &bvh, options.sign, &faults, &mut notes)?;
    let opened = match method {
        SignMethod::Soup => Some(open.by_reach(&bvh)?),
        SignMethod::Winding if faults.unbalanced > 0 => {
            Some(open.by_winding(&bvh, Adjacency::unbalanced_edges(mesh))?)
        }
        SignMethod::Oriented | SignMethod::FaceNormal => Some(open.by_normals(&bvh)?),
        _ => None,
    };
    if let Some(opened) = opened {
        notes.extend(opened.notes);
        let facts = Facts {
            sign: method,
            lipschitz: 1.0,
            band: options.band,
            capped_nodes: opened.capped_nodes,
            is_certified: opened.is_certified,
            // Triangles behind a cap, or crossed by others, may have pieces inside.
            understates_depth: true,
            hides_triangles: opened.hides_triangles,
            grown: None,
        };
        let mut built = finished(opened.storage, grid, facts, notes);
        // A hollow part with a wall thinner than a cell has its cavity, which is worth a field.
        if method == SignMethod::Soup
            && !options.keep_cavities
            && built.notes.contains(&BuildNote::NothingInside)
        {
            return Err(BuildError::ThinnerThanCell { cell: grid.cell });
        }
        built.field = built.field.with_caps(opened.caps.into_iter());
        return Ok(Outcome::Built(Box::new(built)));
    }
    let finds_crossings = faults.unbalanced == 0 && options.sign != SignMethod::Pseudonormal;
    let tangle = match finds_crossings {
        true => Some(Tangle::new(mesh, &bvh, &normals, faults.crowded > 0, execution)?),
        false => None,
    };
    if inverted == Inverted::AreTurned
        && options.sign == SignMethod::Auto
        && let Some(tangle) = &tangle
        && !tangle.inverted.is_empty()
    {
        return Ok(Outcome::Inverted(tangle.inverted.clone()));
    }
    let simd = execution.simd.unwrap_or_else(SimdLevel::detect);
    let mut understates_depth = tangle.as_ref().is_some_and(|tangle| tangle.count(Sides::Crossed) > 0);
    let mut hides_triangles = tangle.as_ref().is_some_and(|tangle| tangle.count(Sides::Stray) > 0);
    let mut boundary = Cow::Borrowed(&bvh);
    let sign = match (method, tangle) {
        (_, Some(tangle)) if !tangle.is_none() => {
            method = SignMethod::Winding;
            let [crossed, buried, stray] =
                [Sides::Crossed, Sides::Buried, Sides::Stray].map(|what| tangle.count(what));
            if crossed + buried > 0 {
                notes.push(BuildNote::RunsThroughItself { crossed, hidden: buried });
            }
            if stray > 0 {
                notes.push(BuildNote::HollowOutside { triangles: stray });
            }
            let hidden = buried + stray;
            if hidden > 0 {
                let is_hidden = |t: usize| matches!(tangle.sides[t], Sides::Buried | Sides::Stray);
                // Few are left out where they lie; for many a new tree pays.
                boundary = Cow::Owned(if 4 * hidden < tangle.sides.len() {
                    bvh.without(is_hidden)
                } else {
                    Bvh::of_some(mesh, |t| !is_hidden(t))
                });
            }
            SignOracle::Untangled(Untangled::new(normals, tangle.sides))
        }
        (SignMethod::Winding, _) => SignOracle::Winding(WindingTree::new(mesh, &bvh)),
        _ => {
            // Now, since it is made in parallel: a thread that waits for it must not come upon a node that asks for it.
            normals.winding(&bvh);
            SignOracle::Pseudonormal(normals)
        }
    };
    let vertices = LeafVertices::new(mesh, &boundary);
    let mut sampler = MeshSampler::new(&boundary, &vertices, sign, simd);
    let mut storage = fill(&sampler, &grid, options, execution)?;
    let mut checked = check::neighbours(&storage, &grid, 1.0);
    if checked.is_err() && options.sign == SignMethod::Auto {
        // Not explained by crossings: slower, and right for any closed mesh.
        notes.push(BuildNote::UsedWinding);
        method = SignMethod::Winding;
        understates_depth = true;
        // All triangles count here.
        hides_triangles = false;
        let vertices = LeafVertices::new(mesh, &bvh);
        sampler = MeshSampler::new(&bvh, &vertices, SignOracle::Winding(WindingTree::new(mesh, &bvh)), simd);
        storage = fill(&sampler, &grid, options, execution)?;
        checked = check::neighbours(&storage, &grid, 1.0);
    }
    let remedy = match method {
        SignMethod::Pseudonormal => {
            "the mesh seems to run through itself, or parts of it to be wound inward, so use the sign method 'auto'"
        }
        _ => "please report this mesh: the winding numbers of a closed mesh should not do that",
    };
    checked.map_err(|found| found.into_error(remedy))?;
    let facts = Facts {
        sign: method,
        lipschitz: 1.0,
        band: options.band,
        capped_nodes: 0,
        is_certified: true,
        understates_depth,
        hides_triangles,
        grown: None,
    };
    Ok(Outcome::Built(Box::new(finished(storage, grid, facts, notes))))
}

/// The field of checked nodes, with what its values say.
fn finished(storage: Storage, grid: Grid, facts: Facts, mut notes: Vec<BuildNote>) -> Built {
    let field = finish(storage, grid, facts);
    if field.is_certified() && !field.is_certified_outside() {
        notes.push(BuildNote::ReachesBorder);
    }
    if field.value_range().0 > 0.0 {
        notes.push(BuildNote::NothingInside);
    }
    Built { field, notes }
}

/// The method that serves a mesh with such edges, or why none does.
fn choose_sign(
    mesh: &TriMesh,
    bvh: &Bvh,
    wanted: SignMethod,
    faults: &EdgeFaults,
    notes: &mut Vec<BuildNote>,
) -> Result<SignMethod, BuildError> {
    let not_closed = BuildError::NotClosed {
        boundary_edges: faults.boundary,
        crowded_edges: faults.crowded,
        flipped_edges: faults.flipped,
    };
    match wanted {
        SignMethod::Soup | SignMethod::Oriented | SignMethod::FaceNormal => Ok(wanted),
        SignMethod::Pseudonormal if faults.is_closed_and_oriented() => Ok(wanted),
        SignMethod::Pseudonormal if faults.unbalanced == 0 && encloses_nothing(mesh) => {
            Err(BuildError::NotOriented)
        }
        SignMethod::Pseudonormal if faults.unbalanced == 0 => {
            Err(BuildError::Crowded { crowded_edges: faults.crowded })
        }
        SignMethod::Pseudonormal => Err(not_closed),
        SignMethod::Winding if encloses_nothing(mesh) => Err(BuildError::NotOriented),
        SignMethod::Winding if faults.unbalanced == 0 => Ok(wanted),
        SignMethod::Winding if is_wound_both_ways(mesh) => Err(BuildError::NotOriented),
        SignMethod::Winding => match winding_serves(mesh, bvh) {
            (whole, _) if whole < DOUBTFUL => Err(BuildError::NotOriented),
            _ => Ok(wanted),
        },
        SignMethod::Given => Err(BuildError::SignNotForMeshes),
        SignMethod::Auto => Ok(choose_for(mesh, bvh, faults, notes)),
    }
}

/// Along less than this share of its area, winding numbers that are nearly whole do not make a mesh oriented.
const DOUBTFUL: f64 = 0.5;
/// Along more than this share they make it beyond doubt.
const CLEAR: f64 = 0.85;

/// What `auto` takes.
fn choose_for(mesh: &TriMesh, bvh: &Bvh, faults: &EdgeFaults, notes: &mut Vec<BuildNote>) -> SignMethod {
    let mut chose = |method, because| {
        notes.push(BuildNote::Chose { method, because });
        method
    };
    if faults.unbalanced == 0 && encloses_nothing(mesh) {
        return chose(SignMethod::Soup, "the mesh is wound both ways, so its orientation tells nothing");
    }
    if faults.is_closed_and_oriented() {
        return SignMethod::Pseudonormal;
    }
    if faults.unbalanced == 0 {
        return chose(SignMethod::Winding, "more than two triangles meet at some of the mesh's edges");
    }
    if is_wound_both_ways(mesh) {
        return chose(SignMethod::Soup, "the mesh is wound both ways, so its orientation tells nothing");
    }
    if faults.flipped > 0 && faults.boundary == 0 {
        return chose(
            SignMethod::Soup,
            "the mesh is closed, but its triangles do not agree on where the outside is",
        );
    }
    match winding_serves(mesh, bvh) {
        (whole, outer) if whole >= CLEAR && outer > DOUBTFUL => chose(
            SignMethod::Winding,
            if faults.boundary > 0 {
                "the mesh has holes or open seams, and its triangles agree on where the outside is"
            } else {
                "the mesh branches at some edges, and its triangles agree on where the outside is"
            },
        ),
        (whole, outer) if whole >= DOUBTFUL && outer > DOUBTFUL => {
            let method = chose(
                SignMethod::Winding,
                "the mesh has holes, and most of its triangles agree on where the outside is",
            );
            notes.push(BuildNote::DoubtfulInside);
            method
        }
        _ => chose(SignMethod::Soup, "the mesh's triangles do not agree on where the outside is"),
    }
}
