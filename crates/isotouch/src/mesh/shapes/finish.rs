//! The checks that every shape passes: its parameters before, its triangles after.

use glam::DVec3;

use super::ShapeError;
use crate::mesh::TriMesh;

/// Lengths outside this range would overflow or vanish when cubed (volumes) or squared twice (areas).
const LENGTHS: std::ops::RangeInclusive<f64> = 1e-60..=1e60;

/// Beyond this the mesh alone takes over 4 GB. A wish above it is far likelier a slip of the pen.
pub(super) const MOST_TRIANGLES: usize = 100_000_000;

/// Twice a triangle's area over its longest edge squared, below which it counts as collapsed. Rounding of positions
/// leaves about 1e-16; larger would refuse thin but usable shapes, smaller would let normals be noise.
const THINNEST: f64 = 1e-11;

/// A parameter that is a length.
pub(super) struct Length {
    pub(super) shape: &'static str,
    pub(super) parameter: &'static str,
    pub(super) value: f64,
}

impl Length {
    pub(super) fn check(self) -> Result<(), ShapeError> {
        let Self { shape, parameter, value } = self;
        // NaN is in no range.
        if LENGTHS.contains(&value) { Ok(()) } else { Err(ShapeError::Length { shape, parameter, value }) }
    }

    /// Also smaller than another length.
    pub(super) fn check_below(self, limit: &'static str, limit_value: f64) -> Result<(), ShapeError> {
        let Self { shape, parameter, value } = self;
        self.check()?;
        if value < limit_value {
            return Ok(());
        }
        Err(ShapeError::TooLarge { shape, parameter, value, limit, limit_value })
    }
}

/// A parameter that is a count.
pub(super) struct Count {
    pub(super) shape: &'static str,
    pub(super) parameter: &'static str,
    pub(super) value: usize,
}

impl Count {
    pub(super) fn check(self, least: usize) -> Result<(), ShapeError> {
        let Self { shape, parameter, value } = self;
        if value >= least { Ok(()) } else { Err(ShapeError::TooFew { shape, parameter, value, least }) }
    }
}

/// Refuses a number of flat sides around that is not a multiple of another, in words as well.
pub(super) fn check_multiple(
    shape: &'static str,
    segments: usize,
    (of, range): (usize, &'static str),
) -> Result<(), ShapeError> {
    if segments > 0 && segments.is_multiple_of(of) {
        return Ok(());
    }
    Err(ShapeError::OutOfRange { shape, parameter: "segments", value: segments as f64, range })
}

/// Refuses a mesh of about `2 · a · b` triangles that is too large, before anything is allocated.
pub(super) fn check_triangles(
    shape: &'static str,
    parameters: &'static str,
    [a, b]: [usize; 2],
) -> Result<(), ShapeError> {
    let triangles = (2 * a as u128).saturating_mul(b as u128);
    let most = MOST_TRIANGLES;
    if triangles <= most as u128 {
        return Ok(());
    }
    Err(ShapeError::TooManyTriangles { shape, triangles, most, parameters })
}

/// Makes the mesh, or says which triangle collapsed.
pub(super) fn finish(
    shape: &'static str,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
) -> Result<TriMesh, ShapeError> {
    let collapsed = |&[a, b, c]: &[u32; 3]| {
        let [a, b, c] = [a, b, c].map(|v| vertices[v as usize]);
        let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
        let has_area = (b - a).cross(c - a).length() > THINNEST * longest;
        // NaN has none.
        !has_area
    };
    if let Some(triangle) = triangles.iter().position(collapsed) {
        return Err(ShapeError::Collapsed { shape, triangle });
    }
    // Every vertex is a corner of some triangle, and triangles with area have finite corners.
    Ok(TriMesh::new(vertices, triangles).expect("shapes number their own vertices"))
}
