//! Whether every way of casting gives the same answers: storages, traversals, numbers of threads.

use isotouch::ccd::{CastOptions, Hit, HitStatus, Segment, Traversal};
use isotouch::field::{Field, FieldOptions, StorageKind};
use rayon::ThreadPool;

use super::Setup;
use crate::casting::{Cast, pool};
use crate::models::{Model, built_in_blob, built_in_knot};
use crate::report::{Report, Table, count, number};

const SEED: u64 = 1;

/// Level sets, in cells: the surface; one whose |σ| is less than the band of 3 less the error bound, where dense and sparse must
/// agree; and one beyond the band, where sparse fields have coarse cells.
const WITHIN_BAND: [f64; 2] = [0.0, 1.5];
const BEYOND_BAND: f64 = 6.0;

const STATUSES: [HitStatus; 5] = [
    HitStatus::Crossing,
    HitStatus::Touch,
    HitStatus::StartsInside,
    HitStatus::LevelBoundary,
    HitStatus::Bound,
];

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let (resolution, segments) = if setup.quick { (32, 1_000) } else { (256, 1_000_000) };
    let pools = [pool(1)?, pool(setup.threads)?];
    let mut header: Vec<String> = ["model", "σ, cells", "fields"].map(String::from).to_vec();
    header.extend(["segments".to_string(), "hits".to_string()]);
    header.extend(STATUSES.map(|status| status.name().to_string()));
    header.extend(["ways".to_string(), "answers compared".to_string(), "different".to_string()]);
    let caption = format!("Answers of all ways to cast, {resolution}³: time to the last bit, and status");
    let mut report = Report { remarks: remarks(), ..Default::default() };
    let mut table = Table::new(caption, &header);
    for model in models(setup)? {
        let build = |storage| {
            eprintln!("{}: {storage}", model.name);
            Field::from_mesh(&model.mesh, &FieldOptions { resolution, storage, ..Default::default() })
        };
        let (sparse, dense) = (build(StorageKind::Sparse)?, build(StorageKind::Dense)?);
        let comparisons = WITHIN_BAND.map(|iso| (iso, vec![&sparse, &dense]));
        for (iso, fields) in comparisons.into_iter().chain([(BEYOND_BAND, vec![&sparse])]) {
            let comparison = Comparison { model: &model, fields, iso, segments, pools: &pools };
            table.row(comparison.row(&mut report));
        }
    }
    report.tables.push(table);
    Ok(report)
}

fn models(setup: &Setup) -> anyhow::Result<Vec<Model>> {
    if setup.quick && !setup.models.are_there() {
        return Ok(vec![built_in_blob(5_000)?, built_in_knot()?]);
    }
    let files = ["scan/bunny.off", "scan/dragon_100k.obj", "scan/armadillo.obj"];
    let taken = if setup.quick { 1 } else { files.len() };
    files[..taken].iter().map(|file| setup.models.read(file)).collect()
}

/// One level set of one model, cast in every way.
struct Comparison<'a> {
    model: &'a Model,
    fields: Vec<&'a Field>,
    /// In cells.
    iso: f64,
    segments: usize,
    pools: &'a [ThreadPool; 2],
}

/// What must be the same.
type Answer = Option<(u64, HitStatus)>;

fn answer(hit: Option<Hit>) -> Answer {
    hit.map(|hit| (hit.t.to_bits(), hit.status))
}

impl Comparison<'_> {
    fn row(&self, report: &mut Report) -> Vec<String> {
        let grid = self.fields[0].grid();
        let segments = Segment::random_in(grid.bounds(), self.segments, SEED);
        let mut expected: Vec<Answer> = Vec::new();
        let (mut ways, mut different) = (0u64, 0u64);
        for field in &self.fields {
            for (name, traversal) in Traversal::NAMES {
                for pool in self.pools {
                    let threads = pool.current_num_threads();
                    let way = format!("{}, {name}, threads: {threads}", field.storage());
                    eprintln!("{}: σ = {} cells, {way}", self.model.name, self.iso);
                    let options = CastOptions { traversal, ..Default::default() };
                    let cast = Cast { field, segments: &segments, iso: self.iso * grid.cell, options };
                    let answers = pool.install(|| {
                        let mut answers = Vec::with_capacity(segments.len());
                        cast.for_each(|_, hit| answers.push(answer(hit)));
                        answers
                    });
                    if expected.is_empty() {
                        expected = answers;
                        continue;
                    }
                    ways += 1;
                    let mut wrong = (0..segments.len()).filter(|&k| answers[k] != expected[k]);
                    if let Some(first) = wrong.next() {
                        different += 1 + wrong.count() as u64;
                        report.failures.push(self.failure(
                            &way,
                            &segments[first],
                            expected[first],
                            answers[first],
                        ));
                    }
                }
            }
        }
        let with = |status| expected.iter().flatten().filter(|(_, s)| *s == status).count() as u64;
        let storages: Vec<String> = self.fields.iter().map(|field| field.storage().to_string()).collect();
        let mut cells = vec![self.model.name.clone(), number(self.iso), storages.join(", ")];
        cells.extend([segments.len() as u64, expected.iter().flatten().count() as u64].map(count));
        cells.extend(STATUSES.map(|status| count(with(status))));
        cells.extend([ways, ways * segments.len() as u64, different].map(count));
        cells
    }

    fn failure(&self, way: &str, segment: &Segment, expected: Answer, found: Answer) -> String {
        let shown = |answer: Answer| {
            answer.map_or("none".to_string(), |(bits, status)| {
                format!("{} at {:e}", status.name(), f64::from_bits(bits))
            })
        };
        format!(
            "{} at σ = {} cells, {way}: {} instead of {}, first for {segment:?}",
            self.model.name,
            self.iso,
            shown(found),
            shown(expected)
        )
    }
}

fn remarks() -> Vec<String> {
    vec![format!(
        "Random segments in the field's box (seed {SEED}). The first way is the sparse field with the first traversal on one thread; all others are \
         compared with it. Within the band, less the error bound, dense and sparse fields promise the same hits. Beyond it a sparse \
         field has coarser cells and is another function, so only its own traversals and threads are compared there; jumps over σ \
         between cells of different size are hits with status level_boundary. Any difference is a failure of this experiment."
    )]
}
