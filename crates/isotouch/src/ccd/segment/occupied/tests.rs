use super::super::lanes;
use super::*;
use crate::ccd::{CastOptions, Segment, Traversal};
use crate::field::storage::Storage;
use crate::field::{Field, FieldOptions, StorageKind};
use crate::math::random::unit;
use crate::math::{Aabb, DVec3};
use crate::mesh::{TriMesh, shapes};

/// Fields of several depths: with the coarsest nodes 4 cells apart and more, and cells that are no multiple of blocks.
fn fields() -> Vec<Field> {
    let field = |mesh: &TriMesh, resolution: u32, band: f64| {
        Field::from_mesh(mesh, &FieldOptions { resolution, band, ..Default::default() }).unwrap()
    };
    let (knot, blob) = (shapes::by_name("torus-knot").unwrap(), shapes::by_name("blob").unwrap());
    vec![field(&knot, 30, 3.0), field(&knot, 97, 3.0), field(&blob, 61, 1.5), field(&blob, 301, 3.0)]
}

/// Calls `with` for every level set that can be occupied.
fn for_each_set(with: impl Fn(&Field, f64, &Occupied)) {
    for field in fields() {
        let h = field.grid().cell;
        for iso in [0.0, 0.4 * h, -0.4 * h] {
            let set = field.level_set(iso, &CastOptions::default());
            with(&field, iso, set.occupied(usize::MAX).expect("it suits lanes"));
        }
    }
}

#[test]
fn occupied_cells_are_those_with_a_corner_not_above() {
    for_each_set(|field, iso, occupied| {
        let Storage::Sparse(nodes) = field.nodes() else { panic!("sparse") };
        let (fine, h) = (&nodes.levels[0], field.grid().cell);
        let margin = lanes::margin(field.grid().cells.max_element(), field.steepness_per_cell(iso));
        let mut between = 0;
        let mut counts = [0, 0];
        for (brick, slot) in fine.bricks().filter(|(brick, _)| brick.cmplt(occupied.blocks).all()) {
            for k in 0..BRICK_NODES as u32 {
                let cell = brick * BRICK + UVec3::new(k % 4, k / 4 % 4, k / 16);
                if cell.cmpge(field.grid().cells).any() {
                    continue;
                }
                let is_marked = occupied.cells(slot) >> k & 1 != 0;
                let least = fine.corners(cell).map(|c| c.into_iter().fold(f32::INFINITY, f32::min));
                match least.map(f64::from) {
                    Some(least) if least <= iso + margin => {
                        assert!(is_marked, "{cell} has {least}");
                        between += usize::from(least > iso);
                    }
                    // Farther above than lanes ask for.
                    Some(least) if least > iso + 0.1 * h => assert!(!is_marked, "{cell} has {least}"),
                    _ => {}
                }
                counts[usize::from(is_marked)] += 1;
            }
        }
        assert!(counts[0] > 1_000 && counts[1] > 500 && between > 10, "{counts:?}, {between} in the margin");
    });
}

#[test]
fn what_is_free_is_free_all_around() {
    for_each_set(|field, iso, occupied| {
        let (grid, blocks) = (field.grid(), occupied.blocks);
        let mut largest = 0;
        for (k, &free) in occupied.free.iter().enumerate().filter(|(_, free)| **free > 0) {
            let k = k as u32;
            let block = UVec3::new(k % blocks.x, k / blocks.x % blocks.y, k / (blocks.x * blocks.y));
            largest = largest.max(free);
            for sample in 0..4 {
                let random = |axis: u64| unit(u64::from(k), 7 * sample + axis);
                let at = (block * BRICK).as_dvec3()
                    + f64::from(BRICK) * DVec3::new(random(0), random(1), random(2));
                let way = 2.0 * DVec3::new(random(3), random(4), random(5)) - 1.0;
                let away = f64::from(free - 1) * random(6).cbrt() * way.normalize_or_zero();
                let p = grid.origin + grid.cell * (at + away);
                if grid.bounds().contains(p) {
                    let d = field.distance(p).value();
                    assert!(d > iso, "{d} is not above {iso} at {p}, {away} from block {block} with {free}");
                }
                // What paths pass over unseen is so far from the block.
                let unseen = 2.0 * lanes::overshoot(grid.cells.max_element());
                let axis = sample as usize % 3;
                let mut beside = at;
                beside[axis] = f64::from(block[axis] * BRICK) - unseen;
                let mut beyond = at;
                beyond[axis] = f64::from((block[axis] + 1) * BRICK) + unseen;
                for p in [beside, beyond].map(|at| grid.origin + grid.cell * at) {
                    if grid.bounds().contains(p) {
                        let d = field.distance(p).value();
                        assert!(d > iso, "{d} is not above {iso} at {p}, beside block {block}");
                    }
                }
            }
        }
        assert!(largest > 5, "leaps of {largest}");
    });
}

#[test]
fn what_is_far_from_the_surface_is_free() {
    for_each_set(|field, iso, occupied| {
        let (grid, blocks) = (field.grid(), occupied.blocks);
        let mut far = 0;
        for k in 0..occupied.free.len() as u32 {
            let block = UVec3::new(k % blocks.x, k / blocks.x % blocks.y, k / (blocks.x * blocks.y));
            let center = grid.origin + grid.cell * ((block * BRICK).as_dvec3() + 2.0);
            // No cell of the block can be within one and a half cells of the surface.
            if grid.bounds().contains(center) && field.distance(center).value() > iso + 7.0 * grid.cell {
                assert!(occupied.is_free(block), "{block} of {blocks}");
                far += 1;
            }
        }
        assert!(far > 20 || blocks.max_element() < 10, "{far}");
    });
}

#[test]
fn dense_fields_small_batches_and_level_sets_beyond_the_band_are_left_to_others() {
    let mesh = shapes::by_name("torus-knot").unwrap();
    let with = |storage| FieldOptions { resolution: 97, storage, ..Default::default() };
    let sparse = Field::from_mesh(&mesh, &with(StorageKind::Sparse)).unwrap();
    let dense = Field::from_mesh(&mesh, &with(StorageKind::Dense)).unwrap();
    let options = CastOptions::default();
    let h = sparse.grid().cell;
    let set = |field: &Field, iso| field.level_set(iso, &options).occupied(100_000).is_some();
    assert!(set(&sparse, 0.0) && set(&sparse, 2.0 * h) && set(&sparse, -2.0 * h));
    assert!(!set(&sparse, 2.9 * h) && !set(&sparse, -2.9 * h) && !set(&sparse, f64::NAN));
    assert!(!set(&dense, 0.0));
    // Enough of small ones are one large.
    let surface = sparse.level_set(0.0, &options);
    assert!(surface.occupied(10).is_none() && surface.occupied(10).is_none());
    assert!((0..1_000).any(|_| surface.occupied(10).is_some()));
}

/// Long grids, with a ball now and then: many levels, and coordinates up to the largest that lanes take and beyond, for little work.
fn long_fields() -> Vec<Field> {
    let beads = |p: DVec3| {
        let along = (p.x / 150.0).round() * 150.0;
        p.distance(DVec3::new(along, 4.3, 3.9)) - 2.5
    };
    let field = |cells: DVec3| {
        let region = Aabb::new(DVec3::ZERO, cells);
        let options = FieldOptions {
            cell_size: Some(1.0),
            padding: 0.0,
            storage: StorageKind::Sparse,
            ..Default::default()
        };
        Field::from_function(beads, region, 1.0, &options).unwrap()
    };
    [
        DVec3::new(1100.0, 8.0, 8.0),
        DVec3::new(4090.0, 9.0, 10.0),
        DVec3::new(4096.0, 8.0, 8.0),
        DVec3::new(4097.0, 8.0, 8.0),
    ]
    .map(field)
    .into()
}

/// Paths from end to end: on planes between blocks and just beside them, up and down, still, along faces, edges and corners of the box.
fn long_paths(field: &Field) -> Vec<Segment> {
    let (low, high) = (field.grid().bounds().min, field.grid().bounds().max);
    let beside = [0.0, 1e-13, -1e-13, 1e-4, -1e-4, 1.9e-3, -1.9e-3, 3e-2];
    let mut paths = Vec::new();
    for y in [low.y, 4.0, 6.7, high.y] {
        for z in [low.z, 4.0, 6.5, high.z] {
            for (a, b) in beside.into_iter().flat_map(|a| beside.map(|b| (a, b))) {
                let (from, to) = (DVec3::new(low.x, y + a, z + b), DVec3::new(high.x, y + b, z + a));
                paths.push(Segment::new(from.clamp(low, high), to.clamp(low, high)));
                paths.push(Segment::new(DVec3::new(0.3 * high.x, y, z + a).clamp(low, high), low + a.abs()));
            }
        }
    }
    paths.extend(Segment::random_in(field.grid().bounds(), 3_000, 7));
    let back: Vec<Segment> = paths.iter().map(Segment::reversed).collect();
    paths.extend(back);
    paths
}

#[test]
fn long_ways_beside_planes_end_where_they_should() {
    for field in long_fields() {
        let paths = long_paths(&field);
        for iso in [0.0, 1.3, -0.7] {
            let surface = field.level_set(iso, &CastOptions::default());
            let hits = surface.first_hits(&paths);
            let suits_lanes = field.grid().cells.max_element() <= lanes::MOST_CELLS;
            assert_eq!(surface.occupied(0).is_some(), suits_lanes);
            let uniform = CastOptions { traversal: Traversal::Uniform, ..Default::default() };
            let cell_by_cell = field.level_set(iso, &uniform);
            let expected: Vec<_> = paths.par_iter().map(|path| cell_by_cell.first_hit(path)).collect();
            for (path, (hit, expected)) in paths.iter().zip(hits.iter().zip(&expected)) {
                assert_eq!(hit, expected, "{path:?} at {iso} in {}", field.grid().cells);
            }
            assert!(expected.iter().flatten().count() > 500 && expected.iter().any(Option::is_none));
        }
    }
}
