//! What the servo loop knows of contact until the simulation says more.
//!
//! The simulation says where the part is and which planes hold it back there. Between two such words the hand goes on, and a thousandth of a second later the part would be elsewhere: on the same planes, most
//! often. So the servo loop solves the same small program, from the last known pose: the part slides along its planes with the hand, or sticks to them where they are rough, and the force is that of
//! contact, not of a part that lags behind. In free space nothing is felt.

use glam::DVec3;

use crate::contact::constraint::{Contact, FrictionOptions, FrictionSolver, Row, Solver};
use crate::haptics::{Coupling, GodObject, Renderer};
use crate::math::spatial::Cholesky6;
use crate::math::{Mat6, Pose, Twist, Wrench};

/// Most planes that are told. Six hold a part; the rest are those it may come to next.
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

/// What the part does until the next word. Large on purpose: a word is written in place, and the servo loop never allocates.
#[allow(clippy::large_enum_variant)]
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// It slides along planes.
    Planes { metric: Cholesky6, planes: [Row; MOST_PLANES], count: usize },
    /// It slides along rough ones, or sticks.
    Rough { metric: Mat6, contacts: [Contact; MOST_PLANES], count: usize, slip_length: f64 },
    /// It goes where the hand goes.
    Free,
    /// It is on its way to the hand, past something that it no longer touches: it stays where it is, for a force that came and went with every such step would be a rattle.
    Behind,
    /// It goes on with its velocity.
    Moving,
}

const NO_PLANE: Row = Row { direction: Wrench::ZERO, bound: f64::INFINITY };
const NO_CONTACT: Contact =
    Contact { normal: DVec3::ZERO, arm: DVec3::ZERO, bound: f64::INFINITY, friction: 0.0 };
/// Rounds of friction in a servo call: some microseconds each. Whatever they have come to, the last one has friction against the slip; the simulation takes as many as it needs.
const ROUNDS: u32 = 6;

/// What the servo loop solves its programs with. Made once, for [`MOST_PLANES`].
pub(super) struct Solvers {
    smooth: Solver,
    rough: FrictionSolver,
}

impl Solvers {
    pub(super) fn new() -> Self {
        Self { smooth: Solver::with_capacity(MOST_PLANES), rough: FrictionSolver::with_capacity(MOST_PLANES) }
    }
}

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

    /// What there is to know of a renderer, after a step towards a hand.
    pub(super) fn fill(&mut self, renderer: &Renderer, hand: &Pose, order: &mut Vec<u32>) {
        self.kind = match renderer {
            Renderer::Penalty(_) => Kind::Moving,
            Renderer::Constraint(god, _) if god.rows().is_empty() && god.is_at(hand) => Kind::Free,
            Renderer::Constraint(god, _) if god.rows().is_empty() => Kind::Behind,
            Renderer::Constraint(god, _) => {
                chosen(god.rows(), order);
                Self::on_planes(god, order).unwrap_or(Kind::Behind)
            }
        };
    }

    /// The planes of some of a god object's rows; `None` for a part whose metric is none.
    fn on_planes(god: &GodObject, chosen: &[u32]) -> Option<Kind> {
        let (metric, count) = (god.pair().metric(god.pose().rotation), chosen.len());
        if let Some(slip_length) = god.slip_length() {
            let mut contacts = [NO_CONTACT; MOST_PLANES];
            for (contact, &row) in contacts.iter_mut().zip(chosen) {
                *contact = god.rough_contact(row as usize);
            }
            return Cholesky6::new(&metric).map(|_| Kind::Rough { metric, contacts, count, slip_length });
        }
        let mut planes = [NO_PLANE; MOST_PLANES];
        for (plane, &row) in planes.iter_mut().zip(chosen) {
            *plane = god.rows()[row as usize];
        }
        Cholesky6::new(&metric).map(|metric| Kind::Planes { metric, planes, count })
    }

    /// Where the part is for this hand, and how it moves. Does not allocate.
    pub(super) fn part_for(
        &self,
        hand: (&Pose, &Twist),
        now: f64,
        center: DVec3,
        solvers: &mut Solvers,
    ) -> (Pose, Twist) {
        match &self.kind {
            Kind::Free => (*hand.0, *hand.1),
            Kind::Behind => (self.pose, Twist::ZERO),
            Kind::Moving => {
                // Not far: what is older than a few steps is stale.
                let since = (now - self.time).clamp(0.0, 0.01);
                let way = Twist { linear: self.twist.linear * since, angular: self.twist.angular * since };
                (self.pose.displaced(&way, center), self.twist)
            }
            Kind::Planes { metric, planes, count } => {
                let (planes, solver) = (&planes[..*count], &mut solvers.smooth);
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
            Kind::Rough { metric, contacts, count, slip_length } => {
                let (contacts, solver) = (&contacts[..*count], &mut solvers.rough);
                let options = FrictionOptions { slip_length: *slip_length, rounds: ROUNDS };
                let wanted = self.pose.displacement_to(hand.0, center);
                let found = solver.solve(metric, &wanted, contacts, &options).solution;
                let step = if found.is_minimum() { found.step } else { Twist::ZERO };
                // What is pressed on and slips goes along with the hand as far as the planes let it; what sticks does not.
                let pressed = contacts.iter().zip(solver.forces()).filter(|(_, force)| force.normal > 0.0);
                let sticks = |contact: &Contact| contact.slip(&step).length() <= *slip_length;
                let is_held = pressed.clone().next().is_some() && pressed.clone().all(|(of, _)| sticks(of));
                let twist = match Cholesky6::new(metric) {
                    Some(metric) if !is_held => {
                        let mut holding = [NO_PLANE; 12];
                        let mut held = 0;
                        for ((contact, _), row) in pressed.zip(&mut holding) {
                            *row = Row { bound: 0.0, ..contact.row() };
                            held += 1;
                        }
                        let moves = solvers.smooth.solve(&metric, hand.1, &holding[..held]);
                        if moves.is_minimum() { moves.step } else { Twist::ZERO }
                    }
                    _ => Twist::ZERO,
                };
                (self.pose.displaced(&step, center), twist)
            }
        }
    }
}

/// At most [`MOST_PLANES`] rows, in their order: a quarter are the nearest ones, the rest those with the lowest numbers, which are spread evenly over all that is near. The nearest alone may all be on
/// one side, by the rounding of a face that lies flat: the part would tip over the others.
fn chosen(rows: &[Row], order: &mut Vec<u32>) {
    order.clear();
    order.extend(0..rows.len() as u32);
    if rows.len() > MOST_PLANES {
        let nearest = MOST_PLANES / 4;
        order.select_nth_unstable_by(nearest - 1, |&a, &b| {
            rows[a as usize].bound.total_cmp(&rows[b as usize].bound).then(a.cmp(&b))
        });
        order[nearest..].select_nth_unstable(MOST_PLANES - nearest - 1);
        order.truncate(MOST_PLANES);
        order.sort_unstable();
    }
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
