//! How times grow with what is done in them.

/// What took how long.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    pub(crate) bodies: f64,
    pub(crate) contacts: f64,
    pub(crate) seconds: f64,
}

/// time = fixed + per_body · bodies + per_contact · contacts, by least squares.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Fit {
    /// s.
    pub(crate) fixed: f64,
    pub(crate) per_body: f64,
    pub(crate) per_contact: f64,
    /// Root of the mean square of what the line is off by, over the mean time.
    pub(crate) residual: f64,
}

/// `None` where samples do not tell the three apart.
pub(crate) fn fit(samples: &[Sample]) -> Option<Fit> {
    // Normal equations, in units of the means, so that their numbers are alike.
    let count = samples.len() as f64;
    let mean = |of: fn(&Sample) -> f64| samples.iter().map(of).sum::<f64>() / count;
    let (bodies, contacts, seconds) = (mean(|s| s.bodies), mean(|s| s.contacts), mean(|s| s.seconds));
    let columns = |s: &Sample| [1.0, s.bodies / bodies, s.contacts / contacts];
    let mut matrix = [[0.0; 4]; 3];
    for sample in samples {
        let of = columns(sample);
        for (row, a) in matrix.iter_mut().zip(of) {
            for (sum, b) in row.iter_mut().zip(of) {
                *sum += a * b;
            }
            row[3] += a * sample.seconds / seconds;
        }
    }
    let solved = solved(matrix)?;
    let off = |s: &Sample| {
        let told: f64 = columns(s).iter().zip(solved).map(|(a, b)| a * b).sum();
        (s.seconds / seconds - told).powi(2)
    };
    let residual = (samples.iter().map(off).sum::<f64>() / count).sqrt();
    let [fixed, per_body, per_contact] = solved.map(|of| of * seconds);
    Some(Fit { fixed, per_body: per_body / bodies, per_contact: per_contact / contacts, residual })
}

/// Gauss's elimination with pivots.
fn solved(mut matrix: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    for k in 0..3 {
        let pivot = (k..3).max_by(|&a, &b| matrix[a][k].abs().total_cmp(&matrix[b][k].abs()))?;
        matrix.swap(k, pivot);
        let row = matrix[k];
        // Columns of numbers about 1: less than rounding of many samples leaves is nothing.
        let is_told = row[k].abs() > 1e-9 * row[3].abs();
        if !is_told {
            return None;
        }
        for (_, other) in matrix.iter_mut().enumerate().filter(|(j, _)| *j != k) {
            let part = other[k] / row[k];
            for (a, b) in other.iter_mut().zip(row) {
                *a -= part * b;
            }
        }
    }
    Some([0, 1, 2].map(|k| matrix[k][3] / matrix[k][k]))
}

/// p of y ∝ xᵖ between two points.
pub(crate) fn exponent(from: (f64, f64), to: (f64, f64)) -> f64 {
    (to.1 / from.1).ln() / (to.0 / from.0).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_found_again() {
        let samples: Vec<Sample> = (0..50)
            .map(|k| {
                let (bodies, contacts) = (f64::from(k % 7), f64::from(k * k % 31));
                Sample { bodies, contacts, seconds: 1e-3 + 2e-5 * bodies + 3e-6 * contacts }
            })
            .collect();
        let fit = fit(&samples).expect("they are apart");
        let off = [fit.fixed / 1e-3, fit.per_body / 2e-5, fit.per_contact / 3e-6].map(|of| (of - 1.0).abs());
        assert!(off.iter().all(|off| *off < 1e-9) && fit.residual < 1e-9, "{fit:?}");
        assert!(super::fit(&samples[..1]).is_none());
    }

    #[test]
    fn squares_have_the_exponent_two() {
        assert!((exponent((3.0, 9.0), (5.0, 25.0)) - 2.0).abs() < 1e-12);
    }
}
