use crate::numbers::exact;

/// Why parameters do not make a shape.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ShapeError {
    /// A length is zero, negative, not a number, or far outside what `f64` can square and multiply.
    #[error("{shape}: `{parameter}` is {}, but must be a length from 1e-60 to 1e60", exact(*value))]
    Length {
        /// The function that was called.
        shape: &'static str,
        /// The parameter at fault.
        parameter: &'static str,
        /// What it was given.
        value: f64,
    },
    /// A length must be smaller than another one.
    #[error("{shape}: `{parameter}` is {}, but must be smaller than {limit}, which is {}", exact(*value), exact(*limit_value))]
    TooLarge {
        /// The function that was called.
        shape: &'static str,
        /// The parameter at fault.
        parameter: &'static str,
        /// What it was given.
        value: f64,
        /// What it must stay below.
        limit: &'static str,
        /// The value of that.
        limit_value: f64,
    },
    /// A number is outside its range.
    #[error("{shape}: `{parameter}` is {}, but must lie in {range}", exact(*value))]
    OutOfRange {
        /// The function that was called.
        shape: &'static str,
        /// The parameter at fault.
        parameter: &'static str,
        /// What it was given.
        value: f64,
        /// The range, in words.
        range: &'static str,
    },
    /// A count is too small to enclose anything.
    #[error("{shape}: `{parameter}` is {value}, but at least {least} are needed")]
    TooFew {
        /// The function that was called.
        shape: &'static str,
        /// The parameter at fault.
        parameter: &'static str,
        /// What it was given.
        value: usize,
        /// The smallest count that works.
        least: usize,
    },
    /// The counts multiply to a mesh too large to build.
    #[error("{shape}: {triangles} triangles were asked for, at most {most} are made; lower {parameters}")]
    TooManyTriangles {
        /// The function that was called.
        shape: &'static str,
        /// How many triangles the parameters stand for.
        triangles: u128,
        /// The limit.
        most: usize,
        /// The parameters that multiply to it.
        parameters: &'static str,
    },
    /// p and q of a torus knot have a common factor: the curve would run over itself.
    #[error("torus_knot: p = {p} and q = {q} share the factor {factor}; divide both by it, or choose others")]
    NotCoprime {
        /// Times around the axis.
        p: u32,
        /// Times around the ring.
        q: u32,
        /// Their greatest common divisor.
        factor: u32,
    },
    /// A point of a curve is not finite, or a step between points is so short or sharp that it has no direction.
    #[error(
        "{shape}: the curve has no direction at point {point}; drop repeated points, and do not turn back on itself"
    )]
    NoDirection {
        /// The function that was called.
        shape: &'static str,
        /// The point, counted from 0.
        point: usize,
    },
    /// The tube is thicker than the curve's bend allows: its rings would cross.
    #[error(
        "{shape}: the curve bends more tightly than radius {radius} at point {point}; lower `radius`, or smooth the curve"
    )]
    BendTooTight {
        /// The function that was called.
        shape: &'static str,
        /// The point, counted from 0.
        point: usize,
        /// The tube's radius.
        radius: f64,
    },
    /// Sizes differ so much that triangles collapse in rounding.
    #[error(
        "{shape}: triangle {triangle} has no area; the sizes are too different from each other, or the counts too high"
    )]
    Collapsed {
        /// The function that was called.
        shape: &'static str,
        /// The first such triangle, counted from 0.
        triangle: usize,
    },
}
