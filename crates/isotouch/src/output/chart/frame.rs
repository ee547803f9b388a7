//! The rectangle that lines are drawn in, with its grid, numbers and names.

use super::axis::{Range, Ticks};
use super::pen::{Pen, Words, width_of};
use crate::output::picture::{Align, Along, FAINT_INK, INK, Rgb};

/// Of the font beside axes.
pub(in crate::output) const SIZE: f64 = 13.0;

const GRID: Rgb = [226, 228, 232];
const FAINT_GRID: Rgb = [241, 242, 244];

/// Where numbers are on paper.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::output) struct Frame {
    pub(in crate::output) left: f64,
    pub(in crate::output) top: f64,
    pub(in crate::output) right: f64,
    pub(in crate::output) bottom: f64,
    pub(in crate::output) x: Range,
    pub(in crate::output) y: Range,
}

/// What stands beside an axis.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::output) struct Legend {
    pub(in crate::output) name: String,
    pub(in crate::output) unit: String,
    pub(in crate::output) ticks: Ticks,
}

impl Legend {
    /// `energy − 9.8 (J)`.
    fn title(&self) -> String {
        let mut title = self.name.clone();
        if let Some(base) = &self.ticks.base {
            let sign = if base.starts_with('−') { " + " } else { " − " };
            title.push_str(sign);
            title.push_str(base.trim_start_matches('−'));
        }
        if !self.unit.is_empty() {
            title.push_str(&format!(" ({})", self.unit));
        }
        title
    }

    /// Of its widest number.
    pub(in crate::output) fn width(&self) -> f64 {
        self.ticks.ticks.iter().map(|tick| width_of(&tick.label, SIZE)).fold(0.0, f64::max)
    }
}

/// Room left of a frame for numbers and the name of the axis.
pub(in crate::output) fn room_beside(legend: &Legend) -> f64 {
    legend.width() + 16.0 + 2.0 * SIZE
}

/// Room below a frame for numbers and the name of the axis.
pub(in crate::output) const ROOM_BELOW: f64 = 4.2 * SIZE;

impl Frame {
    pub(in crate::output) fn x_of(&self, value: f64) -> Option<f64> {
        Some(self.left + (self.right - self.left) * self.x.share(value)?)
    }

    pub(in crate::output) fn y_of(&self, value: f64) -> Option<f64> {
        Some(self.bottom - (self.bottom - self.top) * self.y.share(value)?)
    }

    /// The place of a point; none for one with a number that is not finite, or not positive on a logarithmic axis.
    pub(in crate::output) fn place(&self, [x, y]: [f64; 2]) -> Option<[f64; 2]> {
        Some([self.x_of(x)?, self.y_of(y)?])
    }

    /// Grid, numbers and names; what is drawn later lies above them.
    pub(in crate::output) fn draw(&self, pen: &mut impl Pen, x: &Legend, y: &Legend) {
        let numbers = |text, at, align| Words { text, at, size: SIZE, colour: INK, align, along: Along::Row };
        let shade = |label: &str| if label.is_empty() { FAINT_GRID } else { GRID };
        for tick in &y.ticks.ticks {
            let Some(at) = self.y_of(tick.value) else { continue };
            pen.line([self.left, at], [self.right, at], 1.0, shade(&tick.label));
            if !tick.label.is_empty() {
                pen.words(numbers(&tick.label, [self.left - 8.0, at + 0.36 * SIZE], Align::Right));
            }
        }
        for tick in &x.ticks.ticks {
            let Some(at) = self.x_of(tick.value) else { continue };
            pen.line([at, self.top], [at, self.bottom], 1.0, shade(&tick.label));
            if !tick.label.is_empty() {
                pen.line([at, self.bottom], [at, self.bottom + 4.0], 1.0, FAINT_INK);
                pen.words(numbers(&tick.label, [at, self.bottom + 1.45 * SIZE], Align::Centre));
            }
        }
        let below = [0.5 * (self.left + self.right), self.bottom + 3.3 * SIZE];
        let (x_title, y_title) = (x.title(), y.title());
        pen.words(numbers(&x_title, below, Align::Centre));
        let beside = [self.left - 16.0 - y.width() - 0.4 * SIZE, 0.5 * (self.top + self.bottom)];
        pen.words(Words { along: Along::Column, ..numbers(&y_title, beside, Align::Centre) });
    }

    /// The outline.
    pub(in crate::output) fn outline(&self, pen: &mut impl Pen) {
        let (low, high) = ([self.left, self.top], [self.right, self.bottom]);
        let corners = vec![low, [high[0], low[1]], high, [low[0], high[1]], low];
        pen.lines(&[corners], 1.0, FAINT_INK);
    }
}
