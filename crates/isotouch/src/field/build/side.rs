//! Which side of a surface a point is on, for meshes that leave it open.

use glam::DVec3;

use crate::mesh::WindingTree;

/// Tells inside from outside everywhere, also where no surface separates them.
pub(crate) trait Side: Sync {
    /// Above 0 inside, at most 0 outside. Where it changes smoothly, caps are smooth.
    fn level(&self, p: DVec3) -> f64;

    fn is_inside(&self, p: DVec3) -> bool {
        self.level(p) > 0.0
    }
}

/// Inside is where an oriented surface, however leaky, winds around more than half.
pub(super) struct HalfWound<'a>(pub(super) WindingTree<'a>);

impl Side for HalfWound<'_> {
    fn level(&self, p: DVec3) -> f64 {
        self.0.winding(p) - 0.5
    }
}
