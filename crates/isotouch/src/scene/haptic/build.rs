//! From a scene to what follows the hand.

use std::sync::Arc;

use super::parse::MOST_OFFSET;
use super::{FixedPart, HapticScene, HeldMass, Method};
use crate::ccd::{Ball, Plane, Touchable};
use crate::contact::{Friction, Law, PenaltyOptions, Stiffness};
use crate::field::Field;
use crate::haptics::{
    Coupling, GodObject, GodObjectError, GodObjectOptions, Held, HeldPair, Looking, PenaltyError,
    PenaltyObject, PenaltyObjectOptions, Renderer, RowNormals, Surface,
};
use crate::mesh::{MassProperties, TriMesh, mass_properties};
use crate::numbers::significant;
use crate::scene::error::{Place, SceneError, ShapeFailure};
use crate::scene::shape::{PlacedShape, ShapeSource};
use crate::scene::surface::SurfaceShape;
use crate::shell::{NormalSource, PointShell};

/// Step that the usual limit of stiffness is for, s.
const USUAL_STEP: f64 = 1e-3;
/// The usual limit, in masses over the square of that step. Implicit steps bear more, but not which points touch, which is as it was a step before; less is soft.
const USUAL_LIMIT: f64 = 10.0;

/// Both parts, made.
#[derive(Clone)]
pub struct BuiltHaptic {
    /// What touches what.
    pub pair: Arc<HeldPair>,
    /// What is held, to be shown.
    pub held: Arc<TriMesh>,
    /// What stands still, to be shown; `None` for formulas.
    pub fixed: Option<Arc<TriMesh>>,
}

/// Why nothing follows the hand.
#[derive(Debug, thiserror::Error)]
pub enum RendererError {
    /// At the first pose the parts are in each other.
    #[error(
        "{place}: at the first pose the held part is {:.4} mm deep in the fixed one (its deepest point is number {point}); begin where they are apart{}",
        1e3 * .depth,
        .offset.map_or(String::new(), |offset| format!(", or shrink the field with an offset of {offset:.2} cells or less"))
    )]
    BeginsInside {
        /// Where the first pose is told.
        place: Place,
        /// How deep, m.
        depth: f64,
        /// The deepest point, from 0.
        point: u32,
        /// What would let it begin outside, in cells, if any that a scene may have.
        offset: Option<f64>,
    },
    /// Constraints.
    #[error(transparent)]
    Constraint(#[from] GodObjectError),
    /// Springs.
    #[error(transparent)]
    Penalty(#[from] PenaltyError),
}

impl HapticScene {
    /// Makes both parts.
    pub fn build(&self) -> Result<BuiltHaptic, SceneError> {
        self.build_with(|wanted, mesh| Ok(Field::from_mesh(mesh, &wanted.field_options())?))
    }

    /// The same with the field from elsewhere, such as a cache: `field` is called once, unless the fixed part is a formula.
    pub fn build_with(
        &self,
        mut field: impl FnMut(&ShapeSource, &TriMesh) -> Result<Field, ShapeFailure>,
    ) -> Result<BuiltHaptic, SceneError> {
        let of_shape = |shape: &PlacedShape| {
            let (place, name) = (shape.place.clone(), shape.name.clone());
            move |source| SceneError::Shape { place, shape: name, source }
        };
        let here = |source: ShapeFailure| SceneError::Haptic { place: self.place.clone(), source };
        let held = self.held.source.load_mesh().map_err(of_shape(&self.held))?;
        let (fixed, surface) = match &self.fixed {
            FixedPart::Surface(shape, cell) => (None, Surface::Analytic(self.grown(*shape, *cell), *cell)),
            FixedPart::Shape(shape) => {
                let mesh = shape.source.load_mesh().map_err(of_shape(shape))?;
                let (of, solid) = match self.held_as {
                    Held::Shell => (shape, &mesh),
                    Held::Field => (&self.held, &held),
                };
                let field = field(&self.with_band(&of.source), solid).map_err(of_shape(of))?;
                (Some(mesh), Surface::Field(Arc::new(field)))
            }
        };
        let (points_of, mesh) = match (&self.fixed, &fixed, self.held_as) {
            (FixedPart::Shape(shape), Some(mesh), Held::Field) => (shape, mesh),
            _ => (&self.held, &held),
        };
        let shell = shell(&points_of.source, mesh).map_err(of_shape(points_of))?;
        let mass = self.mass_of(&held, &shell).map_err(of_shape(&self.held))?;
        let pair = HeldPair::new(Arc::new(shell), surface, self.held_as, mass)
            .and_then(|pair| pair.with_fixed_at(self.world_from_fixed))
            .map_err(|error| here(error.into()))?;
        Ok(BuiltHaptic { pair: Arc::new(pair), held: Arc::new(held), fixed: fixed.map(Arc::new) })
    }

    /// A field whose band holds the level that is touched, and where springs begin.
    fn with_band(&self, source: &ShapeSource) -> ShapeSource {
        // Twice the error of its cells, 0.87 each, and some more for what is looked for above the level.
        let needed = self.offset.abs() + self.penalty.security_distance.max(0.0) + 2.0;
        ShapeSource { band: source.band.max(needed), ..source.clone() }
    }

    /// What follows the hand, at the start.
    pub fn renderer(&self, pair: &Arc<HeldPair>, method: Method) -> Result<Renderer, RendererError> {
        let coupling = self.coupling_for(pair, method);
        let looking = match method {
            Method::Constraint => {
                let mut options = GodObjectOptions { iso: self.level(pair), ..self.constraint };
                let is_certain = pair.shell().normal_source() == NormalSource::Mesh;
                if options.normals == RowNormals::Fixed && !is_certain {
                    // A mesh that does not tell its outside has normals that lead in as often as out; the field's lead out.
                    options.normals = RowNormals::Field;
                }
                let god = GodObject::new(Arc::clone(pair), self.start(), &options)
                    .map_err(|error| self.told_with_place(error, pair))?;
                return Ok(Renderer::Constraint(Box::new(god), coupling));
            }
            Method::Penalty => Looking::Continuous,
            Method::DiscretePenalty => Looking::AtEnd,
        };
        let of = &self.penalty;
        let options = PenaltyObjectOptions {
            looking,
            law: Law {
                stiffness: Stiffness::PerPoint(of.stiffness),
                damping: of.damping,
                friction: Friction::NONE,
            },
            penalty: PenaltyOptions {
                subintervals: of.subintervals,
                iso: self.level(pair) + of.security_distance * pair.surface().cell(),
                ..PenaltyOptions::default()
            },
            surface: self.level(pair),
            coupling: Some(coupling),
            max_stiffness: self.most_stiffness(pair),
            ..PenaltyObjectOptions::default()
        };
        Ok(Renderer::Penalty(Box::new(PenaltyObject::new(Arc::clone(pair), self.start(), &options)?)))
    }

    /// What there is to tell of springs that are softer than the hand: then it presses the part in deeper than half a cell.
    pub fn soft_contacts(&self, pair: &HeldPair, method: Method) -> Option<String> {
        let (most, hand) = (self.most_stiffness(pair), self.coupling_for(pair, method).stiffness);
        if method == Method::Constraint || most >= hand {
            return None;
        }
        Some(format!(
            "the held part has {} g, so all its contacts together are kept to {} N/m, softer than the coupling's {}: it is pressed in deeper than half a cell; \
             raise max_stiffness of [haptic.penalty] (steps longer than {} ms may be unstable then), or take --method constraint",
            significant(1e3 * pair.mass().mass, 3),
            significant(most, 3),
            significant(hand, 3),
            significant(1e3 * (pair.mass().mass / hand).sqrt(), 2),
        ))
    }

    /// Of all contacts together, N/m.
    fn most_stiffness(&self, pair: &HeldPair) -> f64 {
        let usual = USUAL_LIMIT * pair.mass().mass / (USUAL_STEP * USUAL_STEP);
        self.penalty.max_stiffness.unwrap_or(usual)
    }

    fn told_with_place(&self, error: GodObjectError, pair: &HeldPair) -> RendererError {
        let GodObjectError::BeginsInside { depth, point, .. } = error else { return error.into() };
        // A hundredth of a cell beyond, so that it is outside and not on the surface.
        let offset = (100.0 * (self.offset - depth / pair.surface().cell()) - 1.0).floor() / 100.0;
        RendererError::BeginsInside {
            place: self.start_place.clone(),
            depth,
            point,
            offset: (offset >= -MOST_OFFSET).then_some(offset),
        }
    }

    /// The spring between hand and part, with what the scene leaves open.
    pub fn coupling_for(&self, pair: &HeldPair, method: Method) -> Coupling {
        let of = &self.coupling;
        let (mass, moment, gyration) = (pair.mass(), pair.typical_moment(), pair.gyration());
        let angular = of.angular_stiffness.unwrap_or(of.stiffness * gyration * gyration);
        let (usual, limit) = match method {
            Method::Constraint => (Coupling::spring(of.stiffness, angular), f64::INFINITY),
            Method::Penalty | Method::DiscretePenalty => {
                (Coupling::critical(of.stiffness, angular, mass.mass, moment), 0.5 * pair.surface().cell())
            }
        };
        Coupling {
            damping: of.damping.unwrap_or(usual.damping),
            angular_damping: of.angular_damping.unwrap_or(usual.angular_damping),
            ..usual
        }
        .saturating(of.max_distance.unwrap_or(limit), gyration)
    }

    /// The level set that is touched, m. Formulas are grown themselves.
    fn level(&self, pair: &HeldPair) -> f64 {
        match self.fixed {
            FixedPart::Surface(..) => 0.0,
            FixedPart::Shape(_) => self.offset * pair.surface().cell(),
        }
    }

    fn grown(&self, shape: SurfaceShape, cell: f64) -> Arc<dyn Touchable + Send + Sync> {
        let by = self.offset * cell;
        match shape {
            SurfaceShape::Plane(of) => Arc::new(Plane { offset: of.offset + by, ..of }),
            SurfaceShape::Ball(of) => Arc::new(Ball { radius: of.radius + by, ..of }),
        }
    }

    fn mass_of(&self, mesh: &TriMesh, shell: &PointShell) -> Result<MassProperties, ShapeFailure> {
        match self.mass {
            HeldMass::Density(density) => Ok(mass_properties(mesh, density)?),
            HeldMass::Total(mass) => match mass_properties(mesh, 1.0) {
                Ok(of) => {
                    let factor = mass / of.mass;
                    Ok(MassProperties { mass, inertia: of.inertia * factor, ..of })
                }
                Err(_) if self.held_as == Held::Shell => Ok(HeldPair::skin_mass(shell, mass)),
                Err(error) => Err(error.into()),
            },
        }
    }
}

/// The points of a part.
fn shell(of: &ShapeSource, mesh: &TriMesh) -> Result<PointShell, ShapeFailure> {
    let Some(options) = of.shell_options() else { return Err("it has no points to touch with".into()) };
    Ok(PointShell::from_mesh(mesh, &options)?)
}
