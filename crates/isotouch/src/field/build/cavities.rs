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
//! the ways count that agree with most; of as many, those that cross less.
//!
//! A solid that touches the wall of the cavity it lies in is one skin with it, and so is a sheet that parts the cavity. What lies behind
//! them differs in its neighbours: the solid has the cavity around it, the part of a cavity has the wall. Where that does not tell,
//! a solid is kept rather than a cavity: filled, a cavity only lacks room that nothing gets to from outside; a solid made hollow
//! no longer stops what is inside with it.

use std::cmp::Reverse;
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
/// Larger, and regions that border many others are cut off from all of them; smaller, and a hole in one of two skins that are close
/// together leads past it.
const LEAST_SHARE: f64 = 0.125;
/// A region with more than this share of its ways to one other lies in it, ways to what is deeper left out. At a half, the part of a
/// cavity behind a flat sheet would, for the sheet is no larger than the wall behind it; larger, and fewer of the solids that stand on
/// a wall do: a cube on one of its faces has 5/6 of its ways to the cavity, half a ball 3/4, a bar as long as thick from wall to
/// wall 2/3.
const MOST_WAYS: f64 = 0.65;

/// How many skins lie between the outside and each region, and between the outside and each skin; `FAR` where no way led to yet.
struct Depths {
    of_region: Vec<u32>,
    of_skin: Vec<u32>,
}

const FAR: u32 = u32::MAX;

/// What is between regions that border each other.
struct Borders<'a> {
    between: BTreeMap<[u32; 2], Between<'a>>,
    /// For every region, the others around it, and how many ways lead there.
    around: Vec<Vec<(u32, u64)>>,
}

impl<'a> Borders<'a> {
    fn new(crossed: &'a Crossed, regions: u32) -> Self {
        let mut between = Between::of_all(crossed);
        let mut around = vec![Vec::new(); regions as usize];
        for (&[a, b], between) in &between {
            around[a as usize].push((b, between.votes));
            around[b as usize].push((a, between.votes));
        }
        let all_votes: Vec<u64> =
            around.iter().map(|others| others.iter().map(|(_, votes)| votes).sum()).collect();
        between.retain(|pair, between| {
            let fewest = pair.map(|region| all_votes[region as usize]).into_iter().min().unwrap_or(0);
            between.votes as f64 >= LEAST_SHARE * fewest as f64
        });
        Self { between, around }
    }

    /// The cavity that a region lies in, if it was taken for more of that cavity.
    fn cavity_around(&self, region: u32, depths: &[u32]) -> Option<u32> {
        let depth = depths[region as usize];
        if depth == 0 || !depth.is_multiple_of(2) {
            return None;
        }
        let around = &self.around[region as usize];
        let not_deeper = around.iter().filter(|(other, _)| depths[*other as usize] <= depth);
        let all: u64 = not_deeper.clone().map(|(_, votes)| votes).sum();
        let mut as_deep = not_deeper.filter(|(other, _)| depths[*other as usize] == depth);
        as_deep.find(|(_, votes)| *votes as f64 > MOST_WAYS * all as f64).map(|&(other, _)| other)
    }
}

impl Depths {
    fn new(crossed: &Crossed, regions: u32, skins: u32) -> Self {
        let borders = Borders::new(crossed, regions);
        let mut cavity_around = vec![None; regions as usize];
        loop {
            let depths = Self::with_solids(&borders, &cavity_around, skins);
            let mut has_more = false;
            for (region, solid_in) in (0..regions).zip(&mut cavity_around) {
                if solid_in.is_none() {
                    *solid_in = borders.cavity_around(region, &depths.of_region);
                    has_more |= solid_in.is_some();
                }
            }
            // Solids are only ever added, so this ends.
            if !has_more {
                return depths;
            }
        }
    }

    /// The depths, some regions being known for solids in the cavity around them.
    fn with_solids(borders: &Borders<'_>, cavity_around: &[Option<u32>], skins: u32) -> Self {
        let mut depths =
            Self { of_region: vec![FAR; cavity_around.len()], of_skin: vec![FAR; skins as usize] };
        depths.of_region[0] = 0;
        // Depths only ever become less, so this ends.
        while borders.between.iter().fold(false, |has_changed, (&[a, b], between)| {
            let there = depths.lead([a, b], between, cavity_around, |way, k| way[k]);
            let back = depths.lead([b, a], between, cavity_around, |way, k| way[way.len() - 1 - k]);
            has_changed || there || back
        }) {}
        depths
    }

    /// Follows ways to where most of them lead, each over its skins by their places. Says whether that changed anything.
    fn lead(
        &mut self,
        [from, to]: [u32; 2],
        between: &Between<'_>,
        cavity_around: &[Option<u32>],
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
        let most = votes.into_iter().max_by_key(|&(depth, count)| (count, Reverse(depth)));
        // A hole that was closed is a wall as well, towards the outside.
        let mut depth = most.map_or(start, |(depth, _)| depth).max(1);
        match cavity_around[to as usize] {
            // The wall that a solid touches does not tell how deep it is.
            Some(cavity) if cavity != from => return has_changed,
            Some(_) if start.is_multiple_of(2) => depth = depth.max(start + 1),
            _ => {}
        }
        let known = &mut self.of_region[to as usize];
        has_changed |= depth < *known;
        *known = depth.min(*known);
        has_changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The outside, the wall of a hollow part, and its cavity.
    const HOLLOW: [([u32; 2], &[u32], u64); 2] = [([0, 1], &[0], 600), ([1, 2], &[1], 500)];

    /// Depths of regions from 0, by what ways between two of them cross, and how many ways.
    fn depths(ways: &[([u32; 2], &[u32], u64)]) -> Vec<u32> {
        let crossed: Crossed =
            ways.iter().map(|&(regions, skins, count)| ((regions, skins.to_vec()), count)).collect();
        let regions = ways.iter().map(|(regions, ..)| regions[1]).max().unwrap() + 1;
        let skins = ways.iter().flat_map(|(_, skins, _)| skins.iter()).max().unwrap() + 1;
        Depths::new(&crossed, regions, skins).of_region
    }

    fn depths_in_hollow(ways: &[([u32; 2], &[u32], u64)]) -> Vec<u32> {
        depths(&[&HOLLOW, ways].concat())
    }

    #[test]
    fn a_solid_in_a_cavity_is_deeper_whether_it_touches_the_wall_or_not() {
        assert_eq!(depths_in_hollow(&[([2, 3], &[2], 60)]), [0, 1, 2, 3]);
        assert_eq!(depths_in_hollow(&[([2, 3], &[1], 60)]), [0, 1, 2, 3]);
        // On the wall, with a sixth of its surface.
        assert_eq!(depths_in_hollow(&[([2, 3], &[1], 50), ([1, 3], &[1], 10)]), [0, 1, 2, 3]);
    }

    #[test]
    fn behind_a_sheet_a_cavity_goes_on() {
        assert_eq!(depths_in_hollow(&[([2, 3], &[1], 100), ([1, 3], &[1], 100)]), [0, 1, 2, 2]);
    }

    /// Each of two cavities that overlap, and what they share.
    #[test]
    fn cavities_may_overlap() {
        let ways: [([u32; 2], &[u32], u64); 3] =
            [([1, 3], &[1], 400), ([2, 4], &[1], 100), ([3, 4], &[1], 100)];
        assert_eq!(depths_in_hollow(&ways), [0, 1, 2, 2, 2]);
    }

    /// A cavity in a solid that touches the wall of a cavity, and in that one such a solid again.
    #[test]
    fn what_lies_in_a_solid_that_touches_the_wall_is_deeper_too() {
        let ways: [([u32; 2], &[u32], u64); 3] =
            [([2, 3], &[1], 300), ([3, 4], &[2], 200), ([4, 5], &[2], 100)];
        assert_eq!(depths_in_hollow(&ways), [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn rooms_of_one_skin_are_as_deep_as_each_other() {
        assert_eq!(depths(&[([0, 1], &[0], 600), ([1, 2], &[0], 100)]), [0, 1, 1]);
    }

    /// Over one skin or over two, as often: one counts. Over either of two skins at different depths: the lesser depth counts.
    #[test]
    fn of_as_many_ways_the_less_deep_ones_count() {
        assert_eq!(depths(&[([0, 1], &[0], 50), ([0, 1], &[0, 1], 50)]), [0, 1]);
        assert_eq!(depths_in_hollow(&[([1, 3], &[0], 50), ([1, 3], &[2], 50)]), [0, 1, 2, 1]);
    }
}
