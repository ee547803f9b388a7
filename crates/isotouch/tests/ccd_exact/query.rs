//! One question to a field, with what its answers are allowed to be off by.

use std::fmt;

use isotouch::ccd::{CastOptions, Hit, Interval, Segment};
use isotouch::field::Distance;
use isotouch::math::DVec3;

use crate::path::Path;
use crate::scenes::Scene;

/// One question to a field.
pub(crate) struct Query<'a> {
    pub(crate) scene: &'a Scene,
    pub(crate) segment: Segment,
    pub(crate) iso: f64,
}

impl Query<'_> {
    pub(crate) fn path(&self) -> Path {
        Path::new(self.scene.nodes(), &self.segment, self.iso)
    }

    pub(crate) fn first_hit(&self) -> Option<Hit> {
        self.scene.dense.first_hit(&self.segment, self.iso, &CastOptions::default())
    }

    pub(crate) fn intervals(&self) -> Vec<Interval> {
        self.scene.dense.intervals(&self.segment, self.iso, &CastOptions::default())
    }

    /// How much φ can change along an axis over the length of a cell, as the field knows it: by its Lipschitz bound, and by the
    /// rounding of nodes that the bound leaves out.
    pub(crate) fn steepness(&self) -> f64 {
        let largest = self.scene.values.iter().map(|v| f64::from(v.abs())).fold(0.0, f64::max);
        self.scene.dense.lipschitz() * self.scene.grid.cell + 2f64.powi(-22) * largest
    }

    /// The farthest end from the origin of the grid, in cells.
    pub(crate) fn reach(&self) -> f64 {
        let in_cells = |at: DVec3| ((at - self.scene.grid.origin) / self.scene.grid.cell).abs().max_element();
        in_cells(self.segment.from).max(in_cells(self.segment.to))
    }

    /// How far the path may be taken to be from where it is, in cells. A few 10⁻¹¹, says the module; a path with ends at u cells has
    /// places, and times, that are off by some 2⁻⁵³ u.
    pub(crate) fn blur(&self) -> f64 {
        5e-11 + 64.0 * f64::EPSILON * self.reach()
    }

    /// A time outside the box, among some, at which a function with the field's nodes and Lipschitz bound goes below σ: the lowest
    /// such function is maxₙ φₙ − L·|x − xₙ| (McShane 1934).
    pub(crate) fn may_be_below(&self, path: &Path, is_asked: impl Fn(f64) -> bool) -> Option<f64> {
        let lipschitz = self.scene.dense.lipschitz();
        let least = |at: DVec3| {
            let nodes = self.scene.values.iter().zip(self.scene.places());
            nodes.map(|(&v, node)| f64::from(v) - lipschitz * at.distance(node)).fold(f64::MIN, f64::max)
        };
        let mut times = self.times_outside(path).filter(|&t| is_asked(t));
        times.find(|&t| least(self.segment.at(t)) < self.iso - self.tolerance())
    }

    /// A time outside the box, among some, of which the field says that it knows nothing.
    pub(crate) fn is_unknown(&self, path: &Path, is_asked: impl Fn(f64) -> bool) -> Option<f64> {
        let mut times = self.times_outside(path).filter(|&t| is_asked(t));
        times.find(|&t| self.scene.dense.distance(self.segment.at(t)) == Distance::Unknown)
    }

    fn times_outside(&self, path: &Path) -> impl Iterator<Item = f64> {
        let in_box = path.time_inside(-self.blur());
        let times = (0..=16).map(|k| f64::from(k) / 16.0);
        times.filter(move |t| in_box.is_none_or(|(from, to)| *t < from || *t > to))
    }

    /// What rounding of points may make of the lower bound of the distance: a few roundings of their coordinates, which may be far larger
    /// than cells.
    pub(crate) fn rounding_outside(&self) -> f64 {
        let largest = self.segment.from.abs().max(self.segment.to.abs()).max_element();
        8.0 * f64::EPSILON * largest * self.scene.dense.lipschitz()
    }

    /// How far from σ a hit may be.
    pub(crate) fn tolerance(&self) -> f64 {
        self.steepness() * self.blur()
    }
}

impl fmt::Display for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Scene { grid, dense, .. }, iso) = (self.scene, self.iso);
        let (range, lipschitz) = (dense.value_range(), dense.lipschitz());
        write!(f, "{:?} σ = {iso:e} in {grid:?} with {range:?}, L = {lipschitz:e}", self.segment)
    }
}
