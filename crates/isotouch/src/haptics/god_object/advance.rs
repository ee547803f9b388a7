//! How far a motion goes before anything is met.

use super::{Detection, GodObject};
use crate::ccd::sweep::chord_contacts;
use crate::math::{Motion, MotionKind, Pose};

/// Detection stops at this part of what is left of the skin. More stops sooner; less lets the skin be used up sooner where rows cannot give it back.
const OF_SKIN: f64 = 0.5;
/// Chords may be off curves by this part of the level that is looked for, so that it is still below every point when that is added.
const OF_LEVEL: f64 = 0.1;

impl GodObject {
    /// Goes there, or as far as nothing is met. Whether it went all the way.
    pub(super) fn advance(&mut self, to: Pose) -> bool {
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
        stop.is_none()
    }

    /// When a point first comes to a level between σ and all points, along the motion as it is.
    fn first_contact(&self, to: Pose) -> Option<f64> {
        let skin = self.skin();
        let above = OF_SKIN * skin.min(self.clearance());
        let motion = self.pair.motion(self.pose, to);
        let obstacle = self.pair.surface().obstacle();
        let level = self.options.iso + above;
        let contact = obstacle.first_contact(self.pair.shell(), &motion, level, OF_LEVEL * above)?;
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
