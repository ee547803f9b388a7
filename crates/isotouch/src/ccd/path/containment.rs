//! One pose: are the parts apart, and is neither inside the other?

use glam::{DAffine3, DVec3};

use super::{ContactKind, Near, PathChecker};
use crate::field::{Distance, SignMethod};
use crate::mesh::Side;

/// How the parts lie at a pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Lie {
    /// The surfaces are farther apart than asked for, and neither part is in the other.
    Apart,
    /// They are nearer, or a component is wholly inside.
    Contact(Near, ContactKind),
    /// Nothing is near, and whether a component is inside triangles do not tell.
    Unknown(Near),
}

impl PathChecker<'_> {
    /// How the parts lie, with a distance up to which they count as near.
    pub(super) fn lie(&self, place: &DAffine3, reach: f64) -> Lie {
        if let Some(near) = self.nearest_at(place, reach.next_up()) {
            let kind = if near.is_cap { ContactKind::Cap } else { ContactKind::Surface };
            return Lie::Contact(near, kind);
        }
        let at = |point: DVec3| Near { t: 0.0, distance: 0.0, point, normal: None, is_cap: false };
        let sides = [
            (self.moving_inside(place), ContactKind::MovingInside),
            (self.fixed_inside(place), ContactKind::FixedInside),
        ];
        let inside = sides.iter().find(|(found, _)| found.is_some_and(|(side, _)| side == Side::Inside));
        if let Some((Some((_, point)), kind)) = inside {
            return Lie::Contact(at(*point), *kind);
        }
        sides.iter().find_map(|(found, _)| *found).map_or(Lie::Apart, |(_, point)| Lie::Unknown(at(point)))
    }

    /// A component of the moving part that is not outside the other, and a point of it. The surfaces do not cross, so all of
    /// it is where that point is.
    fn moving_inside(&self, place: &DAffine3) -> Option<(Side, DVec3)> {
        let field = self.fixed.field;
        let vertices = self.moving.mesh.vertices();
        let mut doubtful = None;
        for component in self.moving.components() {
            let places = component.iter().map(|&v| place.transform_point3(vertices[v as usize]));
            // The one that the field is surest of.
            let sureness = |p: &DVec3| {
                let value = field.distance(*p).value().abs();
                if value.is_nan() { -1.0 } else { value }
            };
            let Some(point) = places.max_by(|a, b| sureness(a).total_cmp(&sureness(b))) else { continue };
            match self.side_of_fixed(point) {
                Side::Inside => return Some((Side::Inside, point)),
                Side::Unknown => doubtful = doubtful.or(Some((Side::Unknown, point))),
                Side::Outside => {}
            }
        }
        doubtful
    }

    /// On which side of the fixed part's surface a point is: by its field, or where that cannot tell by its triangles.
    fn side_of_fixed(&self, p: DVec3) -> Side {
        let fixed = self.fixed;
        let field = fixed.field;
        if !p.is_finite() {
            return Side::Unknown;
        }
        if field.is_certified() {
            let error = field.error_bound_at(p).unwrap_or(0.0);
            match field.distance(p) {
                Distance::Interpolated(value) if value < -error => return Side::Inside,
                // Parts that the field does not know of may be around it.
                Distance::Interpolated(value) | Distance::LowerBound(value)
                    if value > error && !field.hides_triangles() =>
                {
                    return Side::Outside;
                }
                _ => {}
            }
        }
        let enclosure = fixed.enclosure();
        // Whoever says that the mesh is a sheet says that it has no inside where it is open.
        if matches!(field.sign(), SignMethod::Oriented | SignMethod::FaceNormal) {
            enclosure.side_of_closed_parts(&fixed.mesh, &fixed.bvh, p)
        } else {
            enclosure.side(&fixed.mesh, &fixed.bvh, p)
        }
    }

    /// A component of the other part that is not outside the moving one, and a point of it.
    fn fixed_inside(&self, place: &DAffine3) -> Option<(Side, DVec3)> {
        // By chords a part may shrink to nothing on the way.
        let body_from_world = place.inverse();
        let bounds = self.moving.bounds();
        let mut doubtful = None;
        for component in self.fixed.components() {
            let Some(&first) = component.first() else { continue };
            let point = self.fixed.mesh.vertices()[first as usize];
            let of_body = body_from_world.transform_point3(point);
            let side = match of_body.is_finite() {
                true if !bounds.contains(of_body) => Side::Outside,
                true => self.moving.side(of_body),
                false => Side::Unknown,
            };
            match side {
                Side::Inside => return Some((Side::Inside, point)),
                Side::Unknown => doubtful = doubtful.or(Some((Side::Unknown, point))),
                Side::Outside => {}
            }
        }
        doubtful
    }
}
