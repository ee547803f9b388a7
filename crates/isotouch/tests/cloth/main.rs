//! Cloth against formulas and against what must never happen.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod elastic;
mod friction;
mod kept_off;
mod moving;
mod scenes;
mod thin;
mod threads;

use std::sync::Arc;

use isotouch::ccd::Plane;
use isotouch::cloth::{
    Cloth, ClothOptions, ClothWorld, ClothWorldOptions, EdgeTest, Fabric, ObstacleOptions, StrandOptions,
};
use isotouch::math::DVec3;

/// g, m/s².
const G: f64 = 9.81;

/// Two particles 1 mm apart, too soft to matter to each other, without edge tests: a particle, and a friend.
fn particle(at: DVec3, epsilon: f64) -> Cloth {
    let strand = vec![at, at + DVec3::Z * 1e-3];
    let options = StrandOptions {
        held: 0,
        damping: 0.0,
        bend: 0.0,
        epsilon: Some(epsilon),
        edges: EdgeTest::None,
        ..Default::default()
    };
    Cloth::from_strands(&[strand], &options).unwrap()
}

/// Without air.
fn soft(fabric: Fabric) -> ClothOptions {
    ClothOptions { fabric, drag: 0.0, damping: 0.0, self_collision: false, ..Default::default() }
}

fn on_plane(options: ClothWorldOptions, normal: DVec3, of: ObstacleOptions) -> ClothWorld {
    let mut world = ClothWorld::new(options);
    world.add_surface(Arc::new(Plane { normal, offset: 0.0 }), of).unwrap();
    world
}
