//! The clearance along a path, drawn as SVG.

use std::io;
use std::path::Path;

use super::chart::{
    Frame, Legend, Pen, ROOM_BELOW, Range, SIZE, Scale, SvgPen, Words, room_beside, width_of,
};
use super::palette;
use super::picture::{Align, Along, Rgb};
use crate::atomic_file::write_atomically;

/// Of the whole picture.
const PICTURE: [f64; 2] = [900.0, 400.0];
/// Clearances that differ by more than this factor are drawn on a logarithmic scale, so that tight places are seen.
const WIDE: f64 = 20.0;

/// Most columns that legs are drawn in, each about as wide as a pixel: of more legs, those in one column share it.
const COLUMNS: usize = 1000;
/// Contacts that are less than this part of the path apart are drawn as one: half a pixel.
const HAIR: f64 = 1.0 / 2000.0;

const CONTACT: Rgb = [214, 39, 40];
const PROVEN: Rgb = [130, 132, 138];

/// Distances of two parts along a path, what is proven about them, and where they touch. Times are counted in legs.
#[derive(Debug, Clone, PartialEq)]
pub struct ClearancePlot {
    legs: usize,
    /// Time and distance.
    distances: Vec<(f64, f64)>,
    /// Column, and the least and the largest clearance that is proven for one of its legs.
    bounds: Vec<(usize, [f64; 2])>,
    /// Beginning and end.
    contacts: Vec<(f64, f64)>,
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

    /// What is proven for a leg; legs in order. What is not finite is not drawn.
    pub fn add_bound(&mut self, leg: usize, clearance: f64) {
        if !clearance.is_finite() {
            return;
        }
        let column = (leg as f64 * self.columns() / self.legs as f64) as usize;
        match self.bounds.last_mut() {
            Some((last, [low, high])) if *last == column => {
                (*low, *high) = (low.min(clearance), high.max(clearance));
            }
            _ => self.bounds.push((column, [clearance; 2])),
        }
    }

    /// A time of contact; in order.
    pub fn add_contact(&mut self, start: f64, end: f64) {
        match self.contacts.last_mut() {
            Some(last) if start - last.1 < HAIR * self.legs as f64 => last.1 = last.1.max(end),
            _ => self.contacts.push((start, end)),
        }
    }

    fn columns(&self) -> f64 {
        self.legs.min(COLUMNS) as f64
    }

    /// Writes the picture.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let svg = self.svg();
        write_atomically(path, |file| file.write_all(svg.as_bytes()))
    }

    /// The picture.
    pub fn svg(&self) -> String {
        let legs = self.legs as f64;
        let x = Range { scale: Scale::Linear, low: 0.0, high: legs };
        let y = self.range();
        // Whole legs only.
        let mut x_ticks = x.ticks(10);
        x_ticks.ticks.retain(|tick| tick.value.fract() == 0.0);
        let legend = |name: &str, ticks| Legend { name: name.to_owned(), unit: String::new(), ticks };
        let (x_legend, y_legend) = (legend("leg of the path", x_ticks), legend("clearance", y.ticks(7)));
        let [width, height] = PICTURE;
        let frame = Frame {
            left: room_beside(&y_legend),
            top: 30.0,
            right: width - 20.0,
            bottom: height - ROOM_BELOW,
            x,
            y,
        };

        let mut pen = SvgPen::new(PICTURE);
        frame.draw(&mut pen, &x_legend, &y_legend);
        for &(start, end) in &self.contacts {
            if let (Some(from), Some(to)) = (frame.x_of(start), frame.x_of(end)) {
                // At least a hair wide.
                let to = to.max(from + 1.5);
                pen.shade([from, frame.top], [to, frame.bottom], CONTACT, 0.25);
            }
        }
        pen.lines(&self.steps(&frame), 1.2, PROVEN);
        pen.lines(&self.curve(&frame), 1.8, palette::distinct(0));
        frame.outline(&mut pen);
        let mut left = frame.left;
        for (text, colour) in [
            ("distance at poses", palette::distinct(0)),
            ("proven for each leg", PROVEN),
            ("contact", CONTACT),
        ] {
            pen.words(Words {
                text,
                at: [left, 20.0],
                size: SIZE,
                colour,
                align: Align::Left,
                along: Along::Row,
            });
            left += width_of(text, SIZE) + 20.0;
        }
        pen.finish()
    }

    fn range(&self) -> Range {
        let values = self.distances.iter().map(|d| d.1).chain(self.bounds.iter().flat_map(|b| b.1));
        let positive: Vec<f64> = values.filter(|value| value.is_finite() && *value > 0.0).collect();
        let least = positive.iter().copied().fold(f64::INFINITY, f64::min);
        let most = positive.iter().copied().fold(0.0, f64::max);
        if most / least > WIDE {
            return Range::airy(Scale::Logarithmic, [0.8 * least, most].into_iter());
        }
        // From zero, whatever the least is.
        let most = if most > 0.0 { most } else { 1.0 };
        Range::airy(Scale::Linear, [0.0, most].into_iter())
    }

    /// What is at or below zero lies at the bottom of the frame.
    fn y_of(frame: &Frame, value: f64) -> Option<f64> {
        frame.y_of(if value.is_finite() { value.max(frame.y.low) } else { value })
    }

    fn curve(&self, frame: &Frame) -> Vec<Vec<[f64; 2]>> {
        let mut lines = vec![Vec::new()];
        for &(at, distance) in &self.distances {
            match (frame.x_of(at), Self::y_of(frame, distance), lines.last_mut()) {
                (Some(x), Some(y), Some(line)) => line.push([x, y]),
                _ => lines.push(Vec::new()),
            }
        }
        lines
    }

    /// A level line for each column, and up from it to the largest of several legs.
    fn steps(&self, frame: &Frame) -> Vec<Vec<[f64; 2]>> {
        let legs_per_column = self.legs as f64 / self.columns();
        let step = |&(column, [low, high]): &(usize, [f64; 2])| {
            let x_of = |column: usize| frame.x_of(legs_per_column * column as f64);
            let (from, to) = (x_of(column)?, x_of(column + 1)?);
            let (low_at, high_at) = (Self::y_of(frame, low)?, Self::y_of(frame, high)?);
            let mut line = vec![[from, low_at], [to, low_at]];
            if high > low {
                line.push([to, high_at]);
            }
            Some(line)
        };
        self.bounds.iter().filter_map(step).collect()
    }
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
        // Contact from the middle to three quarters of the frame, which ends at 880.
        let contact =
            svg.split_once("fill=\"#d62728\" fill-opacity").unwrap().0.rsplit_once("<rect x=\"").unwrap().1;
        let numbers: Vec<f64> = contact.split('"').filter_map(|part| part.parse().ok()).collect();
        assert!((numbers[0] + 2.0 * numbers[2] - 880.0).abs() < 0.1, "{svg}");
        // 21 to 0.5 is wide: decades.
        assert!(svg.contains(">0.1</text>") && svg.contains(">100</text>"), "{svg}");
        // A path of very many legs takes no more room than the picture is wide.
        let mut long = ClearancePlot::new(1_000_000);
        for leg in 0..1_000_000 {
            long.add_bound(leg, 1.0 + f64::from(leg as u32 % 7));
            long.add_contact(leg as f64, leg as f64 + 0.5);
        }
        assert!((long.bounds.len(), long.contacts.len()) == (COLUMNS, 1) && long.svg().len() < 200_000);
        let flat = ClearancePlot::new(0).svg();
        assert!(flat.starts_with("<svg") && !flat.contains("NaN"));
    }
}
