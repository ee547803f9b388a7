use isotouch::ccd::{Ball, Obstacle, Plane, Touchable};
use isotouch::contact::{
    Arms, BodyStep, ContactNormals, Damping, Friction, Handles, Law, PenaltyOptions, Placed, ShellOnSurface,
    Stiffness, forces_at,
};
use isotouch::field::{Field, FieldOptions};
use isotouch::math::{DQuat, DVec3, Pose, Twist, Wrench};
use isotouch::mesh::shapes;
use isotouch::shell::{PointShell, Sampling, ShellOptions};
use proptest::prelude::*;

fn law(stiffness: f64) -> Law {
    Law { stiffness: Stiffness::PerArea(stiffness), damping: 0.0, friction: Friction::NONE }
}

fn shell_of(mesh: &isotouch::mesh::TriMesh, points: usize) -> PointShell {
    PointShell::from_mesh(mesh, &ShellOptions { sampling: Sampling::Points(points), ..Default::default() })
        .unwrap()
}

/// A plate that sinks into the ground with constant speed v from height h: the impulse is ∫ k·A·(v·t − h) dt over its time below.
#[test]
fn a_sinking_plate_is_pushed_as_the_integral_says() {
    let plate = shapes::cuboid(DVec3::new(0.2, 0.02, 0.1)).unwrap();
    let shell = shell_of(&plate, 600);
    let (dt, speed, height) = (0.01, 1.0, 0.004);
    let place = |y: f64| Placed {
        world_from_body: Pose::at(DVec3::Y * (0.01 + y)),
        center: DVec3::ZERO,
        twist: Twist { linear: DVec3::Y * -speed, angular: DVec3::ZERO },
    };
    let step = BodyStep { from: place(height), to: place(height - speed * dt), duration: dt };
    let pair = ShellOnSurface {
        shell: &shell,
        shell_body: step,
        obstacle: Obstacle::Analytic(&Plane::GROUND),
        surface_body: BodyStep::still(Placed::at_rest(Pose::IDENTITY), dt),
    };
    let k = 1e6;
    let found = pair.impulse(&law(k), &PenaltyOptions::default());
    // The face, and of the sides what is below: points there count as deep as they are. Half of the shares at the lower edges belong to the sides.
    let below = speed * dt - height;
    let face = 0.02 * 0.5 * below * below / speed;
    let sides = 2.0 * (0.2 + 0.1) * below * below * below / (6.0 * speed);
    let (least, most) = (k * face, k * (face + 4.0 * sides));
    assert!(
        found.on_shell.force.y > least && found.on_shell.force.y < most * 1.05,
        "{found:?} {least} {most}"
    );
    assert!(found.on_shell.force.x.abs() < 1e-9 * most && (found.deepest - below).abs() < 2e-4);
    assert_eq!(found.on_shell.force, -found.on_surface.force);
    // At the end only, the force of the deepest place lasts the whole step.
    let discrete = pair.discrete_impulse(&law(k), &PenaltyOptions::default());
    assert!(discrete.on_shell.force.y > 2.0 * found.on_shell.force.y);
}

/// Both normals push a ball on a ball apart, along the line between them; with the shell's, on corners, they need not.
#[test]
fn forces_separate_whichever_normals_are_used() {
    let mesh = shapes::sphere(0.1, 5120).unwrap();
    let shell = shell_of(&mesh, 800);
    let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 48, ..Default::default() }).unwrap();
    let apart = DVec3::new(0.19, 0.0, 0.0);
    for normals in [ContactNormals::Field, ContactNormals::Shell] {
        for handles in [Handles::Interpolated, Handles::Substep] {
            let pair = ShellOnSurface {
                shell: &shell,
                shell_body: BodyStep::still(Placed::at_rest(Pose::at(apart)), 0.01),
                obstacle: Obstacle::Field(&field),
                surface_body: BodyStep::still(Placed::at_rest(Pose::IDENTITY), 0.01),
            };
            let options = PenaltyOptions { normals, handles, ..Default::default() };
            let found = pair.impulse(&law(1e6), &options);
            assert!(found.points > 0 && found.on_shell.force.x > 0.0, "{normals:?}: {found:?}");
            let off = found.on_shell.force.y.hypot(found.on_shell.force.z);
            assert!(off < 0.2 * found.on_shell.force.x, "{normals:?}: {found:?}");
        }
    }
}

/// A body that is braked from 3 to 1 m/s and turns faster: at t, an Euler step of t·dt with the velocity of then; at the end, that of the whole step, whatever is said of it.
#[test]
fn substeps_are_eulers_steps_of_their_length() {
    let placed = |linear: f64, angular: f64| Placed {
        world_from_body: Pose::at(DVec3::Y),
        center: DVec3::new(0.1, 0.0, 0.0),
        twist: Twist { linear: DVec3::X * linear, angular: DVec3::Z * angular },
    };
    let step = BodyStep { from: placed(3.0, 2.0), to: placed(1.0, 6.0), duration: 0.1 };
    for t in [0.0, 0.3, 1.0] {
        let now = step.at(t, Handles::Substep);
        let (speed, rate) = (3.0 - 2.0 * t, 2.0 + 4.0 * t);
        assert!((now.twist.linear.x - speed).abs() < 1e-12 && (now.twist.angular.z - rate).abs() < 1e-12);
        let center = DVec3::new(0.1 + speed * t * 0.1, 1.0, 0.0);
        assert!(now.center_in_world().distance(center) < 1e-12, "{t}: {}", now.center_in_world());
        let turned = DVec3::new((rate * t * 0.1).cos(), (rate * t * 0.1).sin(), 0.0);
        assert!((now.world_from_body.rotation * DVec3::X).distance(turned) < 1e-12, "{t}");
    }
}

/// A ball that goes into the ground, aslant and without a change of velocity: arms from the beginning are longer by the ways of the centre, which are dt·v·t at t. At the end only, t is 1, wherever handles are.
#[test]
fn arms_from_the_beginning_have_the_way_as_well() {
    let shell = shell_of(&shapes::sphere(0.1, 1280).unwrap(), 300);
    let dt = 0.01;
    let velocity = DVec3::new(2.0, -1.0, 0.5);
    let placed = |place: DVec3| Placed {
        twist: Twist { linear: velocity, angular: DVec3::ZERO },
        ..Placed::at_rest(Pose::at(place))
    };
    let start = DVec3::new(0.3, 0.103, -0.2);
    let pair = ShellOnSurface {
        shell: &shell,
        shell_body: BodyStep { from: placed(start), to: placed(start + dt * velocity), duration: dt },
        obstacle: Obstacle::Analytic(&Plane::GROUND),
        surface_body: BodyStep::still(Placed::at_rest(Pose::IDENTITY), dt),
    };
    for handles in [Handles::Interpolated, Handles::Substep] {
        let of = |arms: Arms| PenaltyOptions { handles, arms, ..Default::default() };
        let moving = pair.impulse(&law(1e6), &of(Arms::Moving));
        let from_start = pair.impulse(&law(1e6), &of(Arms::Start));
        let scale = moving.on_shell.force.length();
        assert!(scale > 0.0 && from_start.delay == DVec3::ZERO);
        assert!((from_start.on_shell.force - moving.on_shell.force).length() < 1e-12 * scale);
        let longer = from_start.on_shell.torque - moving.on_shell.torque;
        assert!(
            (longer - dt * velocity.cross(moving.delay)).length() < 1e-12 * scale,
            "{handles:?}: {longer}"
        );

        let moving = pair.discrete_impulse(&law(1e6), &of(Arms::Moving)).on_shell;
        let from_start = pair.discrete_impulse(&law(1e6), &of(Arms::Start)).on_shell;
        let longer = from_start.torque - moving.torque;
        let expected = dt * velocity.cross(moving.force);
        assert!((longer - expected).length() < 1e-12 * moving.force.length(), "{handles:?}: {longer}");
        let usual = pair.discrete_impulse(&law(1e6), &PenaltyOptions::default()).on_shell;
        assert_eq!(moving, usual, "{handles:?}");
    }
}

/// Damping is against the relative velocity, on both bodies, and takes energy: P = F·v of the pair is negative.
#[test]
fn damping_takes_energy() {
    let mesh = shapes::sphere(0.1, 1280).unwrap();
    let shell = shell_of(&mesh, 300);
    for damping in [Damping::Normal, Damping::Full] {
        for speed in [-0.3, 0.3] {
            let twist = Twist { linear: DVec3::Y * speed, angular: DVec3::ZERO };
            let placed = Placed { twist, ..Placed::at_rest(Pose::at(DVec3::Y * 0.095)) };
            let pair = ShellOnSurface {
                shell: &shell,
                shell_body: BodyStep::still(placed, 1e-3),
                obstacle: Obstacle::Analytic(&Plane::GROUND),
                surface_body: BodyStep::still(Placed::at_rest(Pose::IDENTITY), 1e-3),
            };
            let options = PenaltyOptions { damping, ..Default::default() };
            let spring = pair.impulse(&law(1e6), &options).on_shell.force.y;
            let both = pair.impulse(&Law { damping: 2e-3, ..law(1e6) }, &options).on_shell.force.y;
            assert!((both - spring) * speed < 0.0, "{damping:?} {speed}: {spring} {both}");
            if damping == Damping::Normal {
                assert!(both >= 0.0, "it never pulls");
            }
        }
    }
}

/// Four times as many points: the same force per area, four times as much per point.
#[test]
fn stiffness_per_area_does_not_depend_on_the_number_of_points() {
    let mesh = shapes::cuboid(DVec3::splat(0.2)).unwrap();
    let push = |points: usize, stiffness: Stiffness| {
        let shell = shell_of(&mesh, points);
        let pair = ShellOnSurface {
            shell: &shell,
            shell_body: BodyStep::still(Placed::at_rest(Pose::at(DVec3::Y * 0.099)), 1e-3),
            obstacle: Obstacle::Analytic(&Plane::GROUND),
            surface_body: BodyStep::still(Placed::at_rest(Pose::IDENTITY), 1e-3),
        };
        pair.impulse(&Law { stiffness, ..law(1.0) }, &PenaltyOptions::default()).on_shell.force.y
    };
    let ratio = push(4000, Stiffness::PerArea(1e6)) / push(1000, Stiffness::PerArea(1e6));
    assert!((ratio - 1.0).abs() < 0.1, "{ratio}");
    let ratio = push(4000, Stiffness::PerPoint(10.0)) / push(1000, Stiffness::PerPoint(10.0));
    assert!((ratio - 4.0).abs() < 0.6, "{ratio}");
}

struct Scene {
    shell: PointShell,
    field: Field,
}

fn scene() -> &'static Scene {
    static SCENE: std::sync::OnceLock<Scene> = std::sync::OnceLock::new();
    SCENE.get_or_init(|| {
        let mesh = shapes::torus(shapes::TorusOptions::default()).unwrap();
        let field = Field::from_mesh(&mesh, &FieldOptions { resolution: 40, ..Default::default() }).unwrap();
        Scene { shell: shell_of(&mesh, 300), field }
    })
}

fn displaced(placed: &Placed, by: &Twist) -> Placed {
    let center = placed.center_in_world() + by.linear;
    let rotation = (DQuat::from_scaled_axis(by.angular) * placed.world_from_body.rotation).normalize();
    Placed { world_from_body: Pose { position: center - rotation * placed.center, rotation }, ..*placed }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..Default::default() })]

    /// All four 6×6 gradients against central differences, of points that stay in their cells.
    #[test]
    fn gradients_are_those_of_finite_differences(
        offset in prop::array::uniform3(-0.25..0.25f64),
        axis in prop::array::uniform3(-1.0..1.0f64),
        angle in 0.0..3.0f64,
        which in 0..3usize,
        of_shell in any::<bool>(),
    ) {
        let Scene { shell, field } = scene();
        let ball = Ball { center: DVec3::new(0.3, 0.1, 0.0), radius: 0.35 };
        let obstacle = match which {
            0 => Obstacle::Analytic(&Plane::GROUND),
            1 => Obstacle::Analytic(&ball),
            _ => Obstacle::Field(field),
        };
        let normals = if of_shell { ContactNormals::Shell } else { ContactNormals::Field };
        let rotation = DQuat::from_axis_angle(DVec3::from_array(axis).try_normalize().unwrap_or(DVec3::X), angle);
        let shell_body = Placed {
            world_from_body: Pose { position: DVec3::from_array(offset), rotation },
            center: DVec3::new(0.02, -0.05, 0.01),
            twist: Twist::ZERO,
        };
        let surface_body = Placed {
            world_from_body: Pose { position: DVec3::new(0.05, 0.0, -0.1), rotation: DQuat::from_rotation_x(0.4) },
            center: DVec3::new(-0.1, 0.03, 0.0),
            twist: Twist::ZERO,
        };
        let law = law(1e4);
        let step = 1e-6;
        let all: Vec<u32> = (0..shell.len() as u32).collect();
        let evaluate = |points: &[u32], a: &Placed, b: &Placed| {
            forces_at((shell, obstacle), (a, b), points.iter().copied(), (&law, normals))
        };
        // Those that are well inside and whose cell is the same within the step.
        let cell = field.grid().cell;
        let inner: Vec<u32> = evaluate(&all, &shell_body, &surface_body)
            .points
            .iter()
            .filter(|of| {
                let p = surface_body.world_from_body.inverse().place(of.place);
                let u = (p - field.grid().origin) / cell;
                let to_face = (u - u.round()).abs().min_element();
                let away = match which { 1 => p.distance(ball.center) > 0.02, _ => true };
                of.depth > 1e-4 && to_face > 1e-3 && away
            })
            .map(|of| of.point)
            .collect();
        prop_assume!(!inner.is_empty());
        let at = evaluate(&inner, &shell_body, &surface_body);
        prop_assert_eq!(at.points.len(), inner.len());
        let scale = at.points.iter().map(|of| of.stiffness).sum::<f64>();
        for k in 0..6 {
            let mut unit = [0.0; 6];
            unit[k] = 1.0;
            let twist = |by: f64| Twist {
                linear: DVec3::new(unit[0], unit[1], unit[2]) * by,
                angular: DVec3::new(unit[3], unit[4], unit[5]) * by,
            };
            let by_differences = |moves_shell: bool| {
                let at = |by: f64| {
                    let (a, b) = if moves_shell {
                        (displaced(&shell_body, &twist(by)), surface_body)
                    } else {
                        (shell_body, displaced(&surface_body, &twist(by)))
                    };
                    let found = evaluate(&inner, &a, &b);
                    (found.on_shell, found.on_surface)
                };
                let (plus, minus) = (at(step), at(-step));
                let slope = |a: Wrench, b: Wrench| (a - b) * (0.5 / step);
                (slope(plus.0, minus.0), slope(plus.1, minus.1))
            };
            let (on_shell, on_surface) = by_differences(true);
            let (on_shell_2, on_surface_2) = by_differences(false);
            for (name, matrix, slope) in [
                ("shell per shell", at.shell_per_shell, on_shell),
                ("surface per shell", at.surface_per_shell, on_surface),
                ("shell per surface", at.shell_per_surface, on_shell_2),
                ("surface per surface", at.surface_per_surface, on_surface_2),
            ] {
                let got = matrix.apply(&twist(1.0));
                let off = (got.force - slope.force).length().max((got.torque - slope.torque).length());
                prop_assert!(off < 1e-5 * scale, "{name}, {k}, surface {which}, {normals:?}: {got:?} {slope:?}");
            }
        }
        prop_assert!((at.on_shell.force + at.on_surface.force).length() <= 1e-12 * at.on_shell.force.length());
    }
}

/// The implicit integrator takes k·n·nᵀ of each point for its gradient. What that leaves out, turning normals and the field's second derivatives, is of the order of depth over cell: little for what rests.
#[test]
fn the_part_of_the_gradient_that_steps_are_solved_with_is_most_of_it() {
    use isotouch::math::Mat6;
    use isotouch::math::spatial::outer;

    let Scene { shell, field } = scene();
    let placed = |pose: Pose| Placed {
        world_from_body: pose,
        center: DVec3::new(0.02, 0.0, 0.01),
        twist: Twist::ZERO,
    };
    let length = |matrix: &Mat6| matrix.to_rows().iter().flatten().map(|x| x * x).sum::<f64>().sqrt();
    let all = 0..shell.len() as u32;
    let mut compared = 0;
    for k in 0..40 {
        let f = f64::from(k);
        // Two alike that lie on each other, ever deeper.
        let rotation = DQuat::from_rotation_y(0.15 * f) * DQuat::from_rotation_x(0.1 * (0.3 * f).sin());
        let a = placed(Pose { position: DVec3::new(0.05 * f.sin(), 0.0, 0.29 - 1e-3 * f), rotation });
        let b = placed(Pose::IDENTITY);
        let at = forces_at(
            (shell, Obstacle::Field(field)),
            (&a, &b),
            all.clone(),
            (&law(1e4), ContactNormals::Field),
        );
        if at.points.is_empty() {
            continue;
        }
        let mut taken = Mat6::ZERO;
        for of in &at.points {
            let arm = of.place - a.center_in_world();
            taken += Mat6::at_arms(&(outer(of.outward, of.outward) * -of.stiffness), arm, arm);
        }
        let deepest = at.points.iter().map(|of| of.depth).fold(0.0, f64::max);
        let off = length(&(at.shell_per_shell + taken * -1.0)) / length(&taken);
        // The interpolant's slope is not quite 1 either.
        assert!(
            off < 0.1 + 2.0 * deepest / field.grid().cell,
            "{off} at {} cells",
            deepest / field.grid().cell
        );
        compared += 1;
    }
    assert!(compared > 10, "{compared}");
}

/// The second derivatives of fields that the gradients rest on.
#[test]
fn second_derivatives_are_those_of_gradients() {
    let Scene { field, .. } = scene();
    let cell = field.grid().cell;
    for k in 0..200 {
        let f = f64::from(k);
        let p = DVec3::new(0.4 * (0.7 * f).sin(), 0.4 * (1.3 * f).cos(), 0.1 * (2.1 * f).sin());
        let u = (p - field.grid().origin) / cell;
        if (u - u.round()).abs().min_element() < 0.01 {
            continue;
        }
        let hessian = field.hessian(p).unwrap();
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let step = 1e-3 * cell;
            let slope = (field.gradient(p + step * axis).unwrap() - field.gradient(p - step * axis).unwrap())
                / (2.0 * step);
            assert!((hessian * axis - slope).length() < 1e-6 / cell, "{p}");
        }
        assert_eq!(Touchable::gradient(field, p), field.gradient(p));
    }
}
