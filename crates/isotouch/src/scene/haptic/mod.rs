//! Scenes to be felt: a part in the hand, a part that stands still, and what a simulated hand does with them.
//!
//! ```
//! use isotouch::haptics::device::Device;
//! use isotouch::haptics::{Session, SessionOptions};
//! use isotouch::scene::haptic::{HapticScene, Method, built_in};
//!
//! let wall = built_in::by_name("wall").unwrap();
//! let scene = HapticScene::parse(wall.name, wall.text)?.scaled_down(32, 200);
//! let built = scene.build()?;
//! let renderer = scene.renderer(&built.pair, Method::Constraint)?;
//! let mut session = Session::in_step(renderer, &SessionOptions::default())?;
//! let mut hand = scene.hand(1000.0)?;
//! for _ in 0..1500 {
//!     let state = hand.read()?;
//!     let command = session.command(&state);
//!     hand.write(&command)?;
//! }
//! let feedback = session.feedback().unwrap();
//! assert!(feedback.contacts > 0 && feedback.penetration == 0.0);
//!
//! // What is wrong is told with its place and a remedy.
//! let error = HapticScene::parse("mine.toml", "[haptic]\nheld = \"spehre\"").unwrap_err().to_string();
//! assert!(error.starts_with("mine.toml:2:8: 'spehre' is no built-in shape; did you mean 'sphere'?"), "{error}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! `docs/haptics.md` describes the text; [`built_in`] has those that are always there, to be felt and to be copied.

mod build;
pub mod built_in;
mod parse;
mod poses;

pub use build::{BuiltHaptic, RendererError};

use super::error::Place;
use super::shape::{BuiltInShape, MeshSource, PlacedShape, ShapeSource};
use super::surface::SurfaceShape;
use crate::haptics::device::{Hand, HandError, HandOptions, Path};
use crate::haptics::{GodObjectOptions, Held};
use crate::math::Pose;

/// How contact becomes force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Method {
    /// By constraints: the god object, which never enters anything.
    #[default]
    Constraint,
    /// By springs over the times of contact.
    Penalty,
    /// By springs at the ends of steps, for comparison.
    DiscretePenalty,
}

impl Method {
    /// All of them by name.
    pub const NAMES: [(&'static str, Self); 3] = [
        ("constraint", Self::Constraint),
        ("penalty", Self::Penalty),
        ("discrete-penalty", Self::DiscretePenalty),
    ];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Constraint => "constraint",
            Self::Penalty => "penalty",
            Self::DiscretePenalty => "discrete-penalty",
        }
    }
}

/// What weighs in the hand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HeldMass {
    /// kg/m³.
    Density(f64),
    /// kg. What encloses no volume has it spread over its points.
    Total(f64),
}

/// What stands still.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum FixedPart {
    Shape(PlacedShape),
    /// With what stands for a cell, m.
    Surface(SurfaceShape, f64),
}

/// The spring between hand and part, as far as the scene says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CouplingSettings {
    /// N/m.
    pub stiffness: f64,
    /// N·m/rad. Usual: the stiffness times the squared radius of gyration, so that turns swing as fast as shifts.
    pub angular_stiffness: Option<f64>,
    /// N·s/m. Usual: none for the god object, which has no velocity, and critical for springs.
    pub damping: Option<f64>,
    /// N·m·s/rad.
    pub angular_damping: Option<f64>,
    /// m. Usual: no limit for the god object; half a cell for springs, which then are entered by about that much.
    pub max_distance: Option<f64>,
}

/// Contact by springs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltySettings {
    /// N/m of every point.
    pub stiffness: f64,
    /// s: by how much the damper's force is behind the spring's.
    pub damping: f64,
    /// Of the midpoint rule (2016: 5).
    pub subintervals: u32,
    /// In cells: contact begins so far outside.
    pub security_distance: f64,
    /// N/m of all contacts together. Usual: 10·m/dt² with dt of a millisecond; implicit steps bear more than the 4·m/dt² of explicit ones.
    pub max_stiffness: Option<f64>,
}

impl Default for PenaltySettings {
    fn default() -> Self {
        Self {
            stiffness: 1000.0,
            damping: 1e-3,
            subintervals: 5,
            security_distance: 0.0,
            max_stiffness: None,
        }
    }
}

/// A scene for a hand. Lengths in metres.
#[derive(Debug, Clone, PartialEq)]
pub struct HapticScene {
    /// One line about it, for people.
    pub about: String,
    /// Whether the held part is points or a field.
    pub held_as: Held,
    /// Of the field's solid, in cells: grown by so much, or shrunk where below 0. That level set of the field is what is touched.
    pub offset: f64,
    /// Of the held part.
    pub mass: HeldMass,
    /// Where the fixed part is.
    pub world_from_fixed: Pose,
    /// What a simulated hand does.
    pub path: Path,
    /// How long it is felt, s.
    pub seconds: f64,
    /// Between hand and part.
    pub coupling: CouplingSettings,
    /// How the god object follows.
    pub constraint: GodObjectOptions,
    /// How springs push.
    pub penalty: PenaltySettings,
    /// Metres in the scene for a metre of a device.
    pub device_scale: f64,
    /// Newtons in the hand for a newton in the scene.
    pub force_scale: f64,
    /// Where it is described.
    pub place: Place,
    /// Where its path is described.
    start_place: Place,
    held: PlacedShape,
    fixed: FixedPart,
}

impl HapticScene {
    /// Where the held part begins.
    pub fn start(&self) -> Pose {
        self.path.at(0.0).0
    }

    /// A simulated hand that follows the path, given `rate` commands a second.
    pub fn hand(&self, rate: f64) -> Result<Hand, HandError> {
        Hand::new(self.path.clone(), HandOptions { rate, ..HandOptions::default() })
    }

    /// What is held.
    pub fn held(&self) -> &ShapeSource {
        &self.held.source
    }

    /// What is touched, unless it is a formula.
    pub fn fixed(&self) -> Option<&ShapeSource> {
        match &self.fixed {
            FixedPart::Shape(shape) => Some(&shape.source),
            FixedPart::Surface(..) => None,
        }
    }

    /// The plane or ball that is touched, if it is one.
    pub fn fixed_surface(&self) -> Option<SurfaceShape> {
        match self.fixed {
            FixedPart::Shape(_) => None,
            FixedPart::Surface(shape, _) => Some(shape),
        }
    }

    /// Cells along the longest side of the field's box; `None` for formulas.
    pub fn resolution(&self) -> Option<u32> {
        match self.held_as {
            Held::Field => Some(self.held().resolution),
            Held::Shell => self.fixed().map(|shape| shape.resolution),
        }
    }

    /// The same with a field and a shell no finer than that, for tests and first looks. Wires of a strung frame stay as many cells wide as they were: thinner ones no
    /// field could hold.
    #[must_use]
    pub fn scaled_down(mut self, resolution: u32, points: usize) -> Self {
        let parts = [
            Some(&mut self.held),
            match &mut self.fixed {
                FixedPart::Shape(shape) => Some(shape),
                FixedPart::Surface(..) => None,
            },
        ];
        for part in parts.into_iter().flatten() {
            let coarser = resolution.min(part.source.resolution);
            if let MeshSource::BuiltIn(BuiltInShape::StrungFrame(of)) = &mut part.source.mesh {
                of.wire_radius *= f64::from(part.source.resolution) / f64::from(coarser);
            }
            part.source.resolution = coarser;
            part.source.points = part.source.points.at_most(points);
        }
        self
    }
}
