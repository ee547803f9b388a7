//! Where a slice lies, and the values sampled on it.

use std::fmt;
use std::str::FromStr;

use glam::DVec3;
use rayon::prelude::*;

use crate::math::Aabb;

/// The coordinate axis that a slice is perpendicular to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    /// Seen from +x: y to the right, z up.
    X,
    /// Seen from −y: x to the right, z up.
    Y,
    /// Seen from +z: x to the right, y up.
    Z,
}

/// A word that is not `x`, `y` or `z`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not an axis; write x, y or z")]
pub struct UnknownAxis(pub String);

impl Axis {
    /// Indices of the coordinates that run to the right and up.
    fn right_and_up(self) -> [usize; 2] {
        match self {
            Self::X => [1, 2],
            Self::Y => [0, 2],
            Self::Z => [0, 1],
        }
    }

    /// The letters of the coordinates that run to the right and up.
    pub fn letters(self) -> [char; 2] {
        self.right_and_up().map(|axis| ['x', 'y', 'z'][axis])
    }

    /// 0, 1 or 2.
    pub fn index(self) -> usize {
        self as usize
    }
}

impl FromStr for Axis {
    type Err = UnknownAxis;

    fn from_str(word: &str) -> Result<Self, UnknownAxis> {
        match word {
            "x" | "X" => Ok(Self::X),
            "y" | "Y" => Ok(Self::Y),
            "z" | "Z" => Ok(Self::Z),
            _ => Err(UnknownAxis(word.into())),
        }
    }
}

impl fmt::Display for Axis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(["x", "y", "z"][self.index()])
    }
}

/// The part of a plane that is looked at: where the box `bounds` meets the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlicePlane {
    /// What the plane is perpendicular to.
    pub axis: Axis,
    /// Where the plane meets that axis.
    pub at: f64,
    /// What is seen of it, left to right and bottom to top.
    pub bounds: Aabb,
}

impl SlicePlane {
    /// Width and height of what is seen, in world units.
    pub fn extent(&self) -> [f64; 2] {
        self.axis.right_and_up().map(|axis| self.bounds.extent()[axis])
    }

    /// Where a triangle meets the plane, as offsets to the right and up from the middle of what is seen.
    pub(super) fn cut(&self, corners: &[DVec3; 3]) -> Option<[[f64; 2]; 2]> {
        let across = self.axis.index();
        let [right, up] = self.axis.right_and_up();
        let middle = self.bounds.center();
        let mut ends = (0..3).filter_map(|k| {
            let (a, b) = (corners[k], corners[(k + 1) % 3]);
            let (before, after) = (a[across] - self.at, b[across] - self.at);
            ((before < 0.0) != (after < 0.0)).then(|| {
                let p = a + (b - a) * (before / (before - after));
                [p[right] - middle[right], p[up] - middle[up]]
            })
        });
        Some([ends.next()?, ends.next()?])
    }

    /// The point `right` and `up` of the middle of what is seen.
    pub fn point(&self, right: f64, up: f64) -> DVec3 {
        let mut point = self.bounds.center();
        let [right_axis, up_axis] = self.axis.right_and_up();
        point[right_axis] += right;
        point[up_axis] += up;
        point[self.axis.index()] = self.at;
        point
    }
}

/// Values at the middles of square pixels, rows from top to bottom. NaN where a value is not known.
#[derive(Debug, Clone, PartialEq)]
pub struct Raster {
    width: usize,
    height: usize,
    pixel: f64,
    values: Vec<f64>,
}

impl Raster {
    /// Takes over `width · height` values; `pixel` is the edge of a pixel in world units.
    ///
    /// # Panics
    /// When there are not as many values, when there are none, or when `pixel` is not positive.
    pub fn new(width: usize, height: usize, pixel: f64, values: Vec<f64>) -> Self {
        assert!(width > 0 && height > 0 && values.len() == width * height, "one value per pixel");
        assert!(pixel > 0.0 && pixel.is_finite(), "the edge of a pixel is a positive length");
        Self { width, height, pixel, values }
    }

    /// Evaluates a function in the middle of `width · height` pixels of edge `pixel`, centred on the plane's middle.
    pub fn sample(
        plane: &SlicePlane,
        [width, height]: [usize; 2],
        pixel: f64,
        value: impl Fn(DVec3) -> f64 + Sync,
    ) -> Self {
        let values = (0..width * height)
            .into_par_iter()
            .with_min_len(width)
            .map(|at| {
                let (column, row) = (at % width, at / width);
                let right = (column as f64 + 0.5 - 0.5 * width as f64) * pixel;
                let up = (0.5 * height as f64 - row as f64 - 0.5) * pixel;
                value(plane.point(right, up))
            })
            .collect();
        Self::new(width, height, pixel, values)
    }

    /// Pixels per row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Number of rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Edge of a pixel in world units.
    pub fn pixel(&self) -> f64 {
        self.pixel
    }

    /// The value in a column and a row, counted from the top left.
    pub fn value(&self, column: usize, row: usize) -> f64 {
        self.values[row * self.width + column]
    }

    /// The smallest and the largest finite value; `None` when there is none.
    pub fn range(&self) -> Option<(f64, f64)> {
        self.values.iter().copied().filter(|value| value.is_finite()).fold(None, |range, value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((low.min(value), high.max(value)))
        })
    }

    /// Length of the gradient, in value per pixel. A direction without a known neighbour counts as level.
    pub(super) fn slope(&self, column: usize, row: usize) -> f64 {
        let here = self.value(column, row);
        let difference = |low: Option<f64>, high: Option<f64>| {
            let known = |value: Option<f64>| value.filter(|v| v.is_finite());
            match (known(low), known(high)) {
                (Some(low), Some(high)) => 0.5 * (high - low),
                (Some(low), None) => here - low,
                (None, Some(high)) => high - here,
                (None, None) => 0.0,
            }
        };
        let beside = |column: Option<usize>| column.filter(|&c| c < self.width).map(|c| self.value(c, row));
        let above = |row: Option<usize>| row.filter(|&r| r < self.height).map(|r| self.value(column, r));
        let dx = difference(beside(column.checked_sub(1)), beside(Some(column + 1)));
        let dy = difference(above(row.checked_sub(1)), above(Some(row + 1)));
        dx.hypot(dy)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_lie_where_the_picture_shows_them() {
        let bounds = Aabb::new(DVec3::new(0.0, 10.0, 20.0), DVec3::new(4.0, 12.0, 28.0));
        for (axis, extent, first, last) in [
            (Axis::Z, [4, 2], [0.5, 11.5, 7.0], [3.5, 10.5, 7.0]),
            (Axis::Y, [4, 8], [0.5, 7.0, 27.5], [3.5, 7.0, 20.5]),
            (Axis::X, [2, 8], [7.0, 10.5, 27.5], [7.0, 11.5, 20.5]),
        ] {
            let plane = SlicePlane { axis, at: 7.0, bounds };
            assert_eq!(plane.extent(), extent.map(|length| length as f64));
            for coordinate in 0..3 {
                let raster = Raster::sample(&plane, extent, 1.0, |point| point[coordinate]);
                assert_eq!(raster.value(0, 0), first[coordinate]);
                assert_eq!(raster.value(extent[0] - 1, extent[1] - 1), last[coordinate]);
            }
        }
    }

    #[test]
    fn slope_of_a_distance_is_one_per_pixel_length() {
        let bounds = Aabb::new(DVec3::splat(-1.0), DVec3::splat(1.0));
        let plane = SlicePlane { axis: Axis::Z, at: 0.0, bounds };
        let raster = Raster::sample(&plane, [100, 100], 0.02, DVec3::length);
        for (column, row) in [(0, 0), (10, 99), (99, 50), (30, 70)] {
            assert!((raster.slope(column, row) - 0.02).abs() < 5e-4);
        }
    }

    #[test]
    fn range_ignores_what_is_not_known() {
        let raster = Raster::new(2, 2, 1.0, vec![f64::NAN, -1.0, f64::INFINITY, 3.0]);
        assert_eq!(raster.range(), Some((-1.0, 3.0)));
        assert_eq!(Raster::new(1, 1, 1.0, vec![f64::NAN]).range(), None);
        assert!(raster.slope(1, 0).is_finite());
    }

    #[test]
    fn axes_are_read_and_written() {
        for word in ["x", "y", "z"] {
            assert_eq!(word.parse::<Axis>().unwrap().to_string(), word);
        }
        assert!("w".parse::<Axis>().unwrap_err().to_string().contains("x, y or z"));
    }
}
