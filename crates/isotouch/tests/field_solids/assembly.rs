//! Machine parts in metres, whose seams are T-junctions: edges of one side end in the middle of edges of the other.

use isotouch::field::SignMethod;
use isotouch::math::DVec3;

use super::check::{Model, build_and_check};

/// Closer than this to a surface nothing is said: a tenth of what the files' last digits are worth in cells.
const SURE: f64 = 1e-5;

/// How far a point is outside a box, along the axis where that is most; negative inside.
fn beyond_box(p: DVec3, min: DVec3, max: DVec3) -> f64 {
    (min - p).max(p - max).max_element()
}

fn around_z(p: DVec3) -> f64 {
    p.x.hypot(p.y)
}

/// `Some(true)` where all of these are below −SURE, `Some(false)` where one is above SURE.
fn within_all(beyond: &[f64]) -> Option<bool> {
    let most = beyond.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (most.abs() > SURE).then_some(most < 0.0)
}

/// A hexagonal prism, 24 mm across flats, from z = 16 mm to 29 mm, with a threaded bore.
fn check_nut(name: &str) {
    let Some(model) = Model::read(name, 112) else { return };
    // The bore's vertices are those nearer to the axis than the flats: the thread lies between these radii.
    let bore: Vec<f64> = model.mesh.vertices().iter().map(|&v| around_z(v)).filter(|&r| r < 0.0105).collect();
    let crest = bore.iter().copied().fold(f64::INFINITY, f64::min);
    let root = bore.iter().copied().fold(0.0, f64::max);
    assert!(crest > 0.0068 && root < 0.0088, "{crest} to {root}");

    build_and_check(&model, SignMethod::Winding, 12_000).has_the_signs_of(|p| {
        let half = 3f64.sqrt() / 2.0;
        let flats = [DVec3::X, DVec3::new(0.5, half, 0.0), DVec3::new(-0.5, half, 0.0)];
        let beyond_flats = flats.iter().map(|n| n.dot(p).abs() - 0.012).fold(f64::NEG_INFINITY, f64::max);
        let outline = within_all(&[beyond_flats, 0.016 - p.z, p.z - 0.029])?;
        // Facets cut corners: between two vertices on the crest they come up to 2 % closer to the axis.
        match around_z(p) {
            _ if !outline => Some(false),
            r if r < 0.98 * crest => Some(false),
            r if r > root + SURE => Some(true),
            _ => None,
        }
    });
}

#[test]
fn a_loose_nut() {
    check_nut("assembly/factory_nut_m16_loose_subdiv_3x.obj");
}

#[test]
fn a_tight_nut() {
    check_nut("assembly/factory_nut_m16_tight_subdiv_3x.obj");
}

const PLATE_MIN: DVec3 = DVec3::new(-0.0125, -0.0125, 0.0);
const PLATE_MAX: DVec3 = DVec3::new(0.0125, 0.0125, 0.008992);

#[test]
fn a_plate_with_a_rectangular_hole() {
    let Some(model) = Model::read("assembly/factory_rectangular_hole_16mm_subdiv_3x.obj", 112) else {
        return;
    };
    build_and_check(&model, SignMethod::Winding, 6_000).has_the_signs_of(|p| {
        let in_bore = (0.008109 - p.x.abs()).min(0.005079 - p.y.abs());
        within_all(&[beyond_box(p, PLATE_MIN, PLATE_MAX), in_bore])
    });
}

#[test]
fn a_plate_with_a_round_hole() {
    let Some(model) = Model::read("assembly/factory_round_hole_8mm_subdiv_3x.obj", 112) else { return };
    // A polygon of 144 corners on a circle of 4.0494 mm: its sides come 1 µm closer to the axis.
    build_and_check(&model, SignMethod::Winding, 6_000)
        .has_the_signs_of(|p| within_all(&[beyond_box(p, PLATE_MIN, PLATE_MAX), 0.004049 - around_z(p)]));
}

/// A plate of 120 × 60 × 5 mm. On it stand three tubes, 20 mm high, of 5 mm radius with bores of 2.5 mm; at both ends their
/// edges are broken by 0.5 mm, and two flats, 8 mm apart, reach 8 mm up. Their feet and the plate's top lie in one plane.
#[test]
fn a_base_with_three_hollow_pins() {
    let Some(mut model) = Model::read("assembly/factory_gear_base_loose_space_5e-4_subdiv_4x.obj", 128)
    else {
        return;
    };
    model.has_buried_parts = true;
    // At the feet, where two triangulations of one plane meet, caps as thin as the file's last digits are.
    model.slits = 1e-6;
    build_and_check(&model, SignMethod::Winding, 20_000).has_the_signs_of(|p| {
        let plate =
            within_all(&[beyond_box(p, DVec3::new(-0.06, -0.03, 0.0), DVec3::new(0.06, 0.03, 0.005))]);
        let in_core = [-0.0305, 0.02, 0.0505].map(|x| pin_core(p, x) > SURE).contains(&true);
        if plate == Some(true) || in_core {
            return Some(true);
        }
        let pins = [-0.0305, 0.02, 0.0505].map(|x| in_pin(p, x));
        if pins.contains(&Some(true)) {
            return Some(true);
        }
        (plate == Some(false) && pins == [Some(false); 3]).then_some(false)
    });
}

/// How deep a point is in the part of a pin that goes on in the plate: also where one stands on the other.
fn pin_core(p: DVec3, x: f64) -> f64 {
    let r = (p.x - x).hypot(p.y);
    [p.z, 0.025 - p.z, r - 0.003, 0.0044 - r, 0.004 - p.y.abs()].into_iter().fold(f64::INFINITY, f64::min)
}

fn in_pin(p: DVec3, x: f64) -> Option<bool> {
    let r = (p.x - x).hypot(p.y);
    let from_end = (p.z - 0.005).min(0.025 - p.z);
    let broken = 0.0005 - from_end.clamp(0.0, 0.0005);
    let beyond_flats = if p.z < 0.013 { p.y.abs() - 0.004 } else { f64::NEG_INFINITY };
    // Corners of the round walls lie on circles, their sides up to 2 % closer to the axis.
    let pin_with = |bore: f64, radius: f64| {
        within_all(&[-from_end, bore + broken - r, r - radius + broken, beyond_flats])
    };
    let (least, most) = (pin_with(0.0025, 0.98 * 0.005), pin_with(0.98 * 0.0025, 0.005));
    let at_flats_end = (p.z - 0.013).abs() < SURE;
    (least == most && !at_flats_end).then_some(least).flatten()
}
