//! Moving points against fields: every traversal alike, nothing missed between samples, and paths along faces, edges and nodes.

#![allow(clippy::unwrap_used)]

mod oracle;

use glam::{DVec3, UVec3};
use isotouch::ccd::{CastOptions, Hit, HitStatus, Interval, Segment, Traversal};
use isotouch::field::{Distance, Field, FieldOptions, Grid, SignMethod, StorageKind};
use isotouch::mesh::{TriMesh, shapes};
use isotouch::simd::SimdLevel;
use oracle::in_parallel;
use oracle::random::Random;

const TRAVERSALS: [Traversal; 5] =
    [Traversal::Uniform, Traversal::Leaves, Traversal::Minima, Traversal::Hierarchy, Traversal::Leap];
const STORAGES: [StorageKind; 2] = [StorageKind::Dense, StorageKind::Sparse];

fn by(traversal: Traversal) -> CastOptions {
    CastOptions { traversal, ..Default::default() }
}

fn field_of(mesh: &TriMesh, resolution: u32, storage: StorageKind) -> Field {
    Field::from_mesh(mesh, &FieldOptions { resolution, storage, ..Default::default() }).unwrap()
}

fn shapes() -> Vec<(&'static str, TriMesh)> {
    let names = ["torus-knot", "bowl", "blob"];
    names.into_iter().map(|name| (name, shapes::by_name(name).unwrap())).collect()
}

/// Segments of all lengths in and around the box, some of them short and close to the surface.
fn segments(field: &Field, count: usize, random: &mut Random) -> Vec<Segment> {
    let bounds = field.grid().bounds();
    let h = field.grid().cell;
    let mut all = Vec::new();
    while all.len() < count {
        let from = bounds.center() + 1.3 * (random.in_box(bounds) - bounds.center());
        let to = match random.below(3) {
            0 => bounds.center() + 1.3 * (random.in_box(bounds) - bounds.center()),
            1 => from + h * random.in_cube(),
            _ => from + 10.0 * h * random.in_cube(),
        };
        all.push(Segment::new(from, to));
    }
    all
}

/// What must be true of a hit, going by the field's own values at many times.
fn check_first_hit(field: &Field, segment: &Segment, iso: f64, hit: Option<Hit>) {
    let h = field.grid().cell;
    let until = hit.map_or(1.0, |hit| hit.t);
    for k in 0..=400 {
        let t = until * f64::from(k) / 400.0;
        if hit.is_some() && t >= until {
            continue;
        }
        if let Distance::Interpolated(value) = field.distance(segment.at(t)) {
            assert!(value > iso - 1e-10 * h, "{} at {t} of {segment:?} before {hit:?}", value - iso);
        }
    }
    let Some(hit) = hit else { return };
    if hit.status == HitStatus::Bound {
        return;
    }
    let value = field.distance(hit.point).value();
    match hit.status {
        HitStatus::StartsInside => assert!(hit.t == 0.0 && value < iso + 1e-10 * h),
        _ => assert!((value - iso).abs() < 1e-9 * h, "{} at {hit:?} of {segment:?}", value - iso),
    }
    let cell = hit.cell.unwrap();
    let local = (hit.point - field.grid().origin) / h - cell.as_dvec3();
    assert!(local.cmpgt(DVec3::splat(-1e-9)).all() && local.cmplt(DVec3::splat(1.0 + 1e-9)).all(), "{local}");
}

#[test]
fn nothing_is_missed_between_samples() {
    for (name, mesh) in shapes() {
        for storage in STORAGES {
            let field = field_of(&mesh, 48, storage);
            for iso in [0.0, 0.6 * field.grid().cell, -0.4 * field.grid().cell] {
                let all = segments(&field, 3_000, &mut Random(17));
                let hits = in_parallel(&all, |segment| {
                    let hit = field.first_hit(segment, iso, &CastOptions::default());
                    check_first_hit(&field, segment, iso, hit);
                    assert_eq!(field.touches(segment, iso, &CastOptions::default()), hit.is_some());
                    hit.is_some()
                });
                let count = hits.iter().filter(|hit| **hit).count();
                assert!(count > 150 && count < 2_500, "{name}: {count} hits");
            }
        }
    }
}

#[test]
fn every_traversal_and_storage_gives_the_same_hits() {
    for (name, mesh) in shapes() {
        let fields = STORAGES.map(|storage| field_of(&mesh, 80, storage));
        let h = fields[0].grid().cell;
        for iso in [0.0, 1.9 * h, -1.3 * h] {
            let all = segments(&fields[0], 10_000, &mut Random(23));
            in_parallel(&all, |segment| {
                let expected = fields[0].first_hit(segment, iso, &by(Traversal::Uniform));
                let contacts = fields[0].intervals(segment, iso, &by(Traversal::Uniform));
                for field in &fields {
                    for traversal in TRAVERSALS {
                        let hit = field.first_hit(segment, iso, &by(traversal));
                        assert_eq!(
                            hit.map(|h| (h.t, h.status, h.cell)),
                            expected.map(|h| (h.t, h.status, h.cell)),
                            "{name} {} {traversal:?} {segment:?}",
                            field.storage()
                        );
                        assert_eq!(field.touches(segment, iso, &by(traversal)), expected.is_some());
                        assert_eq!(
                            field.intervals(segment, iso, &by(traversal)),
                            contacts,
                            "{name} {} {traversal:?} {segment:?}",
                            field.storage()
                        );
                    }
                }
            });
        }
    }
}

#[test]
fn batches_give_the_same_hits_with_any_instructions() {
    for (name, mesh) in shapes() {
        for (storage, resolution) in
            [(StorageKind::Dense, 60), (StorageKind::Sparse, 60), (StorageKind::Sparse, 300)]
        {
            let field = field_of(&mesh, resolution, storage);
            let h = field.grid().cell;
            for iso in [0.0, 1.9 * h, -1.9 * h, 5.0 * h, -5.0 * h] {
                let mut all = segments(&field, 5_000, &mut Random(29));
                all.extend(Segment::random_in(field.grid().bounds(), 5_000, 31));
                // Among others: one of no length, one along an axis, one far away, and one that is no path.
                let (a, b) = (all[0].from, all[1].to);
                all[7] = Segment::new(a, a);
                all[77] = Segment::new(a, a.with_x(b.x));
                all[777] = Segment::new(1e9 * DVec3::ONE, a);
                all[1_777] = Segment::new(a, DVec3::NAN);
                let one_by_one: Vec<Option<Hit>> = all
                    .iter()
                    .map(|segment| field.first_hit(segment, iso, &by(Traversal::Uniform)))
                    .collect();
                assert!(iso < 0.0 || one_by_one.iter().flatten().count() > 100, "{name}");
                for simd in SimdLevel::available() {
                    let options = CastOptions { simd: Some(simd), ..Default::default() };
                    for (k, hit) in field.first_hits(&all, iso, &options).iter().enumerate() {
                        // NaN is not equal to itself, so as text.
                        assert_eq!(
                            format!("{hit:?}"),
                            format!("{:?}", one_by_one[k]),
                            "{name} at {resolution} {storage} {simd} {iso}: {:?}",
                            all[k]
                        );
                    }
                }
            }
        }
    }
}

/// Fields whose values are no distances, or are not known to be: steep along diagonals, flat, steep, narrow, on both sides of a rim.
fn unusual_fields() -> Vec<(&'static str, Field)> {
    let grid = Grid { origin: DVec3::splat(-32.0), cell: 1.0, cells: UVec3::splat(64) };
    let region = grid.bounds();
    let with = |storage, band| FieldOptions { resolution: 64, storage, band, ..Default::default() };
    let from_grid = |value: &dyn Fn(DVec3) -> f64, storage| {
        let n = grid.nodes();
        let places =
            (0..n.z).flat_map(|z| (0..n.y).flat_map(move |y| (0..n.x).map(move |x| UVec3::new(x, y, z))));
        let values = places.map(|node| value(grid.origin + node.as_dvec3()) as f32).collect();
        Field::from_grid(grid, values, 1.0, &with(storage, 3.0)).unwrap()
    };
    let sum = |p: DVec3| p.abs().element_sum() - 12.0;
    let flat = |p: DVec3| 0.2 * (p.length() - 15.0);
    let steep = |p: DVec3| 5.0 * (p.length() - 15.0);
    let function = |value: &(dyn Fn(DVec3) -> f64 + Sync), lipschitz, storage, band| {
        Field::from_function(value, region, lipschitz, &with(storage, band)).unwrap()
    };
    let knot = shapes::by_name("torus-knot").unwrap();
    let sheet =
        TriMesh::new(vec![DVec3::ZERO, DVec3::X, DVec3::X + DVec3::Y, DVec3::Y], vec![[0, 1, 2], [0, 2, 3]])
            .unwrap();
    let oriented = |storage| FieldOptions {
        resolution: 100,
        padding: 1.0,
        sign: SignMethod::Oriented,
        storage,
        ..Default::default()
    };
    let mut all = Vec::new();
    for storage in STORAGES {
        all.push(("sum of coordinates", from_grid(&sum, storage)));
        all.push(("plane across the diagonal", from_grid(&|p| p.element_sum() - 6.0, storage)));
        all.push(("flat", function(&flat, 0.2, storage, 3.0)));
        all.push(("steep", function(&steep, 5.0, storage, 3.0)));
        all.push(("narrow", Field::from_mesh(&knot, &with(storage, 1.0)).unwrap()));
        all.push(("sheet", Field::from_mesh(&sheet, &oriented(storage)).unwrap()));
    }
    all
}

#[test]
fn traversals_agree_on_fields_that_are_no_distances() {
    for (name, field) in unusual_fields() {
        let h = field.grid().cell;
        let band = field.band() * h;
        for iso in [0.0, 0.3 * h, -0.3 * h, band * (1.0 - 1.1e-5), band * (1.0 - 0.9e-5), -band, 2.0 * band] {
            let mut all = segments(&field, 2_000, &mut Random(37));
            all.extend(Segment::random_in(field.grid().bounds(), 2_000, 41));
            let batch = field.first_hits(&all, iso, &CastOptions::default());
            let pairs: Vec<_> = all.iter().zip(batch).collect();
            let hits = in_parallel(&pairs, |(segment, in_batch)| {
                let expected = field.first_hit(segment, iso, &by(Traversal::Uniform));
                let contacts = field.intervals(segment, iso, &by(Traversal::Uniform));
                let what = |hit: Option<Hit>| hit.map(|h| (h.t, h.status, h.cell));
                assert_eq!(what(*in_batch), what(expected), "{name} {} {iso}: {segment:?}", field.storage());
                for traversal in TRAVERSALS {
                    let told = format!("{name} {} {traversal:?} {iso}: {segment:?}", field.storage());
                    assert_eq!(what(field.first_hit(segment, iso, &by(traversal))), what(expected), "{told}");
                    assert_eq!(field.touches(segment, iso, &by(traversal)), expected.is_some(), "{told}");
                    assert_eq!(field.intervals(segment, iso, &by(traversal)), contacts, "{told}");
                }
                expected.is_some()
            });
            assert!(iso != 0.0 || hits.iter().any(|hit| *hit), "{name}");
        }
    }
}

/// In order, apart, and the complement of φ > σ.
fn check_contacts(field: &Field, segment: &Segment, iso: f64, contacts: &[Interval]) {
    let h = field.grid().cell;
    for pair in contacts.windows(2) {
        assert!(pair[0].end < pair[1].start, "{contacts:?} of {segment:?}");
    }
    for contact in contacts {
        assert!(0.0 <= contact.start && contact.start <= contact.end && contact.end <= 1.0, "{contact:?}");
    }
    for k in 0..=1_000 {
        let t = f64::from(k) / 1_000.0;
        let Distance::Interpolated(value) = field.distance(segment.at(t)) else { continue };
        let is_in = contacts.iter().any(|contact| contact.start <= t && t <= contact.end);
        let is_bound = contacts.iter().any(|c| c.status == HitStatus::Bound && c.start <= t && t <= c.end);
        if (value - iso).abs() > 1e-9 * h && !is_bound {
            assert_eq!(is_in, value < iso, "{} at {t} of {segment:?}, {contacts:?}", value - iso);
        }
    }
}

#[test]
fn contacts_are_the_complement_of_free_space() {
    for (_, mesh) in shapes() {
        for storage in STORAGES {
            let field = field_of(&mesh, 40, storage);
            for iso in [0.0, field.grid().cell] {
                let all = segments(&field, 2_000, &mut Random(5));
                let counts = in_parallel(&all, |segment| {
                    let contacts = field.intervals(segment, iso, &CastOptions::default());
                    check_contacts(&field, segment, iso, &contacts);
                    let first = field.first_hit(segment, iso, &CastOptions::default());
                    assert_eq!(first.map(|hit| hit.t), contacts.first().map(|contact| contact.start));
                    contacts.len()
                });
                assert!(counts.iter().any(|&count| count > 1), "some path passes twice");
            }
        }
    }
}

#[test]
fn backwards_the_same_contacts_come_mirrored() {
    let field = field_of(&shapes::by_name("torus-knot").unwrap(), 64, StorageKind::Sparse);
    for segment in segments(&field, 5_000, &mut Random(31)) {
        let there = field.intervals(&segment, 0.0, &CastOptions::default());
        let back = field.intervals(&segment.reversed(), 0.0, &CastOptions::default());
        assert_eq!(there.len(), back.len(), "{segment:?}");
        for (a, b) in there.iter().zip(back.iter().rev()) {
            // Grazing contacts last as long as rounding says; they are there all the same.
            let apart = (a.start - 1.0 + b.end).abs().max((a.end - 1.0 + b.start).abs());
            assert!(apart < 1e-6, "{a:?} {b:?} of {segment:?}");
        }
    }
}

/// Paths through nodes, along edges and faces, parallel to axes and diagonals, of no length, and the same beside the box.
#[test]
fn paths_on_the_grid_itself() {
    let mesh = shapes::by_name("blob").unwrap();
    for storage in STORAGES {
        let field = field_of(&mesh, 32, storage);
        let grid = *field.grid();
        let mut random = Random(7);
        let directions = [
            [1, 0, 0],
            [0, -1, 0],
            [0, 0, 1],
            [1, 1, 0],
            [-1, 0, 1],
            [1, -1, 1],
            [-1, -1, -1],
            [2, 1, 0],
            [0, 0, 0],
        ];
        let mut hits = 0;
        for _ in 0..3_000 {
            let node = [0, 1, 2].map(|k| random.below(grid.nodes()[k] as usize) as i32);
            let direction = directions[random.below(directions.len())];
            let length = 1 + random.below(20) as i32;
            // On the nodes, or on the middles of edges and faces.
            let shift = DVec3::from_array([0, 1, 2].map(|_| 0.5 * random.below(2) as f64)) * grid.cell;
            let at = |k: i32| {
                let node = [0, 1, 2].map(|axis| node[axis] + k * direction[axis]);
                grid.node_position(node.into()) + shift
            };
            let segment = Segment::new(at(0), at(length));
            let expected = field.first_hit(&segment, 0.0, &by(Traversal::Uniform));
            check_first_hit(&field, &segment, 0.0, expected);
            hits += usize::from(expected.is_some());
            for traversal in TRAVERSALS {
                let hit = field.first_hit(&segment, 0.0, &by(traversal));
                assert_eq!(hit.map(|h| h.t), expected.map(|h| h.t), "{traversal:?} {segment:?}");
            }
        }
        assert!(hits > 300, "{hits}");
    }
}

#[test]
fn outside_the_box_bounds_decide() {
    let field = field_of(&shapes::sphere(1.0, 5_120).unwrap(), 32, StorageKind::Sparse);
    let far = Segment::new(DVec3::new(-9.0, 5.0, 0.0), DVec3::new(9.0, 5.0, 1.0));
    for traversal in TRAVERSALS {
        let cast = |segment: &Segment, iso: f64| field.first_hit(segment, iso, &by(traversal));
        assert_eq!(cast(&far, 0.0), None);
        // It comes nearer than that to the box, and nothing but a bound is known there.
        let hit = cast(&far, 4.5).unwrap();
        assert_eq!((hit.status, hit.normal, hit.cell), (HitStatus::Bound, None, None));
        let bounds = field.grid().bounds();
        assert!((hit.point.distance(bounds.project(hit.point)) - 4.5).abs() < 0.2, "{hit:?}");
        let not_finite = Segment::new(DVec3::new(f64::NAN, 0.0, 0.0), DVec3::ZERO);
        assert_eq!(cast(&not_finite, 0.0).unwrap().status, HitStatus::Bound);
        let huge = Segment::new(DVec3::splat(-1e300), DVec3::splat(1e300));
        assert!(cast(&huge, 0.0).is_some());
    }
}

/// A ball with so little free space around it that at the border of the box the bound of its distance is nothing.
fn tight_ball(storage: StorageKind) -> Field {
    let ball = shapes::sphere(1.0, 5_120).unwrap();
    let options = FieldOptions { resolution: 64, padding: 0.002, storage, ..Default::default() };
    let field = Field::from_mesh(&ball, &options).unwrap();
    assert!(field.is_certified_outside());
    let bounds = field.grid().bounds();
    let on_face = DVec3::new(bounds.max.x, 0.0, 0.0);
    assert!(field.lower_bound(on_face) <= 0.0 && field.distance(on_face).value() > 0.0);
    field
}

#[test]
fn paths_beside_the_box_are_free_however_close() {
    for field in STORAGES.map(tight_ball) {
        let (bounds, h) = (field.grid().bounds(), field.grid().cell);
        for (axis, beside) in
            (0..3).flat_map(|axis| [1e-3, 1e-4, 1e-5, 1e-6].map(|beside| (axis, beside * h)))
        {
            for face in [bounds.min[axis] - beside, bounds.max[axis] + beside] {
                let on = |mut p: DVec3| {
                    p[axis] = face;
                    p
                };
                let along = Segment::new(on(bounds.min), on(bounds.max));
                // Along the face, away from it, past it from edge to edge, and from far away to beside it.
                let away = Segment::new(
                    on(bounds.center()),
                    bounds.center() + 5.0 * (on(bounds.max) - bounds.center()),
                );
                let far =
                    Segment::new(bounds.center() + 40.0 * (on(bounds.min) - bounds.center()), on(bounds.max));
                for path in [along, along.reversed(), away, away.reversed(), far, far.reversed()] {
                    let hit = field.first_hit(&path, 0.0, &CastOptions::default());
                    assert_eq!(hit, None, "{beside} beside, {path:?}");
                    assert!(!field.touches(&path, 0.0, &CastOptions::default()));
                    assert!(field.intervals(&path, 0.0, &CastOptions::default()).is_empty());
                }
            }
        }
    }
}

/// A doubt outside the box is one: the bound there is not above σ. And where the true distance is not, there is one.
#[test]
fn doubts_outside_are_where_the_bound_is_not_above() {
    for field in STORAGES.map(tight_ball) {
        let (bounds, h) = (field.grid().bounds(), field.grid().cell);
        let mut random = Random(5);
        let mut doubts = 0;
        for _ in 0..3_000 {
            let around =
                |random: &mut Random| bounds.center() + 1.5 * (random.in_box(bounds) - bounds.center());
            let path = Segment::new(around(&mut random), around(&mut random));
            let iso = [0.0, 0.3, 2.0, 6.0][random.below(4)] * h;
            let hit = field.first_hit(&path, iso, &CastOptions::default());
            let until = hit.map_or(1.0, |hit| hit.t);
            for k in 0..=50 {
                let at = path.at(until * f64::from(k) / 50.0 * (1.0 - 1e-9));
                // The mesh is within a hundredth of the ball.
                let is_below = at.length() - 1.0 < iso - 0.01 - field.error_bound();
                assert!(!is_below || hit.is_some_and(|hit| hit.t == 0.0), "{at} of {path:?} before {hit:?}");
            }
            if let Some(hit) = hit.filter(|hit| hit.status == HitStatus::Bound) {
                doubts += 1;
                assert!(field.lower_bound(hit.point) <= iso + 1e-8 * h, "{hit:?} of {path:?}");
            }
        }
        assert!(doubts > 100, "{doubts}");
    }
}

/// Of a start at σ rounding cannot tell whether it is inside: it is a touch, or a crossing where the path goes on below.
#[test]
fn only_a_start_surely_below_is_inside() {
    let grid = Grid { origin: DVec3::ZERO, cell: 1.0, cells: UVec3::splat(4) };
    let height = |node: usize| (node / 25) as f32 - 2.0;
    let options = FieldOptions { storage: StorageKind::Dense, ..Default::default() };
    let field = Field::from_grid(grid, (0..125).map(height).collect(), 1.0, &options).unwrap();
    let status = |from: f64, to: f64| {
        let path = Segment::new(DVec3::new(1.5, 1.3, from), DVec3::new(1.7, 1.2, to));
        let hit = field.first_hit(&path, 0.0, &CastOptions::default());
        hit.map(|hit| (hit.t, hit.status))
    };
    assert_eq!(status(2.0, 3.0), Some((0.0, HitStatus::Touch)));
    assert_eq!(status(2.0, 1.0), Some((0.0, HitStatus::Crossing)));
    assert_eq!(status(2.0 - 1e-9, 3.0), Some((0.0, HitStatus::StartsInside)));
    assert_eq!(status(2.0 + 1e-9, 3.0), None);
}

/// Beyond the band values may jump where the field gets coarser: no path gets through unnoticed.
#[test]
fn nothing_leaks_beyond_the_band() {
    let mesh = shapes::by_name("torus-knot").unwrap();
    let field = field_of(&mesh, 96, StorageKind::Sparse);
    let h = field.grid().cell;
    let mut jumps = 0;
    for iso in [3.4 * h, 5.0 * h, -4.0 * h] {
        for segment in segments(&field, 3_000, &mut Random(41)) {
            let expected = field.first_hit(&segment, iso, &by(Traversal::Uniform));
            for traversal in TRAVERSALS {
                let hit = field.first_hit(&segment, iso, &by(traversal));
                assert_eq!(hit.map(|hit| (hit.t, hit.status)), expected.map(|hit| (hit.t, hit.status)));
            }
            jumps += usize::from(expected.is_some_and(|hit| hit.status == HitStatus::LevelBoundary));
            let until = expected.map_or(1.0, |hit| hit.t);
            for t in
                (0..200).map(|k| until * f64::from(k) / 200.0).filter(|&t| expected.is_none() || t < until)
            {
                if let Distance::Interpolated(value) = field.distance(segment.at(t)) {
                    assert!(value > iso - 1e-9 * h, "{} of {segment:?}, {expected:?}", value - iso);
                }
            }
        }
    }
    assert!(jumps > 0);
}
