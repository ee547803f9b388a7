//! Hollow parts whose triangles tell nothing about inside and outside, with `keep_cavities`. Lengths are in cells.

use super::*;

/// Cells along the longest side, the padding of 5 % on both sides included.
const CELLS: f64 = 48.0;
/// Cells between the middle and the outer skin of a part.
const RADIUS: f64 = 0.5 / 1.1 * CELLS;
/// Too thin for nodes to be deep in it, hardly thick enough, and thick.
const THICKNESSES: [f64; 5] = [1.0, 1.5, 2.0, 3.0, 6.0];

fn kept_options() -> FieldOptions {
    let resolution = CELLS as u32;
    FieldOptions { resolution, keep_cavities: true, ..options(SignMethod::Soup, StorageKind::Dense) }
}

fn kept(mesh: &TriMesh) -> Field {
    let field = built(mesh, &kept_options());
    field.verify().unwrap();
    field
}

fn ball(radius: f64) -> TriMesh {
    shapes::sphere(radius, 5_120).unwrap()
}

fn cube(half: f64) -> TriMesh {
    shapes::cuboid(DVec3::splat(2.0 * half)).unwrap()
}

/// All of a mesh, torn apart or wound both ways or as it is.
fn in_all_states(mesh: &TriMesh) -> [(&'static str, TriMesh); 4] {
    let mut random = Random(5);
    [
        ("as it is", mesh.clone()),
        ("with flips", damage::with_flips(mesh, 3, &mut random).mesh),
        ("wound both ways", damage::doubled(mesh).mesh),
        ("torn", damage::torn(mesh, 1e-4, &mut random).mesh),
    ]
}

/// Signs at all nodes: `depth` says how deep a point is in the solid, and nothing is said within a tenth of a cell, where chords of
/// round skins differ from them. Of nodes that are inside there must be some.
fn check_signs(name: &str, field: &Field, depth: impl Fn(DVec3) -> f64) {
    let all = nodes(field, 20_000);
    let wrong: Vec<DVec3> = all
        .iter()
        .copied()
        .filter(|&p| depth(p).abs() > 0.1 && (field.distance(p).value() < 0.0) != (depth(p) > 0.0))
        .collect();
    assert!(all.iter().any(|&p| field.distance(p).value() < 0.0), "{name}: nothing is inside");
    assert!(wrong.is_empty(), "{name}: {} of {} nodes, the first at {}", wrong.len(), all.len(), wrong[0]);
}

#[test]
fn cavities_of_hollow_balls_stay_hollow_however_thin_their_walls() {
    for thickness in THICKNESSES {
        let hollow = joined(&[ball(RADIUS), ball(RADIUS - thickness)]);
        for (state, mesh) in in_all_states(&hollow) {
            let depth = |p: DVec3| (RADIUS - p.length()).min(p.length() - (RADIUS - thickness));
            check_signs(&format!("{thickness} cells, {state}"), &kept(&mesh), depth);
        }
    }
}

#[test]
fn cavities_of_hollow_boxes_stay_hollow_however_thin_their_walls() {
    for thickness in THICKNESSES {
        let (outer, inner) = (DVec3::splat(RADIUS), DVec3::splat(RADIUS - thickness));
        let hollow = joined(&[cube(RADIUS), cube(RADIUS - thickness)]);
        for (state, mesh) in in_all_states(&hollow) {
            let depth = |p: DVec3| (-box_distance(p, outer)).min(box_distance(p, inner));
            check_signs(&format!("{thickness} cells, {state}"), &kept(&mesh), depth);
        }
    }
}

/// One skin is not two, whatever it is made of.
#[test]
fn a_single_skin_is_filled() {
    let skin = ball(RADIUS);
    let twice = |apart: f64| joined(&[skin.clone(), ball(RADIUS - apart)]);
    let depth = |p: DVec3| RADIUS - p.length();
    for apart in [0.0, 1e-5] {
        for (state, mesh) in in_all_states(&twice(apart)) {
            check_signs(&format!("{apart} cells apart, {state}"), &kept(&mesh), depth);
        }
    }
    for (state, mesh) in in_all_states(&skin) {
        check_signs(state, &kept(&mesh), depth);
    }
    // Two approximations of one skin that cross each other.
    let finer = joined(&[skin.clone(), shapes::sphere(RADIUS, 20_480).unwrap()]);
    check_signs("two approximations", &kept(&finer), depth);
}

#[test]
fn a_ball_in_a_cavity_in_a_ball() {
    for thickness in THICKNESSES {
        let (cavity, inner) = (RADIUS - thickness, RADIUS - thickness - 6.0);
        let nested = joined(&[ball(RADIUS), ball(cavity), ball(inner)]);
        for (state, mesh) in in_all_states(&nested) {
            let depth = |p: DVec3| {
                let r = p.length();
                (RADIUS - r).min(r - cavity).max(inner - r)
            };
            check_signs(&format!("{thickness} cells, {state}"), &kept(&mesh), depth);
        }
    }
}

/// Made one skin with the wall by what touches it, the marble once was hollow.
#[test]
fn a_ball_that_touches_the_wall_of_its_cavity_is_solid() {
    let radius = 0.4 * RADIUS;
    for thickness in [1.0, 6.0] {
        let cavity = RADIUS - thickness;
        // Sharing a vertex with the wall, and run into it a little.
        for overlap in [0.0, 0.4] {
            let at = (cavity - radius + overlap) * DVec3::Y;
            let depth = |p: DVec3| {
                let r = p.length();
                // A wall too thin for what runs into it has no nodes to tell by.
                let is_in_wall = p.distance(at) < radius + 1.0 && r > cavity - 1.0;
                if is_in_wall { 0.0 } else { (RADIUS - r).min(r - cavity).max(radius - p.distance(at)) }
            };
            let mesh = joined(&[ball(RADIUS), ball(cavity), moved(ball(radius), at)]);
            for (state, mesh) in in_all_states(&mesh) {
                check_signs(&format!("{thickness} cells, {overlap} too far, {state}"), &kept(&mesh), depth);
            }
        }
    }
}

/// A bar from wall to wall is solid; the parts of a cavity behind a sheet are not.
#[test]
fn bars_across_a_cavity_are_solid_and_sheets_part_it() {
    let (thickness, half) = (6.0, 4.0);
    let cavity = RADIUS - thickness;
    let (outer, inner) = (DVec3::splat(RADIUS), DVec3::splat(cavity));
    let walls = || joined(&[cube(RADIUS), cube(cavity)]);
    for overlap in [0.0, 0.2] {
        let size = DVec3::new(half, half, cavity + overlap);
        let mesh = joined(&[walls(), shapes::cuboid(2.0 * size).unwrap()]);
        for (state, mesh) in in_all_states(&mesh) {
            let depth = |p: DVec3| {
                let wall = (-box_distance(p, outer)).min(box_distance(p, inner));
                let is_at_foot = p.truncate().abs().max_element() < half + 1.0 && p.z.abs() > cavity - 1.0;
                if is_at_foot { 0.0 } else { wall.max(-box_distance(p, size)) }
            };
            check_signs(&format!("a bar {overlap} too long, {state}"), &kept(&mesh), depth);
        }
    }
    for at in [0.3, 0.5 * cavity, cavity - 5.2] {
        let [a, b, c, d] = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]]
            .map(|[x, y]| DVec3::new(cavity * x, cavity * y, at));
        let sheet = TriMesh::new(vec![a, b, c, d], vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        let depth = |p: DVec3| (-box_distance(p, outer)).min(box_distance(p, inner));
        check_signs(&format!("a sheet at {at}"), &kept(&joined(&[walls(), sheet])), depth);
    }
}

/// Counting skins by twos would leave a hole where both overlap.
#[test]
fn what_overlaps_is_no_cavity() {
    let by = DVec3::new(0.7 * RADIUS, 0.1, 0.2);
    let pair = joined(&[ball(RADIUS), moved(ball(RADIUS), by)]);
    let depth = |p: DVec3| (RADIUS - p.length()).max(RADIUS - p.distance(by));
    for (state, mesh) in in_all_states(&pair) {
        check_signs(state, &kept(&mesh), depth);
    }
}

/// 27 rooms between walls that are one triangle thick. No room is a cavity of the others.
#[test]
fn rooms_behind_rooms_are_no_cavities() {
    let walls = (-1..=1).flat_map(|z| (-1..=1).flat_map(move |y| (-1..=1).map(move |x| [x, y, z])));
    let third = RADIUS / 3.0;
    let rooms: Vec<TriMesh> =
        walls.map(|at| moved(cube(third), 2.0 * third * DVec3::from_array(at.map(f64::from)))).collect();
    check_signs("rooms", &kept(&joined(&rooms)), |p| -box_distance(p, DVec3::splat(RADIUS)));
}

/// The ways through the hole miss the outer skin.
#[test]
fn a_hole_in_the_outer_skin_leaves_a_thin_walled_cavity_hollow() {
    for thickness in [1.5, 2.0, 3.0] {
        let holed = damage::with_holes(&ball(RADIUS), 3, 0.9, &mut Random(3));
        let mesh = damage::doubled(&joined(&[holed.mesh.clone(), ball(RADIUS - thickness)])).mesh;
        let field = kept(&mesh);
        let depth = |p: DVec3| {
            let r = p.length();
            // What is near a hole in one of two skins is anybody's guess.
            let is_near_hole = holed.doubtful.iter().any(|(hole, radius)| p.distance(*hole) < radius + 4.0);
            if is_near_hole { 0.0 } else { (RADIUS - r).min(r - (RADIUS - thickness)) }
        };
        check_signs(&format!("{thickness} cells"), &field, depth);
    }
}

/// Narrower than what is closed where holes are.
#[test]
fn narrow_cavities_stay_hollow() {
    let (outer, inner) = (RADIUS - 6.0, RADIUS - 7.5);
    for (state, mesh) in in_all_states(&joined(&[ball(RADIUS), ball(outer), ball(inner)])) {
        let depth = |p: DVec3| {
            let r = p.length();
            (RADIUS - r).min(r - outer).max(inner - r)
        };
        check_signs(state, &kept(&mesh), depth);
    }
}

#[test]
fn threads_change_nothing_about_cavities() {
    let hollow = joined(&[ball(RADIUS), ball(RADIUS - 1.5)]);
    for (state, mesh) in in_all_states(&hollow) {
        let with = |threads| {
            let execution = Execution { threads: Some(threads), ..Default::default() };
            Field::from_mesh_with(&mesh, &kept_options(), &execution).unwrap().field
        };
        let (one, three) = (with(1), with(3));
        let all = nodes(&one, 20_000);
        assert_eq!(one.distances(&all), three.distances(&all), "{state}");
    }
}
