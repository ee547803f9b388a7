//! What can be reached from far away, node by node.

use std::collections::VecDeque;

use rayon::prelude::*;

use super::lattice::{Lattice, Step};
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
pub(super) fn find_regions(lattice: &Lattice<'_>, offset: f64, keep_cavities: bool) -> Vec<Label> {
    let mut regions = vec![NO_REGION; lattice.len()];
    let is_free = |k: usize| lattice.is_free(k, offset);
    // Region 0 is the outside: all nodes of the border are free, for the grid leaves room.
    let mut count = flood(lattice, &mut regions, 0, 0, Passage::Clear, is_free);
    for k in 0..regions.len() {
        if regions[k] == NO_REGION && lattice.distance(k) > offset && is_free(k) {
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
    lattice: &Lattice<'_>,
    regions: &mut [u32],
    region: u32,
    from: usize,
    least: Passage,
    may_enter: impl Fn(usize) -> bool,
) -> u32 {
    let [x, y, z] = lattice.nodes().to_array().map(|n| n as usize);
    // Run by run along x: the stack holds a node for each run beside one that was done, not one for each node.
    let mut stack = vec![from];
    while let Some(start) = stack.pop() {
        if regions[start] != NO_REGION {
            continue;
        }
        let is_next = |regions: &[u32], k: usize| regions[k] == NO_REGION && may_enter(k);
        let leads_on = |k: usize, axis: usize| lattice.passage(k, axis) <= least;
        let (mut first, mut last) = (start, start);
        while first % x > 0 && leads_on(first - 1, 0) && is_next(regions, first - 1) {
            first -= 1;
        }
        while last % x + 1 < x && leads_on(last, 0) && is_next(regions, last + 1) {
            last += 1;
        }
        regions[first..=last].fill(region);
        let (row, layer) = (first / x % y, first / (x * y));
        let (along_y, along_z) = (x, x * y);
        // The four runs beside this one: the axis to them, where they begin, and whose passage it is.
        let beside = [
            (row > 0).then(|| (1, first - along_y, first - along_y)),
            (row + 1 < y).then(|| (1, first + along_y, first)),
            (layer > 0).then(|| (2, first - along_z, first - along_z)),
            (layer + 1 < z).then(|| (2, first + along_z, first)),
        ];
        for (axis, other, way) in beside.into_iter().flatten() {
            let mut was_open = false;
            for k in 0..=last - first {
                let is_open = is_next(regions, other + k) && leads_on(way + k, axis);
                if is_open && !(was_open && leads_on(other + k - 1, 0)) {
                    stack.push(other + k);
                }
                was_open = is_open;
            }
        }
    }
    region + 1
}

/// How many walls lie between each region and the outside.
fn depths(lattice: &Lattice<'_>, regions: &[u32], count: u32, offset: f64) -> Vec<u32> {
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

/// In which order nodes near the mesh are reached: over clear paths first, so that what leaks through a tear comes too late.
const STEPS: [Step; 3] =
    [Step::AlongEdges(Passage::Clear), Step::AcrossCells, Step::AlongEdges(Passage::Tight)];

/// Labels the other nodes by the nearest labelled one that can be reached without crossing a triangle. What nothing reaches is
/// inside.
pub(super) fn spread(lattice: &Lattice<'_>, labels: &mut [Label]) {
    for step in STEPS {
        let mut front: Vec<usize> = (0..labels.len())
            .into_par_iter()
            .filter(|&k| labels[k] == Label::Unknown)
            .flat_map_iter(|k| lattice.around(k).filter(|&next| labels[next] != Label::Unknown))
            .collect();
        front.par_sort_unstable();
        front.dedup();
        while !front.is_empty() {
            let known = &*labels;
            let mut reached: Vec<(usize, Label)> = front
                .par_iter()
                // What lies on the mesh is on neither side, and would lead from one to the other.
                .filter(|&&k| !lattice.is_on_mesh(k))
                .flat_map_iter(|&k| {
                    let next = lattice.reached(k, step, |next| known[next] == Label::Unknown);
                    next.into_iter().map(move |next| (next, known[k]))
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
