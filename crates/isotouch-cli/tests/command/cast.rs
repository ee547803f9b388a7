use isotouch::ccd::{CastOptions, Segment};
use isotouch::field::Field;
use isotouch::math::DVec3;
use isotouch::mesh::{io, shapes};
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
    write_all(desk, &segments);
    segments
}

fn write_all(desk: &Desk, segments: &[Segment]) {
    let rows: Vec<f64> =
        segments.iter().flat_map(|s| [s.from.to_array(), s.to.to_array()]).flatten().collect();
    write_array(desk, &[segments.len(), 2, 3], &rows);
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

/// It took "NaN ns a segment".
#[test]
fn no_segments_take_no_time() {
    let desk = Desk::new();
    desk.make_field("part.field");
    write_all(&desk, &[]);
    let run = desk.succeed(&["cast", "part.field", "--segments", "segments.npy"]);
    assert!(run.stdout.starts_with("0 of 0 segments hit") && !run.stdout.contains("NaN"), "{}", run.stdout);
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
fn flags_tell_how_contacts_begin() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let mut segments = write_segments(&desk);
    // Beside the box, within σ of it: contact cannot be excluded there.
    let far = DVec3::new(9.0, 9.0, 0.0);
    segments.push(Segment::new(far, far + DVec3::Z));
    write_all(&desk, &segments);
    let ask = ["cast", "part.field", "--segments", "segments.npy", "--flags"];
    let flags = |more: &[&str]| {
        desk.succeed(&[&ask[..], &["f.npy"], more].concat());
        let bytes = std::fs::read(desk.path("f.npy")).unwrap();
        assert!(String::from_utf8_lossy(&bytes).contains("'|u1'"));
        bytes[bytes.len() - 4..].to_vec()
    };
    assert_eq!(flags(&[]), [1, 0, 3, 0]);
    assert_eq!(flags(&["--intervals"]), [1, 0, 3, 0]);
    assert_eq!(flags(&["--iso", "50"])[3], 5);
    let json = desk.succeed(&[&ask[..], &["f.npy", "-o", "t.npy", "--json"]].concat()).json();
    assert_eq!((&json["flags"], &json["output"]), (&"f.npy".into(), &"t.npy".into()));
    for (name, part) in [
        ("f.txt", ".npy"),
        ("segments.npy", "also an input"),
        ("part.field", ".npy"),
        ("t.npy", "two outputs"),
    ] {
        let run = desk.run(&[&ask[..], &[name, "-o", "t.npy"]].concat());
        assert_eq!(run.code, Some(2), "{name}");
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
}

#[test]
fn a_damaged_field_proves_nothing() {
    let desk = Desk::new();
    desk.make_field("part.field");
    write_segments(&desk);
    let mut bytes = std::fs::read(desk.path("part.field")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(desk.path("part.field"), &bytes).unwrap();
    for ask in [
        &["cast", "part.field", "--segments", "segments.npy", "-o", "t.npy"][..],
        &["distance", "part.field", "--points", "points.npy", "-o", "t.npy"],
    ] {
        let run = desk.run(ask);
        assert_eq!(run.code, Some(2), "{ask:?}");
        assert!(run.stderr.contains("part.field") && run.stderr.contains("checksum"), "{}", run.stderr);
        assert!(!desk.path("t.npy").exists());
    }
}

#[test]
fn segments_that_prove_nothing_are_named() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let mut segments = write_segments(&desk);
    let through = segments[0];
    segments.push(Segment::new(DVec3::new(f64::NAN, 0.0, 0.0), DVec3::ZERO));
    segments.push(Segment::new(DVec3::splat(-1e160), DVec3::splat(1e160)));
    segments.push(Segment::new(through.from, DVec3::splat(1e200)));
    write_all(&desk, &segments);
    let run = desk.succeed(&["cast", "part.field", "--segments", "segments.npy", "-o", "t.npy"]);
    let said = |part: &str| assert!(run.stderr.contains(part), "{part} in {}", run.stderr);
    said("segments.npy: 1 segment is not finite, the first at index 3: nothing can be proven");
    said("segments.npy: 2 segments are too long to be measured, the first at index 4: nothing can be proven");
    assert_eq!(npy::read(desk.path("t.npy")).unwrap().values[3..], [0.0; 3]);
}

#[test]
fn contact_that_is_assumed_outside_is_announced() {
    let desk = Desk::new();
    write_segments(&desk);
    let ask = ["cast", "part.obj", "-r", "24", "--segments", "segments.npy"];
    assert_eq!(desk.succeed(&ask).stderr, "");
    // Without padding the solid touches the border.
    let run = desk.succeed(&[&ask[..], &["--padding", "0"]].concat());
    assert!(run.stderr.contains("2 segments outside the box: nothing is known there"), "{}", run.stderr);
    assert!(run.stderr.contains("more padding"), "{}", run.stderr);
}

/// Finding all contacts takes several times as long as finding the first, whether segments start outside or not.
#[test]
fn both_times_are_of_the_same_question() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let ratio = || {
        let ask = ["cast", "part.field", "--random", "60000", "--intervals", "--threads", "1", "--json"];
        let json = desk.succeed(&ask).json();
        let ns = |key: &str| json[key].as_f64().unwrap();
        ns("ns_per_segment") / ns("ns_per_segment_outside")
    };
    // Others may have the processor in between.
    let least = (0..8).map(|_| ratio()).fold(f64::INFINITY, f64::min);
    assert!(least < 2.5, "{least}");
}

#[test]
fn options_are_explained_where_they_do_not_fit() {
    let desk = Desk::new();
    desk.make_field("part.field");
    write_segments(&desk);
    desk.succeed(&["cast", "part.field", "--random", "5", "--intervals", "--root", "certified"]);
    for (ask, part) in [
        (&["--random", "5", "--intervals", "--root", "cardano"][..], "--root certified only"),
        (&["--segments", "segments.npy", "--seed", "3"], "'--seed <K>'"),
        (&["--random", "5", "--seed", "-1"], "a whole number from 0 to 18446744073709551615"),
    ] {
        let run = desk.run(&[&["cast", "part.field"], ask].concat());
        assert_eq!(run.code, Some(2), "{ask:?}");
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    let help = desk.succeed(&["cast", "--help"]).stdout;
    for word in ["minima", "leaves", "--flags", "3 starts inside", "100000000"] {
        assert!(help.contains(word), "{word}");
    }
}

#[test]
fn bad_input_is_named() {
    let desk = Desk::new();
    desk.make_field("part.field");
    write_array(&desk, &[4, 3], &[0.0; 12]);
    let run = desk.run(&["cast", "part.field", "--segments", "segments.npy", "-o", "t.npy"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("segments.npy"), "{}", run.stderr);
    assert!(run.stderr.contains("(n, 2, 3) or (n, 6) is needed"), "{}", run.stderr);
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

/// "No hit" was said to be proven of the solid, and a path through the corner of a box had none: a field rounds corners. The report and
/// the help tell how to ask so that none is missed.
#[test]
fn a_path_through_a_corner_is_not_missed_with_the_error_bound_as_iso() {
    let desk = Desk::new();
    io::write(desk.path("box.obj"), &shapes::cuboid(DVec3::ONE).unwrap()).unwrap();
    let (within, across) = (DVec3::splat(0.5 - 1e-4), DVec3::new(0.04, -0.04, 0.0));
    write_all(&desk, &[Segment::new(within + across, within - across)]);
    let ask = ["cast", "box.obj", "-r", "16", "--segments", "segments.npy"];
    let run = desk.succeed(&[&ask[..], &["--json"]].concat());
    assert_eq!(run.json()["hits"], 0);
    let bound = run.json()["error_bound"].as_f64().unwrap();
    let said = desk.succeed(&ask).stdout;
    assert!(said.contains("misses no contact with the true surface"), "{said}");
    let run = desk.succeed(&[&ask[..], &["--iso", &bound.to_string(), "--json"]].concat());
    assert_eq!(run.json()["hits"], 1);
    assert!(desk.succeed(&["cast", "--help"]).stdout.contains("--iso <error_bound>"));
}
