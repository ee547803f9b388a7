//! Constraints in runs that share no particle, so that a run can be solved by many threads and comes out the same to the last bit.

use std::ops::Range;

use glam::DVec3;
use rayon::prelude::*;

/// Runs shorter than this are solved by one thread: handing them out, and moving particles only after all of a run have looked, would take longer. Measured with two threads on two cores that were busy otherwise
/// too, limits taking turns in one run: 10,000 particles, in runs of some 2,500, took 0.29 to 0.42 µs each and substep where those are shared and 0.24 where they are not; 99,856 particles, in runs of some 20,000,
/// 0.28 and 0.23. Less makes sheets of 10,000 particles slower than smaller ones; more leaves cores without work where there are many.
const LEAST_SHARED: usize = 16_384;

/// Things that each concern N particles, sorted into runs.
#[derive(Debug, Clone)]
pub(super) struct Coloured<C> {
    pub(super) all: Vec<C>,
    /// Where each run ends.
    ends: Vec<usize>,
}

impl<C> Default for Coloured<C> {
    fn default() -> Self {
        Self { all: Vec::new(), ends: Vec::new() }
    }
}

impl<C: Copy> Coloured<C> {
    /// Greedy, in the given order.
    pub(super) fn new<const N: usize>(all: &[C], particles: usize, of: impl Fn(&C) -> [u32; N]) -> Self {
        // Colours that a particle has met. Where 128 are not enough, a fan of that many triangles, the rest get runs of their own.
        let mut met = vec![0u128; particles];
        let mut colours: Vec<u32> = Vec::with_capacity(all.len());
        let mut more = 128;
        for one in all {
            let taken = of(one).iter().fold(0, |taken, &i| taken | met[i as usize]);
            let colour = taken.trailing_ones();
            if colour < 128 {
                for i in of(one) {
                    met[i as usize] |= 1 << colour;
                }
                colours.push(colour);
            } else {
                colours.push(more);
                more += 1;
            }
        }
        let mut order: Vec<usize> = (0..all.len()).collect();
        order.sort_by_key(|&k| colours[k]);
        let ends = (1..=order.len())
            .filter(|&k| k == order.len() || colours[order[k]] != colours[order[k - 1]])
            .collect();
        Self { all: order.into_iter().map(|k| all[k]).collect(), ends }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn runs(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| start..end)
    }
}

/// Whether a run is worth more than one thread.
pub(super) fn is_shared(length: usize) -> bool {
    length >= LEAST_SHARED && rayon::current_num_threads() > 1
}

/// Something that particles should satisfy: C(x) = 0, with a compliance (XPBD, Macklin et al. 2016).
pub(super) trait Constraint<const N: usize>: Copy + Send + Sync {
    /// λ so far in this substep, one for each of its equations.
    type Multiplier: Copy + Default + Send + Sync;

    fn particles(&self) -> [u32; N];

    /// Where one round puts its particles. `per_square` is 1/h².
    fn moved(
        &self,
        places: [DVec3; N],
        inverse_masses: [f64; N],
        multiplier: &mut Self::Multiplier,
        per_square: f64,
    ) -> [DVec3; N];

    /// J, at these places.
    fn energy(&self, places: [DVec3; N]) -> f64;

    /// J, of the force λ/h² that it pulls with: ½·α·(λ/h²)². `per_square` is 1/h².
    fn carried(&self, multiplier: &Self::Multiplier, per_square: f64) -> f64;
}

/// Constraints of one kind, with what solving them needs.
#[derive(Debug, Clone)]
pub(super) struct Solver<const N: usize, C: Constraint<N>> {
    constraints: Coloured<C>,
    multipliers: Vec<C::Multiplier>,
    targets: Vec<[DVec3; N]>,
}

impl<const N: usize, C: Constraint<N>> Default for Solver<N, C> {
    fn default() -> Self {
        Self { constraints: Coloured::default(), multipliers: Vec::new(), targets: Vec::new() }
    }
}

impl<const N: usize, C: Constraint<N>> Solver<N, C> {
    pub(super) fn new(all: &[C], particles: usize) -> Self {
        let constraints = Coloured::new(all, particles, C::particles);
        let multipliers = vec![C::Multiplier::default(); all.len()];
        Self { constraints, multipliers, targets: Vec::new() }
    }

    /// Forgets the multipliers of the last substep.
    pub(super) fn begin(&mut self) {
        self.multipliers.fill(C::Multiplier::default());
    }

    /// One round over all.
    pub(super) fn round(&mut self, places: &mut [DVec3], inverse_masses: &[f64], h: f64) {
        let per_square = 1.0 / (h * h);
        let Self { constraints, multipliers, targets } = self;
        for run in constraints.runs() {
            let of_run = &constraints.all[run.clone()];
            let multipliers = &mut multipliers[run];
            if !is_shared(of_run.len()) {
                for (one, multiplier) in of_run.iter().zip(multipliers) {
                    let to = moved(one, multiplier, (places, inverse_masses), per_square);
                    let particles = one.particles();
                    for k in 0..N {
                        places[particles[k] as usize] = to[k];
                    }
                }
                continue;
            }
            // No two of a run share a particle, so all can look before any is moved.
            let seen: &[DVec3] = places;
            let found = of_run.par_iter().zip(multipliers).with_min_len(256);
            found
                .map(|(one, multiplier)| moved(one, multiplier, (seen, inverse_masses), per_square))
                .collect_into_vec(targets);
            for (one, to) in of_run.iter().zip(&*targets) {
                for (&i, &to) in one.particles().iter().zip(to) {
                    places[i as usize] = to;
                }
            }
        }
    }

    pub(super) fn energy(&self, places: &[DVec3]) -> f64 {
        self.constraints.all.iter().map(|one| one.energy(one.particles().map(|i| places[i as usize]))).sum()
    }

    /// Of what the last substep, which was `h` long, pulled with.
    pub(super) fn carried(&self, h: f64) -> f64 {
        let all = self.constraints.all.iter().zip(&self.multipliers);
        all.map(|(one, multiplier)| one.carried(multiplier, 1.0 / (h * h))).sum()
    }

    pub(super) fn all(&self) -> &[C] {
        &self.constraints.all
    }
}

/// Where one round puts the particles of a constraint. Always inlined: handed over through memory, results of one would hold up the next.
#[inline(always)]
fn moved<const N: usize, C: Constraint<N>>(
    one: &C,
    multiplier: &mut C::Multiplier,
    (places, inverse_masses): (&[DVec3], &[f64]),
    per_square: f64,
) -> [DVec3; N] {
    let particles = one.particles();
    let (mut at, mut masses) = ([DVec3::ZERO; N], [0.0; N]);
    for k in 0..N {
        at[k] = places[particles[k] as usize];
        masses[k] = inverse_masses[particles[k] as usize];
    }
    one.moved(at, masses, multiplier, per_square)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_run_has_a_particle_twice_and_all_are_there() {
        // A fan of 200 around particle 0, and a chain.
        let mut pairs: Vec<[u32; 2]> = (1..=200).map(|i| [0, i]).collect();
        pairs.extend((1..200).map(|i| [i, i + 1]));
        let coloured = Coloured::new(&pairs, 201, |pair| *pair);
        let mut seen = coloured.all.clone();
        seen.sort_unstable();
        pairs.sort_unstable();
        assert_eq!(seen, pairs);
        for run in coloured.runs() {
            let mut particles: Vec<u32> = coloured.all[run].iter().flatten().copied().collect();
            let count = particles.len();
            particles.sort_unstable();
            particles.dedup();
            assert_eq!(particles.len(), count);
        }
        let chain: Vec<[u32; 2]> = (0..100).map(|i| [i, i + 1]).collect();
        assert_eq!(Coloured::new(&chain, 101, |pair| *pair).runs().count(), 2);
    }
}
