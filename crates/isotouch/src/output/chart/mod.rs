//! Line charts of many series over one axis, as SVG and as PNG.
//!
//! ```
//! use isotouch::output::chart::{Axis, Chart, Scale};
//!
//! # let folder = tempfile::tempdir()?;
//! let times: Vec<f64> = (0..=1000).map(|step| f64::from(step) / 1000.0).collect();
//! let kinetic: Vec<f64> = times.iter().map(|t| 0.5 * (9.81 * t).powi(2)).collect();
//! let potential: Vec<f64> = kinetic.iter().map(|energy| 50.0 - energy).collect();
//!
//! let mut chart = Chart::new("A falling ball", Axis::new("time", "s"), Axis::new("energy", "J"));
//! chart.add("kinetic", &times, &kinetic);
//! chart.add("potential", &times, &potential);
//! chart.write(folder.path().join("energy.svg"))?;
//! chart.write(folder.path().join("energy.png"))?;
//!
//! let mut steps = Chart::new("Time of a step", Axis::new("bodies", "").scaled(Scale::Logarithmic), Axis::new("step", "ms"));
//! steps.add("", &[10.0, 100.0, 1000.0], &[0.02, 0.21, 2.3]);
//! assert!(steps.svg().starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Points whose numbers are not finite, or not positive on a logarithmic axis, are gaps in their line. Series may have millions
//! of points: what one column of pixels cannot show is left out, peaks are kept.

mod axis;
mod curve;
mod frame;
mod pen;

use std::io;
use std::path::{Path, PathBuf};

use super::palette;
use super::picture::{Align, Along, FAINT_INK, INK, Image};
use crate::atomic_file::write_atomically;

pub(super) use axis::Range;
pub use axis::Scale;
pub(super) use frame::{Frame, Legend, ROOM_BELOW, SIZE, room_beside};
pub(super) use pen::{CanvasPen, Pen, SvgPen, Words, width_of};

/// Of lines of series, and the radius of dots on those with few points.
const THICKNESS: f64 = 1.7;
const DOT: f64 = 2.9;
/// A series with more points than this has no dots: they would touch.
const MOST_DOTS: usize = 40;

const TITLE_SIZE: f64 = 16.0;
/// Between lines of the legend.
const LEGEND_STEP: f64 = 1.5 * SIZE;
/// The line before a name in the legend, the space behind it, and between names.
const SAMPLE: f64 = 24.0;
const SAMPLE_GAP: f64 = 7.0;
const NAME_GAP: f64 = 22.0;
/// What a legend leaves of the width: about what numbers and the name of an axis take.
const LEGEND_MARGIN: f64 = 90.0;

/// Pixels per unit of a PNG: sharp on fine screens and in print.
const PIXELS: f64 = 2.0;

/// What an axis is about.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    name: String,
    unit: String,
    scale: Scale,
}

impl Axis {
    /// A linear axis. No unit: `""`.
    pub fn new(name: &str, unit: &str) -> Self {
        Self { name: name.to_owned(), unit: unit.to_owned(), scale: Scale::Linear }
    }

    /// The same with another scale.
    #[must_use]
    pub fn scaled(self, scale: Scale) -> Self {
        Self { scale, ..self }
    }
}

/// Series of points with one pair of axes.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    title: String,
    x: Axis,
    y: Axis,
    /// Of the whole picture; one unit is a pixel of a usual screen.
    size: [f64; 2],
    series: Vec<Series>,
}

#[derive(Debug, Clone, PartialEq)]
struct Series {
    name: String,
    points: Vec<[f64; 2]>,
}

/// Why a chart was not written.
#[derive(Debug, thiserror::Error)]
pub enum ChartError {
    /// The file could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A name that does not tell what to write.
    #[error("{}: a chart is written as .svg or .png", path.display())]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
}

impl Chart {
    /// No series yet.
    pub fn new(title: &str, x: Axis, y: Axis) -> Self {
        Self { title: title.to_owned(), x, y, size: [900.0, 420.0], series: Vec::new() }
    }

    /// The same in another size than 900 × 420; a PNG has twice as many pixels. At least 300 × 200.
    #[must_use]
    pub fn sized(self, width: f64, height: f64) -> Self {
        // Written so that NaN is the least.
        let within = |length: f64, least: f64| if length > least { length.min(1e4) } else { least };
        Self { size: [within(width, 300.0), within(height, 200.0)], ..self }
    }

    /// Adds a line through points. Where one list is longer, its rest is left out. Series without a name are not in the legend.
    pub fn add(&mut self, name: &str, x: &[f64], y: &[f64]) {
        let points = x.iter().zip(y).map(|(&x, &y)| [x, y]).collect();
        self.series.push(Series { name: name.to_owned(), points });
    }

    /// Writes the chart as what the extension says, `.svg` or `.png`. The file appears whole or not at all.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), ChartError> {
        let path = path.as_ref();
        let write_error = |source| ChartError::Write { path: path.to_owned(), source };
        match path
            .extension()
            .and_then(|extension| extension.to_str())
            .map(str::to_ascii_lowercase)
            .as_deref()
        {
            Some("svg") => {
                let svg = self.svg();
                write_atomically(path, |out| out.write_all(svg.as_bytes())).map_err(write_error)
            }
            Some("png") => self.image().write_png(path).map_err(|error| write_error(error.source)),
            _ => Err(ChartError::UnknownFormat { path: path.to_owned() }),
        }
    }

    /// The chart as text.
    pub fn svg(&self) -> String {
        let mut pen = SvgPen::new(self.size);
        self.draw(&mut pen);
        pen.finish()
    }

    /// The chart as pixels.
    pub fn image(&self) -> Image {
        let mut pen = CanvasPen::new(self.size, PIXELS);
        self.draw(&mut pen);
        pen.finish()
    }

    fn draw(&self, pen: &mut impl Pen) {
        let [width, height] = self.size;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let x_range = Range::tight(self.x.scale, points().map(|point| point[0]));
        let y_range = Range::airy(self.y.scale, points().map(|point| point[1]));

        let mut rows = self.legend_rows(width - LEGEND_MARGIN);
        // Most of a picture is for the lines.
        rows.truncate(((0.45 * height / LEGEND_STEP) as usize).max(1));
        let mut top = 14.0;
        if !self.title.is_empty() {
            top += 1.6 * TITLE_SIZE;
        }
        let legend_top = top;
        top += LEGEND_STEP * rows.len() as f64;
        let bottom = height - ROOM_BELOW;
        let y_ticks = y_range.ticks(((bottom - top) / 42.0) as usize);
        let y_legend = Legend { name: self.y.name.clone(), unit: self.y.unit.clone(), ticks: y_ticks };
        let left = room_beside(&y_legend) + 6.0;
        let x_legend = self.x_legend(&x_range, width - left - 30.0);
        let right = width - 14.0 - 0.5 * x_legend.width();
        let frame = Frame { left, top, right, bottom, x: x_range, y: y_range };

        frame.draw(pen, &x_legend, &y_legend);
        if !self.title.is_empty() {
            // A long title is written smaller, and not over the edge.
            let size = TITLE_SIZE * ((right - left) / width_of(&self.title, TITLE_SIZE)).min(1.0);
            pen.words(title(&self.title, [left, 10.0 + TITLE_SIZE], size));
        }
        for (row, names) in rows.iter().enumerate() {
            let baseline = legend_top + LEGEND_STEP * (row as f64 + 0.6);
            for &(series, x) in names {
                let middle = baseline - 0.36 * SIZE;
                let sample = vec![vec![[left + x, middle], [left + x + SAMPLE, middle]]];
                self.draw_lines(pen, series, sample);
                let words = [left + x + SAMPLE + SAMPLE_GAP, baseline];
                pen.words(title(&self.series[series].name, words, SIZE));
            }
        }
        let left_out = self.series.iter().filter(|series| !series.name.is_empty()).count()
            - rows.iter().map(Vec::len).sum::<usize>();
        if left_out > 0 {
            let at = [right, 10.0 + TITLE_SIZE];
            let text = format!("and {left_out} more");
            pen.words(Words { align: Align::Right, colour: FAINT_INK, ..title(&text, at, SIZE) });
        }
        frame.outline(pen);
        for (k, series) in self.series.iter().enumerate() {
            let lines = curve::lines(&series.points, &frame, 1.0 / PIXELS);
            let dots: Vec<_> =
                series.points.iter().filter_map(|point| frame.place(*point)).take(MOST_DOTS + 1).collect();
            self.draw_lines(pen, k, lines);
            if dots.len() <= MOST_DOTS {
                let dots: Vec<_> = dots.into_iter().map(|dot| vec![dot]).collect();
                pen.lines(&dots, 2.0 * DOT, palette::distinct(k));
            }
        }
        if points().all(|&point| frame.place(point).is_none()) {
            let middle = [0.5 * (left + right), 0.5 * (top + bottom)];
            pen.words(Words {
                colour: FAINT_INK,
                align: Align::Centre,
                ..title("nothing to show", middle, SIZE)
            });
        }
    }

    /// Colours come again after eight series; then lines are dashed.
    fn draw_lines(&self, pen: &mut impl Pen, series: usize, lines: Vec<Vec<[f64; 2]>>) {
        let lines = match series / palette::COUNT {
            0 => lines,
            round => curve::dashed(&lines, 9.0 / round as f64, 5.0),
        };
        if !lines.is_empty() {
            pen.lines(&lines, THICKNESS, palette::distinct(series));
        }
    }

    /// As many numbers below the frame as have room there.
    fn x_legend(&self, range: &Range, width: f64) -> Legend {
        let mut most = (width / 60.0) as usize;
        loop {
            let legend =
                Legend { name: self.x.name.clone(), unit: self.x.unit.clone(), ticks: range.ticks(most) };
            let named = legend.ticks.ticks.iter().filter(|tick| !tick.label.is_empty()).count();
            if most <= 2 || named as f64 * (legend.width() + 1.5 * SIZE) <= width {
                return legend;
            }
            most -= 1;
        }
    }

    /// Which series stand in which row of the legend, and how far from its left.
    fn legend_rows(&self, width: f64) -> Vec<Vec<(usize, f64)>> {
        let mut rows: Vec<Vec<(usize, f64)>> = Vec::new();
        let mut x = 0.0;
        for (k, series) in self.series.iter().enumerate().filter(|(_, series)| !series.name.is_empty()) {
            let length = SAMPLE + SAMPLE_GAP + width_of(&series.name, SIZE) + NAME_GAP;
            match rows.last_mut() {
                Some(row) if x + length <= width => row.push((k, x)),
                _ => {
                    x = 0.0;
                    rows.push(vec![(k, x)]);
                }
            }
            x += length;
        }
        rows
    }
}

fn title(text: &str, at: [f64; 2], size: f64) -> Words<'_> {
    Words { text, at, size, colour: INK, align: Align::Left, along: Along::Row }
}
