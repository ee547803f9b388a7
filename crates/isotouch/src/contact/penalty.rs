//! Continuous penalty forces: impulses over the times of contact (2014, section 4; 2016, section 4.1).

use glam::DVec3;

use super::{BodyStep, Law, Placed};
use crate::ccd::sweep::chord_contacts;
use crate::ccd::{HitStatus, Obstacle, PointContacts, Segment, Vicinity};
use crate::math::{Motion, MotionKind, Pose, Wrench};
use crate::shell::PointShell;

/// Which direction leads out of a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContactNormals {
    /// The gradient of the field. The force has a potential, ½kφ², so contact alone neither makes nor loses energy; at the solid's medial axis it jumps.
    #[default]
    Field,
    /// Against the point's own outward normal, as in the papers: no jumps, however deep; but where the surfaces are not parallel, as at corners, not the way out.
    Shell,
}

/// What damping acts on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Damping {
    /// The velocity along the normal, and spring and damper together never pull.
    #[default]
    Normal,
    /// The whole relative velocity, as eq. 10 of 2014.
    Full,
}

/// Where bodies are taken to be between the ends of a step (2014, section 4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Handles {
    /// In between: constant velocity.
    #[default]
    Interpolated,
    /// An Euler step away from the beginning: constant acceleration.
    Substep,
}

/// Where the arms of torques begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Arms {
    /// At the centre of mass at the moment of the force, as eq. 5 of 2014: what pushes towards the centre turns nothing.
    #[default]
    Moving,
    /// At the centre of mass at the beginning of the step. The way that a body goes before the contact is then an arm as well, and turns it; angular momentum is kept without more ado. For comparison.
    Start,
}

/// How forces are added up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyOptions {
    /// Subintervals of the midpoint rule, for every time of contact: 20 for graphics (2014), 5 for haptics (2016). More is more exact and slower.
    pub subintervals: u32,
    /// Which way points are pushed.
    pub normals: ContactNormals,
    /// What damping acts on.
    pub damping: Damping,
    /// Where bodies are in between.
    pub handles: Handles,
    /// Where arms begin.
    pub arms: Arms,
    /// The level set that counts as the surface: below 0 for what overlapped from the start.
    pub iso: f64,
}

impl Default for PenaltyOptions {
    fn default() -> Self {
        Self {
            subintervals: 20,
            normals: ContactNormals::default(),
            damping: Damping::default(),
            handles: Handles::default(),
            arms: Arms::default(),
            iso: 0.0,
        }
    }
}

impl PenaltyOptions {
    /// As in the papers: normals of the shell, damping of the whole velocity.
    pub fn papers() -> Self {
        Self { normals: ContactNormals::Shell, damping: Damping::Full, ..Self::default() }
    }
}

/// The shell of one body against the surface of another, during a step.
#[derive(Clone, Copy)]
pub struct ShellOnSurface<'a> {
    /// Points of A.
    pub shell: &'a PointShell,
    /// Where A is.
    pub shell_body: BodyStep,
    /// B.
    pub obstacle: Obstacle<'a>,
    /// Where B is.
    pub surface_body: BodyStep,
}

/// What a contact did to both bodies during a step.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PairImpulse {
    /// Impulse, and angular impulse about the centre of mass, of the shell's body.
    pub on_shell: Wrench,
    /// Of the other: the same impulse the other way.
    pub on_surface: Wrench,
    /// ∑ t·J over the impulses J on the shell's body, t in [0, 1] the part of the step before each; 0 with [`Arms::Start`]. Says how far bodies had gone by then.
    pub delay: DVec3,
    /// Points that touched.
    pub points: usize,
    /// The deepest place met, m, not negative.
    pub deepest: f64,
}

/// Force on the shell's body at a point, and what it is made of.
struct PointState {
    place: DVec3,
    outward: DVec3,
    depth: f64,
    /// Of A relative to B.
    velocity: DVec3,
    /// The same, how it turns.
    turning: DVec3,
}

impl ShellOnSurface<'_> {
    /// When which points touch: along their chords in the frame of the surface, which both papers take for their paths.
    pub fn contacts(&self, iso: f64) -> Vec<PointContacts> {
        chord_contacts(self.shell, self.obstacle, &self.motion(), iso)
    }

    /// The same with what is known of this pair from steps before, and without points that only a bound tells of.
    pub fn contacts_near(&self, vicinity: &mut Vicinity, iso: f64) -> Vec<PointContacts> {
        vicinity.contacts((self.shell, self.obstacle), &self.motion(), iso)
    }

    fn motion(&self) -> Motion {
        let pose = |placed: &Placed| placed.world_from_body;
        Motion::new(MotionKind::Chord, pose(&self.shell_body.from), pose(&self.shell_body.to))
            .seen_from(pose(&self.surface_body.from), pose(&self.surface_body.to))
    }

    /// `surface_from_shell` at the beginning.
    pub fn start(&self) -> Pose {
        self.surface_body.from.world_from_body.inverse().then_from(&self.shell_body.from.world_from_body)
    }

    /// `surface_from_shell` in between, both bodies turning about their centres of mass.
    pub fn at(&self, t: f64, handles: Handles) -> Pose {
        let [shell, surface] =
            [&self.shell_body, &self.surface_body].map(|body| body.at(t, handles).world_from_body);
        surface.inverse().then_from(&shell)
    }

    /// `surface_from_shell` at the end.
    pub fn end(&self) -> Pose {
        self.surface_body.to.world_from_body.inverse().then_from(&self.shell_body.to.world_from_body)
    }

    /// The path of a point in the frame of the surface.
    pub fn chord(&self, point: u32) -> Segment {
        let p = self.shell.points()[point as usize];
        let place = |shell: &Placed, surface: &Placed| {
            surface.world_from_body.inverse().place(shell.world_from_body.place(p))
        };
        Segment::new(
            place(&self.shell_body.from, &self.surface_body.from),
            place(&self.shell_body.to, &self.surface_body.to),
        )
    }

    /// Impulses of the whole step, eqs. 6, 7, 10 and 11 of 2014, with the signs of [the module](super).
    pub fn impulse(&self, law: &Law, options: &PenaltyOptions) -> PairImpulse {
        self.impulse_of(&self.contacts(options.iso), law, options)
    }

    /// The same of contacts that were found before.
    pub fn impulse_of(&self, contacts: &[PointContacts], law: &Law, options: &PenaltyOptions) -> PairImpulse {
        let mut sum = PairImpulse::default();
        for of in contacts {
            let chord = self.chord(of.point);
            let stiffness = law.stiffness.of_point(self.shell.weights()[of.point as usize]);
            let mut touches = false;
            // What is only not excluded, outside the field's box, pushes nothing.
            for interval in of.intervals.iter().filter(|interval| interval.status != HitStatus::Bound) {
                touches = true;
                let length = (interval.end - interval.start) / f64::from(options.subintervals);
                let seconds = length * self.shell_body.duration;
                for k in 0..options.subintervals {
                    let t = interval.start + (f64::from(k) + 0.5) * length;
                    self.push(of.point, t, &chord, (stiffness, law), options, seconds, &mut sum);
                }
            }
            sum.points += usize::from(touches);
        }
        sum
    }

    /// At the end of the step only: what discrete collision detection finds, for comparison. The same impulse as a force that lasts the whole step.
    pub fn discrete_impulse(&self, law: &Law, options: &PenaltyOptions) -> PairImpulse {
        self.discrete_impulse_of(&self.at_end().contacts(options.iso), law, options)
    }

    /// The same of contacts [at the end](Self::at_end) that were found before.
    pub fn discrete_impulse_of(
        &self,
        contacts: &[PointContacts],
        law: &Law,
        options: &PenaltyOptions,
    ) -> PairImpulse {
        // Bodies are at the end all the time: there is nothing in between to take a substep to.
        let options = PenaltyOptions { subintervals: 1, handles: Handles::Interpolated, ..*options };
        let mut found = self.at_end().impulse_of(contacts, law, &options);
        if options.arms == Arms::Start {
            // Of arms from the centres at the end, and the ways of these.
            let way = |body: &BodyStep| body.to.center_in_world() - body.from.center_in_world();
            found.on_shell.torque += way(&self.shell_body).cross(found.on_shell.force);
            found.on_surface.torque += way(&self.surface_body).cross(found.on_surface.force);
        }
        found
    }

    /// Both bodies as they are at the end, for the whole step.
    #[must_use]
    pub fn at_end(&self) -> Self {
        let still = |body: &BodyStep| BodyStep::still(body.to, body.duration);
        Self { shell_body: still(&self.shell_body), surface_body: still(&self.surface_body), ..*self }
    }

    #[allow(clippy::too_many_arguments)] // The inner loop, written apart to be read.
    #[inline]
    fn push(
        &self,
        point: u32,
        t: f64,
        chord: &Segment,
        (stiffness, law): (f64, &Law),
        options: &PenaltyOptions,
        seconds: f64,
        sum: &mut PairImpulse,
    ) {
        let shell_body = self.shell_body.at(t, options.handles);
        let surface_body = self.surface_body.at(t, options.handles);
        let Some(state) = self.state(point, chord.at(t), (&shell_body, &surface_body), options) else {
            return;
        };
        sum.deepest = sum.deepest.max(state.depth);
        let (force, normal_force) = force_on_shell(&state, stiffness, law, options.damping);
        let center = |step: &BodyStep, now: &Placed| match options.arms {
            Arms::Start => step.from.center_in_world(),
            Arms::Moving => now.center_in_world(),
        };
        let impulse = force * seconds;
        if options.arms == Arms::Moving {
            sum.delay += t * impulse;
        }
        let arm = state.place - center(&self.shell_body, &shell_body);
        sum.on_shell += Wrench::of_force(impulse, arm);
        sum.on_surface += Wrench::of_force(-impulse, state.place - center(&self.surface_body, &surface_body));
        let drag = law.friction.rolling_drag(normal_force, state.turning.length(), arm.length());
        let torque = -drag * seconds * state.turning;
        sum.on_shell.torque += torque;
        sum.on_surface.torque -= torque;
    }

    /// `None` where the point is not in contact, as may be at midpoints next to an end within rounding.
    #[inline]
    fn state(
        &self,
        point: u32,
        in_surface: DVec3,
        (shell_body, surface_body): (&Placed, &Placed),
        options: &PenaltyOptions,
    ) -> Option<PointState> {
        let surface = self.obstacle.touchable();
        let depth = options.iso - surface.value(in_surface);
        // Written so that NaN is none.
        let is_inside = depth > 0.0;
        if !is_inside {
            return None;
        }
        let own = -(shell_body.world_from_body.rotation * self.shell.normals()[point as usize]);
        let outward = match options.normals {
            ContactNormals::Shell => own,
            ContactNormals::Field => surface
                .gradient(in_surface)
                .and_then(DVec3::try_normalize)
                .map_or(own, |normal| surface_body.world_from_body.rotation * normal),
        };
        let place = shell_body.world_from_body.place(self.shell.points()[point as usize]);
        let velocity = shell_body.velocity_of(place) - surface_body.velocity_of(place);
        let turning = shell_body.twist.angular - surface_body.twist.angular;
        Some(PointState { place, outward, depth, velocity, turning })
    }
}

/// F = k·δ·n − c·v, with friction, and how hard it presses, N.
#[inline]
fn force_on_shell(state: &PointState, stiffness: f64, law: &Law, damping: Damping) -> (DVec3, f64) {
    let &PointState { outward, depth, velocity, .. } = state;
    let along = velocity.dot(outward);
    let sliding = velocity - along * outward;
    let spring = stiffness * depth;
    let damper = stiffness * law.damping;
    match damping {
        Damping::Normal => {
            let normal_force = (spring - damper * along).max(0.0);
            (normal_force * outward + law.friction.force(normal_force, sliding), normal_force)
        }
        Damping::Full => (spring * outward - damper * velocity + law.friction.force(spring, sliding), spring),
    }
}
