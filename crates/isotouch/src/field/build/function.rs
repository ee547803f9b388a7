//! Node values from a function, or from another grid.

use glam::{DVec3, IVec3};

use super::sampler::{Octet, OctetValues, Sampler};
use crate::field::Grid;
use crate::field::interpolate::interpolate;
use crate::field::storage::DenseNodes;
use crate::field::storage::bricks::BRICK_NODES;

/// A function with a stated Lipschitz bound.
pub(super) struct FunctionSampler<F> {
    pub(super) function: F,
    pub(super) lipschitz: f64,
}

impl<F: Fn(DVec3) -> f64 + Sync> Sampler for FunctionSampler<F> {
    type Scratch = ();

    fn scratch(&self) {}

    fn lipschitz(&self) -> f64 {
        self.lipschitz
    }

    fn is_within(&self, (): &mut (), p: DVec3, bound: f64) -> bool {
        let is_beyond = (self.function)(p).abs() > bound;
        // NaN is beyond nothing: it is kept, and then found by the check.
        !is_beyond
    }

    fn sample(&self, (): &mut (), octet: &Octet, wanted: u8, out: &mut OctetValues) {
        for brick in (0..8).filter(|brick| wanted >> brick & 1 != 0) {
            for node in 0..BRICK_NODES {
                out[brick][node] = (self.function)(octet.position(brick, node)) as f32;
            }
        }
    }
}

/// The nodes of another grid. Past its last nodes the nearest one's value holds, which keeps the Lipschitz bound.
pub(super) struct GridSampler<'a> {
    pub(super) grid: &'a Grid,
    pub(super) nodes: &'a DenseNodes,
    /// Bound of the differences between neighbouring nodes, per unit of length.
    pub(super) slope: f64,
}

impl GridSampler<'_> {
    fn node(&self, node: IVec3) -> f32 {
        let last = self.nodes.nodes.as_ivec3() - 1;
        self.nodes.values[self.nodes.index(node.clamp(IVec3::ZERO, last).as_uvec3())]
    }
}

impl Sampler for GridSampler<'_> {
    type Scratch = ();

    fn scratch(&self) {}

    /// The interpolant of values with slopes up to s along each axis is √3·s-Lipschitz.
    fn lipschitz(&self) -> f64 {
        3f64.sqrt() * self.slope
    }

    fn is_within(&self, (): &mut (), p: DVec3, bound: f64) -> bool {
        let inside = self.grid.bounds().project(p);
        let Some((cell, at)) = self.grid.locate(inside) else { return true };
        interpolate(&self.nodes.corners(cell), at).abs() <= bound
    }

    fn sample(&self, (): &mut (), octet: &Octet, wanted: u8, out: &mut OctetValues) {
        for brick in (0..8).filter(|brick| wanted >> brick & 1 != 0) {
            for node in 0..BRICK_NODES {
                out[brick][node] = self.node(octet.node(brick, node));
            }
        }
    }
}
