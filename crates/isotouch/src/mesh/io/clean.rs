//! From what a file says to a mesh: scale, weld, cut polygons, drop what has no area and what nobody uses.

use glam::DVec3;
use rayon::slice::ParallelSliceMut as _;

use super::caps::flip_caps;
use super::error::ReadError;
use super::raw::RawMesh;
use super::triangulate::{MAX_CONCAVE_CORNERS, scale_to_one, triangulate};
use super::{Cleanup, ReadOptions, VertexNumbers};
use crate::mesh::TriMesh;

pub(super) fn clean(
    name: &str,
    raw: RawMesh,
    options: &ReadOptions,
) -> Result<(TriMesh, Cleanup, VertexNumbers), ReadError> {
    let RawMesh { mut vertices, mut corners, sizes, trailing_bytes, skipped_groups, .. } = raw;
    let in_file = vertices.len();
    if in_file > u32::MAX as usize {
        return Err(ReadError::TooManyVertices { file: name.to_owned(), count: in_file });
    }
    if options.scale != 1.0 {
        vertices.iter_mut().for_each(|v| *v *= options.scale);
        if let Some(vertex) = vertices.iter().position(|v| !v.is_finite()) {
            return Err(ReadError::ScaleOverflow { file: name.to_owned(), scale: options.scale, vertex });
        }
    }
    let mut cleanup = Cleanup { trailing_bytes, skipped_groups, ..Cleanup::default() };
    let mut merged_into: Option<Vec<u32>> = None;
    if options.weld {
        let first_alike = first_alike(&vertices);
        corners.iter_mut().for_each(|v| *v = first_alike[*v as usize]);
        merged_into = Some(first_alike);
    }

    let mut triangles = Vec::with_capacity(sizes.len());
    let mut rest = corners.as_slice();
    for (face, &size) in sizes.iter().enumerate() {
        let Some((polygon, others)) = rest.split_at_checked(size as usize) else { break };
        rest = others;
        match size {
            0..3 => cleanup.short_polygons += 1,
            3 => triangles.push([polygon[0], polygon[1], polygon[2]]),
            _ => {
                cleanup.polygons_triangulated += 1;
                triangulate(polygon, &vertices, &mut triangles).map_err(|_| ReadError::PolygonTooLarge {
                    file: name.to_owned(),
                    face,
                    corners: polygon.len(),
                    limit: MAX_CONCAVE_CORNERS,
                })?;
            }
        }
    }
    let all = triangles.len();
    triangles.retain(|[a, b, c]| a != b && b != c && c != a);
    if options.weld {
        // Without welding it is the file's word which triangles are connected, and nothing is made closed.
        cleanup.caps_flipped = flip_caps(&mut triangles, &vertices);
    }
    triangles.retain(|triangle| has_area(triangle.map(|v| vertices[v as usize])));
    cleanup.degenerate_triangles = all - triangles.len();
    if triangles.is_empty() {
        let why = match (in_file, sizes.len(), all) {
            (0, 0, _) if skipped_groups > 0 => "it has only points and lines".to_owned(),
            (0, 0, _) => "it has neither vertices nor faces".to_owned(),
            (_, 0, _) => format!("it has {in_file} vertices but no faces, it may be a point cloud or curves"),
            (_, faces, 0) => format!("its {faces} faces have fewer than three corners"),
            (.., 1) => "its only triangle has zero area".to_owned(),
            _ => format!("all {all} of them have zero area"),
        };
        return Err(ReadError::NoTriangles { file: name.to_owned(), why });
    }

    let is_merged = |(&first, own): (&u32, u32)| first != own;
    cleanup.welded_vertices =
        merged_into.iter().map(|first| first.iter().zip(0u32..).filter(|&one| is_merged(one)).count()).sum();
    let numbers = keep_used(&mut vertices, &mut triangles);
    cleanup.unused_vertices = in_file - cleanup.welded_vertices - vertices.len();
    let numbers = match merged_into {
        Some(first) => first.iter().map(|&first| numbers[first as usize]).collect(),
        None => numbers,
    };
    let mesh = TriMesh::new(vertices, triangles);
    let mesh = mesh.expect("coordinates and indices were checked while parsing");
    Ok((mesh, cleanup, VertexNumbers(numbers)))
}

/// For every vertex the first one with an identical position; -0 is 0.
///
/// Sorted by a hash first, as that compares one word instead of three; equal hashes are told apart by position. The
/// outcome does not depend on the hash.
fn first_alike(vertices: &[DVec3]) -> Vec<u32> {
    let bits = |vertex: u32| vertices[vertex as usize].to_array().map(|x| (x + 0.0).to_bits());
    let hash = |vertex: u32| {
        bits(vertex).into_iter().fold(0u64, |hash, word| {
            // An odd multiplier keeps all bits; the shift brings the well-mixed high ones down.
            let mixed = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            mixed ^ (mixed >> 29)
        })
    };
    let mut order: Vec<(u64, u32)> =
        (0..vertices.len() as u32).map(|vertex| (hash(vertex), vertex)).collect();
    order.par_sort_unstable();
    let mut first_alike = vec![0; vertices.len()];
    for run in order.chunk_by_mut(|a, b| a.0 == b.0) {
        if run.iter().any(|&(_, vertex)| bits(vertex) != bits(run[0].1)) {
            run.sort_unstable_by_key(|&(_, vertex)| (bits(vertex), vertex));
        }
        let mut first = run[0].1;
        for &(_, vertex) in run.iter() {
            if bits(vertex) != bits(first) {
                first = vertex;
            }
            first_alike[vertex as usize] = first;
        }
    }
    first_alike
}

/// Whether the normal of the triangle is not zero in `f64`.
pub(super) fn has_area([a, b, c]: [DVec3; 3]) -> bool {
    let (ab, ac) = (b - a, c - a);
    let size = ab.abs().max_element().max(ac.abs().max_element());
    if !size.is_finite() {
        // Corners at opposite ends of the number range: far apart, at any rate.
        return a != b && b != c && c != a;
    }
    let scale = scale_to_one(size);
    (ab * scale).cross(ac * scale) != DVec3::ZERO
}

/// Keeps the vertices that triangles use, in their order. What number each of all has then; `u32::MAX` of those that are gone.
fn keep_used(vertices: &mut Vec<DVec3>, triangles: &mut [[u32; 3]]) -> Vec<u32> {
    let mut renamed = vec![u32::MAX; vertices.len()];
    triangles.iter().flatten().for_each(|&v| renamed[v as usize] = 0);
    let mut used = 0;
    for vertex in 0..vertices.len() {
        if renamed[vertex] == 0 {
            renamed[vertex] = used as u32;
            vertices[used] = vertices[vertex];
            used += 1;
        }
    }
    vertices.truncate(used);
    vertices.shrink_to_fit();
    triangles.iter_mut().flatten().for_each(|v| *v = renamed[*v as usize]);
    renamed
}
