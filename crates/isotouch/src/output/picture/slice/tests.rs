use super::*;
use crate::math::Aabb;
use crate::output::picture::Axis;

fn plane(half: DVec3) -> SlicePlane {
    SlicePlane { axis: Axis::Z, at: 0.0, bounds: Aabb::new(-half, half) }
}

fn sphere(radius: f64) -> impl Fn(DVec3) -> f64 + Sync {
    move |p| p.length() - radius
}

#[test]
fn inside_is_blue_outside_is_warm_and_the_surface_is_dark() {
    let options = SliceOptions::default();
    let image = slice(&plane(DVec3::ONE), sphere(0.5), &options);
    assert_eq!(image.width(), 960);
    let layout = Layout::of_width(960, 1.0);
    let at = |x: f64, y: f64| {
        let place = |axis: usize, v: f64| {
            (layout.corner[axis] as f64 + (v + 1.0) / 2.0 * layout.plot[axis] as f64) as u32
        };
        image.pixel(place(0, x), place(1, -y))
    };
    let [red, _, blue] = at(0.013, 0.0);
    assert!(blue > red + 50);
    let [red, _, blue] = at(0.93, 0.9);
    assert!(red > blue + 50);
    for angle in [0.1, 1.0, 2.0, 4.0] {
        assert!(at(0.5 * f64::cos(angle), 0.5 * f64::sin(angle)).iter().all(|&channel| channel < 90));
    }
}

#[test]
fn what_is_not_known_is_grey() {
    let image = slice(&plane(DVec3::ONE), |_| f64::NAN, &SliceOptions::default());
    let [red, green, blue] = image.pixel(400, 400);
    assert!(red.abs_diff(blue) < 12 && red.abs_diff(green) < 12);
}

#[test]
fn odd_slices_still_make_pictures() {
    let (title, caption, unit) = ("name".repeat(40), "long ".repeat(50), "mm".into());
    let options = SliceOptions { width: 300, title, caption, unit, ..Default::default() };
    let functions: [fn(DVec3) -> f64; 5] =
        [|_| 0.0, |_| -3.0, |_| 1e-300, |p| p.x * 1e30, |p| if p.x > 0.0 { f64::INFINITY } else { p.x }];
    for function in functions {
        for half in [
            DVec3::ONE,
            DVec3::new(1.0, 1e-4, 1.0),
            DVec3::new(1e-4, 1.0, 1.0),
            DVec3::new(0.0, 1.0, 1.0),
            DVec3::ZERO,
            DVec3::splat(1e12),
            DVec3::splat(1e-12),
        ] {
            let image = slice(&plane(half), function, &options);
            assert_eq!(image.width(), 300);
            assert!(image.height() < 1000);
        }
    }
    assert_eq!(slice(&plane(DVec3::ONE), sphere(0.5), &SliceOptions { width: 0, ..options }).width(), 240);
}

#[test]
fn a_raster_from_elsewhere_is_drawn_pixel_by_pixel() {
    let raster = Raster::new(300, 200, 0.5, (0..300 * 200).map(|i| f64::from(i % 300) - 150.5).collect());
    let (title, caption, unit) = Default::default();
    let labels = SliceLabels { axes: ['u', 'v'], title, caption, unit };
    let image = render(&raster, &labels);
    let layout = Layout::around([300, 200]);
    assert_eq!([image.width() as usize, image.height() as usize], layout.picture);
    assert!(layout.picture[0] >= 300 && layout.plot == [300, 200]);
}

#[test]
fn lines_are_round_and_not_crowded() {
    for exponent in -8..8 {
        for factor in [1.0, 1.7, 3.3, 6.1] {
            let size = factor * 10f64.powi(exponent);
            let scale = Scale::new((-0.2 * size, size), size / 800.0, 12.0);
            let lines = 1.2 * size / scale.step;
            assert!((6.0..=24.5).contains(&lines), "{lines} lines for {size}");
        }
    }
}

#[test]
fn long_titles_give_way_to_facts() {
    let in_letters = |most: usize| move |text: &str| text.chars().count() <= most;
    let (title, facts) = ("housing-left-revision-7.field", "z = 0.1 · 64 cells");
    assert_eq!(fitted(title, facts, in_letters(80)), format!("{title} · {facts}"));
    assert_eq!(fitted(title, facts, in_letters(40)), format!("housing-l…n-7.field · {facts}"));
    // Too narrow even for the shortest title.
    assert_eq!(fitted(title, facts, in_letters(20)), "hous…ield · z = 0.1…");
    assert_eq!(fitted("short", "é".repeat(30).as_str(), in_letters(15)), "short · eeeeee…");
    assert_eq!(fitted("", facts, in_letters(80)), facts);
    assert_eq!(fitted("部品", "", in_letters(80)), "??");
    for most in 0..4 {
        assert!(fitted(title, facts, in_letters(most)).chars().count() <= most);
    }
}
