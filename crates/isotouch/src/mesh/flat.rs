use super::TriMesh;

/// Whether all of a mesh lies in one plane, the plane of its largest triangle.
pub(crate) fn is_flat(mesh: &TriMesh) -> bool {
    let normals = (0..mesh.triangles().len()).map(|t| {
        let [a, b, c] = mesh.corners(t);
        (a, (b - a).cross(c - a))
    });
    let largest = normals.max_by(|a, b| a.1.length_squared().total_cmp(&b.1.length_squared()));
    let Some((corner, normal)) = largest else { return true };
    let size = mesh.bounds().extent().max_element();
    // Without area in any triangle there is no plane, and nothing enclosed.
    let Some(normal) = normal.try_normalize() else { return true };
    (0..mesh.triangles().len())
        .all(|t| mesh.corners(t).iter().all(|v| (*v - corner).dot(normal).abs() <= 1e-9 * size))
}
