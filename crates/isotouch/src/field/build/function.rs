//! Node values from a function, or from another grid.

use glam::{DVec3, IVec3};

use super::sampler::{Octet, OctetValues, Sampler};
use crate::field::Grid;
use crate::field::interpolate::interpolate;
use crate::field::storage::DenseNodes;
use crate::field::storage::bricks::BRICK_NODES;
use crate::math::Aabb;

/// A function with a stated Lipschitz bound on a region. Beyond the region the value of its nearest point holds.
///
/// That keeps the Lipschitz bound L, since projecting onto a box is a contraction. It keeps ε = L·(√3/2)·h too, even as a
/// bound for a function that goes on outside: the interpolant at x is a mean of f(πxᵢ) with weights wᵢ, off by at most
/// L·√(Σ wᵢ|πxᵢ − x|²). Along an axis, in units of the spacing of the nodes around x, with x at u, the lower node pulled from
/// 0 to α and the upper one from 1 to γ, the sum is
///
/// ```text
/// S = (1 − u)(u − α)² + u(γ − u)²
/// ```
///
/// and S ≤ ¼ on each axis is what ε needs. The box ends no more than half a cell of the grid beyond the region. S is convex in α
/// and in γ, so their extremes decide:
///
/// - Nodes at every cell: the last one is the end of the box, so α ≤ ½ ≤ γ. At (α, γ) = (0, 1) S = u(1 − u), at (½, ½)
///   (u − ½)², at (0, ½) u/4, at (½, 1) (1 − u)/4: all ≤ ¼.
/// - Nodes at every 4th cell or fewer: they may lie far beyond, with γ near 0, but x does not: α ≤ ⅛ and u ≤ γ + ⅛. At γ = 1
///   S ≤ u(1 − u) for α = 0 and (1 − u)(¾u + 1/64) for α = ⅛, at most ¼; at the least γ, the larger one of 0 and u − ⅛,
///   S ≤ (1 − u)·max(u², 1/64) + u/64 ≤ 4/27 + 1/64 < ¼.
pub(super) struct FunctionSampler<F> {
    pub(super) function: F,
    pub(super) region: Aabb,
    pub(super) lipschitz: f64,
}

impl<F: Fn(DVec3) -> f64> FunctionSampler<F> {
    fn value(&self, p: DVec3) -> f64 {
        (self.function)(self.region.project(p))
    }
}

impl<F: Fn(DVec3) -> f64 + Sync> Sampler for FunctionSampler<F> {
    type Scratch = ();

    fn scratch(&self) {}

    fn lipschitz(&self) -> f64 {
        self.lipschitz
    }

    fn is_within(&self, (): &mut (), p: DVec3, bound: f64) -> bool {
        let is_beyond = self.value(p).abs() > bound;
        // NaN is beyond nothing: it is kept, and then found by the check.
        !is_beyond
    }

    fn sample(&self, (): &mut (), octet: &Octet, wanted: u8, out: &mut OctetValues) {
        for brick in (0..8).filter(|brick| wanted >> brick & 1 != 0) {
            for node in 0..BRICK_NODES {
                out[brick][node] = self.value(octet.position(brick, node)) as f32;
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
