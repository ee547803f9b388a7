use isotouch::field::Field;
use isotouch::output::npy;

use crate::Desk;

/// From a mesh to each format and back, and asked in between: always the same distances.
#[test]
fn fields_of_other_programs_stand_in_for_ours() {
    let desk = Desk::new();
    let ask = |field: &str| {
        desk.succeed(&["distance", field, "--points", "points.npy", "-o", "d.npy"]);
        npy::read(desk.path("d.npy")).unwrap().values[..3].to_vec()
    };
    desk.succeed(&["field", "part.obj", "-o", "part.field", "-r", "32", "--storage", "dense"]);
    let expected = ask("part.field");
    for format in ["npy", "dist"] {
        for precision in ["single", "double"] {
            let name = format!("from-mesh.{format}");
            let run = desk.succeed(&["field", "part.obj", "-o", &name, "-r", "32", "--precision", precision]);
            // Every node was computed: there is nothing to warn of.
            assert_eq!(run.stderr, "");
            let converted = format!("from-field.{format}");
            desk.succeed(&["field", "part.field", "-o", &converted, "--precision", precision]);
            let read = |name: &str| std::fs::read(desk.path(name)).unwrap();
            assert!(read(&name) == read(&converted));
            for (ours, theirs) in expected.iter().zip(ask(&name)) {
                assert!((ours - theirs).abs() < 1e-7, "{name}: {ours} {theirs}");
            }
            desk.succeed(&["slice", &name, "-o", "slice.png", "--width", "240"]);
            desk.succeed(&["field", &name, "-o", "back.field", "--json"]);
            let back = Field::open(desk.path("back.field")).unwrap();
            assert_eq!((back.storage().to_string().as_str(), back.lipschitz()), ("sparse", 1.0));
            let json = desk.succeed(&["inspect", &name, "--verify", "--json"]).json();
            assert_eq!(json["files"][0]["kind"], "field");
            assert_eq!(json["files"][0]["storage"], "dense");
            assert_eq!(json["files"][0]["sign"], "given");
        }
    }
    let run = desk.succeed(&["field", "from-mesh.npy", "-o", "part.nrrd"]);
    assert!(run.stdout.contains("from-mesh.npy → part.nrrd"), "{}", run.stdout);
    assert!(std::fs::read(desk.path("part.nrrd")).unwrap().starts_with(b"NRRD0004\n"));
    let run = desk.run(&["inspect", "part.nrrd"]);
    assert!(run.code == Some(2) && run.stderr.contains("NRRD is written, not read"), "{}", run.stderr);
}

/// An offset may be taken before and after a conversion.
#[test]
fn offsets_and_conversions_go_together() {
    let desk = Desk::new();
    desk.succeed(&["field", "part.obj", "-o", "part.npy", "-r", "32", "--padding", "0.3"]);
    desk.succeed(&["field", "part.npy", "-o", "a.field", "--offset", "0.1"]);
    desk.succeed(&["field", "part.npy", "-o", "b.npy", "--offset", "0.1"]);
    let a = Field::open(desk.path("a.field")).unwrap();
    let b = Field::import(desk.path("b.npy"), &Default::default()).unwrap().field;
    let whole = Field::import(desk.path("part.npy"), &Default::default()).unwrap().field;
    for x in [0.0, 0.3, 0.9] {
        let p = [x, 0.1, -0.05].into();
        let expected = whole.distance(p).value() - 0.1;
        for grown in [&a, &b] {
            assert!((grown.distance(p).value() - expected).abs() < 1e-6, "{x}");
        }
    }
    // A mesh has no place to be put; said and not guessed.
    let run = desk.succeed(&["field", "part.obj", "-o", "c.field", "-r", "16", "--origin", "1,2,3"]);
    assert!(run.stderr.contains("part.obj is a mesh; --origin had no effect"), "{}", run.stderr);
}

#[test]
fn values_between_sparse_nodes_are_announced() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let run = desk.succeed(&["field", "part.field", "-o", "part.npy", "--json"]);
    let warning = run.json()["warnings"][0].as_str().unwrap().to_owned();
    assert!(warning.starts_with("part.npy: ") && warning.contains("values are interpolated"), "{warning}");
}

#[test]
fn arrays_are_placed_by_options_or_the_file_beside_them() {
    let desk = Desk::new();
    desk.succeed(&["field", "part.obj", "-o", "part.npy", "-r", "24"]);
    let cell = Field::import(desk.path("part.npy"), &Default::default()).unwrap().field.grid().cell;
    std::fs::remove_file(desk.path("part.npy.json")).unwrap();
    let run = desk.run(&["field", "part.npy", "-o", "a.field"]);
    assert_eq!(run.code, Some(2));
    for part in ["part.npy:", "--cell H", "--origin X,Y,Z", "part.npy.json"] {
        assert!(run.stderr.contains(part), "{}", run.stderr);
    }
    assert!(!run.stderr.contains("ImportOptions"), "a name of the library: {}", run.stderr);
    let exact = format!("{cell:?}");
    desk.succeed(&["field", "part.npy", "-o", "a.field", "--cell", &exact, "--origin", "-1,2,-3"]);
    let grid = *Field::open(desk.path("a.field")).unwrap().grid();
    assert_eq!((grid.cell, grid.origin.to_array()), (cell, [-1.0, 2.0, -3.0]));

    // Cells half as large make the values twice as steep, which is worth a warning.
    let half = format!("{:?}", 0.5 * cell);
    let run = desk.succeed(&["field", "part.npy", "-o", "a.field", "--cell", &half, "--sign", "auto"]);
    assert!(run.stderr.contains("the cells have another size"), "{}", run.stderr);
    assert!(run.stderr.contains("--sign had no effect"), "{}", run.stderr);
    assert!(run.stdout.contains("steepness"), "{}", run.stdout);
    assert!(Field::open(desk.path("a.field")).unwrap().lipschitz() > 1.5);

    let run = desk.run(&["field", "points.npy", "-o", "a.field", "--cell", "1"]);
    assert!(run.code == Some(2) && run.stderr.contains("shape (5, 3)"), "{}", run.stderr);
}

/// Commands without --cell told to pass it; points were said to lack a position; and the origin was not optional after all.
#[test]
fn advice_about_arrays_can_be_followed() {
    let desk = Desk::new();
    desk.succeed(&["field", "part.obj", "-o", "part.npy", "-r", "24"]);
    std::fs::remove_file(desk.path("part.npy.json")).unwrap();
    for arguments in [&["compare", "part.obj", "part.npy"][..], &["inspect", "part.npy"]] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(2));
        let advice = "`isotouch field part.npy -o NAME.field --cell H --origin X,Y,Z`";
        assert!(run.stderr.contains(advice), "{}", run.stderr);
    }
    let run = desk.run(&["inspect", "points.npy"]);
    assert!(run.stderr.contains("(5, 3)") && run.stderr.contains("no field"), "{}", run.stderr);

    std::fs::write(desk.path("part.npy.json"), "{\"cell\": 0.5}").unwrap();
    desk.succeed(&["field", "part.npy", "-o", "a.field"]);
    assert_eq!(Field::open(desk.path("a.field")).unwrap().grid().origin.to_array(), [0.0; 3]);
}

/// 10³⁰⁰ was called infinite and missing from a band; 10⁻³⁰⁰ became 0 without a word.
#[test]
fn values_that_32_bits_cannot_hold_are_told_of() {
    let desk = Desk::new();
    let write = |name: &str, value: f64| {
        let mut bytes = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
        let mut header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2, 2), }".to_owned();
        header.extend(std::iter::repeat_n(' ', 117 - header.len()));
        bytes.extend(header.bytes().chain([b'\n']));
        bytes.extend([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, value].iter().flat_map(|v: &f64| v.to_le_bytes()));
        std::fs::write(desk.path(name), bytes).unwrap();
    };
    write("large.npy", 1e300);
    let run = desk.run(&["field", "large.npy", "-o", "a.field", "--cell", "1"]);
    assert!(run.code == Some(2) && run.stderr.contains("beyond 3.4e38"), "{}", run.stderr);
    write("small.npy", 1e-300);
    let run = desk.succeed(&["field", "small.npy", "-o", "a.field", "--cell", "1"]);
    assert!(run.stderr.contains("1 value too small for 32 bits became 0"), "{}", run.stderr);
}

/// What begins as arrays and fields do is read as such; it once was refused, or taken for a grid of absurd size.
#[test]
fn names_that_lie_are_seen_through() {
    let desk = Desk::new();
    desk.succeed(&["field", "part.obj", "-o", "part.npy", "-r", "24"]);
    desk.make_field("part.field");
    std::fs::rename(desk.path("part.npy"), desk.path("array.dist")).unwrap();
    std::fs::rename(desk.path("part.npy.json"), desk.path("array.dist.json")).unwrap();
    std::fs::rename(desk.path("part.field"), desk.path("field.npy")).unwrap();
    for (name, content) in [("array.dist", "a NumPy array"), ("field.npy", "a .field")] {
        for arguments in [
            &["inspect", name, "--json"][..],
            &["slice", name, "-o", "a.png", "--json"],
            &["field", name, "-o", "a.nrrd", "--json"],
        ] {
            let warning = desk.succeed(arguments).json()["warnings"][0].as_str().unwrap().to_owned();
            assert_eq!(warning, format!("{name} contains {content}, whatever its name says"));
        }
    }
}

#[test]
fn foreign_formats_have_their_faults_named() {
    let desk = Desk::new();
    std::fs::write(desk.path("part.dist"), [7; 100]).unwrap();
    for arguments in [
        &["field", "part.dist", "-o", "a.field"][..],
        &["inspect", "part.dist"],
        &["slice", "part.dist", "-o", "a.png"],
        &["distance", "part.dist", "--points", "points.npy", "-o", "d.npy"],
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}");
        assert!(run.stderr.contains("part.dist: has 100 bytes"), "{}", run.stderr);
    }
    let run = desk.run(&["field", "part.obj", "-o", "part.vdb"]);
    assert!(run.stderr.contains("only .field, .npy, .dist, .nrrd is written"), "{}", run.stderr);
    let run = desk.run(&["field", "part.obj", "-o", "part.npy", "--precision", "half"]);
    assert!(run.code == Some(2) && run.stderr.contains("single, double"), "{}", run.stderr);
}
