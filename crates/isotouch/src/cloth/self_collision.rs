//! Cloth against itself: particles are kept a thickness apart.
//!
//! Particles near each other are found with a grid over space, its cells hashed into buckets, once in a while: until one has moved by half the margin that was
//! added. Neighbours at rest may stay as near as they were made.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use rayon::prelude::*;

use super::colours::is_shared;

/// How much farther than the thickness pairs are looked for, in parts of it. More keeps lists for longer, but makes them longer too.
const MARGIN: f64 = 1.5;

/// Pairs that lists are made for: so many, and so many more for each particle. Where particles are a thickness apart some 50 each are within reach; a thickness of five edges makes 250. Beyond, lists
/// take gigabytes, and it is a typing error.
const MOST_PAIRS: [usize; 2] = [1_000_000, 250];

/// More pairs are near each other than lists can be made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Crowded;

/// Where the later of two particles at one place goes, the earlier one against it. The same for all, so that sheets at one place come apart as a whole; along no axis, for sheets mostly lie along two.
const ASLANT: DVec3 = DVec3::new(0.36, 0.8, 0.48);

/// Which particles may come near each other.
#[derive(Debug, Clone, Default)]
pub(super) struct Neighbours {
    /// Where each bucket begins in `sorted`, and where the last one ends.
    starts: Vec<u32>,
    /// Particles by their buckets.
    sorted: Vec<u32>,
    /// Where particles were when pairs were looked for.
    seen_at: Vec<DVec3>,
    /// For each particle where its partners end in `partners`.
    ends: Vec<u32>,
    partners: Vec<u32>,
    found: Vec<Vec<u32>>,
}

/// For each particle its sheet, and these.
pub(super) type OfSheets<'a> = (&'a [u32], &'a [Sheet]);

/// The bucket of a cell. Cells along z have buckets one after the other; others may share one, which costs a look and no more.
fn bucket_of([x, y, z]: [i64; 3], mask: usize) -> usize {
    // Large odd numbers scatter neighbours.
    let row = (x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (y as u64).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    ((row >> 20).wrapping_add(z as u64) as usize) & mask
}

fn cell_of(place: DVec3, size: f64) -> [i64; 3] {
    (place / size).floor().to_array().map(|x| x as i64)
}

impl Neighbours {
    /// Where particles were when pairs were last looked for.
    pub(super) fn seen_at(&self) -> &[DVec3] {
        &self.seen_at
    }

    /// Looks for pairs as they were when particles were there; with none, they are looked for in the next substep.
    pub(super) fn recall(&mut self, seen_at: &[DVec3], (thickness, sheets): (f64, Option<OfSheets<'_>>)) {
        self.seen_at.clear();
        if !seen_at.is_empty() {
            // What is crowded is told by the next step.
            let _ = self.update(seen_at, (thickness, sheets));
        }
    }

    /// Looks anew if particles may have moved out of the lists. Where there are too many pairs there are no lists. Of several sheets the largest thickness counts, and each for its own particles among each other.
    pub(super) fn update(
        &mut self,
        places: &[DVec3],
        (thickness, sheets): (f64, Option<OfSheets<'_>>),
    ) -> Result<(), Crowded> {
        let thinnest = sheets.map_or(thickness, |(_, sheets)| {
            sheets.iter().fold(thickness, |least, of| least.min(of.thickness))
        });
        let most = 0.5 * MARGIN * thinnest;
        // What moves as a whole keeps its neighbours.
        let moved = |(now, then): (&DVec3, &DVec3)| *now - *then;
        let mean = places.iter().zip(&self.seen_at).map(moved).sum::<DVec3>() / places.len() as f64;
        let is_current = self.seen_at.len() == places.len()
            && places
                .iter()
                .zip(&self.seen_at)
                .map(moved)
                .all(|way| way.distance_squared(mean) < most * most);
        if is_current {
            return Ok(());
        }
        let reach = thickness * (1.0 + MARGIN);
        let reach_of = |i: usize, j: usize| {
            sheets.map_or(reach, |(of, sheets)| {
                let [a, b] = [i, j].map(|k| sheets[of[k] as usize].thickness);
                (1.0 + MARGIN) * a.max(b)
            })
        };
        self.seen_at.clear();
        self.seen_at.extend(places);
        let mask = (2 * places.len()).next_power_of_two() - 1;
        self.sort(places, reach, mask);
        self.found.resize_with(places.len(), Vec::new);
        let (starts, sorted) = (&self.starts, &self.sorted);
        let [fixed, for_each] = MOST_PAIRS;
        let most = fixed + for_each * places.len();
        // Whether there are too many does not depend on who counts first.
        let pairs = AtomicUsize::new(0);
        let find = |(i, found): (usize, &mut Vec<u32>)| {
            found.clear();
            if pairs.load(Ordering::Relaxed) > most {
                return;
            }
            let at = places[i];
            let [x, y, z] = cell_of(at, reach);
            let mut look = |first: usize, last: usize| {
                let near = sorted[starts[first] as usize..starts[last + 1] as usize].iter();
                found.extend(near.filter(|&&j| {
                    let j = j as usize;
                    j > i && places[j].distance_squared(at) < reach_of(i, j).powi(2)
                }));
            };
            for dx in -1..=1 {
                for dy in -1..=1 {
                    // Three cells along z are a run, but for where it wraps.
                    let [low, middle, high] = [-1, 0, 1].map(|dz| {
                        bucket_of([x.wrapping_add(dx), y.wrapping_add(dy), z.wrapping_add(dz)], mask)
                    });
                    if low < middle && middle < high {
                        look(low, high);
                    } else {
                        [low, middle, high].into_iter().for_each(|bucket| look(bucket, bucket));
                    }
                }
            }
            found.sort_unstable();
            found.dedup();
            pairs.fetch_add(found.len(), Ordering::Relaxed);
        };
        if is_shared(places.len()) {
            self.found.par_iter_mut().with_min_len(256).enumerate().for_each(find);
        } else {
            self.found.iter_mut().enumerate().for_each(find);
        }
        self.ends.clear();
        self.partners.clear();
        if pairs.into_inner() > most {
            (self.found, self.seen_at) = (Vec::new(), Vec::new());
            return Err(Crowded);
        }
        for found in &self.found {
            self.partners.extend(found);
            self.ends.push(self.partners.len() as u32);
        }
        Ok(())
    }

    /// Particles by buckets, in each in their order.
    fn sort(&mut self, places: &[DVec3], size: f64, mask: usize) {
        let bucket = |&place: &DVec3| bucket_of(cell_of(place, size), mask);
        self.starts.clear();
        self.starts.resize(mask + 2, 0);
        for place in places {
            self.starts[bucket(place) + 1] += 1;
        }
        for k in 1..self.starts.len() {
            self.starts[k] += self.starts[k - 1];
        }
        self.sorted.clear();
        self.sorted.resize(places.len(), 0);
        // From the end, each bucket is filled backwards; then its count is its beginning.
        for (i, place) in places.iter().enumerate().rev() {
            let end = &mut self.starts[bucket(place) + 1];
            *end -= 1;
            self.sorted[*end as usize] = i as u32;
        }
        // Beginnings stand one too far to the right.
        self.starts.remove(0);
        self.starts.push(places.len() as u32);
    }

    /// Sets particles that are too near each other apart, one pair after the other, and takes tangential motion as Coulomb says.
    pub(super) fn set_apart(
        &self,
        places: &mut [DVec3],
        anchors: &[DVec3],
        inverse_masses: &[f64],
        of: &Keeping<'_>,
    ) -> usize {
        let mut start = 0;
        let mut contacts = 0;
        for (i, &end) in self.ends.iter().enumerate() {
            for &j in &self.partners[start..end as usize] {
                let j = j as usize;
                let apart = places[j] - places[i];
                let square = apart.length_squared();
                if square >= of.thickness * of.thickness {
                    continue;
                }
                let (wi, wj) = (inverse_masses[i], inverse_masses[j]);
                let (least, friction) = of.of_pair(i, j);
                if wi + wj == 0.0 || square >= least * least {
                    continue;
                }
                let length = square.sqrt();
                let normal = if square > 0.0 { apart / length } else { ASLANT };
                let way = (places[j] - anchors[j]) - (places[i] - anchors[i]);
                let along_normal = way.dot(normal);
                // What came nearer in this substep goes back at once; what was too near before, gently, or it would be thrown.
                let depth = (least - length).min(of.push_out - along_normal);
                if depth <= 0.0 {
                    continue;
                }
                contacts += 1;
                let tangential = way - normal * along_normal;
                let size = tangential.length();
                let slip = if size > 0.0 { (friction * depth / size).min(1.0) } else { 0.0 };
                let push = (normal * depth - tangential * slip) / (wi + wj);
                places[i] -= push * wi;
                places[j] += push * wj;
            }
            start = end as usize;
        }
        contacts
    }
}

/// How cloth is kept off itself.
pub(super) struct Keeping<'a> {
    /// m, the largest of all.
    pub(super) thickness: f64,
    /// μ; of several sheets see there.
    pub(super) friction: f64,
    /// How far pairs that were too near may be set apart in a substep, m.
    pub(super) push_out: f64,
    /// Places as the cloth was made.
    pub(super) rest: &'a [DVec3],
    /// For each particle its sheet, where there are several.
    pub(super) sheets: Option<(&'a [u32], &'a [Sheet])>,
}

/// What two sheets need to know of each other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sheet {
    pub(super) thickness: f64,
    pub(super) friction: f64,
}

impl Keeping<'_> {
    /// How near two particles may be, m, and μ between them. Neighbours may stay as near as they were made.
    #[inline]
    fn of_pair(&self, i: usize, j: usize) -> (f64, f64) {
        let (thickness, friction) = match self.sheets {
            None => (self.thickness, self.friction),
            Some((of, sheets)) => {
                let (a, b) = (sheets[of[i] as usize], sheets[of[j] as usize]);
                if of[i] != of[j] {
                    // The coarser one has the wider gaps.
                    return (a.thickness.max(b.thickness), 0.5 * (a.friction + b.friction));
                }
                (a.thickness, a.friction)
            }
        };
        (thickness.min(self.rest[i].distance(self.rest[j])), friction)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::random::unit;

    #[test]
    fn all_pairs_are_found_that_brute_force_finds() {
        let thickness = 0.1;
        let places: Vec<DVec3> = (0..600)
            .map(|k| DVec3::new(unit(1, 3 * k), unit(1, 3 * k + 1), unit(1, 3 * k + 2)) * 1.3 - 0.6)
            .collect();
        let mut neighbours = Neighbours::default();
        neighbours.update(&places, (thickness, None)).unwrap();
        let mut start = 0;
        for (i, &end) in neighbours.ends.iter().enumerate() {
            let partners = &neighbours.partners[start..end as usize];
            start = end as usize;
            for j in i + 1..places.len() {
                let is_near = places[i].distance(places[j]) < thickness * (1.0 + MARGIN);
                assert_eq!(partners.contains(&(j as u32)), is_near, "{i} {j}");
            }
        }
    }
}
