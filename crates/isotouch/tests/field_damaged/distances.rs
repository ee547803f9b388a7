//! Distances where parts of the mesh lie inside the solid.

use super::*;

/// With the solid on both sides, triangles are no boundary: all nodes are as without them.
fn check_that_junk_changes_nothing(depth: f64) {
    let mut found = Vec::new();
    for (name, shape) in sound_shapes() {
        let sound = built(&shape, &options(SignMethod::Pseudonormal, StorageKind::Dense));
        for seed in 0..8 {
            let junk = damage::with_junk(&shape, 25, Junk { size: 0.01, depth }, &mut Random(seed));
            let field = built(&junk.mesh, &options(SignMethod::Soup, StorageKind::Dense));
            assert_eq!(field.grid(), sound.grid());
            let differs = nodes(&field, 20_000).into_iter().find_map(|p| {
                let (a, b) = (field.distance(p).value(), sound.distance(p).value());
                ((a - b).abs() > 1e-6).then(|| format!("{name}, seed {seed}: {a} instead of {b} at {p}"))
            });
            found.extend(differs);
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn junk_deep_inside_changes_no_distance() {
    check_that_junk_changes_nothing(0.035);
}

/// Less than a cell below the surface.
#[test]
fn junk_close_below_the_surface_changes_no_distance() {
    check_that_junk_changes_nothing(0.02);
}

/// Where triangles are left out because they lie inside, distances grow; never so far that the ball of that radius reaches
/// through the boundary. Points in it, just below that radius, are on the side of its middle.
#[test]
fn no_ball_reaches_through_the_union_of_overlapping_parts() {
    let mut found = Vec::new();
    for (name, damaged) in [all_with(OVERLAP), all_with(OVERLAP_AND_HOLES)].concat() {
        let field = built(&damaged.mesh, &options(SignMethod::Auto, StorageKind::Dense));
        let sound = Soup::new(&damaged.sound);
        let mut random = Random(6);
        let mut points = Vec::new();
        for p in nodes(&field, 3_000) {
            let value = field.distance(p).value();
            let to_holes = damaged.doubtful.iter().map(|(center, radius)| p.distance(*center) - radius);
            if value.abs() < to_holes.fold(f64::INFINITY, f64::min) {
                let radius = 0.999 * value.abs() - 1e-6;
                points.push((p, value, p + radius * random.in_cube().normalize_or_zero()));
            }
        }
        let inside = in_parallel(&points, |(_, _, near)| sound.winding(*near) > 0.5);
        let wrong = points.iter().zip(inside).find(|((_, value, _), inside)| (*value < 0.0) != *inside);
        found.extend(wrong.map(|((p, value, near), _)| format!("{name}: {value} at {p} reaches to {near}")));
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

/// Two boxes that overlap; every face crosses others or ends inside. Outside, the distance is that to the nearer box.
fn check_overlapping_boxes(sign: SignMethod, missing: &[usize]) {
    let by = DVec3::new(0.31, 0.11, 0.07);
    let one = shapes::cuboid(DVec3::ONE).unwrap();
    let whole = joined(&[one.clone(), moved(one, by)]);
    let field = built(&without(&whole, missing), &options(sign, StorageKind::Dense));
    let mut found = Vec::new();
    for p in nodes(&field, 20_000) {
        let half = DVec3::splat(0.5);
        let truth = box_distance(p, half).min(box_distance(p - by, half));
        let value = field.distance(p).value();
        // What is missing is missing below.
        if truth > 1e-6 && p.z > 0.0 && (value - truth).abs() > 1e-6 {
            found.push(format!("{value} instead of {truth} at {p}"));
        }
    }
    assert!(found.is_empty(), "{sign} ({} used): {} nodes, {}", field.sign(), found.len(), found[0]);
}

#[test]
fn overlapping_boxes_keep_faces_that_are_partly_inside() {
    for sign in [SignMethod::Auto, SignMethod::Winding] {
        check_overlapping_boxes(sign, &[]);
    }
}

#[test]
fn overlapping_boxes_by_reach_keep_faces_that_are_partly_inside() {
    check_overlapping_boxes(SignMethod::Soup, &[]);
}

/// One of the two triangles below the first box.
#[test]
fn overlapping_boxes_with_a_hole_keep_faces_that_are_partly_inside() {
    for sign in [SignMethod::Auto, SignMethod::Winding] {
        check_overlapping_boxes(sign, &[0]);
    }
}

/// A whole mesh needs nothing closed, so that its field is the same by reach as by normals, crevices included.
#[test]
fn crevices_of_a_whole_mesh_stay_open() {
    let rough = shapes::blob(BlobOptions { triangles: 5_000, ..Default::default() }).unwrap();
    let field = built(&rough, &options(SignMethod::Soup, StorageKind::Dense));
    let sound = built(&rough, &options(SignMethod::Pseudonormal, StorageKind::Dense));
    assert_eq!(field.capped_nodes(), 0);
    for p in nodes(&field, 20_000) {
        let (a, b) = (field.distance(p).value(), sound.distance(p).value());
        assert!((a - b).abs() < 1e-6, "{a} instead of {b} at {p}");
    }
}

/// A hollow ball, wound both ways: nothing but a wish can tell whether its inside is full.
#[test]
fn hollows_are_filled_unless_kept() {
    let hollow = joined(&[shapes::sphere(0.5, 1_280).unwrap(), shapes::sphere(0.3, 1_280).unwrap()]);
    let mesh = damage::doubled(&hollow).mesh;
    let in_wall = DVec3::new(0.4, 0.0, 0.0);
    for keep_cavities in [false, true] {
        let options = FieldOptions { keep_cavities, ..options(SignMethod::Soup, StorageKind::Dense) };
        let field = built(&mesh, &options);
        field.verify().unwrap();
        assert!(field.distance(in_wall).value() < 0.0);
        let middle = field.distance(DVec3::ZERO).value();
        let expected = if keep_cavities { 0.3 } else { -0.5 };
        assert!((middle - expected).abs() < 0.02, "{middle} instead of about {expected}");
    }
}
