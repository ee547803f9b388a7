//! A small motion planner: trees of poses that grow towards each other (RRT-Connect, Kuffner and LaValle 2000).
//!
//! It looks at poses, close to each other; that nothing touches in between is for others to prove.

use glam::{DQuat, DVec3};
use isotouch::math::Pose;

use crate::random::Random;

/// What to plan, all lengths in one unit.
pub(crate) struct Plan<'a> {
    /// Whether a pose is as clear as it should be.
    pub(crate) is_clear: &'a dyn Fn(&Pose) -> bool,
    /// How far a radian moves the part, for the distance of two poses.
    pub(crate) per_radian: f64,
    /// Poses that are looked at are so far apart. Larger ones step over what is thin, smaller ones take longer.
    pub(crate) step: f64,
    /// Positions are looked for within that distance from the origin.
    pub(crate) within: f64,
    /// Poses that are added before it is given up.
    pub(crate) most_poses: usize,
    pub(crate) seed: u64,
}

/// How far a tree grows at once, in steps. Longer ones leave fewer poses, shorter ones find more ways around corners.
const STEPS: f64 = 8.0;
/// Of how many samples one is anywhere; the others are near a pose that was reached. In narrow places most poses anywhere lead nowhere.
const ANYWHERE: f64 = 0.4;
/// How far from it such a sample is at most, in steps.
const NEARBY: f64 = 24.0;

struct Tree {
    poses: Vec<Pose>,
    parents: Vec<usize>,
}

impl Tree {
    fn new(root: Pose) -> Self {
        Self { poses: vec![root], parents: vec![0] }
    }

    fn way_to(&self, mut at: usize) -> Vec<Pose> {
        let mut way = vec![self.poses[at]];
        while at != 0 {
            at = self.parents[at];
            way.push(self.poses[at]);
        }
        way.reverse();
        way
    }
}

/// A way, and what it took.
pub(crate) struct Planned {
    pub(crate) path: Vec<Pose>,
    /// Poses that were reached.
    pub(crate) poses: usize,
}

impl Plan<'_> {
    /// A path between two clear poses, or `None` if none was found.
    pub(crate) fn path(&self, from: Pose, to: Pose) -> Option<Planned> {
        let mut random = Random::new(self.seed);
        let mut trees = [Tree::new(from), Tree::new(to)];
        let mut grows = 0;
        while trees[0].poses.len() + trees[1].poses.len() < self.most_poses {
            let sample = self.sample(&mut random, &trees[grows]);
            if let Some(reached) = self.grow(&mut trees[grows], &sample) {
                let goal = trees[grows].poses[reached];
                let other = &mut trees[1 - grows];
                // As far as it goes.
                while let Some(next) = self.grow(other, &goal) {
                    if self.distance(&other.poses[next], &goal) == 0.0 {
                        let [first, second] = if grows == 0 { [reached, next] } else { [next, reached] };
                        let mut path = trees[0].way_to(first);
                        path.extend(trees[1].way_to(second).into_iter().rev().skip(1));
                        let poses = trees.iter().map(|tree| tree.poses.len()).sum();
                        return Some(Planned { path, poses });
                    }
                }
            }
            // The smaller one next, so that both grow although one is in a narrow place.
            grows = usize::from(trees[1].poses.len() < trees[0].poses.len());
        }
        None
    }

    /// Shorter, with fewer poses: pieces of it are replaced by straight ones where `is_free`.
    pub(crate) fn shortened(
        &self,
        mut path: Vec<Pose>,
        tries: usize,
        is_free: &dyn Fn(&Pose, &Pose) -> bool,
    ) -> Vec<Pose> {
        let mut random = Random::new(self.seed);
        for _ in 0..tries {
            if path.len() < 3 {
                break;
            }
            let mut place = || {
                let at = random.unit() * (path.len() - 1) as f64;
                (at as usize, between(&path[at as usize], &path[at as usize + 1], at.fract()))
            };
            let (mut one, mut other) = (place(), place());
            if one.0 > other.0 {
                std::mem::swap(&mut one, &mut other);
            }
            if one.0 == other.0 || !self.is_clear_between(&one.1, &other.1) {
                continue;
            }
            let is_kept = |poses: [&Pose; 2]| is_free(poses[0], poses[1]);
            // The pieces that are cut off remain as they were, but for rounding, and are asked about all the same.
            let before = &path[one.0];
            let after = &path[other.0 + 1];
            if is_kept([&one.1, &other.1]) && is_kept([before, &one.1]) && is_kept([&other.1, after]) {
                path.splice(one.0 + 1..=other.0, [one.1, other.1]);
            }
        }
        // Poses that are not needed.
        let mut at = 1;
        while at + 1 < path.len() {
            if self.is_clear_between(&path[at - 1], &path[at + 1]) && is_free(&path[at - 1], &path[at + 1]) {
                path.remove(at);
            } else {
                at += 1;
            }
        }
        path
    }

    fn sample(&self, random: &mut Random, tree: &Tree) -> Pose {
        if random.unit() < ANYWHERE {
            let rotation = random.rotation();
            return Pose { position: random.direction() * self.within * random.unit().cbrt(), rotation };
        }
        let near = tree.poses[(random.unit() * tree.poses.len() as f64) as usize];
        let far = NEARBY * self.step;
        let turn = DQuat::from_axis_angle(random.direction(), far / self.per_radian * random.unit());
        let position = near.position + random.direction() * far * random.unit();
        Pose { position, rotation: (turn * near.rotation).normalize() }
    }

    /// Adds a pose on the way from the nearest one towards a goal, the goal itself if it is near; `None` where that is not clear.
    fn grow(&self, tree: &mut Tree, goal: &Pose) -> Option<usize> {
        let nearness = |pose: &Pose| self.distance(pose, goal);
        let nearest = (0..tree.poses.len())
            .min_by(|&a, &b| nearness(&tree.poses[a]).total_cmp(&nearness(&tree.poses[b])))?;
        let from = tree.poses[nearest];
        let distance = nearness(&from);
        if distance == 0.0 {
            return Some(nearest);
        }
        let part = STEPS * self.step / distance;
        let next = if part >= 1.0 { *goal } else { between(&from, goal, part) };
        if !self.is_clear_between(&from, &next) {
            return None;
        }
        tree.poses.push(next);
        tree.parents.push(nearest);
        Some(tree.poses.len() - 1)
    }

    fn distance(&self, a: &Pose, b: &Pose) -> f64 {
        // 2·sin(angle/2) = |a − b| of unit quaternions, of which ±b are the same rotation.
        let (one, other) = ((a.rotation - b.rotation).length(), (a.rotation + b.rotation).length());
        a.position.distance(b.position) + 2.0 * self.per_radian * one.min(other)
    }

    fn is_clear_between(&self, a: &Pose, b: &Pose) -> bool {
        let count = (self.distance(a, b) / self.step).ceil().max(1.0);
        // The end first: where it is not clear, the rest need not be looked at.
        (1..=count as u32).rev().all(|k| (self.is_clear)(&between(a, b, f64::from(k) / count)))
    }
}

/// As `MotionKind::Rigid` does.
fn between(a: &Pose, b: &Pose, t: f64) -> Pose {
    Pose {
        position: DVec3::lerp(a.position, b.position, t),
        rotation: a.rotation.slerp(b.rotation, t).normalize(),
    }
}
