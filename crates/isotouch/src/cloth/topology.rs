//! What a mesh says about cloth: masses, constraints, edges.

use std::collections::BTreeMap;

use glam::DVec3;

use super::ClothError;
use super::constraints::{Bend, Strain};
use super::options::ClothOptions;
use crate::mesh::TriMesh;

/// An edge that is kept out of obstacles.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Edge {
    pub(super) ends: [u32; 2],
    /// m, at rest.
    pub(super) length: f64,
}

/// All that is read off a mesh.
pub(super) struct Topology {
    pub(super) masses: Vec<f64>,
    pub(super) strains: Vec<Strain>,
    pub(super) bends: Vec<Bend<4>>,
    pub(super) edges: Vec<Edge>,
    /// Largest circumradius of a triangle, or half of its longest edge where it is obtuse: how far inside it a point can be from all its corners.
    pub(super) gap: f64,
}

impl Topology {
    pub(super) fn of(mesh: &TriMesh, options: &ClothOptions) -> Result<Self, ClothError> {
        let cloth = || options.name.clone();
        let places = mesh.vertices();
        if mesh.triangles().is_empty() {
            return Err(ClothError::Empty { cloth: cloth(), what: "triangles" });
        }
        let fabric = &options.fabric;
        let mut masses = vec![0.0; places.len()];
        let mut strains = Vec::with_capacity(mesh.triangles().len());
        let mut across: BTreeMap<[u32; 2], Vec<(usize, u32)>> = BTreeMap::new();
        let mut gap: f64 = 0.0;
        for (t, &corners) in mesh.triangles().iter().enumerate() {
            let x = mesh.corners(t);
            let doubled = (x[1] - x[0]).cross(x[2] - x[0]);
            let sides = [x[1] - x[0], x[2] - x[1], x[0] - x[2]].map(DVec3::length);
            let longest = sides.iter().fold(0.0f64, |a, &b| a.max(b));
            let area = 0.5 * doubled.length();
            // A height of less than 10⁻⁹ of the longest edge is rounding.
            let Some(normal) = doubled.try_normalize().filter(|_| area > 1e-9 * longest * longest) else {
                return Err(ClothError::ZeroArea { cloth: cloth(), triangle: t });
            };
            for i in corners {
                masses[i as usize] += fabric.density * area / 3.0;
            }
            strains.push(strain(corners, x, (normal, area), options));
            let squares = sides.map(|side| side * side);
            let is_obtuse = 2.0 * longest * longest > squares.iter().sum::<f64>();
            let around = sides.iter().product::<f64>() / (4.0 * area);
            gap = gap.max(if is_obtuse { 0.5 * longest } else { around });
            for k in 0..3 {
                let [a, b, third] = [corners[k], corners[(k + 1) % 3], corners[(k + 2) % 3]];
                across.entry([a.min(b), a.max(b)]).or_default().push((t, third));
            }
        }
        let mut edges = Vec::with_capacity(across.len());
        let mut bends = Vec::new();
        for (&[a, b], sides) in &across {
            if sides.len() > 2 {
                return Err(ClothError::NonManifold {
                    cloth: cloth(),
                    from: a,
                    to: b,
                    triangles: sides.len(),
                });
            }
            edges.push(Edge { ends: [a, b], length: places[a as usize].distance(places[b as usize]) });
            if let [(_, c), (_, d)] = sides[..]
                && c != d
                && fabric.bend > 0.0
            {
                let particles = [a, b, c, d];
                bends.push(Bend::across(particles, particles.map(|i| places[i as usize]), fabric.bend));
            }
        }
        Ok(Self { masses, strains, bends, edges, gap })
    }
}

/// The strain of a triangle, along its projection of the warp and across.
fn strain(
    particles: [u32; 3],
    x: [DVec3; 3],
    (normal, area): (DVec3, f64),
    options: &ClothOptions,
) -> Strain {
    // The first axis that is not almost along the normal.
    let warp = [options.warp, DVec3::Y, DVec3::X, DVec3::Z]
        .into_iter()
        .filter_map(DVec3::try_normalize)
        .map(|axis| axis - normal * axis.dot(normal))
        .find(|axis| axis.length() > 0.3)
        .and_then(DVec3::try_normalize)
        .unwrap_or_else(|| normal.any_orthonormal_vector());
    let weft = normal.cross(warp);
    let flat = |p: DVec3| [p.dot(warp), p.dot(weft)];
    let ([a, b], [c, d]) = (flat(x[1] - x[0]), flat(x[2] - x[0]));
    // [d₁ d₂]·M = [w_u w_v], with the rest places M = [[a, c], [b, d]]⁻¹.
    let determinant = a * d - b * c;
    Strain {
        particles,
        u: [d / determinant, -b / determinant],
        v: [-c / determinant, a / determinant],
        stretch_compliance: 1.0 / (options.fabric.stretch * area),
        shear_compliance: 1.0 / (options.fabric.shear * area),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_at_rest_has_unit_directions_along_warp_and_weft() {
        let x = [DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.4, 0.1, 0.2), DVec3::new(0.2, 0.5, 0.1)];
        let mesh = TriMesh::new(x.to_vec(), vec![[0, 1, 2]]).unwrap();
        let topology = Topology::of(&mesh, &ClothOptions::default()).unwrap();
        let strain = topology.strains[0];
        let (u, v) = strain.directions(x);
        assert!(
            (u.length() - 1.0).abs() < 1e-14 && (v.length() - 1.0).abs() < 1e-14 && u.dot(v).abs() < 1e-14
        );
        assert!(u.x > 0.7, "along the warp as far as the plane allows: {u}");
        assert!((topology.masses.iter().sum::<f64>() - 0.15 * mesh.area()).abs() < 1e-15);
    }
}
