//! Sixteen paths that leap side by side.
//!
//! A leap is a few multiplications and one load from a table that rarely is in the nearest cache; one path alone waits for it. Sixteen
//! at once keep the processor busy, and in `f32` they are one vector.

use super::far::Far;
use super::leap::SHORTEST;
#[cfg(doc)]
use super::track::Track;
use super::walk::Walk;

pub(super) const LANES: usize = 16;
/// A lane without a path.
const IDLE: u32 = u32::MAX;
/// 2²³: added to a number of [0, 2²²], it leaves no digits behind the point.
const TO_WHOLE: f32 = 8_388_608.0;
/// So that indices of nodes are such numbers.
pub(super) const MOST_NODES_ALONG_AXIS: u32 = 1 << 22;
/// What `f32` may do to places, times and lengths, where `f64` may do 16 roundings of the largest coordinate ([`Track::blur`]): ends,
/// slopes, products and sums are off by 2⁻²⁴ each of no more than twice that coordinate, along three axes; together less than 64 roundings.
const ROUNDING: f64 = 4.0 * (1u64 << 29) as f64;

/// A path that leaps, from a time on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaper {
    /// Its number in the batch.
    pub(super) segment: u32,
    t: f32,
    start: [f32; 3],
    slope: [f32; 3],
    /// Time to move by a cell.
    per_cell: f32,
    /// As in [`super::far::Reach`], with the rounding of `f32`.
    reserve: f32,
}

impl Leaper {
    /// The path of a walk within the box, from time `t` on.
    #[inline(always)]
    pub(super) fn new(walk: &Walk<'_>, segment: u32, t: f64) -> Self {
        let start = walk.track.place(0.0);
        Self {
            segment,
            // Never later.
            t: if f64::from(t as f32) > t { (t as f32).next_down() } else { t as f32 },
            start: start.as_vec3().to_array(),
            slope: walk.track.slope().as_vec3().to_array(),
            per_cell: (1.0 / walk.track.length) as f32,
            reserve: (walk.reach().reserve + ROUNDING * walk.track.blur) as f32,
        }
    }
}

/// Sixteen of them, by component.
pub(super) struct Lanes<'a> {
    far: Far<'a>,
    /// Cells per unit of distance, over L.
    cells: f32,
    segment: [u32; LANES],
    t: [f32; LANES],
    start: [[f32; LANES]; 3],
    slope: [[f32; LANES]; 3],
    per_cell: [f32; LANES],
    reserve: [f32; LANES],
}

/// What a leap came to; bit k for lane k.
#[derive(Debug, Clone, Copy)]
pub(super) struct Landed {
    /// Paths that are free to their end.
    pub(super) free: u32,
    /// Paths that are too near to something to leap.
    pub(super) near: u32,
}

impl<'a> Lanes<'a> {
    pub(super) fn new(far: Far<'a>, cells: f64) -> Self {
        Self {
            far,
            cells: cells as f32,
            segment: [IDLE; LANES],
            t: [0.0; LANES],
            start: [[0.0; LANES]; 3],
            slope: [[0.0; LANES]; 3],
            per_cell: [0.0; LANES],
            reserve: [f32::INFINITY; LANES],
        }
    }

    /// The path in a lane, and how far it is.
    #[inline(always)]
    pub(super) fn path(&self, lane: usize) -> (u32, f64) {
        (self.segment[lane], f64::from(self.t[lane]))
    }

    /// Lanes without a path.
    #[inline(always)]
    pub(super) fn idle(&self) -> u32 {
        let mut idle = 0;
        for lane in 0..LANES {
            idle |= u32::from(self.segment[lane] == IDLE) << lane;
        }
        idle
    }

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, path: Option<Leaper>) {
        let Some(path) = path else {
            self.segment[lane] = IDLE;
            self.reserve[lane] = f32::INFINITY;
            return;
        };
        self.segment[lane] = path.segment;
        self.t[lane] = path.t;
        for axis in 0..3 {
            self.start[axis][lane] = path.start[axis];
            self.slope[axis][lane] = path.slope[axis];
        }
        self.per_cell[lane] = path.per_cell;
        self.reserve[lane] = path.reserve;
    }

    /// Every path leaps once, as [`super::leap`] says it.
    #[inline(always)]
    pub(super) fn leap(&mut self) -> Landed {
        let step = self.far.step as f32;
        let per_step = 1.0 / step;
        let last = (self.far.nodes - 1).as_vec3().to_array();
        let (row, layer) = (self.far.nodes.x, self.far.nodes.x * self.far.nodes.y);
        let mut squared = [0.0f32; LANES];
        let mut node = [[0u32; LANES]; 3];
        for axis in 0..3 {
            for lane in 0..LANES {
                let place = self.start[axis][lane] + self.t[lane] * self.slope[axis][lane];
                let at = place * per_step;
                let at = if at < last[axis] { at } else { last[axis] };
                let at = if at > 0.0 { at } else { 0.0 };
                // The nearest whole number, in the low bits.
                let rounded = at + TO_WHOLE;
                let away = place - (rounded - TO_WHOLE) * step;
                squared[lane] += away * away;
                node[axis][lane] = rounded.to_bits().wrapping_sub(TO_WHOLE.to_bits());
            }
        }
        let mut index = [0u32; LANES];
        for lane in 0..LANES {
            index[lane] = node[0][lane]
                .wrapping_add(row.wrapping_mul(node[1][lane]))
                .wrapping_add(layer.wrapping_mul(node[2][lane]));
        }
        let mut values = [0.0f32; LANES];
        for lane in 0..LANES {
            values[lane] = self.far.values[index[lane] as usize];
        }
        let (mut free, mut near) = (0, 0);
        let mut frees = [0u32; LANES];
        let mut nears = [0u32; LANES];
        for lane in 0..LANES {
            let reach = values[lane] * self.cells - self.reserve[lane] - squared[lane].sqrt();
            let next = self.t[lane] + reach * self.per_cell[lane];
            let leaps = reach > SHORTEST as f32;
            frees[lane] = u32::from(leaps & (next >= 1.0)) << lane;
            nears[lane] = u32::from(!leaps) << lane;
            self.t[lane] = if leaps { next } else { self.t[lane] };
        }
        for lane in 0..LANES {
            free |= frees[lane];
            near |= nears[lane];
        }
        Landed { free, near }
    }
}
