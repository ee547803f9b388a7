//! Bodies that touch each other, directly or by others: what moves one of them may move all, and nobody else.

use super::rows::Row;
use crate::dynamics::pairs::Watched;
use crate::dynamics::world::World;

/// Bodies that are solved for at once.
pub(super) struct Island {
    /// Those that forces move, in order.
    pub(super) bodies: Vec<usize>,
    /// Which of the roles are theirs, in order.
    pub(super) roles: Vec<usize>,
}

impl World {
    /// By the first body of each. What does not move, or is led, joins nobody.
    pub(super) fn islands(&self, watched: &[Watched], found: &[Vec<Row>]) -> Vec<Island> {
        let mut groups = Groups::new(self.bodies.len());
        let touching = || watched.iter().zip(found).enumerate().filter(|(_, (_, rows))| !rows.is_empty());
        let moved_by = |of: &Watched| {
            [Some(of.role.shell_of), of.role.on.body()].map(|k| k.filter(|&k| self.bodies[k].is_dynamic()))
        };
        let mut is_touched = vec![false; self.bodies.len()];
        for (_, (of, _)) in touching() {
            let both = moved_by(of);
            for k in both.into_iter().flatten() {
                is_touched[k] = true;
            }
            if let [Some(a), Some(b)] = both {
                groups.join(a, b);
            }
        }
        let mut place = vec![usize::MAX; self.bodies.len()];
        let mut islands: Vec<Island> = Vec::new();
        for body in (0..self.bodies.len()).filter(|&k| is_touched[k]) {
            let first = groups.first_of(body);
            if first == body {
                place[body] = islands.len();
                islands.push(Island { bodies: Vec::new(), roles: Vec::new() });
            }
            islands[place[first]].bodies.push(body);
        }
        for (k, (of, _)) in touching() {
            if let Some(body) = moved_by(of).into_iter().flatten().next() {
                islands[place[groups.first_of(body)]].roles.push(k);
            }
        }
        islands
    }
}

/// Who belongs together, by the first of them.
struct Groups {
    /// Somebody before, of the same group; oneself for the first.
    before: Vec<usize>,
}

impl Groups {
    fn new(count: usize) -> Self {
        Self { before: (0..count).collect() }
    }

    fn first_of(&mut self, of: usize) -> usize {
        let mut at = of;
        while self.before[at] != at {
            // Half of the way is cut off each time.
            self.before[at] = self.before[self.before[at]];
            at = self.before[at];
        }
        at
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first_of(a), self.first_of(b));
        self.before[a.max(b)] = a.min(b);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_told_by_their_first() {
        let mut groups = Groups::new(8);
        for (a, b) in [(5, 3), (7, 5), (2, 6), (6, 2), (1, 7)] {
            groups.join(a, b);
        }
        let firsts: Vec<usize> = (0..8).map(|k| groups.first_of(k)).collect();
        assert_eq!(firsts, [0, 1, 2, 1, 4, 1, 2, 1]);
    }
}
