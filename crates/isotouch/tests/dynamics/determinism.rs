use isotouch::contact::Material;
use isotouch::dynamics::{BodyOptions, Integrator, World, WorldOptions, WorldState};
use isotouch::math::{DQuat, DVec3, Pose};
use isotouch::mesh::shapes;

use crate::{on_ground, shape};

fn pile(integrator: Integrator) -> World {
    let mut world =
        on_ground(WorldOptions { integrator, slip_speed: 0.01, ..Default::default() }, Material::default());
    let blob = shape(&shapes::by_name("torus").unwrap(), 40, 400);
    for k in 0..6 {
        let f = f64::from(k);
        let pose = Pose {
            position: DVec3::new(0.1 * (2.0 * f).sin(), 0.5 + 0.35 * f, 0.1 * f.cos()),
            rotation: DQuat::from_rotation_x(0.4 * f),
        };
        let material = Material { stiffness: 1e6, ..Default::default() };
        world.add_body(blob.clone(), BodyOptions { pose, material, ..Default::default() }).unwrap();
    }
    world
}

fn run(world: &mut World, steps: usize) -> WorldState {
    for _ in 0..steps {
        world.step(1.0 / 240.0).unwrap();
    }
    world.state()
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (_, integrator) in Integrator::NAMES {
        let states: Vec<WorldState> = [1, 2, 5]
            .map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| run(&mut pile(integrator), 150))
            })
            .to_vec();
        assert_eq!(states[0], states[1], "{integrator:?}");
        assert_eq!(states[0], states[2], "{integrator:?}");
    }
}

#[test]
fn a_state_put_back_goes_on_as_it_would_have() {
    for (_, integrator) in Integrator::NAMES {
        let mut world = pile(integrator);
        let kept = run(&mut world, 80);
        let end = run(&mut world, 80);
        let mut other = pile(integrator);
        other.restore(&kept).unwrap();
        assert_eq!(run(&mut other, 80), end, "{integrator:?}");
    }
    let mut empty = World::new(WorldOptions::default());
    assert!(empty.restore(&pile(Integrator::Implicit).state()).unwrap_err().to_string().contains("6 bodies"));
}
