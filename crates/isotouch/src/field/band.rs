//! Whether a sparse field keeps the band it states, told from its nodes alone.
//!
//! The promise: every cell of a level with a corner of |φ| ≤ band · spacing is whole, so around each such node all nodes of
//! the level are stored. A brick that is missing can be caught breaking it by
//!
//! - a node beside it at its own level,
//! - a node of the next coarser level, which is a node of its level as well: the first one of a brick,
//! - two neighbours a, b of the coarser level, by the node m of its level halfway between them, 2 spacings s from both. With
//!   one sign, |φ(m)| ≤ min(|a|, |b|) + 2·L·s. With two, a zero lies in between, at least |a|/L from a and |b|/L from b, so
//!   |φ(m)| ≤ 2·L·s − min(|a|, |b|). Not so beyond the rim of an open sheet, where sides meet without a zero.
//!
//! These are necessary conditions, and true of any field along the axes. Not everything that is missing is found: a sheet
//! thinner than the coarser cells may leave no trace in them.

use glam::UVec3;
use rayon::prelude::*;

use super::storage::bricks::{BRICK, BRICK_NODES};
use super::storage::{BrickLevel, DenseNodes, SparseNodes};
use super::{Facts, Grid};

/// The first brick (in index order) that is missing, and how many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) count: usize,
    /// Grid index of the first one's first node.
    pub(crate) node: UVec3,
    /// Its spacing, in cells.
    pub(crate) step: u32,
}

/// Looks for bricks that the band needs and the field lacks.
pub(crate) fn check(nodes: &SparseNodes, grid: &Grid, facts: &Facts) -> Result<(), Missing> {
    for (k, level) in nodes.levels.iter().enumerate() {
        let spacing = grid.cell * f64::from(level.step);
        // Values were rounded to f32 after it was decided which are in the band; a millionth covers that.
        let band = Band {
            level,
            reach: facts.band * spacing * (1.0 - 1e-6),
            drop: 2.0 * facts.lipschitz * spacing,
            has_zeros: facts.is_certified,
        };
        let mut missing = band.beside_own_nodes();
        missing.extend(match nodes.levels.get(k + 1) {
            Some(coarser) => band.below_bricks(coarser),
            None => band.below_dense(&nodes.top),
        });
        missing.sort_unstable_by_key(|brick| (brick.z, brick.y, brick.x));
        missing.dedup();
        if let Some(first) = missing.first() {
            return Err(Missing {
                count: missing.len(),
                node: *first * BRICK * level.step,
                step: level.step,
            });
        }
    }
    Ok(())
}

/// The band of one level.
struct Band<'a> {
    level: &'a BrickLevel,
    /// Nodes up to this |φ| are in it.
    reach: f64,
    /// Most that φ can change between a coarser node and the next node halfway.
    drop: f64,
    /// Whether there is a zero between any two nodes with two signs.
    has_zeros: bool,
}

impl Band<'_> {
    fn holds(&self, value: f32) -> bool {
        f64::from(value.abs()) <= self.reach
    }

    /// Whether the level should have such a brick and has not.
    fn lacks(&self, brick: UVec3) -> bool {
        (brick * BRICK).cmplt(self.level.nodes).all() && self.level.slot(brick).is_none()
    }

    /// Missing bricks that touch a stored node in the band.
    fn beside_own_nodes(&self) -> Vec<UVec3> {
        let bricks: Vec<(UVec3, usize)> = self.level.bricks().collect();
        bricks
            .par_iter()
            .with_min_len(1024)
            .flat_map_iter(|&(brick, slot)| self.around(brick, slot))
            .collect()
    }

    fn around(&self, brick: UVec3, slot: usize) -> impl Iterator<Item = UVec3> {
        let values = &self.level.values[slot * BRICK_NODES..(slot + 1) * BRICK_NODES];
        // Sides are 0 below, 1 within, 2 above; the thirteenth direction is the brick itself.
        let directions = (0..27u32).filter(|&k| k != 13).map(|k| UVec3::new(k % 3, k / 3 % 3, k / 9));
        directions.filter_map(move |side| {
            if (brick + side).cmpeq(UVec3::ZERO).any() {
                return None;
            }
            let beside = brick + side - 1;
            (self.lacks(beside) && self.touches((brick, values), side)).then_some(beside)
        })
    }

    /// Whether a brick has a node in the band on that side. Nodes past the level's last belong to no cell and ask for nothing.
    fn touches(&self, (brick, values): (UVec3, &[f32]), side: UVec3) -> bool {
        values.iter().enumerate().any(|(k, &value)| {
            let k = k as u32;
            let node = UVec3::new(k & 3, k >> 2 & 3, k >> 4);
            if (brick * BRICK + node).cmpge(self.level.nodes).any() {
                return false;
            }
            let touches = |axis: usize| match side[axis] {
                0 => node[axis] == 0,
                1 => true,
                _ => node[axis] == BRICK - 1,
            };
            (0..3).all(touches) && self.holds(value)
        })
    }

    fn below_dense(&self, coarser: &DenseNodes) -> Vec<UVec3> {
        let n = coarser.nodes;
        let value = |node: UVec3| node.cmplt(n).all().then(|| coarser.values[coarser.index(node)]);
        (0..n.z)
            .into_par_iter()
            .flat_map_iter(|z| (0..n.y).flat_map(move |y| (0..n.x).map(move |x| UVec3::new(x, y, z))))
            .flat_map_iter(|node| self.below(node, value))
            .collect()
    }

    fn below_bricks(&self, coarser: &BrickLevel) -> Vec<UVec3> {
        let bricks: Vec<(UVec3, usize)> = coarser.bricks().collect();
        bricks
            .par_iter()
            .flat_map_iter(|&(brick, _)| {
                let nodes = (0..BRICK_NODES as u32).map(|k| UVec3::new(k & 3, k >> 2 & 3, k >> 4));
                nodes.map(move |within| brick * BRICK + within)
            })
            .flat_map_iter(|node| self.below(node, |node| coarser.node(node)))
            .collect()
    }

    /// Missing bricks around a node of the coarser level, and around the nodes halfway to the next ones.
    fn below(&self, node: UVec3, value: impl Fn(UVec3) -> Option<f32>) -> Vec<UVec3> {
        let mut missing = Vec::new();
        // The coarser level may reach past the last node of this one.
        let Some(own) = value(node).filter(|_| (node * BRICK).cmplt(self.level.nodes).all()) else {
            return missing;
        };
        // A node of the coarser level is the first node of the brick with its index.
        if self.holds(own) {
            self.add_lacking(node, UVec3::ONE, &mut missing);
        }
        for axis in 0..3 {
            let next = node + UVec3::AXES[axis];
            let halfway = node * BRICK + 2 * UVec3::AXES[axis];
            let Some(other) = value(next).filter(|_| halfway.cmplt(self.level.nodes).all()) else { continue };
            let least = f64::from(own.abs().min(other.abs()));
            let is_crossed = self.has_zeros && (own < 0.0) != (other < 0.0);
            let at_most = if is_crossed { self.drop - least } else { self.drop + least };
            if at_most <= self.reach {
                self.add_lacking(node, UVec3::ONE - UVec3::AXES[axis], &mut missing);
            }
        }
        missing
    }

    /// Adds what is lacking among a brick and those below it along the axes with a 1.
    fn add_lacking(&self, brick: UVec3, along: UVec3, missing: &mut Vec<UVec3>) {
        for k in 0..8u32 {
            let back = UVec3::new(k & 1, k >> 1 & 1, k >> 2);
            if back.cmple(along).all() && back.cmple(brick).all() && self.lacks(brick - back) {
                missing.push(brick - back);
            }
        }
    }
}

#[cfg(test)]
mod tests;
