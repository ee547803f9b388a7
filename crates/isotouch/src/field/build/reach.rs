//! What can be reached from far away, node by node.

use rayon::prelude::*;

use super::cavities::{self, Skins};
use super::lattice::{Lattice, Step};
use super::{Cancelled, pockets};
use crate::mesh::bvh::Passage;

/// What is known of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Label {
    Unknown,
    Outside,
    Inside,
}

/// In place of a region's number: none, or not yet.
pub(super) const NO_REGION: u32 = u32::MAX;

/// Labels what can be reached from far away, and what is farther than the offset from the mesh and cannot: that is inside, or a
/// cavity if skins are given to tell by.
pub(super) fn find_regions(
    lattice: &Lattice<'_>,
    offset: f64,
    skins: Option<&Skins>,
) -> Result<Regions, Cancelled> {
    let mut regions = vec![NO_REGION; lattice.len()];
    let is_free = |k: usize| lattice.is_free(k, offset);
    // Region 0 is the outside: all nodes of the border are free, for the grid leaves room.
    let mut count = flood(lattice, &mut regions, 0, 0, is_free)?;
    for k in 0..regions.len() {
        if regions[k] == NO_REGION && lattice.distance(k) > offset && is_free(k) {
            count = flood(lattice, &mut regions, count, k, is_free)?;
        }
    }
    let has_depth = count > 1;
    let sides = match skins {
        Some(skins) => {
            count = pockets::find(lattice, &mut regions, count)?;
            cavities::sides(lattice, &regions, count, skins)?
        }
        None => (0..count).map(|region| if region == 0 { Label::Outside } else { Label::Inside }).collect(),
    };
    let label = |region: u32| sides.get(region as usize).copied().unwrap_or(Label::Unknown);
    Ok(Regions { labels: regions.into_iter().map(label).collect(), has_depth })
}

/// What is known of all nodes before it spreads to those near the mesh.
pub(super) struct Regions {
    pub(super) labels: Vec<Label>,
    /// Whether anything farther from the mesh than the offset is cut off from the outside, be it inside or a cavity.
    pub(super) has_depth: bool,
}

/// Gives all nodes that can be reached from one over clear paths the same number; returns the next number.
pub(super) fn flood(
    lattice: &Lattice<'_>,
    regions: &mut [u32],
    region: u32,
    from: usize,
    may_enter: impl Fn(usize) -> bool,
) -> Result<u32, Cancelled> {
    let [x, y, z] = lattice.nodes().to_array().map(|n| n as usize);
    // Run by run along x: the stack holds a node for each run beside one that was done, not one for each node.
    let mut stack = vec![from];
    while let Some(start) = stack.pop() {
        lattice.stage.check()?;
        if regions[start] != NO_REGION {
            continue;
        }
        let is_next = |regions: &[u32], k: usize| regions[k] == NO_REGION && may_enter(k);
        let leads_on = |k: usize, axis: usize| lattice.passage(k, axis) == Passage::Clear;
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
    Ok(region + 1)
}

/// In which order nodes near the mesh are reached: over clear paths first, so that what leaks through a tear comes too late.
const STEPS: [Step; 3] =
    [Step::AlongEdges(Passage::Clear), Step::AcrossCells, Step::AlongEdges(Passage::Tight)];

/// Labels the other nodes by the nearest labelled one that can be reached without crossing a triangle. What nothing reaches is
/// inside.
pub(super) fn spread(lattice: &Lattice<'_>, labels: &mut [Label]) -> Result<(), Cancelled> {
    for step in STEPS {
        let mut front: Vec<usize> = (0..labels.len())
            .into_par_iter()
            .filter(|&k| labels[k] == Label::Unknown)
            .flat_map_iter(|k| lattice.around(k).filter(|&next| labels[next] != Label::Unknown))
            .collect();
        front.par_sort_unstable();
        front.dedup();
        while !front.is_empty() {
            lattice.stage.check()?;
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
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use glam::{DVec3, UVec3};

    use super::super::lattice::Openings;
    use super::*;
    use crate::field::{Execution, Grid};
    use crate::mesh::{Bvh, shapes};

    /// Each step by itself, for none of them reports progress that a build could be stopped at.
    #[test]
    fn every_step_stops_when_told_to() {
        let inner = shapes::sphere(0.5, 320).unwrap();
        let more = inner.triangles().iter().map(|t| t.map(|v| v + 162)).collect::<Vec<_>>();
        let outer = shapes::sphere(1.0, 320).unwrap();
        assert_eq!(outer.vertices().len(), 162);
        let mesh = outer.with_more(inner.vertices(), &more).unwrap();
        let bvh = Bvh::new(&mesh);
        let grid = Grid { origin: DVec3::splat(-1.5), cell: 0.1, cells: UVec3::splat(30) };
        let cancel = AtomicBool::new(false);
        let execution = Execution { cancel: Some(&cancel), ..Default::default() };
        let mut lattice = Lattice::new(&mesh, &bvh, grid, &execution).unwrap();
        lattice.mark_openings(&Openings::of(&mesh), 0.09).unwrap();
        let skins = lattice.skins(Some(&cancel)).unwrap();
        let region = |k| match lattice.position(lattice.node(k)).length() {
            far if far > 1.1 => 0,
            near if near < 0.4 => 1,
            _ => NO_REGION,
        };
        let regions: Vec<u32> = (0..lattice.len()).map(region).collect();
        let side = |&region: &u32| if region == 0 { Label::Outside } else { Label::Unknown };
        let known: Vec<Label> = regions.iter().map(side).collect();
        for is_told in [false, true] {
            cancel.store(is_told, Ordering::Relaxed);
            let stopped = [
                lattice.mark_openings(&Openings::of(&mesh), 0.09).is_err(),
                lattice.skins(Some(&cancel)).is_err(),
                find_regions(&lattice, 0.09, Some(&skins)).is_err(),
                flood(&lattice, &mut vec![NO_REGION; lattice.len()], 0, 0, |_| true).is_err(),
                pockets::find(&lattice, &mut regions.clone(), 2).is_err(),
                cavities::sides(&lattice, &regions, 2, &skins).is_err(),
                spread(&lattice, &mut known.clone()).is_err(),
            ];
            assert_eq!(stopped, [is_told; 7]);
        }
    }
}
