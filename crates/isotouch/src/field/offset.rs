//! Fields of grown and shrunk solids.
//!
//! The solid grown by σ is all that is within σ of it: φ ≤ σ. The function φ − σ has its surface as level set 0 and is as
//! steep as φ, so everything certain about φ is certain about it. It is the *distance* to the grown surface only where
//! nothing of the old solid is in between: outside for σ > 0, inside for σ < 0. On the other side |φ − σ| is a lower bound of it,
//! since the grown surface may have lost what a distance would have been measured to (the far side of a notch that filled up).

use bytemuck::Pod;
use rayon::prelude::*;

use super::bounds::BoundsLevel;
use super::storage::{BrickLevel, Buffer, DenseNodes, SparseNodes, Storage};
use super::{Bounds, Facts, Field, FieldOptions, SignMethod, StorageKind};
use crate::math::Aabb;
use crate::numbers::number;

/// Why a field has no offset field.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum OffsetError {
    /// Not a number, or values would be beyond `f32`.
    #[error("the offset is {by}; it must be a finite number, and small enough to store in `f32`")]
    OutOfRange {
        /// What was given.
        by: f64,
    },
    /// The solid is thinner than that everywhere.
    #[error("an offset of {by} leaves nothing of the solid, which is at most {} deep", number(*depth))]
    NothingLeft {
        /// What was given.
        by: f64,
        /// How far inside the deepest node is; 0 if none is.
        depth: f64,
    },
    /// The sparse field is coarse where the new surface would be.
    #[error(
        "an offset of {by} goes {:.1} cells from the surface, but only {band} are fine in this sparse field; build it from its \
         mesh with a band of at least {needed} cells, or dense", by.abs() / cell
    )]
    OutsideBand {
        /// What was given.
        by: f64,
        /// Size of a cell.
        cell: f64,
        /// The field's band, in cells.
        band: f64,
        /// Cells of band that would do.
        needed: f64,
    },
}

impl FieldOptions {
    /// These options with room for an offset: padding for what the solid grows by, and a band that is as wide as before around
    /// the new surface. The resolution stays, so cells grow with the box.
    ///
    /// ```
    /// use isotouch::{field::{Field, FieldOptions}, mesh::shapes};
    /// let ball = shapes::sphere(1.0, 5120).unwrap();
    /// let options = FieldOptions { resolution: 64, ..Default::default() }.with_room_for(0.5, ball.bounds());
    /// let grown = Field::from_mesh(&ball, &options)?.offset(0.5)?;
    /// assert!(grown.is_certified_outside());
    /// assert!((grown.distance([1.6, 0.0, 0.0].into()).value() - 0.1).abs() < grown.error_bound());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_room_for(&self, offset: f64, solid: Aabb) -> Self {
        let longest = solid.extent().max_element();
        let padding = self.padding + (offset / longest).max(0.0);
        let along_longest = longest * (1.0 + 2.0 * padding);
        let cell = self.cell_size.unwrap_or(along_longest / f64::from(self.resolution));
        // A hair more, so that rounding does not take a cell away when the offset is subtracted again.
        Self { padding, band: self.band + offset.abs() / cell * (1.0 + 1e-9), ..self.clone() }
    }
}

impl Field {
    /// The field of the solid grown by `by`, or shrunk when it is below 0: φ − `by` at every node.
    ///
    /// Outside a grown solid, and inside a shrunk one, nodes hold the exact distance to its surface; on the other side the
    /// distance is at least as large as what they hold. The sign method is [`SignMethod::Given`], as of any function, unless it
    /// was one without a certificate beyond the rim of an open sheet, which stays. The second rounding of every value is paid
    /// for by a Lipschitz bound a few millionths above that of the field.
    ///
    /// The band of a sparse field shrinks by the offset: [`FieldOptions::with_room_for`] makes it wide enough beforehand. Where the
    /// grown solid reaches the border of the box, nothing is known outside it. Elsewhere the bounds of a mesh's field outside its box hold for its offsets, too.
    pub fn offset(&self, by: f64) -> Result<Self, OffsetError> {
        let cell = self.grid.cell;
        let fits = f64::from(self.largest) + by.abs() < f64::from(f32::MAX);
        // Written so that NaN does not fit.
        if !fits {
            return Err(OffsetError::OutOfRange { by });
        }
        let sign = match self.facts.sign {
            // What was not certain beyond a rim does not become so.
            uncertain @ (SignMethod::Oriented | SignMethod::FaceNormal) if !self.facts.is_certified => {
                uncertain
            }
            _ => SignMethod::Given,
        };
        let grown = match self.facts.grown {
            Some(before) => Some(before + by),
            // What is outside at the border of the box ends within it; only so bounds outside hold.
            None => self.taken_off().filter(|_| self.is_certified_outside()).map(|_| by),
        };
        let mut facts = Facts { sign, grown, ..self.facts };
        if self.storage() == StorageKind::Sparse {
            facts.band = self.facts.band - by.abs() / cell;
            if facts.band < 1.0 {
                let depth = (-f64::from(self.value_range().0)).max(0.0);
                if -by > depth {
                    return Err(OffsetError::NothingLeft { by, depth });
                }
                let needed = (by.abs() / cell + 1.0).ceil();
                return Err(OffsetError::OutsideBand { by, cell, band: self.facts.band, needed });
            }
        }
        // The old values are off by their rounding, 2⁻²⁴·|φ| at most, which the error bound of the new ones does not know of.
        // Two neighbours may be off in opposite directions.
        facts.lipschitz += 2f64.powi(-23) * f64::from(self.largest) / cell;
        // Rounding keeps order, so the least value of a block stays the least.
        let shifted = |value: f32| (f64::from(value) - by) as f32;
        let storage = match &self.storage {
            Storage::Dense(nodes) => Storage::Dense(map_dense(nodes, shifted)),
            Storage::Sparse(nodes) => Storage::Sparse(SparseNodes {
                levels: nodes.levels.iter().map(|level| map_bricks(level, shifted)).collect(),
                top: map_dense(&nodes.top, shifted),
                top_step: nodes.top_step,
            }),
        };
        let levels = self.bounds.levels.iter().map(|level| BoundsLevel {
            block: level.block,
            blocks: level.blocks,
            ranges: map(&level.ranges, |range: [f32; 2]| range.map(shifted)),
        });
        Ok(Self::from_parts(self.grid, storage, Bounds { levels: levels.collect() }, facts))
    }
}

fn map_dense(nodes: &DenseNodes, shifted: impl Fn(f32) -> f32 + Sync) -> DenseNodes {
    DenseNodes { nodes: nodes.nodes, values: map(&nodes.values, shifted) }
}

fn map_bricks(level: &BrickLevel, shifted: impl Fn(f32) -> f32 + Sync) -> BrickLevel {
    BrickLevel {
        step: level.step,
        nodes: level.nodes,
        tile_at: level.tile_at.clone(),
        tiles: level.tiles.clone(),
        values: map(&level.values, &shifted),
        ranges: map(&level.ranges, |range: [f32; 2]| range.map(&shifted)),
    }
}

fn map<T: Pod + Send + Sync>(values: &Buffer<T>, each: impl Fn(T) -> T + Sync) -> Buffer<T> {
    values.par_iter().with_min_len(1 << 14).map(|&value| each(value)).collect::<Vec<T>>().into()
}
