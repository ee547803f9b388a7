//! One motion: patches of the surface and parts of the time, halved until they are clear.

use super::looks::{Look, Time};
use super::parts::{Pace, Patch};
use super::{Answer, Doubt, LegReport, Near, PathChecker, Reason};
use crate::math::Motion;

/// How much of the nearest distance found so far is proven before a patch is let go: the clearance that is told is at least this share of the
/// true one. More takes longer.
const SHARE: f64 = 0.9;
/// Parts of the tolerance: what is closer than the first is not followed once it moves less than the second.
const CLOSE: f64 = 0.5;
const STILL: f64 = 0.125;
/// The same where planes do not separate what seems to be apart: after that many more halvings it is given up.
const STUCK: f64 = 0.125 / 64.0;
/// A triangle is compared with others once it moves less than this part of its size, or of what it is to keep. More compares it with many that it
/// comes near on a long way; less takes more halvings of the time.
const LARGE: f64 = 0.5;
/// Patches looked at before a leg is given up: minutes.
const MOST_LOOKS: u64 = 1 << 28;

/// So many patches in doubt over a time are worth a look at both surfaces halfway: what touches then is found at once, and later times need not be looked at. Fewer spends looks on
/// what is free; more goes on halving around parts that are deep in each other.
const PROBED: usize = 256;

/// Times of which rounding hides too much, after which the rest of a leg is left in doubt: at each the two surfaces are looked at as a whole.
const MOST_UNRESOLVED: u32 = 1 << 10;

/// What is looked at: a node of the tree, or a triangle or a part of one.
#[derive(Debug, Clone, Copy)]
enum Item {
    Node(u32),
    Patch(Patch),
}

/// The search along one motion.
pub(super) struct Search<'a> {
    pub(super) checker: &'a PathChecker<'a>,
    pub(super) motion: &'a Motion,
    /// Whether the clearance is wanted, beyond that it is enough.
    wants_clearance: bool,
    /// Whether any contact will do, be it not the first.
    wants_any: bool,
    /// The nearest pair found, at any time.
    nearest: Option<Near>,
    /// The earliest contact found.
    pub(super) contact: Option<Near>,
    undecided: Option<Doubt>,
    looks: u64,
    pub(super) pace: Pace,
    /// How far places are rounded at most.
    rounding: f64,
    /// How far anything is from the origins of both at most.
    far: f64,
    /// Times of which rounding hides too much, and when the last of them begins.
    unresolved: (u32, f64),
}

impl<'a> Search<'a> {
    pub(super) fn new(checker: &'a PathChecker<'a>, motion: &'a Motion) -> Self {
        let root = checker.moving.spheres.first();
        let reach = root.map_or(0.0, |sphere| sphere.center.length() + sphere.radius);
        let bounds = checker.fixed.field.grid().bounds();
        let far = reach + bounds.min.abs().max(bounds.max.abs()).length();
        Self {
            checker,
            motion,
            wants_clearance: false,
            wants_any: false,
            nearest: None,
            contact: None,
            undecided: None,
            looks: 0,
            pace: checker.moving.pace(motion),
            rounding: motion.rounding(far),
            far,
            unresolved: (0, f64::NAN),
        }
    }

    /// The same, with the clearance; the distance at the beginning is where to start from.
    pub(super) fn with_clearance(mut self, from: f64) -> Self {
        self.wants_clearance = true;
        let place = self.motion.frame_from_body(from);
        self.nearest = self.checker.nearest_at(&place, f64::INFINITY).map(|near| Near { t: from, ..near });
        if let Some(near) = self.nearest
            && near.distance <= self.required()
        {
            self.contact = Some(near);
        }
        self
    }

    /// The same, ending at the first contact that is found, which need not be the earliest.
    pub(super) fn for_any_contact(mut self) -> Self {
        self.wants_any = true;
        self
    }

    fn required(&self) -> f64 {
        self.checker.options.clearance
    }

    /// What must be kept for a patch to be let go.
    fn target(&self) -> f64 {
        let required = self.required();
        match self.nearest {
            Some(near) if self.wants_clearance => required + SHARE * (near.distance - required).max(0.0),
            _ => required,
        }
    }

    /// Looks at all times from `from` on, earlier ones first.
    pub(super) fn run(&mut self, from: f64) {
        if self.checker.moving.patches.is_empty() || from >= 1.0 {
            return;
        }
        // Poses so far away that their distance overflows prove nothing, and halving them would never end.
        let Pace { speed, acceleration, .. } = self.pace;
        let moves = speed.at(self.far) + acceleration.at(self.far) + self.rounding;
        if !moves.is_finite() {
            self.give_up(from, Reason::GivenUp);
            return;
        }
        self.look_during(from, 1.0, &[Item::Node(0)]);
        if self.checker.is_cancelled() {
            self.give_up(from, Reason::Cancelled);
            return;
        }
        // Only what is between the ends of a time was looked at.
        if self.contact.is_none() && self.undecided.is_some() {
            let end = self.motion.frame_from_body(1.0);
            let near = self.checker.nearest_at(&end, self.required().next_up());
            self.contact = near.map(|near| Near { t: 1.0, ..near });
        }
    }

    /// What was not looked at is not known.
    fn give_up(&mut self, t: f64, reason: Reason) {
        let doubt = self.nearest.map_or(Doubt::nowhere(t, reason), |near| Doubt { near, reason });
        self.undecided = self.undecided.or(Some(doubt));
    }

    fn look_during(&mut self, start: f64, end: f64, items: &[Item]) {
        // What is after a contact is looked for elsewhere.
        let is_enough = self.checker.is_cancelled() || self.unresolved.0 == MOST_UNRESOLVED;
        if is_enough || self.contact.is_some_and(|contact| self.wants_any || contact.t <= start) {
            return;
        }
        let time = Time::new(self.motion, self.pace, (start, end), self.rounding);
        let mut kept = Vec::new();
        let mut waiting = items.to_vec();
        while let Some(item) = waiting.pop() {
            self.looks += 1;
            match item {
                Item::Node(node) => self.look_at_node(node, &time, &mut waiting, &mut kept),
                Item::Patch(patch) => self.look_at_patch(patch, &time, &mut waiting, &mut kept),
            }
        }
        let middle = time.middle();
        let can_halve = start < middle && middle < end && self.looks < MOST_LOOKS;
        if kept.is_empty() {
            return;
        }
        if !can_halve {
            self.give_up(middle, Reason::GivenUp);
            return;
        }
        let is_probed = kept.len() > PROBED && self.contact.is_none_or(|contact| contact.t > middle);
        if is_probed && let Some(near) = self.checker.nearest_at(&time.at[1], self.required().next_up()) {
            self.contact = Some(Near { t: middle, ..near });
        }
        self.look_during(start, middle, &kept);
        self.look_during(middle, end, &kept);
    }

    fn look_at_node(&mut self, node: u32, time: &Time, waiting: &mut Vec<Item>, kept: &mut Vec<Item>) {
        let moving = self.checker.moving;
        let sphere = moving.spheres[node as usize];
        let way = time.way(self.pace.radius_of(&sphere));
        let center = time.at[1].transform_point3(sphere.center);
        let target = self.target();
        if self.checker.stays_clear(&sphere, time, target) {
            return;
        }
        // The mesh is asked where the field's error would hide that it is far enough.
        let asks_mesh = sphere.radius + way < 4.0 * self.checker.fixed.field.error_bound();
        if asks_mesh && self.checker.is_farther(center, target + sphere.radius + way, asks_mesh) {
            return;
        }
        if way > sphere.radius.max(self.checker.tolerance) {
            self.keep(Item::Node(node), way, time, kept);
            return;
        }
        let children = moving.tree.children(node as usize);
        if children.is_empty() {
            let patches = &moving.patches[moving.tree.point_range(node as usize)];
            waiting.extend(patches.iter().map(|patch| Item::Patch(*patch)));
        } else {
            waiting.extend(children.map(|child| Item::Node(child as u32)));
        }
    }

    fn look_at_patch(&mut self, patch: Patch, time: &Time, waiting: &mut Vec<Item>, kept: &mut Vec<Item>) {
        let checker = self.checker;
        let way = time.way(self.pace.radius_of_patch(&patch));
        let target = self.target();
        let center = time.at[1].transform_point3(patch.sphere.center);
        let error = checker.fixed.field.error_bound();
        let is_fast = way > LARGE * patch.sphere.radius.max(target).max(error).max(checker.tolerance);
        if checker.is_farther(center, target + patch.sphere.radius + way, !is_fast) {
            return;
        }
        if is_fast {
            self.keep(Item::Patch(patch), way, time, kept);
            return;
        }
        let pair = match checker.look(&patch, time, target) {
            Look::Clear => return,
            Look::Crowded if way > patch.sphere.radius => {
                return self.keep(Item::Patch(patch), way, time, kept);
            }
            Look::Crowded => return waiting.extend(patch.quarters().map(Item::Patch)),
            Look::Unclear(pair) => pair,
        };
        let Some(pair) = pair else { return self.keep(Item::Patch(patch), way, time, kept) };
        let near = checker.near(&pair, time.middle());
        if self.nearest.is_none_or(|nearest| near.distance < nearest.distance) {
            self.nearest = Some(near);
        }
        let excess = near.distance - self.required();
        let tolerance = checker.tolerance;
        if excess <= 0.0 && self.contact.is_none_or(|contact| near.t < contact.t) {
            self.contact = Some(near);
        }
        if (excess < CLOSE * tolerance && way < STILL * tolerance)
            || way < STUCK * tolerance
            || time.is_rounding(way)
        {
            // Written so that what is no number is in doubt.
            let is_contact = excess <= 0.0;
            if !is_contact {
                let is_small = way < STILL * tolerance;
                self.doubt(near, if is_small { Reason::TooClose } else { Reason::Rounding });
            }
            return;
        }
        kept.push(Item::Patch(patch));
    }

    /// Keeps what moves too far for halves of the time, unless most of that is rounding, which halving leaves as it is. Then all that can be told is whether
    /// there is contact halfway.
    fn keep(&mut self, item: Item, way: f64, time: &Time, kept: &mut Vec<Item>) {
        if !time.is_rounding(way) {
            return kept.push(item);
        }
        let (times, last) = self.unresolved;
        if last == time.start || times == MOST_UNRESOLVED {
            return;
        }
        self.unresolved = (times + 1, time.start);
        let t = time.middle();
        match self.checker.nearest_at(&time.at[1], f64::INFINITY).map(|near| Near { t, ..near }) {
            Some(near) if near.distance <= self.required() => {
                if self.contact.is_none_or(|contact| t < contact.t) {
                    self.contact = Some(near);
                }
            }
            Some(near) => self.doubt(near, Reason::Rounding),
            None => self.doubt(Doubt::nowhere(t, Reason::Rounding).near, Reason::Rounding),
        }
    }

    /// Remembers the first place that was not told.
    fn doubt(&mut self, near: Near, reason: Reason) {
        if self.undecided.is_none_or(|doubt| near.t < doubt.near.t) {
            self.undecided = Some(Doubt { near, reason });
        }
    }

    pub(super) fn answer(&self) -> Answer {
        match (&self.contact, &self.undecided) {
            (Some(_), _) => Answer::Contact,
            (None, Some(_)) => Answer::Undecided,
            (None, None) => Answer::Free,
        }
    }

    /// What came out, with all times of contact.
    pub(super) fn report(self, from: f64) -> LegReport {
        let answer = self.answer();
        let clearance = match answer {
            Answer::Free => self.target(),
            // What was let go before is no bound of the whole.
            Answer::Undecided | Answer::Contact | Answer::LetPass => 0.0,
        };
        let stretches = if self.contact.is_some() { self.stretches(from) } else { Vec::new() };
        let contact = self.contact.map(|near| (near, self.motion.pose(near.t)));
        LegReport {
            answer,
            from,
            clearance,
            nearest: self.nearest,
            contact,
            undecided: self.undecided,
            stretches,
            looks: self.looks,
        }
    }
}
