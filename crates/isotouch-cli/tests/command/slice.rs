use isotouch::field::Field;

use crate::{Desk, png_size};

#[test]
fn a_picture_as_wide_as_asked() {
    let desk = Desk::new();
    desk.make_field("part.field");
    for (axis, width) in [("x", "320"), ("y", "500"), ("z", "960")] {
        let run =
            desk.succeed(&["slice", "part.field", "-o", "s.png", "--axis", axis, "--width", width, "--json"]);
        let (wide, high) = png_size(&desk.path("s.png"));
        assert_eq!(wide.to_string(), width);
        assert_eq!(run.json()["height"], high);
        assert_eq!(run.json()["axis"], axis);
    }
}

#[test]
fn negative_places_are_values_and_not_flags() {
    let desk = Desk::new();
    desk.make_field("part.field");
    for (text, value) in [("-0.1", -0.1), ("-1e-3", -1e-3), ("-.05", -0.05), ("+0.1", 0.1), ("-0", 0.0)] {
        let run = desk.succeed(&["slice", "part.field", "-o", "s.png", "--at", text, "--json"]);
        assert_eq!(run.json()["at"].as_f64().unwrap(), value);
        desk.succeed(&["slice", "part.field", "-o", "s.png", &format!("--at={text}")]);
    }
}

#[test]
fn a_mesh_may_stand_in_for_its_field() {
    let desk = Desk::new();
    desk.succeed(&["slice", "part.obj", "-o", "a.png", "--resolution", "32", "--unit", "mm"]);
    assert_eq!(png_size(&desk.path("a.png")).0, 960);
}

#[test]
fn the_usual_plane_is_a_quarter_of_a_cell_above_the_middle() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let field = Field::open(desk.path("part.field")).unwrap();
    let grid = field.grid();
    for (i, axis) in ["x", "y", "z"].into_iter().enumerate() {
        let run = desk.succeed(&["slice", "part.field", "-o", "s.png", "--axis", axis, "--json"]);
        let at = run.json()["at"].as_f64().unwrap();
        let above = (at - grid.bounds().center()[i]) / grid.cell;
        assert!((above - 0.25).abs() < 1e-9, "{axis} = {at}");
    }
}

/// The facts are at the end of the line above the picture; a long name must leave them there.
#[test]
fn any_name_is_drawn() {
    let desk = Desk::new();
    let name = format!("Gehäuse 部品 {}.field", "x".repeat(150));
    desk.make_field(&name);
    for width in ["240", "960"] {
        desk.succeed(&["slice", &name, "-o", "s.png", "--width", width]);
    }
}
