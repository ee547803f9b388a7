//! Edges along which a surface turns sharply, ends or branches.

use glam::DVec3;

use super::TriMesh;
use super::edges::EdgeUses;

/// An edge where the surface is not smooth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Crease {
    /// Its vertices, lower first.
    pub(crate) ends: [u32; 2],
    /// Between the normals of its triangles; zero where none has one.
    pub(crate) normal: DVec3,
}

/// Edges with one triangle or more than two, and those whose two triangles turn by more than `angle` (in radians). Triangles without a normal do
/// not count, so that an edge beside one is the end of the surface there. Edges in ascending order of their ends.
pub(crate) fn creases(mesh: &TriMesh, normals: &[DVec3], angle: f64) -> Vec<Crease> {
    let uses = EdgeUses::of(mesh.triangles(), mesh.vertices().len());
    let flattest = angle.cos();
    let mut found = Vec::new();
    for edge in uses.iter() {
        let first = normals[edge[0].triangle()];
        let is_smooth = match edge {
            [one, other] => {
                let second = normals[other.triangle()];
                // Of two triangles that run along the edge in the same direction one is wound the wrong way.
                let agree = if one.is_backward() == other.is_backward() { -1.0 } else { 1.0 };
                first != DVec3::ZERO && second != DVec3::ZERO && agree * first.dot(second) >= flattest
            }
            _ => false,
        };
        if !is_smooth {
            let sum: DVec3 = edge.iter().map(|side| normals[side.triangle()]).sum();
            found.push(Crease { ends: edge[0].ends(), normal: sum.try_normalize().unwrap_or(first) });
        }
    }
    found
}
