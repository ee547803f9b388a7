use glam::{DVec3, IVec3, UVec3};

use super::*;
use crate::field::Grid;
use crate::math::random::unit;
use crate::mesh::{Bvh, TriMesh};

/// A vertex with hundreds of long blades, and dust of triangles far smaller than a cell around it.
fn fan_in_dust() -> TriMesh {
    let random = |k: u32, at: u64| 2.0 * unit(u64::from(k), at) - 1.0;
    let point = |k: u32, at: u64| DVec3::new(random(k, at), random(k, at + 1), random(k, at + 2));
    let mut vertices = vec![DVec3::splat(3.4)];
    let mut triangles = Vec::new();
    for k in 0..300 {
        let end = vertices[0] + 9.0 * point(k, 0);
        vertices.extend([end, end + 0.01 * point(k, 3)]);
        triangles.push([0, 2 * k + 1, 2 * k + 2]);
    }
    for k in 300..1_000 {
        let (at, first) = (DVec3::splat(3.5) + 4.5 * point(k, 0), vertices.len() as u32);
        vertices.extend([at, at + 1e-3 * point(k, 3), at + 1e-3 * point(k, 6)]);
        triangles.push([first, first + 1, first + 2]);
    }
    TriMesh::new(vertices, triangles).unwrap()
}

#[test]
fn the_closest_triangle_of_every_node_is_needed() {
    let mesh = fan_in_dust();
    let bvh = Bvh::new(&mesh);
    let all = LeafVertices::new(&mesh, &bvh);
    let leaves: Vec<u32> = (0..bvh.leaf_count() as u32).collect();
    let lanes = |leaf: u32| (0..8).map(move |lane| Seed { leaf, lane });
    let has_triangle = |seed: &Seed| bvh.leaf(seed.leaf as usize).triangle[seed.lane as usize] != u32::MAX;
    let seeds: Vec<Seed> = leaves.iter().flat_map(|&leaf| lanes(leaf)).filter(has_triangle).collect();

    let grid = Grid { origin: DVec3::ZERO, cell: 1.0, cells: UVec3::splat(8) };
    let octet = Octet::new(&grid, IVec3::ZERO, 1);
    let mut near = NearVertices::default();
    near.gather(&all, &leaves, &octet);
    let mut groups_of = vec![0u64; 8 * leaves.len()];
    near.for_each_needed(&all, &leaves, 0xff, |seed, groups| {
        groups_of[(8 * seed.leaf + seed.lane) as usize] |= groups;
    });

    let mut needed = 0;
    for (brick, node) in (0..8).flat_map(|brick| (0..64).map(move |node| (brick, node))) {
        let p = octet.position(brick, node);
        let squared = |seed: &Seed| bvh.closest_on(*seed, p).0.distance_squared(p);
        let least = seeds.iter().map(squared).fold(f64::INFINITY, f64::min);
        let group = (node % 4 / 2) + 2 * (node / 4 % 4 / 2) + 4 * (node / 32);
        let is_needed =
            |seed: &&Seed| groups_of[(8 * seed.leaf + seed.lane) as usize] >> (8 * brick + group) & 1 != 0;
        let of_needed = seeds.iter().filter(is_needed).map(squared).fold(f64::INFINITY, f64::min);
        assert!(of_needed <= least * (1.0 + 1e-12), "{of_needed} is not {least} at {p}");
        needed += seeds.iter().filter(is_needed).count();
    }
    // All blades are long, so they are needed nearly everywhere; the dust is not.
    assert!(needed < 512 * 600, "{}", needed / 512);
}
