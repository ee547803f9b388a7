//! What the servo loop knows of contact until the simulation says more.
//!
//! The simulation says where the part is and which planes hold it back there. Between two such words the hand goes on, and a thousandth of a second later the part would be elsewhere: on the same planes, most
//! often. So the servo loop solves the same small program, from the last known pose: the part slides along its planes with the hand, or sticks to them where they are rough. In free space nothing is felt.
//!
//! Planes are not the surface. Where a hand is far inside they would let the part go to places that it is kept from by what they do not tell, a lump or the other side of a wire; the simulation tries, and is
//! stopped. If the servo loop went there, its force would be that of the planes that happened to be told, another with every word. So only the *change* is taken from them:
//!
//! ```text
//! part(now) = part(word) + a(hand now) − a(hand of the word)         a(h) = argmin ½‖a − (h − part(word))‖²_M, J·a ≤ b
//! ```
//!
//! For the hand that a word answers to the part is where the simulation has it, to the last bit, whatever planes there are; and as a(·) is a projection, which brings nothing farther apart, the part goes no
//! farther than the hand has gone since, in the metric of its mass.

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
    /// It slides along planes. `then` is what they left of the way to the hand that the word answers to.
    Planes { metric: Cholesky6, planes: [Row; MOST_PLANES], count: usize, then: Twist },
    /// It slides along rough ones, or sticks.
    Rough { metric: Mat6, contacts: [Contact; MOST_PLANES], count: usize, slip_length: f64, then: Twist },
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

/// What these programs are solved with, in either loop. Made once, for [`MOST_PLANES`].
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

    /// What there is to know of a renderer, after a step towards a hand that ended at the word's pose.
    pub(super) fn fill(
        &mut self,
        renderer: &Renderer,
        hand: &Pose,
        (order, solvers): (&mut Vec<u32>, &mut Solvers),
    ) {
        self.kind = match renderer {
            Renderer::Penalty(_) => Kind::Moving,
            Renderer::Constraint(god, _) if god.rows().is_empty() && god.is_at(hand) => Kind::Free,
            Renderer::Constraint(god, _) if god.rows().is_empty() => Kind::Behind,
            Renderer::Constraint(god, _) => {
                chosen(god.rows(), order);
                Self::on_planes(god, order).unwrap_or(Kind::Behind)
            }
        };
        let wanted = self.pose.displacement_to(hand, renderer.pair().center());
        match (self.kind.along_planes(&wanted, solvers), &mut self.kind) {
            (Some(step), Kind::Planes { then, .. } | Kind::Rough { then, .. }) => *then = step,
            // Planes that say nothing of this hand say nothing of the next.
            (None, kind @ (Kind::Planes { .. } | Kind::Rough { .. })) => *kind = Kind::Behind,
            _ => {}
        }
    }

    /// The planes of some of a god object's rows; `None` for a part whose metric is none.
    fn on_planes(god: &GodObject, chosen: &[u32]) -> Option<Kind> {
        let (metric, count) = (god.pair().metric(god.pose().rotation), chosen.len());
        if let Some(slip_length) = god.slip_length() {
            let mut contacts = [NO_CONTACT; MOST_PLANES];
            for (contact, &row) in contacts.iter_mut().zip(chosen) {
                *contact = god.rough_contact(row as usize);
            }
            let then = Twist::ZERO;
            return Cholesky6::new(&metric).map(|_| Kind::Rough {
                metric,
                contacts,
                count,
                slip_length,
                then,
            });
        }
        let mut planes = [NO_PLANE; MOST_PLANES];
        for (plane, &row) in planes.iter_mut().zip(chosen) {
            *plane = god.rows()[row as usize];
        }
        Cholesky6::new(&metric).map(|metric| Kind::Planes { metric, planes, count, then: Twist::ZERO })
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
            Kind::Planes { then, .. } | Kind::Rough { then, .. } => {
                let wanted = self.pose.displacement_to(hand.0, center);
                let Some(step) = self.kind.along_planes(&wanted, solvers) else {
                    return (self.pose, Twist::ZERO);
                };
                let since = Twist { linear: step.linear - then.linear, angular: step.angular - then.angular };
                let pose = self.pose.displaced(&since, center);
                (pose, self.kind.velocity_along_planes(&step, hand.1, solvers))
            }
        }
    }
}

impl Kind {
    /// What planes leave of a way; `None` if there are none, or no such way.
    fn along_planes(&self, wanted: &Twist, solvers: &mut Solvers) -> Option<Twist> {
        let found = match self {
            Self::Planes { metric, planes, count, .. } => {
                solvers.smooth.solve_or_relax(metric, wanted, &planes[..*count], &[])
            }
            Self::Rough { metric, contacts, count, slip_length, .. } => {
                let options = FrictionOptions { slip_length: *slip_length, rounds: ROUNDS };
                solvers.rough.solve(metric, wanted, &contacts[..*count], &options).solution
            }
            Self::Free | Self::Behind | Self::Moving => return None,
        };
        found.is_minimum().then_some(found.step)
    }

    /// How the part moves with a hand, after [`Kind::along_planes`] has found a step: only planes that hold it hold its velocity.
    fn velocity_along_planes(&self, step: &Twist, hand: &Twist, solvers: &mut Solvers) -> Twist {
        let mut holding = [NO_PLANE; 12];
        let mut held = 0;
        let mut hold = |row: Row| {
            if held < holding.len() {
                holding[held] = Row { bound: 0.0, ..row };
                held += 1;
            }
        };
        let metric = match self {
            Self::Planes { metric, planes, .. } => {
                solvers.smooth.weights().iter().for_each(|weight| hold(planes[weight.row]));
                *metric
            }
            Self::Rough { metric, contacts, count, slip_length, .. } => {
                // What is pressed on and slips goes along with the hand as far as the planes let it; what sticks does not.
                let mut slips = false;
                for (contact, force) in contacts[..*count].iter().zip(solvers.rough.forces()) {
                    if force.normal > 0.0 {
                        slips |= contact.slip(step).length() > *slip_length;
                        hold(contact.row());
                    }
                }
                match Cholesky6::new(metric) {
                    Some(metric) if slips || held == 0 => metric,
                    _ => return Twist::ZERO,
                }
            }
            Self::Free | Self::Behind | Self::Moving => return Twist::ZERO,
        };
        let moves = solvers.smooth.solve(&metric, hand, &holding[..held]);
        if moves.is_minimum() { moves.step } else { Twist::ZERO }
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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::sync::Arc;

    use super::*;
    use crate::ccd::Plane;
    use crate::haptics::{GodObjectOptions, Held, HeldPair, Surface};
    use crate::math::DQuat;
    use crate::mesh::{mass_properties, shapes};
    use crate::shell::{PointShell, Sampling, ShellOptions};

    /// A block on a floor, pulled 1 mm into it and 2 mm along, by a god object that had one pass to follow: it is not yet where planes would let it go.
    fn word(friction: f64) -> (LocalModel, Pose, DVec3) {
        let block = shapes::cuboid(DVec3::new(0.02, 0.01, 0.03)).unwrap();
        let options = ShellOptions { sampling: Sampling::Points(300), ..Default::default() };
        let shell = Arc::new(PointShell::from_mesh(&block, &options).unwrap());
        let floor = Surface::Analytic(Arc::new(Plane::GROUND), 1e-3);
        let mass = mass_properties(&block, 1000.0).unwrap();
        let pair = Arc::new(HeldPair::new(shell, floor, Held::Shell, mass).unwrap());
        let center = pair.center();
        let options = GodObjectOptions { passes: 1, friction, ..Default::default() };
        let mut god = GodObject::new(pair, Pose::at(DVec3::Y * 0.00502), &options).unwrap();
        let hand = Pose {
            position: DVec3::new(0.002, 0.004, 0.0),
            rotation: DQuat::from_rotation_y(0.02) * DQuat::from_rotation_x(0.01),
        };
        god.step(&hand);
        let mut word = LocalModel::at(god.pose());
        let renderer = Renderer::Constraint(Box::new(god), Coupling::spring(1000.0, 0.1));
        word.fill(&renderer, &hand, (&mut Vec::new(), &mut Solvers::new()));
        assert!(matches!(word.kind, Kind::Planes { .. } | Kind::Rough { .. }), "{:?}", word.kind);
        assert!(word.pose.position.x < 0.0018, "it is behind: {}", word.pose.position.x);
        (word, hand, center)
    }

    #[test]
    fn for_the_hand_of_the_word_the_part_is_where_the_word_says() {
        for friction in [0.0, 0.5] {
            let (word, hand, center) = word(friction);
            let (part, _) = word.part_for((&hand, &Twist::ZERO), 0.0, center, &mut Solvers::new());
            // A displacement of nothing leaves the place, and the turn but for rounding.
            assert!(part.position.distance(word.pose.position) < 1e-15, "μ = {friction}");
            assert!(part.rotation.dot(word.pose.rotation).abs() > 1.0 - 1e-15, "μ = {friction}");
        }
    }

    #[test]
    fn from_there_it_slides_with_the_hand_and_stays_on_the_floor() {
        let (word, hand, center) = word(0.0);
        let mut solvers = Solvers::new();
        let mut part = |by: DVec3| {
            let hand = Pose { position: hand.position + by, ..hand };
            word.part_for((&hand, &Twist::ZERO), 0.0, center, &mut solvers).0.position - word.pose.position
        };
        let along = DVec3::new(1e-4, 0.0, -5e-5);
        assert!((part(along) - along).length() < 1e-12, "{}", part(along));
        // Deeper, and a little out again: it is still pressed on, so it stays. A part that came out with the hand would push it with a force that does not go down.
        for y in [-1e-3, -1e-4, 1e-4] {
            assert!(part(DVec3::Y * y).length() < 1e-12, "{y}: {}", part(DVec3::Y * y));
        }
    }

    #[test]
    fn it_goes_no_farther_than_the_hand() {
        let (word, hand, center) = word(0.0);
        let Kind::Planes { then, .. } = word.kind else { unreachable!() };
        assert!(then.linear.x > 1e-4, "there was a way to go: {then:?}");
        let mut solvers = Solvers::new();
        for k in 0..500 {
            let direction = DVec3::new(
                (1.3 * f64::from(k)).sin(),
                (2.1 * f64::from(k)).cos(),
                (0.7 * f64::from(k)).sin(),
            );
            let by = direction.normalize_or_zero() * 1e-5 * f64::from(k);
            let moved = Pose { position: hand.position + by, ..hand };
            let (part, _) = word.part_for((&moved, &Twist::ZERO), 0.0, center, &mut solvers);
            let way = part.place(center).distance(word.pose.place(center));
            assert!(way <= by.length() + 1e-12, "{way} of {}", by.length());
        }
    }
}
