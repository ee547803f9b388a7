//! What the servo loop knows of contact until the simulation says more.
//!
//! The simulation says where the part is and which planes hold it back there. Between two such words the hand goes on, and a thousandth of a second later the part would be elsewhere: on the same planes, most
//! often. So the servo loop solves the same small program, from the last known pose: the part slides along its planes with the hand, and the force is that of contact, not of a part that
//! lags behind. In free space nothing is felt.

use glam::DVec3;

use crate::contact::constraint::{Row, Solver};
use crate::haptics::{Coupling, Renderer};
use crate::math::spatial::Cholesky6;
use crate::math::{Pose, Twist, Wrench};

/// Most planes that are told, the nearest ones. Six hold a part; the rest are those it may come to next.
pub(super) const MOST_PLANES: usize = 48;

/// The word of the simulation.
#[derive(Debug, Clone, Copy)]
pub(super) struct LocalModel {
    /// Of the device's state that it answers to, s.
    pub(super) time: f64,
    pub(super) pose: Pose,
    pub(super) twist: Twist,
    pub(super) contacts: u32,
    pub(super) penetration: f64,
    pub(super) is_stuck: bool,
    /// How long the simulation took for it, s.
    pub(super) seconds: f64,
    /// Words before this one.
    pub(super) steps: u64,
    kind: Kind,
}

/// What the part does until the next word.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// It slides along planes.
    Planes { metric: Cholesky6, planes: [Row; MOST_PLANES], count: usize },
    /// It goes where the hand goes.
    Free,
    /// It goes on with its velocity.
    Moving,
}

const NO_PLANE: Row = Row { direction: Wrench::ZERO, bound: f64::INFINITY };

impl LocalModel {
    /// Before the first step.
    pub(super) fn at(pose: Pose) -> Self {
        Self {
            time: f64::NEG_INFINITY,
            pose,
            twist: Twist::ZERO,
            contacts: 0,
            penetration: 0.0,
            is_stuck: false,
            seconds: 0.0,
            steps: 0,
            kind: Kind::Free,
        }
    }

    /// What there is to know of a renderer, for a hand that was told of at `time`.
    pub(super) fn fill(&mut self, renderer: &Renderer, order: &mut Vec<u32>) {
        self.kind = match renderer {
            Renderer::Penalty(_) => Kind::Moving,
            Renderer::Constraint(god, _) => planes(god.rows(), order)
                .zip(Cholesky6::new(&god.pair().metric(god.pose().rotation)))
                .map_or(Kind::Free, |((planes, count), metric)| Kind::Planes { metric, planes, count }),
        };
    }

    /// Where the part is for this hand, and how it moves. Does not allocate.
    pub(super) fn part_for(
        &self,
        hand: (&Pose, &Twist),
        now: f64,
        center: DVec3,
        solver: &mut Solver,
    ) -> (Pose, Twist) {
        match &self.kind {
            Kind::Free => (*hand.0, *hand.1),
            Kind::Moving => {
                // Not far: what is older than a few steps is stale.
                let since = (now - self.time).clamp(0.0, 0.01);
                let way = Twist { linear: self.twist.linear * since, angular: self.twist.angular * since };
                (self.pose.displaced(&way, center), self.twist)
            }
            Kind::Planes { metric, planes, count } => {
                let planes = &planes[..*count];
                let wanted = self.pose.displacement_to(hand.0, center);
                let found = solver.solve_or_relax(metric, &wanted, planes, &[]);
                let step = if found.is_minimum() { found.step } else { Twist::ZERO };
                let pose = self.pose.displaced(&step, center);
                // Only planes that hold it hold its velocity.
                let mut holding = [NO_PLANE; 12];
                let mut held = 0;
                for weight in solver.weights().iter().take(holding.len()) {
                    holding[held] = Row { bound: 0.0, ..planes[weight.row] };
                    held += 1;
                }
                let moves = solver.solve(metric, hand.1, &holding[..held]);
                (pose, if moves.is_minimum() { moves.step } else { Twist::ZERO })
            }
        }
    }
}

/// The nearest planes, in their order; `None` if there are none.
fn planes(rows: &[Row], order: &mut Vec<u32>) -> Option<([Row; MOST_PLANES], usize)> {
    if rows.is_empty() {
        return None;
    }
    order.clear();
    order.extend(0..rows.len() as u32);
    if rows.len() > MOST_PLANES {
        order.select_nth_unstable_by(MOST_PLANES - 1, |&a, &b| {
            rows[a as usize].bound.total_cmp(&rows[b as usize].bound).then(a.cmp(&b))
        });
        order.truncate(MOST_PLANES);
        order.sort_unstable();
    }
    let mut planes = [NO_PLANE; MOST_PLANES];
    for (plane, &row) in planes.iter_mut().zip(&*order) {
        *plane = rows[row as usize];
    }
    Some((planes, order.len()))
}

/// What the hand feels, about the origin of its handle: the coupling acts at the part's centre of mass.
pub(super) fn felt(
    coupling: &Coupling,
    hand: (&Pose, &Twist),
    part: (&Pose, &Twist),
    center: DVec3,
) -> Wrench {
    let gap = hand.0.displacement_to(part.0, center);
    let arm = hand.0.place(center) - hand.0.position;
    let velocity = Twist { linear: part.1.linear - hand.1.linear, angular: part.1.angular - hand.1.angular };
    let about_center = coupling.wrench(&gap, &velocity);
    Wrench { force: about_center.force, torque: about_center.torque + arm.cross(about_center.force) }
}
