//! Which enclosed regions are cavities: how many skins lie between each of them and the outside.
//!
//! ```text
//!   outside │ wall │ cavity │ wall │ outside        a skin: triangles that hang together, but for tears
//!      0    A  1   B   2    B  1   A    0           depth: even is a cavity, odd is inside
//! ```
//!
//! Nodes cannot tell where a wall is so thin that none is in it. So straight ways are followed from each region to the
//! next, whatever is between, and the skins that they cross are noted in order. A skin that was met at some depth
//! leads one deeper, however often it is crossed: inner walls that hang together with the outer one count for nothing, nor
//! does it matter where parts overlap. Of several depths the least counts. Ways may lead through holes, so between two regions
//! the ways count that agree with most.

use std::collections::BTreeMap;

use glam::UVec3;
use rayon::prelude::*;

use super::Cancelled;
use super::lattice::Lattice;
use super::reach::{Label, NO_REGION};

/// The pieces of a mesh that hang together, numbered from 0.
pub(super) struct Skins {
    pub(super) of_triangle: Vec<u32>,
    pub(super) count: u32,
}

/// Skins in the order in which ways from one region to another cross them, repeats in a row left out; and how many ways do.
type Crossed = BTreeMap<([u32; 2], Vec<u32>), u64>;

/// Which side each region is on. Region 0 is the outside.
pub(super) fn sides(
    lattice: &Lattice<'_>,
    regions: &[u32],
    count: u32,
    skins: &Skins,
) -> Result<Vec<Label>, Cancelled> {
    let depths = if count > 1 && skins.count > 1 {
        Depths::new(&all_ways(lattice, regions, skins)?, count, skins.count).of_region
    } else {
        Vec::new()
    };
    // Where no way leads to, or where there is one skin only, what is enclosed is inside.
    let depth = |region: u32| {
        let found = depths.get(region as usize).copied();
        found.filter(|&depth| depth != FAR).unwrap_or(region.min(1))
    };
    let side = |region| if depth(region) % 2 == 0 { Label::Outside } else { Label::Inside };
    Ok((0..count).map(side).collect())
}

/// What lies between regions that follow each other along the lines of the grid.
fn all_ways(lattice: &Lattice<'_>, regions: &[u32], skins: &Skins) -> Result<Crossed, Cancelled> {
    let nodes = lattice.nodes();
    let mut all = Crossed::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let found = (0..nodes[u] as usize * nodes[v] as usize).into_par_iter().fold(
            Crossed::new,
            |mut found, line| {
                if lattice.stage.is_cancelled() {
                    return found;
                }
                let mut node = UVec3::ZERO;
                (node[u], node[v]) = (line as u32 % nodes[u], line as u32 / nodes[u]);
                let mut last = None;
                for at in 0..nodes[axis] {
                    node[axis] = at;
                    let k = lattice.index(node);
                    if regions[k] == NO_REGION {
                        continue;
                    }
                    if let Some(before) = last.replace(k)
                        && regions[before] != regions[k]
                    {
                        let (from, to) = if regions[before] < regions[k] { (before, k) } else { (k, before) };
                        let triangles = lattice.triangles_between(from, to);
                        let mut crossed: Vec<u32> =
                            triangles.into_iter().map(|t| skins.of_triangle[t as usize]).collect();
                        crossed.dedup();
                        *found.entry(([regions[from], regions[to]], crossed)).or_default() += 1;
                    }
                }
                found
            },
        );
        merge(
            &mut all,
            found.reduce(Crossed::new, |mut a, b| {
                merge(&mut a, b);
                a
            }),
        );
        lattice.stage.check()?;
    }
    Ok(all)
}

fn merge(all: &mut Crossed, more: Crossed) {
    for (way, count) in more {
        *all.entry(way).or_default() += count;
    }
}

/// What is between two regions: the ways that cross as many different skins as most ways do.
#[derive(Default)]
struct Between<'a> {
    votes: u64,
    /// The skins crossed, and by how many ways.
    ways: Vec<(&'a [u32], u64)>,
}

impl<'a> Between<'a> {
    fn of_all(crossed: &'a Crossed) -> BTreeMap<[u32; 2], Self> {
        let mut by_number: BTreeMap<([u32; 2], usize), Self> = BTreeMap::new();
        for ((regions, skins), count) in crossed {
            let mut different = skins.clone();
            different.sort_unstable();
            different.dedup();
            let same = by_number.entry((*regions, different.len())).or_default();
            same.votes += count;
            same.ways.push((skins, *count));
        }
        let mut most: BTreeMap<[u32; 2], Self> = BTreeMap::new();
        for ((regions, _), between) in by_number {
            let best = most.entry(regions).or_default();
            if between.votes > best.votes {
                *best = between;
            }
        }
        most
    }
}

/// Between regions joined by less than this share of the ways from both, what is found may be the exception: ways through a hole.
const LEAST_SHARE: f64 = 0.125;

/// How many skins lie between the outside and each region, and between the outside and each skin; `FAR` where no way led to yet.
struct Depths {
    of_region: Vec<u32>,
    of_skin: Vec<u32>,
}

const FAR: u32 = u32::MAX;

impl Depths {
    fn new(crossed: &Crossed, regions: u32, skins: u32) -> Self {
        let between = Between::of_all(crossed);
        let mut all_votes = vec![0; regions as usize];
        for (pair, between) in &between {
            pair.iter().for_each(|&region| all_votes[region as usize] += between.votes);
        }
        let is_usual = |pair: &[u32; 2], between: &Between<'_>| {
            let fewest = pair.map(|region| all_votes[region as usize]).into_iter().min().unwrap_or(0);
            between.votes as f64 >= LEAST_SHARE * fewest as f64
        };
        let mut depths = Self { of_region: vec![FAR; regions as usize], of_skin: vec![FAR; skins as usize] };
        depths.of_region[0] = 0;
        // Depths only ever become less, so this ends.
        while between
            .iter()
            .filter(|(pair, between)| is_usual(pair, between))
            .fold(false, |changed, (pair, between)| depths.follow(*pair, between) || changed)
        {}
        depths
    }

    /// Follows ways in both directions. Says whether that changed anything.
    fn follow(&mut self, [a, b]: [u32; 2], between: &Between<'_>) -> bool {
        let there = self.lead(a, b, between, |way, k| way[k]);
        let back = self.lead(b, a, between, |way, k| way[way.len() - 1 - k]);
        there || back
    }

    /// Follows ways to where most of them lead, each over its skins by their places. Says whether that changed anything.
    fn lead(
        &mut self,
        from: u32,
        to: u32,
        between: &Between<'_>,
        skin_at: impl Fn(&[u32], usize) -> u32,
    ) -> bool {
        let start = self.of_region[from as usize];
        if start == FAR {
            return false;
        }
        let mut has_changed = false;
        let mut votes: BTreeMap<u32, u64> = BTreeMap::new();
        for &(way, count) in &between.ways {
            let mut depth = start;
            for k in 0..way.len() {
                let outside = &mut self.of_skin[skin_at(way, k) as usize];
                has_changed |= depth < *outside;
                *outside = depth.min(*outside);
                depth = depth.max(*outside + 1);
            }
            *votes.entry(depth).or_default() += count;
        }
        let most = votes.into_iter().max_by_key(|&(_, count)| count);
        // A hole that was closed is a wall as well, towards the outside.
        let depth = most.map_or(start, |(depth, _)| depth).max(1);
        let known = &mut self.of_region[to as usize];
        has_changed |= depth < *known;
        *known = depth.min(*known);
        has_changed
    }
}
