use isotouch::ccd::{CastOptions, Segment};
use isotouch::field::Field;
use isotouch::math::DVec3;
use isotouch::output::npy;

use crate::Desk;

/// Through the tube, past it, and from within it, as rows of beginnings and ends.
pub(crate) fn write_segments(desk: &Desk) -> Vec<Segment> {
    let points = [
        DVec3::new(-2.0, 0.02, 0.01),
        DVec3::new(2.0, 0.02, 0.01),
        DVec3::new(-2.0, 0.0, 1.5),
        DVec3::new(2.0, 0.0, 1.5),
    ];
    let segments = vec![
        Segment::new(points[0], points[1]),
        Segment::new(points[2], points[3]),
        Segment::new(-crate::points()[0], points[1]),
    ];
    let rows: Vec<f64> =
        segments.iter().flat_map(|s| [s.from.to_array(), s.to.to_array()]).flatten().collect();
    write_array(desk, &[3, 2, 3], &rows);
    segments
}

/// As numpy.save writes it.
fn write_array(desk: &Desk, shape: &[usize], values: &[f64]) {
    let shape = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let mut header = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': ({shape}), }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    std::fs::write(desk.path("segments.npy"), bytes).unwrap();
}

#[test]
fn times_are_those_of_the_library() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let segments = write_segments(&desk);
    let run = desk.succeed(&["cast", "part.field", "--segments", "segments.npy", "-o", "t.npy", "--json"]);
    let json = run.json();
    assert_eq!((&json["segments"], &json["hits"]), (&3.into(), &2.into()));
    assert_eq!(json["starts_inside"], 1);
    assert!(json["ns_per_segment"].is_number() && json["ns_per_segment_outside"].is_number());
    let times = npy::read(desk.path("t.npy")).unwrap();
    let field = Field::open(desk.path("part.field")).unwrap();
    for (segment, time) in segments.iter().zip(&times.values) {
        let expected = field.first_hit(segment, 0.0, &CastOptions::default()).map(|hit| hit.t);
        assert_eq!(expected, (!time.is_nan()).then_some(*time));
    }
    assert!(times.values[0] > 0.1 && times.values[1].is_nan() && times.values[2] == 0.0);
}

#[test]
fn every_contact_is_a_row() {
    let desk = Desk::new();
    write_segments(&desk);
    let arguments = [
        "cast",
        "part.obj",
        "-r",
        "48",
        "--segments",
        "segments.npy",
        "--intervals",
        "-o",
        "c.npy",
        "--json",
    ];
    let json = desk.succeed(&arguments).json();
    let contacts = npy::read(desk.path("c.npy")).unwrap();
    // The first passes the ring twice; the last begins in it and meets it once more.
    assert_eq!((&contacts.shape[..], &json["intervals"]), (&[4, 3][..], &4.into()));
    let rows: Vec<&[f64]> = contacts.values.chunks(3).collect();
    assert_eq!(rows.iter().map(|row| row[0]).collect::<Vec<_>>(), [0.0, 0.0, 2.0, 2.0]);
    assert!(
        rows.iter().all(|row| row[1] < row[2]) && rows[0][2] < rows[1][1] && rows[2][1] == 0.0,
        "{rows:?}"
    );
}

#[test]
fn random_segments_are_the_same_for_the_same_seed_and_any_traversal() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let times = |more: &[&str]| {
        let arguments = [&["cast", "part.field", "--random", "2000", "-o", "t.npy"], more].concat();
        desk.succeed(&arguments);
        npy::read(desk.path("t.npy")).unwrap().values.iter().map(|t| t.to_bits()).collect::<Vec<_>>()
    };
    let expected = times(&["--seed", "7"]);
    for traversal in ["leap", "hierarchy", "uniform"] {
        assert_eq!(times(&["--seed", "7", "--traversal", traversal, "--threads", "1"]), expected);
    }
    assert_ne!(times(&["--seed", "8"]), expected);
    assert_ne!(times(&["--seed", "7", "--iso", "-0.05"]), expected);
}

#[test]
fn the_papers_roots_are_there_to_compare() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let hits = |root: &str| {
        let run = desk.succeed(&["cast", "part.field", "--random", "5000", "--root", root, "--json"]);
        run.json()["hits"].as_u64().unwrap()
    };
    let certified = hits("certified");
    assert!(
        hits("cardano") <= certified && hits("bisection") < certified && hits("bisection") > certified / 2
    );
}

#[test]
fn bad_input_is_named() {
    let desk = Desk::new();
    desk.make_field("part.field");
    write_array(&desk, &[4, 3], &[0.0; 12]);
    let run = desk.run(&["cast", "part.field", "--segments", "segments.npy", "-o", "t.npy"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("segments.npy") && run.stderr.contains("(n, 2, 3)"), "{}", run.stderr);
    for wrong in [
        &["cast", "part.field"][..],
        &["cast", "part.field", "--random", "0"],
        &["cast", "part.field", "--random", "5", "--traversal", "octree"],
        &["cast", "part.field", "--random", "5", "--iso", "nan"],
        &["cast", "part.field", "--random", "5", "--intervals", "--root", "cardano"],
        &["cast", "part.field", "--random", "5", "-o", "times.txt"],
        &["cast", "missing.field", "--random", "5"],
    ] {
        assert_eq!(desk.run(wrong).code, Some(2), "{wrong:?}");
    }
}
