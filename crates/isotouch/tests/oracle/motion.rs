//! Where points are between two poses, from the textbook: quaternions as four numbers, rotations as matrices.

use isotouch::math::{DMat3, DVec3, MotionKind, Pose};

type Quaternion = [f64; 4];

/// x, y, z, w as a matrix.
fn matrix([x, y, z, w]: Quaternion) -> DMat3 {
    let rows = [
        DVec3::new(1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)),
        DVec3::new(2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)),
        DVec3::new(2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)),
    ];
    DMat3::from_cols(rows[0], rows[1], rows[2]).transpose()
}

/// Hamilton's product.
fn product([ax, ay, az, aw]: Quaternion, [bx, by, bz, bw]: Quaternion) -> Quaternion {
    [
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
        aw * bw - ax * bx - ay * by - az * bz,
    ]
}

fn dot(a: Quaternion, b: Quaternion) -> f64 {
    (0..4).map(|k| a[k] * b[k]).sum()
}

/// The same rotation, on the side of another one.
fn beside(a: Quaternion, b: Quaternion) -> Quaternion {
    if dot(a, b) < 0.0 { b.map(|x| -x) } else { b }
}

fn slerp(a: Quaternion, b: Quaternion, t: f64) -> Quaternion {
    let b = beside(a, b);
    let angle = dot(a, b).min(1.0).acos();
    if angle < 1e-9 {
        return a;
    }
    let (u, v) = (((1.0 - t) * angle).sin() / angle.sin(), (t * angle).sin() / angle.sin());
    [0, 1, 2, 3].map(|k| u * a[k] + v * b[k])
}

/// A linear map and a shift: where the points of a body are at a time between two poses.
pub fn placement(kind: MotionKind, from: &Pose, to: &Pose, t: f64) -> (DMat3, DVec3) {
    let (a, b) = (from.rotation.to_array(), to.rotation.to_array());
    let straight = from.position * (1.0 - t) + to.position * t;
    match kind {
        MotionKind::Chord => (matrix(a) * (1.0 - t) + matrix(b) * t, straight),
        MotionKind::Rigid => (matrix(slerp(a, b, t)), straight),
        MotionKind::Screw => {
            let turn = product(beside(a, b), [-a[0], -a[1], -a[2], a[3]]);
            let along = DVec3::new(turn[0], turn[1], turn[2]);
            let angle = 2.0 * along.length().atan2(turn[3]);
            if angle < 1e-6 {
                return (matrix(slerp(a, b, t)), straight);
            }
            // The axis through `center`: halfway across, and aside by half the way over the tangent of half the angle.
            let axis = along / along.length();
            let way = to.position - from.position;
            let rise = way.dot(axis);
            let across = way - axis * rise;
            let center = from.position + 0.5 * (across + axis.cross(across) / (0.5 * angle).tan());
            let half = 0.5 * angle * t;
            let so_far = matrix([axis.x * half.sin(), axis.y * half.sin(), axis.z * half.sin(), half.cos()]);
            (matrix(slerp(a, b, t)), center + so_far * (from.position - center) + axis * (rise * t))
        }
    }
}
