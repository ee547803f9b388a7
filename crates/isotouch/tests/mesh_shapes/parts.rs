//! Machine parts and puzzles: whole, of the right size, and with exactly the room between them that they promise.

use std::f64::consts::{PI, TAU};

use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{self, *};

use crate::near::{crossings, least_distance, least_distance_of_places, self_crossings};
use crate::{assert_near, euler_characteristic, polygon_area};

fn moved(mesh: &TriMesh, turn: f64, by: DVec3) -> TriMesh {
    mesh.clone().mapped(|v| v.rotate_z(turn) + by).unwrap()
}

#[test]
fn no_part_crosses_itself() {
    for name in ["peg", "hole-plate", "bars", "rod", "strung-frame", "gear", "bolt", "nut", "alpha"] {
        let mesh = shapes::by_name(name).unwrap();
        assert_eq!(self_crossings(&mesh), 0, "{name}, {} triangles", mesh.triangles().len());
    }
    // The looking does see something.
    let one = cuboid(DVec3::ONE).unwrap();
    let two = moved(&one, 0.3, DVec3::splat(0.4));
    assert!(crossings(&one, &two) > 0);
}

#[test]
fn a_peg_has_exactly_the_room_that_the_radii_leave() {
    for (segments, clearance, chamfer) in [(8, 0.05, 0.0), (24, 0.01, 0.03), (64, 1e-4, 0.0)] {
        let pin = peg(PegOptions { radius: 0.2, length: 1.0, chamfer, segments }).unwrap();
        let hole_radius = 0.2 + clearance;
        let plate = hole_plate(HolePlateOptions { hole_radius, segments, ..Default::default() }).unwrap();
        assert_eq!((euler_characteristic(&pin), euler_characteristic(&plate)), (2, 0));
        for (sides, z) in [(0.0, 0.0), (1.0, 0.2), (3.0, -0.31)] {
            let placed = moved(&pin, sides * TAU / segments as f64, DVec3::new(0.0, 0.0, z));
            let measured = least_distance(&placed, &plate);
            assert!((measured - clearance).abs() < 1e-14, "{segments} sides, at {z}: {measured}");
        }
        // Turned by half a side, its corners are before the middles of the hole's sides.
        let turned = moved(&pin, PI / segments as f64, DVec3::ZERO);
        let left = hole_radius - 0.2 / (PI / segments as f64).cos();
        if left > 0.0 {
            assert!((least_distance(&turned, &plate) - left).abs() < 1e-14);
        } else {
            assert!(crossings(&turned, &plate) > 0);
        }
    }
}

#[test]
fn pegs_and_plates_have_their_volumes() {
    let around = |segments: usize, radius: f64| polygon_area(segments, radius / (PI / segments as f64).cos());
    let pin = peg(PegOptions { radius: 0.3, length: 2.0, chamfer: 0.1, segments: 20 }).unwrap();
    // A frustum at each end: h/3 · (A + a + √(Aa)).
    let [whole, cut] = [around(20, 0.3), around(20, 0.2)];
    let ends = 2.0 * 0.1 / 3.0 * (whole + cut + (whole * cut).sqrt());
    assert_near(pin.signed_volume(), 1.8 * whole + ends, 1e-12);
    let plate =
        hole_plate(HolePlateOptions { width: 1.5, thickness: 0.4, hole_radius: 0.6, segments: 40 }).unwrap();
    let face = 1.5 * 1.5 - around(40, 0.6);
    assert_near(plate.signed_volume(), 0.4 * face, 1e-12);
    // Faces whose triangles overlapped would have more of it.
    let hole = 2.0 * 40.0 * 0.6 * (PI / 40.0).tan();
    assert_near(plate.area(), 2.0 * face + 0.4 * (4.0 * 1.5 + hole), 1e-12);
}

#[test]
fn a_rod_between_bars_has_exactly_its_clearance() {
    let options = BarsOptions::default();
    let BarsAndRod { bars, rod, spacing } = bars_and_rod(options).unwrap();
    for y in [-0.5 * spacing, 0.5 * spacing] {
        for z in [0.0, 0.2, -0.3] {
            let measured = least_distance(&moved(&rod, 0.0, DVec3::new(0.0, y, z)), &bars);
            assert!((measured - options.clearance).abs() < 1e-14, "at {y}, {z}: {measured}");
        }
    }
    assert!(crossings(&rod, &bars) > 0, "in the middle bar");
    let beside = moved(&rod, 0.0, DVec3::new(0.0, 0.5 * spacing + 1.01 * options.clearance, 0.0));
    assert!(crossings(&beside, &bars) > 0);
}

#[test]
fn a_strung_frame_is_one_surface() {
    for (wires, wire_radius, segments) in [(1, 0.02, 8), (5, 0.001, 16), (7, 0.02, 32)] {
        let options = StrungFrameOptions {
            width: 1.4,
            height: 0.9,
            depth: 0.08,
            border: 0.15,
            wires,
            wire_radius,
            segments,
        };
        let mesh = strung_frame(options).unwrap();
        assert_eq!(euler_characteristic(&mesh), 2 - 2 * (1 + wires as i64));
        assert_eq!(self_crossings(&mesh), 0);
        let (section, window) = (polygon_area(segments, wire_radius), (1.1, 0.6));
        let front = 1.4 * 0.9 - window.0 * window.1;
        assert_near(mesh.signed_volume(), 0.08 * front + wires as f64 * section * window.0, 1e-12);
        let around = segments as f64 * 2.0 * wire_radius * (PI / segments as f64).sin();
        let of_wires = wires as f64 * (around * window.0 - 2.0 * section);
        let walls = 0.08 * 2.0 * (1.4 + 0.9 + window.0 + window.1);
        assert_near(mesh.area(), 2.0 * front + walls + of_wires, 1e-12);
        assert_near(options.wire_spacing(), 0.6 / wires as f64, 1e-14);
    }
}

#[test]
fn a_gear_has_the_volume_of_its_teeth() {
    for (teeth, bore) in [(18, None), (20, Some(0.1)), (75, Some(0.5))] {
        let options = GearOptions { teeth, bore, flank_points: 40, ..Default::default() };
        let mesh = gear(options).unwrap();
        assert_eq!(euler_characteristic(&mesh), if bore.is_some() { 0 } else { 2 });
        // Tooth angle by radius: what it is at the pitch circle, and inv of the pressure angle there less that here.
        let (module, alpha) = (options.module, options.pressure_angle);
        let pitch = options.pitch_radius();
        let involute = |angle: f64| angle.tan() - angle;
        let half = |radius: f64| {
            let here = (pitch * alpha.cos() / radius).min(1.0).acos();
            (0.5 * PI * module - 0.5 * options.backlash) / (2.0 * pitch) + involute(alpha) - involute(here)
        };
        let [root, tip] = [pitch - 1.25 * module, pitch + module];
        let steps = 20_000;
        let of_tooth: f64 = (0..steps)
            .map(|k| {
                let radius = root + (tip - root) * (f64::from(k) + 0.5) / f64::from(steps);
                2.0 * half(radius) * radius * (tip - root) / f64::from(steps)
            })
            .sum();
        let hole = bore.map_or(0.0, |radius| PI * radius * radius);
        let area = PI * root * root + teeth as f64 * of_tooth - hole;
        assert_near(mesh.signed_volume(), area * options.thickness, 0.01);
        assert_near(mesh.bounds().max.x, tip, 1e-9);
    }
}

/// Through more than a tooth, with half of the play on either side.
#[test]
fn gears_turn_together_with_their_backlash() {
    for (teeth, flank_points) in [([20, 31], 8), ([18, 18], 12), ([18, 60], 8)] {
        let [first, second] = teeth.map(|teeth| GearOptions { teeth, flank_points, ..Default::default() });
        let GearMeshing { center_distance, phase, ratio } = gears_mesh(&first, &second).unwrap();
        let [one, other] = [gear(first).unwrap(), gear(second).unwrap()];
        let room = 0.5 * first.backlash * first.pressure_angle.cos();
        let mut least = f64::INFINITY;
        for k in 0..12 {
            let turn = 1.1 * TAU / teeth[0] as f64 * f64::from(k) / 12.0;
            let turned = moved(&one, turn, DVec3::ZERO);
            let place = DVec3::X * center_distance;
            let beside = moved(&other, phase + ratio * turn, place);
            assert_eq!(crossings(&turned, &beside), 0, "{teeth:?} turned by {turn}");
            let here = least_distance_of_places(&turned, &beside, 6);
            assert!(here > room * 0.999, "{teeth:?} turned by {turn}: {here}, expected {room}");
            least = least.min(here);
            // Half the play more, and a little for corners, is too much.
            let play = 0.5 * first.backlash / second.pitch_radius();
            let held = moved(&other, phase + ratio * turn + 1.3 * play, place);
            assert!(crossings(&turned, &held) > 0, "{teeth:?} turned by {turn} has too much play");
        }
        assert!(least < 1.25 * room, "{teeth:?}: {least}, expected {room}");
    }
}

#[test]
fn a_bolt_and_a_nut_are_whole_and_have_their_volumes() {
    let (screw, options) = (bolt(BoltOptions::default()).unwrap(), BoltOptions::default());
    let (mother, of_nut) = (nut(NutOptions::default()).unwrap(), NutOptions::default());
    assert_eq!((euler_characteristic(&screw), euler_characteristic(&mother)), (2, 0));
    let hexagon = |across: f64| 0.5 * 3f64.sqrt() * across * across;
    // Mean of r² over a pitch: crest over 1/8 of it, root over 1/4, and a cone's between.
    let section = |diameter: f64, pitch: f64, wider: f64| {
        let [major, minor] =
            [0.5 * diameter + wider, 0.5 * diameter - 0.625 * 0.75f64.sqrt() * pitch + wider];
        let slope = (major * major + major * minor + minor * minor) / 3.0;
        PI * (major * major / 8.0 + minor * minor / 4.0 + 0.625 * slope)
    };
    let shank = section(options.diameter, options.pitch, 0.0) * options.length;
    assert_near(screw.signed_volume(), shank + hexagon(options.head_width) * options.head_height, 0.02);
    let hole = section(of_nut.diameter, of_nut.pitch, 2.0 * of_nut.clearance) * of_nut.height;
    assert_near(mother.signed_volume(), hexagon(of_nut.width) * of_nut.height - hole, 0.02);
}

/// Turned by an angle and moved by as much of the pitch it is free; pushed straight it is not.
#[test]
fn a_nut_screws_onto_its_bolt_and_cannot_be_pushed() {
    for (pitch, clearance) in [(0.1, 0.008), (0.16, 0.002)] {
        let screw = bolt(BoltOptions { pitch, ..Default::default() }).unwrap();
        let mother = nut(NutOptions { pitch, clearance, ..Default::default() }).unwrap();
        // As far on as whole turns bring it.
        let turns = (0.55 / pitch).floor();
        let at = |turn: f64, push: f64| {
            moved(&mother, turn, DVec3::new(0.0, 0.0, pitch * (turn / TAU - turns) + push))
        };
        for turn in [0.0, 0.5 * TAU / 48.0, 0.25 * TAU / 48.0, 2.7, TAU + 0.1] {
            // Threads engage where the whole nut is on the bolt, or where it hangs over its tip.
            for tip in [0.0, 2.0] {
                let placed = at(turn, tip * pitch);
                assert_eq!(crossings(&placed, &screw), 0, "turned by {turn}");
                let least = least_distance_of_places(&placed, &screw, 3);
                assert!(least > 0.9999 * clearance, "turned by {turn}: {least}, expected {clearance}");
                assert!(least < 1.5 * clearance + 4e-4, "turned by {turn}: {least}, expected {clearance}");
            }
        }
        for push in [0.25, 0.5, -0.25, 0.75] {
            assert!(crossings(&at(1.0, push * pitch), &screw) > 0, "pushed by {push} pitches");
        }
        for turn in [0.25, 0.5] {
            let turned = moved(&at(0.0, pitch), turn * TAU, DVec3::ZERO);
            assert!(crossings(&turned, &screw) > 0, "turned by {turn} and not moved");
        }
    }
}

#[test]
fn arms_of_alpha_pass_each_other_with_the_gap() {
    let options = AlphaOptions::default();
    let mesh = alpha_tube(options).unwrap();
    assert_eq!(euler_characteristic(&mesh), 2);
    assert!(options.gap > 2.0 * options.tube_radius, "another one fits through");
    // Both arms, without the bend between them: by triangles' places along the tube.
    let arm = |is_first: bool| {
        let ring = |v: u32| v as usize / options.segments;
        let belongs = |v: &u32| {
            let along = ring(*v) as f64 / options.rings as f64;
            if is_first { along < 0.3 } else { along > 0.7 && ring(*v) < options.rings }
        };
        let kept = mesh.triangles().iter().copied().filter(|corners| corners.iter().all(belongs)).collect();
        TriMesh::new(mesh.vertices().to_vec(), kept).unwrap()
    };
    let measured = least_distance_of_triangles(&arm(true), &arm(false));
    assert!(measured >= options.gap * (1.0 - 1e-9), "{measured}");
    assert!(measured < 1.05 * options.gap, "{measured}");
    assert_near(mesh.bounds().extent().y, options.size, 0.1);
}

/// Of meshes with vertices that no triangle uses.
fn least_distance_of_triangles(one: &TriMesh, other: &TriMesh) -> f64 {
    let alone = |mesh: &TriMesh| {
        let corners: Vec<DVec3> = (0..mesh.triangles().len()).flat_map(|t| mesh.corners(t)).collect();
        let triangles = (0..corners.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        TriMesh::new(corners, triangles).unwrap()
    };
    least_distance_of_places(&alone(one), &alone(other), 4)
}

#[test]
fn senseless_parts_name_what_is_wrong() {
    let message = |result: Result<TriMesh, ShapeError>| result.unwrap_err().to_string();
    for bad in [-1.0, f64::NAN, f64::INFINITY, 1e-300, 1e300] {
        assert!(message(peg(PegOptions { radius: bad, ..Default::default() })).contains("`radius`"));
        assert!(message(peg(PegOptions { chamfer: bad, ..Default::default() })).contains("`chamfer`"));
        let plate = HolePlateOptions { hole_radius: bad, ..Default::default() };
        assert!(message(hole_plate(plate)).contains("`hole_radius`"));
        let frame = StrungFrameOptions { wire_radius: bad, ..Default::default() };
        assert!(message(strung_frame(frame)).contains("`wire_radius`"));
        let bars = bars_and_rod(BarsOptions { clearance: bad, ..Default::default() });
        assert!(message(bars.map(|puzzle| puzzle.rod)).contains("`clearance`"));
        assert!(message(gear(GearOptions { module: bad, ..Default::default() })).contains("`module`"));
        assert!(message(gear(GearOptions { bore: Some(bad), ..Default::default() })).contains("`bore`"));
        assert!(message(gear(GearOptions { backlash: bad, ..Default::default() })).contains("`backlash`"));
        assert!(message(bolt(BoltOptions { pitch: bad, ..Default::default() })).contains("`pitch`"));
        assert!(message(bolt(BoltOptions { length: bad, ..Default::default() })).contains("`length`"));
        assert!(message(nut(NutOptions { clearance: bad, ..Default::default() })).contains("`clearance`"));
        assert!(message(nut(NutOptions { height: bad, ..Default::default() })).contains("`height`"));
        assert!(message(alpha_tube(AlphaOptions { gap: bad, ..Default::default() })).contains("`gap`"));
    }
    for segments in [0, 7, 12, usize::MAX] {
        for made in [
            hole_plate(HolePlateOptions { segments, ..Default::default() }),
            strung_frame(StrungFrameOptions { segments, ..Default::default() }),
            bars_and_rod(BarsOptions { segments, ..Default::default() }).map(|puzzle| puzzle.bars),
            bolt(BoltOptions { segments, ..Default::default() }),
            nut(NutOptions { segments, ..Default::default() }),
        ] {
            assert!(message(made).contains("`segments`"));
        }
    }
    for most in [usize::MAX / 48 * 48, 48_000_000] {
        assert!(message(bolt(BoltOptions { segments: most, ..Default::default() })).contains("lower"));
        assert!(
            message(hole_plate(HolePlateOptions { segments: most, ..Default::default() })).contains("lower")
        );
        assert!(message(gear(GearOptions { teeth: most, ..Default::default() })).contains("lower"));
        assert!(
            message(strung_frame(StrungFrameOptions { wires: most, ..Default::default() })).contains("lower")
        );
    }
    assert!(message(gear(GearOptions { teeth: 17, ..Default::default() })).contains("18"));
    assert!(message(gear(GearOptions { pressure_angle: 20.0, ..Default::default() })).contains("radians"));
    assert!(message(nut(NutOptions { width: 0.41, ..Default::default() })).contains("`width`"));
    assert!(message(bolt(BoltOptions { length: 0.1, ..Default::default() })).contains("pitches"));
    let other = GearOptions { module: 0.1, ..Default::default() };
    let apart = gears_mesh(&GearOptions::default(), &other).unwrap_err();
    assert!(apart.to_string().contains("`module`"), "{apart}");
}
