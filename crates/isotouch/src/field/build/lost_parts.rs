//! Parts of a mesh that lie between the nodes: the field does not know them, and its user should.

use glam::{DVec3, UVec3};
use rayon::prelude::*;

use super::BuildNote;
use super::open::middles;
use crate::field::{Field, SignMethod};
use crate::mesh::TriMesh;

/// Places looked at on all parts that might be lost. More than that, some 0.1 s, and the rest is taken to be there.
const MOST_PLACES: usize = 4_000_000;
/// Rounds in which what was found spreads to the triangles beside it.
const MOST_ROUNDS: usize = 3;
/// Apart, in cells: every node within half a cell of a triangle is then a corner of a cell that is looked at.
const PLACES_APART: f64 = 0.5;
/// Thicker parts, in cells, have nodes inside, or are not there for another reason: no ball wider than √3 cells lies between nodes.
/// Larger, and more of the parts that are missing since they are wound inward are called too thin; smaller, and parts that
/// just lie between nodes are not told of.
const THICK: f64 = 1.75;

/// The notes about closed parts with no node inside, if there are any. Most triangles have one beside them, and those that do not are
/// mostly next to some that do; only what is left is sorted into parts and looked at closely.
/// `mesh` is the one that the field was built of, its inward parts turned if they were.
pub(super) fn look_for(mesh: &TriMesh, field: &Field) -> Vec<BuildNote> {
    let (unfound, is_found) = unfound_triangles(mesh, field);
    if unfound.is_empty() {
        return Vec::new();
    }
    let part_of = mesh.parts();
    let part = |t: usize| part_of[mesh.triangles()[t][0] as usize];
    let mut is_part_found = vec![false; part_of.len()];
    for (v, _) in is_found.iter().enumerate().filter(|(_, is_found)| **is_found) {
        is_part_found[part_of[v] as usize] = true;
    }
    let mut unfound: Vec<(u32, usize)> = unfound
        .into_iter()
        .map(|t| (part(t), t))
        .filter(|&(part, _)| !is_part_found[part as usize])
        .collect();
    unfound.sort_unstable();
    let mut places = MOST_PLACES;
    // Winding numbers do not count what is wound inward as solid, however fine the cells.
    let goes_by_winding = field.sign() == SignMethod::Winding;
    let (mut too_thin, mut inward) = (0, 0);
    for triangles in unfound.chunk_by(|a, b| a.0 == b.0) {
        let triangles: Vec<usize> = triangles.iter().map(|&(_, t)| t).collect();
        let (volume, area) = volume_and_area(mesh, &triangles);
        if is_closed(mesh, &triangles)
            && is_thin(volume, area, field.grid().cell)
            && triangles.iter().all(|&t| is_away_from_inside(mesh, field, t, &mut places))
        {
            *(if goes_by_winding && volume < 0.0 { &mut inward } else { &mut too_thin }) += 1;
        }
    }
    let mut parts: Vec<u32> = (0..mesh.triangles().len()).map(part).collect();
    parts.sort_unstable();
    parts.dedup();
    let all = parts.len();
    let too_thin = (too_thin > 0).then_some(BuildNote::PartsTooThin { parts: too_thin, all });
    let inward = (inward > 0).then_some(BuildNote::ThinPartsInward { parts: inward, all });
    too_thin.into_iter().chain(inward).collect()
}

/// The triangles without a node inside beside their middle, but for those near others that have one; and whether each vertex is
/// one of theirs.
fn unfound_triangles(mesh: &TriMesh, field: &Field) -> (Vec<usize>, Vec<bool>) {
    let has_inside = |t: usize| is_beside_inside(field, mesh.corners(t).iter().sum::<DVec3>() / 3.0);
    let has_inside: Vec<bool> =
        (0..mesh.triangles().len()).into_par_iter().with_min_len(1024).map(has_inside).collect();
    let mut is_found = vec![false; mesh.vertices().len()];
    for (corners, _) in mesh.triangles().iter().zip(&has_inside).filter(|(_, has_inside)| **has_inside) {
        corners.iter().for_each(|&v| is_found[v as usize] = true);
    }
    let mut unfound: Vec<usize> = (0..has_inside.len()).filter(|&t| !has_inside[t]).collect();
    for _ in 0..MOST_ROUNDS {
        unfound.retain(|&t| {
            let corners = mesh.triangles()[t];
            let is_next = corners.iter().any(|&v| is_found[v as usize]);
            if is_next {
                corners.iter().for_each(|&v| is_found[v as usize] = true);
            }
            !is_next
        });
    }
    (unfound, is_found)
}

/// Whether a corner of a point's cell is inside.
fn is_beside_inside(field: &Field, p: DVec3) -> bool {
    let grid = field.grid();
    let most = grid.cells - UVec3::ONE;
    let cell = ((p - grid.origin) / grid.cell).floor().max(DVec3::ZERO).as_uvec3().min(most);
    field.nodes().cell(cell).corners.iter().any(|&value| value < 0.0)
}

/// Whether no node beside a triangle is inside. Where there are not enough `places` left to tell, it is not.
fn is_away_from_inside(mesh: &TriMesh, field: &Field, t: usize, places: &mut usize) -> bool {
    let corners = mesh.corners(t);
    let [a, b, c] = corners;
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    let n = (longest / (PLACES_APART * field.grid().cell)).ceil().max(1.0);
    if n * n > *places as f64 {
        return false;
    }
    *places -= (n * n) as usize;
    !middles(corners, n as u32).any(|p| is_beside_inside(field, p))
}

/// Whether every edge of some triangles has another one of them beyond it; one with the same corners does not count.
fn is_closed(mesh: &TriMesh, triangles: &[usize]) -> bool {
    let mut different: Vec<[u32; 3]> = triangles.iter().map(|&t| mesh.triangles()[t]).collect();
    different.iter_mut().for_each(|corners| corners.sort_unstable());
    different.sort_unstable();
    different.dedup();
    let mut edges: Vec<[u32; 2]> = different.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [a, c]]).collect();
    edges.sort_unstable();
    edges.chunk_by(|a, b| a == b).all(|uses| uses.len() > 1)
}

/// The volume that closed triangles enclose, below 0 if they are wound inward, and their area.
fn volume_and_area(mesh: &TriMesh, triangles: &[usize]) -> (f64, f64) {
    let origin = mesh.corners(triangles[0])[0];
    let (mut volume, mut area) = (0.0, 0.0);
    for &t in triangles {
        let [a, b, c] = mesh.corners(t).map(|v| v - origin);
        volume += a.dot(b.cross(c)) / 6.0;
        area += 0.5 * (b - a).cross(c - a).length();
    }
    (volume, area)
}

/// Whether a closed part with such a volume and area may lie between nodes.
fn is_thin(volume: f64, area: f64, cell: f64) -> bool {
    // A plate of thickness d and area A on each side has the volume A·d.
    2.0 * volume.abs() <= THICK * cell * area
}
