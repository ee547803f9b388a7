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

/// The least spacing that can be asked for: fewer points than the most, and cells of the grid that 21 bits count.
fn least_spacing(surface: &Surface) -> f64 {
    (DENSITY * surface.area / MOST_POINTS).sqrt().max(surface.size * 2f64.powi(-20))
}

/// Points such that no place of the surface is farther than `spacing` from one that faces the same side.
pub(super) fn by_spacing(
    surface: &Surface,
    spacing: f64,
    options: &ShellOptions,
    execution: &Execution<'_>,
) -> Result<Vec<Sample>, ShellError> {
    let least = least_spacing(surface);
    let lines = SharpLines::new(surface, options.sharp_angle);
    let points = DENSITY * surface.area / (spacing * spacing) + lines.length() / spacing;
    if spacing < least || points > MOST_POINTS {
        let for_lines = 2.0 * lines.length() / MOST_POINTS;
        let spacing = least.max(for_lines) * 1.5;
        return Err(ShellError::TooManyPoints { points, most: MOST_POINTS, spacing });
    }
    let mut samples = lines.samples(spacing);
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
    let least = least_spacing(surface);
    if count as f64 > MOST_POINTS {
        let (points, most) = (count as f64, MOST_POINTS);
        return Err(ShellError::TooManyPoints { points, most, spacing: 1.5 * least });
    }
    let lines = SharpLines::new(surface, options.sharp_angle);
    let mut spacing = (DENSITY * surface.area / (1.05 * count as f64)).sqrt();
    let mut samples;
    loop {
        // Noise may look like edges everywhere; faces get half of the points at least.
        let mut edge_spacing = spacing;
        samples = lines.samples(edge_spacing);
        while samples.len() > count / 2 && samples.len() > 1 {
            edge_spacing *= 1.2;
            samples = lines.samples(edge_spacing);
        }
        let mut grid = grid_of(surface, spacing, &samples);
        darts::throw(surface, spacing, (&mut samples, &mut grid), execution)?;
        if samples.len() >= count {
            break;
        }
        // A little closer than proportion says, so that this ends.
        spacing *= (samples.len() as f64 / (1.05 * count as f64)).sqrt().clamp(0.5, 0.98);
        if spacing < least {
            let points = count as f64;
            return Err(ShellError::TooManyPoints { points, most: MOST_POINTS, spacing: 1.5 * least });
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
