//! Clarabel, an interior-point method, as a second opinion.

use isotouch::contact::constraint::Solver;

use super::problems::{FAMILIES, Random};
use super::second_opinion::{DELICATE, Opinion, second_opinion};

/// How often it was the same step, the same conflict, decided by a hair, and not sure itself.
fn opinions(seed: u64, is_asked: impl Fn(&str) -> bool) -> [usize; 4] {
    let mut solver = Solver::with_capacity(400);
    let mut counts = [0; 4];
    for family in FAMILIES.iter().filter(|family| is_asked(family.name)) {
        let mut random = Random(seed);
        for k in 0..1500 {
            let problem = (family.make)(&mut random);
            match second_opinion(&mut solver, family.name, &problem) {
                Ok(opinion) => counts[opinion as usize] += 1,
                Err(words) => panic!("{} {k}: {words}", family.name),
            }
        }
    }
    counts
}

#[test]
fn clarabel_finds_the_same() {
    let counts = opinions(71, |name| !DELICATE.contains(&name));
    let [same, conflicts, by_a_hair, unsure] = counts;
    println!("{same} the same, {conflicts} conflicts, {unsure} unsure");
    assert!(same > 6000 && conflicts > 500 && unsure < 100);
    assert_eq!((by_a_hair, Opinion::ByAHair as usize), (0, 2), "where rounding does not decide");
}

#[test]
fn clarabel_agrees_up_to_a_hair_where_rounding_decides() {
    let [same, conflicts, by_a_hair, unsure] = opinions(73, |name| DELICATE.contains(&name));
    println!("{same} the same, {conflicts} conflicts, {by_a_hair} by a hair, {unsure} unsure");
    assert!(same > 1500 && conflicts > 300 && unsure < 450);
}
