//! How far a motion goes before anything is met.

use super::{Detection, GodObject};
use crate::ccd::sweep::chord_contacts;
use crate::math::{Motion, MotionKind, Pose, Twist};

/// Detection stops at this part of what is left of the skin. More stops sooner; less lets the skin be used up sooner where rows cannot give it back.
const OF_SKIN: f64 = 0.5;
/// Chords may be off curves by this part of the level that is looked for, so that it is still below every point when that is added.
const OF_LEVEL: f64 = 0.1;
/// Under a hand that rests, strides grow no longer than this, in cells: every pass has an end in time, and what falls off something is at the next after some steps. More catches up sooner, takes longer, and is felt as a click: with
/// 1 a part that falls off a lump comes half the way back in the next step.
const LONGEST_STRIDE: f64 = 0.5;
/// Under a hand that moves, they grow to this part of its way in a step: the first pass goes half the way to it. Less, and what slides fast drags behind by as much as it lacks, step after step; more is felt where it falls off something.
const OF_HAND: f64 = 0.5;
/// But no longer than this, in cells: a hand that leaps is followed in steps. More takes longer, and comes off what bends away, by s²/2r for a stride s; less lets a fast hand drag the part behind.
const LONGEST_FAST_STRIDE: f64 = 2.0;
/// What is left of a hand's way in a step, one step later: a simulation that is faster than its device sees the hand stand still between two of its words. Less, and strides have to grow anew after each; more remembers too long.
const OF_LAST_WAY: f64 = 0.9;
/// Chords that a pass in contact is looked at in, at most, about. More take longer; with fewer, parts that have little room turn more slowly.
const MOST_CHORDS: f64 = 16.0;

impl GodObject {
    /// What constraints leave of a wanted step, no longer than the stride while something is near, and whether it would have been longer. What is meant for comparison goes as far as it goes.
    ///
    /// It is what slides that is shortened, not the wish: most of that of a hand far inside leads into the wall, and a part that goes by what is left of a short wish drags behind it.
    pub(super) fn within_stride(&mut self, wanted: &Twist) -> (Twist, bool) {
        let step = self.constrained(wanted);
        let way = self.way(&step);
        if self.options.detection != Detection::Continuous || self.rows.is_empty() || way <= self.stride {
            return (step, false);
        }
        let slide = scaled(&step, self.stride / way);
        (self.approaching(&sum(&slide, &self.press(wanted, &step))), true)
    }

    /// What contacts took of a wish, no more than points reach: with it a part that has come off a curved surface while it slides comes back. More would make all of that of rows that hardly count here.
    /// With friction some of it is along the surface, and was held.
    fn press(&self, wanted: &Twist, step: &Twist) -> Twist {
        if self.options.friction > 0.0 {
            return Twist::ZERO;
        }
        let taken = sum(wanted, &scaled(step, -1.0));
        let reach = self.options.reach * self.pair.surface().cell();
        scaled(&taken, reach / self.way(&taken).max(reach))
    }

    /// A step in contact, shortened until few chords are as near to its curve as the level is to the surface.
    pub(super) fn not_too_crooked(&self, step: Twist) -> Twist {
        if self.options.detection != Detection::Continuous || self.rows.is_empty() {
            return step;
        }
        // r·θ²/8 for one chord, a sixteenth of that for four.
        let turn = step.angular.length();
        let off = self.pair.shell().tree().sphere(0).radius * turn * turn / 8.0;
        let limit = MOST_CHORDS * MOST_CHORDS * OF_LEVEL * self.level_above();
        if off > limit { scaled(&step, (limit / off).sqrt()) } else { step }
    }

    /// Longer strides where nothing is met, shorter ones where something is: no shorter than points reach, for within that rows know of everything.
    pub(super) fn keep_stride(&mut self, step: &Twist, was_limited: bool, part: f64) {
        let least = self.options.reach * self.pair.surface().cell();
        self.stride = self.stride.min(self.longest_stride());
        let way = self.way(step);
        if part < 1.0 {
            self.stride = (part * way).max(least).min(self.longest_stride().max(least));
        } else if was_limited || way > 0.5 * self.stride {
            self.stride = (2.0 * self.stride).min(self.longest_stride());
        }
    }

    /// m.
    pub(super) fn longest_stride(&self) -> f64 {
        let cell = self.pair.surface().cell();
        (OF_HAND * self.hand_way).clamp(LONGEST_STRIDE * cell, LONGEST_FAST_STRIDE * cell)
    }

    /// Learns how fast the hand is, from where it is now.
    pub(super) fn watch_hand(&mut self, world_from_hand: &Pose) {
        let before = self.hand.replace(*world_from_hand);
        let way = before
            .map_or(0.0, |before| self.way(&before.displacement_to(world_from_hand, self.pair.center())));
        // No more is remembered than a step can go, or who leaps once, across the world, is taken for fast ever after.
        let farthest = f64::from(self.options.passes) * LONGEST_FAST_STRIDE * self.pair.surface().cell();
        self.hand_way = way.max(OF_LAST_WAY * self.hand_way).min(farthest);
    }

    /// Goes there, or as far as nothing is met. What part of the way that was.
    pub(super) fn advance(&mut self, to: Pose) -> f64 {
        let stop = match self.options.detection {
            Detection::Continuous => self.first_contact(to),
            Detection::Papers => self.first_new_contact(to),
            Detection::Discrete => None,
        };
        let from = self.pose;
        self.is_fresh = false;
        match stop {
            None => self.pose = to,
            Some(t) => self.pose = Motion::new(MotionKind::Rigid, from, to).pose(t),
        }
        if self.options.detection == Detection::Papers {
            self.look_around();
            self.touching.clear();
            let limit = self.options.iso + self.skin();
            self.touching.extend(self.near.iter().filter(|near| near.value <= limit).map(|near| near.point));
        }
        stop.unwrap_or(1.0)
    }

    /// How far above σ detection stops, m.
    fn level_above(&self) -> f64 {
        OF_SKIN * self.skin().min(self.clearance()).max(0.0)
    }

    /// When a point first comes to a level between σ and all points, along the motion as it is.
    fn first_contact(&mut self, to: Pose) -> Option<f64> {
        let above = self.level_above();
        let motion = self.pair.motion(self.pose, to);
        let between = (self.pair.shell(), &self.pair.surface().obstacle());
        let level = self.options.iso + above;
        let contact = self.neighbours.first_contact(between, &motion, level, OF_LEVEL * above)?;
        // A hit is never late, and what is not a number is at once.
        Some(if contact.hit.t.is_finite() { contact.hit.t } else { 0.0 })
    }

    /// As 2016: along chords, without the points that touched before.
    fn first_new_contact(&self, to: Pose) -> Option<f64> {
        let rigid = self.pair.motion(self.pose, to);
        let chord = Motion::new(MotionKind::Chord, rigid.pose(0.0), rigid.pose(1.0));
        let obstacle = self.pair.surface().obstacle();
        let contacts = chord_contacts(self.pair.shell(), obstacle, &chord, self.options.iso);
        let new = contacts.iter().filter(|of| !self.touching.contains(&of.point));
        new.filter_map(|of| of.intervals.first().map(|first| first.start)).min_by(f64::total_cmp)
    }
}

fn sum(a: &Twist, b: &Twist) -> Twist {
    Twist { linear: a.linear + b.linear, angular: a.angular + b.angular }
}

fn scaled(step: &Twist, by: f64) -> Twist {
    Twist { linear: step.linear * by, angular: step.angular * by }
}
