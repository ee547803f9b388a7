//! Signs by the method that is chosen for the mesh.

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
