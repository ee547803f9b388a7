//! Velocities after a step, with the forces there will be.

use super::PenaltyObject;
use crate::contact::Placed;
use crate::math::{Mat6, Twist, Wrench};

impl PenaltyObject {
    /// The part's velocity where the hand is what it is told to be.
    pub(super) fn follow(&self, dt: f64) -> Twist {
        let (matrix, push) = self.part_alone(dt);
        // Its pose is that of the end of the step. What is between both is told from its beginning, for both move: from the end a hand that is fast seems far ahead of a part that keeps up with it, so far that the
        // spring is saturated and pushes the part past the hand.
        let back = Twist { linear: -self.hand.twist.linear, angular: -self.hand.twist.angular };
        let coupled = self.coupled(&super::moved(&self.hand, back, dt), dt);
        let matrix = matrix + coupled.matrix;
        let apart = apart(&self.part.twist, &self.hand.twist);
        let push = push + coupled.on_part - coupled.spring.apply(&apart) * (dt * dt);
        match matrix.solve(&push) {
            Some(change) => sum(&self.part.twist, &change),
            // Only numbers beyond all bounds make it indefinite.
            None => Twist::ZERO,
        }
    }

    /// Velocities of part and hand where a push moves both.
    ///
    /// ```text
    /// | A + C   −C    | |Δ_part|   | dt·(F* + F_c) − dt²·(K_c·v + K·(v − v_h)) |
    /// |  −C   M_h + C | |Δ_hand| = | dt·(push − F_c) + dt²·K·(v − v_h)         |
    /// ```
    ///
    /// The lower row is eliminated: its matrix is a mass and a 3×3 inertia.
    pub(super) fn pushed(&self, push: &Wrench, dt: f64) -> (Twist, Twist) {
        let (part_matrix, part_push) = self.part_alone(dt);
        let coupled = self.coupled(&self.hand, dt);
        let apart = apart(&self.part.twist, &self.hand.twist);
        let spring = coupled.spring.apply(&apart) * (dt * dt);
        let on_part = part_push + coupled.on_part - spring;
        let on_hand = *push * dt - coupled.on_part + spring;

        let mass = self.options.hand_mass;
        let hand_matrix = Mat6::inertia(mass * self.pair.mass().mass, self.inertia(&self.hand) * mass);
        let lower = hand_matrix + coupled.matrix;
        let inverse = [lower.force_linear.inverse(), lower.torque_angular.inverse()];
        let c = [coupled.matrix.force_linear, coupled.matrix.torque_angular];
        let folded = |k: usize| c[k] * inverse[k] * c[k];
        let schur = part_matrix
            + coupled.matrix
            + Mat6 { force_linear: folded(0), torque_angular: folded(1), ..Mat6::ZERO } * -1.0;
        let folded_push = Wrench {
            force: on_part.force + c[0] * (inverse[0] * on_hand.force),
            torque: on_part.torque + c[1] * (inverse[1] * on_hand.torque),
        };
        let Some(part) = schur.solve(&folded_push) else { return (Twist::ZERO, Twist::ZERO) };
        let hand = Twist {
            linear: inverse[0] * (on_hand.force + c[0] * part.linear),
            angular: inverse[1] * (on_hand.torque + c[1] * part.angular),
        };
        (sum(&self.part.twist, &part), sum(&self.hand.twist, &hand))
    }

    /// M + dt·D + dt²·K_c, and dt·F* − dt²·K_c·v, with what turning does to a body that is not round.
    fn part_alone(&self, dt: f64) -> (Mat6, Wrench) {
        let touching = &self.touching;
        let inertia = self.inertia(&self.part);
        let matrix = Mat6::inertia(self.pair.mass().mass, inertia)
            + touching.stiffness * (dt * dt)
            + touching.damping * dt;
        let turn = self.part.twist.angular;
        let gyroscopic = Wrench { torque: -turn.cross(inertia * turn), ..Wrench::ZERO };
        let push =
            (touching.force + gyroscopic) * dt - touching.stiffness.apply(&self.part.twist) * (dt * dt);
        (matrix, push)
    }

    /// With the hand as it is at the beginning of the step, and its velocity.
    fn coupled(&self, hand: &Placed, dt: f64) -> Coupled {
        let coupling = &self.coupling;
        let hand = Placed { twist: self.hand.twist, ..*hand };
        let gap = hand.world_from_body.displacement_to(&self.part.world_from_body, self.part.center);
        let spring = coupling.stiffness_at(&gap, &apart(&self.part.twist, &hand.twist));
        Coupled {
            matrix: spring * (dt * dt) + coupling.damping_matrix() * dt,
            on_part: coupling.between(&hand, &self.part) * -dt,
            spring,
        }
    }
}

/// The coupling over a step.
struct Coupled {
    /// C = dt²·K + dt·B; blocks of one number each.
    matrix: Mat6,
    /// dt·F_c, on the part.
    on_part: Wrench,
    /// K.
    spring: Mat6,
}

fn apart(part: &Twist, hand: &Twist) -> Twist {
    Twist { linear: part.linear - hand.linear, angular: part.angular - hand.angular }
}

fn sum(a: &Twist, b: &Twist) -> Twist {
    Twist { linear: a.linear + b.linear, angular: a.angular + b.angular }
}
