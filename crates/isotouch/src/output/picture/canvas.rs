//! Drawing with smooth edges: blended pixels, lines with round ends, text.

use rayon::prelude::*;

use super::colour::{Rgb, WHITE};
use super::font::{self, CAP_HEIGHT};
use super::image::Image;

/// Thickness of the strokes of letters, as a share of the height of capitals.
const STROKE: f64 = 0.135;

/// A picture being drawn, white at first. Pixel (0, 0) is top left and covers [0, 1]².
#[derive(Debug)]
pub(in crate::output) struct Canvas {
    width: usize,
    height: usize,
    rgb: Vec<Rgb>,
}

/// Shares of pixels that are covered, in some rows.
struct Coverage {
    first_row: usize,
    shares: Vec<f32>,
}

/// Which point of a text is placed at the given x.
#[derive(Debug, Clone, Copy)]
pub(in crate::output) enum Align {
    Left,
    Centre,
    Right,
}

/// Which way a line of text runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::output) enum Along {
    /// To the right.
    Row,
    /// Upwards, as beside an axis.
    Column,
}

/// How a line of text looks.
#[derive(Debug, Clone, Copy)]
pub(in crate::output) struct TextStyle {
    /// Height of capitals in pixels.
    pub(in crate::output) cap_height: f64,
    pub(in crate::output) colour: Rgb,
    pub(in crate::output) align: Align,
}

impl Canvas {
    pub(in crate::output) fn new(width: usize, height: usize) -> Self {
        Self { width, height, rgb: vec![WHITE; width * height] }
    }

    pub(in crate::output) fn width(&self) -> usize {
        self.width
    }

    pub(in crate::output) fn into_image(self) -> Image {
        Image::new(self.width as u32, self.height as u32, self.rgb.into_flattened())
    }

    /// Rows of pixels in a rectangle that lies on the canvas, from top to bottom.
    pub(in crate::output) fn rows_within(
        &mut self,
        [left, top]: [usize; 2],
        [width, height]: [usize; 2],
    ) -> impl IndexedParallelIterator<Item = &mut [Rgb]> {
        let rows = &mut self.rgb[top * self.width..(top + height) * self.width];
        rows.par_chunks_mut(self.width).map(move |row| &mut row[left..left + width])
    }

    /// Covers a pixel; pixels off the canvas are ignored.
    pub(in crate::output) fn set(&mut self, x: usize, y: usize, colour: Rgb) {
        if x < self.width && y < self.height {
            self.rgb[y * self.width + x] = colour;
        }
    }

    /// A straight line with round ends, `thickness` pixels wide.
    pub(in crate::output) fn line(&mut self, from: [f64; 2], to: [f64; 2], thickness: f64, colour: Rgb) {
        self.strokes(&[[from, to]], thickness, colour);
    }

    /// The outline of a rectangle.
    pub(in crate::output) fn frame(&mut self, min: [f64; 2], max: [f64; 2], thickness: f64, colour: Rgb) {
        let corners = [min, [max[0], min[1]], max, [min[0], max[1]], min];
        let sides: Vec<_> = corners.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        self.strokes(&sides, thickness, colour);
    }

    /// An arrow from `from` to `to` with a filled head.
    pub(in crate::output) fn arrow(&mut self, from: [f64; 2], to: [f64; 2], thickness: f64, colour: Rgb) {
        let along = [to[0] - from[0], to[1] - from[1]];
        let length = along[0].hypot(along[1]).max(1e-9);
        let unit = along.map(|c| c / length);
        let head = 4.5 * thickness;
        let base = [to[0] - head * unit[0], to[1] - head * unit[1]];
        self.line(from, base, thickness, colour);
        // The head is filled by lines from its tip to its base, less than a pixel apart.
        let half = 0.42 * head;
        let fan = (2.0 * half / 0.5).ceil();
        let strokes: Vec<_> = (0..=fan as usize)
            .map(|i| {
                let side = (i as f64 / fan * 2.0 - 1.0) * half;
                [to, [base[0] - side * unit[1], base[1] + side * unit[0]]]
            })
            .collect();
        self.strokes(&strokes, 1.0, colour);
    }

    /// One line of text; `baseline` is where capitals stand.
    pub(in crate::output) fn text(&mut self, text: &str, [x, baseline]: [f64; 2], style: TextStyle) {
        self.text_along(text, [x, baseline], style, Along::Row);
    }

    /// One line of text that runs either way; `at` is on its baseline.
    pub(in crate::output) fn text_along(&mut self, text: &str, at: [f64; 2], style: TextStyle, along: Along) {
        let unit = style.cap_height / CAP_HEIGHT;
        let width = font::text_width(text, style.cap_height);
        let mut advance = match style.align {
            Align::Left => 0.0,
            Align::Centre => -0.5 * width,
            Align::Right => -width,
        };
        for letter in text.chars() {
            let glyph = font::glyph(letter);
            let place = |[gx, gy]: [f64; 2]| match along {
                Along::Row => [at[0] + advance + gx * unit, at[1] - gy * unit],
                Along::Column => [at[0] - gy * unit, at[1] - advance - gx * unit],
            };
            let strokes: Vec<_> = glyph.strokes.iter().map(|stroke| stroke.map(place)).collect();
            self.strokes(&strokes, STROKE * style.cap_height, style.colour);
            advance += glyph.advance * unit;
        }
    }

    /// A rectangle that lets `1 - share` of what is below it through.
    pub(in crate::output) fn shade(&mut self, min: [f64; 2], max: [f64; 2], colour: Rgb, share: f64) {
        // The share of a pixel that is between two places.
        let inside = |pixel: usize, low: f64, high: f64| {
            (high.min(pixel as f64 + 1.0) - low.max(pixel as f64)).clamp(0.0, 1.0)
        };
        let end = |high: f64, all: usize| (high.max(0.0).ceil() as usize).min(all);
        for y in min[1].max(0.0) as usize..end(max[1], self.height) {
            for x in min[0].max(0.0) as usize..end(max[0], self.width) {
                let covered = inside(x, min[0], max[0]) * inside(y, min[1], max[1]);
                let at = y * self.width + x;
                self.rgb[at] = blend(self.rgb[at], colour, share * covered);
            }
        }
    }

    /// Lines through many points. However often they pass a pixel, it is covered once.
    pub(in crate::output) fn polylines(&mut self, lines: &[Vec<[f64; 2]>], thickness: f64, colour: Rgb) {
        // Only rows that the lines pass, for most are straight across.
        let margin = 0.5 * thickness + 2.0;
        let heights = || lines.iter().flatten().map(|point| point[1]);
        let (low, high) =
            (heights().fold(f64::INFINITY, f64::min), heights().fold(f64::NEG_INFINITY, f64::max));
        let row = |y: f64| (y.max(0.0) as usize).min(self.height);
        let rows = row(low - margin)..row(high + margin + 1.0);
        let mut covered = Coverage { first_row: rows.start, shares: vec![0.0; rows.len() * self.width] };
        for line in lines {
            if let [point] = line[..] {
                self.cover(&mut covered, [point, point], thickness);
            }
            for pair in line.windows(2) {
                self.cover(&mut covered, [pair[0], pair[1]], thickness);
            }
        }
        let pixels = &mut self.rgb[rows.start * self.width..];
        for (pixel, share) in pixels.iter_mut().zip(covered.shares).filter(|(_, share)| *share > 0.0) {
            *pixel = blend(*pixel, colour, share.into());
        }
    }

    /// Notes how much of each pixel a stroke covers, where it is more than known.
    fn cover(&self, covered: &mut Coverage, [a, b]: [[f64; 2]; 2], thickness: f64) {
        let margin = 0.5 * thickness + 1.0;
        let within = |low: f64, high: f64, all: usize| {
            ((low - margin).max(0.0) as usize).min(all)..((high + margin).max(0.0).ceil() as usize).min(all)
        };
        let rise = b[1] - a[1];
        for y in within(a[1].min(b[1]), a[1].max(b[1]), self.height) {
            // The part of the stroke that is near this row, for a long one is far from most pixels of its box.
            let near = |edge: f64| {
                let t = if rise == 0.0 {
                    f64::from(u8::from(edge > 0.0))
                } else {
                    (y as f64 + 0.5 + edge - a[1]) / rise
                };
                a[0] + t.clamp(0.0, 1.0) * (b[0] - a[0])
            };
            let (one, other) = (near(-margin - 0.5), near(margin + 0.5));
            for x in within(one.min(other), one.max(other), self.width) {
                let distance = distance_to_stroke([x as f64 + 0.5, y as f64 + 0.5], [a, b]);
                let share = &mut covered.shares[(y - covered.first_row) * self.width + x];
                *share = share.max(coverage(distance, thickness) as f32);
            }
        }
    }

    /// Strokes that belong together: where they overlap, a pixel is covered once and not twice.
    fn strokes(&mut self, strokes: &[[[f64; 2]; 2]], thickness: f64, colour: Rgb) {
        let margin = 0.5 * thickness + 1.0;
        // Pixels along an axis that strokes between two places may cover.
        let within = |low: f64, high: f64, all: usize| {
            ((low - margin).max(0.0) as usize).min(all)..((high + margin).max(0.0).ceil() as usize).min(all)
        };
        let points = || strokes.iter().flatten();
        let low = points().map(|p| p[1]).fold(f64::INFINITY, f64::min);
        let high = points().map(|p| p[1]).fold(f64::NEG_INFINITY, f64::max);
        for y in within(low, high, self.height) {
            // Stroke by stroke, for most of what a frame goes around is not near its sides.
            let near = strokes
                .iter()
                .filter(|[a, b]| within(a[1].min(b[1]), a[1].max(b[1]), self.height).contains(&y));
            let mut columns: Vec<_> =
                near.map(|[a, b]| within(a[0].min(b[0]), a[0].max(b[0]), self.width)).collect();
            columns.sort_unstable_by_key(|range| range.start);
            let mut next = 0;
            let columns = columns.into_iter().flat_map(|range| {
                let range = range.start.max(next)..range.end;
                next = next.max(range.end);
                range
            });
            for x in columns {
                let pixel = [x as f64 + 0.5, y as f64 + 0.5];
                let distance = strokes
                    .iter()
                    .map(|&stroke| distance_to_stroke(pixel, stroke))
                    .fold(f64::INFINITY, f64::min);
                let at = y * self.width + x;
                self.rgb[at] = blend(self.rgb[at], colour, coverage(distance, thickness));
            }
        }
    }
}

/// The share of a pixel that a line covers whose middle passes `distance` pixels beside the pixel's.
pub(in crate::output) fn coverage(distance: f64, thickness: f64) -> f64 {
    // A line thinner than a pixel is drawn paler and not thinner.
    (0.5 * thickness.max(1.0) + 0.5 - distance).clamp(0.0, 1.0) * thickness.min(1.0)
}

/// `share` 0 leaves the colour below, 1 covers it.
pub(in crate::output) fn blend(below: Rgb, above: Rgb, share: f64) -> Rgb {
    [0, 1, 2].map(|c| {
        let (below, above) = (f64::from(below[c]), f64::from(above[c]));
        (below + (above - below) * share).round() as u8
    })
}

fn distance_to_stroke(p: [f64; 2], [a, b]: [[f64; 2]; 2]) -> f64 {
    let (ab, ap) = ([b[0] - a[0], b[1] - a[1]], [p[0] - a[0], p[1] - a[1]]);
    let length_squared = ab[0] * ab[0] + ab[1] * ab[1];
    let t = if length_squared > 0.0 { (ap[0] * ab[0] + ap[1] * ab[1]) / length_squared } else { 0.0 };
    let t = t.clamp(0.0, 1.0);
    (ap[0] - t * ab[0]).hypot(ap[1] - t * ab[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_as_thick_as_asked() {
        for thickness in [1.0, 2.5, 4.0] {
            let mut canvas = Canvas::new(20, 20);
            canvas.line([2.0, 10.0], [18.0, 10.0], thickness, [0, 0, 0]);
            let image = canvas.into_image();
            let ink: f64 = (0..20).map(|y| 1.0 - f64::from(image.pixel(10, y)[0]) / 255.0).sum();
            assert!((ink - thickness).abs() < 0.05, "{ink} for {thickness}");
        }
    }

    /// The sides alone are looked at, and each pixel once: at the corners they are not darker, and the middle stays white.
    #[test]
    fn frames_are_even() {
        let mut canvas = Canvas::new(30, 30);
        canvas.frame([5.0, 5.0], [25.0, 25.0], 1.0, [0, 0, 0]);
        let image = canvas.into_image();
        let beside = image.pixel(5, 12);
        assert!(beside != WHITE && beside != [0, 0, 0], "{beside:?}");
        for (x, y) in [(4, 12), (12, 5), (24, 12), (12, 24), (5, 5), (24, 24), (5, 24)] {
            assert_eq!(image.pixel(x, y), beside, "({x}, {y})");
        }
        for (x, y) in [(12, 12), (8, 20), (2, 12), (12, 28)] {
            assert_eq!(image.pixel(x, y), WHITE, "({x}, {y})");
        }
    }

    #[test]
    fn polylines_are_lines_and_cover_once() {
        let points = vec![[3.0, 4.0], [30.0, 21.5], [5.0, 33.0], [5.0, 10.0], [36.0, 10.0]];
        let (mut many, mut one) = (Canvas::new(40, 40), Canvas::new(40, 40));
        many.polylines(&[points.clone(), vec![[20.0, 30.0]]], 1.7, [10, 20, 30]);
        let mut strokes: Vec<_> = points.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        strokes.push([[20.0, 30.0]; 2]);
        one.strokes(&strokes, 1.7, [10, 20, 30]);
        assert_eq!(many.into_image(), one.into_image());
    }

    #[test]
    fn shades_cover_parts_of_pixels() {
        let mut canvas = Canvas::new(6, 6);
        canvas.shade([1.5, 1.0], [4.0, 99.0], [0, 0, 0], 0.5);
        let image = canvas.into_image();
        let row = [0, 1, 2, 3, 4].map(|x| image.pixel(x, 3)[0]);
        assert_eq!(row, [255, 191, 128, 128, 255]);
        assert_eq!(image.pixel(2, 0), WHITE);
    }

    #[test]
    fn text_upwards_is_text_turned() {
        let style = TextStyle { cap_height: 9.0, colour: [0, 0, 0], align: Align::Right };
        let (mut row, mut column) = (Canvas::new(60, 60), Canvas::new(60, 60));
        row.text("Ab 3", [50.0, 20.0], style);
        column.text_along("Ab 3", [20.0, 10.0], style, Along::Column);
        let (row, column) = (row.into_image(), column.into_image());
        for (x, y) in (0..60).flat_map(|y| (0..60).map(move |x| (x, y))) {
            assert!(row.pixel(x, y)[0].abs_diff(column.pixel(y, 59 - x)[0]) <= 1);
        }
    }

    #[test]
    fn drawing_off_the_canvas_is_harmless() {
        let mut canvas = Canvas::new(8, 8);
        let style = TextStyle { cap_height: 12.0, colour: [0, 0, 0], align: Align::Centre };
        canvas.text("far away", [-500.0, 4.0], style);
        canvas.text("far away", [500.0, 900.0], style);
        canvas.arrow([4.0, 4.0], [4.0, 4.0], 2.0, [0, 0, 0]);
        canvas.line([-1e9, -1e9], [-1e8, -1e9], 2.0, [0, 0, 0]);
        canvas.set(100, 100, [0, 0, 0]);
        assert_eq!(canvas.into_image().pixel(0, 0), WHITE);
    }
}
