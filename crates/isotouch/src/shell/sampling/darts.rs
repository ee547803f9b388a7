//! Darts: points spread over the area, each kept unless it lands too near to one that faces the same side.

use std::ops::ControlFlow;

use super::{Place, PointGrid, Sample, TOGETHER, stage};
use crate::field::Execution;
use crate::mesh::spread::{Draw, Spread};
use crate::shell::ShellError;
use crate::shell::surface::Surface;

/// How often darts are thrown over the whole area, and how many per spacing squared each time. More passes fill more, up to the
/// density where nothing fits; the last few percent are dear.
const PASSES: u64 = 10;
const PER_PASS: f64 = 2.0;

/// Throws darts, adding those that stay to samples and grid, whose reach is at least the spacing.
pub(super) fn throw(
    surface: &Surface,
    spacing: f64,
    (samples, grid): (&mut Vec<Sample>, &mut PointGrid),
    execution: &Execution<'_>,
) -> Result<(), ShellError> {
    let spread = Spread::new(&surface.mesh);
    let count = (PER_PASS * surface.area / (spacing * spacing)).ceil().max(8.0) as usize;
    let stage = stage(execution, "sampling", count * PASSES as usize);
    for pass in 0..PASSES {
        let draw = Draw { count, seed: pass };
        for k in 0..count {
            if (k + 1) % TOGETHER == 0 {
                stage.advance();
                stage.check()?;
            }
            let (triangle, point) = spread.point(draw, k);
            let normal = surface.normals[triangle];
            let is_taken = grid.near(point, spacing, |other, _| {
                if surface.face_alike(samples[other as usize].normal, normal) {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                }
            });
            if !is_taken {
                grid.insert(point);
                samples.push(Sample { point, normal, place: Place::Face });
            }
        }
    }
    Ok(())
}
