use rayon::prelude::*;

use super::ShapeError;
use super::finish::{Length, finish};
use super::noise::Noise;
use super::sphere::unit_sphere;
use crate::mesh::TriMesh;

/// How [`blob`] is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BlobOptions {
    /// Radius of the sphere that noise is added to.
    pub radius: f64,
    /// About how many triangles: the nearest 20 n² is made. Millions are fine.
    pub triangles: usize,
    /// Another seed, another blob.
    pub seed: u64,
    /// How far noise moves the surface at most, as a fraction of the radius: 0 (a sphere) to 0.95.
    pub amplitude: f64,
    /// Layers of detail, 1 to 16; each has half the size and half the height of the one before.
    pub octaves: u32,
}

impl Default for BlobOptions {
    fn default() -> Self {
        Self { radius: 0.5, triangles: 20_000, seed: 1, amplitude: 0.5, octaves: 6 }
    }
}

/// Bumps of the first octave per radius.
const BUMPS: f64 = 1.6;

/// A lumpy, detailed body around the origin: a sphere displaced along its radii by noise.
///
/// Displaced along radii that stay positive it is star-shaped, so it never cuts itself, whatever the options.
pub fn blob(options: BlobOptions) -> Result<TriMesh, ShapeError> {
    let shape = "blob";
    let BlobOptions { radius, triangles, seed, amplitude, octaves } = options;
    Length { shape, parameter: "radius", value: radius }.check()?;
    if !(0.0..=0.95).contains(&amplitude) {
        let (parameter, range) = ("amplitude", "0 to 0.95");
        return Err(ShapeError::OutOfRange { shape, parameter, value: amplitude, range });
    }
    if !(1..=16).contains(&octaves) {
        let (parameter, range) = ("octaves", "1 to 16");
        return Err(ShapeError::OutOfRange { shape, parameter, value: octaves.into(), range });
    }
    let (mut vertices, triangles) = unit_sphere(shape, triangles)?;
    let noise = Noise::new(seed, octaves);
    vertices.par_iter_mut().for_each(|direction| {
        *direction *= radius * (1.0 + amplitude * noise.at(BUMPS * *direction));
    });
    finish(shape, vertices, triangles)
}
