use super::*;
use crate::field::storage::Storage;
use crate::field::storage::bricks::{NO_TILE, Tile, bricks_of_tile, tile_position};
use crate::field::{Bounds, Field, FieldFileError, FieldOptions, bounds};
use crate::math::{Aabb, DVec3};
use crate::mesh::shapes;

/// The same level without some bricks, as if they had never been there.
fn without(level: &BrickLevel, dropped: impl Fn(UVec3) -> bool) -> BrickLevel {
    let tiles_per_axis = BrickLevel::tiles_per_axis(level.nodes);
    let (mut tile_at, mut tiles, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for (index, &at) in level.tile_at.iter().enumerate() {
        let mut mask = [0; 8];
        let first = (values.len() / BRICK_NODES) as u32;
        if at != NO_TILE {
            let position = tile_position(index, tiles_per_axis);
            for (brick, slot) in
                bricks_of_tile(&level.tiles[at as usize], position).filter(|(b, _)| !dropped(*b))
            {
                let (word, bit) = Tile::bit(brick);
                mask[word] |= 1 << bit;
                values.extend_from_slice(&level.values[slot * BRICK_NODES..(slot + 1) * BRICK_NODES]);
            }
        }
        tile_at.push(if mask == [0; 8] { NO_TILE } else { tiles.len() as u32 });
        if mask != [0; 8] {
            tiles.push(Tile::new(mask, first));
        }
    }
    let mut level = BrickLevel {
        step: level.step,
        nodes: level.nodes,
        tile_at: tile_at.into(),
        tiles: tiles.into(),
        values: values.into(),
        ranges: Vec::new().into(),
    };
    level.ranges = bounds::brick_ranges(&level).into();
    level
}

/// A field without some bricks of a level, right in everything else, as it comes out of a file.
fn spoilt(field: &Field, level: usize, dropped: impl Fn(UVec3) -> bool) -> Field {
    let Storage::Sparse(mut nodes) = field.storage.clone() else { panic!("sparse") };
    nodes.levels[level] = without(&nodes.levels[level], dropped);
    let storage = Storage::Sparse(nodes);
    let bounds = Bounds::new(&storage, &field.grid);
    let spoilt = Field::from_parts(field.grid, storage, bounds, field.facts);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("spoilt.field");
    spoilt.save(&path).unwrap();
    Field::open(&path).unwrap()
}

fn levels(field: &Field) -> &[BrickLevel] {
    let Storage::Sparse(nodes) = &field.storage else { panic!("sparse") };
    &nodes.levels
}

fn torus(resolution: u32) -> Field {
    let mesh = shapes::by_name("torus").unwrap();
    Field::from_mesh(&mesh, &FieldOptions { resolution, ..Default::default() }).unwrap()
}

#[test]
fn every_brick_that_the_surface_passes_is_missed() {
    let field = torus(300);
    for (k, level) in levels(&field).iter().enumerate() {
        let crossed: Vec<UVec3> = level
            .bricks()
            .filter(|&(_, slot)| level.ranges[slot][0] < 0.0 && level.ranges[slot][1] > 0.0)
            .map(|(brick, _)| brick)
            .collect();
        assert!(crossed.len() > 10);
        for &gone in crossed.iter().step_by(crossed.len() / 4) {
            let error = spoilt(&field, k, |brick| brick == gone).verify().unwrap_err();
            let FieldFileError::Contradiction { what, .. } = &error else { panic!("{error}") };
            let node = gone * BRICK * level.step;
            assert!(
                what.contains("1 brick") && what.contains(&format!("({}, {}, {})", node.x, node.y, node.z)),
                "{what}"
            );
        }
    }
}

/// With a whole region gone, nodes of the same level tell nothing in its middle.
#[test]
fn a_level_without_bricks_is_noticed() {
    let field = torus(300);
    for k in 0..levels(&field).len() {
        assert!(spoilt(&field, k, |_| true).verify().is_err(), "level {k}");
        assert!(spoilt(&field, k, |brick| brick.x > brick.y).verify().is_err(), "level {k}");
    }
}

/// What is true of every field that is built must not be called missing.
#[test]
fn fields_as_they_are_built_keep_their_band() {
    for name in ["torus-knot", "box"] {
        let mesh = shapes::by_name(name).unwrap();
        for (resolution, band) in [(9, 1.0), (70, 1.0), (101, 2.5), (133, 3.0), (300, 1.0), (80, 20.0)] {
            let options = FieldOptions { resolution, band, ..Default::default() };
            Field::from_mesh(&mesh, &options).unwrap().verify().unwrap();
        }
    }
    let region = Aabb::new(DVec3::new(-1.0, -0.7, -0.4), DVec3::new(1.0, 0.6, 0.3));
    for lipschitz in [0.05, 0.5, 1.0, 3.0, 100.0] {
        let rounded = |p: DVec3| lipschitz * (p.length() - 0.6);
        let plane = |p: DVec3| lipschitz * (p.x + p.y + p.z) / 3f64.sqrt();
        for resolution in [30, 77, 150] {
            let options = FieldOptions { resolution, ..Default::default() };
            Field::from_function(rounded, region, lipschitz, &options).unwrap().verify().unwrap();
            Field::from_function(plane, region, lipschitz, &options).unwrap().verify().unwrap();
        }
    }
}

/// Values that rise by L along each axis at once are steeper than L along diagonals.
#[test]
fn grids_keep_their_band() {
    let grid = Grid { origin: DVec3::ZERO, cell: 1.0, cells: UVec3::new(50, 37, 41) };
    let n = grid.nodes();
    for slope in [0.3f32, 1.0, 2.5] {
        let node = |k: u32| UVec3::new(k % n.x, k / n.x % n.y, k / (n.x * n.y));
        let value = |k: u32| slope * (node(k).element_sum() as f32 - 60.3);
        let values = (0..n.element_product()).map(value).collect();
        let field = Field::from_grid(grid, values, f64::from(slope), &FieldOptions::default()).unwrap();
        field.verify().unwrap();
    }
}
