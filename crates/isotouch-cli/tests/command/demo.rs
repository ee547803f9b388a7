use isotouch::field::Field;

use crate::{Desk, png_size};

#[test]
fn no_arguments_run_the_demo() {
    let desk = Desk::new();
    let run = desk.succeed(&[]);
    assert!(run.stdout.contains("torus-knot") && run.stdout.contains("open isotouch-demo"), "{}", run.stdout);
    assert!(desk.files().contains(&"isotouch-demo".to_owned()));
}

#[test]
fn what_it_writes_can_be_used() {
    let desk = Desk::new();
    let run = desk.succeed(&["demo", "--out", "deep/demo", "--resolution", "24", "--json"]);
    let json = run.json();
    let shapes = json["shapes"].as_array().unwrap();
    assert!(shapes.len() >= 3);
    for shape in shapes {
        let path = |key: &str| desk.path(shape[key].as_str().unwrap());
        assert!(png_size(&path("picture")).0 > 0);
        assert_eq!(Field::open(path("field")).unwrap().bytes(), shape["bytes"].as_u64().unwrap());
    }
    // The commands that the demo proposes:
    let text = desk.succeed(&["demo", "--resolution", "24"]).stdout;
    let proposed: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("  isotouch ")).collect();
    assert_eq!(proposed.len(), 4, "{text}");
    for line in &proposed {
        let words: Vec<&str> = line.split_whitespace().collect();
        desk.succeed(&words);
    }
    // The same ones for those who run it with cargo.
    let output = desk.command(&["demo", "--resolution", "24"]).env("CARGO", "cargo").output().unwrap();
    let text = crate::Run::from(output).stdout;
    let with_cargo = text.lines().filter_map(|line| line.strip_prefix("  cargo run --release -- "));
    assert_eq!(with_cargo.collect::<Vec<_>>(), proposed);
}
