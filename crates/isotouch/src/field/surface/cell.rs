//! The loops in which an iso-surface crosses the faces of one cell.
//!
//! Corner k is at (k & 1, k >> 1 & 1, k >> 2). Edge 4·a + j runs along axis a; its lower corner has bit 0 of j along the next
//! axis and bit 1 along the one after. Face 2·a + s is the one at s along axis a.

/// Lower and upper corner of each edge.
pub(super) const EDGES: [[usize; 2]; 12] = edges();
/// Corners of each face, counter-clockwise seen from outside the cell.
const FACES: [[usize; 4]; 6] = faces();
/// Edge from each corner of a face to the next.
const FACE_EDGES: [[usize; 4]; 6] = face_edges();
/// The two faces of each edge, one bit a face.
const FACES_OF_EDGE: [u8; 12] = faces_of_edge();

const fn edges() -> [[usize; 2]; 12] {
    let mut out = [[0; 2]; 12];
    let mut e = 0;
    while e < 12 {
        let (axis, j) = (e / 4, e % 4);
        let low = (j & 1) << ((axis + 1) % 3) | (j >> 1) << ((axis + 2) % 3);
        out[e] = [low, low | 1 << axis];
        e += 1;
    }
    out
}

const fn faces() -> [[usize; 4]; 6] {
    let mut out = [[0; 4]; 6];
    let mut face = 0;
    while face < 6 {
        let (axis, side) = (face / 2, face % 2);
        let (next, after) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        // Counter-clockwise about the axis seen from its far end; the other way round seen from the near one.
        let (first, last) = if side == 1 { (next, after) } else { (after, next) };
        let base = side << axis;
        out[face] = [base, base | first, base | first | last, base | last];
        face += 1;
    }
    out
}

const fn face_edges() -> [[usize; 4]; 6] {
    let mut out = [[0; 4]; 6];
    let mut k = 0;
    while k < 24 {
        let (face, side) = (k / 4, k % 4);
        let (from, to) = (FACES[face][side], FACES[face][(side + 1) % 4]);
        let mut e = 0;
        while e < 12 {
            let [low, high] = EDGES[e];
            if (low == from && high == to) || (low == to && high == from) {
                out[face][side] = e;
            }
            e += 1;
        }
        k += 1;
    }
    out
}

const fn faces_of_edge() -> [u8; 12] {
    let mut out = [0; 12];
    let mut k = 0;
    while k < 24 {
        out[FACE_EDGES[k / 4][k % 4]] |= 1 << (k / 4);
        k += 1;
    }
    out
}

/// Whether two edges lie in a common face.
pub(super) fn share_a_face(a: u8, b: u8) -> bool {
    FACES_OF_EDGE[a as usize] & FACES_OF_EDGE[b as usize] != 0
}

/// The corners inside, one bit each: those with a value of at most 0.
pub(super) fn inside_corners(values: &[f64; 8]) -> u8 {
    (0..8).fold(0, |mask, k| mask | u8::from(values[k] <= 0.0) << k)
}

/// Calls `found` with each loop: the edges it crosses, in the order that is counter-clockwise seen from outside the solid.
/// `values` are those of the corners less σ.
pub(super) fn for_each_loop(values: &[f64; 8], mut found: impl FnMut(&[u8])) {
    const NONE: u8 = 12;
    let inside = inside_corners(values);
    let mut next = [NONE; 12];
    for (face, corners) in FACES.iter().enumerate() {
        join_in_face(corners.map(|k| (values[k], inside >> k & 1 != 0)), &FACE_EDGES[face], &mut next);
    }
    for first in 0..12 {
        let (mut around, mut length) = ([0u8; 12], 0);
        let mut edge = first;
        // Every crossed edge begins one line and ends another, so this comes back to where it began.
        while next[edge] != NONE {
            around[length] = edge as u8;
            length += 1;
            let following = next[edge] as usize;
            next[edge] = NONE;
            edge = following;
        }
        if length > 0 {
            found(&around[..length]);
        }
    }
}

/// Sets, for the edges of a face, which one follows on the surface's line through it. Walking around the face, a line
/// begins where one comes in and ends where one goes out, which leaves the inside on its left seen from outside the cell.
fn join_in_face(corners: [(f64, bool); 4], edges: &[usize; 4], next: &mut [u8; 12]) {
    let goes_out = |side: usize| corners[side].1 && !corners[(side + 1) % 4].1;
    let comes_in = |side: usize| !corners[side].1 && corners[(side + 1) % 4].1;
    let insides = corners.iter().filter(|corner| corner.1).count();
    let is_ambiguous = insides == 2 && corners[0].1 == corners[2].1;
    for from in (0..4).filter(|&side| comes_in(side)) {
        // Around an inside corner, the way out is the next side; around an outside corner, the one before.
        let nearest = if is_ambiguous && insides_meet(corners.map(|corner| corner.0)) {
            (from + 3) % 4
        } else {
            (1..4).map(|k| (from + k) % 4).find(|&side| goes_out(side)).unwrap_or(from)
        };
        next[edges[from]] = edges[nearest] as u8;
    }
}

/// Whether the two inside corners of a face, opposite each other, are joined: whether the saddle of the bilinear
/// interpolant, (v₀v₂ − v₁v₃) / (v₀ + v₂ − v₁ − v₃), is inside. The divisor has the sign of v₀. Products commute, so both cells
/// at the face get the same answer from whichever corner they begin.
fn insides_meet([v0, v1, v2, v3]: [f64; 4]) -> bool {
    let (insides, outsides) = if v0 <= 0.0 { (v0 * v2, v1 * v3) } else { (v1 * v3, v0 * v2) };
    insides > outsides
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_describe_a_cube() {
        for (face, corners) in FACES.iter().enumerate() {
            let at = |k: usize| [k & 1, k >> 1 & 1, k >> 2].map(|x| x as f64);
            let [a, b, c, d] = corners.map(at);
            let edge = |p: [f64; 3], q: [f64; 3]| glam::DVec3::from_array(q) - glam::DVec3::from_array(p);
            let outward = edge(a, b).cross(edge(b, c))[face / 2];
            assert_eq!(outward, if face % 2 == 1 { 1.0 } else { -1.0 });
            assert_eq!(edge(a, b), -edge(c, d));
        }
        for faces in FACES_OF_EDGE {
            assert_eq!(faces.count_ones(), 2);
        }
    }

    #[test]
    fn a_single_corner_is_cut_off_by_an_outward_triangle() {
        let mut values = [1.0; 8];
        values[0] = -1.0;
        let mut loops = Vec::new();
        for_each_loop(&values, |edges| loops.push(edges.to_vec()));
        // The edges along x, y and z at the corner, in that order: their triangle's normal is (1, 1, 1).
        assert_eq!(loops, [[0, 4, 8]]);
    }

    /// Each crossed edge is in one loop, and neighbours in a loop share a face, for all signs and saddles.
    #[test]
    fn loops_use_every_crossing_once() {
        let sizes = [0.1, 1.0, 7.0];
        for mask in 0..256usize {
            for pattern in 0..3usize.pow(8) / 27 {
                let mut rest = pattern * 27 + mask % 27;
                let values: [f64; 8] = std::array::from_fn(|k| {
                    let size = sizes[rest % 3];
                    rest /= 3;
                    if mask >> k & 1 != 0 { -size } else { size }
                });
                let mut seen = [0; 12];
                for_each_loop(&values, |edges| {
                    assert!(edges.len() >= 3);
                    for (k, &edge) in edges.iter().enumerate() {
                        seen[edge as usize] += 1;
                        assert!(share_a_face(edge, edges[(k + 1) % edges.len()]));
                    }
                });
                for (edge, [low, high]) in EDGES.into_iter().enumerate() {
                    assert_eq!(seen[edge], (mask >> low ^ mask >> high) & 1);
                }
            }
        }
    }
}
