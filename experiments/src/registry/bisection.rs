//! Which contacts the papers' root methods miss or misplace (Xu & Barbič 2016, figure 2), counted against certified answers.

use isotouch::ccd::{CastOptions, Hit, HitStatus, RootMethod, Segment};
use isotouch::field::{Field, FieldOptions};

use super::Setup;
use crate::casting::Cast;
use crate::near_surface::NearSurface;
use crate::report::{Report, Table, count, number};

const SEED: u64 = 1;

/// Short segments: how long, and how near to the surface their midpoints are, in cells.
const LENGTH: f64 = 3.0;
const NEAR: f64 = 2.0;

/// Hits closer than this, in cells, are at one place: five steps of bisection leave less on a plain root.
const SAME_PLACE: f64 = 1e-3;

/// Places along a contact at which its depth is looked for.
const DEPTH_SAMPLES: u32 = 64;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let model = setup.bunny()?;
    let (resolution, segments) = if setup.quick { (32, 2_000) } else { (256, 1_000_000) };
    let field = Field::from_mesh(&model.mesh, &FieldOptions { resolution, ..Default::default() })?;
    let random = Segment::random_in(field.grid().bounds(), segments, SEED);
    let short = NearSurface::new(&model.mesh).segments_outside(&field, segments, LENGTH, NEAR, SEED);
    let mut table = Table::new(
        format!(
            "{} at {resolution}³, sparse, σ = 0: what certified roots find and others do not",
            model.name
        ),
        &[
            "segments",
            "roots",
            "certified hits",
            "of them touches",
            "missed: touches",
            "missed: double crossings",
            "a later contact: next cells",
            "a later contact: same cell",
            "off by > 0.001 cells: late",
            "early",
            "farthest off, cells",
            "hits that are none",
            "wrong, ppm of hits",
            "deepest miss, cells",
        ],
    );
    let short_name = format!("{} short", count(segments as u64));
    for (name, segments) in [(format!("{} random", count(segments as u64)), random), (short_name, short)] {
        eprintln!("{}: {name} segments", model.name);
        let certified = hits(&field, &segments, RootMethod::Certified);
        for (root_name, root) in RootMethod::NAMES.into_iter().filter(|&(_, r)| r != RootMethod::Certified) {
            let mut tally = Tally::default();
            for ((segment, ours), theirs) in
                segments.iter().zip(&certified).zip(hits(&field, &segments, root))
            {
                tally.judge(&field, segment, ours.as_ref(), theirs.as_ref());
            }
            table.row(tally.cells(&name, root_name));
        }
    }
    Ok(Report { tables: vec![table], remarks: remarks(), ..Default::default() })
}

fn hits(field: &Field, segments: &[Segment], root: RootMethod) -> Vec<Option<Hit>> {
    let mut all = Vec::with_capacity(segments.len());
    let options = CastOptions { root, ..Default::default() };
    Cast { field, segments, iso: 0.0, options }.for_each(|_, hit| all.push(hit));
    all
}

/// How a root method fared.
#[derive(Default)]
struct Tally {
    hits: u64,
    touches: u64,
    missed_touches: u64,
    missed_crossings: u64,
    later_elsewhere: u64,
    later_in_cell: u64,
    late: u64,
    early: u64,
    /// Farthest from the first contact where it is not another one, in cells.
    farthest: f64,
    false_hits: u64,
    /// Greatest depth of a contact that was missed or passed over, in cells.
    deepest: f64,
}

impl Tally {
    fn judge(&mut self, field: &Field, segment: &Segment, ours: Option<&Hit>, theirs: Option<&Hit>) {
        let Some(ours) = ours else {
            self.false_hits += u64::from(theirs.is_some());
            return;
        };
        self.hits += 1;
        let is_touch = ours.status == HitStatus::Touch;
        self.touches += u64::from(is_touch);
        let Some(theirs) = theirs else {
            self.note_depth(field, segment);
            if is_touch {
                self.missed_touches += 1;
            } else {
                self.missed_crossings += 1;
            }
            return;
        };
        let in_cells = segment.from.distance(segment.to) / field.grid().cell;
        let off = (theirs.t - ours.t) * in_cells;
        if off.abs() <= SAME_PLACE {
            return;
        }
        let first = field.intervals(segment, 0.0, &CastOptions::default());
        let is_another = first.first().is_some_and(|first| (theirs.t - first.end) * in_cells > SAME_PLACE);
        if is_another {
            self.note_depth(field, segment);
            if theirs.cell == ours.cell {
                self.later_in_cell += 1;
            } else {
                self.later_elsewhere += 1;
            }
            return;
        }
        self.farthest = self.farthest.max(off.abs());
        if off > 0.0 {
            self.late += 1;
        } else {
            self.early += 1;
        }
    }

    /// How deep the first contact goes.
    fn note_depth(&mut self, field: &Field, segment: &Segment) {
        let all = field.intervals(segment, 0.0, &CastOptions::default());
        let Some(first) = all.first() else { return };
        for k in 0..=DEPTH_SAMPLES {
            let t = first.start + (first.end - first.start) * f64::from(k) / f64::from(DEPTH_SAMPLES);
            self.deepest = self.deepest.max(-field.distance(segment.at(t)).value() / field.grid().cell);
        }
    }

    fn cells(&self, segments: &str, root: &str) -> Vec<String> {
        let wrong = self.missed_touches
            + self.missed_crossings
            + self.later_elsewhere
            + self.later_in_cell
            + self.late
            + self.early
            + self.false_hits;
        let mut cells = vec![segments.into(), root.into()];
        let counts = [
            self.hits,
            self.touches,
            self.missed_touches,
            self.missed_crossings,
            self.later_elsewhere,
            self.later_in_cell,
            self.late,
            self.early,
        ];
        cells.extend(counts.map(count));
        cells.push(number(self.farthest));
        cells.push(count(self.false_hits));
        cells.push(number(1e6 * wrong as f64 / self.hits.max(1) as f64));
        cells.push(number(self.deepest));
        cells
    }
}

fn remarks() -> Vec<String> {
    vec![
        format!(
            "Random segments join random points of the field's box (seed {SEED}); short ones are {LENGTH} cells long, begin outside, and have \
             their midpoints within {NEAR} cells of the surface. All with the traversal leap; every method is asked about the same cells."
        ),
        "Missed means that no contact was found on the whole path. A double crossing goes below σ and comes back within one cell, so that both its \
         ends are above (figure 2, case 1 of 2016); a touch comes within rounding of σ. Where a method finds a contact, but one \
         that begins after the first has ended, the first was passed over: in a cell before (case 1 again), or in the same \
         cell (case 2: three roots, the last taken for the first). What is off belongs to the first contact, but is not where \
         it begins; five steps of the papers' bisection do not always get there. Depth is that of the interpolant, the deepest of \
         samples along the contact."
            .into(),
    ]
}
