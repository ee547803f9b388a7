//! Gradient noise (Perlin 2002, "Improving noise") on a hashed integer lattice, summed over octaves.
//!
//! Only additions, multiplications and `floor`, so the values are the same on every machine.

use glam::DVec3;

/// Smooth noise over space from a seed; no period, unlike a permutation table.
pub(super) struct Noise {
    seed: u64,
    octaves: u32,
}

impl Noise {
    pub(super) fn new(seed: u64, octaves: u32) -> Self {
        Self { seed, octaves }
    }

    /// Octaves, each with twice the frequency and half the height of the one before; within [−1, 1].
    pub(super) fn at(&self, point: DVec3) -> f64 {
        let (mut sum, mut height, mut total) = (0.0, 1.0, 0.0);
        let mut p = point;
        for octave in 0..self.octaves {
            sum += height * self.octave_at(p, octave);
            total += height;
            height *= 0.5;
            // The shift keeps the lattice planes of the octaves, where noise is zero, from coinciding.
            p = 2.0 * p + DVec3::new(0.37, 0.71, 0.13);
        }
        // One octave can exceed 1 by 3.6 %, where all eight gradients point at the sample.
        (sum / total).clamp(-1.0, 1.0)
    }

    fn octave_at(&self, p: DVec3, octave: u32) -> f64 {
        let cell = p.floor();
        let f = p - cell;
        // 6t⁵ − 15t⁴ + 10t³: first and second derivative vanish at 0 and 1.
        let fade = f * f * f * (f * (f * 6.0 - 15.0) + 10.0);
        let [x, y, z] = [cell.x as i64, cell.y as i64, cell.z as i64];
        let corner = |dx: i64, dy: i64, dz: i64| {
            let to_point = f - DVec3::new(dx as f64, dy as f64, dz as f64);
            gradient(self.hash(x + dx, y + dy, z + dz, octave), to_point)
        };
        let mix = |a: f64, b: f64, t: f64| a + t * (b - a);
        let edge = |dy, dz| mix(corner(0, dy, dz), corner(1, dy, dz), fade.x);
        let face = |dz| mix(edge(0, dz), edge(1, dz), fade.y);
        mix(face(0), face(1), fade.z)
    }

    /// The finaliser of SplitMix64 over the lattice point, the octave and the seed.
    fn hash(&self, x: i64, y: i64, z: i64, octave: u32) -> u64 {
        let mut h = self.seed ^ u64::from(octave).wrapping_mul(0xd6e8_feb8_6659_fd93);
        for (coordinate, odd) in
            [(x, 0x9e37_79b9_7f4a_7c15), (y, 0xc2b2_ae3d_27d4_eb4f), (z, 0x1656_67b1_9e37_79f9)]
        {
            h = h.wrapping_add((coordinate as u64).wrapping_mul(odd)).rotate_left(23);
        }
        h = (h ^ (h >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        h = (h ^ (h >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        h ^ (h >> 31)
    }
}

/// `to_point` dotted with one of the twelve directions from a cube's centre to its edges.
fn gradient(hash: u64, to_point: DVec3) -> f64 {
    let DVec3 { x, y, z } = to_point;
    // Twelve directions from sixteen hashes: four of them twice, as in the paper.
    let (u, v) = match hash & 15 {
        0..=3 | 12 | 13 => (x, y),
        4..=7 => (x, z),
        _ => (y, z),
    };
    (if hash & 16 == 0 { u } else { -u }) + (if hash & 32 == 0 { v } else { -v })
}
