//! Contacts that the free motion did not tell of.
//!
//! Rows are looked for along the motion without contact, and within a margin of it. Of bodies that fall together none touches another; but where the lowest is stopped, the next one falls into it within the same
//! step. So pairs that are led off their free motion by more than the margin are looked at again, along the motion that was found, and those that meet then are solved for as well; and again, since each that is stopped
//! may be in the way of the next. Pairs that may meet along that motion only are watched from then on.

use super::island::Island;
use super::rows::Row;
use super::seeming::{Key, key, pairs_of};
use super::{Course, Settled, Tried};
use crate::dynamics::pairs::{Pair, Role, Watched, watched_again};
use crate::dynamics::world::World;
use crate::math::Twist;

/// Most times: as many bodies high is a stack that can be stopped in one step. What is left overlaps, and comes apart in the next.
const MOST_LOOKS: usize = 16;
impl World {
    /// Islands of bodies with velocities for the contacts along the free motion that are sure.
    pub(super) fn first_islands(
        &self,
        watched: &[Watched],
        found: &mut [Vec<Row>],
        course: &mut Course,
    ) -> Settled {
        let put_off = self.put_off(watched, found, course, |_| true);
        let islands = self.islands(watched, found);
        let tried = |island: &Island| self.tried(island, (watched, found), course, None);
        let best = islands.iter().map(tried).collect();
        Settled { islands, best, put_off }
    }

    /// Finds contacts that come of the motion that was found, of bodies that were led off another, and velocities for these as well.
    pub(super) fn settle(
        &self,
        (pairs, watched): (&mut Vec<Pair>, &mut Vec<Watched>),
        (found, settled): (&mut Vec<Vec<Row>>, &mut Settled),
        course: &mut Course,
        led_off: Vec<usize>,
    ) {
        let mut is_led_off = vec![false; self.bodies.len()];
        led_off.into_iter().for_each(|k| is_led_off[k] = true);
        for look in 0..MOST_LOOKS {
            if is_led_off.contains(&true) {
                self.watch_more(pairs, (watched, found), course);
            }
            // What was put off may be of bodies that nothing else leads off.
            let put_off: &[Key] = if look == 0 { &settled.put_off } else { &[] };
            let is_new =
                self.add_surprises((watched, [put_off, &settled.put_off]), found, course, &is_led_off);
            let before = std::mem::replace(&mut settled.islands, self.islands(watched, found));
            if !is_new.contains(&true) {
                // Roles that are watched since may stand between the others. They have no rows: islands are the same, but for where their roles are.
                break;
            }
            is_led_off.fill(false);
            let mut before = before.into_iter().zip(std::mem::take(&mut settled.best)).peekable();
            for island in &settled.islands {
                // Both are in the order of their first bodies, and islands only grow.
                while before.next_if(|(of, _)| of.bodies[0] < island.bodies[0]).is_some() {}
                let is_same = |(of, _): &(Island, Tried)| of.bodies == island.bodies;
                let has_new = island.roles.iter().any(|&role| is_new[role]);
                if let Some((_, kept)) = before.next_if(|of| is_same(of) && !has_new) {
                    settled.best.push(kept);
                    continue;
                }
                for &k in &island.bodies {
                    is_led_off[k] = true;
                }
                let twist =
                    |&k: &usize| Twist { linear: course.moves[k].velocity, angular: course.moves[k].rate };
                let start: Vec<Twist> = island.bodies.iter().map(twist).collect();
                settled.best.push(self.tried(island, (watched, found), course, Some(&start)));
            }
        }
    }

    /// Watches those as well who may meet along the motion that was found. Nothing is known of their contacts yet. Those along the free motion stay: their planes are laid.
    fn watch_more(
        &self,
        pairs: &mut Vec<Pair>,
        (watched, found): (&mut Vec<Watched>, &mut Vec<Vec<Row>>),
        course: &Course,
    ) {
        let now = self.pairs(&course.steps);
        let more: Vec<Pair> = now.into_iter().filter(|pair| pairs.binary_search(pair).is_err()).collect();
        if more.is_empty() {
            return;
        }
        pairs.extend(more);
        pairs.sort_unstable();
        let before: Vec<_> = watched.iter().map(key).collect();
        *watched = watched_again(self.roles(pairs), std::mem::take(watched));
        let mut rows = before.into_iter().zip(std::mem::take(found)).peekable();
        let rows_of = |of: &Watched| rows.next_if(|(known, _)| *known == key(of)).map(|(_, rows)| rows);
        *found = watched.iter().map(rows_of).map(Option::unwrap_or_default).collect();
    }

    /// Adds rows of roles whose points come to be inside only along the motion that was found, and tells which.
    fn add_surprises(
        &self,
        (watched, [asked_anyway, put_off]): (&mut [Watched], [&[Key]; 2]),
        found: &mut [Vec<Row>],
        course: &Course,
        is_led_off: &[bool],
    ) -> Vec<bool> {
        let is_asked: Vec<bool> = watched
            .iter()
            .map(|of| {
                let concerns =
                    is_led_off[of.role.shell_of] || of.role.on.body().is_some_and(|j| is_led_off[j]);
                let is_among = |keys: &[Key]| keys.binary_search(&key(of)).is_ok();
                is_among(asked_anyway)
                    || concerns
                        && (is_among(put_off)
                            || self.departure(&of.role, course) > self.margin(of.role.on, of.role.shell_of))
            })
            .collect();
        if !is_asked.contains(&true) {
            return is_asked;
        }
        let mut more = self.rows_of(watched, &course.steps, |k| is_asked[k]);
        let mut is_new = vec![false; watched.len()];
        for roles in pairs_of(watched).filter(|roles| roles.clone().any(|k| is_asked[k])) {
            let held = self.depth_held(watched, found, course, roles.clone());
            if held.is_none() {
                // New to each other: some of these may only seem to be.
                self.put_off(&watched[roles.clone()], &mut more[roles.clone()], course, |_| true);
            }
            for k in roles {
                is_new[k] = self.add_deep(
                    &watched[k].role,
                    (&mut found[k], std::mem::take(&mut more[k])),
                    course,
                    held,
                );
            }
        }
        is_new
    }

    /// Adds rows of a role that come inside on the way, not only at its end: what is fast may be through something thin by then. Where its pair is held already, those that
    /// come no deeper than that hold where they end: they slid below an edge. Whether there were any.
    fn add_deep(
        &self,
        role: &Role,
        (found, mut more): (&mut Vec<Row>, Vec<Row>),
        course: &Course,
        held: Option<f64>,
    ) -> bool {
        more.retain(|row| found.binary_search_by_key(&row.point, |of| of.point).is_err());
        let Some(pair) = self.on_surface(role, &course.steps).filter(|_| !more.is_empty()) else {
            return false;
        };
        let surface = pair.obstacle.touchable();
        match held {
            // What is near them may be pressed in.
            None if more.iter().any(|row| surface.touches(&pair.chord(row.point), -role.overlap)) => {}
            None => more.clear(),
            Some(held) => {
                let own = self.bodies[role.shell_of].shape.field();
                more = more.iter().filter_map(|row| row.as_it_holds((role, own), &pair, held)).collect();
            }
        }
        let is_new = !more.is_empty();
        found.append(&mut more);
        found.sort_by_key(|row| row.point);
        is_new
    }

    /// How far points of a role may be from where the free motion leads them, relative to what they touch, m.
    fn departure(&self, role: &Role, course: &Course) -> f64 {
        let of = |k: usize| {
            let body = &self.bodies[k];
            let (free, now) = (&course.free[k].pose, &course.moves[k].pose);
            let around = body.shape.around();
            let reach = around.radius + (around.center - body.center).length();
            let turn = free.rotation.angle_between(now.rotation);
            (now.place(body.center) - free.place(body.center), reach * turn)
        };
        let (shift, swing) = of(role.shell_of);
        let (other_shift, other_swing) = role.on.body().map_or_else(Default::default, of);
        (shift - other_shift).length() + swing + other_swing
    }
}
