//! Sound meshes made unsound, in the ways files are, with what is still known about their solids.

use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;

use super::Soup;
use super::meshes::{joined, moved};
use super::random::Random;

/// A damaged mesh.
#[derive(Clone)]
pub struct Damaged {
    pub mesh: TriMesh,
    /// What encloses the same solid, by winding numbers.
    pub sound: TriMesh,
    /// Spheres, in which nothing is said about signs.
    pub doubtful: Vec<(DVec3, f64)>,
    /// Widest hole.
    pub widest_hole: f64,
}

impl Damaged {
    fn of(mesh: TriMesh, sound: &TriMesh) -> Self {
        Self { mesh, sound: sound.clone(), doubtful: Vec::new(), widest_hole: 0.0 }
    }

    pub fn is_doubtful(&self, p: DVec3) -> bool {
        self.doubtful.iter().any(|(center, radius)| p.distance(*center) < *radius)
    }
}

/// Not damaged at all.
pub fn none(mesh: &TriMesh) -> Damaged {
    Damaged::of(mesh.clone(), mesh)
}

fn rebuilt(mesh: &TriMesh, triangles: Vec<[u32; 3]>) -> TriMesh {
    TriMesh::new(mesh.vertices().to_vec(), triangles).unwrap()
}

/// Without all triangles whose middle is closer than `radius` to that of a random one, at `count` places.
pub fn with_holes(mesh: &TriMesh, count: usize, radius: f64, random: &mut Random) -> Damaged {
    let middle = |t: usize| mesh.corners(t).iter().sum::<DVec3>() / 3.0;
    let centers: Vec<DVec3> = (0..count).map(|_| middle(random.below(mesh.triangles().len()))).collect();
    let mut reach = vec![0.0f64; count];
    let mut kept = Vec::new();
    for t in 0..mesh.triangles().len() {
        match centers.iter().position(|c| c.distance(middle(t)) < radius) {
            None => kept.push(mesh.triangles()[t]),
            Some(hole) => {
                let farthest = mesh.corners(t).iter().map(|v| v.distance(centers[hole])).fold(0.0, f64::max);
                reach[hole] = reach[hole].max(farthest);
            }
        }
    }
    let doubtful = centers.into_iter().zip(&reach).map(|(center, reach)| (center, 1.3 * reach)).collect();
    Damaged { doubtful, widest_hole: 2.0 * radius, ..Damaged::of(rebuilt(mesh, kept), mesh) }
}

/// Every triangle twice, with both windings.
pub fn doubled(mesh: &TriMesh) -> Damaged {
    let both = mesh.triangles().iter().flat_map(|&[a, b, c]| [[a, b, c], [a, c, b]]).collect();
    Damaged::of(rebuilt(mesh, both), mesh)
}

/// One in so many triangles wound the other way.
pub fn with_flips(mesh: &TriMesh, one_in: usize, random: &mut Random) -> Damaged {
    let mut triangles = mesh.triangles().to_vec();
    for t in &mut triangles {
        if random.below(one_in) == 0 {
            t.swap(0, 1);
        }
    }
    Damaged::of(rebuilt(mesh, triangles), mesh)
}

/// Triangles that share no corners, in random order, each smaller by `gap` all around its middle.
pub fn torn(mesh: &TriMesh, gap: f64, random: &mut Random) -> Damaged {
    let mut order: Vec<usize> = (0..mesh.triangles().len()).collect();
    for k in (1..order.len()).rev() {
        order.swap(k, random.below(k + 1));
    }
    let mut vertices = Vec::new();
    for t in order {
        let corners = mesh.corners(t);
        let middle = corners.iter().sum::<DVec3>() / 3.0;
        vertices.extend(corners.map(|v| v + (middle - v).normalize_or_zero() * gap));
    }
    let triangles = (0..vertices.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    Damaged::of(TriMesh::new(vertices, triangles).unwrap(), mesh)
}

/// Small triangles that belong to nothing.
#[derive(Debug, Clone, Copy)]
pub struct Junk {
    /// Half the edge of the cube that holds one.
    pub size: f64,
    /// How far below the surface its middle is at least; above √3 times the size, all of it is inside.
    pub depth: f64,
}

/// With junk inside.
pub fn with_junk(mesh: &TriMesh, count: usize, junk: Junk, random: &mut Random) -> Damaged {
    let Junk { size, depth } = junk;
    let soup = Soup::new(mesh);
    let mut doubtful = Vec::new();
    let (mut vertices, mut triangles) = (mesh.vertices().to_vec(), mesh.triangles().to_vec());
    while doubtful.len() < count {
        let center = random.in_box(mesh.bounds());
        if soup.signed_distance(center) > -depth {
            continue;
        }
        let first = vertices.len() as u32;
        vertices.extend([0; 3].map(|_| center + size * random.in_cube()));
        triangles.push([first, first + 1, first + 2]);
        doubtful.push((center, 4.0 * size));
    }
    Damaged { doubtful, ..Damaged::of(TriMesh::new(vertices, triangles).unwrap(), mesh) }
}

/// With a copy of itself that overlaps it.
pub fn overlapping(mesh: &TriMesh, by: DVec3) -> Damaged {
    let both = joined(&[mesh.clone(), moved(mesh.clone(), by)]);
    Damaged::of(both.clone(), &both)
}

/// A third of the triangles cut in two, from the middle of an edge whose other side knows nothing of it.
pub fn with_t_junctions(mesh: &TriMesh, random: &mut Random) -> Damaged {
    let mut vertices = mesh.vertices().to_vec();
    let mut triangles = Vec::new();
    for &[a, b, c] in mesh.triangles() {
        if random.below(3) == 0 {
            let middle = vertices.len() as u32;
            vertices.push(0.5 * (vertices[a as usize] + vertices[b as usize]));
            triangles.extend([[a, middle, c], [middle, b, c]]);
        } else {
            triangles.push([a, b, c]);
        }
    }
    Damaged::of(TriMesh::new(vertices, triangles).unwrap(), mesh)
}

/// Damaged once more.
pub fn and(first: Damaged, second: impl FnOnce(&TriMesh) -> Damaged) -> Damaged {
    let second = second(&first.mesh);
    Damaged {
        mesh: second.mesh,
        sound: first.sound,
        doubtful: [first.doubtful, second.doubtful].concat(),
        widest_hole: first.widest_hole.max(second.widest_hole),
    }
}
