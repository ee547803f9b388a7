//! The trilinear interpolant of a cell.

use glam::{DMat3, DVec3};

/// Value at `at`, each coordinate in [0, 1]; corners x fastest.
#[inline]
pub(crate) fn interpolate(corners: &[f32; 8], at: DVec3) -> f64 {
    let c = corners.map(f64::from);
    // Weighted sums rather than c₀ + t(c₁ − c₀): exact at both ends, never outside the corners' range by more than an ulp.
    let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
    let y0 = mix(mix(c[0], c[1], at.x), mix(c[2], c[3], at.x), at.y);
    let y1 = mix(mix(c[4], c[5], at.x), mix(c[6], c[7], at.x), at.y);
    mix(y0, y1, at.z)
}

/// Gradient at `at` with respect to `at`: divide by the cell's edge length for the gradient in space.
#[inline]
pub(crate) fn gradient(corners: &[f32; 8], at: DVec3) -> DVec3 {
    let c = corners.map(f64::from);
    let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
    let bilinear = |v: [f64; 4], s: f64, t: f64| mix(mix(v[0], v[1], s), mix(v[2], v[3], s), t);
    DVec3::new(
        bilinear([c[1] - c[0], c[3] - c[2], c[5] - c[4], c[7] - c[6]], at.y, at.z),
        bilinear([c[2] - c[0], c[3] - c[1], c[6] - c[4], c[7] - c[5]], at.x, at.z),
        bilinear([c[4] - c[0], c[5] - c[1], c[6] - c[2], c[7] - c[3]], at.x, at.y),
    )
}

/// Second derivatives at `at` with respect to `at`: divide by the square of the edge length. Along an axis the interpolant is straight, so the
/// diagonal is zero.
#[inline]
pub(crate) fn hessian(corners: &[f32; 8], at: DVec3) -> DMat3 {
    let c = corners.map(f64::from);
    let mix = |a: f64, b: f64, t: f64| a * (1.0 - t) + b * t;
    let xy = mix(c[3] - c[2] - c[1] + c[0], c[7] - c[6] - c[5] + c[4], at.z);
    let xz = mix(c[5] - c[4] - c[1] + c[0], c[7] - c[6] - c[3] + c[2], at.y);
    let yz = mix(c[6] - c[4] - c[2] + c[0], c[7] - c[5] - c[3] + c[1], at.x);
    DMat3::from_cols(DVec3::new(0.0, xy, xz), DVec3::new(xy, 0.0, yz), DVec3::new(xz, yz, 0.0))
}
