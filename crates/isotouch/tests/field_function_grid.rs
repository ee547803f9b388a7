//! Fields from functions and from values on a grid.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod oracle;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};

use isotouch::field::{
    BuildError, Distance, Execution, Field, FieldOptions, Grid, Progress, SignMethod, StorageKind,
};
use isotouch::math::{Aabb, DVec3, IVec3, UVec3};
use isotouch::mesh::shapes;
use oracle::random::Random;

const BOTH: [StorageKind; 2] = [StorageKind::Dense, StorageKind::Sparse];
const REGION: Aabb = Aabb::new(DVec3::NEG_ONE, DVec3::ONE);

fn options(resolution: u32, storage: StorageKind) -> FieldOptions {
    FieldOptions { resolution, storage, ..Default::default() }
}

/// All node values of a field in the order `from_grid` wants them.
fn values_of(field: &Field) -> Vec<f32> {
    let grid = field.grid();
    let n = grid.nodes().as_ivec3();
    let mut values = Vec::new();
    for z in 0..n.z {
        for y in 0..n.y {
            for x in 0..n.x {
                let p = grid.bounds().project(grid.node_position(IVec3::new(x, y, z)));
                values.push(field.distance(p).value() as f32);
            }
        }
    }
    values
}

/// Contract: over `region` without padding; nodes are the function rounded to `f32`.
#[test]
fn nodes_are_the_function() {
    let ball = |p: DVec3| p.length() - 0.6;
    // A power of two: node positions have no rounding.
    let field = Field::from_function(ball, REGION, 1.0, &options(64, StorageKind::Dense)).unwrap();
    assert_eq!(field.grid().bounds(), REGION);
    assert_eq!((field.sign(), field.capped_nodes()), (SignMethod::Given, 0));
    let grid = field.grid();
    let mut random = Random(1);
    for _ in 0..5_000 {
        let node = IVec3::new(random.below(65) as i32, random.below(65) as i32, random.below(65) as i32);
        let p = grid.node_position(node);
        assert_eq!(field.distance(p), Distance::Interpolated(f64::from(ball(p) as f32)), "{node}");
    }
}

/// A plane is linear, so the interpolant is the plane itself. (40 cells are whole cells of all sizes that occur: no node
/// lies past the border.)
#[test]
fn a_plane_is_reproduced_between_nodes() {
    let normal = DVec3::new(1.0, -2.0, 0.5) / 5.25f64.sqrt();
    let plane = |p: DVec3| p.dot(normal) - 0.1;
    for storage in BOTH {
        let field = Field::from_function(plane, REGION, 1.0, &options(40, storage)).unwrap();
        let mut random = Random(2);
        for _ in 0..5_000 {
            let p = random.in_box(REGION);
            let off = (field.distance(p).value() - plane(p)).abs();
            assert!(off < 2e-7, "{p}: off by {off:e}");
            let gradient = field.gradient(p).unwrap();
            assert!((gradient - normal).length() < 1e-4, "{gradient}");
        }
    }
}

/// Contract: a function field states its own Lipschitz bound and interpolation error.
#[test]
fn other_lipschitz_bounds_scale_the_error() {
    for lipschitz in [0.25, 1.0, 3.0, 1e3] {
        let steep = move |p: DVec3| lipschitz * (p.length() - 0.6);
        for storage in BOTH {
            let field = Field::from_function(steep, REGION, lipschitz, &options(40, storage)).unwrap();
            assert_eq!(field.lipschitz(), lipschitz);
            let leading = lipschitz * 0.75f64.sqrt() * field.grid().cell;
            assert!((field.error_bound() / leading - 1.0).abs() < 1e-5);
            let mut random = Random(3);
            for _ in 0..3_000 {
                let p = random.in_box(REGION.expanded(0.5));
                match field.distance(p) {
                    Distance::Interpolated(value) => {
                        let bound = field.error_bound_at(p).unwrap();
                        assert!((value - steep(p)).abs() <= bound, "{p}: {value} for {}", steep(p));
                        assert!(field.lower_bound(p) <= steep(p));
                    }
                    // Of the function's value, as inside the box.
                    Distance::LowerBound(bound) => assert!(bound <= steep(p) + 1e-12, "{p}: {bound}"),
                    Distance::Unknown => panic!("{p}"),
                }
            }
        }
    }
}

/// Sides that are no whole number of cells, at 37 cells along the longest: the box and coarse cells reach past the region.
const UNEVEN: Aabb = Aabb::new(DVec3::new(-1.0, -0.7, -0.33), DVec3::new(1.0, 0.71, 0.04));

#[test]
fn a_function_is_called_in_its_region_only() {
    for storage in BOTH {
        let function = |p: DVec3| {
            assert!(UNEVEN.contains(p), "called at {p}");
            p.length() - 0.3
        };
        let field = Field::from_function(function, UNEVEN, 1.0, &options(37, storage)).unwrap();
        assert!(field.grid().bounds().extent().min_element() > UNEVEN.extent().min_element());
    }
}

/// The values past the region are those of its nearest point, and still no answer is off by more than it says.
#[test]
fn bounds_hold_up_to_the_border_and_beyond() {
    let normal = DVec3::new(2.0, -1.0, 2.0) / 3.0;
    let functions: [fn(DVec3, DVec3) -> f64; 2] =
        [|p, normal| p.dot(normal) + 2.0, |p, _| p.distance(DVec3::new(0.9, 0.6, -0.2)) - 0.05];
    for function in functions {
        for (resolution, storage) in [(37, BOTH[0]), (37, BOTH[1]), (149, BOTH[1])] {
            let f = |p: DVec3| function(p, normal);
            let field = Field::from_function(f, UNEVEN, 1.0, &options(resolution, storage)).unwrap();
            let bounds = field.grid().bounds();
            let mut random = Random(11);
            for _ in 0..20_000 {
                let p = random.in_box(bounds.expanded(0.1));
                assert!(field.lower_bound(p) <= f(p) + 1e-12, "{p}");
                if let Some(error) = field.error_bound_at(p) {
                    let value = field.distance(p).value();
                    assert!((value - f(p)).abs() <= error, "{p}: {value} for {}", f(p));
                }
            }
        }
    }
}

/// Functions and grids can be watched, stopped and held to a limit as meshes can.
#[test]
fn functions_and_grids_take_orders() {
    let ball = |p: DVec3| p.length() - 0.6;
    for storage in BOTH {
        let options = options(60, storage);
        let both = |execution: &Execution<'_>| {
            let dense = FieldOptions { storage: StorageKind::Dense, ..options.clone() };
            let plain = Field::from_function(ball, REGION, 1.0, &dense).unwrap();
            let (grid, values) = (*plain.grid(), values_of(&plain));
            let of_function = Field::from_function_with(ball, REGION, 1.0, &options, execution);
            (of_function, Field::from_grid_with(grid, values, 1.0, &options, execution))
        };

        let calls = AtomicU64::new(0);
        let progress = |at: Progress| {
            assert!((1..=at.total).contains(&at.done));
            calls.fetch_add(1, Relaxed);
        };
        let threads = Execution { threads: Some(3), progress: Some(&progress), ..Default::default() };
        let (of_function, of_grid) = both(&threads);
        let usual = Field::from_function(ball, REGION, 1.0, &options).unwrap();
        for field in [of_function.unwrap(), of_grid.unwrap()] {
            assert_eq!(field.storage(), storage);
            assert_eq!(field.distance(DVec3::X * 0.61), usual.distance(DVec3::X * 0.61));
        }
        assert!(calls.load(Relaxed) > 10);

        let cancelled = AtomicBool::new(true);
        let (of_function, of_grid) = both(&Execution { cancel: Some(&cancelled), ..Default::default() });
        for result in [of_function, of_grid] {
            assert_eq!(result.unwrap_err(), BuildError::Cancelled);
        }

        let (of_function, of_grid) = both(&Execution { memory_limit: Some(1_000), ..Default::default() });
        assert!(matches!(of_function, Err(BuildError::TooMuchMemory { available: 1_000, .. })));
        // The values of a dense field are there already.
        let too_much = matches!(of_grid, Err(BuildError::TooMuchMemory { available: 1_000, .. }));
        assert_eq!(too_much, storage == StorageKind::Sparse);
    }
}

/// Contract: the band of a sparse field is where |value| ≤ band · cell size.
#[test]
fn the_band_of_a_function_is_at_full_resolution() {
    for lipschitz in [0.5, 1.0, 4.0] {
        let function = move |p: DVec3| lipschitz * (p.length() - 0.6);
        let field =
            Field::from_function(function, REGION, lipschitz, &options(80, StorageKind::Sparse)).unwrap();
        let grid = field.grid();
        let mut random = Random(4);
        for _ in 0..20_000 {
            let p = random.in_box(REGION);
            let (cell, _) = grid.locate(p).unwrap();
            let in_band = (0..8).any(|k| {
                let corner = cell.as_ivec3() + IVec3::new(k & 1, k >> 1 & 1, k >> 2);
                function(grid.node_position(corner)).abs() <= 3.0 * grid.cell
            });
            if in_band {
                assert_eq!(field.error_bound_at(p), Some(field.error_bound()), "{p}");
            }
        }
    }
}

#[test]
fn a_function_that_is_not_a_number_is_refused() {
    for storage in BOTH {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let everywhere = Field::from_function(|_| bad, REGION, 1.0, &options(20, storage));
            assert!(matches!(everywhere, Err(BuildError::Contradiction { .. })), "{bad}, {storage}");
            // Only near the surface, where a sparse field looks too.
            let in_part =
                move |p: DVec3| if p.distance(DVec3::X * 0.6) < 0.2 { bad } else { p.length() - 0.6 };
            let error = Field::from_function(in_part, REGION, 1.0, &options(64, storage)).unwrap_err();
            assert!(error.to_string().contains("not finite"), "{error}");
        }
    }
}

#[test]
fn a_single_node_that_is_not_a_number_is_refused() {
    let place = DVec3::new(0.59375, 0.0, 0.0);
    let holed = move |p: DVec3| if p == place { f64::NAN } else { p.length() - 0.6 };
    for storage in BOTH {
        let result = Field::from_function(holed, REGION, 1.0, &options(64, storage));
        assert!(matches!(result, Err(BuildError::Contradiction { count: 1.., .. })), "{storage}");
    }
}

/// Contract: neighbours may not differ by more than the stated slope.
#[test]
fn a_lipschitz_bound_that_is_too_small_is_refused() {
    for storage in BOTH {
        let steep = |p: DVec3| 2.0 * (p.length() - 0.6);
        let error = Field::from_function(steep, REGION, 1.0, &options(50, storage)).unwrap_err();
        let BuildError::Contradiction { count, value, neighbour, .. } = error else { panic!("{error}") };
        assert!(count > 100 && (value - neighbour).abs() > 0.04, "{error}");
        assert!(error.to_string().contains("Lipschitz"), "{error}");
        assert!(Field::from_function(steep, REGION, 2.0, &options(50, storage)).is_ok());
    }
}

#[test]
fn bad_regions_and_bounds_are_refused() {
    let ball = |p: DVec3| p.length() - 0.6;
    let flat = Aabb::new(DVec3::ZERO, DVec3::new(1.0, 1.0, 0.0));
    let endless = Aabb::new(DVec3::NEG_ONE, DVec3::new(1.0, f64::INFINITY, 1.0));
    let undefined = Aabb::new(DVec3::NEG_ONE, DVec3::new(1.0, f64::NAN, 1.0));
    let overflowing = Aabb::new(DVec3::splat(-1.5e308), DVec3::splat(1.5e308));
    for region in [flat, endless, undefined, overflowing, Aabb::EMPTY] {
        let error = Field::from_function(ball, region, 1.0, &options(10, StorageKind::Dense)).unwrap_err();
        assert!(matches!(error, BuildError::BadOption { name: "region", .. }), "{region:?}: {error}");
    }
    for lipschitz in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let error =
            Field::from_function(ball, REGION, lipschitz, &options(10, StorageKind::Dense)).unwrap_err();
        assert!(matches!(error, BuildError::BadOption { name: "lipschitz", .. }), "{lipschitz}: {error}");
    }
}

/// The values of a dense field make the same field again, and the same sparse field as the mesh does where both are fine.
#[test]
fn values_of_a_field_make_that_field_again() {
    for name in ["torus", "box"] {
        let mesh = shapes::by_name(name).unwrap();
        let cell_size = Some(1.0 / 64.0);
        let from_mesh = |storage| {
            Field::from_mesh(&mesh, &FieldOptions { cell_size, storage, ..Default::default() }).unwrap()
        };
        let dense = from_mesh(StorageKind::Dense);
        let values = values_of(&dense);
        let mut random = Random(5);
        let points: Vec<DVec3> = (0..5_000).map(|_| random.in_box(dense.grid().bounds())).collect();
        let again =
            Field::from_grid(*dense.grid(), values.clone(), 1.0, &options(1, StorageKind::Dense)).unwrap();
        assert_eq!(again.distances(&points), dense.distances(&points));
        assert_eq!(again.sign(), SignMethod::Given);
        let sparse = Field::from_grid(*dense.grid(), values, 1.0, &options(1, StorageKind::Sparse)).unwrap();
        assert!(sparse.node_count() < dense.node_count());
        let mut fine = 0;
        for &p in &points {
            match (sparse.distance(p), dense.distance(p)) {
                (Distance::Interpolated(a), Distance::Interpolated(b)) => {
                    let bound = sparse.error_bound_at(p).unwrap();
                    assert!((a - b).abs() <= bound + dense.error_bound(), "{p}: {a} and {b}");
                    if bound == sparse.error_bound() {
                        assert_eq!(a, b, "{p}");
                        fine += 1;
                    } else {
                        assert!(b.abs() > 0.0);
                    }
                }
                (Distance::LowerBound(_), Distance::LowerBound(_)) => {}
                answers => panic!("{p}: {answers:?}"),
            }
        }
        assert!(fine > 500);
        // The band is all there.
        for &p in &points {
            if let Distance::Interpolated(value) = dense.distance(p)
                && value.abs() <= 2.0 * dense.grid().cell
            {
                assert_eq!(sparse.error_bound_at(p), Some(sparse.error_bound()), "{p}");
            }
        }
    }
}

#[test]
fn a_wrong_number_of_values_is_refused() {
    let grid = Grid { origin: DVec3::ZERO, cell: 0.5, cells: UVec3::new(3, 2, 1) };
    assert_eq!(grid.node_count(), 24);
    for (given, is_right) in [(0, false), (23, false), (24, true), (25, false)] {
        for storage in BOTH {
            let result = Field::from_grid(grid, vec![1.0; given], 1.0, &options(1, storage));
            match result {
                Ok(_) => assert!(is_right),
                Err(error) => {
                    assert!(!is_right);
                    let expected = BuildError::WrongCount { expected: 24, given: given as u64 };
                    assert_eq!(error, expected);
                    assert!(error.to_string().contains("24"));
                }
            }
        }
    }
}

#[test]
fn values_that_are_too_steep_or_not_finite_are_refused() {
    let grid = Grid { origin: DVec3::ZERO, cell: 0.5, cells: UVec3::splat(9) };
    for storage in BOTH {
        for (spike, fits) in [(1.4f32, true), (1.6, false), (f32::NAN, false), (f32::INFINITY, false)] {
            for place in [0, 555, 999] {
                let mut values = vec![1.0; 1_000];
                values[place] = spike;
                let result = Field::from_grid(grid, values, 1.0, &options(1, storage));
                assert_eq!(result.is_ok(), fits, "{spike} at {place}, {storage}");
                if let Err(error) = result {
                    assert!(matches!(error, BuildError::Contradiction { .. }), "{error}");
                }
            }
        }
    }
}

#[test]
fn bad_grids_are_refused() {
    let good = Grid { origin: DVec3::ZERO, cell: 0.5, cells: UVec3::ONE };
    let bad = [
        Grid { cell: 0.0, ..good },
        Grid { cell: f64::NAN, ..good },
        Grid { cell: -1.0, ..good },
        Grid { cells: UVec3::new(1, 0, 1), ..good },
        Grid { cells: UVec3::MAX, ..good },
        Grid { cells: UVec3::splat(1 << 24), ..good },
        Grid { origin: DVec3::NAN, ..good },
        Grid { origin: DVec3::new(0.0, f64::INFINITY, 0.0), ..good },
    ];
    for grid in bad {
        for storage in BOTH {
            assert!(Field::from_grid(grid, vec![1.0; 8], 1.0, &options(1, storage)).is_err(), "{grid:?}");
        }
    }
    assert!(Field::from_grid(good, vec![1.0; 8], 1.0, &options(1, StorageKind::Dense)).is_ok());
}
