use isotouch::mesh::{TriMesh, report};

use crate::Desk;

#[test]
fn every_format_holds_the_same_closed_surface() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let mut triangles = Vec::new();
    for name in ["a.obj", "a.stl", "a.ply", "a.PLY.gz"] {
        let json = desk.succeed(&["surface", "part.field", "-o", name, "--json"]).json();
        let mesh = TriMesh::read(desk.path(name)).unwrap();
        let facts = report(&mesh);
        assert!(facts.is_solid() && !facts.is_wound_inward(), "{name}: {facts}");
        assert_eq!(json["triangles"], mesh.triangles().len());
        assert_eq!(json["vertices"], mesh.vertices().len());
        assert_eq!((&json["closed"], &json["iso"]), (&true.into(), &0.0.into()));
        assert!((json["volume"].as_f64().unwrap() - facts.signed_volume).abs() < 1e-6);
        triangles.push(mesh.triangles().len());
    }
    triangles.dedup();
    assert_eq!(triangles.len(), 1);
}

#[test]
fn offsets_grow_and_shrink() {
    let desk = Desk::new();
    desk.make_field("part.field");
    let volume = |iso: &str| {
        let json = desk.succeed(&["surface", "part.field", "-o", "a.obj", "--iso", iso, "--json"]).json();
        json["volume"].as_f64().unwrap()
    };
    let (shrunk, same, grown) = (volume("-0.02"), volume("0"), volume("+0.02"));
    let torus = isotouch::mesh::shapes::by_name("torus").unwrap();
    assert!(shrunk < same && same < grown);
    // To first order an offset adds the area times it; of a torus exactly so in the mean of both.
    let area = (grown - shrunk) / 0.04;
    assert!((area / torus.area() - 1.0).abs() < 0.03, "{area}");
}

#[test]
fn a_mesh_may_stand_in_and_an_open_surface_is_warned_about() {
    let desk = Desk::new();
    let arguments =
        ["surface", "part.obj", "-o", "a.ply", "-r", "40", "--padding", "0.01", "--iso", "0.05", "--json"];
    let run = desk.succeed(&arguments);
    assert_eq!(run.json()["closed"], false);
    assert!(run.json()["volume"].is_null());
    assert!(run.stderr.contains("left open"), "{}", run.stderr);
    assert!(report(&TriMesh::read(desk.path("a.ply")).unwrap()).boundary_edges > 0);
}

#[test]
fn threads_change_nothing() {
    let desk = Desk::new();
    desk.make_field("part.field");
    for threads in ["1", "3"] {
        desk.succeed(&["surface", "part.field", "-o", &format!("{threads}.ply"), "--threads", threads]);
    }
    let read = |name: &str| std::fs::read(desk.path(name)).unwrap();
    assert!(read("1.ply") == read("3.ply"));
}
