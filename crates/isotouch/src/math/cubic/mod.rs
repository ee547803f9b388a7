//! A trilinear cell along a straight path: where it is at most zero, with proof.
//!
//! Inside a cell a field is the trilinear interpolant φ of eight corner values. Along a straight piece that enters at u₀ and
//! leaves at u₁, in the cell's coordinates, `p(s) = φ(u₀ + s(u₁ − u₀)) − σ` is a cubic in s (Xu and Barbič 2016, eq. 1). Contact
//! is where p ≤ 0. [`CellCubic`] answers three questions about it, each with a guarantee that includes rounding:
//!
//! ```
//! use isotouch::math::DVec3;
//! use isotouch::math::cubic::{CellCubic, HitStatus};
//!
//! // φ = x − 1/4 in this cell, asked along a path against the x axis.
//! let corners = [-0.25, 0.75, -0.25, 0.75, -0.25, 0.75, -0.25, 0.75f32];
//! let cubic = CellCubic::along(&corners, DVec3::new(1.0, 0.2, 0.2), DVec3::new(0.0, 0.7, 0.2), 0.0);
//! assert!(!cubic.stays_positive());
//! let hit = cubic.first_hit().unwrap();
//! assert!(hit.status == HitStatus::Crossing && (hit.s - 0.75).abs() < 1e-12);
//! let intervals = cubic.intervals();
//! assert_eq!((intervals[0].start, intervals[0].end), (hit.s, 1.0));
//! ```
//!
//! # The cubic, without powers of s
//!
//! φ is affine in each coordinate alone, so it is its own polar form, and the Bernstein coefficients of p are averages of φ at
//! the corners of the box spanned by u₀ = (x₀, y₀, z₀) and u₁ = (x₁, y₁, z₁):
//!
//! ```text
//! b₀ = φ(x₀,y₀,z₀) − σ        3b₁ = φ(x₁,y₀,z₀) + φ(x₀,y₁,z₀) + φ(x₀,y₀,z₁) − 3σ
//! b₃ = φ(x₁,y₁,z₁) − σ        3b₂ = φ(x₀,y₁,z₁) + φ(x₁,y₀,z₁) + φ(x₁,y₁,z₀) − 3σ                   (1)
//! ```
//!
//! p stays between the least and the largest coefficient, and has at most as many roots strictly between 0 and 1 as the
//! coefficients have changes of sign (Descartes' rule in the Bernstein basis). Here signs are *above* and *not above*, zero
//! counting with the negative ones; then a p that starts above and has one change goes from above to not above once, somewhere
//! in (0, 1].
//!
//! # Rounding
//!
//! Let u = 2⁻⁵³, and M the largest |cᵢ − σ| of the corners: the iso value is subtracted first, so that errors are measured by how
//! far the cell is from σ, not by σ. Weights lie in [0, 1], or so little outside that only
//! terms of second order notice. To first order in u, every step adds at most:
//!
//! | step | error added | sum |
//! |---|---|---|
//! | cᵢ − σ | 1 uM | 1 uM |
//! | a(1−t) + bt, three times | 3 uM each: 2 for the first product, 1 for the sum | 10 uM: b₀ and b₃ |
//! | (sum of three)·⅓ | 2 uM + 3 uM in the sums, then 2 uM | 14 uM: b₁ and b₂ |
//! | de Casteljau on [s₀, s₁], three rounds of a(1−s) + bs | 3 uM each | 23 uM: coefficients of a part |
//! | powers of s from b: 3Δb, 3Δ²b, Δ³b | 12, 36 and 24 uM | |
//! | Horner's rule for s in [0, 1] | 41 uM | 127 uM: p(s) in [`CellCubic::value`] |
//!
//! So a Bernstein coefficient above τ = 32 uM = 2⁻⁴⁸ M is proof of a positive one ([`CellCubic::rounding`]), and a value by Horner's rule
//! above 8τ = 256 uM proves p > 127 uM even where 23 uM more are in doubt. The gap between what is needed and these constants
//! pays for second-order terms; 2⁻¹⁰²², added to τ, pays for underflow.
//!
//! All this is about the path from `entry` to `exit` as given. Coordinates in a cell, (x − o)/h − i, are off by 2⁻⁵³·i and more, which can
//! be tens of τ, and change φ by that times its slope along the axis. Whoever got them by rounding asks with σ raised by the sum of
//! that over the axes, as [`crate::ccd`] does for all cells of a path at once: the guarantees are then about every path so near. Likewise s: a caller who maps it to a time of the whole segment, t₀ + s(t₁ − t₀), rounds down, or the hit may
//! be late by that rounding.
//!
//! # Roots
//!
//! [0, 1] is cut at the extrema of p, then in halves where rounding asks for it, until each part is *above* (all
//! coefficients > τ), *at most zero up to rounding* (none > τ), has *one change* of sign, or is too short or too flat to matter.
//! Most cells are decided uncut. A root in a part with one change is approached by Newton steps kept inside a shrinking bracket. The answer s
//! is always on the positive side:
//! - `8τ < p(s) ≤ 24τ` as computed, hence 0 < p(s) ≤ 32τ: nearly on the iso surface and never beyond it;
//! - nothing at most zero lies between: the part's coefficients b − τ have one change, so their polynomial q − τ has one root; 8τ as
//!   computed means q(s) > 8τ − 150 uM > τ, so s lies before that root; and p > q − 23 uM > 0 up to there;
//! - or s is the end of the part that is above, if no coefficient of the part is more than 24τ.
//!
//! Hits are therefore never late, and early by no more than p takes to fall from 32τ = 2⁻⁴³ M: by 2⁻⁴³ M/|p′| at a
//! simple root, some 10⁻⁷ of the piece at a double one, 10⁻⁵ at a triple one. Where p dips below τ but not below −τ, rounding
//! cannot tell a touch from a miss; it is reported, as [`HitStatus::Touch`].
//!
//! Only +, −, ×, ÷, √ and comparisons are used, in a fixed order: every machine gives the same bits. Values that are not finite,
//! or beyond 10³⁰⁰, are never taken for free space: they are a touch at s = 0.
//!
//! # What the papers do
//!
//! [`bisection`] (2014) and [`cardano`] (2016) are here to be compared with. Both miss contacts that the above finds; see there.

pub mod bisection;
pub mod cardano;
mod cell_cubic;
mod hit;
mod intervals;
mod parts;
mod refine;

pub use cell_cubic::CellCubic;
pub use hit::{Hit, HitStatus};
pub use intervals::{Interval, Intervals};
