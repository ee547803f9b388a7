//! The field of a ball's mesh, asked as a ball is.

use isotouch::ccd::{Ball, Segment, Touchable};
use isotouch::field::{Field, FieldOptions, StorageKind};
use isotouch::math::DVec3;
use isotouch::mesh::shapes;

use crate::oracle::random::Random;

#[test]
fn a_field_of_a_ball_lies_between_a_smaller_and_a_larger_ball() {
    let mesh = shapes::sphere(1.0, 20_480).unwrap();
    // The mesh lies within the ball; its lowest points are in the middles of its triangles.
    let middle = |t: &[u32; 3]| t.iter().map(|&k| mesh.vertices()[k as usize]).sum::<DVec3>().length() / 3.0;
    let sagitta = 1.0 - mesh.triangles().iter().map(middle).fold(1.0, f64::min);
    for storage in [StorageKind::Dense, StorageKind::Sparse] {
        let options = FieldOptions { resolution: 48, storage, ..Default::default() };
        let field = Field::from_mesh(&mesh, &options).unwrap();
        // Twice the middle's depth: corners of a triangle may be unevenly far from it.
        let doubt = field.error_bound() + 2.0 * sagitta;
        let things: [&dyn Touchable; 2] = [&field, &Ball { center: DVec3::ZERO, radius: 1.0 }];
        let [field, ball] = things;
        let mut random = Random(9);
        let (mut hits, mut free) = (0, 0);
        for _ in 0..3000 {
            let path = Segment::new(random.in_cube(), random.in_cube());
            let iso = 0.1 * (random.unit() - 0.5);
            let hit = field.first_hit(&path, iso);
            let time = |thing: &dyn Touchable, iso: f64| thing.first_hit(&path, iso).map_or(2.0, |hit| hit.t);
            let t = hit.map_or(2.0, |hit| hit.t);
            let (early, late) = (time(ball, iso + doubt), time(ball, iso - doubt));
            assert!(early <= t + 1e-9 && t <= late + 1e-9, "{t} is not in {early}..{late}: {path:?} {iso}");
            assert_eq!(field.touches(&path, iso), hit.is_some());
            assert_eq!(field.intervals(&path, iso).first().map(|first| first.start), hit.map(|hit| hit.t));
            hits += usize::from(hit.is_some_and(|hit| hit.t > 0.0));
            free += usize::from(hit.is_none());
        }
        assert!(hits > 300 && free > 100, "{hits} {free}");
    }
}
