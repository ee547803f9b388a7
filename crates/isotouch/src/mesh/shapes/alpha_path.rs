//! How two α tubes come apart.

use crate::math::Pose;

/// x, y, z, qx, qy, qz, qw of one tube, from the other: from linked to clear of it. Found by a planner (`experiments -- alpha`), made shorter, and
/// rounded to four digits.
const POSES: [[f64; 7]; 11] = [
    [-0.5335, -0.0109, 0.0179, 0.0160, 0.9196, 0.3894, -0.0500],
    [-0.4806, -0.0790, 0.0368, -0.1161, 0.9237, 0.3527, -0.0942],
    [-0.3054, -0.2153, 0.1320, -0.3888, 0.8589, 0.1669, -0.2886],
    [-0.2207, -0.2084, 0.2067, -0.3940, 0.8188, 0.0517, -0.4143],
    [-0.1559, -0.1810, 0.2544, -0.3702, 0.7787, -0.0157, -0.5062],
    [-0.0631, -0.0678, 0.3174, -0.2744, 0.6905, -0.1680, -0.6478],
    [-0.0239, -0.0259, 0.3302, -0.3169, 0.6568, -0.2666, -0.6302],
    [0.3554, 0.3399, 0.2084, -0.7324, 0.6269, -0.1883, -0.1876],
    [0.4144, 0.2917, 0.2569, -0.7980, 0.5855, -0.1428, 0.0026],
    [0.4693, 0.2463, 0.1990, -0.7454, 0.6656, -0.0335, -0.0177],
    [1.5000, 0.0000, 0.0000, 0.0000, 0.0000, 0.0000, 1.0000],
];

/// A way out of the puzzle of two [`alpha_tube`](super::alpha_tube)s with the default options: poses of one as the other sees it, joined as
/// [`MotionKind::Rigid`](crate::math::MotionKind::Rigid) does. At the first they are linked, and no straight way leads out; at the last they are beside each other.
///
/// **They keep 0.02 apart all along**: four cells of a field with 256³. The tests prove it, for every point and time.
pub fn alpha_path() -> Vec<Pose> {
    // All of them are poses.
    POSES.iter().filter_map(|&numbers| Pose::from_numbers(numbers).ok()).collect()
}
