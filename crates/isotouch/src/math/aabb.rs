use glam::DVec3;

/// An axis-aligned box, closed on all sides. [`Aabb::EMPTY`] contains nothing and joins neutrally.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Aabb {
    /// The corner with the smallest coordinates.
    pub min: DVec3,
    /// The corner with the largest coordinates.
    pub max: DVec3,
}

impl Aabb {
    /// The box of no points: `min` is +∞ and `max` is −∞.
    pub const EMPTY: Self = Self { min: DVec3::INFINITY, max: DVec3::NEG_INFINITY };

    /// A box from its two extreme corners.
    pub const fn new(min: DVec3, max: DVec3) -> Self {
        Self { min, max }
    }

    /// The smallest box around the points; [`Aabb::EMPTY`] when there are none.
    pub fn of_points(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::including)
    }

    /// This box grown just enough to hold `point`.
    #[must_use]
    pub fn including(self, point: DVec3) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The smallest box around both.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// This box with `margin` added on every side.
    #[must_use]
    pub fn expanded(self, margin: f64) -> Self {
        Self { min: self.min - DVec3::splat(margin), max: self.max + DVec3::splat(margin) }
    }

    /// True when no point is inside.
    pub fn is_empty(&self) -> bool {
        !self.min.cmple(self.max).all()
    }

    /// Edge lengths.
    pub fn extent(&self) -> DVec3 {
        self.max - self.min
    }

    /// The middle of the box.
    pub fn center(&self) -> DVec3 {
        0.5 * (self.min + self.max)
    }

    /// True for points inside or on the boundary.
    pub fn contains(&self, point: DVec3) -> bool {
        point.cmpge(self.min).all() && point.cmple(self.max).all()
    }

    /// The point of the box nearest to `point`; `point` itself when it is inside.
    pub fn project(&self, point: DVec3) -> DVec3 {
        point.clamp(self.min, self.max)
    }

    /// Squared distance from `point` to the box; 0 inside.
    pub fn distance_squared(&self, point: DVec3) -> f64 {
        (self.min - point).max(point - self.max).max(DVec3::ZERO).length_squared()
    }

    /// Surface area; 0 for an empty box.
    pub fn surface_area(&self) -> f64 {
        let e = self.extent().max(DVec3::ZERO);
        2.0 * (e.x * e.y + e.y * e.z + e.z * e.x)
    }
}
