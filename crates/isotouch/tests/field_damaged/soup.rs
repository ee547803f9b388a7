//! Signs by reach alone, whatever the orientation.

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
fn torn_and_flips() {
    check(TORN_AND_FLIPS, Soup, EVERYWHERE);
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
    check(OVERLAP, Soup, EVERYWHERE);
}

#[test]
fn overlap_and_holes() {
    check(OVERLAP_AND_HOLES, Soup, EVERYWHERE);
}
