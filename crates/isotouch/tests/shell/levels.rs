//! Levels: nested, each uniform.

use isotouch::shell::{PointShell, Sampling};

use crate::{meshes, shell, to_nearest};

fn check(name: &str, shell: &PointShell) {
    let points = shell.points();
    let levels = shell.levels();
    assert_eq!(levels.last().unwrap().points, points.len());
    assert!(levels[0].points >= 16.min(points.len()));
    for (k, level) in levels.iter().enumerate() {
        let first = &points[..level.points];
        let closest =
            (1..first.len()).map(|i| to_nearest(&first[..i], first[i])).fold(f64::INFINITY, f64::min);
        assert_eq!(closest, level.spacing, "{name}, level {k}");
        // Uniform: as far apart as that, and nothing of the shell farther from them than the next point, which is no farther than that.
        let left_out = points[level.points..].iter().map(|&p| to_nearest(first, p)).fold(0.0, f64::max);
        assert!(left_out <= level.spacing, "{name}, level {k}: {left_out} {}", level.spacing);
        if let Some(finer) = levels.get(k + 1) {
            assert!(finer.points > level.points && finer.coverage <= level.coverage);
        }
        if k + 2 < levels.len() {
            let ratio = level.spacing / levels[k + 1].spacing;
            assert!((1.6..2.5).contains(&ratio), "{name}, level {k}: {ratio}");
        }
    }
}

#[test]
fn every_level_is_uniform_and_holds_the_one_before() {
    for (name, mesh) in meshes() {
        let shell = shell(&mesh, Sampling::Points(1_500));
        assert!((3..=8).contains(&shell.levels().len()), "{name}: {:?}", shell.levels());
        check(name, &shell);
        check(name, &crate::shell(&mesh, Sampling::Vertices));
    }
}

#[test]
fn few_points_are_one_level() {
    let ball = isotouch::mesh::shapes::sphere(1.0, 320).unwrap();
    for count in [1, 2, 3, 16] {
        let shell = shell(&ball, Sampling::Points(count));
        assert_eq!((shell.len(), shell.levels().len()), (count, 1));
        check("ball", &shell);
    }
    assert_eq!(shell(&ball, Sampling::Points(1)).levels()[0].spacing, f64::INFINITY);
}
