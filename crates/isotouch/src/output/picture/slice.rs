//! The picture of a slice: coloured distances with iso lines, a scale bar, a legend and a caption.

use glam::DVec3;
use rayon::prelude::*;

use super::canvas::{Align, Canvas, TextStyle, blend, coverage};
use super::colour::{CAP, FAINT_INK, INK, Rgb, SignedColours, UNKNOWN, UNKNOWN_HATCH, WHITE};
use super::font::{drawable, text_width};
use super::image::Image;
use super::plane::{Raster, SlicePlane};
use super::ticks::{label, round_step_at_least, round_step_at_most};

/// Widths that pictures may have, in pixels: narrower has no room for the legend, wider no viewer.
const WIDTHS: std::ops::RangeInclusive<u32> = 240..=16384;

/// How a slice is drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceOptions {
    /// Width of the whole picture in pixels, 240 to 16384 (default 960). The height follows from the slice.
    pub width: u32,
    /// What is shown, such as a file's name: in front of the caption, and shortened in its middle when there is too little
    /// room for both.
    pub title: String,
    /// Facts, in one line above the slice; its end is left out when it is too long even so. Letters that cannot be drawn
    /// are replaced.
    pub caption: String,
    /// Written behind lengths, such as "mm"; empty for none.
    pub unit: String,
    /// Triangles drawn where they meet the plane: those that close a mesh's holes.
    pub caps: Vec<[DVec3; 3]>,
}

impl Default for SliceOptions {
    fn default() -> Self {
        Self {
            width: 960,
            title: String::new(),
            caption: String::new(),
            unit: String::new(),
            caps: Vec::new(),
        }
    }
}

/// What is written around a slice.
#[derive(Debug, Clone, PartialEq)]
pub struct SliceLabels {
    /// Letters of the coordinates that run to the right and up.
    pub axes: [char; 2],
    /// What is shown, such as a file's name: in front of the caption, and shortened in its middle when there is too little
    /// room for both.
    pub title: String,
    /// Facts, in one line above the slice; its end is left out when it is too long even so. Letters that cannot be drawn
    /// are replaced.
    pub caption: String,
    /// Written behind lengths, such as "mm"; empty for none.
    pub unit: String,
}

/// Samples `distance` where the picture of a slice needs it and draws it. NaN stands for "not known".
pub fn slice(plane: &SlicePlane, distance: impl Fn(DVec3) -> f64 + Sync, options: &SliceOptions) -> Image {
    let [width, height] = plane.extent();
    let layout = Layout::of_width(options.width, height / width);
    // An empty or flat slice still is a picture.
    let pixel = [width / layout.plot[0] as f64, height / layout.plot[1] as f64];
    let pixel = pixel.into_iter().filter(|p| *p > 0.0 && p.is_finite()).fold(0.0, f64::max);
    let pixel = if pixel > 0.0 { pixel } else { 1.0 };
    let raster = Raster::sample(plane, layout.plot, pixel, distance);
    let labels = SliceLabels {
        axes: plane.axis.letters(),
        title: options.title.clone(),
        caption: options.caption.clone(),
        unit: options.unit.clone(),
    };
    let caps: Vec<_> = options.caps.iter().filter_map(|corners| plane.cut(corners)).collect();
    let mut canvas = draw(&raster, &labels, &layout);
    draw_caps(&mut canvas, &caps, pixel, &layout);
    canvas.into_image()
}

/// Draws values that were sampled elsewhere; the picture is as much larger as its legend and margins need.
pub fn render(raster: &Raster, labels: &SliceLabels) -> Image {
    draw(raster, labels, &Layout::around([raster.width(), raster.height()])).into_image()
}

/// Where everything goes, in pixels. `em` is the height of capitals; all distances are multiples of it.
#[derive(Debug, Clone, PartialEq)]
struct Layout {
    em: f64,
    /// Width and height of the slice itself.
    plot: [usize; 2],
    /// Its top left corner.
    corner: [usize; 2],
    /// Top and height of the space beside the slice for the legend.
    beside: [f64; 2],
    picture: [usize; 2],
}

impl Layout {
    /// Margins left and right together, legend included.
    const SIDES: f64 = 2.0 + 2.0 + 9.0;
    /// Picture widths per em.
    const EMS: f64 = 80.0;
    /// Tallest slice, as a multiple of its width: taller ones are drawn smaller.
    const TALLEST: f64 = 1.4;

    fn em(width: f64) -> f64 {
        (width / Self::EMS).clamp(7.0, 20.0)
    }

    fn of_width(width: u32, aspect: f64) -> Self {
        let width = f64::from(width.clamp(*WIDTHS.start(), *WIDTHS.end()));
        let aspect = if aspect > 0.0 && aspect.is_finite() { aspect } else { 1.0 };
        let em = Self::em(width);
        let room = (width - Self::SIDES * em).floor();
        let plot_width = room.min((room * Self::TALLEST / aspect).round()).max(1.0);
        let plot_height = (plot_width * aspect).round().clamp(1.0, (room * Self::TALLEST).round());
        Self::new(em, [plot_width as usize, plot_height as usize], width as usize)
    }

    fn around(plot: [usize; 2]) -> Self {
        let em = Self::em(plot[0] as f64 / (1.0 - Self::SIDES / Self::EMS));
        let width = (plot[0] as f64 + Self::SIDES * em).ceil();
        Self::new(em, plot, (width as usize).max(*WIDTHS.start() as usize))
    }

    fn new(em: f64, plot: [usize; 2], width: usize) -> Self {
        let top = 5.0 * em;
        let height = (plot[1] as f64).max(17.0 * em);
        let spare = (width as f64 - Self::SIDES * em - plot[0] as f64).max(0.0);
        let corner = [(2.0 * em + 0.5 * spare) as usize, (top + 0.5 * (height - plot[1] as f64)) as usize];
        let below_plot = (corner[1] + plot[1]) as f64 + 6.5 * em;
        let bottom = below_plot.max(top + height + em).ceil();
        Self { em, plot, corner, beside: [top, height], picture: [width, bottom as usize] }
    }

    fn text(&self, colour: Rgb, align: Align) -> TextStyle {
        TextStyle { cap_height: self.em, colour, align }
    }

    /// Right edge, then bottom edge of the slice.
    fn end(&self) -> [f64; 2] {
        [0, 1].map(|axis| (self.corner[axis] + self.plot[axis]) as f64)
    }
}

/// The values that colours and lines are made for.
#[derive(Debug)]
struct Scale {
    low: f64,
    high: f64,
    colours: SignedColours,
    /// Between iso lines.
    step: f64,
}

impl Scale {
    fn new((low, high): (f64, f64), pixel: f64, em: f64) -> Self {
        let (low, high) = (low.min(0.0), high.max(0.0));
        let span = if high > low { high - low } else { pixel };
        // Nothing but zeros: a scale that the legend can show, with all of them at its end.
        let high = if high > low { high } else { low + span };
        // Each side has its own darkest colour, so that a thin solid in a wide box still shows its depth; but a
        // sliver must not look as deep as the other side is wide.
        let (depth, reach) = ((-low).max(0.3 * high), high.max(0.3 * -low));
        // Up to some twenty lines, but not closer than an em: distances change by one pixel length per pixel at most.
        let step = round_step_at_least((span / 24.0).max(1.2 * em * pixel));
        Self { low, high, colours: SignedColours::new(depth.max(span * 1e-9), reach.max(span * 1e-9)), step }
    }
}

fn draw(raster: &Raster, labels: &SliceLabels, layout: &Layout) -> Canvas {
    let mut canvas = Canvas::new(layout.picture[0], layout.picture[1]);
    let scale = raster.range().map(|range| Scale::new(range, raster.pixel(), layout.em));
    draw_plot(&mut canvas, raster, scale.as_ref(), layout);
    draw_caption(&mut canvas, labels, layout);
    draw_axes(&mut canvas, labels.axes, layout);
    draw_scale_bar(&mut canvas, raster.pixel(), &labels.unit, layout);
    if let Some(scale) = &scale {
        draw_line_note(&mut canvas, scale, &labels.unit, layout);
        draw_legend(&mut canvas, scale, layout);
    }
    canvas
}

/// Draws where caps meet the plane, given by offsets from its middle, and says what they are.
fn draw_caps(canvas: &mut Canvas, caps: &[[[f64; 2]; 2]], pixel: f64, layout: &Layout) {
    if caps.is_empty() {
        return;
    }
    let middle = [0, 1].map(|axis| layout.corner[axis] as f64 + 0.5 * layout.plot[axis] as f64);
    let place = |[right, up]: [f64; 2]| [middle[0] + right / pixel, middle[1] - up / pixel];
    for &[from, to] in caps {
        canvas.line(place(from), place(to), 0.4 * layout.em, CAP);
    }
    let below = [layout.corner[0] as f64 + 7.5 * layout.em, layout.end()[1] + 2.6 * layout.em];
    let style = TextStyle { cap_height: 0.9 * layout.em, colour: CAP, align: Align::Left };
    canvas.text("closed holes", below, style);
}

fn draw_plot(canvas: &mut Canvas, raster: &Raster, scale: Option<&Scale>, layout: &Layout) {
    // Straight onto the canvas: the largest pictures have hundreds of millions of pixels.
    canvas.rows_within(layout.corner, layout.plot).enumerate().for_each(|(row, colours)| {
        for (column, colour) in colours.iter_mut().enumerate() {
            *colour = match scale {
                Some(scale) if raster.value(column, row).is_finite() => {
                    distance_colour(raster, column, row, scale, layout.em)
                }
                _ => unknown_colour(column, row, layout.em),
            };
        }
    });
    let corner = layout.corner.map(|c| c as f64);
    canvas.frame(corner, layout.end(), 1.0, FAINT_INK);
}

fn distance_colour(raster: &Raster, column: usize, row: usize, scale: &Scale, em: f64) -> Rgb {
    let distance = raster.value(column, row);
    let background = scale.colours.of(distance);
    // Value per pixel; 1 pixel length where the slice cuts the surfaces at right angles, 0 on a plateau.
    let slope = raster.slope(column, row);
    // On a plateau a line has no place: it would be a blot. It fades where the slope falls below a tenth.
    let steep = (slope / (0.1 * raster.pixel())).clamp(0.0, 1.0);
    // Share of the pixel that the line of a level covers.
    let line = |level: f64, thickness: f64| {
        if slope > 0.0 { steep * coverage((distance - level).abs() / slope, thickness) } else { 0.0 }
    };
    let mut colour = background;
    let level = (distance / scale.step).round() * scale.step;
    if level != 0.0 {
        let share = line(level, em / 12.0);
        let [red, green, blue] = background.map(f64::from);
        let is_dark = 0.3 * red + 0.6 * green + 0.1 * blue < 110.0;
        colour = if is_dark { blend(colour, WHITE, 0.38 * share) } else { blend(colour, INK, 0.36 * share) };
    }
    blend(colour, INK, line(0.0, 0.24 * em))
}

fn unknown_colour(column: usize, row: usize, em: f64) -> Rgb {
    let period = (0.8 * em).round().max(4.0);
    let across = (column + row) as f64 % period;
    // Diagonal lines: a step to the right is 1/√2 across them.
    let distance = across.min(period - across) * std::f64::consts::FRAC_1_SQRT_2;
    blend(UNKNOWN, UNKNOWN_HATCH, coverage(distance, 1.2))
}

fn draw_caption(canvas: &mut Canvas, labels: &SliceLabels, layout: &Layout) {
    let em = 1.15 * layout.em;
    let room = canvas.width() as f64 - 4.0 * layout.em;
    let text = fitted(&labels.title, &labels.caption, |text| text_width(text, em) <= room);
    let style = TextStyle { cap_height: em, colour: INK, align: Align::Left };
    canvas.text(&text, [2.0 * layout.em, 3.4 * layout.em], style);
}

/// A title is not made shorter than this: with less it says nothing.
const SHORTEST_TITLE: usize = 9;

/// Title and caption in one line that fits: the title gives way first, in its middle, since names differ at their ends.
fn fitted(title: &str, caption: &str, fits: impl Fn(&str) -> bool) -> String {
    let (title, caption) = (drawable(title), drawable(caption));
    let letters: Vec<char> = title.chars().collect();
    let together = |title: &str| match (title.is_empty(), caption.is_empty()) {
        (true, _) => caption.clone(),
        (_, true) => title.to_owned(),
        _ => format!("{title} · {caption}"),
    };
    let mut text = together(&title);
    for kept in (SHORTEST_TITLE..letters.len()).rev() {
        if fits(&text) {
            return text;
        }
        let (front, back) = ((kept - 1).div_ceil(2), (kept - 1) / 2);
        let shortened: String =
            letters[..front].iter().chain(&['…']).chain(&letters[letters.len() - back..]).collect();
        text = together(&shortened);
    }
    if fits(&text) {
        return text;
    }
    while text.pop().is_some() {
        let shortened = format!("{}…", text.trim_end());
        if fits(&shortened) {
            return shortened;
        }
    }
    text
}

/// Two small arrows below the left end of the slice.
fn draw_axes(canvas: &mut Canvas, [right, up]: [char; 2], layout: &Layout) {
    let em = layout.em;
    let origin = [layout.corner[0] as f64 + 0.6 * em, layout.end()[1] + 4.3 * em];
    let (to_right, to_up) = ([origin[0] + 2.9 * em, origin[1]], [origin[0], origin[1] - 2.9 * em]);
    let thickness = 0.13 * em;
    canvas.arrow(origin, to_right, thickness, INK);
    canvas.arrow(origin, to_up, thickness, INK);
    let style = layout.text(INK, Align::Left);
    canvas.text(&right.to_string(), [to_right[0] + 0.5 * em, origin[1] + 0.35 * em], style);
    canvas.text(&up.to_string(), [origin[0] + 0.7 * em, to_up[1] + 0.7 * em], style);
}

/// A round length at the right end below the slice.
fn draw_scale_bar(canvas: &mut Canvas, pixel: f64, unit: &str, layout: &Layout) {
    let em = layout.em;
    // A fifth of the picture at most, whatever the slice: a narrow one leaves room beside it.
    let length = round_step_at_most(pixel * layout.picture[0] as f64 / 5.0);
    let pixels = length / pixel;
    let right = layout.end()[0].max(layout.corner[0] as f64 + 8.0 * em + pixels);
    let y = layout.end()[1] + 4.0 * em;
    canvas.line([right - pixels, y], [right, y], 0.2 * em, INK);
    for end in [right - pixels, right] {
        canvas.line([end, y - 0.45 * em], [end, y + 0.45 * em], 0.14 * em, INK);
    }
    let text = with_unit(label(length, length), unit);
    canvas.text(&text, [right - 0.5 * pixels, y - 1.0 * em], layout.text(INK, Align::Centre));
}

/// Says how far apart the lines are, when there is room between the axes and the scale bar.
fn draw_line_note(canvas: &mut Canvas, scale: &Scale, unit: &str, layout: &Layout) {
    let em = layout.em;
    let text = format!("lines every {}", with_unit(label(scale.step, scale.step), unit));
    let style = TextStyle { cap_height: 0.9 * em, colour: FAINT_INK, align: Align::Left };
    let left = layout.corner[0] as f64 + 7.5 * em;
    if left + text_width(&text, style.cap_height)
        < layout.end()[0] - layout.picture[0] as f64 / 5.0 - 2.0 * em
    {
        canvas.text(&text, [left, layout.end()[1] + 4.35 * em], style);
    }
}

/// A bar of all colours to the right of the slice, with round numbers beside it.
fn draw_legend(canvas: &mut Canvas, scale: &Scale, layout: &Layout) {
    let em = layout.em;
    let left = layout.end()[0] + 1.6 * em;
    let right = left + 1.3 * em;
    let (top, bottom) = (layout.beside[0] + 2.2 * em, layout.beside[0] + layout.beside[1] - 2.2 * em);
    let y_of = |value: f64| bottom - (value - scale.low) / (scale.high - scale.low) * (bottom - top);

    for y in top as usize..bottom as usize {
        let value = scale.low + (bottom - y as f64 - 0.5) / (bottom - top) * (scale.high - scale.low);
        let mut colour = scale.colours.of(value);
        if scale.low < 0.0 && scale.high > 0.0 {
            colour = blend(colour, INK, coverage((y as f64 + 0.5 - y_of(0.0)).abs(), 0.2 * em));
        }
        for x in left as usize..right as usize {
            canvas.set(x, y, colour);
        }
    }
    let whole = |v: f64| (v as usize) as f64;
    canvas.frame([whole(left), whole(top)], [whole(right), whole(bottom)], 1.0, FAINT_INK);

    // Numbers stand at least three ems apart.
    let step = round_step_at_least((scale.high - scale.low) * 3.0 * em / (bottom - top)).max(scale.step);
    let style = TextStyle { cap_height: 0.9 * em, colour: INK, align: Align::Left };
    let mut tick = (scale.low / step - 1e-9).ceil() as i64;
    while tick as f64 * step <= scale.high + 1e-9 * step {
        let value = tick as f64 * step;
        let y = y_of(value);
        canvas.line([whole(right), y], [whole(right) + 0.35 * em, y], 1.0, FAINT_INK);
        canvas.text(&label(value, step).replace('-', "−"), [right + 0.8 * em, y + 0.45 * em], style);
        tick += 1;
    }
    let word = TextStyle { cap_height: 0.9 * em, colour: FAINT_INK, align: Align::Left };
    if scale.high > 0.0 {
        canvas.text("outside", [whole(left), top - 1.0 * em], word);
    }
    if scale.low < 0.0 {
        canvas.text("inside", [whole(left), bottom + 1.9 * em], word);
    }
}

fn with_unit(number: String, unit: &str) -> String {
    if unit.is_empty() { number } else { format!("{number} {}", drawable(unit)) }
}

#[cfg(test)]
mod tests;
