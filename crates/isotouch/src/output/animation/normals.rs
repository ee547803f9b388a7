//! Normals that make curved surfaces look curved and edges sharp.

use glam::{DVec3, Vec3};

use crate::mesh::TriMesh;

/// Faces that meet at less than this angle look like one curved surface: 40°, so that a cylinder of ten sides is round and
/// a box of any slant is not. A larger angle smears light over edges, a smaller one shows the facets of coarse balls.
const CREASE: f64 = 40.0 * std::f64::consts::PI / 180.0;

/// Around a vertex with more triangles than this each is shaded flat, since all pairs are looked at.
const MAX_FAN: usize = 1000;

/// Triangles with a normal at each vertex, as renderers want them: a vertex on an edge is there once for each side.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Shaded {
    pub(super) positions: Vec<Vec3>,
    pub(super) normals: Vec<Vec3>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Positions are measured from `origin`.
pub(super) fn shaded(mesh: &TriMesh, origin: DVec3) -> Shaded {
    let triangles = mesh.triangles();
    let faces: Vec<DVec3> = (0..triangles.len()).map(|t| face_normal(mesh.corners(t))).collect();
    let fans = Fans::of(triangles, mesh.vertices().len());
    let flattest = CREASE.cos();
    let mut shaded = Shaded { triangles: vec![[0; 3]; triangles.len()], ..Default::default() };
    // Normals that a vertex has already, and where.
    let mut known: Vec<(Vec3, u32)> = Vec::new();
    for (vertex, &position) in mesh.vertices().iter().enumerate() {
        known.clear();
        let fan = fans.around(vertex);
        for &corner in fan {
            let (triangle, place) = (corner as usize / 3, corner as usize % 3);
            let own = faces[triangle];
            let normal = if fan.len() > MAX_FAN {
                own
            } else {
                let alike = fan.iter().filter(|&&other| {
                    let face = faces[other as usize / 3];
                    own == DVec3::ZERO || face.dot(own) >= flattest
                });
                alike.map(|&other| weighted(mesh, &faces, other)).sum()
            };
            let normal = normal.try_normalize().or(own.try_normalize()).unwrap_or(DVec3::Y).as_vec3();
            let index = match known.iter().find(|(other, _)| *other == normal) {
                Some(&(_, index)) => index,
                None => {
                    let index = shaded.positions.len() as u32;
                    shaded.positions.push((position - origin).as_vec3());
                    shaded.normals.push(normal);
                    known.push((normal, index));
                    index
                }
            };
            shaded.triangles[triangle][place] = index;
        }
    }
    shaded
}

/// A normal for each vertex, smooth across all edges: cloth bends, and its vertices must stay what they are. `positions` are
/// those of the vertices now.
pub(super) fn smooth(triangles: &[[u32; 3]], positions: &[DVec3]) -> Vec<Vec3> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for triangle in triangles {
        let corners = triangle.map(|v| positions[v as usize]);
        let face = face_normal(corners);
        for place in 0..3 {
            sums[triangle[place] as usize] += angle(corners, place) * face;
        }
    }
    sums.into_iter().map(|sum| sum.try_normalize().unwrap_or(DVec3::Y).as_vec3()).collect()
}

/// Unit length, or zero for a triangle without area.
fn face_normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    // Scaled first, so that the product of tiny edges is not lost.
    let (ab, ac) = (b - a, c - a);
    let longest = ab.abs().max(ac.abs()).max_element();
    if longest > 0.0 { (ab / longest).cross(ac / longest).normalize_or_zero() } else { DVec3::ZERO }
}

/// A face's normal, weighted by the angle of its corner, so that it does not matter how a polygon was cut.
fn weighted(mesh: &TriMesh, faces: &[DVec3], corner: u32) -> DVec3 {
    let triangle = corner as usize / 3;
    angle(mesh.corners(triangle), corner as usize % 3) * faces[triangle]
}

fn angle(corners: [DVec3; 3], place: usize) -> f64 {
    let at = corners[place];
    let (one, other) = (corners[(place + 1) % 3] - at, corners[(place + 2) % 3] - at);
    one.normalize_or_zero().dot(other.normalize_or_zero()).clamp(-1.0, 1.0).acos()
}

/// For each vertex the corners of triangles that are there, a corner being three times its triangle plus its place.
struct Fans {
    starts: Vec<usize>,
    corners: Vec<u32>,
}

impl Fans {
    fn of(triangles: &[[u32; 3]], vertices: usize) -> Self {
        let mut starts = vec![0; vertices + 1];
        for &vertex in triangles.iter().flatten() {
            starts[vertex as usize + 1] += 1;
        }
        for vertex in 0..vertices {
            starts[vertex + 1] += starts[vertex];
        }
        let mut next = starts.clone();
        let mut corners = vec![0; 3 * triangles.len()];
        for (corner, &vertex) in triangles.iter().flatten().enumerate() {
            corners[next[vertex as usize]] = corner as u32;
            next[vertex as usize] += 1;
        }
        Self { starts, corners }
    }

    fn around(&self, vertex: usize) -> &[u32] {
        &self.corners[self.starts[vertex]..self.starts[vertex + 1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::shapes;

    #[test]
    fn a_box_has_flat_faces_and_a_ball_is_round() {
        let cube = shapes::cuboid(DVec3::ONE).unwrap();
        let flat = shaded(&cube, DVec3::ZERO);
        assert_eq!(flat.positions.len(), 24);
        for corners in &flat.triangles {
            let [a, b, c] = corners.map(|v| flat.positions[v as usize]);
            let face = (b - a).cross(c - a).normalize_or_zero();
            assert!(corners.iter().all(|&v| flat.normals[v as usize].distance(face) < 1e-6));
        }
        let ball = shapes::sphere(2.0, 1280).unwrap();
        let round = shaded(&ball, DVec3::ZERO);
        assert_eq!(round.positions.len(), ball.vertices().len());
        for (position, normal) in round.positions.iter().zip(&round.normals) {
            assert!((*position / 2.0).distance(*normal) < 0.02);
        }
        let smooth = smooth(ball.triangles(), ball.vertices());
        assert!(smooth.iter().zip(ball.vertices()).all(|(n, v)| n.as_dvec3().distance(*v / 2.0) < 0.02));
    }

    #[test]
    fn triangles_without_area_get_a_unit_normal_too() {
        let line = TriMesh::new(vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], vec![[0, 1, 2]]).unwrap();
        assert!(shaded(&line, DVec3::ZERO).normals.iter().all(|n| n.is_normalized()));
        assert!(smooth(line.triangles(), line.vertices()).iter().all(|n| n.is_normalized()));
        let tiny =
            TriMesh::new(vec![DVec3::ZERO, 1e-200 * DVec3::X, 1e-200 * DVec3::Z], vec![[0, 1, 2]]).unwrap();
        assert_eq!(shaded(&tiny, DVec3::ZERO).normals[0], Vec3::NEG_Y);
    }
}
