//! Choosing points on a surface.
//!
//! Corners first, then points along sharp edges, then points on the faces: **darts** are thrown evenly over the area, and one that lands
//! nearer than the spacing to a point that faces the same side is taken back (Cook 1986). What they leave uncovered is found by
//! cutting triangles into pieces, and **filled**, so that at the end no place is farther than the spacing from a point. For a number of points, a
//! spacing is searched that gives a few more; the ones that matter least are left out, and those on faces **push each other
//! apart** (Turk 1992; Barbič & James 2008), which evens out what chance has left.

mod darts;
mod fill;
mod grid;
mod repel;
mod sharp;

use glam::DVec3;

use super::sphere_tree::{SphereTree, farthest_first};
use super::surface::Surface;
use super::{ShellError, ShellOptions};
use crate::field::{Execution, Stage};
use grid::PointGrid;
use sharp::SharpLines;

/// A point of a surface.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sample {
    pub(super) point: DVec3,
    pub(super) normal: DVec3,
    pub(super) place: Place,
}

/// What kind of place a sample is at; what matters more comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    Corner,
    Edge,
    Face,
}

/// Most points of a shell. More would take gigabytes, and hours.
const MOST_POINTS: f64 = 5e7;

/// Points per spacing squared of area that darts leave: 0.70 when nothing fits any more (Tanemura 1979), less before.
const DENSITY: f64 = 0.62;

/// How much closer than area and number say points may have to be, and how many more of them that could be on lines. A surface that has
/// room for them needs neither; one so small and far from 0 that its coordinates are all alike never has.
const CLOSEST: f64 = 0.125;
const MOST_ON_LINES: f64 = 1e6;

/// Points such that no place of the surface is farther than `spacing` from one that faces the same side.
pub(super) fn by_spacing(
    surface: &Surface,
    spacing: f64,
    options: &ShellOptions,
    execution: &Execution<'_>,
) -> Result<Vec<Sample>, ShellError> {
    let lines = SharpLines::new(surface, options.sharp_angle);
    // Needles need points along them, however small their area is.
    let length = lines.length().max(fill::length_of_pieces(surface, spacing));
    let points = DENSITY * surface.area / (spacing * spacing) + length / spacing;
    if points > MOST_POINTS {
        // Half of them for the area and half for the lines, and a little to spare.
        let for_area = (2.0 * DENSITY * surface.area / MOST_POINTS).sqrt();
        let spacing = 1.01 * for_area.max(2.0 * length / MOST_POINTS);
        return Err(ShellError::TooManyPoints { points, most: MOST_POINTS, spacing });
    }
    let mut samples = lines.samples(spacing, execution)?;
    let mut grid = grid_of(surface, spacing, &samples);
    darts::throw(surface, spacing, (&mut samples, &mut grid), execution)?;
    fill::fill(surface, spacing, (&mut samples, &mut grid), execution)?;
    Ok(samples)
}

/// Exactly `count` points, at least 1.
pub(super) fn by_count(
    surface: &Surface,
    count: usize,
    options: &ShellOptions,
    execution: &Execution<'_>,
) -> Result<Vec<Sample>, ShellError> {
    if count as f64 > MOST_POINTS {
        let spacing = 1.5 * (DENSITY * surface.area / MOST_POINTS).sqrt();
        return Err(ShellError::TooManyPoints { points: count as f64, most: MOST_POINTS, spacing });
    }
    let lines = SharpLines::new(surface, options.sharp_angle);
    let first = (DENSITY * surface.area / (1.05 * count as f64)).sqrt();
    let mut spacing = first;
    let mut samples;
    loop {
        // Noise may look like edges everywhere; faces get half of the points at least. Long edges of a wire without much of an area are
        // not sampled by its area: that could be any number of points.
        let mut edge_spacing = spacing.max(lines.length() / (16.0 * count as f64 + MOST_ON_LINES));
        samples = lines.samples(edge_spacing, execution)?;
        while samples.len() > count / 2 && samples.len() > 1 {
            edge_spacing *= 1.2;
            samples = lines.samples(edge_spacing, execution)?;
        }
        let mut grid = grid_of(surface, spacing, &samples);
        darts::throw(surface, spacing, (&mut samples, &mut grid), execution)?;
        if samples.len() >= count {
            break;
        }
        // A little closer than proportion says, so that this ends.
        spacing *= (samples.len() as f64 / (1.05 * count as f64)).sqrt().clamp(0.5, 0.98);
        if spacing < CLOSEST * first {
            return Err(ShellError::NoRoom { points: count, room: samples.len() });
        }
    }
    let samples = most_spread(&samples, count, execution)?;
    repel::repel(surface, samples, execution)
}

/// So many of the samples, as far apart as can be, corners and edges before faces.
fn most_spread(
    samples: &[Sample],
    count: usize,
    execution: &Execution<'_>,
) -> Result<Vec<Sample>, ShellError> {
    let points: Vec<DVec3> = samples.iter().map(|sample| sample.point).collect();
    let place = |k: u32| samples[k as usize].place as u8;
    let order = farthest_first(&SphereTree::new(&points), place, execution)?.order;
    Ok(order.into_iter().take(count).map(|k| samples[k as usize]).collect())
}

fn grid_of(surface: &Surface, reach: f64, samples: &[Sample]) -> PointGrid {
    let mut grid = PointGrid::new(surface.mesh.bounds(), reach);
    samples.iter().for_each(|sample| grid.insert(sample.point));
    grid
}

/// A stage's number of units that threads report together: reporting each would take longer than the work.
const TOGETHER: usize = 4096;

fn stage<'a>(execution: &'a Execution<'a>, name: &'static str, units: usize) -> Stage<'a> {
    Stage::new(execution, name, units.div_ceil(TOGETHER))
}
