//! A symmetric positive definite matrix of 6×6 blocks, one for each body and one for each two that touch, solved directly.
//!
//! Cholesky's method, body after body: those with the fewest neighbours first, so that little fills in. The order, and where every product goes, depends on who touches whom alone and is found once
//! for a step; the numbers change in every round. In heaps of hundreds of bodies that is some ten products of blocks for each contact, where conjugate gradients need hundreds of rounds:
//! stiff springs beside light bodies are just what these are slow at. Thousands of bodies in one heap fill in too much; that is noticed on the way, before it takes time and memory ([`Order::within`]).

use std::collections::{BTreeMap, BTreeSet};

use super::spatial::Cholesky6;
use super::{Mat6, Twist, Wrench};

type Block = [[f64; 6]; 6];

/// Which body is eliminated when, and what that touches.
pub(crate) struct Order {
    /// Bodies, in the order of their elimination.
    bodies: Vec<usize>,
    /// For every body, the blocks below its own: the body they lead to and their number. In the order of elimination.
    below: Vec<Vec<(usize, usize)>>,
    /// For every body, the block that each product of two blocks below it goes to, as (row, column) with row ≥ column in `below`; `None`: to the other body's own.
    targets: Vec<Vec<Option<usize>>>,
    /// Numbers of the blocks of two bodies that touch, and whether they are kept the other way round.
    of_pair: BTreeMap<(usize, usize), (usize, bool)>,
    blocks: usize,
}

impl Order {
    /// For so many bodies, and pairs (a < b) of them, unless a factorisation takes more products of blocks than `most_work`. No more than that is looked at to find out.
    pub(crate) fn within(bodies: usize, pairs: &BTreeSet<(usize, usize)>, most_work: usize) -> Option<Self> {
        // In order: (a, b) come by a, and then by b, so what is before a body stands there before what is after it.
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); bodies];
        for &(a, b) in pairs {
            near[b].push(a);
        }
        for &(a, b) in pairs {
            near[a].push(b);
        }
        let mut waiting: BTreeSet<(usize, usize)> =
            near.iter().enumerate().map(|(k, of)| (of.len(), k)).collect();
        let mut order = Vec::with_capacity(bodies);
        let mut place = vec![0; bodies];
        let (mut work, mut merged) = (0, Vec::new());
        while let Some((neighbours, next)) = waiting.pop_first() {
            // What is below it, and all products of two of these.
            work += 1 + neighbours + neighbours * (neighbours + 1) / 2;
            if work > most_work {
                return None;
            }
            place[next] = order.len();
            order.push(next);
            // Its neighbours that are left become neighbours of each other.
            let left = near[next].clone();
            for &a in &left {
                waiting.remove(&(near[a].len(), a));
                merge_without((&near[a], next), (&left, a), &mut merged);
                std::mem::swap(&mut near[a], &mut merged);
                waiting.insert((near[a].len(), a));
            }
        }
        // What is in `near` now is who is eliminated later.
        let mut below: Vec<Vec<(usize, usize)>> = Vec::with_capacity(bodies);
        let mut blocks = 0;
        for of in &near {
            let mut later = of.clone();
            later.sort_unstable_by_key(|&k| place[k]);
            below.push(later.into_iter().zip(blocks..).collect());
            blocks += of.len();
        }
        let block_of = |column: usize, row: usize| {
            let found = below[column].binary_search_by_key(&place[row], |of| place[of.0]);
            found.ok().map(|k| below[column][k].1)
        };
        let targets = below
            .iter()
            .map(|of| {
                let mut targets = Vec::with_capacity(of.len() * (of.len() + 1) / 2);
                for (i, &(row, _)) in of.iter().enumerate() {
                    targets.extend(of[..=i].iter().map(|&(column, _)| block_of(column, row)));
                }
                targets
            })
            .collect();
        let of_pair = pairs
            .iter()
            .filter_map(|&(a, b)| {
                // Kept are rows of the later one, columns of the earlier.
                let (column, row) = if place[a] < place[b] { (a, b) } else { (b, a) };
                Some(((a, b), (block_of(column, row)?, row == b)))
            })
            .collect();
        Some(Self { bodies: order, below, targets, of_pair, blocks })
    }

    /// Solves for one right side. `None` unless the matrix is positive definite, which rounding alone can spoil.
    pub(crate) fn solve(
        &self,
        own: &[Mat6],
        between: &BTreeMap<(usize, usize), Mat6>,
        right: &[Wrench],
    ) -> Option<Vec<Twist>> {
        let mut diagonal: Vec<Block> = own.iter().map(Mat6::to_rows).collect();
        let mut blocks: Vec<Block> = vec![[[0.0; 6]; 6]; self.blocks];
        for (pair, block) in between {
            let &(number, is_turned) = self.of_pair.get(pair)?;
            blocks[number] = if is_turned { block.transpose().to_rows() } else { block.to_rows() };
        }
        // Of the bodies in their order.
        let mut factors: Vec<Cholesky6> = Vec::with_capacity(self.bodies.len());
        // The blocks below one body, and the same the other way round, which is how products are fast.
        let mut below_one: Vec<(Block, Block)> = Vec::new();
        for &k in &self.bodies {
            let factor = Cholesky6::of_rows(diagonal[k])?;
            let below = &self.below[k];
            // W = A·L⁻ᵀ, so Wᵀ = L⁻¹·Aᵀ; then A_ij −= W_i·W_jᵀ.
            below_one.clear();
            for &(_, number) in below {
                let mut turned = transposed(&blocks[number]);
                factor.forward_all(&mut turned);
                blocks[number] = transposed(&turned);
                below_one.push((blocks[number], turned));
            }
            factors.push(factor);
            let mut targets = self.targets[k].iter();
            for (i, &(row, _)) in below.iter().enumerate() {
                for (_, turned) in &below_one[..=i] {
                    match targets.next() {
                        Some(&Some(number)) => subtract(&mut blocks[number], &below_one[i].0, turned),
                        _ => subtract(&mut diagonal[row], &below_one[i].0, turned),
                    }
                }
            }
        }
        let mut x: Vec<[f64; 6]> = right.iter().map(numbers).collect();
        for (&k, factor) in self.bodies.iter().zip(&factors) {
            factor.forward(&mut x[k]);
            let known = x[k];
            for &(row, number) in &self.below[k] {
                for (left, of) in x[row].iter_mut().zip(&blocks[number]) {
                    *left -= of.iter().zip(&known).map(|(a, b)| a * b).sum::<f64>();
                }
            }
        }
        for (&k, factor) in self.bodies.iter().zip(&factors).rev() {
            for &(row, number) in &self.below[k] {
                let known = x[row];
                for (of, value) in blocks[number].iter().zip(known) {
                    for (left, a) in x[k].iter_mut().zip(of) {
                        *left -= a * value;
                    }
                }
            }
            factor.backward(&mut x[k]);
        }
        Some(x.into_iter().map(|x| twist(&x)).collect())
    }
}

/// All of two lists but one of each, in order and once.
fn merge_without((a, not_a): (&[usize], usize), (b, not_b): (&[usize], usize), merged: &mut Vec<usize>) {
    merged.clear();
    let mut b = b.iter().copied().filter(|&k| k != not_b).peekable();
    for next in a.iter().copied().filter(|&k| k != not_a) {
        while let Some(before) = b.next_if(|&k| k < next) {
            merged.push(before);
        }
        b.next_if_eq(&next);
        merged.push(next);
    }
    merged.extend(b);
}

fn numbers(wrench: &Wrench) -> [f64; 6] {
    let (f, t) = (wrench.force, wrench.torque);
    [f.x, f.y, f.z, t.x, t.y, t.z]
}

fn twist(x: &[f64; 6]) -> Twist {
    Twist { linear: glam::DVec3::new(x[0], x[1], x[2]), angular: glam::DVec3::new(x[3], x[4], x[5]) }
}

fn transposed(a: &Block) -> Block {
    std::array::from_fn(|i| std::array::from_fn(|k| a[k][i]))
}

/// from −= a·b.
fn subtract(from: &mut Block, a: &Block, b: &Block) {
    for (left, a) in from.iter_mut().zip(a) {
        let mut sum = *left;
        for (a, b) in a.iter().zip(b) {
            for (sum, b) in sum.iter_mut().zip(b) {
                *sum -= a * b;
            }
        }
        *left = sum;
    }
}

#[cfg(test)]
mod tests {
    use glam::{DMat3, DVec3};
    use proptest::prelude::*;

    use super::*;

    impl Order {
        /// Products of blocks that a factorisation takes, counted in the plan.
        fn work(&self) -> usize {
            self.targets.iter().zip(&self.below).map(|(targets, below)| 1 + below.len() + targets.len()).sum()
        }
    }

    /// Springs between random bodies: what is solved, put into the matrix again, is the right side.
    fn check(bodies: usize, springs: &[(usize, usize, [f64; 6])]) {
        let mut own = vec![Mat6::inertia(2.0, DMat3::from_diagonal(DVec3::new(0.1, 0.2, 0.3))); bodies];
        let mut between: BTreeMap<(usize, usize), Mat6> = BTreeMap::new();
        for &(a, b, [x, y, z, u, v, w]) in springs {
            let (a, b) = (a % bodies, b % bodies);
            if a == b {
                continue;
            }
            let (a, b) = (a.min(b), a.max(b));
            let k = DMat3::from_diagonal(DVec3::new(1e4, 3e3, 20.0));
            let (arm_a, arm_b) = (DVec3::new(x, y, z), DVec3::new(u, v, w));
            own[a] += Mat6::at_arms(&k, arm_a, arm_a);
            own[b] += Mat6::at_arms(&k, arm_b, arm_b);
            *between.entry((a, b)).or_insert(Mat6::ZERO) += Mat6::at_arms(&(k * -1.0), arm_a, arm_b);
        }
        let right: Vec<Wrench> = (0..bodies)
            .map(|k| {
                let f = k as f64;
                Wrench { force: DVec3::new(f.sin(), 1.0, -f), torque: DVec3::new(0.3, f.cos(), 0.1) }
            })
            .collect();
        let pairs = between.keys().copied().collect();
        let order = Order::within(bodies, &pairs, usize::MAX).unwrap();
        // Its work is told beforehand.
        let work = order.work();
        assert!(
            Order::within(bodies, &pairs, work).is_some()
                && Order::within(bodies, &pairs, work - 1).is_none()
        );
        let x = order.solve(&own, &between, &right).unwrap();
        let mut back: Vec<Wrench> = own.iter().zip(&x).map(|(own, x)| own.apply(x)).collect();
        for (&(a, b), block) in &between {
            back[a] += block.apply(&x[b]);
            back[b] += block.transpose().apply(&x[a]);
        }
        for (back, right) in back.iter().zip(&right) {
            let off = (back.force - right.force).length() + (back.torque - right.torque).length();
            assert!(off < 1e-8 * bodies as f64, "{off}");
        }
    }

    proptest! {
        #[test]
        fn the_matrix_gives_the_right_side_back(
            bodies in 1..24usize,
            springs in prop::collection::vec((0..24usize, 0..24usize, prop::array::uniform6(-1.0..1.0f64)), 0..60),
        ) {
            check(bodies, &springs);
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        let order = Order::within(1, &BTreeSet::new(), 1).unwrap();
        let of = |mass: f64| Mat6::inertia(mass, DMat3::IDENTITY);
        for mass in [0.0, -1.0, f64::NAN] {
            assert!(order.solve(&[of(mass)], &BTreeMap::new(), &[Wrench::ZERO]).is_none(), "{mass}");
        }
    }

    /// A chain needs no fill at all.
    #[test]
    fn chains_stay_sparse() {
        let pairs = (0..99).map(|k| (k, k + 1)).collect();
        assert_eq!(Order::within(100, &pairs, usize::MAX).unwrap().work(), 100 + 2 * 99);
    }

    /// 64,000 bodies, each beside six others: elimination fills in some 10⁷ blocks of 288 bytes and takes 10⁹ products. Were the order made before it is refused, this test would take minutes and gigabytes.
    #[test]
    fn heaps_that_fill_in_are_given_up_early() {
        let side = 40;
        let number = |x: usize, y: usize, z: usize| (x * side + y) * side + z;
        let mut pairs = BTreeSet::new();
        for (x, y, z) in (0..side.pow(3)).map(|k| (k / side / side, k / side % side, k % side)) {
            let next = [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1)];
            let within = next.into_iter().filter(|&(x, y, z)| x.max(y).max(z) < side);
            pairs.extend(within.map(|(i, j, k)| (number(x, y, z), number(i, j, k))));
        }
        assert!(Order::within(side.pow(3), &pairs, 50 * (side.pow(3) + 2 * pairs.len())).is_none());
    }
}
