//! What can be reached from far away, node by node.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::lattice::Lattice;
use crate::mesh::bvh::Passage;

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Unknown,
    Outside,
    Inside,
}

const NO_REGION: u32 = u32::MAX;

/// Labels what can be reached from far away, and what is farther than the offset from the mesh and cannot.
pub(super) fn find_regions(lattice: &Lattice, offset: f64, keep_cavities: bool) -> Vec<Label> {
    let mut regions = vec![NO_REGION; lattice.len()];
    let is_free = |k: usize| lattice.is_free(k, offset);
    // Region 0 is the outside: all nodes of the border are free, for the grid leaves room.
    let mut count = flood(lattice, &mut regions, 0, 0, Passage::Clear, is_free);
    for k in 0..regions.len() {
        if regions[k] == NO_REGION && lattice.distance(k) > offset {
            count = flood(lattice, &mut regions, count, k, Passage::Clear, is_free);
        }
    }
    let depth = if keep_cavities { depths(lattice, &regions, count, offset) } else { Vec::new() };
    regions
        .into_iter()
        .map(|region| match region {
            NO_REGION => Label::Unknown,
            0 => Label::Outside,
            region if keep_cavities && depth[region as usize] % 2 == 0 => Label::Outside,
            _ => Label::Inside,
        })
        .collect()
}

/// Gives all nodes that can be reached from one the same number, as freely as `least` or more so; returns the next number.
fn flood(
    lattice: &Lattice,
    regions: &mut [u32],
    region: u32,
    from: usize,
    least: Passage,
    may_enter: impl Fn(usize) -> bool,
) -> u32 {
    // In the order they are reached: the queue is then a front through the grid, where a stack could hold most of it.
    let mut queue = VecDeque::from([from]);
    regions[from] = region;
    while let Some(k) = queue.pop_front() {
        for (next, passage) in lattice.neighbours(k) {
            if regions[next] == NO_REGION && passage <= least && may_enter(next) {
                regions[next] = region;
                queue.push_back(next);
            }
        }
    }
    region + 1
}

/// How many walls lie between each region and the outside.
fn depths(lattice: &Lattice, regions: &[u32], count: u32, offset: f64) -> Vec<u32> {
    let is_wall = |k: usize| lattice.distance(k) <= offset;
    let mut walls = vec![NO_REGION; regions.len()];
    let mut wall_count = 0;
    for k in 0..regions.len() {
        if walls[k] == NO_REGION && is_wall(k) {
            wall_count = flood(lattice, &mut walls, wall_count, k, Passage::Walled, is_wall);
        }
    }
    // Regions and walls that touch.
    let mut touching: Vec<(u32, u32)> = (0..regions.len())
        .into_par_iter()
        .filter(|&k| regions[k] != NO_REGION && !is_wall(k))
        .flat_map_iter(|k| {
            let walls = &walls;
            let beside = lattice.neighbours(k).map(move |(next, _)| walls[next]);
            beside.filter(|&wall| wall != NO_REGION).map(move |wall| (regions[k], wall))
        })
        .collect();
    touching.par_sort_unstable();
    touching.dedup();
    let mut walls_of = vec![Vec::new(); count as usize];
    let mut regions_of = vec![Vec::new(); wall_count as usize];
    for (region, wall) in touching {
        walls_of[region as usize].push(wall);
        regions_of[wall as usize].push(region);
    }
    let mut depth = vec![u32::MAX; count as usize];
    depth[0] = 0;
    let mut queue = VecDeque::from([0u32]);
    while let Some(region) = queue.pop_front() {
        for &wall in &walls_of[region as usize] {
            for &next in &regions_of[wall as usize] {
                if depth[next as usize] == u32::MAX {
                    depth[next as usize] = depth[region as usize] + 1;
                    queue.push_back(next);
                }
            }
        }
    }
    depth
}

/// Labels the other nodes by the nearest labelled one that can be reached without crossing a triangle: over clear paths first, so
/// that what leaks through a tear comes too late. What nothing reaches is inside.
pub(super) fn spread(lattice: &Lattice, labels: &mut [Label]) {
    for least in [Passage::Clear, Passage::Tight] {
        let is_rim = |k: usize| {
            let is_unknown = |(next, _): (usize, Passage)| labels[next] == Label::Unknown;
            labels[k] != Label::Unknown && lattice.neighbours(k).any(is_unknown)
        };
        let mut front: Vec<usize> = (0..labels.len()).into_par_iter().filter(|&k| is_rim(k)).collect();
        while !front.is_empty() {
            let known = &*labels;
            let mut reached: Vec<(usize, Label)> = front
                .par_iter()
                // What lies on the mesh is on neither side, and leads from one to the other.
                .filter(|&&k| !lattice.is_on_mesh(k))
                .flat_map_iter(|&k| {
                    let free = lattice.neighbours(k).filter(move |&(_, passage)| passage <= least);
                    free.filter(|&(next, _)| known[next] == Label::Unknown)
                        .map(move |(next, _)| (next, known[k]))
                })
                .collect();
            // Reached from both sides at once: it counts as outside, so the order does not matter.
            reached.par_sort_unstable_by_key(|&(k, label)| (k, label != Label::Outside));
            reached.dedup_by_key(|&mut (k, _)| k);
            for &(k, label) in &reached {
                labels[k] = label;
            }
            front = reached.into_iter().map(|(k, _)| k).collect();
        }
    }
    for label in labels {
        if *label == Label::Unknown {
            *label = Label::Inside;
        }
    }
}
