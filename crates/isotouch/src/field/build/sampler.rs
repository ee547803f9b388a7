//! Where node values come from, seen from the builder.

use glam::{DVec3, IVec3};

use crate::field::Grid;
use crate::field::storage::bricks::BRICK_NODES;

/// Nodes along the edge of an [`Octet`].
pub(super) const OCTET: usize = 8;

/// 8³ nodes, that is 2³ bricks, at some level's spacing: the unit in which values are computed.
#[derive(Debug, Clone)]
pub(crate) struct Octet {
    /// Coordinates of its nodes along each axis.
    pub(crate) at: [[f64; OCTET]; 3],
    /// Distance between neighbouring nodes.
    pub(crate) spacing: f64,
    /// Grid index of its first node, and how many grid cells apart its nodes are.
    pub(crate) first: IVec3,
    pub(crate) step: i32,
}

/// Values of an octet: eight bricks (x fastest) of 64 nodes (x fastest). Bricks not wanted hold anything.
pub(crate) type OctetValues = [[f32; BRICK_NODES]; 8];

impl Octet {
    /// The octet whose first node is `first`, counted in nodes of a level with `step` cells of spacing.
    pub(crate) fn new(grid: &Grid, first: IVec3, step: u32) -> Self {
        let step = step as i32;
        // The index in grid cells is multiplied out before the cell size: a node shared by two levels
        // has the same coordinates, to the last bit, in both.
        let at = [0, 1, 2].map(|axis| {
            std::array::from_fn(|k| {
                grid.origin[axis] + grid.cell * f64::from((first[axis] + k as i32) * step)
            })
        });
        Self { at, spacing: grid.cell * f64::from(step), first: first * step, step }
    }

    /// The middle of its nodes.
    #[inline(always)]
    pub(crate) fn center(&self) -> DVec3 {
        let middle = |axis: usize| 0.5 * (self.at[axis][0] + self.at[axis][OCTET - 1]);
        DVec3::new(middle(0), middle(1), middle(2))
    }

    /// Grid index of one of its nodes.
    pub(crate) fn node(&self, brick: usize, within: usize) -> IVec3 {
        self.first + self.local(brick, within) * self.step
    }

    /// Position of one of its nodes.
    pub(crate) fn position(&self, brick: usize, within: usize) -> DVec3 {
        let local = self.local(brick, within);
        DVec3::new(self.at[0][local.x as usize], self.at[1][local.y as usize], self.at[2][local.z as usize])
    }

    fn local(&self, brick: usize, within: usize) -> IVec3 {
        let axis = |bit: usize, digit: usize| ((brick >> bit & 1) * 4 + (within >> (2 * digit) & 3)) as i32;
        IVec3::new(axis(0, 0), axis(1, 1), axis(2, 2))
    }
}

/// A source of node values. All methods are pure: the same question has the same answer on any thread.
pub(crate) trait Sampler: Sync {
    /// Working memory of one thread.
    type Scratch: Send;

    fn scratch(&self) -> Self::Scratch;

    /// The values change by at most this much per unit of length: 1 for distances.
    fn lipschitz(&self) -> f64;

    /// Whether the value at `p` is between −`bound` and `bound`.
    fn is_within(&self, scratch: &mut Self::Scratch, p: DVec3, bound: f64) -> bool;

    /// Values at the nodes of the wanted bricks (bit k for brick k).
    fn sample(&self, scratch: &mut Self::Scratch, octet: &Octet, wanted: u8, out: &mut OctetValues);
}
