//! What charts are drawn with: lines, dots, shades and words, as SVG or onto pixels.

use std::fmt::Write as _;

use crate::output::picture::{Align, Along, Canvas, Image, Rgb, TextStyle, drawable, text_width};

/// Height of capitals of a common sans-serif font, as a share of its size.
const CAPITALS: f64 = 0.72;

/// How wide a text of a font size is, about: what draws SVG has its own font.
pub(in crate::output) fn width_of(text: &str, size: f64) -> f64 {
    text_width(&drawable(text), CAPITALS * size)
}

/// A word or two.
#[derive(Debug, Clone, Copy)]
pub(in crate::output) struct Words<'a> {
    pub(in crate::output) text: &'a str,
    /// On the baseline.
    pub(in crate::output) at: [f64; 2],
    /// Of the font.
    pub(in crate::output) size: f64,
    pub(in crate::output) colour: Rgb,
    pub(in crate::output) align: Align,
    pub(in crate::output) along: Along,
}

/// Draws; y runs downwards.
pub(in crate::output) trait Pen {
    /// Lines through points; one point alone is a dot as wide as the line.
    fn lines(&mut self, lines: &[Vec<[f64; 2]>], thickness: f64, colour: Rgb);
    /// A rectangle that lets `1 - share` of what is below it through.
    fn shade(&mut self, min: [f64; 2], max: [f64; 2], colour: Rgb, share: f64);
    fn words(&mut self, words: Words<'_>);

    fn line(&mut self, from: [f64; 2], to: [f64; 2], thickness: f64, colour: Rgb) {
        self.lines(&[vec![from, to]], thickness, colour);
    }
}

/// Draws a text file.
#[derive(Debug)]
pub(in crate::output) struct SvgPen {
    svg: String,
}

impl SvgPen {
    pub(in crate::output) fn new([width, height]: [f64; 2]) -> Self {
        Self {
            svg: format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\">\n\
                 <rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>\n"
            ),
        }
    }

    pub(in crate::output) fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}

// Writing to a string cannot fail.
impl Pen for SvgPen {
    fn lines(&mut self, lines: &[Vec<[f64; 2]>], thickness: f64, colour: Rgb) {
        let mut path = String::new();
        for line in lines {
            for (k, [x, y]) in line.iter().enumerate() {
                let _ = write!(path, "{}{x:.2} {y:.2}", if k == 0 { 'M' } else { 'L' });
            }
            if let [[x, y]] = line[..] {
                let _ = write!(path, "L{x:.2} {y:.2}");
            }
        }
        let _ = writeln!(
            self.svg,
            "<path d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{thickness}\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\"/>",
            hex(colour)
        );
    }

    fn shade(&mut self, min: [f64; 2], max: [f64; 2], colour: Rgb, share: f64) {
        let _ = writeln!(
            self.svg,
            "<rect x=\"{:.2}\" y=\"{:.2}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{}\" fill-opacity=\"{share}\"/>",
            min[0],
            min[1],
            max[0] - min[0],
            max[1] - min[1],
            hex(colour)
        );
    }

    fn words(&mut self, words: Words<'_>) {
        let [x, y] = words.at;
        let place = match words.along {
            Along::Row => format!("x=\"{x:.2}\" y=\"{y:.2}\""),
            Along::Column => format!("transform=\"translate({x:.2} {y:.2}) rotate(-90)\""),
        };
        let anchor = match words.align {
            Align::Left => "start",
            Align::Centre => "middle",
            Align::Right => "end",
        };
        let _ = writeln!(
            self.svg,
            "<text {place} font-size=\"{}\" text-anchor=\"{anchor}\" fill=\"{}\">{}</text>",
            words.size,
            hex(words.colour),
            escaped(words.text)
        );
    }
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Text without what XML takes for its own, or does not allow at all.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            _ if letter.is_control() => escaped.push(' '),
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// Draws pixels, `scale` of them per unit.
#[derive(Debug)]
pub(in crate::output) struct CanvasPen {
    canvas: Canvas,
    scale: f64,
}

impl CanvasPen {
    pub(in crate::output) fn new(size: [f64; 2], scale: f64) -> Self {
        let [width, height] = size.map(|length| (length * scale).round() as usize);
        Self { canvas: Canvas::new(width, height), scale }
    }

    pub(in crate::output) fn finish(self) -> Image {
        self.canvas.into_image()
    }

    fn pixels(&self, point: [f64; 2]) -> [f64; 2] {
        point.map(|c| c * self.scale)
    }
}

impl Pen for CanvasPen {
    fn lines(&mut self, lines: &[Vec<[f64; 2]>], thickness: f64, colour: Rgb) {
        let lines: Vec<Vec<_>> =
            lines.iter().map(|line| line.iter().map(|&point| self.pixels(point)).collect()).collect();
        self.canvas.polylines(&lines, thickness * self.scale, colour);
    }

    fn shade(&mut self, min: [f64; 2], max: [f64; 2], colour: Rgb, share: f64) {
        let (min, max) = (self.pixels(min), self.pixels(max));
        self.canvas.shade(min, max, colour, share);
    }

    fn words(&mut self, words: Words<'_>) {
        let style = TextStyle {
            cap_height: CAPITALS * words.size * self.scale,
            colour: words.colour,
            align: words.align,
        };
        let at = self.pixels(words.at);
        self.canvas.text_along(&drawable(words.text), at, style, words.along);
    }
}
