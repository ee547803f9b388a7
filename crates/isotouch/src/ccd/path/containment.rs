//! The first pose: are the parts apart, and is neither inside the other?

use glam::DVec3;

use super::{ContactKind, PathChecker, PathContact, PathReport};
use crate::math::Pose;
use crate::math::random::unit;
use crate::mesh::{Bvh, TriMesh, WindingTree};

/// Times of a leg that are looked at for when parts that start in contact have come apart.
const TIMES: u32 = 1024;

/// Rays that must agree where winding numbers tell nothing. Fewer would take an open mesh for closed; more, a closed one for open where a ray meets an edge.
const RAYS: u64 = 15;

impl PathChecker<'_> {
    /// The contact at the first pose, if there is one.
    pub fn at_start(&self, pose: Option<&Pose>) -> Option<PathContact> {
        let pose = *pose?;
        let contact = |point: DVec3, kind: ContactKind, distance: f64, normal: Option<DVec3>| {
            Some(PathContact { leg: 0, t: 0.0, pose, point, normal, distance, kind })
        };
        if let Some(near) = self.nearest_at(&pose.to_affine(), self.options.clearance.next_up()) {
            let kind = if near.is_cap { ContactKind::Cap } else { ContactKind::Surface };
            return contact(near.point, kind, near.distance, near.normal);
        }
        if let Some(point) = self.moving_inside(&pose) {
            return contact(point, ContactKind::MovingInside, 0.0, None);
        }
        let point = self.fixed_inside(&pose)?;
        contact(point, ContactKind::FixedInside, 0.0, None)
    }

    /// From when on the path is checked: from its beginning, or where a contact at the first pose is let pass, from when the parts are
    /// apart. In legs.
    pub fn checked_from(&self, path: &[Pose], begun: &PathReport) -> f64 {
        if !(self.options.ignores_start_contact && begun.starts_in_contact) {
            return 0.0;
        }
        for (leg, ends) in path.windows(2).enumerate() {
            let motion = self.motion(ends[0], ends[1]);
            for k in 0..=TIMES {
                let t = f64::from(k) / f64::from(TIMES);
                // Apart, and neither inside the other.
                if self.at_start(Some(&motion.pose(t))).is_none() {
                    return leg as f64 + t;
                }
            }
        }
        path.len() as f64
    }

    /// A point of a component of the moving part that is inside the other. The surfaces do not cross, so all of the component is.
    fn moving_inside(&self, pose: &Pose) -> Option<DVec3> {
        let field = self.fixed.field;
        if !field.is_certified() {
            // A sheet has no inside.
            return None;
        }
        for component in components(&self.moving.mesh, usize::MAX) {
            let places = component.iter().map(|&v| pose.place(self.moving.mesh.vertices()[v as usize]));
            let known = places.map(|p| (field.distance(p).value(), p)).filter(|(value, _)| value.is_finite());
            // The one that the field is surest of.
            let Some((value, point)) = known.max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())) else { continue };
            let is_inside = match field.error_bound_at(point) {
                // Near the surface the field's error hides the side, and triangles tell.
                Some(error) if value.abs() <= error => {
                    Enclosure::new(&self.fixed.mesh, &self.fixed.bvh).holds(point)
                }
                Some(_) => value < 0.0,
                None => false,
            };
            if is_inside {
                return Some(point);
            }
        }
        None
    }

    /// A point of a component of the other part that is inside the moving one.
    fn fixed_inside(&self, pose: &Pose) -> Option<DVec3> {
        let body_from_world = pose.inverse();
        let bounds = self.moving.bounds();
        let first = |component: &Vec<u32>| self.fixed.mesh.vertices()[component[0] as usize];
        let places: Vec<DVec3> = components(&self.fixed.mesh, self.fixed.own())
            .iter()
            .map(first)
            .filter(|&place| bounds.contains(body_from_world.place(place)))
            .collect();
        if places.is_empty() {
            return None;
        }
        let bvh = Bvh::new(&self.moving.mesh);
        let moving = Enclosure::new(&self.moving.mesh, &bvh);
        places.into_iter().find(|&place| moving.holds(body_from_world.place(place)))
    }
}

/// What a mesh encloses, by its triangles.
struct Enclosure<'a> {
    mesh: &'a TriMesh,
    bvh: &'a Bvh,
    winding: WindingTree<'a>,
}

impl<'a> Enclosure<'a> {
    fn new(mesh: &'a TriMesh, bvh: &'a Bvh) -> Self {
        Self { mesh, bvh, winding: WindingTree::new(mesh, bvh) }
    }

    /// Whether a point that is not on the surface is inside. An open mesh encloses nothing, unless rays cannot tell that it is open.
    fn holds(&self, p: DVec3) -> bool {
        // Whole for a closed mesh, whichever way it is wound; one that is wound both ways at once needs rays.
        let winding = self.winding.winding(p).abs();
        let is_whole = (winding - winding.round()).abs() < 0.05;
        (is_whole && winding > 0.5) || (winding < 0.5 && (0..RAYS).all(|k| self.is_odd(p, k)))
    }

    /// Whether a ray crosses the mesh an odd number of times. Triangles in the same place count once.
    fn is_odd(&self, p: DVec3, k: u64) -> bool {
        let direction = DVec3::new(unit(1, 3 * k), unit(1, 3 * k + 1), unit(1, 3 * k + 2)) - 0.5;
        let crossings = self.bvh.ray_crossings(self.mesh, p, direction);
        let mut times: Vec<f64> = crossings.iter().map(|crossing| crossing.t).filter(|t| *t > 0.0).collect();
        times.sort_by(f64::total_cmp);
        times.dedup_by(|later, earlier| *later - *earlier <= 1e-12 * *later);
        times.len() % 2 == 1
    }
}

/// Vertices of the first so many triangles, those that triangles join together.
fn components(mesh: &TriMesh, triangles: usize) -> Vec<Vec<u32>> {
    let parts = mesh.parts();
    let mut used: Vec<(u32, u32)> =
        mesh.triangles().iter().take(triangles).flatten().map(|&v| (parts[v as usize], v)).collect();
    used.sort_unstable();
    used.dedup();
    used.chunk_by(|a, b| a.0 == b.0).map(|of| of.iter().map(|&(_, v)| v).collect()).collect()
}
