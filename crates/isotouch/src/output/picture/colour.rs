//! Colours of signed distances: blues inside, warm colours outside, pale at the surface.
//!
//! Blue against orange stays apart for every common colour blindness, and on both sides the lightness falls evenly
//! with the distance (interpolated in Oklab, <https://bottosson.github.io/posts/oklab/>), so that a grey print still
//! shows depth.

/// An sRGB colour.
pub(in crate::output) type Rgb = [u8; 3];

pub(in crate::output) const WHITE: Rgb = [255, 255, 255];
pub(in crate::output) const INK: Rgb = [38, 40, 46];
pub(super) const CAP: Rgb = [214, 32, 148];
pub(in crate::output) const FAINT_INK: Rgb = [112, 116, 126];
pub(super) const UNKNOWN: Rgb = [226, 227, 230];
pub(super) const UNKNOWN_HATCH: Rgb = [176, 178, 184];

/// From the surface inwards.
const INSIDE: [Rgb; 5] = [[232, 243, 250], [158, 205, 233], [82, 154, 209], [35, 97, 168], [16, 44, 100]];
/// From the surface outwards; ends lighter than the inside, since most of a picture is outside.
const OUTSIDE: [Rgb; 5] = [[255, 248, 234], [254, 225, 170], [250, 188, 110], [231, 142, 66], [186, 90, 34]];

/// The colour of a distance. `depth` and `reach` are the distances, both positive, at which the darkest colour
/// inside and outside is used.
#[derive(Debug, Clone)]
pub(super) struct SignedColours {
    depth: f64,
    reach: f64,
    inside: Vec<Rgb>,
    outside: Vec<Rgb>,
}

/// Steps of a colour table: more than a screen can show apart.
const STEPS: usize = 1024;

impl SignedColours {
    pub(super) fn new(depth: f64, reach: f64) -> Self {
        Self { depth, reach, inside: gradient(&INSIDE), outside: gradient(&OUTSIDE) }
    }

    /// `distance` is finite.
    pub(super) fn of(&self, distance: f64) -> Rgb {
        let (table, range) =
            if distance < 0.0 { (&self.inside, self.depth) } else { (&self.outside, self.reach) };
        let share = (distance.abs() / range).clamp(0.0, 1.0);
        table[(share * (STEPS - 1) as f64).round() as usize]
    }
}

/// A table of colours through evenly spaced anchors.
fn gradient(anchors: &[Rgb; 5]) -> Vec<Rgb> {
    let anchors = anchors.map(oklab);
    (0..STEPS)
        .map(|step| {
            let at = step as f64 / (STEPS - 1) as f64 * (anchors.len() - 1) as f64;
            let left = (at as usize).min(anchors.len() - 2);
            let t = at - left as f64;
            srgb([0, 1, 2].map(|c| anchors[left][c] * (1.0 - t) + anchors[left + 1][c] * t))
        })
        .collect()
}

/// From sRGB to light.
pub(in crate::output) fn linear(channel: u8) -> f64 {
    let c = f64::from(channel) / 255.0;
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

fn oklab(colour: Rgb) -> [f64; 3] {
    let [r, g, b] = colour.map(linear);
    let l = (0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b).cbrt();
    let m = (0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b).cbrt();
    let s = (0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b).cbrt();
    [
        0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
        1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
        0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s,
    ]
}

fn srgb([lightness, a, b]: [f64; 3]) -> Rgb {
    let l = (lightness + 0.3963377774 * a + 0.2158037573 * b).powi(3);
    let m = (lightness - 0.1055613458 * a - 0.0638541728 * b).powi(3);
    let s = (lightness - 0.0894841775 * a - 1.2914855480 * b).powi(3);
    let linear = [
        4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
        -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
        -0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s,
    ];
    linear.map(|c| {
        let c = c.clamp(0.0, 1.0);
        let c = if c <= 0.0031308 { 12.92 * c } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 };
        (c * 255.0).round() as u8
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oklab_and_back_is_the_same_colour() {
        for colour in [[0, 0, 0], [255, 255, 255], [12, 200, 99], [255, 0, 0], [16, 44, 100]] {
            assert_eq!(srgb(oklab(colour)), colour);
        }
    }

    #[test]
    fn lightness_falls_away_from_the_surface_on_both_sides() {
        let colours = SignedColours::new(0.5, 2.0);
        for side in [-0.5, 2.0] {
            let lightness: Vec<_> =
                (0..=50).map(|i| oklab(colours.of(side * f64::from(i) / 50.0))[0]).collect();
            assert!(lightness.is_sorted_by(|near, far| far < near), "{lightness:?}");
        }
    }

    #[test]
    fn inside_is_bluer_and_outside_is_redder_at_every_distance() {
        let colours = SignedColours::new(1.0, 1.0);
        for i in 1..=100 {
            let distance = f64::from(i) / 100.0;
            let [red, _, blue] = colours.of(-distance);
            assert!(blue > red);
            let [red, _, blue] = colours.of(distance);
            assert!(red > blue);
        }
        assert_eq!(colours.of(5.0), OUTSIDE[4], "beyond the range the last colour stays");
        assert_eq!(colours.of(-5.0), INSIDE[4]);
    }
}
