//! Mass, centre of mass and inertia of the body that a closed mesh bounds.

use glam::{DMat3, DVec3};

use super::TriMesh;
use super::edges::{EdgeUses, is_unbalanced};
use super::report::Welded;

/// What a body of uniform density weighs and how it resists turning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MassProperties {
    /// Density times volume; kg when the density is in kg/m³ and the mesh in metres.
    pub mass: f64,
    /// In the mesh's frame.
    pub center_of_mass: DVec3,
    /// Inertia tensor about the centre of mass, in the mesh's axes; kg·m² with the units above. Symmetric.
    pub inertia: DMat3,
    /// Enclosed volume, positive.
    pub volume: f64,
}

/// Why a mesh has no mass.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum MassError {
    /// The density is zero, negative or not finite.
    #[error("the density is {density}, but must be a positive number")]
    Density {
        /// The density that was given.
        density: f64,
    },
    /// There are edges that triangles do not run along equally often in both directions.
    #[error(
        "{edges} edges are open or join triangles that face opposite ways, so no volume is enclosed; close and orient \
         the mesh (a mesh report tells where it is wrong)"
    )]
    NotClosed {
        /// How many such edges.
        edges: usize,
    },
    /// The surface is closed but encloses nothing, as when every triangle is there with both windings.
    #[error(
        "the mesh encloses no volume ({volume}); is it flat, empty, or is every triangle there twice, facing both ways?"
    )]
    NoVolume {
        /// The volume, up to rounding.
        volume: f64,
    },
    /// The mesh is so large or small that a result overflows or vanishes.
    #[error(
        "the mesh's size ({size}) and the density ({density}) give a mass or inertia outside the range of f64; use other units"
    )]
    OutOfRange {
        /// The longest side of the mesh's box.
        size: f64,
        /// The density that was given.
        density: f64,
    },
}

/// Volumes up to this fraction of area times size are none. Rounding leaves about 1e-16; larger would refuse thin sheets,
/// smaller would give noise as mass.
const FLATTEST: f64 = 1e-12;

/// Integrates over the enclosed volume exactly, up to rounding: `density` in mass per volume.
///
/// Vertices at the same position count as one. A mesh wound inward weighs the same as one wound outward. Cavities
/// (wound against what surrounds them) are hollow; parts that overlap count twice.
pub fn mass_properties(mesh: &TriMesh, density: f64) -> Result<MassProperties, MassError> {
    if !(density.is_finite() && density > 0.0) {
        return Err(MassError::Density { density });
    }
    let edges = unbalanced_edges(mesh);
    if edges > 0 {
        return Err(MassError::NotClosed { edges });
    }
    // Measured from the middle of the box, where terms cancel least, and in units of its longest side, so that fifth powers
    // of a length stay in range.
    let bounds = mesh.bounds();
    let size = bounds.extent().max_element();
    if mesh.triangles().is_empty() || size == 0.0 {
        return Err(MassError::NoVolume { volume: 0.0 });
    }
    if !size.is_finite() {
        return Err(MassError::OutOfRange { size, density });
    }
    let origin = bounds.center();
    let moments = Moments::of(mesh, |v| (v - origin) / size);
    if moments.volume.abs() <= FLATTEST * moments.area {
        return Err(MassError::NoVolume { volume: moments.volume * size.powi(3) });
    }

    let volume = moments.volume.abs();
    let center = moments.first / moments.volume;
    // Second moments about the centre: C' = C − V c cᵀ; wound inward, all signs change together.
    let second = moments.second * moments.volume.signum() - outer(center) * volume;
    // I = tr(C) 1 − C
    let trace = second.x_axis.x + second.y_axis.y + second.z_axis.z;
    let inertia = DMat3::from_diagonal(DVec3::splat(trace)) - second;

    let volume = volume * size.powi(3);
    let properties = MassProperties {
        mass: density * volume,
        center_of_mass: origin + size * center,
        inertia: inertia * (density * size.powi(5)),
        volume,
    };
    let in_range = |x: f64| x.is_finite() && x > 0.0;
    let diagonal =
        properties.inertia.x_axis.x.min(properties.inertia.y_axis.y).min(properties.inertia.z_axis.z);
    if [volume, properties.mass, diagonal].into_iter().all(in_range) && properties.inertia.is_finite() {
        Ok(properties)
    } else {
        Err(MassError::OutOfRange { size, density })
    }
}

/// Edges that are not run along equally often in both directions. When there are none, the integrals do not depend on
/// the point they are measured from; edges shared by four triangles are fine.
fn unbalanced_edges(mesh: &TriMesh) -> usize {
    let edges = EdgeUses::of(&Welded::new(mesh).triangles, mesh.vertices().len());
    edges.iter().filter(|edge| is_unbalanced(edge)).count()
}

/// Integrals over the volume of 1, x and x xᵀ, and the surface's area.
struct Moments {
    volume: f64,
    first: DVec3,
    second: DMat3,
    area: f64,
}

impl Moments {
    fn of(mesh: &TriMesh, place: impl Fn(DVec3) -> DVec3) -> Self {
        let mut moments = Self { volume: 0.0, first: DVec3::ZERO, second: DMat3::ZERO, area: 0.0 };
        for t in 0..mesh.triangles().len() {
            // The tetrahedron of the origin and the triangle, with its sign.
            let [a, b, c] = mesh.corners(t).map(&place);
            let volume = a.dot(b.cross(c)) / 6.0;
            let sum = a + b + c;
            moments.volume += volume;
            // ∫ x = V (a + b + c) / 4
            moments.first += sum * (volume / 4.0);
            // ∫ x xᵀ = V/20 (a aᵀ + b bᵀ + c cᵀ + s sᵀ) with s = a + b + c
            moments.second += (outer(a) + outer(b) + outer(c) + outer(sum)) * (volume / 20.0);
            moments.area += 0.5 * (b - a).cross(c - a).length();
        }
        moments
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v * v.x, v * v.y, v * v.z)
}
