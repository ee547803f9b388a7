//! Up to six unit vectors as Q·R: the rows that are active.
//!
//! Columns are made orthogonal twice where once loses digits (Gram–Schmidt; twice is enough, Giraud et al. 2005), so Q is orthonormal to rounding however near to parallel the vectors are, and
//! Q·R gives them back to rounding. What is solved with it is then the exact answer for vectors that differ by rounding, whatever their condition.

pub(super) type Six = [f64; 6];

#[inline(always)]
pub(super) fn dot(a: &Six, b: &Six) -> f64 {
    (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5])
}

#[inline(always)]
pub(super) fn add_scaled(to: &mut Six, factor: f64, what: &Six) {
    for i in 0..6 {
        to[i] += factor * what[i];
    }
}

/// Length, for numbers whose squares do not overflow.
#[inline(always)]
pub(super) fn length(a: &Six) -> f64 {
    dot(a, a).sqrt()
}

/// A vector in parts: in the span of the basis, and off it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Parts {
    /// Qᵀ·g.
    pub(super) along: Six,
    /// g − Q·Qᵀ·g.
    pub(super) across: Six,
    /// The length of `across`.
    pub(super) distance: f64,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Basis {
    count: usize,
    vectors: [Six; 6],
    orthonormal: [Six; 6],
    /// By column.
    triangle: [Six; 6],
    /// One over its diagonal: divisions take as long as all the rest.
    reciprocals: Six,
}

/// What is left of a vector beside a basis, in parts of it, squared, from which on it is orthogonal to rounding after one round: then at most a digit in base 2 was lost (Daniel et al. 1976).
const KEPT: f64 = 0.5;

impl Basis {
    pub(super) fn len(&self) -> usize {
        self.count
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
    }

    pub(super) fn orthonormal(&self) -> &[Six] {
        &self.orthonormal[..self.count]
    }

    #[inline]
    pub(super) fn split(&self, vector: &Six) -> Parts {
        let (mut along, mut across) = ([0.0; 6], *vector);
        let enough = KEPT * dot(vector, vector);
        for _ in 0..2 {
            // All products before any difference: they do not wait for each other.
            let mut part = [0.0; 6];
            for (part, q) in part.iter_mut().zip(self.orthonormal()) {
                *part = dot(q, &across);
            }
            for (k, q) in self.orthonormal().iter().enumerate() {
                along[k] += part[k];
                add_scaled(&mut across, -part[k], q);
            }
            if dot(&across, &across) > enough {
                break;
            }
        }
        let distance = if self.count == 6 { 0.0 } else { length(&across) };
        Parts { along, across, distance }
    }

    /// `parts` are those of the vector; it must be off the span.
    pub(super) fn push(&mut self, vector: &Six, parts: &Parts) {
        debug_assert!(self.count < 6 && parts.distance > 0.0);
        let k = self.count;
        self.vectors[k] = *vector;
        self.orthonormal[k] = parts.across.map(|x| x / parts.distance);
        self.triangle[k] = parts.along;
        self.triangle[k][k] = parts.distance;
        self.reciprocals[k] = parts.distance.recip();
        self.count += 1;
    }

    /// Without one; those after it move up.
    pub(super) fn remove(&mut self, which: usize) {
        let after = self.vectors;
        let count = self.count;
        self.count = which;
        for vector in &after[which + 1..count] {
            // With one vector less the others are farther from the span than they were.
            let parts = self.split(vector);
            self.push(vector, &parts);
        }
    }

    /// x with Σ xₖ·gₖ = Q·along: R·x = along.
    #[inline]
    pub(super) fn coefficients(&self, along: &Six) -> Six {
        let mut x = *along;
        for k in (0..self.count).rev() {
            x[k] *= self.reciprocals[k];
            for i in 0..k {
                x[i] -= self.triangle[k][i] * x[k];
            }
        }
        x
    }

    /// Q-coordinates of the shortest y with gₖ·y = cₖ: Rᵀ·w = c.
    #[inline]
    pub(super) fn meeting(&self, limits: &Six) -> Six {
        let mut w = [0.0; 6];
        for k in 0..self.count {
            let known: f64 = (0..k).map(|i| self.triangle[k][i] * w[i]).sum();
            w[k] = (limits[k] - known) * self.reciprocals[k];
        }
        w
    }

    /// Q·w.
    #[inline]
    pub(super) fn combine(&self, w: &Six) -> Six {
        let mut y = [0.0; 6];
        for (q, &w) in self.orthonormal().iter().zip(w) {
            add_scaled(&mut y, w, q);
        }
        y
    }
}
