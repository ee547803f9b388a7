//! Air that moves, or that cloth moves through.

use glam::DVec3;

/// The air around cloth.
pub(super) struct Air {
    /// m/s.
    pub(super) velocity: DVec3,
    /// ½·ρ·c, kg/m³.
    pub(super) pressure: f64,
}

/// Changes velocities by what the air does to triangles in h seconds: F = ½·ρ·c·A·|v_n|·v_n along the normal, with v_n the normal part of the air's velocity as the
/// triangle sees it; each corner gets a third. Taken as it will be when that velocity has changed, so that light cloth is never thrown back by its own drag.
pub(super) fn blow(
    air: &Air,
    triangles: &[[u32; 3]],
    places: &[DVec3],
    velocities: &mut [DVec3],
    (inverse_masses, h): (&[f64], f64),
) {
    for corners in triangles {
        let [a, b, c] = corners.map(|i| i as usize);
        // N = 2A·n.
        let doubled = (places[b] - places[a]).cross(places[c] - places[a]);
        let square = doubled.length_squared();
        if square == 0.0 {
            continue;
        }
        let mean = (velocities[a] + velocities[b] + velocities[c]) * (1.0 / 3.0);
        // 2A·v_n.
        let relative = (air.velocity - mean).dot(doubled);
        // kg in a substep, for each corner: ½·ρ·c·A·|v_n|·h/3.
        let drag = air.pressure * relative.abs() * (h / 6.0);
        // v_n·n.
        let normal_part = doubled * (relative / square);
        for i in [a, b, c] {
            let part = drag * inverse_masses[i];
            velocities[i] += normal_part * (part / (1.0 + part));
        }
    }
}
