//! Reading single stored nodes of a field, by asking for the distance where they are.

use glam::{DVec3, UVec3};
use isotouch::field::{Distance, Field, StorageKind};

use crate::random::Random;

/// A node as the field stores it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StoredNode {
    pub(crate) position: DVec3,
    pub(crate) value: f32,
    /// Cells between it and its neighbours: 1 at full resolution, 4, 16… where a sparse field is coarse.
    pub(crate) step: u32,
}

/// The node at the lower corner of the stored cell that holds a cell of the grid.
///
/// `None` where it cannot be read: its position rounds to somewhere beside it, and a value so near zero that it is
/// changed by that (less than about 10⁻⁶ cells).
fn node_of_cell(field: &Field, cell: UVec3) -> Option<StoredNode> {
    let step = step_at(field, just_in(field, cell)?)?;
    let node = cell - cell % step;
    let position = field.grid().node_position(node.as_ivec3());
    let probe = just_in(field, node)?;
    // Coarse cells overlap finer ones, so the lower corner may be stored more finely.
    let step = step_at(field, probe)?;
    let Distance::Interpolated(value) = field.distance(probe) else { return None };
    let (_, at) = field.grid().locate(probe)?;
    // The interpolant's slope along each axis is at most 1.
    let doubt = (at.x + at.y + at.z) * field.grid().cell + value.abs() * 1e-15;
    let is_sure = at == DVec3::ZERO || doubt < value.abs() * 2f64.powi(-27);
    is_sure.then_some(StoredNode { position, value: value as f32, step })
}

/// A point of a cell, as near to its lower corner as rounding lets it be.
fn just_in(field: &Field, cell: UVec3) -> Option<DVec3> {
    let grid = field.grid();
    let mut p = grid.node_position(cell.as_ivec3());
    for _ in 0..8 {
        let (found, _) = grid.locate(p)?;
        if found == cell {
            return Some(p);
        }
        for axis in 0..3 {
            if found[axis] < cell[axis] {
                // The least change that the difference from the origin notices.
                p[axis] += p[axis].abs().max(grid.origin[axis].abs()) * f64::EPSILON;
            }
        }
    }
    None
}

/// The edge of the stored cell around a point, in cells of the grid; the error bound grows in proportion to it.
fn step_at(field: &Field, p: DVec3) -> Option<u32> {
    let per_cell = 0.75f64.sqrt() * field.lipschitz() * field.grid().cell;
    let rounding = field.error_bound() - per_cell;
    Some(((field.error_bound_at(p)? - rounding) / per_cell).round() as u32)
}

/// Random stored nodes, and how many were drawn but could not be read. Of a sparse field one half is at full resolution, the
/// other coarser.
pub(crate) fn draw(field: &Field, count: usize, seed: u64) -> (Vec<StoredNode>, u64) {
    /// Draws per wanted node before giving up on a kind that is rare.
    const PATIENCE: usize = 200;
    let wanted_fine = if field.storage() == StorageKind::Dense { count } else { count / 2 };
    let mut random = Random::new(seed);
    let mut nodes = Vec::with_capacity(count);
    let (mut fine, mut unreadable) = (0, 0);
    for _ in 0..PATIENCE * count {
        if nodes.len() == count {
            break;
        }
        let Some(node) = node_of_cell(field, random.index_below(field.grid().cells)) else {
            unreadable += 1;
            continue;
        };
        let coarse = nodes.len() - fine;
        if node.step == 1 && fine < wanted_fine {
            fine += 1;
            nodes.push(node);
        } else if node.step > 1 && coarse < count - wanted_fine {
            nodes.push(node);
        }
    }
    (nodes, unreadable)
}
