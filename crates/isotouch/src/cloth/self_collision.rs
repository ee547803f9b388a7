//! Cloth against itself: particles are kept a thickness apart.
//!
//! Particles near each other are found with a grid over space, sorted instead of hashed into buckets, once in a while: until one has moved by half the margin that was
//! added. Neighbours at rest may stay as near as they were made.

use glam::DVec3;
use rayon::prelude::*;

/// How much farther than the thickness pairs are looked for, in parts of it. More keeps lists longer, and more often.
const MARGIN: f64 = 0.5;

/// Which particles may come near each other.
#[derive(Debug, Clone, Default)]
pub(super) struct Neighbours {
    /// (cell, particle), sorted.
    cells: Vec<(u64, u32)>,
    /// First of each cell and where it begins.
    starts: Vec<(u64, u32)>,
    /// Where particles were when pairs were looked for.
    seen_at: Vec<DVec3>,
    /// For each particle where its partners end in `partners`.
    ends: Vec<u32>,
    partners: Vec<u32>,
    found: Vec<Vec<u32>>,
}

/// A cell's number. Cells far apart may share one, which costs a look and no more.
fn cell_of(place: DVec3, size: f64, step: [i64; 3]) -> u64 {
    let whole = |x: f64, step: i64| ((x / size).floor() as i64).wrapping_add(step) as u64 & 0x1f_ffff;
    whole(place.x, step[0]) << 42 | whole(place.y, step[1]) << 21 | whole(place.z, step[2])
}

impl Neighbours {
    /// Looks anew if particles may have moved out of the lists.
    pub(super) fn update(&mut self, places: &[DVec3], thickness: f64) {
        let most = 0.5 * MARGIN * thickness;
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
            return;
        }
        let reach = thickness * (1.0 + MARGIN);
        self.seen_at.clear();
        self.seen_at.extend(places);
        self.cells.clear();
        self.cells.extend(places.iter().enumerate().map(|(i, &at)| (cell_of(at, reach, [0; 3]), i as u32)));
        self.cells.sort_unstable();
        self.starts.clear();
        for (k, &(cell, _)) in self.cells.iter().enumerate() {
            if self.starts.last().is_none_or(|&(last, _)| last != cell) {
                self.starts.push((cell, k as u32));
            }
        }
        self.found.resize_with(places.len(), Vec::new);
        let (cells, starts) = (&self.cells, &self.starts);
        self.found.par_iter_mut().with_min_len(256).enumerate().for_each(|(i, found)| {
            found.clear();
            let at = places[i];
            for dx in -1..=1 {
                for dy in -1..=1 {
                    // Three cells along z have numbers one after the other, but for where they wrap.
                    let [low, middle, high] = [-1, 0, 1].map(|dz| cell_of(at, reach, [dx, dy, dz]));
                    let ranges = if low < middle && middle < high {
                        [(low, high), (1, 0), (1, 0)]
                    } else {
                        [(low, low), (middle, middle), (high, high)]
                    };
                    for (first, last) in ranges.into_iter().filter(|(first, last)| first <= last) {
                        let k = starts.partition_point(|&(cell, _)| cell < first);
                        let Some(&(_, start)) = starts.get(k) else { continue };
                        let run = cells[start as usize..].iter().take_while(|(of, _)| *of <= last);
                        let near = run.filter(|&&(_, j)| {
                            j as usize > i && places[j as usize].distance_squared(at) < reach * reach
                        });
                        found.extend(near.map(|&(_, j)| j));
                    }
                }
            }
            found.sort_unstable();
            found.dedup();
        });
        self.ends.clear();
        self.partners.clear();
        for found in &self.found {
            self.partners.extend(found);
            self.ends.push(self.partners.len() as u32);
        }
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
                let at_rest = of.rest[i].distance_squared(of.rest[j]);
                if wi + wj == 0.0 || square >= at_rest || square == 0.0 {
                    continue;
                }
                contacts += 1;
                let length = square.sqrt();
                let normal = apart / length;
                let depth = of.thickness.min(at_rest.sqrt()) - length;
                let way = (places[j] - anchors[j]) - (places[i] - anchors[i]);
                let tangential = way - normal * way.dot(normal);
                let size = tangential.length();
                let slip = if size > 0.0 { (of.friction * depth / size).min(1.0) } else { 0.0 };
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
    pub(super) thickness: f64,
    pub(super) friction: f64,
    /// Places as the cloth was made.
    pub(super) rest: &'a [DVec3],
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
        neighbours.update(&places, thickness);
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
