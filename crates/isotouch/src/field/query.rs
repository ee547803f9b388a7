//! Asking a field: distance, gradient, normal, and what is certain.

use glam::{DMat3, DVec3, UVec3};
use rayon::prelude::*;

use super::interpolate::{gradient, hessian, interpolate};
use super::storage::bricks::{BRICK, BRICK_NODES};
use super::storage::{DenseNodes, Storage};
use super::{Field, Grid};

/// What a field knows about the distance at a point.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distance {
    /// In the box: the interpolant, within the error bound of the true distance.
    Interpolated(f64),
    /// Outside the box: the true distance (of a function field, the function's value) is at least this.
    LowerBound(f64),
    /// Outside the box of a field whose solid reaches its border, not a finite point, or beside a node that is no number
    /// ([`Field::verify_finite`]): nothing is known.
    Unknown,
}

impl Distance {
    /// The number, be it the interpolant or a lower bound; NaN when nothing is known.
    pub fn value(self) -> f64 {
        match self {
            Self::Interpolated(value) | Self::LowerBound(value) => value,
            Self::Unknown => f64::NAN,
        }
    }
}

impl Field {
    /// The distance at a point.
    pub fn distance(&self, p: DVec3) -> Distance {
        match self.cell_at(p) {
            Some(cell) => {
                let value = cell.value();
                if value.is_nan() { Distance::Unknown } else { Distance::Interpolated(value) }
            }
            None => match self.lower_bound_outside(p) {
                Some(bound) => Distance::LowerBound(bound),
                None => Distance::Unknown,
            },
        }
    }

    /// The distance at a point, and how far it may be off the true value: as [`Field::error_bound_at`]; 0 for bounds.
    pub(crate) fn distance_and_error(&self, p: DVec3) -> (Distance, f64) {
        match self.cell_at(p) {
            Some(cell) if !cell.value().is_nan() => {
                (Distance::Interpolated(cell.value()), self.error_of_cells(cell.size))
            }
            _ => (self.distance(p), 0.0),
        }
    }

    /// The distances at many points, in parallel.
    pub fn distances(&self, points: &[DVec3]) -> Vec<Distance> {
        points.par_iter().with_min_len(1024).map(|&p| self.distance(p)).collect()
    }

    /// Gradient of the interpolant; `None` outside the box. On a face shared by two cells, that of the upper one.
    pub fn gradient(&self, p: DVec3) -> Option<DVec3> {
        self.cell_at(p).map(|cell| cell.gradient())
    }

    /// [`Field::distance`] and [`Field::gradient`] with one look at the cell.
    pub fn distance_and_gradient(&self, p: DVec3) -> (Distance, Option<DVec3>) {
        match self.cell_at(p) {
            Some(cell) if !cell.value().is_nan() => {
                (Distance::Interpolated(cell.value()), Some(cell.gradient()))
            }
            Some(_) => (Distance::Unknown, None),
            None => (self.distance(p), None),
        }
    }

    /// Second derivatives of the interpolant; `None` outside the box. They jump from cell to cell.
    pub fn hessian(&self, p: DVec3) -> Option<DMat3> {
        self.cell_at(p).map(|cell| hessian(&cell.corners, cell.at) * (cell.size * cell.size).recip())
    }

    /// Unit vector along the gradient, away from the solid; `None` outside the box and where the gradient vanishes.
    pub fn normal(&self, p: DVec3) -> Option<DVec3> {
        self.gradient(p)?.try_normalize()
    }

    /// Gradients at many points, in parallel; `None` outside the box.
    pub fn gradients(&self, points: &[DVec3]) -> Vec<Option<DVec3>> {
        points.par_iter().with_min_len(1024).map(|&p| self.gradient(p)).collect()
    }

    /// A number that the true value (the signed distance; of a function field the function) is certainly not below; −∞ when
    /// nothing is known: beyond the rim of an open sheet ([`Field::is_certified`]), or how deep a point is inside
    /// ([`Field::understates_depth`]).
    pub fn lower_bound(&self, p: DVec3) -> f64 {
        let Some(cell) = self.cell_at(p) else {
            return self.lower_bound_outside(p).unwrap_or(f64::NEG_INFINITY);
        };
        let bound = self.least_in(&cell);
        // Above 0 the point is outside, where no triangle within the solid is the nearest.
        let is_known =
            self.facts.is_certified && !bound.is_nan() && (bound > 0.0 || !self.facts.understates_depth);
        if is_known { bound } else { f64::NEG_INFINITY }
    }

    /// As [`Field::lower_bound`] for a point outside, by the nearest node alone: often more, for the error of interpolation is as large as the way to
    /// the farthest of eight nodes, and with one look at memory. Not above 0, or NaN, where it tells nothing.
    #[inline]
    pub(crate) fn lower_bound_by_node(&self, p: DVec3) -> f64 {
        let (Some(taken_off), true) = (self.taken_off(), self.is_certified_outside()) else {
            return f64::NEG_INFINITY;
        };
        let cells = self.grid.cells.as_dvec3();
        let place = (p - self.grid.origin) / self.grid.cell;
        let on_box = place.clamp(DVec3::ZERO, cells);
        let (value, node) = self.storage.nearest_node(on_box);
        // In cells: |x − node|, and as in `lower_bound_outside` how far x is from the box. What is not finite tells nothing.
        let clear = (f64::from(value) - self.error_of_cells(0.0)) / self.grid.cell
            - self.facts.lipschitz * on_box.distance(node);
        let apart = place.distance_squared(on_box);
        if apart == 0.0 {
            return clear * self.grid.cell;
        }
        let clear_of_mesh = (clear + taken_off / self.grid.cell).max(0.0);
        let squared = apart + clear_of_mesh * clear_of_mesh;
        if squared.is_finite() { squared.sqrt() * self.grid.cell - taken_off } else { f64::NEG_INFINITY }
    }

    /// How far the interpolant may be from the true distance at full resolution, that is anywhere in a dense field and
    /// within the band of a sparse one. Inside a solid whose depth is understated ([`Field::understates_depth`]), from the
    /// distance to the nearest triangle.
    pub fn error_bound(&self) -> f64 {
        self.error_of_cells(self.grid.cell)
    }

    /// The largest [`Field::error_bound_at`] of any point of the box: that of the coarsest cells of a sparse field.
    pub fn error_bound_far(&self) -> f64 {
        match &self.storage {
            Storage::Dense(_) => self.error_bound(),
            Storage::Sparse(nodes) => self.error_of_cells(self.grid.cell * f64::from(nodes.top_step)),
        }
    }

    /// How far the interpolant may be from the true distance at a point of the box: more where a sparse field is coarse.
    pub fn error_bound_at(&self, p: DVec3) -> Option<f64> {
        self.cell_at(p).map(|cell| self.error_of_cells(cell.size))
    }

    /// ε = L·(√3/2)·h + 2⁻²⁴·max|φ|. The interpolant is a mean of the corner values with weights wᵢ, so it is off by at
    /// most L·Σ wᵢ|xᵢ − x| ≤ L·√(Σ wᵢ|xᵢ − x|²) ≤ L·√(3/4)·h; the corners are off by their rounding to `f32`.
    pub(crate) fn error_of_cells(&self, size: f64) -> f64 {
        self.facts.lipschitz * 0.75f64.sqrt() * size + f64::from(self.largest) * 2f64.powi(-24)
    }

    /// With π the projection onto the box: d ≥ √(|x − π|² + max(0, φ(π) − ε)²), since the solid lies in the box and no
    /// point of it is nearer to π than φ(π) − ε. An offset f = φ − b is bounded by the same for φ, less b. Other values that did not come from a mesh may be those of a solid that goes on
    /// outside; there only their Lipschitz bound L holds: f ≥ f(π) − ε − L·|x − π|.
    fn lower_bound_outside(&self, p: DVec3) -> Option<f64> {
        if !self.is_certified_outside() || !p.is_finite() {
            return None;
        }
        let on_box = self.grid.bounds().project(p);
        let cell = self.cell_at(on_box)?;
        let clear = self.least_in(&cell);
        let away = (p - on_box).abs();
        // Beyond 10¹⁵⁴ the squares overflow, and infinity would be no lower bound.
        let overflows = !away.length_squared().is_finite();
        let Some(taken_off) = self.taken_off() else {
            return (!overflows).then(|| clear - self.facts.lipschitz * away.length());
        };
        let apart = if overflows { away.max_element() } else { away.length() };
        Some(apart.hypot((clear + taken_off).max(0.0)) - taken_off)
    }

    fn cell_at(&self, p: DVec3) -> Option<CellAt> {
        let (index, at) = self.grid.locate(p).or_else(|| self.locate_on_far_face(p))?;
        let found = self.storage.cell(index);
        let (corners, step) = (found.corners, found.step);
        let at = if step == 1 { at } else { ((index % step).as_dvec3() + at) / f64::from(step) };
        Some(CellAt { corners, at, size: self.grid.cell * f64::from(step), index })
    }

    /// What the true value at a point of the box is at least: the interpolant less its error. Where a sparse field is coarse, all
    /// corners of the point's own cell are beyond the band, and the nearest of them is no farther than half its diagonal.
    fn least_in(&self, cell: &CellAt) -> f64 {
        let least = cell.value() - self.error_of_cells(cell.size);
        let Storage::Sparse(nodes) = &self.storage else { return least };
        if cell.size == self.grid.cell {
            return least;
        }
        // A corner of the own cell or block tells the side, for the coarse cell may reach across the surface.
        let (_, own_corner) = nodes.coarse_block(cell.index);
        if own_corner.unwrap_or(cell.corners[0]) <= 0.0 {
            return least;
        }
        // Values were rounded to f32 after it was decided which are in the band; a millionth covers that.
        least.max(self.facts.band * self.grid.cell * (1.0 - 1e-6) - self.error_bound())
    }

    /// A point that the box contains but whose cell coordinate rounds past the last cell.
    fn locate_on_far_face(&self, p: DVec3) -> Option<(UVec3, DVec3)> {
        let bounds = self.grid.bounds();
        if !bounds.contains(p) {
            return None;
        }
        let u = ((p - self.grid.origin) / self.grid.cell).clamp(DVec3::ZERO, self.grid.cells.as_dvec3());
        let index = u.floor().min(self.grid.cells.as_dvec3() - 1.0);
        Some((index.as_uvec3(), u - index))
    }
}

/// The stored cell around a point.
struct CellAt {
    corners: [f32; 8],
    /// Where in the cell, each coordinate in [0, 1].
    at: DVec3,
    /// Edge length.
    size: f64,
    /// The cell of the grid that the point is in.
    index: UVec3,
}

impl CellAt {
    fn value(&self) -> f64 {
        interpolate(&self.corners, self.at)
    }

    fn gradient(&self) -> DVec3 {
        gradient(&self.corners, self.at) / self.size
    }
}

/// Whether all stored nodes on (or, at coarse levels, past) the border of the box are positive. A surface that crosses
/// the border has full-resolution nodes there; a solid that covers it has coarse ones.
pub(super) fn border_is_outside(storage: &Storage, grid: &Grid) -> bool {
    let on_border = |node: UVec3| node.cmpeq(UVec3::ZERO).any() || node.cmpge(grid.cells).any();
    let dense = |nodes: &DenseNodes, step: u32| {
        let last = nodes.nodes - 1;
        let is_outside = |x, y, z| {
            let node = UVec3::new(x, y, z);
            !on_border(node * step) || nodes.values[nodes.index(node)] > 0.0
        };
        (0..=last.z).all(|z| {
            (0..=last.y).all(|y| {
                let whole_row = on_border(UVec3::new(1, y, z) * step);
                if whole_row || last.x < 2 {
                    (0..=last.x).all(|x| is_outside(x, y, z))
                } else {
                    is_outside(0, y, z) && is_outside(last.x, y, z)
                }
            })
        })
    };
    match storage {
        Storage::Dense(nodes) => dense(nodes, 1),
        Storage::Sparse(sparse) => {
            dense(&sparse.top, sparse.top_step)
                && sparse.levels.iter().all(|level| {
                    let last = level.nodes - 1;
                    level
                        .bricks()
                        .filter(|(b, _)| b.cmpeq(UVec3::ZERO).any() || (*b * BRICK + 3).cmpge(last).any())
                        .all(|(brick, slot)| {
                            (0..BRICK_NODES as u32).all(|k| {
                                let node = brick * BRICK + UVec3::new(k & 3, k >> 2 & 3, k >> 4);
                                !on_border(node * level.step)
                                    || level.values[slot * BRICK_NODES + k as usize] > 0.0
                            })
                        })
                })
        }
    }
}
