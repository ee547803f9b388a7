//! Oracles that look at every triangle for every point. They share no code and no formula with the library.

mod distance;
mod wide;
mod winding;

pub(crate) use distance::distances;
pub(crate) use winding::winding_numbers;

/// Points that go through a kernel together, one in each lane: two full vectors of the widest instructions there are.
const LANES: usize = 16;

/// The coordinates of up to [`LANES`] points; the last one is repeated in unused lanes.
fn lanes_of(points: &[glam::DVec3]) -> [[f64; LANES]; 3] {
    let last = points.len() - 1;
    [0, 1, 2].map(|axis| std::array::from_fn(|lane| points[lane.min(last)][axis]))
}

#[inline(always)]
fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
