//! Mean and RMS, over points spread evenly over the area of a surface.

use glam::DVec3;
use rayon::prelude::*;

use super::hausdorff::Target;
use super::{CompareError, Found, Run};
use crate::mesh::spread::{Draw, Spread};

/// Samples that one thread takes at a time. Sums are made per block and then in order, so threads do not change them.
const BLOCK: usize = 4096;

pub(super) struct Average {
    pub(super) mean: f64,
    pub(super) rms: f64,
    pub(super) farthest: Found,
}

pub(super) fn average(run: &Run<'_>) -> Result<Average, CompareError> {
    let spread = Spread::new(run.from);
    let draw = Draw { count: run.options.samples, seed: run.options.seed };
    let count = draw.count;
    let blocks: Vec<(f64, f64, Found)> = (0..count.div_ceil(BLOCK))
        .into_par_iter()
        .map(|block| {
            run.check_cancel()?;
            let (mut sum, mut squares) = (0.0, 0.0);
            let mut farthest = Found { point: DVec3::ZERO, distance: f64::NEG_INFINITY };
            for k in block * BLOCK..count.min((block + 1) * BLOCK) {
                let (_, point) = spread.point(draw, k);
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
