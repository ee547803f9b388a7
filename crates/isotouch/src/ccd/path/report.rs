//! What is known about a path.

use glam::DVec3;

use crate::math::Pose;

/// What is proven.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// Nothing comes nearer than the clearance asked for.
    Free,
    /// Something does.
    Contact,
    /// It comes so close that the tolerance does not tell.
    Undecided,
}

impl Answer {
    /// The name in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Free => "free",
            Self::Contact => "contact",
            Self::Undecided => "undecided",
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

/// The first contact of a path.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathContact {
    /// Its leg, counted from 0.
    pub leg: usize,
    /// When in the leg.
    pub t: f64,
    /// Where the moving part is then.
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
    /// What is proven.
    pub answer: Answer,
    /// The surfaces are at least that far apart during the whole leg; 0 for contact and undecided, +∞ for a leg that was let pass because parts
    /// that start in contact had not yet come apart.
    pub clearance: f64,
    /// Where they are nearest, as far as that was looked for.
    pub nearest: Option<Near>,
    /// The first contact, and the pose then.
    pub contact: Option<(Near, Pose)>,
    /// Where it could not be told.
    pub undecided: Option<Near>,
    /// All times of contact.
    pub stretches: Vec<Stretch>,
    /// Patches that were looked at.
    pub looks: u64,
}

/// What is known about a path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathReport {
    /// What is proven.
    pub answer: Answer,
    /// The surfaces are at least that far apart along the whole path; 0 for contact.
    pub clearance: f64,
    /// The first contact.
    pub first_contact: Option<PathContact>,
    /// Where it could first not be told, and in which leg.
    pub undecided: Option<(usize, Near)>,
    /// Whether the parts are in contact at the first pose.
    pub starts_in_contact: bool,
    /// Every leg.
    pub legs: Vec<LegReport>,
    /// The contact at the first pose, also where it is let pass.
    at_start: Option<PathContact>,
}

impl LegReport {
    /// A leg that is not looked at, for the parts have not yet come apart.
    pub(super) fn let_pass() -> Self {
        Self {
            answer: Answer::Free,
            clearance: f64::INFINITY,
            nearest: None,
            contact: None,
            undecided: None,
            stretches: Vec::new(),
            looks: 0,
        }
    }
}

impl PathReport {
    /// A path of which the first pose was looked at.
    pub(super) fn begin(at_start: Option<PathContact>, lets_pass: bool) -> Self {
        Self {
            answer: Answer::Free,
            clearance: f64::INFINITY,
            first_contact: at_start.filter(|_| !lets_pass),
            undecided: None,
            starts_in_contact: at_start.is_some(),
            legs: Vec::new(),
            at_start,
        }
    }

    /// Adds what is known about the next leg.
    pub fn add(&mut self, leg: usize, of: LegReport) {
        self.clearance = self.clearance.min(of.clearance);
        if self.first_contact.is_none()
            && let Some((near, pose)) = of.contact
        {
            let kind = if near.is_cap { ContactKind::Cap } else { ContactKind::Surface };
            let Near { t, distance, point, normal, .. } = near;
            self.first_contact = Some(PathContact { leg, t, pose, point, normal, distance, kind });
        }
        if self.undecided.is_none() {
            self.undecided = of.undecided.map(|near| (leg, near));
        }
        self.legs.push(of);
    }

    /// The answer, when all legs were added.
    #[must_use]
    pub fn finish(mut self) -> Self {
        // Parts that never come apart are in contact after all.
        if self.legs.iter().all(|leg| leg.clearance == f64::INFINITY) {
            self.first_contact = self.first_contact.or(self.at_start);
        }
        self.answer = match (&self.first_contact, &self.undecided) {
            (Some(_), _) => Answer::Contact,
            (None, Some(_)) => Answer::Undecided,
            (None, None) => Answer::Free,
        };
        if self.answer == Answer::Contact {
            self.clearance = 0.0;
        }
        self
    }
}
