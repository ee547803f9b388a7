//! As far at once as the distance at a node allows.
//!
//! At x, s away from a node with value v, the true distance is at least v − L·s, and within r of x at least v − L·(s + r). The
//! interpolant is lower by the error of full-resolution cells at most (coarser ones begin beyond the band). So the path is free for
//!
//! ```text
//! r = (v − σ − ε)/L − s
//! ```

use std::ops::ControlFlow;

use glam::{DVec3, UVec3};

use super::hierarchy;
use super::piece::{Block, Known};
use super::track::Passage;
use super::walk::Walk;
use crate::field::storage::Storage;

/// Leaps shorter than this many cells are not worth it.
const SHORTEST: f64 = 1.0;

/// What leaps are made by.
struct Leaps {
    /// σ + ε, over L, in cells.
    reserve: f64,
    /// Cells per unit of distance, over L.
    cells: f64,
    /// Time to move by a cell.
    per_cell: f64,
}

/// Visits the blocks that no leap passes over, in order.
pub(super) fn visit<B>(
    walk: &Walk<'_>,
    mut visit: impl FnMut(&Block, &Passage) -> ControlFlow<B>,
) -> Option<B> {
    let field = walk.field;
    if !field.is_certified() || !walk.cells.is_in_band {
        return hierarchy::visit(walk, visit);
    }
    let (mut t, end) = walk.time_inside()?;
    let h = field.grid().cell;
    let cells = 1.0 / (field.lipschitz() * h);
    // A millionth of a cell covers the rounding of places and lengths here.
    let reserve = (walk.iso + field.error_bound()) * cells + 1e-6;
    let leaps = Leaps { reserve, cells, per_cell: 1.0 / walk.track.length };
    loop {
        let cell = walk.track.cell(t);
        let reach = leaps.reach(walk, cell, t);
        if reach > SHORTEST {
            let next = t + reach * leaps.per_cell;
            if next >= end {
                return None;
            }
            if next > t {
                t = next;
                continue;
            }
        }
        let block = walk.cells.find(cell);
        let passage = walk.track.passage(block.first, block.size);
        if !matches!(block.known, Known::Beyond { is_inside: false })
            && let ControlFlow::Break(found) = visit(&block, &passage)
        {
            return Some(found);
        }
        if passage.to >= end {
            return None;
        }
        t = passage.to;
    }
}

impl Leaps {
    /// How far the path is free from time `t`, in cells; the coarsest node first, for it is in cache and reaches far.
    #[inline(always)]
    fn reach(&self, walk: &Walk<'_>, cell: UVec3, t: f64) -> f64 {
        let place = walk.track.place(t);
        match walk.cells.storage {
            Storage::Dense(nodes) => self.by_node(nodes.values[nodes.index(cell)], cell, place),
            Storage::Sparse(nodes) => {
                let half = nodes.top_step / 2;
                // The nearest one that exists.
                let at = ((cell + half) / nodes.top_step).min(nodes.top.nodes - 1);
                let far = self.by_node(nodes.top.values[nodes.top.index(at)], at * nodes.top_step, place);
                if far > SHORTEST {
                    return far;
                }
                for level in nodes.levels[1..].iter().rev() {
                    let at = (cell + level.step / 2) / level.step;
                    if let Some(value) = level.node(at) {
                        let far = self.by_node(value, at * level.step, place);
                        if far > SHORTEST {
                            return far;
                        }
                    }
                }
                0.0
            }
        }
    }

    /// How far a node lets the path go.
    #[inline(always)]
    fn by_node(&self, value: f32, node: UVec3, place: DVec3) -> f64 {
        // Half a unit in the last place of f32 is 2⁻²⁴; ε counts it once already.
        f64::from(value) * self.cells - self.reserve - place.distance(node.as_dvec3())
    }
}
