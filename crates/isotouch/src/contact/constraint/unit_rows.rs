//! Rows as the search sees them: of unit length, eight side by side, so that one look at eight is one run of vector instructions.

use super::basis::{Six, length};
use crate::math::spatial::Cholesky6;
use crate::simd::{SimdLevel, multiversioned};

/// Rows g·y ≤ c with |g| = 1.
#[derive(Debug, Clone)]
pub(super) struct UnitRows {
    blocks: Vec<Block>,
    count: usize,
    level: SimdLevel,
}

#[derive(Debug, Clone, Copy)]
struct Block {
    parts: [[f64; 8]; 6],
    limits: [f64; 8],
    /// What c is computed from, which says how exact it is, and how far y may have to go.
    sizes: [f64; 8],
}

impl Block {
    /// Rows that never bind.
    const EMPTY: Self = Self { parts: [[0.0; 8]; 6], limits: [f64::INFINITY; 8], sizes: [0.0; 8] };
}

/// Eight rows J·a ≤ b, as they were given; and then |L⁻¹·J| of each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Eight {
    pub(super) parts: [[f64; 8]; 6],
    pub(super) bounds: [f64; 8],
    pub(super) norms: [f64; 8],
}

impl UnitRows {
    pub(super) fn with_capacity(rows: usize) -> Self {
        let blocks = Vec::with_capacity(rows.div_ceil(8));
        Self { blocks, count: 0, level: SimdLevel::detect() }
    }

    pub(super) fn clear(&mut self) {
        self.blocks.clear();
        self.count = 0;
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// A row that never binds has an infinite limit, whatever its direction.
    #[inline]
    pub(super) fn push(&mut self, direction: &Six, limit: f64, size: f64) {
        if self.count.is_multiple_of(8) {
            self.blocks.push(Block::EMPTY);
        }
        self.count += 1;
        self.set(self.count - 1, direction, limit, size);
    }

    /// Eight at once; only after a multiple of eight. `from` is Lᵀu, and `far` its length. Whether that was possible: not where squares overflow or vanish, or limits are not finite, and then
    /// nothing is done.
    pub(super) fn push_eight(&mut self, metric: &Cholesky6, eight: &mut Eight, from: &Six, far: f64) -> bool {
        debug_assert!(self.count.is_multiple_of(8));
        let mut block = Block::EMPTY;
        unit_rows(self.level, metric, eight, &mut block, from, far);
        // Below 10⁻¹⁴⁰ squares lose digits. Written so that NaN is not sound.
        let is_sound = |k: usize| {
            eight.norms[k] > 1e-140 && eight.norms[k] < f64::INFINITY && block.limits[k].abs() < f64::INFINITY
        };
        let are_sound = (0..8).all(is_sound);
        if are_sound {
            self.blocks.push(block);
            self.count += 8;
        }
        are_sound
    }

    /// Another row in its place, with a limit that is exact.
    pub(super) fn replace(&mut self, row: usize, direction: &Six, limit: f64) {
        self.set(row, direction, limit, if limit.is_finite() { limit.abs() } else { 0.0 });
    }

    #[inline]
    fn set(&mut self, row: usize, direction: &Six, limit: f64, size: f64) {
        let (block, k) = (&mut self.blocks[row / 8], row % 8);
        for (part, &x) in block.parts.iter_mut().zip(direction) {
            part[k] = x;
        }
        (block.limits[k], block.sizes[k]) = (limit, size);
    }

    pub(super) fn direction(&self, row: usize) -> Six {
        self.blocks[row / 8].parts.map(|part| part[row % 8])
    }

    pub(super) fn limit(&self, row: usize) -> f64 {
        self.blocks[row / 8].limits[row % 8]
    }

    pub(super) fn size(&self, row: usize) -> f64 {
        self.blocks[row / 8].sizes[row % 8]
    }

    /// The row that y violates most, if by more than the tolerance; of those that y violates alike, the first.
    pub(super) fn most_violated(&self, y: &Six, tolerance: f64) -> Option<usize> {
        most_violated(self.level, &self.blocks, y, tolerance)
    }
}

#[inline(always)]
fn most_violated_body(blocks: &[Block], y: &Six, tolerance: f64) -> Option<usize> {
    let (mut worst, mut most) = (None, tolerance * length(y));
    for (b, block) in blocks.iter().enumerate() {
        let mut violations = [0.0; 8];
        let p = &block.parts;
        for k in 0..8 {
            let along = (p[0][k] * y[0] + p[1][k] * y[1])
                + (p[2][k] * y[2] + p[3][k] * y[3])
                + (p[4][k] * y[4] + p[5][k] * y[5]);
            violations[k] = along - (block.limits[k] + tolerance * block.sizes[k]);
        }
        // Most blocks have none.
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        let v = &violations;
        let largest = larger(
            larger(larger(v[0], v[1]), larger(v[2], v[3])),
            larger(larger(v[4], v[5]), larger(v[6], v[7])),
        );
        if largest > most {
            for (k, &v) in violations.iter().enumerate() {
                if v > most {
                    (worst, most) = (Some(8 * b + k), v);
                }
            }
        }
    }
    worst
}

multiversioned! {
    /// [`UnitRows::most_violated`].
    fn most_violated(blocks: &[Block], y: &Six, tolerance: f64) -> Option<usize> = most_violated_body
}

/// As `Solver::load` has it for one row.
#[inline(always)]
fn unit_rows_body(metric: &Cholesky6, eight: &mut Eight, block: &mut Block, from: &Six, far: f64) {
    let mut parts = eight.parts;
    metric.whiten_eight(&mut parts);
    let p = &mut parts;
    for k in 0..8 {
        let square = (p[0][k] * p[0][k] + p[1][k] * p[1][k])
            + (p[2][k] * p[2][k] + p[3][k] * p[3][k])
            + (p[4][k] * p[4][k] + p[5][k] * p[5][k]);
        let norm = square.sqrt();
        let scale = 1.0 / norm;
        for part in p.iter_mut() {
            part[k] *= scale;
        }
        let along = (p[0][k] * from[0] + p[1][k] * from[1])
            + (p[2][k] * from[2] + p[3][k] * from[3])
            + (p[4][k] * from[4] + p[5][k] * from[5]);
        let distance = eight.bounds[k] / norm;
        block.limits[k] = distance - along;
        block.sizes[k] = distance.abs() + far;
        eight.norms[k] = norm;
    }
    block.parts = parts;
}

multiversioned! {
    /// [`UnitRows::push_eight`].
    fn unit_rows(metric: &Cholesky6, eight: &mut Eight, block: &mut Block, from: &Six, far: f64) = unit_rows_body
}
