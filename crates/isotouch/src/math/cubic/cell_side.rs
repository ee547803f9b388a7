/// On which side of an iso value a whole cell lies, from its corners alone: exact, since the interpolant takes its least
/// and largest value at corners.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellSide {
    /// Every corner is above σ: no path through the cell touches. Strictly, because a path through a corner that equals σ
    /// does touch (the papers skip at σ ≤ φ_min).
    Above,
    /// No corner is above σ: any path is inside all the way.
    AtMost,
    /// Corners on both sides, or at least one that is not a number: solve.
    Straddles,
}

impl CellSide {
    /// The side of the cell with these corners.
    #[inline(always)]
    pub fn of(corners: &[f32; 8], iso: f64) -> Self {
        let (mut above, mut at_most) = (true, true);
        for &corner in corners {
            above &= f64::from(corner) > iso;
            at_most &= f64::from(corner) <= iso;
        }
        match (above, at_most) {
            (true, _) => Self::Above,
            (_, true) => Self::AtMost,
            _ => Self::Straddles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CellSide;

    #[test]
    fn a_corner_at_the_iso_value_is_not_above() {
        let mut corners = [1.0f32; 8];
        assert_eq!(CellSide::of(&corners, 1.0f64.next_down()), CellSide::Above);
        assert_eq!(CellSide::of(&corners, 1.0), CellSide::AtMost);
        corners[5] = 2.0;
        assert_eq!(CellSide::of(&corners, 1.0), CellSide::Straddles);
        corners[5] = f32::NAN;
        assert_eq!(CellSide::of(&corners, 0.0), CellSide::Straddles);
        assert_eq!(CellSide::of(&corners, 2.0), CellSide::Straddles);
    }
}
