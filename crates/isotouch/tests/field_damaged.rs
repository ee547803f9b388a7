//! Sound meshes with holes, with flipped, doubled, torn, superfluous and overlapping triangles: away from the damage their
//! fields have the signs of the sound ones, whatever the storage and the number of threads.

#![allow(clippy::unwrap_used)]

mod oracle;

use isotouch::field::{
    BuildError, BuildNote, Built, Execution, Field, FieldOptions, SignMethod, StorageKind,
};
use isotouch::math::{DVec3, IVec3};
use isotouch::mesh::shapes::{BlobOptions, BowlOptions, CylinderOptions, TorusKnotOptions, TorusOptions};
use isotouch::mesh::{TriMesh, shapes};
use oracle::damage::{self, Damaged};
use oracle::meshes::joined;
use oracle::random::Random;
use oracle::{Soup, in_parallel};

/// Cells of about 0.025.
const RESOLUTION: u32 = 44;

/// Radius of holes: about three cells wide, and narrower than what separates the parts of any shape.
const HOLE: f64 = 0.035;

fn options(sign: SignMethod, storage: StorageKind) -> FieldOptions {
    FieldOptions { resolution: RESOLUTION, sign, storage, ..Default::default() }
}

fn built(mesh: &TriMesh, options: &FieldOptions) -> Field {
    Field::from_mesh(mesh, options).unwrap()
}

/// The shapes to damage: round, ringed, wound up with 0.1 between its windings, thin and hollowed out, with edges, and
/// dented without crevices.
fn sound_shapes() -> [(&'static str, TriMesh); 6] {
    let torus = TorusOptions { major_segments: 64, minor_segments: 32, ..Default::default() };
    let knot = TorusKnotOptions { rings: 192, segments: 16, ..Default::default() };
    let bowl = BowlOptions { thickness: 0.08, segments: 48, rings: 16, ..Default::default() };
    let cylinder = CylinderOptions { segments: 48, rings: 16, ..Default::default() };
    let blob = BlobOptions { triangles: 5_000, amplitude: 0.3, octaves: 3, ..Default::default() };
    [
        ("ball", shapes::sphere(0.5, 1_280).unwrap()),
        ("torus", shapes::torus(torus).unwrap()),
        ("torus-knot", shapes::torus_knot(2, 3, knot).unwrap()),
        ("bowl", shapes::bowl(bowl).unwrap()),
        ("cylinder", shapes::cylinder(cylinder).unwrap()),
        ("blob", shapes::blob(blob).unwrap()),
    ]
}

/// Some nodes of a field.
fn nodes(field: &Field, count: usize) -> Vec<DVec3> {
    let mut random = Random(3);
    let n = field.grid().nodes();
    let mut node = || {
        let at = [n.x, n.y, n.z].map(|n| random.below(n as usize) as i32);
        field.grid().bounds().project(field.grid().node_position(IVec3::from_array(at)))
    };
    (0..count).map(|_| node()).collect()
}

/// What to do to a shape.
type Damage = fn(&TriMesh, &mut Random) -> Damaged;

const NO_DAMAGE: Damage = |shape, _| damage::none(shape);
const HOLES: Damage = |shape, random| damage::with_holes(shape, 3, HOLE, random);
const BOTH_WINDINGS: Damage = |shape, _| damage::doubled(shape);
const HOLES_AND_BOTH_WINDINGS: Damage =
    |shape, random| damage::and(damage::with_holes(shape, 2, HOLE, random), damage::doubled);
const FLIPS: Damage = |shape, random| damage::with_flips(shape, 5, random);
const FEW_FLIPS: Damage = |shape, random| damage::with_flips(shape, 100, random);
const TORN: Damage = |shape, random| damage::torn(shape, 1e-5, random);
const TORN_BOTH_WINDINGS: Damage =
    |shape, random| damage::and(damage::doubled(shape), |mesh| damage::torn(mesh, 1e-5, random));
const TORN_AND_FLIPS: Damage = |shape, random| {
    let torn = damage::torn(shape, 1e-5, random);
    damage::and(torn, |mesh| damage::with_flips(mesh, 2, random))
};
const T_JUNCTIONS: Damage = damage::with_t_junctions;
const JUNK_INSIDE: Damage = |shape, random| damage::with_junk(shape, 25, 0.01, random);
const OVERLAP: Damage = |shape, _| damage::overlapping(shape, DVec3::new(0.17, 0.08, 0.05));
const OVERLAP_AND_HOLES: Damage = |shape, random| {
    let copies = damage::overlapping(shape, DVec3::new(0.31, 0.11, 0.07));
    damage::and(copies, |mesh| damage::with_holes(mesh, 2, HOLE, random))
};

/// All shapes, damaged.
fn all_with(damage: Damage) -> Vec<(&'static str, Damaged)> {
    let mut random = Random(11);
    sound_shapes().into_iter().map(|(name, shape)| (name, damage(&shape, &mut random))).collect()
}

/// Nodes with the wrong sign, as (node, value, truth), among those farther from the surface than `near` cells.
fn wrong_signs(field: &Field, damaged: &Damaged, near: f64) -> Vec<(DVec3, f64, f64)> {
    let sound = Soup::new(&damaged.sound);
    let nodes: Vec<DVec3> = nodes(field, 3_000).into_iter().filter(|&p| !damaged.is_doubtful(p)).collect();
    let inside = in_parallel(&nodes, |&p| sound.winding(p) > 0.5);
    let count = inside.iter().filter(|is_inside| **is_inside).count();
    assert!(count > 50 && nodes.len() > 1_500, "{count} of {} nodes are inside", nodes.len());
    let with_values = nodes.into_iter().zip(inside).map(|(p, inside)| (p, field.distance(p).value(), inside));
    with_values
        .filter(|(_, value, inside)| (*value < 0.0) != *inside)
        .map(|(p, value, _)| (p, value, sound.signed_distance(p)))
        .filter(|(_, _, truth)| truth.abs() > near * field.grid().cell)
        .collect()
}

/// What is wrong with the field of a damaged mesh, in words: its signs farther from the surface than `near` cells, the
/// neighbour check, the two storages against each other.
fn faults(damaged: &Damaged, sign: SignMethod, near: f64) -> Vec<String> {
    let build = |storage| {
        let execution = Execution { threads: Some(2), ..Default::default() };
        Field::from_mesh_with(&damaged.mesh, &options(sign, storage), &execution)
    };
    let (Built { field, notes }, sparse) = match (build(StorageKind::Dense), build(StorageKind::Sparse)) {
        (Ok(dense), Ok(sparse)) => (dense, sparse.field),
        (Err(error), _) | (_, Err(error)) => return vec![error.to_string()],
    };
    let mut faults = Vec::new();
    for field in [&field, &sparse] {
        if let Err(error) = field.verify() {
            faults.push(error.to_string());
        }
    }
    let wrong = wrong_signs(&field, damaged, near);
    if let Some(first) = wrong.first() {
        faults.push(format!("{} wrong signs, the first at (node, value, truth) {first:?}", wrong.len()));
    }
    let apart = nodes(&field, 4_000).into_iter().find(|&p| {
        let (a, b) = (field.distance(p).value(), sparse.distance(p).value());
        (a - b).abs() > sparse.error_bound_at(p).unwrap()
    });
    if let Some(p) = apart {
        faults.push(format!("dense {:?} and sparse {:?} at {p}", field.distance(p), sparse.distance(p)));
    }
    faults.into_iter().map(|fault| format!("{} was used: {fault}; {notes:?}", field.sign())).collect()
}

/// Nodes are exact, so that signs are right wherever rounding leaves any. In cells.
const EVERYWHERE: f64 = 0.05;
/// Wider than what `soup` closes at least: crevices are no holes, but look like them. In cells.
const BEYOND_CREVICES: f64 = 1.5;

fn check(damage: Damage, sign: SignMethod, near: f64) {
    let mut found = Vec::new();
    for (name, damaged) in all_with(damage) {
        found.extend(faults(&damaged, sign, near).into_iter().map(|fault| format!("{name}: {fault}")));
    }
    assert!(found.is_empty(), "{sign}\n{}", found.join("\n"));
}

mod auto {
    use isotouch::field::SignMethod::Auto;

    use super::*;

    #[test]
    fn holes() {
        check(HOLES, Auto, EVERYWHERE);
    }

    #[test]
    fn both_windings() {
        check(BOTH_WINDINGS, Auto, EVERYWHERE);
    }

    #[test]
    fn holes_and_both_windings() {
        check(HOLES_AND_BOTH_WINDINGS, Auto, EVERYWHERE);
    }

    #[test]
    fn flips() {
        check(FLIPS, Auto, EVERYWHERE);
    }

    #[test]
    fn flips_away_from_the_surface() {
        check(FLIPS, Auto, BEYOND_CREVICES);
    }

    #[test]
    fn few_flips() {
        check(FEW_FLIPS, Auto, EVERYWHERE);
    }

    #[test]
    fn few_flips_away_from_the_surface() {
        check(FEW_FLIPS, Auto, BEYOND_CREVICES);
    }

    #[test]
    fn torn() {
        check(TORN, Auto, EVERYWHERE);
    }

    #[test]
    fn torn_and_both_windings() {
        check(TORN_BOTH_WINDINGS, Auto, EVERYWHERE);
    }

    #[test]
    fn torn_and_both_windings_away_from_the_surface() {
        check(TORN_BOTH_WINDINGS, Auto, BEYOND_CREVICES);
    }

    #[test]
    fn torn_and_flips() {
        check(TORN_AND_FLIPS, Auto, BEYOND_CREVICES);
    }

    #[test]
    fn t_junctions() {
        check(T_JUNCTIONS, Auto, EVERYWHERE);
    }

    #[test]
    fn junk_inside() {
        check(JUNK_INSIDE, Auto, EVERYWHERE);
    }

    #[test]
    fn overlap() {
        check(OVERLAP, Auto, EVERYWHERE);
    }

    #[test]
    fn overlap_and_holes() {
        check(OVERLAP_AND_HOLES, Auto, EVERYWHERE);
    }
}

mod soup {
    use isotouch::field::SignMethod::Soup;

    use super::*;

    #[test]
    fn no_damage() {
        check(NO_DAMAGE, Soup, EVERYWHERE);
    }

    #[test]
    fn holes() {
        check(HOLES, Soup, EVERYWHERE);
    }

    #[test]
    fn flips() {
        check(FLIPS, Soup, EVERYWHERE);
    }

    #[test]
    fn torn() {
        check(TORN, Soup, EVERYWHERE);
    }

    #[test]
    fn torn_away_from_the_surface() {
        check(TORN, Soup, BEYOND_CREVICES);
    }

    #[test]
    fn torn_and_flips_away_from_the_surface() {
        check(TORN_AND_FLIPS, Soup, BEYOND_CREVICES);
    }

    #[test]
    fn t_junctions() {
        check(T_JUNCTIONS, Soup, EVERYWHERE);
    }

    #[test]
    fn junk_inside() {
        check(JUNK_INSIDE, Soup, EVERYWHERE);
    }

    #[test]
    fn overlap() {
        check(OVERLAP, Soup, BEYOND_CREVICES);
    }

    #[test]
    fn overlap_and_holes() {
        check(OVERLAP_AND_HOLES, Soup, BEYOND_CREVICES);
    }
}

/// Three quarters of a cell wide.
#[test]
fn a_hole_narrower_than_a_cell_does_no_harm() {
    let ball = shapes::sphere(0.5, 81_920).unwrap();
    let holed = damage::with_holes(&ball, 1, 0.0095, &mut Random(4));
    for sign in [SignMethod::Auto, SignMethod::Soup] {
        assert_eq!(faults(&holed, sign, EVERYWHERE), [""; 0]);
    }
}

/// Nodes are measured to caps, and a note says so, where holes were cut, and nowhere else. Torn meshes are left out: outside a
/// sharp edge the gap along it is the closest, however narrow.
fn check_caps(damages: &[(&str, Damage)], sign: SignMethod) {
    let mut found = Vec::new();
    for &(what, damage) in damages {
        for (name, damaged) in all_with(damage) {
            let execution = Execution::default();
            let options = options(sign, StorageKind::Dense);
            let Built { field, notes } = match Field::from_mesh_with(&damaged.mesh, &options, &execution) {
                Ok(built) => built,
                Err(error) => {
                    found.push(format!("{what}, {name}: {error}"));
                    continue;
                }
            };
            let capped = field.capped_nodes();
            let is_noted = notes.iter().any(|note| matches!(note, BuildNote::Capped { .. }));
            let has_holes = damaged.widest_hole > field.grid().cell;
            if [capped > 0, is_noted] != [has_holes; 2] {
                found.push(format!("{what}, {name}: {capped} nodes are capped; {notes:?}"));
            }
        }
    }
    assert!(found.is_empty(), "{sign}\n{}", found.join("\n"));
}

const WHOLE: [(&str, Damage); 4] = [
    ("no damage", NO_DAMAGE),
    ("both windings", BOTH_WINDINGS),
    ("T-junctions", T_JUNCTIONS),
    ("junk inside", JUNK_INSIDE),
];

#[test]
fn auto_caps_holes() {
    check_caps(&[("holes", HOLES), ("overlap and holes", OVERLAP_AND_HOLES)], SignMethod::Auto);
}

#[test]
fn auto_caps_holes_of_a_mesh_wound_both_ways() {
    check_caps(&[("holes and both windings", HOLES_AND_BOTH_WINDINGS)], SignMethod::Auto);
}

#[test]
fn auto_caps_nothing_that_is_whole() {
    check_caps(&WHOLE, SignMethod::Auto);
}

#[test]
fn auto_caps_nothing_that_overlaps() {
    check_caps(&[("overlap", OVERLAP)], SignMethod::Auto);
}

#[test]
fn auto_caps_no_flipped_triangles() {
    check_caps(&[("flips", FLIPS), ("few flips", FEW_FLIPS)], SignMethod::Auto);
}

#[test]
fn soup_caps_holes() {
    check_caps(&[("holes", HOLES), ("overlap and holes", OVERLAP_AND_HOLES)], SignMethod::Soup);
}

#[test]
fn soup_caps_nothing_that_is_whole() {
    check_caps(&WHOLE, SignMethod::Soup);
    check_caps(&[("flips", FLIPS)], SignMethod::Soup);
}

#[test]
fn soup_caps_nothing_that_overlaps() {
    check_caps(&[("overlap", OVERLAP)], SignMethod::Soup);
}

/// With the solid on both sides, triangles are no boundary: all nodes are as without them.
#[test]
fn junk_inside_changes_no_distance() {
    for ((name, shape), (_, junk)) in sound_shapes().into_iter().zip(all_with(JUNK_INSIDE)) {
        let field = built(&junk.mesh, &options(SignMethod::Soup, StorageKind::Dense));
        let sound = built(&shape, &options(SignMethod::Pseudonormal, StorageKind::Dense));
        assert_eq!(field.grid(), sound.grid());
        for p in nodes(&field, 20_000) {
            let (a, b) = (field.distance(p).value(), sound.distance(p).value());
            assert!((a - b).abs() < 1e-6, "{name}: {a} instead of {b} at {p}");
        }
    }
}

/// A whole mesh needs nothing closed, so that its field is the same by reach as by normals, crevices included.
#[test]
fn crevices_of_a_whole_mesh_stay_open() {
    let rough = shapes::blob(BlobOptions { triangles: 5_000, ..Default::default() }).unwrap();
    let field = built(&rough, &options(SignMethod::Soup, StorageKind::Dense));
    let sound = built(&rough, &options(SignMethod::Pseudonormal, StorageKind::Dense));
    assert_eq!(field.capped_nodes(), 0);
    for p in nodes(&field, 20_000) {
        let (a, b) = (field.distance(p).value(), sound.distance(p).value());
        assert!((a - b).abs() < 1e-6, "{a} instead of {b} at {p}");
    }
}

#[test]
fn threads_change_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |mesh: &TriMesh, options: &FieldOptions, threads: usize| {
        let path = folder.path().join("a.field");
        let execution = Execution { threads: Some(threads), ..Default::default() };
        let field = Field::from_mesh_with(mesh, options, &execution)?.field;
        field.save(&path).unwrap();
        Ok::<_, BuildError>(std::fs::read(path).unwrap())
    };
    for damage in [HOLES, FLIPS, OVERLAP, HOLES_AND_BOTH_WINDINGS, TORN_AND_FLIPS] {
        for (name, damaged) in all_with(damage) {
            for sign in [SignMethod::Auto, SignMethod::Soup] {
                for storage in [StorageKind::Dense, StorageKind::Sparse] {
                    let options = options(sign, storage);
                    let same = bytes(&damaged.mesh, &options, 1) == bytes(&damaged.mesh, &options, 3);
                    assert!(same, "{name}, {sign}, {storage}");
                }
            }
        }
    }
}

/// A hollow ball, wound both ways: nothing but a wish can tell whether its inside is full.
#[test]
fn hollows_are_filled_unless_kept() {
    let hollow = joined(&[shapes::sphere(0.5, 1_280).unwrap(), shapes::sphere(0.3, 1_280).unwrap()]);
    let mesh = damage::doubled(&hollow).mesh;
    let in_wall = DVec3::new(0.4, 0.0, 0.0);
    for keep_cavities in [false, true] {
        let options = FieldOptions { keep_cavities, ..options(SignMethod::Soup, StorageKind::Dense) };
        let field = built(&mesh, &options);
        field.verify().unwrap();
        assert!(field.distance(in_wall).value() < 0.0);
        let middle = field.distance(DVec3::ZERO).value();
        let expected = if keep_cavities { 0.3 } else { -0.5 };
        assert!((middle - expected).abs() < 0.02, "{middle} instead of about {expected}");
    }
}
