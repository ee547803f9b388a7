//! Drawing with smooth edges: blended pixels, lines with round ends, text.

use rayon::prelude::*;

use super::colour::{Rgb, WHITE};
use super::font::{self, CAP_HEIGHT};
use super::image::Image;

/// Thickness of the strokes of letters, as a share of the height of capitals.
const STROKE: f64 = 0.135;

/// A picture being drawn, white at first. Pixel (0, 0) is top left and covers [0, 1]².
#[derive(Debug)]
pub(super) struct Canvas {
    width: usize,
    height: usize,
    rgb: Vec<Rgb>,
}

/// Which point of a text is placed at the given x.
#[derive(Debug, Clone, Copy)]
pub(super) enum Align {
    Left,
    Centre,
}

/// How a line of text looks.
#[derive(Debug, Clone, Copy)]
pub(super) struct TextStyle {
    /// Height of capitals in pixels.
    pub(super) cap_height: f64,
    pub(super) colour: Rgb,
    pub(super) align: Align,
}

impl Canvas {
    pub(super) fn new(width: usize, height: usize) -> Self {
        Self { width, height, rgb: vec![WHITE; width * height] }
    }

    pub(super) fn width(&self) -> usize {
        self.width
    }

    pub(super) fn into_image(self) -> Image {
        Image::new(self.width as u32, self.height as u32, self.rgb.into_flattened())
    }

    /// Rows of pixels in a rectangle that lies on the canvas, from top to bottom.
    pub(super) fn rows_within(
        &mut self,
        [left, top]: [usize; 2],
        [width, height]: [usize; 2],
    ) -> impl IndexedParallelIterator<Item = &mut [Rgb]> {
        let rows = &mut self.rgb[top * self.width..(top + height) * self.width];
        rows.par_chunks_mut(self.width).map(move |row| &mut row[left..left + width])
    }

    /// Covers a pixel; pixels off the canvas are ignored.
    pub(super) fn set(&mut self, x: usize, y: usize, colour: Rgb) {
        if x < self.width && y < self.height {
            self.rgb[y * self.width + x] = colour;
        }
    }

    /// A straight line with round ends, `thickness` pixels wide.
    pub(super) fn line(&mut self, from: [f64; 2], to: [f64; 2], thickness: f64, colour: Rgb) {
        self.strokes(&[[from, to]], thickness, colour);
    }

    /// The outline of a rectangle.
    pub(super) fn frame(&mut self, min: [f64; 2], max: [f64; 2], thickness: f64, colour: Rgb) {
        let corners = [min, [max[0], min[1]], max, [min[0], max[1]], min];
        let sides: Vec<_> = corners.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        self.strokes(&sides, thickness, colour);
    }

    /// An arrow from `from` to `to` with a filled head.
    pub(super) fn arrow(&mut self, from: [f64; 2], to: [f64; 2], thickness: f64, colour: Rgb) {
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
    pub(super) fn text(&mut self, text: &str, [x, baseline]: [f64; 2], style: TextStyle) {
        let unit = style.cap_height / CAP_HEIGHT;
        let width = font::text_width(text, style.cap_height);
        let mut left = match style.align {
            Align::Left => x,
            Align::Centre => x - 0.5 * width,
        };
        for letter in text.chars() {
            let glyph = font::glyph(letter);
            let strokes: Vec<_> = glyph
                .strokes
                .iter()
                .map(|stroke| stroke.map(|[gx, gy]| [left + gx * unit, baseline - gy * unit]))
                .collect();
            self.strokes(&strokes, STROKE * style.cap_height, style.colour);
            left += glyph.advance * unit;
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
pub(super) fn coverage(distance: f64, thickness: f64) -> f64 {
    // A line thinner than a pixel is drawn paler and not thinner.
    (0.5 * thickness.max(1.0) + 0.5 - distance).clamp(0.0, 1.0) * thickness.min(1.0)
}

/// `share` 0 leaves the colour below, 1 covers it.
pub(super) fn blend(below: Rgb, above: Rgb, share: f64) -> Rgb {
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
