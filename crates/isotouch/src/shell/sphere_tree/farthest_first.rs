//! Farthest-first order: every next point is the one farthest from all before it (Gonzalez 1985; Eldar et al. 1997).
//!
//! Each node keeps how far its farthest point is from those taken so far. The next one is found by following the largest of these
//! numbers down; taking it changes only nodes that are nearer to it than their number, so all n points take O(n log n).

use glam::DVec3;

use super::SphereTree;
use crate::field::{Cancelled, Execution, Stage};

/// Points between two reports, and looks at whether to stop: milliseconds.
const TOGETHER: usize = 1024;

/// Points in farthest-first order.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::shell) struct FarthestFirst {
    /// Numbers of the points.
    pub(in crate::shell) order: Vec<u32>,
    /// How far each was from those before it, and so the farthest of those that follow at most; +∞ for the first.
    pub(in crate::shell) apart: Vec<f64>,
}

/// All points of the tree, those of a lower group before those of a higher one. `group` is by the points' numbers.
pub(in crate::shell) fn farthest_first(
    tree: &SphereTree,
    group: impl Fn(u32) -> u8,
    execution: &Execution<'_>,
) -> Result<FarthestFirst, Cancelled> {
    let mut found = FarthestFirst { order: Vec::new(), apart: Vec::new() };
    if tree.points().is_empty() {
        return Ok(found);
    }
    let stage = Stage::new(execution, "ordering", tree.points().len().div_ceil(TOGETHER));
    let mut groups: Vec<u8> = tree.order().iter().map(|&number| group(number)).collect();
    groups.sort_unstable();
    groups.dedup();
    let mut search = Search::new(tree);
    for wanted in groups {
        let taken: Vec<DVec3> = search.taken.iter().map(|&place| tree.points()[place]).collect();
        search.admit(&SphereTree::new(&taken), |number| group(number) == wanted);
        while let Some((place, apart)) = search.farthest() {
            found.order.push(tree.order()[place]);
            found.apart.push(apart);
            search.take(place);
            if found.order.len().is_multiple_of(TOGETHER) {
                stage.advance();
                stage.check()?;
            }
        }
    }
    Ok(found)
}

struct Search<'a> {
    tree: &'a SphereTree,
    /// Per place in tree order: distance to the nearest point that was taken.
    apart: Vec<f64>,
    /// Places in the order they were taken.
    taken: Vec<usize>,
    /// Per place: whether it may be taken now.
    waits: Vec<bool>,
    /// Per node: the largest of its waiting points' distances; −∞ if none waits.
    farthest: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(tree: &'a SphereTree) -> Self {
        let count = tree.points().len();
        Self {
            tree,
            apart: vec![f64::INFINITY; count],
            taken: Vec::with_capacity(count),
            waits: vec![false; count],
            farthest: vec![f64::NEG_INFINITY; tree.node_count()],
        }
    }

    /// Lets points wait to be taken. `taken` has those that were: of points that did not wait, distances were not kept.
    fn admit(&mut self, taken: &SphereTree, is_admitted: impl Fn(u32) -> bool) {
        for (place, &number) in self.tree.order().iter().enumerate() {
            if is_admitted(number) {
                self.waits[place] = true;
                let nearest = taken.nearest(self.tree.points()[place]);
                self.apart[place] = nearest.map_or(f64::INFINITY, |(_, distance)| distance);
            }
        }
        for node in (0..self.tree.node_count()).rev() {
            self.refresh(node);
        }
    }

    fn refresh(&mut self, node: usize) {
        let children = self.tree.children(node);
        self.farthest[node] = if children.is_empty() {
            let places = self.tree.point_range(node);
            places.filter(|&at| self.waits[at]).map(|at| self.apart[at]).fold(f64::NEG_INFINITY, f64::max)
        } else {
            self.farthest[children].iter().copied().fold(f64::NEG_INFINITY, f64::max)
        };
    }

    /// The waiting point that is farthest from those taken. Before any was taken: the one farthest from the middle, which
    /// is an end of the shape and so a good one to begin with.
    fn farthest(&self) -> Option<(usize, f64)> {
        let all = self.farthest[0];
        if all == f64::NEG_INFINITY {
            return None;
        }
        if all == f64::INFINITY {
            let middle = self.tree.sphere(0).center;
            let from_middle = |at: &usize| self.tree.points()[*at].distance_squared(middle);
            let waiting = (0..self.waits.len()).filter(|&at| self.waits[at]);
            let first = waiting.max_by(|a, b| from_middle(a).total_cmp(&from_middle(b)))?;
            return Some((first, all));
        }
        let mut node = 0;
        loop {
            let mut children = self.tree.children(node);
            match children.find(|&child| self.farthest[child] == all) {
                Some(child) => node = child,
                None => break,
            }
        }
        let mut places = self.tree.point_range(node);
        places.find(|&at| self.waits[at] && self.apart[at] == all).map(|at| (at, all))
    }

    fn take(&mut self, place: usize) {
        self.waits[place] = false;
        self.apart[place] = 0.0;
        self.taken.push(place);
        self.update(0, place, self.tree.points()[place]);
    }

    /// Brings a node up to date after the point in `place`, at `taken`, was.
    fn update(&mut self, node: usize, place: usize, taken: DVec3) {
        let places = self.tree.point_range(node);
        if !places.contains(&place) {
            let sphere = self.tree.sphere(node);
            // Points no nearer to the new one than to an old one stay as they are. Rounding may leave one a few 2⁻⁵³ too far,
            // which only changes who comes first.
            if taken.distance(sphere.center) - sphere.radius >= self.farthest[node] {
                return;
            }
        }
        let children = self.tree.children(node);
        if children.is_empty() {
            for at in places {
                let apart = taken.distance(self.tree.points()[at]);
                if apart < self.apart[at] {
                    self.apart[at] = apart;
                }
            }
        } else {
            children.for_each(|child| self.update(child, place, taken));
        }
        self.refresh(node);
    }
}
