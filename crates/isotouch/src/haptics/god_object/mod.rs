//! The god object: the part as it would be if nothing could be entered, while the hand may be anywhere (2016, section 4.2; after Ortega et al. 2007).
//!
//! ```text
//! hand ─► what the part would do: u = k_s·(x_h − x_s)                                                 (eq. 6)
//!      ─► what contacts leave of it: min ½‖a − u‖²_M, J·a ≤ b                                         (eq. 7)
//!      ─► how far that goes before anything is met: continuous detection of that very motion ─► x_s
//! ```
//!
//! The part has no velocity: it is where the hand is, or where contact stopped it, nearest in the metric of its mass and inertia. What is felt is the spring between both
//! ([`Coupling`](crate::haptics::Coupling)).
//!
//! # Guarantee
//!
//! If all points begin above the level set σ, they stay above it: at every pose that [`GodObject::step`] ends at and on the rigid motion in between. The motion that is
//! applied is the one that was looked at, sagitta included, up to its first contact with a level a little farther out. Nothing is ever NaN: a hand that is nowhere moves nothing.
//!
//! # The skin
//!
//! The paper leaves out the last step's contacts when it looks for new ones, so that what touches can slide; then they sink. Here contacts keep a *skin* δ above σ. Rows carry the
//! gap, J_k·a ≤ (φ_k − σ − δ)/|∇φ|, so a point that has come nearer is moved back out; if such rows conflict, as in a slot with little room, thinner skins are asked for, and in the end what is inside may
//! stay but not go deeper (b = 0). Continuous detection stops at half of what is left of the skin, at the nearest point; so it never finds a contact at once, and never lets the skin be used up.
//!
//! # Strides
//!
//! Rows are planes, and surfaces are not. A hand that is far inside wants a long step, which soon meets something that was not near before; stopped at a hundredth of its way, it has given back a hundredth of the skin
//! and used up half of it. Some such steps, and the part would stick. So while something is touched a pass goes no farther than its *stride*: twice as far as before where nothing was met, as
//! far as it came where something was. It is what contacts leave of the wish that is shortened, while the part comes back to what bends away from under it: of a wish that was shortened first little would be left along the wall, and a part without friction would drag behind
//! a hand that is deep. The longest stride is short under a hand that rests, so that what falls off something comes back in some steps and not with a click, and as long as a hand that moves makes it: what slides freely keeps up with a hand of up
//! to four cells a step, is at most two steps behind one of up to seven, and is dragged by one that is faster: passes are no longer than two cells, and there are four.
//!
//! # Being stuck
//!
//! Where no motion is left, [`GodObject::freedom`] says why: *pinched*, *jammed*, with the rows.

mod advance;
mod rows;

use std::sync::Arc;

use glam::DVec3;

use super::{HeldPair, Surface};
use crate::ccd::{NearPoint, Neighbours};
use crate::contact::constraint::{Contact, Freedom, FrictionSolver, Row, Solver, Weighted};
use crate::math::spatial::Cholesky6;
use crate::math::{Pose, Twist};
use crate::numbers::exact;
use rows::ContactRow;

/// How contacts are found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Detection {
    /// Along the motion that is applied; nothing is passed over.
    #[default]
    Continuous,
    /// As 2016 describes it: along chords, leaving out the contacts of the step before, which can sink in. For comparison.
    Papers,
    /// At the end of the motion only. For comparison: what is thin is missed, and what is deep has normals to all sides.
    Discrete,
}

/// Whose normals constraints have (2016, figure 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowNormals {
    /// Of the part that stands still: the gradient of a fixed field, the normals of fixed points.
    #[default]
    Fixed,
    /// Of the points, wherever they are. Those of a held shell turn with it.
    Shell,
    /// The gradient of the field, wherever it is.
    Field,
}

/// How the god object follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GodObjectOptions {
    /// The level set that must not be crossed, m: 0 is the surface, more keeps a distance, less lets in.
    pub iso: f64,
    /// δ, in cells: how far above it points rest. Usual: 0.01. Smaller needs more passes along curved surfaces; larger is felt as a gap.
    pub skin: f64,
    /// Points nearer than this to σ are constraints before they touch, in cells. Larger saves passes and costs rows.
    pub reach: f64,
    /// k_s: the part of the way to the hand that is wanted in a pass while something is touched (2016: 0.5). Freely all of it.
    pub closing: f64,
    /// Looks for contact in a step. With one, as in the paper, sliding over detail lags behind the hand; each costs about as much.
    pub passes: u32,
    /// Most constraints of a program: the nearest ones, and others spread over all that is near. The rest is found by the detection.
    pub most_rows: usize,
    /// Coulomb's μ; 0 for none.
    pub friction: f64,
    /// How contacts are found.
    pub detection: Detection,
    /// Whose normals count.
    pub normals: RowNormals,
}

impl Default for GodObjectOptions {
    fn default() -> Self {
        Self {
            iso: 0.0,
            skin: 0.01,
            reach: 0.1,
            closing: 0.5,
            passes: 4,
            most_rows: 200,
            friction: 0.0,
            detection: Detection::Continuous,
            normals: RowNormals::Fixed,
        }
    }
}

/// Why there is no god object.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GodObjectError {
    /// NaN, infinity, or a quaternion that is no unit one.
    #[error("the pose to begin at has a number that is not finite, or a quaternion that is not of length 1")]
    NotAPose,
    /// It has to begin outside.
    #[error(
        "the held part begins {:.4} mm deep in the fixed one (at its point {point}); begin where they are apart, or \
         give an iso below {value} m", 1e3 * .depth
    )]
    BeginsInside {
        /// How deep, m.
        depth: f64,
        /// The deepest point.
        point: u32,
        /// φ there, m.
        value: f64,
    },
    /// A level that the field does not hold at full resolution: nothing near it could be told from contact, and the part would never move.
    #[error(
        "a level {cells} cells from the surface is more than a field with a band of {band} cells holds; build it with a \
         band of {needed} or more"
    )]
    BeyondBand {
        /// How far from the surface, in cells.
        cells: f64,
        /// Of the field, in cells.
        band: f64,
        /// What would do, in cells.
        needed: f64,
    },
    /// An option that makes no sense.
    #[error("{quantity} is {}, but must be {wanted}", exact(*value))]
    Option {
        /// Which.
        quantity: &'static str,
        /// As it was given.
        value: f64,
        /// What would do.
        wanted: &'static str,
    },
}

/// What a step came to.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GodStep {
    /// Where the god object is, `world_from_held`.
    pub pose: Pose,
    /// Points that rest on the surface: within twice the skin.
    pub contacts: usize,
    /// Constraints of the last program, and how many of them hold the part.
    pub rows: usize,
    /// Of them, how many push.
    pub active: usize,
    /// The least φ − σ of any point; infinite if none is within reach.
    pub clearance: f64,
    /// Passes it took.
    pub passes: u32,
    /// Whether rows conflicted, so that skins could not be given back.
    pub relaxed: bool,
    /// Whether it did not move although the hand is elsewhere, and is pinched or jammed ([`GodObject::freedom`] says by what). What merely rests on something is not stuck.
    pub is_stuck: bool,
}

/// The part that stays outside.
pub struct GodObject {
    pair: Arc<HeldPair>,
    options: GodObjectOptions,
    pose: Pose,
    solver: Solver,
    friction_solver: FrictionSolver,
    /// Points that may come within reach, carried from step to step.
    neighbours: Neighbours,
    /// Points within reach at `pose`, if `is_fresh`.
    near: Vec<NearPoint>,
    contacts: Vec<ContactRow>,
    rows: Vec<Row>,
    /// The same with friction.
    rubs: Vec<Contact>,
    is_fresh: bool,
    /// Points whose constraints held the part last: most often they do so again.
    holding: Vec<u32>,
    /// Whether rows have the field's normals although the points' are wanted: for the rest of a step in which these led nowhere.
    by_field: bool,
    /// Points that rest on the surface at `pose`.
    resting: usize,
    active: usize,
    relaxed: bool,
    /// Points in contact after the last step, for [`Detection::Papers`].
    touching: Vec<u32>,
    /// Poses at the ends of the passes of the last step.
    trail: Vec<Pose>,
    /// How far any point may go in a pass while something is touched, m.
    stride: f64,
    /// Where the hand was in the last step.
    hand: Option<Pose>,
    /// How far any point went with it in a step, lately, m.
    hand_way: f64,
}

/// A motion shorter than this part of a cell is none: less than what rounding makes of poses in f32 devices, far less than the skin.
const STILL: f64 = 1e-7;
/// A pass that was stopped within this part of the skin led nowhere. Larger gives up the wanted normals sooner; smaller uses up more of the skin before.
const LITTLE: f64 = 0.1;

impl GodObject {
    /// A god object at a pose where nothing is entered.
    pub fn new(
        pair: Arc<HeldPair>,
        world_from_held: Pose,
        options: &GodObjectOptions,
    ) -> Result<Self, GodObjectError> {
        check(options)?;
        check_band(&pair, options)?;
        let world_from_held = world_from_held.checked().ok_or(GodObjectError::NotAPose)?;
        let mut god = Self {
            solver: Solver::with_capacity(options.most_rows),
            friction_solver: FrictionSolver::with_capacity(if options.friction > 0.0 {
                options.most_rows
            } else {
                0
            }),
            pair,
            options: *options,
            pose: world_from_held,
            neighbours: Neighbours::default(),
            near: Vec::with_capacity(4 * options.most_rows),
            contacts: Vec::with_capacity(options.most_rows),
            rows: Vec::with_capacity(options.most_rows),
            rubs: Vec::new(),
            is_fresh: false,
            holding: Vec::with_capacity(8),
            by_field: false,
            resting: 0,
            active: 0,
            relaxed: false,
            touching: Vec::new(),
            trail: Vec::with_capacity(options.passes.min(64) as usize),
            stride: 0.0,
            hand: None,
            hand_way: 0.0,
        };
        god.stride = god.longest_stride();
        god.look_around();
        let deepest = god.near.iter().min_by(|a, b| a.value.total_cmp(&b.value));
        if let Some(deepest) = deepest.filter(|deepest| deepest.value <= options.iso) {
            let (point, value) = (deepest.point, deepest.value);
            return Err(GodObjectError::BeginsInside { depth: options.iso - value, point, value });
        }
        Ok(god)
    }

    /// Follows the hand for one step. `world_from_hand` is where the held part would be without contact; if that is no pose ([`Pose::checked`]), the god object stays.
    pub fn step(&mut self, world_from_hand: &Pose) -> GodStep {
        let hand = world_from_hand.checked();
        let world_from_hand = &hand.unwrap_or(self.pose);
        let is_somewhere = hand.is_some();
        let mut passes = 0;
        let mut moved = false;
        (self.relaxed, self.active) = (false, 0);
        self.trail.clear();
        if std::mem::replace(&mut self.by_field, false) {
            self.is_fresh = false;
        }
        if is_somewhere {
            self.watch_hand(world_from_hand);
        }
        while is_somewhere && passes < self.options.passes {
            self.look_around();
            let wanted = self.wanted(world_from_hand);
            if self.is_still(&wanted) {
                break;
            }
            passes += 1;
            let had_rows = !self.rows.is_empty();
            let (step, was_limited) = self.within_stride(&wanted);
            if self.is_still(&step) {
                break;
            }
            let step = self.not_too_crooked(step);
            let to = self.pose.displaced(&step, self.pair.center());
            let from = self.pose;
            let part = self.advance(to);
            self.trail.push(self.pose);
            moved |= self.pose != from;
            // Where points on sharp edges have normals that the field does not share, rows allow what the field does not: the part would be stopped at once, ever again,
            // and use up its skin. To first order the field's gradient is what counts.
            let way = from.displacement_to(&self.pose, self.pair.center());
            self.by_field |= part < 1.0 && self.way(&way) < LITTLE * self.skin();
            if part == 1.0 && !had_rows {
                break;
            }
            self.keep_stride(&step, was_limited, part);
        }
        self.look_around();
        let is_held = is_somewhere && !moved && !self.is_still(&self.wanted(world_from_hand));
        // What rests on something could leave it.
        let is_stuck = is_held && matches!(self.freedom().0, Freedom::Pinched { .. } | Freedom::Jammed);
        GodStep {
            pose: self.pose,
            contacts: self.resting,
            rows: self.rows.len(),
            active: self.active,
            clearance: self.clearance(),
            passes,
            relaxed: self.relaxed,
            is_stuck,
        }
    }

    /// Where it is.
    pub fn pose(&self) -> Pose {
        self.pose
    }

    /// Where the last step went: the poses at the ends of its passes, joined by rigid motions ([`MotionKind::Rigid`](crate::math::MotionKind)), from the pose before it.
    pub fn trail(&self) -> &[Pose] {
        &self.trail
    }

    /// What is held, and what is not.
    pub fn pair(&self) -> &Arc<HeldPair> {
        &self.pair
    }

    /// How it follows.
    pub fn options(&self) -> &GodObjectOptions {
        &self.options
    }

    /// Constraints at its pose, in the world: of small motions of the centre of mass and turns about it.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The places of these, in the world, and the way out of the fixed part there.
    pub fn contacts(&self) -> impl ExactSizeIterator<Item = (DVec3, DVec3)> + '_ {
        self.contacts.iter().map(|contact| (contact.place, -contact.inward))
    }

    /// Whether it has reached the hand.
    pub(crate) fn is_at(&self, world_from_hand: &Pose) -> bool {
        self.is_still(&self.pose.displacement_to(world_from_hand, self.pair.center()))
    }

    /// What contacts leave free: whether it is pinched or jammed, and by which of [`GodObject::rows`], with their weights. Those rows count that touch.
    pub fn freedom(&mut self) -> (Freedom, Vec<Weighted>) {
        let limit = 2.0 * self.skin();
        let touching = (0..self.rows.len()).filter(|&k| self.contacts[k].gap + self.skin() <= limit);
        let touching: Vec<usize> = touching.collect();
        let rows: Vec<Row> = touching.iter().map(|&k| Row { bound: 0.0, ..self.rows[k] }).collect();
        let Some(metric) = Cholesky6::new(&self.pair.metric(self.pose.rotation)) else {
            return (Freedom::Unsettled, Vec::new());
        };
        let freedom = self.solver.freedom(&metric, &rows);
        let proof = self.solver.weights().iter().map(|of| Weighted { row: touching[of.row], ..*of });
        (freedom, proof.collect())
    }

    /// The least φ − σ of any point, infinite where none is within reach.
    pub fn clearance(&self) -> f64 {
        let values = self.near.iter().map(|point| point.value - self.options.iso);
        values.min_by(f64::total_cmp).unwrap_or(f64::INFINITY)
    }

    /// u = k_s·(x_h − x_s), eq. 6.
    fn wanted(&self, world_from_hand: &Pose) -> Twist {
        let gap = self.pose.displacement_to(world_from_hand, self.pair.center());
        let part = if self.rows.is_empty() { 1.0 } else { self.options.closing };
        Twist { linear: gap.linear * part, angular: gap.angular * part }
    }

    /// Whether no point of the part would go anywhere.
    fn is_still(&self, step: &Twist) -> bool {
        // Written so that NaN is still.
        let goes = self.way(step) > STILL * self.pair.surface().cell();
        !goes
    }

    /// About how far the farthest point goes, m.
    fn way(&self, step: &Twist) -> f64 {
        let around = self.pair.shell().tree().sphere(0);
        step.linear.length() + step.angular.length() * around.radius
    }

    /// δ, m.
    fn skin(&self) -> f64 {
        self.options.skin * self.pair.surface().cell()
    }
}

fn check(options: &GodObjectOptions) -> Result<(), GodObjectError> {
    let bad = |quantity, value, wanted| Err(GodObjectError::Option { quantity, value, wanted });
    let GodObjectOptions { iso, skin, reach, closing, passes, most_rows, friction, .. } = *options;
    if !iso.is_finite() {
        return bad("iso", iso, "finite");
    }
    if !(skin.is_finite() && skin > 0.0) {
        return bad("skin", skin, "positive and finite");
    }
    if !(reach.is_finite() && reach >= 2.0 * skin) {
        return bad("reach", reach, "at least twice the skin");
    }
    if !(closing > 0.0 && closing <= 1.0) {
        return bad("closing", closing, "above 0 and at most 1");
    }
    if passes == 0 {
        return bad("passes", 0.0, "at least 1");
    }
    if most_rows == 0 {
        return bad("most_rows", 0.0, "at least 1");
    }
    if !(friction.is_finite() && friction >= 0.0) {
        return bad("friction", friction, "0 or more");
    }
    Ok(())
}

/// Whether the field holds the level, and those a little above it that are asked for, at full resolution.
fn check_band(pair: &HeldPair, options: &GodObjectOptions) -> Result<(), GodObjectError> {
    let Surface::Field(field) = pair.surface() else { return Ok(()) };
    let cell = field.grid().cell;
    let farthest = options.iso.abs() + options.reach * cell;
    // What is meant for comparison goes along chords or looks at ends, for which any level will do.
    if options.detection != Detection::Continuous || field.is_fine_at(farthest) {
        return Ok(());
    }
    // Tenths are enough for people, and a tenth more for rounding.
    let needed = ((farthest + 2.0 * field.error_bound()) / cell * 10.0).floor() / 10.0 + 0.1;
    Err(GodObjectError::BeyondBand { cells: options.iso / cell, band: field.band(), needed })
}
