//! What is known about a path.

use glam::DVec3;

use crate::math::Pose;

/// What is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Nothing comes nearer than the clearance asked for, from when on it was looked at.
    Free,
    /// Something does.
    Contact,
    /// Not told: [`Reason`] says why.
    Undecided,
    /// Of a leg only: not looked at, for the contact that parts start in was let pass until later.
    LetPass,
}

impl Answer {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Contact => "contact",
            Self::Undecided => "undecided",
            Self::LetPass => "let_pass",
        }
    }
}

/// What a contact is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContactKind {
    /// Two triangles cross, or are nearer than the clearance.
    Surface,
    /// The same with a cap, which closes a hole of the other part's mesh.
    Cap,
    /// A component of the moving part lies wholly in the other one.
    MovingInside,
    /// A component of the other part lies wholly in the moving one.
    FixedInside,
}

/// A place where the parts are near each other, or touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Near {
    /// When, within its leg.
    pub t: f64,
    /// How far they are apart then; 0 where triangles cross.
    pub distance: f64,
    /// Where on the moving part, in the world.
    pub point: DVec3,
    /// From the other part towards the moving one; `None` where they cross and it is not clear which way.
    pub normal: Option<DVec3>,
    /// Whether the other part's triangle is a cap.
    pub is_cap: bool,
}

/// Why it could not be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// They come so close that the tolerance does not tell.
    TooClose,
    /// At the first pose nothing touches, but whether a piece of one part is inside the other its triangles do not tell.
    PerhapsInside,
    /// Coordinates are so large that their rounding hides how close they come.
    Rounding,
    /// It took too long, or numbers are too large for an answer.
    GivenUp,
    /// It was cancelled.
    Cancelled,
}

impl Reason {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::TooClose => "too_close",
            Self::PerhapsInside => "perhaps_inside",
            Self::Rounding => "rounding",
            Self::GivenUp => "given_up",
            Self::Cancelled => "cancelled",
        }
    }
}

/// A place where it could not be told.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Doubt {
    /// Where and when; of what was given up, somewhere in what remains.
    pub near: Near,
    /// Why.
    pub reason: Reason,
}

impl Doubt {
    /// About no place in particular.
    pub(super) fn nowhere(t: f64, reason: Reason) -> Self {
        Self { near: Near { t, distance: 0.0, point: DVec3::NAN, normal: None, is_cap: false }, reason }
    }
}

/// The first contact of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathContact {
    /// Its leg, counted from 0.
    pub leg: usize,
    /// When in the leg.
    pub t: f64,
    /// Where the moving part is then. By chords it is no rigid part between two poses: then this is the pose of the rigid motion at that
    /// time, and `point` and `normal` are of the part as it is.
    pub pose: Pose,
    /// A point of the moving part that is in contact, in the world.
    pub point: DVec3,
    /// From the other part towards the moving one, where that is known.
    pub normal: Option<DVec3>,
    /// How far the surfaces are apart: 0, or less than the clearance asked for.
    pub distance: f64,
    /// What it is.
    pub kind: ContactKind,
}

/// A time of contact within a leg: at both ends, and at poses in between that are not far from each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stretch {
    /// When the first of these poses is.
    pub start: f64,
    /// When the last one is.
    pub end: f64,
}

/// What is known about a leg.
#[derive(Debug, Clone, PartialEq)]
pub struct LegReport {
    /// What is proven of the surfaces, from [`LegReport::from`] on. That a part is wholly inside the other, the first pose of the path tells.
    pub answer: Answer,
    /// From when on the leg was looked at: 0, unless a contact at the start was let pass until then; 1 for a leg that was let pass whole.
    pub from: f64,
    /// From then on the surfaces are at least that far apart; 0 for contact and undecided, +∞ for a leg that was let pass.
    pub clearance: f64,
    /// Where they are nearest, as far as that was looked for.
    pub nearest: Option<Near>,
    /// The first contact, and the pose then ([`PathContact::pose`]).
    pub contact: Option<(Near, Pose)>,
    /// Where it could not be told.
    pub undecided: Option<Doubt>,
    /// Times of contact, from the first on, as poses that are looked at one by one tell: one that is shorter than they are apart may be missing.
    pub stretches: Vec<Stretch>,
    /// Patches that were looked at.
    pub looks: u64,
}

/// What is known about a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathReport {
    /// What is proven, from [`PathReport::checked_from`] on.
    pub answer: Answer,
    /// From then on the surfaces are at least that far apart; 0 for contact and undecided.
    pub clearance: f64,
    /// The first contact.
    pub first_contact: Option<PathContact>,
    /// Where it could first not be told, and in which leg.
    pub undecided: Option<(usize, Doubt)>,
    /// Whether the parts are in contact at the first pose.
    pub starts_in_contact: bool,
    /// From which leg on, and from when on in it, the path was looked at: from its beginning, unless a contact at the start was let pass.
    /// `None` if none of it was, for the parts never came apart, or it was given up to find out when.
    pub checked_from: Option<(usize, f64)>,
    /// Every leg, unless they were handed over one by one ([`PathChecker::check_with`](super::PathChecker::check_with)).
    pub legs: Vec<LegReport>,
}

impl LegReport {
    /// A leg that is not looked at, for the parts have not yet come apart.
    pub(super) fn let_pass() -> Self {
        Self { answer: Answer::LetPass, from: 1.0, clearance: f64::INFINITY, ..Self::nothing_known() }
    }

    /// A leg that is not looked at, for nobody waits for the answer.
    pub(super) fn cancelled() -> Self {
        Self { undecided: Some(Doubt::nowhere(0.0, Reason::Cancelled)), ..Self::nothing_known() }
    }

    fn nothing_known() -> Self {
        Self {
            answer: Answer::Undecided,
            from: 0.0,
            clearance: 0.0,
            nearest: None,
            contact: None,
            undecided: None,
            stretches: Vec::new(),
            looks: 0,
        }
    }
}

impl PathReport {
    /// A path of which nothing is known.
    pub(super) fn new() -> Self {
        Self {
            answer: Answer::Free,
            clearance: f64::INFINITY,
            first_contact: None,
            undecided: None,
            starts_in_contact: false,
            checked_from: Some((0, 0.0)),
            legs: Vec::new(),
        }
    }

    /// Adds what is known about the next leg, without keeping it.
    pub(super) fn add(&mut self, leg: usize, of: &LegReport) {
        self.clearance = self.clearance.min(of.clearance);
        if self.first_contact.is_none()
            && let Some((near, pose)) = of.contact
        {
            let kind = if near.is_cap { ContactKind::Cap } else { ContactKind::Surface };
            self.first_contact = Some(PathContact::new(leg, pose, &near, kind));
        }
        if self.undecided.is_none() {
            self.undecided = of.undecided.map(|doubt| (leg, doubt));
        }
    }

    /// With the answer, when all legs were added.
    pub(super) fn finish(mut self) -> Self {
        self.answer = match (&self.first_contact, &self.undecided) {
            (Some(_), _) => Answer::Contact,
            (None, Some(_)) => Answer::Undecided,
            (None, None) => Answer::Free,
        };
        if self.answer != Answer::Free {
            self.clearance = 0.0;
        }
        self
    }
}

impl PathContact {
    pub(super) fn new(leg: usize, pose: Pose, near: &Near, kind: ContactKind) -> Self {
        let Near { t, distance, point, normal, .. } = *near;
        Self { leg, t, pose, point, normal, distance, kind }
    }
}
