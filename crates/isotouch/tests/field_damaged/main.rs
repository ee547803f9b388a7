//! Sound meshes with holes, with flipped, doubled, torn, superfluous and overlapping triangles: away from the damage their
//! fields have the signs of the sound ones, whatever the storage and the number of threads.

#![allow(clippy::unwrap_used)]

mod auto;
mod caps;
mod cavities;
mod distances;
#[path = "../oracle/mod.rs"]
mod oracle;
mod soup;

use isotouch::field::{
    BuildError, BuildNote, Built, Execution, Field, FieldOptions, SignMethod, StorageKind,
};
use isotouch::math::DVec3;
use isotouch::mesh::shapes::{BlobOptions, BowlOptions, CylinderOptions, TorusKnotOptions, TorusOptions};
use isotouch::mesh::{TriMesh, shapes};
use oracle::damage::{self, Damaged, Junk};
use oracle::meshes::{joined, moved, without};
use oracle::random::Random;
use oracle::{Soup, box_distance, in_parallel};

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

/// Some nodes of a field, always the same.
fn nodes(field: &Field, count: usize) -> Vec<DVec3> {
    Random(3).nodes(field, count)
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
const JUNK_INSIDE: Damage =
    |shape, random| damage::with_junk(shape, 25, Junk { size: 0.01, depth: 0.02 }, random);
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

/// Three quarters of a cell wide.
#[test]
fn a_hole_narrower_than_a_cell_does_no_harm() {
    let ball = shapes::sphere(0.5, 81_920).unwrap();
    let holed = damage::with_holes(&ball, 1, 0.0095, &mut Random(4));
    for sign in [SignMethod::Auto, SignMethod::Soup] {
        assert_eq!(faults(&holed, sign, EVERYWHERE), [""; 0]);
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
        for (name, damaged) in all_with(damage).into_iter().step_by(2) {
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
