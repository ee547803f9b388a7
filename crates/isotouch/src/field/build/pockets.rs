//! Pockets: what is enclosed but not deep, as thin walls and narrow cavities are.
//!
//! No node of them is farther from the mesh than the offset. Left alone, one tear would be enough for all of a wall to be taken for
//! what is beside it.

use rayon::prelude::*;

use super::Cancelled;
use super::lattice::{Lattice, Step};
use super::reach::{NO_REGION, flood};
use crate::mesh::bvh::Passage;

/// Nodes of the smallest pocket. Smaller ones may be nooks that are cut off by the grid only.
const LEAST_NODES: usize = 8;

/// Numbers the pockets after the regions; returns the next number.
pub(super) fn find(lattice: &Lattice<'_>, regions: &mut [u32], count: u32) -> Result<u32, Cancelled> {
    let mut next = count;
    for k in 0..regions.len() {
        if regions[k] == NO_REGION && lattice.is_in_pocket(k) {
            next = flood(lattice, regions, next, k, |k| lattice.is_in_pocket(k))?;
        }
    }
    let mut sizes = vec![0; (next - count) as usize];
    for &region in regions.iter().filter(|region| (count..next).contains(region)) {
        sizes[(region - count) as usize] += 1;
    }
    let mut is_enclosed: Vec<bool> = sizes.into_iter().map(|size| size >= LEAST_NODES).collect();
    // What lies beside a region and can be reached from there is part of it. Most of that shows along the edges, and fast.
    for step in [Step::AlongEdges(Passage::Clear), Step::AcrossCells] {
        let leads_on: Vec<u32> = (0..regions.len())
            .into_par_iter()
            .filter(|&k| (count..next).contains(&regions[k]) && is_enclosed[(regions[k] - count) as usize])
            .filter(|_| !lattice.stage.is_cancelled())
            .filter(|&k| !lattice.reached(k, step, |other| regions[other] < count).is_empty())
            .map(|k| regions[k])
            .collect();
        lattice.stage.check()?;
        for region in leads_on {
            is_enclosed[(region - count) as usize] = false;
        }
    }
    // The others are left as they were, and their numbers go to those behind them.
    let mut numbers = Vec::new();
    let mut last = count;
    for is_enclosed in is_enclosed {
        numbers.push(if is_enclosed { last } else { NO_REGION });
        last += u32::from(is_enclosed);
    }
    regions.par_iter_mut().filter(|region| (count..next).contains(region)).for_each(|region| {
        *region = numbers[(*region - count) as usize];
    });
    Ok(last)
}
