//! Bodies around the z axis that are not round: rings with one corner per direction, joined by bands.

use glam::DVec3;

use super::ShapeError;
use super::finish::finish;
use super::revolve::{band, fan};
use crate::mesh::TriMesh;

/// A number of a ring.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ring(usize);

/// Rings at heights, and what joins them. Every ring has a corner in each direction, so a band between any two of them crosses itself nowhere.
pub(super) struct Rings {
    shape: &'static str,
    /// Unit vectors, counter-clockwise all around.
    directions: Vec<[f64; 2]>,
    vertices: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    /// Rings that a disc closes: its height, and whether it faces up.
    discs: Vec<(Ring, f64, bool)>,
}

impl Rings {
    pub(super) fn new(shape: &'static str, directions: Vec<[f64; 2]>) -> Self {
        Self { shape, directions, vertices: Vec::new(), triangles: Vec::new(), discs: Vec::new() }
    }

    /// A ring whose corner in a direction is where `place` says: on that ray from the axis.
    pub(super) fn add(&mut self, z: f64, place: impl Fn(usize, [f64; 2]) -> [f64; 2]) -> Ring {
        let places = self.directions.iter().enumerate().map(|(k, &direction)| place(k, direction));
        self.vertices.extend(places.map(|[x, y]| DVec3::new(x, y, z)));
        Ring(self.vertices.len() / self.directions.len() - 1)
    }

    /// A ring with all corners on a circle.
    pub(super) fn add_circle(&mut self, z: f64, radius: f64) -> Ring {
        self.add(z, |_, [cos, sin]| [radius * cos, radius * sin])
    }

    /// A wall from one ring to the next; the body is to the left of the way from one to the other, outside up and inside down. Diagonals turn
    /// counter-clockwise along the way.
    pub(super) fn join(&mut self, from: Ring, to: Ring) {
        self.triangles.extend(band(self.directions.len(), from.0, to.0));
    }

    /// The same wall seen from behind, with the same diagonals: a wall around a hole, from low to high.
    pub(super) fn join_inside(&mut self, low: Ring, high: Ring) {
        self.triangles.extend(band(self.directions.len(), low.0, high.0).map(|[a, b, c]| [a, c, b]));
    }

    /// A disc inside a ring that faces down.
    pub(super) fn close_below(&mut self, ring: Ring, z: f64) {
        self.discs.push((ring, z, false));
    }

    /// A disc inside a ring that faces up.
    pub(super) fn close_above(&mut self, ring: Ring, z: f64) {
        self.discs.push((ring, z, true));
    }

    pub(super) fn finish(mut self) -> Result<TriMesh, ShapeError> {
        for (ring, z, faces_up) in self.discs {
            let middle = self.vertices.len() as u32;
            self.vertices.push(DVec3::new(0.0, 0.0, z));
            let around = fan(self.directions.len(), ring.0);
            self.triangles
                .extend(around.map(|[a, b]| if faces_up { [middle, a, b] } else { [middle, b, a] }));
        }
        finish(self.shape, self.vertices, self.triangles)
    }
}
