//! Pieces that share no vertex, and which of them face their inside.

use std::f64::consts::TAU;

use glam::DVec3;

use crate::math::Aabb;
use crate::mesh::TriMesh;
use crate::mesh::edges::{EdgeUses, distinct};
use crate::mesh::sets::Sets;

/// Triangles that the test for cavities may visit, about a second's worth. Beyond it, boxes decide: a mesh of
/// very many pieces inside each other then gets an approximate count instead of a very long wait.
const VISITS: usize = 20_000_000;

pub(super) struct Components(Vec<Component>);

struct Component {
    triangles: Vec<u32>,
    bounds: Aabb,
    /// Closed and consistently oriented.
    solid: bool,
    signed_volume: f64,
}

impl Components {
    pub(super) fn new(mesh: &TriMesh, triangles: &[[u32; 3]], edges: &EdgeUses) -> Self {
        let mut sets = Sets::new(mesh.vertices().len());
        for &[a, b, c] in triangles.iter().filter(|corners| distinct(corners)) {
            sets.join(a, b);
            sets.join(b, c);
        }
        const NONE: u32 = u32::MAX;
        let mut index_of_root = vec![NONE; mesh.vertices().len()];
        let mut components: Vec<Component> = Vec::new();
        for (t, corners) in triangles.iter().enumerate().filter(|(_, corners)| distinct(corners)) {
            let index = &mut index_of_root[sets.find(corners[0]) as usize];
            if *index == NONE {
                *index = components.len() as u32;
                components.push(Component {
                    triangles: Vec::new(),
                    bounds: Aabb::EMPTY,
                    solid: true,
                    signed_volume: 0.0,
                });
            }
            components[*index as usize].triangles.push(t as u32);
        }
        for edge in edges.iter() {
            if edge.len() != 2 || edge[0].is_backward() == edge[1].is_backward() {
                let root = sets.find(edge[0].ends()[0]);
                components[index_of_root[root as usize] as usize].solid = false;
            }
        }
        for component in &mut components {
            // Any point on the component serves as the apex of the tetrahedra when it is closed; a near one is accurate.
            let apex = mesh.corners(component.triangles[0] as usize)[0];
            for &t in &component.triangles {
                let corners = mesh.corners(t as usize);
                component.bounds = component.bounds.union(Aabb::of_points(corners));
                let [a, b, c] = corners.map(|v| v - apex);
                component.signed_volume += a.dot(b.cross(c)) / 6.0;
            }
        }
        Self(components)
    }

    pub(super) fn len(&self) -> usize {
        self.0.len()
    }

    /// The triangles of a component.
    pub(super) fn triangles(&self, component: usize) -> &[u32] {
        &self.0[component].triangles
    }

    /// Which solid components face their inside with nothing around them, and how many bound a hollow in another.
    pub(super) fn inward_and_cavities(&self, mesh: &TriMesh, triangles: &[[u32; 3]]) -> (Vec<usize>, usize) {
        let (mut inward, mut cavities) = (Vec::new(), 0);
        let mut visits = 0;
        for (i, component) in self.0.iter().enumerate() {
            if !component.solid || component.signed_volume >= 0.0 {
                continue;
            }
            if self.winding_around(i, (mesh, triangles), &mut visits) > 0.5 {
                cavities += 1;
            } else {
                inward.push(i);
            }
        }
        (inward, cavities)
    }

    /// Whether a solid component faces outward, and not into what an inward one around it takes for its outside.
    pub(super) fn has_outward(&self, mesh: &TriMesh, triangles: &[[u32; 3]]) -> bool {
        let mut visits = 0;
        let mut outward = (0..self.0.len()).filter(|&i| self.0[i].solid && self.0[i].signed_volume > 0.0);
        outward.any(|i| self.winding_around(i, (mesh, triangles), &mut visits) > -0.5)
    }

    /// How often the other solid components wind around one.
    fn winding_around(
        &self,
        i: usize,
        (mesh, triangles): (&TriMesh, &[[u32; 3]]),
        visits: &mut usize,
    ) -> f64 {
        let point = mesh.vertices()[triangles[self.0[i].triangles[0] as usize][0] as usize];
        let mut winding = 0.0;
        for (j, other) in self.0.iter().enumerate() {
            // A closed surface does not wind around a point outside its box.
            if i == j || !other.solid || !other.bounds.contains(point) {
                continue;
            }
            *visits += other.triangles.len();
            winding += if *visits <= VISITS {
                winding_number(mesh, &other.triangles, point)
            } else {
                other.signed_volume.signum()
            };
        }
        winding
    }
}

/// How often the triangles wind around the point: for a closed surface 1 inside, 0 outside, −1 inside when inward.
fn winding_number(mesh: &TriMesh, triangles: &[u32], point: DVec3) -> f64 {
    let solid_angle: f64 = triangles
        .iter()
        .map(|&t| {
            let [a, b, c] = mesh.corners(t as usize).map(|v| v - point);
            let [la, lb, lc] = [a, b, c].map(DVec3::length);
            // tan(Ω/2) = a·(b×c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|), van Oosterom and Strackee 1983, eq. 8.
            let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
            2.0 * a.dot(b.cross(c)).atan2(denominator)
        })
        .sum();
    solid_angle / (2.0 * TAU)
}
