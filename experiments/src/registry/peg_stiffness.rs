//! How stiff contact may be: figure 10b of 2016.
//!
//! The paper says of it: implicit integration, admittance mode, a fixed timestep (1 ms in its section 4.1), gradients of contact computed at the beginning of a step. It does not say how stiff, how heavy, how
//! damped, nor what it calls stable. So both of its methods are stepped here in several ways that this allows, and what they do is measured at every stiffness.

use std::sync::Arc;

use glam::DVec3;
use isotouch::contact::{
    BodyStep, ContactNormals, Handles, Law, PenaltyOptions, Placed, ShellOnSurface, forces_at,
};
use isotouch::haptics::{Coupling, HeldPair, Looking, PenaltyObject, PenaltyObjectOptions};
use isotouch::math::{Mat6, Pose, Twist, Wrench};
use isotouch::output::chart::{Axis, Chart, Scale};

use super::peg::{DT, PEG, Pin, TO};
use crate::haptic_scenes::draw;
use crate::report::{Report, Table, none, number};

/// Speed above which a peg that is pressed against the wall, round and round, once a second, is not calm, m/s. It needs some millimetres a second for that; a peg that chatters crosses its room in a step,
/// at some hundredths of a metre a second.
const CALM: f64 = 0.02;
/// N/m of a point: softer springs let the peg go deep, and no part is stiffer. Each is so many times the one before.
const SOFTEST: f64 = 100.0;
const STIFFEST: f64 = 1e9;
const FACTOR: f64 = 1.5;
/// With the paper's gradients and damping continuous springs stand at least so many times as much as discrete ones: a step of [`FACTOR`]. The paper says 2.5.
const LEAST_GAIN: f64 = 1.49;
/// s: none, and as everywhere else here, a step's worth. The paper states none.
const DAMPINGS: [f64; 2] = [0.0, 1e-3];
const STEPS: usize = 1_000;
/// How a hand holds it: N/m, N·m/rad, N·s/m, N·m·s/rad; and how far beside the axis it wants to be, m: it presses with 0.3 N. More than the coupling gives, half a newton, and the hand would leave the peg behind.
const GRIP: [f64; 4] = [300.0, 0.5, 5.0, 0.005];
const ASIDE: f64 = 1e-3;

/// What a step knows of how contact forces will change during it.
#[derive(Clone, Copy, PartialEq)]
enum Gradients {
    /// As the library: k·n·nᵀ of every point, by the part of the step before that it touched.
    Shares,
    /// As the paper: all 6×6 derivatives of the forces at the pose that a step begins at, with its normals, those of the points.
    AtBeginning,
    /// None: contact is explicit, the coupling implicit.
    None,
}

impl Gradients {
    const ALL: [(Self, &'static str); 3] = [
        (Self::Shares, "of points, by share of the step"),
        (Self::AtBeginning, "at the beginning of a step (paper)"),
        (Self::None, "none: explicit contact"),
    ];
}

/// How fast any point of the peg is at most in the second half of the time, led round in its hole by a hand whose push is measured; infinite if it leaves the hole.
fn fastest(
    pin: &Pin,
    pair: &Arc<HeldPair>,
    (looking, gradients): (Looking, Gradients),
    (of_point, damping): (f64, f64),
) -> anyhow::Result<f64> {
    let options = pin.penalty(pair, looking, of_point, 0.0);
    let law = Law { damping, ..options.law };
    let options = PenaltyObjectOptions { max_stiffness: f64::INFINITY, law, ..options };
    let start = Pose::at(DVec3::Z * (TO + 0.004));
    let mut stepper: Box<dyn Stepper> = match gradients {
        Gradients::Shares => Box::new(PenaltyObject::new(Arc::clone(pair), start, &options)?),
        Gradients::AtBeginning | Gradients::None => {
            Box::new(PaperObject::new(pair, start, &options, gradients == Gradients::AtBeginning))
        }
    };
    let mut fastest = 0f64;
    for k in 0..STEPS {
        let (sin, cos) = (std::f64::consts::TAU * k as f64 * DT).sin_cos();
        let wanted = Pose::at(start.position + DVec3::new(ASIDE * cos, ASIDE * sin, 0.0));
        let hand = stepper.hand();
        let gap = hand.world_from_body.displacement_to(&wanted, pair.center());
        let push = Wrench {
            force: GRIP[0] * gap.linear - GRIP[2] * hand.twist.linear,
            torque: GRIP[1] * gap.angular - GRIP[3] * hand.twist.angular,
        };
        let part = stepper.step(&push);
        let speed = part.twist.linear.length() + part.twist.angular.length() * 0.5 * PEG.length;
        // Written so that NaN is not there.
        let is_there = part.world_from_body.position.distance(start.position) < 0.1 * PEG.radius;
        if !is_there {
            return Ok(f64::INFINITY);
        }
        if k >= STEPS / 2 {
            fastest = fastest.max(speed);
        }
    }
    Ok(fastest)
}

/// A hand and a part that a push moves.
trait Stepper {
    fn hand(&self) -> Placed;
    /// Where the part is then.
    fn step(&mut self, push: &Wrench) -> Placed;
}

impl Stepper for PenaltyObject {
    fn hand(&self) -> Placed {
        *Self::hand(self)
    }

    fn step(&mut self, push: &Wrench) -> Placed {
        self.step_pushed(push, DT);
        *self.part()
    }
}

/// The loop of 2016, section 4.1: forces averaged over the step before (or those of its end), and one implicit step of hand and part with them.
struct PaperObject<'a> {
    pair: &'a HeldPair,
    looking: Looking,
    law: Law,
    coupling: Coupling,
    is_implicit: bool,
    part: Placed,
    hand: Placed,
    /// On the part, about its centre of mass.
    force: Wrench,
    /// Of the force per displacement of the part.
    gradient: Mat6,
}

impl<'a> PaperObject<'a> {
    fn new(pair: &'a HeldPair, start: Pose, options: &PenaltyObjectOptions, is_implicit: bool) -> Self {
        let part = Placed { center: pair.center(), ..Placed::at_rest(start) };
        Self {
            pair,
            looking: options.looking,
            law: options.law,
            coupling: options.coupling.unwrap_or_else(|| Coupling::for_part(1000.0, pair)),
            is_implicit,
            part,
            hand: part,
            force: Wrench::ZERO,
            gradient: Mat6::ZERO,
        }
    }

    /// Contact on the way to there: F*, and the gradients there, where the next step begins.
    fn look(&mut self, to: &Placed) {
        let fixed = Placed::at_rest(self.pair.world_from_fixed());
        let (shell, obstacle) = (self.pair.shell(), self.pair.surface().obstacle());
        let way = ShellOnSurface {
            shell,
            shell_body: BodyStep::still(fixed, DT),
            obstacle,
            surface_body: BodyStep { from: self.part, to: *to, duration: DT },
        };
        let options = PenaltyOptions { subintervals: 5, ..PenaltyOptions::papers() };
        let impulse = match self.looking {
            Looking::Continuous => way.impulse(&self.law, &options),
            Looking::AtEnd => {
                let options = PenaltyOptions { subintervals: 1, handles: Handles::Interpolated, ..options };
                way.at_end().impulse(&self.law, &options)
            }
        };
        self.force = impulse.on_surface * (1.0 / DT);
        self.gradient = Mat6::ZERO;
        if self.is_implicit {
            let mut inside = Vec::new();
            let at = self.pair.surface_from_shell(&to.world_from_body);
            obstacle.points_within(shell, &at, 0.0, &mut inside);
            let points = inside.iter().map(|near| near.point);
            let forces =
                forces_at((shell, obstacle), (&fixed, to), points, (&self.law, ContactNormals::Shell));
            self.gradient = forces.surface_per_surface;
        }
    }
}

impl Stepper for PaperObject<'_> {
    fn hand(&self) -> Placed {
        self.hand
    }

    /// With G the gradient, K and B of the coupling, τ the damping, for the changes Δ of both velocities:
    ///
    /// ```text
    /// | M − (dt² + dt·τ)·G + C    −C   | |Δ_part|   | dt·(F* + F_c) + dt²·(G·v − K·(v − v_h)) |
    /// |          −C              M + C | |Δ_hand| = | dt·(push − F_c) + dt²·K·(v − v_h)       |     C = dt²·K + dt·B
    /// ```
    fn step(&mut self, push: &Wrench) -> Placed {
        let gap = self.hand.world_from_body.displacement_to(&self.part.world_from_body, self.part.center);
        let (v, v_hand) = (self.part.twist, self.hand.twist);
        let apart = Twist { linear: v.linear - v_hand.linear, angular: v.angular - v_hand.angular };
        let spring = self.coupling.stiffness_at(&gap, &apart);
        let between = spring * (DT * DT) + self.coupling.damping_matrix() * DT;
        let coupled = self.coupling.between(&self.hand, &self.part) * -DT;
        let pulled = spring.apply(&apart) * (DT * DT);
        let (g, of_part, of_hand) = (
            self.gradient,
            self.pair.metric(self.part.world_from_body.rotation),
            self.pair.metric(self.hand.world_from_body.rotation),
        );
        let on_part = self.force * DT + coupled + g.apply(&v) * (DT * DT) - pulled;
        let on_hand = *push * DT - coupled + pulled;
        let upper = of_part + g * (-DT * (DT + self.law.damping)) + between;
        let lower = of_hand + between;
        let mut system = [[0.0; 13]; 12];
        let (upper, lower, across) = (upper.to_rows(), lower.to_rows(), between.to_rows());
        let pushes = [on_part.force, on_part.torque, on_hand.force, on_hand.torque].map(|of| of.to_array());
        for (i, row) in system.iter_mut().enumerate() {
            for j in 0..12 {
                row[j] = match (i < 6, j < 6) {
                    (true, true) => upper[i][j],
                    (false, false) => lower[i - 6][j - 6],
                    _ => -across[i % 6][j % 6],
                };
            }
            row[12] = pushes[i / 3][i % 3];
        }
        let change = solved(system);
        let of = |k: usize| DVec3::from_slice(&change[k..k + 3]);
        let twist = Twist { linear: v.linear + of(0), angular: v.angular + of(3) };
        let hand = Twist { linear: v_hand.linear + of(6), angular: v_hand.angular + of(9) };
        self.hand = moved(&self.hand, hand);
        let to = moved(&self.part, twist);
        let is_sound = to.world_from_body.position.is_finite() && to.world_from_body.rotation.is_finite();
        // What is not finite is told as that, and not looked at.
        if is_sound {
            self.look(&to);
        }
        self.part = to;
        to
    }
}

fn moved(from: &Placed, twist: Twist) -> Placed {
    let way = Twist { linear: twist.linear * DT, angular: twist.angular * DT };
    Placed { world_from_body: from.world_from_body.displaced(&way, from.center), twist, ..*from }
}

/// Gauss's elimination with pivots. What is singular gives numbers that are none.
fn solved(mut system: [[f64; 13]; 12]) -> [f64; 12] {
    for k in 0..12 {
        let pivot = (k..12).max_by(|&a, &b| system[a][k].abs().total_cmp(&system[b][k].abs())).unwrap_or(k);
        system.swap(k, pivot);
        let row = system[k];
        for below in &mut system[k + 1..] {
            let factor = below[k] / row[k];
            for (of, above) in below.iter_mut().zip(row).skip(k) {
                *of -= factor * above;
            }
        }
    }
    let mut x = [0.0; 12];
    for k in (0..12).rev() {
        let known: f64 = (k + 1..12).map(|j| system[k][j] * x[j]).sum();
        x[k] = (system[k][12] - known) / system[k][k];
    }
    x
}

pub(super) fn stiffness(pin: &Pin, report: &mut Report) -> anyhow::Result<()> {
    let pair = pin.pair()?;
    let count = ((STIFFEST / SOFTEST).ln() / FACTOR.ln()) as i32;
    let stiffnesses: Vec<f64> = (0..=count).map(|k| SOFTEST * FACTOR.powi(k)).collect();
    let mut table = Table::new(
        "Largest stable stiffness of a contact point, N/m: a peg led round its hole by a hand, steps of 1 ms, admittance",
        &[
            "gradients of contact",
            "damping of contacts, s",
            "discrete springs",
            "continuous springs",
            "ratio (paper: 2.5)",
        ],
    );
    let mut chart = Chart::new(
        "A peg led round its hole, without damping",
        Axis::new("stiffness of a point", "N/m").scaled(Scale::Logarithmic),
        Axis::new("fastest in the second half", "mm/s").scaled(Scale::Logarithmic),
    );
    for (gradients, name) in Gradients::ALL {
        for damping in DAMPINGS {
            eprintln!("gradients: {name}, damping {damping}");
            let mut largest = Vec::new();
            for (looking, springs) in [(Looking::AtEnd, "discrete"), (Looking::Continuous, "continuous")] {
                let mut speeds = Vec::new();
                for &of_point in &stiffnesses {
                    let speed = fastest(pin, &pair, (looking, gradients), (of_point, damping))?;
                    // Where it has left the hole there is no more to learn.
                    if !speed.is_finite() {
                        break;
                    }
                    speeds.push(1e3 * speed);
                }
                let calm = speeds.iter().take_while(|&&speed| speed < 1e3 * CALM).count();
                largest.push((calm, calm == stiffnesses.len()));
                if damping == 0.0 {
                    let short = name.split([':', ',']).next().unwrap_or(name);
                    chart.add(&format!("{springs}, {short}"), &stiffnesses[..speeds.len()], &speeds);
                }
            }
            let told = |(calm, is_all): (usize, bool)| match calm.checked_sub(1) {
                Some(last) if is_all => format!("all up to {}", number(stiffnesses[last])),
                Some(last) => number(stiffnesses[last]),
                None => none(),
            };
            // The paper's own gradients, with damping.
            let is_paper = name.contains("(paper)") && damping > 0.0;
            let gain = FACTOR.powi(largest[1].0 as i32 - largest[0].0 as i32);
            if is_paper && gain < LEAST_GAIN {
                report.failures.push(format!("{name}: continuous springs stand {gain} times as much only"));
            }
            let ratio = match (largest[0], largest[1]) {
                ((a, false), (b, false)) if a > 0 && b > 0 => number(FACTOR.powi(b as i32 - a as i32)),
                ((a, false), (b, true)) if a > 0 => {
                    format!("above {}", number(FACTOR.powi(b as i32 - a as i32)))
                }
                ((_, true), (b, false)) if b > 0 => {
                    format!("below {}", number(FACTOR.powi(b as i32 - count - 1)))
                }
                _ => none(),
            };
            table.row(vec![name.into(), number(damping), told(largest[0]), told(largest[1]), ratio]);
            if largest.iter().any(|(calm, _)| *calm == 0) {
                report.failures.push(format!("{name}, damping {damping}: not even soft springs are stable"));
            }
        }
    }
    report.tables.push(table);
    draw(&chart, "peg-stiffness", false)?;
    report.remarks.push(format!(
        "Stable: in the second half of {} s no point of the peg is faster than {} mm/s, and it stays in the hole. The hand, {} N/m, wants to be {} mm beside the axis, once round a second; its push is what the \
         device measures. Stiffnesses grow by a factor of {FACTOR} from {SOFTEST} N/m to 10⁹ N/m, and each is that of a point, whatever its area. An explicit step of springs that are always in contact would be limited to k < 4m/(n·dt²), \
         {} N/m with 10 points in contact. The paper states neither stiffness, mass nor damping, and calls stable what feels so.\n\nWhat the table says: the ratio hangs on what a step knows, and on damping. With the paper's gradients, those at the beginning of a step, and \
         damping of the whole relative velocity by a step's worth, continuous springs stand about as much more as in the paper, to the factor of {FACTOR} between stiffnesses. No gradient knows what damping does along a surface, so that is explicit; its limit, \
         k < 2m/(n·τ·dt), is {} N/m with 100 points in contact, which is where both end; why continuous springs end later was not measured apart. Without damping it is the other way round: the mean force over a step is half a step older than that of its end, and what comes late \
         feeds energy in; the less so the better gradients belong to the forces. The library's own steps, the first rows, damp along normals only and have a gradient for that: both methods hold to millions of N/m, far above any hand, and the ratio says nothing there.\n\n![How fast the peg gets](pictures/peg-stiffness.svg)",
        STEPS as f64 * DT,
        1e3 * CALM,
        GRIP[0],
        1e3 * ASIDE,
        number(4.0 * pair.mass().mass / (10.0 * DT * DT)),
        number(2.0 * pair.mass().mass / (100.0 * DAMPINGS[1] * DT)),
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elimination_solves_what_needs_pivots() {
        // A cyclic shift, so that every pivot stands elsewhere, and something besides.
        let wanted: [f64; 12] = std::array::from_fn(|k| k as f64 - 4.0);
        let mut system = [[0.0; 13]; 12];
        for i in 0..12 {
            system[i][(i + 1) % 12] = 2.0;
            system[i][(i + 5) % 12] -= 0.5;
            system[i][12] = (0..12).map(|j| system[i][j] * wanted[j]).sum();
        }
        for (x, wanted) in solved(system).into_iter().zip(wanted) {
            assert!((x - wanted).abs() < 1e-12, "{x} {wanted}");
        }
    }
}
