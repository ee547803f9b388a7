//! All times of contact of a motion.

use super::Stretch;
use super::leg::Search;

/// Poses are looked at that are no farther apart than this part of the moving part's size.
const APART: f64 = 1.0 / 256.0;
/// And no more than so many.
const MOST_POSES: f64 = 1024.0;

impl Search<'_> {
    /// From the first contact on, pose by pose: in contact or not, and those in contact side by side are a stretch. Contact
    /// between two poses that is at neither of them is not among them; that there is one the search along the motion told.
    pub(super) fn stretches(&self, from: f64) -> Vec<Stretch> {
        let Some(first) = self.contact else { return Vec::new() };
        let checker = self.checker;
        let way = self.pace.fastest();
        let poses = (way / (APART * checker.moving.size())).clamp(1.0, MOST_POSES).ceil();
        let required = checker.options.clearance;
        let touches = |t: f64| {
            let place = self.motion.frame_from_body(t);
            // Just above, so that a distance that is exactly the clearance asked for counts.
            checker.nearest_at(&place, required.next_up()).is_some()
        };
        let mut stretches = vec![Stretch { start: first.t, end: first.t }];
        let mut was_touching = true;
        for k in 0..=poses as u32 {
            let t = from + (1.0 - from) * f64::from(k) / poses;
            if t <= first.t || checker.is_cancelled() {
                continue;
            }
            let is_touching = touches(t);
            match stretches.last_mut() {
                Some(last) if is_touching && was_touching => last.end = t,
                _ if is_touching => stretches.push(Stretch { start: t, end: t }),
                _ => {}
            }
            was_touching = is_touching;
        }
        stretches
    }
}
