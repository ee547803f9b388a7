//! Levels: how many of the points, in farthest-first order, make a uniform sampling.

use super::sphere_tree::FarthestFirst;

/// A uniform sampling of the surface, by the first points of a shell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShellLevel {
    /// How many.
    pub points: usize,
    /// Distance of the two closest of them. No point of the shell is farther from them than the next one would be, which is less than this
    /// or as much.
    pub spacing: f64,
    /// No point of the surface is farther from them than this: an upper bound that certainly holds, and that exceeds the largest
    /// distance by no more than [`ShellOptions::tolerance`](super::ShellOptions::tolerance) and rounding, unless
    /// [`ShellNote::LooseCoverage`](super::ShellNote::LooseCoverage) says that it may.
    pub coverage: f64,
}

/// Points of the coarsest level, unless there are fewer in all.
const FEWEST: usize = 16;

/// How many points each level has. From one to the next the spacing is halved, so that there are about four times as many; the last one has
/// them all.
pub(super) fn level_sizes(order: &FarthestFirst) -> Vec<usize> {
    let count = order.apart.len();
    let mut sizes = Vec::new();
    if count > FEWEST {
        let mut spacing = order.apart[FEWEST - 1];
        loop {
            // Distances fall along the order.
            let size = order.apart.partition_point(|&apart| apart >= spacing);
            // The last step may be a smaller one, but not a step for a few points.
            if size > count / 2 || spacing <= 0.0 {
                break;
            }
            sizes.push(size);
            spacing *= 0.5;
        }
    }
    sizes.push(count);
    sizes.dedup();
    sizes
}
