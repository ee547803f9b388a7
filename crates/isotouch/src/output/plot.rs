//! The clearance along a path, drawn as SVG.

use std::fmt::Write as _;
use std::io;
use std::path::Path;

use super::numbers::number;
use crate::atomic_file::write_atomically;

/// The picture, and the frame within it, in pixels: left, top, right, bottom.
const SIZE: [f64; 2] = [900.0, 400.0];
const FRAME: [f64; 4] = [90.0, 30.0, 880.0, 340.0];
/// Clearances that differ by more than this factor are drawn on a logarithmic scale, so that tight places are seen.
const WIDE: f64 = 20.0;

/// Distances of two parts along a path, what is proven about them, and where they touch. Times are counted in legs.
#[derive(Debug, Clone, PartialEq)]
pub struct ClearancePlot {
    legs: usize,
    /// Time and distance.
    distances: Vec<(f64, f64)>,
    /// Leg and proven clearance.
    bounds: Vec<(usize, f64)>,
    /// Beginning and end.
    contacts: Vec<(f64, f64)>,
}

/// From clearance to height.
struct Scale {
    is_logarithmic: bool,
    low: f64,
    high: f64,
}

impl ClearancePlot {
    /// Poses along a path that make a smooth curve.
    pub const POINTS: usize = 400;

    /// A path of so many legs.
    pub fn new(legs: usize) -> Self {
        Self { legs: legs.max(1), distances: Vec::new(), bounds: Vec::new(), contacts: Vec::new() }
    }

    /// The distance at a time.
    pub fn add_distance(&mut self, at: f64, distance: f64) {
        self.distances.push((at, distance));
    }

    /// What is proven for a leg.
    pub fn add_bound(&mut self, leg: usize, clearance: f64) {
        self.bounds.push((leg, clearance));
    }

    /// A time of contact.
    pub fn add_contact(&mut self, start: f64, end: f64) {
        self.contacts.push((start, end));
    }

    /// Writes the picture.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let svg = self.svg();
        write_atomically(path, |file| file.write_all(svg.as_bytes()))
    }

    /// The picture.
    pub fn svg(&self) -> String {
        let scale = self.scale();
        let mut svg = String::new();
        let [width, height] = SIZE;
        let [left, top, right, bottom] = FRAME;
        let _ = writeln!(
            svg,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
        );
        for &(start, end) in &self.contacts {
            // At least a hair wide.
            let (from, to) = (self.x(start), self.x(end).max(self.x(start) + 1.5));
            let _ = writeln!(
                svg,
                "<rect x=\"{from:.2}\" y=\"{top}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"#d62728\" fill-opacity=\"0.25\"/>",
                to - from,
                bottom - top
            );
        }
        for tick in scale.ticks() {
            let y = scale.y(tick);
            let _ = writeln!(
                svg,
                "<path d=\"M{left} {y:.2}H{right}\" stroke=\"#ddd\"/><text x=\"{:.2}\" y=\"{:.2}\" text-anchor=\"end\">{}</text>",
                left - 8.0,
                y + 4.5,
                number(tick)
            );
        }
        let step = round_up(self.legs as f64 / 10.0).max(1.0);
        let mut leg = 0.0;
        while leg <= self.legs as f64 {
            let x = self.x(leg);
            let _ = writeln!(
                svg,
                "<path d=\"M{x:.2} {bottom}v5\" stroke=\"#333\"/><text x=\"{x:.2}\" y=\"{:.2}\" text-anchor=\"middle\">{leg}</text>",
                bottom + 20.0
            );
            leg += step;
        }
        let _ = writeln!(
            svg,
            "<rect x=\"{left}\" y=\"{top}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"none\" stroke=\"#333\"/>",
            right - left,
            bottom - top
        );
        let _ = writeln!(
            svg,
            "<path d=\"{}\" fill=\"none\" stroke=\"#999\" stroke-width=\"1.2\"/>",
            self.steps(&scale)
        );
        let _ = writeln!(
            svg,
            "<path d=\"{}\" fill=\"none\" stroke=\"#1f77b4\" stroke-width=\"1.8\"/>",
            self.curve(&scale)
        );
        let middle = 0.5 * (left + right);
        let _ = writeln!(
            svg,
            "<text x=\"{middle}\" y=\"{:.2}\" text-anchor=\"middle\">leg of the path</text>\n\
             <text transform=\"translate(18 {:.2}) rotate(-90)\" text-anchor=\"middle\">clearance</text>\n\
             <text x=\"{left}\" y=\"18\"><tspan fill=\"#1f77b4\">distance at poses</tspan>  <tspan fill=\"#777\">proven for each leg</tspan>  \
             <tspan fill=\"#d62728\">contact</tspan></text>\n</svg>",
            bottom + 42.0,
            0.5 * (top + bottom)
        );
        svg
    }

    fn x(&self, at: f64) -> f64 {
        let [left, _, right, _] = FRAME;
        left + (right - left) * at / self.legs as f64
    }

    fn scale(&self) -> Scale {
        let values = self.distances.iter().map(|d| d.1).chain(self.bounds.iter().map(|b| b.1));
        let positive: Vec<f64> = values.filter(|value| value.is_finite() && *value > 0.0).collect();
        let least = positive.iter().copied().fold(f64::INFINITY, f64::min);
        let most = positive.iter().copied().fold(0.0, f64::max);
        if most <= 0.0 {
            return Scale { is_logarithmic: false, low: 0.0, high: 1.0 };
        }
        if most / least > WIDE {
            let power = |value: f64| 10f64.powf(value);
            return Scale {
                is_logarithmic: true,
                low: power((0.8 * least).log10().floor()),
                high: power(most.log10().ceil()),
            };
        }
        Scale { is_logarithmic: false, low: 0.0, high: 1.08 * most }
    }

    fn curve(&self, scale: &Scale) -> String {
        let mut path = String::new();
        let mut is_drawing = false;
        for &(at, distance) in &self.distances {
            if distance.is_finite() {
                let letter = if is_drawing { 'L' } else { 'M' };
                let _ = write!(path, "{letter}{:.2} {:.2}", self.x(at), scale.y(distance));
            }
            is_drawing = distance.is_finite();
        }
        path
    }

    fn steps(&self, scale: &Scale) -> String {
        let mut path = String::new();
        for &(leg, clearance) in self.bounds.iter().filter(|(_, clearance)| clearance.is_finite()) {
            let (from, to, y) = (self.x(leg as f64), self.x(leg as f64 + 1.0), scale.y(clearance));
            let _ = write!(path, "M{from:.2} {y:.2}H{to:.2}");
        }
        path
    }
}

impl Scale {
    fn y(&self, value: f64) -> f64 {
        let [_, top, _, bottom] = FRAME;
        let part = if self.is_logarithmic {
            (value.max(self.low) / self.low).log10() / (self.high / self.low).log10()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        bottom - (bottom - top) * part.clamp(0.0, 1.0)
    }

    fn ticks(&self) -> Vec<f64> {
        if self.is_logarithmic {
            let decades = (self.high / self.low).log10().round() as i32;
            return (0..=decades).map(|k| self.low * 10f64.powi(k)).collect();
        }
        let step = round_up(self.high / 6.0);
        (0..).map(|k| f64::from(k) * step).take_while(|tick| *tick <= self.high).collect()
    }
}

/// The next 1, 2 or 5 times a power of ten.
fn round_up(length: f64) -> f64 {
    super::picture::round_step_at_least(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_bounds_and_contacts_are_drawn_where_they_belong() {
        let mut plot = ClearancePlot::new(2);
        for k in 0..=20 {
            plot.add_distance(f64::from(k) / 10.0, 1.0 + f64::from(k));
        }
        plot.add_bound(0, 0.9);
        plot.add_bound(1, 0.5);
        plot.add_contact(1.0, 1.5);
        let svg = plot.svg();
        // Contact from the middle to three quarters of the frame.
        assert!(svg.contains("<rect x=\"485.00\" y=\"30\" width=\"197.50\""), "{svg}");
        assert_eq!(svg.matches("H880.00").count(), 1);
        // 21 to 0.5 is wide: decades.
        assert!(svg.contains(">0.1</text>") && svg.contains(">100</text>"), "{svg}");
        let flat = ClearancePlot::new(0).svg();
        assert!(flat.starts_with("<svg") && !flat.contains("NaN"));
    }
}
