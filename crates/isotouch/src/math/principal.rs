//! The axes of a symmetric matrix.

use glam::{DMat3, DVec3};

/// Most sweeps over the three entries beside the diagonal. Each squares what is left of them; ten are more than rounding needs.
const SWEEPS: usize = 20;

/// Eigenvalues of a symmetric matrix and its eigenvectors, as columns of a rotation (Jacobi's method): A = Q·diag(λ)·Qᵀ. Exact to rounding, equal eigenvalues included. In the
/// order in which they are found, not sorted.
pub fn principal_axes(matrix: &DMat3) -> (DVec3, DMat3) {
    let mut a = matrix.to_cols_array_2d();
    let mut q = DMat3::IDENTITY.to_cols_array_2d();
    for _ in 0..SWEEPS {
        let beside = a[0][1].abs() + a[0][2].abs() + a[1][2].abs();
        if beside == 0.0 || !beside.is_finite() {
            break;
        }
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            if a[i][j] == 0.0 {
                continue;
            }
            // The turn in the plane of i and j that makes a_ij zero: tan 2θ = 2·a_ij/(a_jj − a_ii), the smaller of its two angles.
            let half_cotangent = (a[j][j] - a[i][i]) / (2.0 * a[i][j]);
            let tangent = half_cotangent.signum() / (half_cotangent.abs() + half_cotangent.hypot(1.0));
            let cosine = tangent.hypot(1.0).recip();
            let sine = tangent * cosine;
            for k in 0..3 {
                let (x, y) = (a[k][i], a[k][j]);
                (a[k][i], a[k][j]) = (cosine * x - sine * y, sine * x + cosine * y);
            }
            for k in 0..3 {
                let (x, y) = (a[i][k], a[j][k]);
                (a[i][k], a[j][k]) = (cosine * x - sine * y, sine * x + cosine * y);
            }
            for k in 0..3 {
                // Columns of q are stored one after the other.
                let (x, y) = (q[i][k], q[j][k]);
                (q[i][k], q[j][k]) = (cosine * x - sine * y, sine * x + cosine * y);
            }
            (a[i][j], a[j][i]) = (0.0, 0.0);
        }
    }
    (DVec3::new(a[0][0], a[1][1], a[2][2]), DMat3::from_cols_array_2d(&q))
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DQuat;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn axes_make_up_the_matrix_again(
            moments in prop::array::uniform3(-3.0..3.0f64),
            turn in prop::array::uniform3(-3.0..3.0f64),
            equal in any::<bool>(),
        ) {
            let moments = if equal { DVec3::new(moments[0], moments[1], moments[1]) } else { DVec3::from_array(moments) };
            let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::from_array(turn)));
            let matrix = turn * DMat3::from_diagonal(moments) * turn.transpose();
            let matrix = (matrix + matrix.transpose()) * 0.5;
            let (found, axes) = principal_axes(&matrix);
            let again = axes * DMat3::from_diagonal(found) * axes.transpose();
            prop_assert!((0..3).all(|k| (again.col(k) - matrix.col(k)).length() < 1e-13));
            prop_assert!((axes.determinant() - 1.0).abs() < 1e-13);
            let (mut found, mut moments) = (found.to_array(), moments.to_array());
            found.sort_by(f64::total_cmp);
            moments.sort_by(f64::total_cmp);
            prop_assert!(found.iter().zip(moments).all(|(a, b)| (a - b).abs() < 1e-13));
        }
    }
}
