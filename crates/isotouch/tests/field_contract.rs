//! What a field promises between its nodes, outside its box and about its blocks.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod oracle;

use isotouch::field::{Distance, Field, FieldOptions, SignMethod, StorageKind};
use isotouch::math::{Aabb, DVec3, IVec3, UVec3};
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{self, cuboid};
use oracle::random::Random;
use oracle::{Soup, box_distance, torus_distance, trilinear};
use proptest::prelude::*;

const BOTH: [StorageKind; 2] = [StorageKind::Dense, StorageKind::Sparse];

fn options(resolution: u32, storage: StorageKind) -> FieldOptions {
    FieldOptions { resolution, storage, ..Default::default() }
}

fn built(name: &str, resolution: u32, storage: StorageKind) -> (TriMesh, Field) {
    let mesh = shapes::by_name(name).unwrap();
    let field = Field::from_mesh(&mesh, &options(resolution, storage)).unwrap();
    (mesh, field)
}

fn of_function(function: fn(DVec3) -> f64, resolution: u32, storage: StorageKind) -> Field {
    let region = Aabb::new(DVec3::new(-1.0, -0.9, -0.8), DVec3::new(1.0, 1.1, 0.7));
    Field::from_function(function, region, 1.0, &options(resolution, storage)).unwrap()
}

fn ball(p: DVec3) -> f64 {
    p.length() - 0.4
}

fn block(p: DVec3) -> f64 {
    box_distance(p, DVec3::new(0.5, 0.2, 0.4))
}

fn ring(p: DVec3) -> f64 {
    torus_distance(p, 0.5, 0.15)
}

/// Everything a point is promised, given the true signed distance there.
fn check_point(field: &Field, p: DVec3, truth: f64) {
    // Rounding of the interpolation itself: a few ulps of the values.
    let rounding = 1e-14 * (truth.abs() + field.grid().bounds().extent().max_element());
    let distance = field.distance(p);
    assert!(field.lower_bound(p) <= truth + rounding, "{p}: bound {} of {truth}", field.lower_bound(p));
    match distance {
        Distance::Interpolated(value) => {
            let bound = field.error_bound_at(p).unwrap();
            assert!(bound >= field.error_bound());
            let off = (value - truth).abs();
            assert!(off <= bound + rounding, "{p}: {value} for {truth}, off by {off} of {bound}");
            assert!(field.grid().bounds().contains(p));
            // Where a sparse field is coarse, more is known: that the point is beyond the band.
            let better = field.lower_bound(p) - (value - bound);
            let most = if bound == field.error_bound() { rounding } else { f64::INFINITY };
            assert!(better >= -rounding && better <= most, "{p}: {better}");
        }
        Distance::LowerBound(bound) => {
            assert!(bound <= truth + rounding, "{p}: bound {bound} of {truth}");
            assert_eq!(bound, field.lower_bound(p));
            assert!(!field.grid().bounds().contains(p));
            assert_eq!(field.error_bound_at(p), None);
            // d(x) ≥ √(|x − π|² + max(0, φ(π) − ε)²)
            let on_box = field.grid().bounds().project(p);
            let (at_box, error) = (field.distance(on_box).value(), field.error_bound_at(on_box).unwrap());
            let away = (p - on_box).length();
            let formula = if field.sign() == SignMethod::Given {
                // A function may go on outside the box: f(x) ≥ f(π) − ε − L·|x − π|
                at_box - error - field.lipschitz() * away
            } else {
                (away.powi(2) + (at_box - error).max(0.0).powi(2)).sqrt()
            };
            let (better, rounding) = (bound - formula, 1e-12 * (formula.abs() + away));
            let most = if error == field.error_bound() { rounding } else { f64::INFINITY };
            assert!(better >= -rounding && better <= most, "{p}: {bound} for {formula}");
        }
        Distance::Unknown => panic!("{p}: the solid does not reach the border, so something is known"),
    }
}

/// Contract: the interpolant differs from the distance by at most ε, which grows with the local cell.
#[test]
fn functions_are_within_their_bounds_everywhere() {
    type Named = (&'static str, fn(DVec3) -> f64);
    let functions: [Named; 3] = [("ball", ball), ("block", block), ("ring", ring)];
    for (name, function) in functions {
        for storage in BOTH {
            for resolution in [5, 32, 101] {
                let field = of_function(function, resolution, storage);
                assert!(field.is_certified_outside(), "{name}");
                let mut random = Random(u64::from(resolution));
                for k in 0..4_000 {
                    let grow = [0.0, 0.2, 5.0][k % 3];
                    let p = random.in_box(field.grid().bounds().expanded(grow));
                    check_point(&field, p, function(p));
                }
            }
        }
    }
}

#[test]
fn meshes_are_within_their_bounds_everywhere() {
    for name in ["box", "cone", "bowl", "torus-knot"] {
        for storage in BOTH {
            let (mesh, field) = built(name, 70, storage);
            let soup = Soup::new(&mesh);
            let mut random = Random(3);
            for k in 0..300 {
                let grow = [0.0, 0.0, 0.1, 3.0][k % 4];
                let p = random.in_box(field.grid().bounds().expanded(grow));
                check_point(&field, p, soup.signed_distance(p));
            }
        }
    }
}

/// Contract: ε = (√3/2)·h + 2⁻²⁴·max|φ|.
#[test]
fn the_error_bound_is_the_formula() {
    for storage in BOTH {
        let (_, field) = built("torus", 48, storage);
        let (least, most) = field.value_range();
        let largest = f64::from(least.abs().max(most.abs()));
        let expected = 0.75f64.sqrt() * field.grid().cell + largest * 2f64.powi(-24);
        assert!((field.error_bound() / expected - 1.0).abs() < 1e-12);
        assert_eq!(field.lipschitz(), 1.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..Default::default() })]

    /// Any box, any grid, any band.
    #[test]
    fn any_box_is_within_its_bounds(
        size in prop::array::uniform3(0.05..2.0f64),
        center in prop::array::uniform3(-3.0..3.0f64),
        resolution in 1..60u32,
        band in 1.0..6.0f64,
        padding in 0.01..0.5f64,
        sparse in any::<bool>(),
        seed in any::<u64>(),
    ) {
        let (size, center) = (DVec3::from_array(size), DVec3::from_array(center));
        let mesh = oracle::meshes::moved(cuboid(size).unwrap(), center);
        let storage = if sparse { StorageKind::Sparse } else { StorageKind::Dense };
        let options = FieldOptions { resolution, band, padding, storage, ..Default::default() };
        let field = Field::from_mesh(&mesh, &options).unwrap();
        prop_assert!(field.is_certified_outside());
        let mut random = Random(seed);
        for k in 0..200 {
            let p = random.in_box(field.grid().bounds().expanded([0.0, 0.3][k % 2]));
            check_point(&field, p, box_distance(p - center, 0.5 * size));
        }
    }
}

/// Contract: trilinear between nodes.
#[test]
fn the_interpolant_is_trilinear() {
    let (_, field) = built("blob", 31, StorageKind::Dense);
    let grid = field.grid();
    let mut random = Random(4);
    for _ in 0..2_000 {
        let cell = UVec3::from_array([0, 1, 2].map(|k| random.below(grid.cells[k] as usize) as u32));
        let at = DVec3::new(random.unit(), random.unit(), random.unit());
        let corners = std::array::from_fn(|k| {
            let corner = cell.as_ivec3() + IVec3::new(k as i32 & 1, k as i32 >> 1 & 1, k as i32 >> 2);
            field.distance(grid.bounds().project(grid.node_position(corner))).value()
        });
        let p = grid.origin + grid.cell * (cell.as_dvec3() + at);
        let off = (field.distance(p).value() - trilinear(corners, at)).abs();
        assert!(off < 1e-13, "{p}: off by {off:e}");
    }
}

/// Contract: a field whose border has a node ≤ 0 answers *unknown* outside, and says so.
#[test]
fn a_solid_at_the_border_leaves_the_outside_unknown() {
    let half_space = |p: DVec3| p.z;
    let region = Aabb::new(DVec3::NEG_ONE, DVec3::ONE);
    for storage in BOTH {
        let from_plane = Field::from_function(half_space, region, 1.0, &options(40, storage)).unwrap();
        let flush = FieldOptions { padding: 0.0, ..options(32, storage) };
        let from_box = Field::from_mesh(&cuboid(DVec3::ONE).unwrap(), &flush).unwrap();
        // Not a node of it is outside.
        let all_inside = Field::from_function(|_| -3.0, region, 1.0, &options(9, storage)).unwrap();
        for field in [from_plane, from_box, all_inside] {
            assert!(!field.is_certified_outside());
            for outside in [DVec3::splat(5.0), DVec3::new(0.0, 0.0, 1.1), DVec3::new(-1.5, 0.0, 0.0)] {
                assert_eq!(field.distance(outside), Distance::Unknown);
                assert!(field.distance(outside).value().is_nan());
                assert_eq!(field.lower_bound(outside), f64::NEG_INFINITY);
            }
            assert!(matches!(field.distance(DVec3::splat(0.2)), Distance::Interpolated(_)));
        }
    }
}

/// The border is found inside through every face, also where the surface passes between coarse nodes.
#[test]
fn a_solid_at_any_face_is_noticed() {
    let region = Aabb::new(DVec3::NEG_ONE, DVec3::ONE);
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            for storage in BOTH {
                let mut place = DVec3::new(0.13, -0.21, 0.07);
                place[axis] = side;
                let touching = move |p: DVec3| p.distance(place) - 0.11;
                let field = Field::from_function(touching, region, 1.0, &options(64, storage)).unwrap();
                assert!(!field.is_certified_outside(), "{place}, {storage}");
                let inside = move |p: DVec3| p.distance(place * 0.8) - 0.11;
                let field = Field::from_function(inside, region, 1.0, &options(64, storage)).unwrap();
                assert!(field.is_certified_outside(), "{place}, {storage}");
            }
        }
    }
}

/// Contract: the gradient is that of the interpolant, which is linear along each axis within a cell.
#[test]
fn gradients_are_finite_differences() {
    for storage in BOTH {
        let (_, field) = built("torus-knot", 66, storage);
        let grid = field.grid();
        let step = 0.04 * grid.cell;
        let mut random = Random(5);
        for _ in 0..3_000 {
            let cell = DVec3::from_array([0, 1, 2].map(|k| random.below(grid.cells[k] as usize) as f64));
            let at = DVec3::splat(0.05) + 0.9 * DVec3::new(random.unit(), random.unit(), random.unit());
            let p = grid.origin + grid.cell * (cell + at);
            let gradient = field.gradient(p).unwrap();
            for axis in 0..3 {
                let mut aside = DVec3::ZERO;
                aside[axis] = step;
                let difference = field.distance(p + aside).value() - field.distance(p - aside).value();
                let slope = difference / (2.0 * step);
                assert!((slope - gradient[axis]).abs() < 1e-9, "{p}: {slope} for {gradient}");
            }
            if let Some(normal) = field.normal(p) {
                assert!((normal.length() - 1.0).abs() < 1e-12);
                assert!(normal.cross(gradient).length() <= 1e-12 * gradient.length());
                assert!(normal.dot(gradient) > 0.0);
            } else {
                assert_eq!(gradient, DVec3::ZERO);
            }
        }
        let outside = grid.bounds().max + 1.0;
        assert_eq!((field.gradient(outside), field.normal(outside)), (None, None));
    }
}

/// Contract: normals point away from the solid.
#[test]
fn normals_of_a_ball_point_outward() {
    let field = of_function(ball, 64, StorageKind::Sparse);
    let mut random = Random(6);
    for _ in 0..500 {
        let outward = random.in_cube().normalize_or(DVec3::X);
        let normal = field.normal(0.4 * outward).unwrap();
        assert!(normal.dot(outward) > 0.98, "{normal} for {outward}");
    }
}

#[test]
fn points_that_are_not_finite_are_unknown() {
    for storage in BOTH {
        let (_, field) = built("sphere", 20, storage);
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for axis in 0..3 {
                let mut p = DVec3::ZERO;
                p[axis] = bad;
                assert_eq!(field.distance(p), Distance::Unknown);
                assert_eq!(field.lower_bound(p), f64::NEG_INFINITY);
                assert_eq!(field.gradient(p), None);
                assert_eq!(field.normal(p), None);
                assert_eq!(field.error_bound_at(p), None);
            }
        }
        let huge = field.distance(DVec3::splat(1e300));
        assert!(matches!(huge, Distance::LowerBound(d) if d.is_finite() && d > 1e299), "{huge:?}");
    }
}

/// Contract: the box is closed. Its faces, edges and corners are inside it, whatever the rounding of its coordinates.
#[test]
fn the_border_of_the_box_belongs_to_it() {
    for storage in BOTH {
        for name in ["box", "cone", "tube", "blob"] {
            for resolution in [7, 33, 61] {
                let (mesh, field) = built(name, resolution, storage);
                let bounds = field.grid().bounds();
                let soup = Soup::new(&mesh);
                let sides = [bounds.min, bounds.center(), bounds.max];
                for k in 0..27 {
                    let p = DVec3::new(sides[k % 3].x, sides[k / 3 % 3].y, sides[k / 9].z);
                    assert!(
                        matches!(field.distance(p), Distance::Interpolated(_)),
                        "{name} {resolution}: {p}"
                    );
                    assert!(field.gradient(p).is_some());
                    check_point(&field, p, soup.signed_distance(p));
                    let beyond = bounds.center() + (p - bounds.center()) * (1.0 + 1e-9);
                    if p != bounds.center() {
                        assert!(matches!(field.distance(beyond), Distance::LowerBound(_)), "{beyond}");
                    }
                }
            }
        }
    }
}

/// Nodes and cell faces belong to cells as any other point: no gaps, no jumps within one resolution.
#[test]
fn the_interpolant_is_continuous_across_cell_faces() {
    let field = of_function(ring, 32, StorageKind::Dense);
    let grid = field.grid();
    let mut random = Random(7);
    for _ in 0..2_000 {
        let mut p = random.in_box(grid.bounds());
        let axis = random.below(3);
        let face = 1 + random.below(grid.cells[axis] as usize - 1);
        p[axis] = grid.origin[axis] + grid.cell * face as f64;
        let mut hair = DVec3::ZERO;
        hair[axis] = 1e-12;
        let [below, at, above] = [p - hair, p, p + hair].map(|p| field.distance(p).value());
        assert!((below - at).abs() < 1e-11 && (above - at).abs() < 1e-11, "{p}: {below} {at} {above}");
    }
}

#[test]
fn many_points_at_once_get_the_same_answers() {
    for storage in BOTH {
        let (_, field) = built("capsule", 40, storage);
        let mut random = Random(8);
        let mut points: Vec<DVec3> =
            (0..10_000).map(|_| random.in_box(field.grid().bounds().expanded(0.2))).collect();
        points.push(DVec3::INFINITY);
        let (distances, gradients) = (field.distances(&points), field.gradients(&points));
        assert_eq!((distances.len(), gradients.len()), (points.len(), points.len()));
        for (k, &p) in points.iter().enumerate() {
            assert_eq!(distances[k], field.distance(p));
            assert_eq!(gradients[k], field.gradient(p));
        }
        assert!(field.distances(&[]).is_empty());
    }
}

/// Contract: a sparse field has full resolution within the band, that is on every cell with a corner |φ| ≤ band·h.
#[test]
fn the_band_is_at_full_resolution() {
    for name in ["box", "sphere", "tube", "bowl"] {
        for band in [1.0, 3.0, 5.5] {
            let mesh = shapes::by_name(name).unwrap();
            let sparse = FieldOptions { band, ..options(67, StorageKind::Sparse) };
            let field = Field::from_mesh(&mesh, &sparse).unwrap();
            assert_eq!(field.band(), band);
            let dense = Field::from_mesh(&mesh, &options(67, StorageKind::Dense)).unwrap();
            let grid = *field.grid();
            assert_eq!(&grid, dense.grid());
            let n = grid.nodes();
            let index = |p: UVec3| (p.x + n.x * (p.y + n.y * p.z)) as usize;
            let mut near = vec![false; grid.node_count() as usize];
            for z in 0..n.z {
                for y in 0..n.y {
                    for x in 0..n.x {
                        let node = UVec3::new(x, y, z);
                        let p = grid.bounds().project(grid.node_position(node.as_ivec3()));
                        near[index(node)] = dense.distance(p).value().abs() <= band * grid.cell;
                    }
                }
            }
            let mut coarse = 0;
            for z in 0..grid.cells.z {
                for y in 0..grid.cells.y {
                    for x in 0..grid.cells.x {
                        let cell = UVec3::new(x, y, z);
                        let p = grid.origin + grid.cell * (cell.as_dvec3() + 0.5);
                        if field.error_bound_at(p) != Some(field.error_bound()) {
                            coarse += 1;
                            let in_band =
                                (0..8).any(|k| near[index(cell + UVec3::new(k & 1, k >> 1 & 1, k >> 2))]);
                            assert!(!in_band, "{name}, band {band}: cell {cell} is coarse");
                        } else {
                            assert_eq!(field.distance(p), dense.distance(p), "{name}: cell {cell}");
                        }
                    }
                }
            }
            println!("{name}, band {band}: {coarse} cells are coarse");
        }
    }
}

/// Contract of `Bounds`: within which values the interpolant stays on a block.
#[test]
fn blocks_hold_the_values_of_their_cells() {
    for storage in BOTH {
        for (name, resolution) in [("torus", 75), ("bowl", 130), ("box", 9), ("tube", 300)] {
            let (_, field) = built(name, resolution, storage);
            let (grid, bounds) = (field.grid(), field.bounds());
            let sizes: Vec<u32> = bounds.block_sizes().collect();
            assert!(sizes.is_sorted() && *sizes.last().unwrap() >= grid.cells.max_element());
            let (least, most) = bounds.overall();
            assert_eq!((least, most), field.value_range());
            let mut random = Random(9);
            for _ in 0..5_000 {
                let p = random.in_box(grid.bounds());
                let value = field.distance(p).value();
                let (cell, _) = grid.locate(p).unwrap();
                let mut around: Option<(f32, f32)> = None;
                for level in 0..sizes.len() {
                    let (low, high) = bounds.range(level, cell).unwrap();
                    let slack = 1e-14;
                    assert!(
                        f64::from(low) - slack <= value && value <= f64::from(high) + slack,
                        "{name}: {value} at {p} is not in [{low}, {high}] of level {level}"
                    );
                    if let Some((inner_low, inner_high)) = around {
                        assert!(low <= inner_low && inner_high <= high, "blocks hold the blocks in them");
                    }
                    around = Some((low, high));
                }
                assert_eq!(around, Some((least, most)), "the last level is one block");
            }
            assert_eq!(bounds.range(sizes.len(), UVec3::ZERO), None);
            assert_eq!(bounds.range(0, grid.cells + sizes[0]), None);
        }
    }
}

/// The same in all cells, at all their corners: within a cell the interpolant has its extremes there, also where the cell is
/// a piece of a coarser one.
#[test]
fn blocks_hold_every_cell() {
    for storage in BOTH {
        for name in ["torus-knot", "bowl", "tube", "blob", "box"] {
            let (_, field) = built(name, 70, storage);
            let (grid, bounds) = (field.grid(), field.bounds());
            let levels = bounds.block_sizes().count();
            let n = grid.cells;
            for k in 0..n.element_product() {
                let cell = UVec3::new(k % n.x, k / n.x % n.y, k / (n.x * n.y));
                let mut range = (f64::INFINITY, f64::NEG_INFINITY);
                for corner in 0..8 {
                    // Just within, since corners belong to the upper cell.
                    let at =
                        DVec3::new(f64::from(corner & 1), f64::from(corner >> 1 & 1), f64::from(corner >> 2));
                    let at = at.clamp(DVec3::splat(1e-9), DVec3::splat(1.0 - 1e-9));
                    let value = field.distance(grid.origin + grid.cell * (cell.as_dvec3() + at)).value();
                    range = (range.0.min(value), range.1.max(value));
                }
                for level in 0..levels {
                    let (low, high) = bounds.range(level, cell).unwrap();
                    assert!(
                        f64::from(low) - 1e-14 <= range.0 && range.1 <= f64::from(high) + 1e-14,
                        "{name}, {storage}: {range:?} in cell {cell} is not in [{low}, {high}] of level {level}"
                    );
                }
            }
        }
    }
}

/// Contract: overall is the least and largest value, for a dense field those of its nodes.
#[test]
fn overall_is_the_extremes() {
    let (_, field) = built("torus-knot", 41, StorageKind::Dense);
    let grid = field.grid();
    let (mut least, mut most) = (f32::INFINITY, f32::NEG_INFINITY);
    let n = grid.nodes().as_ivec3();
    for z in 0..n.z {
        for y in 0..n.y {
            for x in 0..n.x {
                let p = grid.bounds().project(grid.node_position(IVec3::new(x, y, z)));
                let value = field.distance(p).value() as f32;
                (least, most) = (least.min(value), most.max(value));
            }
        }
    }
    assert_eq!(field.value_range(), (least, most));
}

/// Contract of the grid: N cells along the longest side, padding on every side, the solid in the middle.
#[test]
fn the_box_is_padded_and_centred() {
    let mesh = shapes::by_name("cone").unwrap();
    for resolution in [1, 2, 37, 256] {
        for padding in [0.0, 0.05, 0.5] {
            let options = FieldOptions { resolution, padding, ..Default::default() };
            let field = Field::from_mesh(&mesh, &options).unwrap();
            let (grid, solid) = (field.grid(), mesh.bounds());
            assert_eq!(grid.cells.max_element(), resolution);
            let longest = solid.extent().max_element();
            assert!(
                (grid.cell * f64::from(resolution) / (longest * (1.0 + 2.0 * padding)) - 1.0).abs() < 1e-9
            );
            let free = (solid.min - grid.bounds().min).min(grid.bounds().max - solid.max);
            assert!(free.min_element() >= padding * longest - 1e-9);
            assert!((solid.center() - grid.bounds().center()).abs().max_element() < 1e-9);
        }
    }
}
