//! The last look of a substep: middles of edges that are below a surface in spite of all, or came through one.
//!
//! Twice they and their ends are held off again. What does not help is taken back to where it was before, carried by what it is in the way of, neighbours with it if need be: that place was
//! good. Every further round takes back a particle that was not, so it ends.

use super::Cloth;
use super::collide::{is_lost, least_value, refuge};
use super::keep_off::{Kept, Substep};
use crate::math::Wrench;

/// Rounds of trying to hold off.
const TRIES: usize = 2;

impl Cloth {
    /// Looks for edges whose middle is lost, and mends them.
    pub(super) fn take_back_lost(&mut self, substep: &Substep<'_>, impulses: &mut [Wrench]) {
        self.contacts.is_back.fill(false);
        let mut round = 0;
        while !self.mend_lost(round, substep, impulses) {
            round += 1;
        }
    }

    /// Whether nothing was left to mend.
    fn mend_lost(&mut self, round: usize, substep: &Substep<'_>, impulses: &mut [Wrench]) -> bool {
        let mut is_good = true;
        for e in 0..self.edges.len() {
            let [a, b] = self.edges.all[e].ends.map(|i| i as usize);
            let least = 1e-3 * substep.rules.epsilon;
            let is_stirred = self.contacts.stirred[a] || self.contacts.stirred[b];
            let of = &mut self.contacts.of_edges;
            if !is_stirred && of.trust[e] >= 0.0 && of.next[e] > least {
                continue;
            }
            let middle = 0.5 * (self.places[a] + self.places[b]);
            // The way to where it was looked at was good; the one to where it is now is nowhere farther from it than that.
            let off = substep.steepness * middle.distance(of.settled[e]);
            if off <= of.trust[e] && of.next[e] - off > least {
                continue;
            }
            let before = 0.5 * (self.before[a] + self.before[b]);
            let Some(obstacle) = is_lost(before, middle, substep.near) else {
                of.settled[e] = middle;
                of.next[e] = least_value(middle, substep.near).min(substep.far);
                of.trust[e] = 0.0;
                continue;
            };
            let ends = [a, b];
            let can_go = |i: &usize| self.inverse_masses[*i] > 0.0 && !self.contacts.is_back[*i];
            if !ends.iter().any(can_go) {
                // Held there by a hand, or between obstacles that leave no room.
                continue;
            }
            is_good = false;
            if round < TRIES {
                self.mend_edge(e, substep, impulses);
                ends.into_iter().for_each(|i| self.hold_off_again(i, substep));
            } else {
                ends.into_iter().for_each(|i| self.take_back(i, obstacle, substep));
            }
        }
        is_good
    }

    fn hold_off_again(&mut self, i: usize, substep: &Substep<'_>) {
        if self.inverse_masses[i] == 0.0 {
            return;
        }
        let contacts = &mut self.contacts;
        contacts.stirred[i] = true;
        let mut kept = Kept {
            place: &mut self.places[i],
            anchor: &mut self.anchors[i],
            next: &mut contacts.next[i],
            touch: &mut contacts.touches[i],
        };
        kept.keep_off((self.before[i], contacts.clearance[i]), substep);
    }

    fn take_back(&mut self, i: usize, obstacle: usize, substep: &Substep<'_>) {
        if self.inverse_masses[i] == 0.0 || self.contacts.is_back[i] {
            return;
        }
        let before = self.before[i];
        let was = self.places[i] - self.anchors[i];
        self.contacts.stirred[i] = true;
        self.places[i] = refuge(before, substep.near, obstacle);
        self.anchors[i] = before;
        let kick = (self.places[i] - before) - was;
        let of = &substep.near[obstacle];
        self.contacts.touches[i].add(of.index, kick);
        self.contacts.be_back(i, least_value(self.places[i], substep.near).min(substep.far));
    }
}
