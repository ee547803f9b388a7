//! Rings of boundary edges.

use crate::mesh::edges::{EdgeUse, EdgeUses, distinct};
use crate::mesh::sets::Sets;

/// How many rings the boundary edges form.
///
/// At each rim vertex the triangles around it that are joined by edges form a run, and a run joins the boundary edges at
/// its two ends. Vertices alone would not do: where two rims touch in a vertex, they would become one ring.
pub(super) fn count(triangles: &[[u32; 3]], edges: &EdgeUses) -> usize {
    let boundary = || edges.iter().filter(|edge| edge.len() == 1).map(|edge| edge[0]);
    let mut rim: Vec<u32> = boundary().flat_map(EdgeUse::ends).collect();
    rim.sort_unstable();
    rim.dedup();
    if rim.is_empty() {
        return 0;
    }
    // Corners of triangles at rim vertices, as triangle · 3 + corner, ascending.
    let on_rim = |v: &u32| rim.binary_search(v).is_ok();
    let corners: Vec<usize> = triangles
        .iter()
        .enumerate()
        .filter(|(_, triangle)| distinct(triangle))
        .flat_map(|(t, triangle)| (0..3).filter(|&k| on_rim(&triangle[k])).map(move |k| 3 * t + k))
        .collect();
    let corner_at = |t: usize, vertex: u32| -> Option<u32> {
        let k = triangles[t].iter().position(|&v| v == vertex)?;
        corners.binary_search(&(3 * t + k)).ok().map(|i| i as u32)
    };

    let mut runs = Sets::new(corners.len());
    for edge in edges.iter() {
        for end in edge[0].ends() {
            let mut at_end = edge.iter().filter_map(|side| corner_at(side.triangle(), end));
            if let Some(first) = at_end.next() {
                at_end.for_each(|other| runs.join(first, other));
            }
        }
    }
    for edge in boundary() {
        let [a, b] = edge.ends().map(|end| corner_at(edge.triangle(), end));
        if let (Some(a), Some(b)) = (a, b) {
            runs.join(a, b);
        }
    }
    let mut rings: Vec<u32> = boundary()
        .filter_map(|edge| corner_at(edge.triangle(), edge.ends()[0]))
        .map(|corner| runs.find(corner))
        .collect();
    rings.sort_unstable();
    rings.dedup();
    rings.len()
}
