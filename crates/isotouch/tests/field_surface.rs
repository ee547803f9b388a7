//! Iso-surfaces of shapes with known area, volume and holes.
#![allow(clippy::unwrap_used)]

mod oracle;

use std::f64::consts::PI;

use isotouch::field::{Distance, Execution, Field, FieldOptions, StorageKind, SurfaceError};
use isotouch::math::{Aabb, DVec3};
use isotouch::mesh::{Bvh, TriMesh, io, report, shapes};
use oracle::{box_distance, torus_distance};

const BOTH: [StorageKind; 2] = [StorageKind::Sparse, StorageKind::Dense];

fn options(resolution: u32, storage: StorageKind) -> FieldOptions {
    FieldOptions { resolution, storage, padding: 0.1, ..Default::default() }
}

/// V − E + F: 2 for each ball, 0 for each ring, 2 more for each cavity.
fn euler_characteristic(mesh: &TriMesh) -> i64 {
    let facts = report(mesh);
    facts.vertices as i64 - facts.edges as i64 + facts.triangles as i64
}

/// Closed, manifold, outward, without triangles of no area; every vertex on the surface.
fn check(field: &Field, iso: f64) -> TriMesh {
    let surface = field.surface_with(iso, &Execution::default()).unwrap();
    let facts = report(&surface.mesh);
    assert!(surface.is_closed && facts.is_solid() && !facts.is_wound_inward(), "{facts}");
    assert_eq!((facts.degenerate_triangles, facts.repeated_vertices, facts.duplicate_triangles), (0, 0, 0));
    let allowed = 2e-6 * surface.cell + 2f64.powi(-23) * iso.abs();
    for &v in surface.mesh.vertices() {
        let Distance::Interpolated(value) = field.distance(v) else { panic!("{v} is outside the box") };
        assert!((value - iso).abs() <= allowed, "{v}: {value} for {iso}");
    }
    surface.mesh
}

/// Machine parts, with features of a cell or two at this resolution, or of several pieces.
const FINE: [&str; 9] = ["peg", "hole-plate", "bars", "rod", "strung-frame", "gear", "bolt", "nut", "alpha"];

#[test]
fn built_in_shapes_keep_their_topology() {
    for name in shapes::NAMES.into_iter().filter(|name| !FINE.contains(name)) {
        let mesh = shapes::by_name(name).unwrap();
        for storage in BOTH {
            let field = Field::from_mesh(&mesh, &options(96, storage)).unwrap();
            let surface = check(&field, 0.0);
            assert_eq!(euler_characteristic(&surface), euler_characteristic(&mesh), "{name}, {storage}");
            assert_eq!(report(&surface).components, 1, "{name}");
            let (volume, area) = (surface.signed_volume(), surface.area());
            assert!((volume / mesh.signed_volume() - 1.0).abs() < 0.02, "{name}: {volume}");
            assert!((area / mesh.area() - 1.0).abs() < 0.03, "{name}: {area}");
        }
    }
}

/// Errors of a smooth surface fall with the square of the cell.
#[test]
fn volume_and_area_converge() {
    let region = Aabb::new(DVec3::splat(-1.0), DVec3::splat(1.0));
    type Case = (fn(DVec3) -> f64, f64, f64);
    let ball: Case = (|p| p.length() - 0.6, 4.0 / 3.0 * PI * 0.6f64.powi(3), 4.0 * PI * 0.36);
    let ring: Case = (
        |p| torus_distance(p, 0.55, 0.25),
        2.0 * PI * PI * 0.55 * 0.25f64.powi(2),
        4.0 * PI * PI * 0.55 * 0.25,
    );
    for (function, volume, area) in [ball, ring] {
        let errors = [24, 48, 96].map(|resolution| {
            let field = Field::from_function(function, region, 1.0, &options(resolution, StorageKind::Dense))
                .unwrap();
            let surface = check(&field, 0.0);
            ((surface.signed_volume() / volume - 1.0).abs(), (surface.area() / area - 1.0).abs())
        });
        assert!(errors[2].0 < 2e-3 && errors[2].1 < 2e-3, "{errors:?}");
        for pair in errors.windows(2) {
            assert!(pair[1].0 < 0.35 * pair[0].0 && pair[1].1 < 0.35 * pair[0].1, "{errors:?}");
        }
    }
}

/// Faces, edges and corners of the box lie exactly on nodes, whose values are 0: the surface is the box itself.
#[test]
fn a_box_on_the_nodes_is_reproduced_exactly() {
    let half = DVec3::new(0.5, 0.25, 0.375);
    let region = Aabb::new(DVec3::splat(-1.0), DVec3::splat(1.0));
    for storage in BOTH {
        let field =
            Field::from_function(|p| box_distance(p, half), region, 1.0, &options(32, storage)).unwrap();
        let surface = check(&field, 0.0);
        assert_eq!(surface.bounds(), Aabb::new(-half, half));
        assert!((surface.signed_volume() - 8.0 * half.element_product()).abs() < 1e-12);
        assert!((surface.area() - 8.0 * (half.x * half.y + half.y * half.z + half.z * half.x)).abs() < 1e-12);
        // Squares of two triangles each, and nothing beside them.
        let squares = surface.area() / field.grid().cell.powi(2);
        assert_eq!(surface.triangles().len(), 2 * squares.round() as usize);
    }
}

/// As above with rounding in the nodes' coordinates, so that values are nearly 0 and the box is found all the same.
#[test]
fn a_box_on_rounded_nodes_has_no_needles() {
    let mesh = shapes::cuboid(DVec3::splat(1.0)).unwrap();
    let field =
        Field::from_mesh(&mesh, &FieldOptions { cell_size: Some(0.1), padding: 0.3, ..Default::default() })
            .unwrap();
    let surface = check(&field, 0.0);
    assert!((surface.signed_volume() - 1.0).abs() < 1e-9, "{}", surface.signed_volume());
    assert_eq!(surface.triangles().len(), 1200);
}

/// Offsets of a ball are balls, also where the sparse field is coarse, or changes its levels.
#[test]
fn offsets_far_outside_the_band_are_closed() {
    let ball = shapes::sphere(1.0, 20_480).unwrap();
    let field =
        Field::from_mesh(&ball, &FieldOptions { resolution: 400, padding: 1.0, ..Default::default() })
            .unwrap();
    let cell = field.grid().cell;
    let mut spacings = Vec::new();
    for cells in [-45.0, -30.0, -9.0, -5.0, 1.0, 4.0, 6.5, 8.0, 10.0, 20.0, 33.0, 41.0, 60.0, 90.0] {
        let iso = cells * cell;
        let surface = field.surface_with(iso, &Execution::default()).unwrap();
        let facts = report(&surface.mesh);
        assert!(surface.is_closed && facts.is_solid() && !facts.is_wound_inward(), "{cells} cells: {facts}");
        let coarse = field.error_bound_at(DVec3::X * (1.0 + iso)).unwrap().max(field.error_bound());
        for &v in surface.mesh.vertices() {
            let off = (v.length() - 1.0 - iso).abs();
            // Two cells' errors where levels meet, one of them up to four times as large.
            assert!(off <= 5.0 * coarse, "{cells} cells: off by {off}");
        }
        spacings.push(surface.cell / cell);
    }
    spacings.dedup_by(|a, b| (*a - *b).abs() < 1e-6);
    assert!(spacings.len() >= 3, "several levels were used: {spacings:?}");
}

#[test]
fn sparse_and_dense_agree_within_the_band() {
    for name in ["torus-knot", "box", "bowl"] {
        let mesh = shapes::by_name(name).unwrap();
        let [sparse, dense] = BOTH.map(|storage| Field::from_mesh(&mesh, &options(80, storage)).unwrap());
        for cells in [-2.0, -0.7, 0.0, 1.3, 2.0] {
            let [a, b] = [&sparse, &dense].map(|field| field.surface(cells * field.grid().cell).unwrap());
            assert_eq!(a.vertices(), b.vertices(), "{name}");
            let sorted = |mesh: &TriMesh| {
                let mut triangles = mesh.triangles().to_vec();
                triangles.sort_unstable();
                triangles
            };
            assert_eq!(sorted(&a), sorted(&b), "{name}");
        }
    }
}

#[test]
fn threads_change_nothing() {
    let mesh = shapes::by_name("blob").unwrap();
    let field = Field::from_mesh(&mesh, &options(128, StorageKind::Sparse)).unwrap();
    let [one, three] = [1, 3].map(|threads| {
        field.surface_with(0.01, &Execution { threads: Some(threads), ..Default::default() }).unwrap().mesh
    });
    assert_eq!(one, three);
}

#[test]
fn a_surface_that_leaves_the_box_is_left_open() {
    let region = Aabb::new(DVec3::splat(-1.0), DVec3::splat(1.0));
    for storage in BOTH {
        let ground = Field::from_function(|p| p.y - 0.3, region, 1.0, &options(20, storage)).unwrap();
        let surface = ground.surface_with(0.0, &Execution::default()).unwrap();
        let facts = report(&surface.mesh);
        assert!(!surface.is_closed && facts.boundary_loops == 1 && facts.nonmanifold_edges == 0);
        assert!(
            (facts.area - 4.0).abs() < 1e-6
                && surface.mesh.vertices().iter().all(|v| (v.y - 0.3).abs() < 1e-6)
        );
        for t in 0..surface.mesh.triangles().len() {
            let [a, b, c] = surface.mesh.corners(t);
            assert!((b - a).cross(c - a).y > 0.0, "towards values above");
        }
    }
}

#[test]
fn values_on_one_side_have_no_surface() {
    let ball =
        Field::from_mesh(&shapes::sphere(1.0, 320).unwrap(), &options(24, StorageKind::Sparse)).unwrap();
    for iso in [-5.0, 5.0, f64::from(ball.value_range().1), -1e300] {
        let surface = ball.surface_with(iso, &Execution::default()).unwrap();
        assert!(
            surface.mesh.triangles().is_empty() && surface.mesh.vertices().is_empty() && surface.is_closed
        );
    }
    for iso in [f64::NAN, f64::INFINITY] {
        assert!(matches!(ball.surface(iso), Err(SurfaceError::NotFinite { .. })));
    }
}

#[test]
fn it_stops_when_told_to_and_tells_how_far_it_is() {
    let field =
        Field::from_mesh(&shapes::by_name("torus").unwrap(), &options(64, StorageKind::Sparse)).unwrap();
    let cancel = true.into();
    let stopped = field.surface_with(0.0, &Execution { cancel: Some(&cancel), ..Default::default() });
    assert_eq!(stopped.unwrap_err(), SurfaceError::Cancelled);
    let last = std::sync::Mutex::new((0, 0));
    let progress = |at: isotouch::field::Progress| {
        let mut last = last.lock().unwrap();
        *last = (last.0.max(at.done), at.total);
    };
    field.surface_with(0.0, &Execution { progress: Some(&progress), ..Default::default() }).unwrap();
    let (done, total) = *last.lock().unwrap();
    assert!(done == total && total > 0);
}

/// Opening a file does not read its values; whatever they are, this ends with a mesh or an error.
#[test]
fn values_of_a_damaged_file_are_no_reason_to_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("damaged.field");
    let ball = shapes::sphere(1.0, 320).unwrap();
    for storage in BOTH {
        Field::from_mesh(&ball, &options(24, storage)).unwrap().save(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let mut refused = 0;
        for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 3e38, -3e38] {
            let mut bytes = whole.clone();
            // The values of a dense field take up most of its file; those of a sparse one most of its second quarter.
            let (from, to) = (whole.len() / 8, whole.len() / 2);
            for k in (from / 4 * 4..to).step_by(28) {
                bytes[k..k + 4].copy_from_slice(&bad.to_le_bytes());
            }
            std::fs::write(&path, &bytes).unwrap();
            let Ok(field) = Field::open(&path) else { continue };
            assert!(field.verify().is_err());
            for iso in [0.0, 0.05] {
                match field.surface(iso) {
                    Ok(mesh) => assert!(mesh.vertices().iter().all(|v| v.is_finite())),
                    Err(error) => {
                        assert_eq!(error, SurfaceError::BadValues);
                        refused += 1;
                    }
                }
            }
        }
        assert!(refused > 0, "{storage}");
    }
}

/// The surface of a real scan is as near to it as the grid allows.
#[test]
fn the_bunny_is_found_again() {
    let Some(path) = oracle::models::model("scan/bunny.off") else { return };
    let mesh = io::read(path, &io::ReadOptions::default()).unwrap().mesh;
    let field = Field::from_mesh(&mesh, &FieldOptions::default()).unwrap();
    let surface = check(&field, 0.0);
    let bvh = Bvh::new(&mesh);
    let squares =
        oracle::in_parallel(surface.vertices(), |&v| bvh.closest_point(v).unwrap().distance.powi(2));
    let rms = (squares.iter().sum::<f64>() / squares.len() as f64).sqrt() / field.grid().cell;
    let most = squares.iter().fold(0.0f64, |a, &b| a.max(b)).sqrt() / field.grid().cell;
    println!("bunny at 256³: {} triangles, RMS {rms:.4} cells, at most {most:.3}", surface.triangles().len());
    assert!(rms < 0.1 && most < 0.87, "{rms} and {most} cells");
}
