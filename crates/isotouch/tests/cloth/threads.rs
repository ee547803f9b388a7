//! The number of threads changes no bit.

use std::sync::Arc;

use isotouch::ccd::Ball;
use isotouch::cloth::{
    Cloth, ClothOptions, ClothWorld, ClothWorldOptions, EdgeTest, ObstacleOptions, garments,
};
use isotouch::math::DVec3;

fn fallen(threads: usize) -> Vec<DVec3> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        // Large enough for runs that are shared out: 307,000 bends, in some 16 of them.
        let mesh = garments::tablecloth(1.0, 320).unwrap();
        let options = ClothOptions { edges: EdgeTest::Deepest, ..Default::default() };
        let wind = DVec3::new(1.0, 0.0, 0.5);
        let mut world = ClothWorld::new(ClothWorldOptions { substeps: 4, wind, ..Default::default() });
        let ball = Ball { center: DVec3::new(0.02, -0.203, 0.01), radius: 0.2 };
        world.add_surface(Arc::new(ball), ObstacleOptions::default()).unwrap();
        let id = world.add_cloth(Cloth::from_mesh(&mesh, &options).unwrap());
        for _ in 0..5 {
            world.step(0.01).unwrap();
        }
        world.cloth(id).places().to_vec()
    })
}

#[test]
fn one_two_and_five_threads_give_the_same_bits() {
    let one = fallen(1);
    assert!(one.iter().any(|p| p.y < -0.01), "it fell");
    assert!(one.iter().any(|p| p.y > -0.003), "on the ball");
    for threads in [2, 5] {
        assert!(one == fallen(threads), "{threads} threads");
    }
}
