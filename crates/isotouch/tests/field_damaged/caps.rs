//! Where nodes are measured to caps.

use super::*;

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
    check_caps(&[("holes", HOLES)], SignMethod::Auto);
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
    check_caps(&[("holes", HOLES)], SignMethod::Soup);
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
