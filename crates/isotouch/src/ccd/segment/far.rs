//! Nodes that tell how far the surface is.

use glam::{DVec3, UVec3};

use super::hierarchy::Side;

use crate::field::storage::{BrickView, Storage};

/// Levels between the coarsest and the finest that are asked.
const MOST_BETWEEN: usize = 2;

/// Nodes of a field that lie far apart, and so in cache: the coarsest level of a sparse field, then those between. Of a dense
/// field, all nodes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Far<'a> {
    values: &'a [f32],
    /// Nodes per axis.
    nodes: UVec3,
    /// Their spacing, in cells.
    pub(super) step: u32,
    between: [Option<BrickView<'a>>; MOST_BETWEEN],
}

/// How far a path may leap from a node, in cells: value·cells − reserve − the way to the node.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reach {
    /// Cells per unit of distance, over L.
    pub(super) cells: f64,
    /// σ + ε, over L, in cells.
    pub(super) reserve: f64,
}

/// The same on both sides of σ.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reaches {
    pub(super) above: Reach,
    /// Of values with their sign changed.
    pub(super) below: Reach,
}

impl<'a> Far<'a> {
    #[inline(always)]
    pub(super) fn new(storage: &'a Storage) -> Self {
        match storage {
            Storage::Dense(nodes) => {
                Self { values: &nodes.values, nodes: nodes.nodes, step: 1, between: [None; MOST_BETWEEN] }
            }
            Storage::Sparse(nodes) => {
                let level = |k: usize| nodes.levels.get(k).map(|level| level.view());
                // Coarser ones first.
                let between = [level(2), level(1)];
                Self { values: &nodes.top.values, nodes: nodes.top.nodes, step: nodes.top_step, between }
            }
        }
    }

    /// How far a path is free from a place of the grid on, in cells, by the coarsest nodes.
    #[inline(always)]
    pub(super) fn reach(&self, by: &Reach, place: DVec3) -> f64 {
        let at = nearest(place, self.step).min(self.nodes - 1);
        by.of_node(self.value(at), at * self.step, place)
    }

    /// The value of one of the coarsest nodes.
    #[inline(always)]
    pub(super) fn value(&self, at: UVec3) -> f32 {
        let index =
            at.x as usize + self.nodes.x as usize * (at.y as usize + self.nodes.y as usize * at.z as usize);
        self.values[index]
    }

    /// The same by the nodes between, the coarsest that lets it go farther than `least`; otherwise something not above that.
    #[inline(always)]
    pub(super) fn reach_between(&self, by: &Reach, place: DVec3, least: f64) -> f64 {
        for level in self.between.iter().flatten() {
            let at = nearest(place, level.step);
            if let Some(value) = level.node(at) {
                let reach = by.of_node(value, at * level.step, place);
                if reach > least {
                    return reach;
                }
            }
        }
        least
    }

    /// On which side of σ a path stays for longer than `least`, and how far, in cells, by the coarsest node that tells.
    #[inline(always)]
    pub(super) fn side(&self, by: &Reaches, place: DVec3, least: f64) -> Option<(Side, f64)> {
        let at = nearest(place, self.step).min(self.nodes - 1);
        let found = by.of_node(self.value(at), at * self.step, place, least);
        if found.is_some() {
            return found;
        }
        for level in self.between.iter().flatten() {
            let at = nearest(place, level.step);
            let found = level.node(at).and_then(|value| by.of_node(value, at * level.step, place, least));
            if found.is_some() {
                return found;
            }
        }
        None
    }
}

impl Reaches {
    /// For all that is within a radius of the path, in cells.
    #[inline(always)]
    pub(super) fn around(&self, radius: f64) -> Self {
        let less = |reach: Reach| Reach { reserve: reach.reserve + radius, ..reach };
        Self { above: less(self.above), below: less(self.below) }
    }

    /// Written so that NaN is on no side.
    #[inline(always)]
    fn of_node(&self, value: f32, node: UVec3, place: DVec3, least: f64) -> Option<(Side, f64)> {
        let away = place.distance(node.as_dvec3());
        let above = f64::from(value) * self.above.cells - self.above.reserve;
        let below = -f64::from(value) * self.below.cells - self.below.reserve;
        let (side, reach) =
            if above > below { (Side::Above, above - away) } else { (Side::Below, below - away) };
        (reach > least).then_some((side, reach))
    }
}

impl Reach {
    #[inline(always)]
    fn of_node(&self, value: f32, node: UVec3, place: DVec3) -> f64 {
        f64::from(value) * self.cells - self.reserve - place.distance(node.as_dvec3())
    }
}

/// The node nearest to a place. Steps are powers of two.
#[inline(always)]
fn nearest(place: DVec3, step: u32) -> UVec3 {
    (place * (1.0 / f64::from(step)) + 0.5).as_uvec3()
}
