//! Meshes with known faults and known solids.

use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{TubeOptions, cuboid, sphere, tube_along};

pub fn mesh(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> TriMesh {
    TriMesh::new(vertices.iter().copied().map(DVec3::from_array).collect(), triangles.to_vec()).unwrap()
}

pub fn moved(mesh: TriMesh, by: DVec3) -> TriMesh {
    mesh.mapped(|v| v + by).unwrap()
}

pub fn joined(parts: &[TriMesh]) -> TriMesh {
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for part in parts {
        let first = vertices.len() as u32;
        vertices.extend_from_slice(part.vertices());
        triangles.extend(part.triangles().iter().map(|t| t.map(|v| v + first)));
    }
    TriMesh::new(vertices, triangles).unwrap()
}

/// Without some of its triangles.
pub fn without(mesh: &TriMesh, dropped: &[usize]) -> TriMesh {
    let kept = mesh.triangles().iter().enumerate().filter(|(k, _)| !dropped.contains(k)).map(|(_, t)| *t);
    TriMesh::new(mesh.vertices().to_vec(), kept.collect()).unwrap()
}

/// With one triangle wound the other way.
pub fn with_one_flipped(mesh: &TriMesh, flipped: usize) -> TriMesh {
    let mut triangles = mesh.triangles().to_vec();
    triangles[flipped].swap(0, 1);
    TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap()
}

/// With some triangles wound the other way.
pub fn with_flipped(mesh: &TriMesh, flipped: &[usize]) -> TriMesh {
    flipped.iter().fold(mesh.clone(), |mesh, &t| with_one_flipped(&mesh, t))
}

/// A unit box whose lid (at z = 0.5) is missing.
pub fn open_box() -> TriMesh {
    let closed = cuboid(DVec3::ONE).unwrap();
    let on_lid = |t: &usize| closed.corners(*t).iter().all(|v| v.z == 0.5);
    let lid: Vec<usize> = (0..closed.triangles().len()).filter(on_lid).collect();
    without(&closed, &lid)
}

pub fn overlapping_spheres() -> TriMesh {
    let ball = sphere(0.5, 1_280).unwrap();
    joined(&[ball.clone(), moved(ball, DVec3::new(0.55, 0.1, 0.05))])
}

/// One closed tube along a curve that runs through itself.
pub fn self_crossing_tube() -> TriMesh {
    let steps = 160;
    let points: Vec<DVec3> = (0..=steps)
        .map(|k| {
            // One loop of an eight, whose ends cross at the origin.
            let angle = -0.6 + (std::f64::consts::PI + 1.2) * f64::from(k) / f64::from(steps);
            DVec3::new((2.0 * angle).sin() * 0.5, angle.sin(), 0.01 * angle)
        })
        .collect();
    tube_along(&points, TubeOptions { radius: 0.11, segments: 24, ..Default::default() }).unwrap()
}

/// Two unit boxes that have one edge, along z, in common: four triangles meet on it, two each way.
pub fn boxes_sharing_an_edge() -> TriMesh {
    let one = cuboid(DVec3::ONE).unwrap();
    let two = moved(one.clone(), DVec3::new(1.0, 1.0, 0.0));
    welded(&joined(&[one, two]))
}

/// The same position is the same vertex, and vertices that nothing uses are gone.
pub fn welded(mesh: &TriMesh) -> TriMesh {
    let mut vertices: Vec<DVec3> = Vec::new();
    let mut place = |v: DVec3| match vertices.iter().position(|w| *w == v) {
        Some(known) => known as u32,
        None => {
            vertices.push(v);
            vertices.len() as u32 - 1
        }
    };
    let triangles = (0..mesh.triangles().len()).map(|t| mesh.corners(t).map(&mut place)).collect();
    TriMesh::new(vertices, triangles).unwrap()
}
