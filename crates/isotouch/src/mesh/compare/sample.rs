//! Mean and RMS: points spread evenly over the area of a surface.
//!
//! The triangles are laid one after the other on a line, each as long as its area, and the line is cut into as many equal
//! parts as there are samples; each part gets one point (stratified sampling, Cochran 1977, chapter 5). Where in its triangle: how far
//! along the triangle's part of the line says how far from the first corner, and the golden ratio's multiples say where
//! across (a Kronecker sequence), so points are even inside large triangles too.

use crate::math::random::unit;
use glam::DVec3;
use rayon::prelude::*;

use super::{CompareError, Found, Run};

/// Samples that one thread takes at a time. Sums are made per block and then in order, so threads do not change them.
const BLOCK: usize = 4096;

pub(super) struct Average {
    pub(super) mean: f64,
    pub(super) rms: f64,
    pub(super) farthest: Found,
}

pub(super) fn average(run: &Run<'_>) -> Result<Average, CompareError> {
    let spread = Spread::new(run);
    let count = run.options.samples;
    let blocks: Vec<(f64, f64, Found)> = (0..count.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            run.check_cancel()?;
            let (mut sum, mut squares) = (0.0, 0.0);
            let mut farthest = Found { point: DVec3::ZERO, distance: f64::NEG_INFINITY };
            for k in block * BLOCK..count.min((block + 1) * BLOCK) {
                let point = spread.point(k);
                let distance = run.to.nearest(point).distance;
                sum += distance;
                squares += distance * distance;
                farthest = farthest.farther(Found { point, distance });
            }
            Ok((sum, squares, farthest))
        })
        .collect::<Result<_, CompareError>>()?;
    let sum: f64 = blocks.iter().map(|block| block.0).sum();
    let squares: f64 = blocks.iter().map(|block| block.1).sum();
    let first = blocks[0].2;
    let farthest = blocks.iter().map(|block| block.2).fold(first, Found::farther);
    Ok(Average { mean: sum / count as f64, rms: (squares / count as f64).sqrt(), farthest })
}

/// Where the samples are.
struct Spread<'a> {
    run: &'a Run<'a>,
    /// Area of all triangles up to and including each one.
    up_to: Vec<f64>,
    shift: f64,
}

impl<'a> Spread<'a> {
    fn new(run: &'a Run<'a>) -> Self {
        let mut total = 0.0;
        let area = |triangle| {
            let [a, b, c] = run.from.corners(triangle);
            0.5 * (b - a).cross(c - a).length()
        };
        let up_to = (0..run.from.triangles().len())
            .map(|triangle| {
                total += area(triangle);
                total
            })
            .collect();
        Self { run, up_to, shift: unit(run.options.seed, u64::MAX) }
    }

    fn point(&self, k: usize) -> DVec3 {
        let last = self.up_to.len() - 1;
        let total = self.up_to[last];
        let part = unit(self.run.options.seed, k as u64);
        let along = total * (k as f64 + part) / self.run.options.samples as f64;
        let triangle = self.up_to.partition_point(|&end| end <= along).min(last);
        let begin = if triangle == 0 { 0.0 } else { self.up_to[triangle - 1] };
        let fraction = ((along - begin) / (self.up_to[triangle] - begin)).clamp(0.0, 1.0);
        // 1/φ: its multiples modulo 1 are the most even there are.
        let across = (self.shift + k as f64 * 0.618_033_988_749_894_9).fract();
        let [a, b, c] = self.run.from.corners(triangle);
        // The area between a corner and a line parallel to the opposite side grows with the square of their distance.
        a + fraction.sqrt() * ((1.0 - across) * (b - a) + across * (c - a))
    }
}
