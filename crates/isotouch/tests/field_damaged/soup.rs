//! Signs by reach alone, whatever the orientation.

use isotouch::field::SignMethod::Soup;

use super::*;

#[test]
fn no_damage() {
    check(NO_DAMAGE, Soup, EVERYWHERE);
}

#[test]
fn holes() {
    check(HOLES, Soup, EVERYWHERE);
}

#[test]
fn flips() {
    check(FLIPS, Soup, EVERYWHERE);
}

#[test]
fn torn() {
    check(TORN, Soup, EVERYWHERE);
}

#[test]
fn torn_away_from_the_surface() {
    check(TORN, Soup, BEYOND_CREVICES);
}

#[test]
fn torn_and_flips() {
    check(TORN_AND_FLIPS, Soup, EVERYWHERE);
}

#[test]
fn t_junctions() {
    check(T_JUNCTIONS, Soup, EVERYWHERE);
}

#[test]
fn junk_inside() {
    check(JUNK_INSIDE, Soup, EVERYWHERE);
}

#[test]
fn overlap() {
    check(OVERLAP, Soup, EVERYWHERE);
}

#[test]
fn overlap_and_holes() {
    check(OVERLAP_AND_HOLES, Soup, EVERYWHERE);
}

/// A ball holds most of the area, so that the least gap serves; beside it is a box with a slit, which is closed if it is narrower
/// than the gap that the build names, wherever its middle lies between nodes and however it is turned.
#[test]
fn slits_up_to_the_gap_that_was_chosen_are_closed() {
    let cell = 0.025;
    let mut random = Random(9);
    let mut found = Vec::new();
    for k in 0..24 {
        let width = 1.79 * cell;
        let turn = if k % 2 == 0 { 0.0 } else { random.in_cube().x };
        let turned = isotouch::math::DMat3::from_axis_angle(DVec3::new(0.6, 0.0, 0.8), turn);
        let place = DVec3::new(1.0, 0.0, 0.0) + cell * random.in_cube();
        let slit = slit_box(0.2, width).mapped(|v| turned * v + place).unwrap();
        let mesh = damage::doubled(&joined(&[shapes::sphere(0.5, 5_120).unwrap(), slit])).mesh;
        let options = FieldOptions { cell_size: Some(cell), ..options(SignMethod::Soup, StorageKind::Dense) };
        let Built { field, notes } = Field::from_mesh_with(&mesh, &options, &Execution::default()).unwrap();
        let gap = notes.iter().find_map(|note| match note {
            BuildNote::GapsClosed { width } => Some(*width),
            _ => None,
        });
        if field.distance(place).value() >= 0.0 {
            found.push(format!("turned by {turn}, at {place}: open, gap {gap:?}"));
        } else if gap.is_none_or(|gap| (gap - 1.8 * cell).abs() > 1e-9) {
            found.push(format!("turned by {turn}, at {place}: closed by {gap:?}"));
        }
    }
    assert!(found.is_empty(), "{} of 24:\n{}", found.len(), found.join("\n"));
}

/// A cube of half size `half`, whose top has a slit all along its middle but for a cell at the ends.
fn slit_box(half: f64, width: f64) -> TriMesh {
    let (w, e) = (0.5 * width, half - 0.025);
    // The top's corners, and those of the slit.
    let top = |x: f64, y: f64| DVec3::new(x, y, half);
    let mut vertices = vec![
        top(-half, -half),
        top(half, -half),
        top(half, half),
        top(-half, half),
        top(-w, -e),
        top(w, -e),
        top(w, e),
        top(-w, e),
    ];
    vertices.extend((0..4).map(|k| vertices[k] - 2.0 * half * DVec3::Z).collect::<Vec<_>>());
    let quads = [
        [0, 1, 5, 4],
        [1, 2, 6, 5],
        [2, 3, 7, 6],
        [3, 0, 4, 7],
        [8, 9, 1, 0],
        [9, 10, 2, 1],
        [10, 11, 3, 2],
        [11, 8, 0, 3],
        [11, 10, 9, 8],
    ];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    TriMesh::new(vertices, triangles).unwrap()
}
