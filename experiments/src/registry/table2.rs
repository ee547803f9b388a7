//! Time of first hits, beside Table 2 of Xu & Barbič (2014, 2016).

use isotouch::ccd::{CastOptions, RootMethod, Segment, Traversal};
use isotouch::field::{Field, FieldOptions, StorageKind};
use isotouch::mesh::TriMesh;
use rayon::ThreadPool;

use super::Setup;
use crate::casting::{Cast, pool};
use crate::report::{Report, Table, count, none, number};
use crate::timing::{Timed, fastest_of_rounds};

/// A row of the papers' Table 2: the bunny, 10⁶ random segments. Seconds, and so microseconds per segment.
struct PaperRow {
    resolution: u32,
    uniform: f64,
    octree: f64,
}

const fn paper_row(resolution: u32, uniform: f64, octree: f64) -> PaperRow {
    PaperRow { resolution, uniform, octree }
}

const PAPER: [PaperRow; 4] = [
    paper_row(128, 12.7, 12.0),
    paper_row(256, 38.8, 13.1),
    paper_row(512, 97.2, 15.4),
    paper_row(1024, 274.3, 21.4),
];

/// Every run is done so many times, in turns with the others; the fastest counts.
const ROUNDS: usize = 5;
/// Runs that would take longer have a tenth of the segments.
const LONG_SECONDS: f64 = 5.0;
/// Segments by which that is judged.
const SAMPLE: usize = 2_000;
const SEED: u64 = 1;
/// Segments through dense fields, where the plain walk waits for memory in every cell.
const DENSE_SEGMENTS: usize = 20_000;

/// How a run casts.
#[derive(Clone, Copy, PartialEq)]
struct Way {
    traversal: Traversal,
    root: RootMethod,
    threads: usize,
}

/// What came out.
struct Timing {
    way: Way,
    segments: usize,
    nanoseconds: f64,
}

/// All timings at one resolution.
struct Measured {
    resolution: u32,
    timings: Vec<Timing>,
    /// Hits by the name of the root method.
    hits: Vec<(&'static str, u64)>,
}

impl Measured {
    fn of(&self, way: Way) -> Option<&Timing> {
        self.timings.iter().find(|timing| timing.way == way)
    }

    /// Nanoseconds per segment with certified roots on one thread.
    fn certified(&self, traversal: Traversal) -> Option<f64> {
        self.of(Way { traversal, root: RootMethod::Certified, threads: 1 }).map(|timing| timing.nanoseconds)
    }
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let model = setup.bunny()?;
    let resolutions: &[u32] = if setup.quick { &[16, 32] } else { &[128, 256, 512, 1024] };
    let segments = if setup.quick { 500 } else { 1_000_000 };
    let pools = [pool(1)?, pool(setup.threads)?];
    let mut all = Vec::new();
    for &resolution in resolutions {
        eprintln!("{}: {resolution}³", model.name);
        let field = Field::from_mesh(&model.mesh, &FieldOptions { resolution, ..Default::default() })?;
        all.push(measure(&field, resolution, segments, &pools)?);
    }
    let mut tables = vec![beside_the_papers(&model.name, &all), traversals(&all, setup.threads), roots(&all)];
    drop(all);
    tables.push(dense(&model.mesh, resolutions, &pools[0])?);
    Ok(Report { tables, remarks: remarks(segments), ..Default::default() })
}

/// Every traversal with proof, on one thread and on all; the papers' roots on one, with the fastest traversal and with theirs.
fn ways(threads: usize) -> Vec<Way> {
    let mut ways = Vec::new();
    for (_, traversal) in Traversal::NAMES {
        ways.extend([1, threads].map(|threads| Way { traversal, root: RootMethod::Certified, threads }));
    }
    for traversal in [Traversal::Leap, Traversal::Uniform] {
        let papers = RootMethod::NAMES.into_iter().filter(|&(_, root)| root != RootMethod::Certified);
        ways.extend(papers.map(|(_, root)| Way { traversal, root, threads: 1 }));
    }
    ways
}

fn measure(
    field: &Field,
    resolution: u32,
    count: usize,
    pools: &[ThreadPool; 2],
) -> anyhow::Result<Measured> {
    let segments = Segment::random_in(field.grid().bounds(), count, SEED);
    let cast = |way: Way, segments| {
        let options = CastOptions { traversal: way.traversal, root: way.root, ..Default::default() };
        Cast { field, segments, iso: 0.0, options }
    };
    let ways = ways(pools[1].current_num_threads());
    let mut used = Vec::new();
    let mut runs: Vec<Timed<'_>> = Vec::new();
    for &way in &ways {
        let pool = if way.threads == 1 { &pools[0] } else { &pools[1] };
        let sample = &segments[..SAMPLE.min(count)];
        let expected = cast(way, sample).seconds_on(pool) * count as f64 / sample.len() as f64;
        let taken = if expected > LONG_SECONDS { count.div_ceil(10) } else { count };
        used.push(taken);
        let cast = cast(way, &segments[..taken]);
        runs.push(Box::new(move || Ok(cast.seconds_on(pool))));
    }
    let seconds = fastest_of_rounds(ROUNDS, &mut runs)?;
    let timing = |((&way, &segments), seconds): ((&Way, &usize), f64)| Timing {
        way,
        segments,
        nanoseconds: seconds * 1e9 / segments as f64,
    };
    let timings = ways.iter().zip(&used).zip(seconds).map(timing).collect();
    let hits = RootMethod::NAMES.map(|(name, root)| {
        let way = Way { traversal: Traversal::Leap, root, threads: 1 };
        let times = cast(way, &segments).times();
        (name, times.iter().filter(|t| !t.is_nan()).count() as u64)
    });
    Ok(Measured { resolution, timings, hits: hits.to_vec() })
}

/// The papers' octree against their plain walk, on fields stored as theirs are: every node.
fn dense(mesh: &TriMesh, resolutions: &[u32], one_thread: &ThreadPool) -> anyhow::Result<Table> {
    let mut table = Table::new(
        "Dense fields, as the papers store them: µs per segment, one thread",
        &["N³", "MB", "uniform", "hierarchy", "uniform/hierarchy", "papers: uniform/octree", "segments"],
    );
    for &resolution in resolutions {
        eprintln!("dense: {resolution}³");
        let storage = StorageKind::Dense;
        let field = Field::from_mesh(mesh, &FieldOptions { resolution, storage, ..Default::default() })?;
        let segments = Segment::random_in(field.grid().bounds(), DENSE_SEGMENTS, SEED);
        let mut runs: Vec<Timed<'_>> = Vec::new();
        for traversal in [Traversal::Uniform, Traversal::Hierarchy] {
            let options = CastOptions { traversal, ..Default::default() };
            let cast = Cast { field: &field, segments: &segments, iso: 0.0, options };
            runs.push(Box::new(move || Ok(cast.seconds_on(one_thread))));
        }
        let micros: Vec<f64> = fastest_of_rounds(ROUNDS, &mut runs)?
            .into_iter()
            .map(|s| 1e6 * s / DENSE_SEGMENTS as f64)
            .collect();
        let paper = PAPER.iter().find(|row| row.resolution == resolution);
        table.row(vec![
            format!("{resolution}³"),
            number(1e-6 * field.bytes() as f64),
            number(micros[0]),
            number(micros[1]),
            number(micros[0] / micros[1]),
            shown(paper.map(|row| row.uniform / row.octree)),
            count(DENSE_SEGMENTS as u64),
        ]);
    }
    Ok(table)
}

fn shown(value: Option<f64>) -> String {
    value.map_or_else(none, number)
}

fn beside_the_papers(model: &str, all: &[Measured]) -> Table {
    let mut table = Table::new(
        format!(
            "The papers' Table 2 (bunny) beside this library ({model}, sparse): µs per segment, one thread"
        ),
        &[
            "N³",
            "paper: uniform",
            "octree",
            "isotouch: uniform",
            "hierarchy",
            "leap",
            "paper/isotouch: uniform",
            "octree/hierarchy",
            "octree/leap",
            "growth, paper: uniform",
            "octree",
            "isotouch: uniform",
            "hierarchy",
            "leap",
        ],
    );
    let papers = |at: &Measured| {
        let row = PAPER.iter().find(|row| row.resolution == at.resolution);
        [row.map(|row| row.uniform), row.map(|row| row.octree)]
    };
    let ours = |at: &Measured| {
        [Traversal::Uniform, Traversal::Hierarchy, Traversal::Leap]
            .map(|t| at.certified(t).map(|ns| ns * 1e-3))
    };
    let ratio = |a: Option<f64>, b: Option<f64>| shown(a.zip(b).map(|(a, b)| a / b));
    for at in all {
        let (papers_here, ours_here) = (papers(at), ours(at));
        let here: Vec<Option<f64>> = papers_here.into_iter().chain(ours_here).collect();
        let first: Vec<Option<f64>> = papers(&all[0]).into_iter().chain(ours(&all[0])).collect();
        let [uniform, octree] = papers_here;
        let mut cells = vec![format!("{}³", at.resolution)];
        cells.extend(here.iter().map(|&value| shown(value)));
        cells.extend(
            [(uniform, ours_here[0]), (octree, ours_here[1]), (octree, ours_here[2])]
                .map(|(a, b)| ratio(a, b)),
        );
        cells.extend(here.iter().zip(&first).map(|(&now, &then)| ratio(now, then)));
        table.row(cells);
    }
    table
}

fn traversals(all: &[Measured], threads: usize) -> Table {
    let mut table = Table::new(
        "Traversals, certified roots: ns per segment",
        &[
            "N³".into(),
            "traversal".into(),
            "1 thread".into(),
            format!("{threads} threads"),
            "1 thread, times leap".to_string(),
            "segments".into(),
        ],
    );
    for at in all {
        for (name, traversal) in Traversal::NAMES {
            let timing = |threads| at.of(Way { traversal, root: RootMethod::Certified, threads });
            let (one, two) = (timing(1), timing(threads));
            let leap = at.certified(Traversal::Leap);
            table.row(vec![
                format!("{}³", at.resolution),
                name.into(),
                shown(one.map(|timing| timing.nanoseconds)),
                shown(two.map(|timing| timing.nanoseconds)),
                shown(one.zip(leap).map(|(timing, leap)| timing.nanoseconds / leap)),
                one.map_or_else(none, |timing| count(timing.segments as u64)),
            ]);
        }
    }
    table
}

fn roots(all: &[Measured]) -> Table {
    let mut header: Vec<String> = ["N³", "traversal"].map(String::from).to_vec();
    header.extend(RootMethod::NAMES.map(|(name, _)| format!("{name}: ns")));
    header.extend(["certified/cardano", "certified/bisection"].map(String::from));
    header.extend(RootMethod::NAMES.map(|(name, _)| format!("{name}: hits")));
    let mut table = Table::new("Roots: ns per segment on one thread, and hits", &header);
    for at in all {
        for traversal in [Traversal::Leap, Traversal::Uniform] {
            let of = |root| at.of(Way { traversal, root, threads: 1 }).map(|timing| timing.nanoseconds);
            let ratio = |root| of(RootMethod::Certified).zip(of(root)).map(|(ours, theirs)| ours / theirs);
            let name =
                Traversal::NAMES.iter().find(|(_, named)| *named == traversal).map_or("", |(name, _)| name);
            let mut cells = vec![format!("{}³", at.resolution), name.into()];
            cells.extend(RootMethod::NAMES.map(|(_, root)| shown(of(root))));
            cells.extend([RootMethod::Cardano, RootMethod::Bisection].map(|root| shown(ratio(root))));
            cells.extend(at.hits.iter().map(|&(_, hits)| count(hits)));
            table.row(cells);
        }
    }
    table
}

fn remarks(segments: usize) -> Vec<String> {
    vec![
        format!(
            "{} segments between random points of the field's box (seed {SEED}), first hit with σ = 0; those that begin inside are \
             answered at once. Wall clock of the query alone, the fastest of {ROUNDS} rounds in which all runs take \
             turns. Runs that would take more than {LONG_SECONDS} s have a tenth of the segments, as the last column of the second table \
             says. Fields are sparse with the default band.",
            count(segments as u64)
        ),
        "The papers print the same Table 2 in 2014 and in 2016: seconds for 10⁶ segments, which are microseconds per segment, on an \
         Intel Xeon at 2.9 GHz (2 × 8 cores, 32 GB); whether on one of its cores they do not say, nor whether those of 2016 are with \
         Cardano's formula, which that paper introduces, or again with bisection. Their fields are dense, their octree goes down to the \
         single cell; hierarchy here has ranges of 4³ cells and a pyramid above. So ratios speak of machine, memory and method \
         together; growth is relative to the first row of the same column and speaks of the method."
            .into(),
        "Certified roots find every contact; how many the papers' roots miss, and of which kind, is the experiment `bisection`. 2016 calls \
         bisection about 1.2 times as fast as Cardano's formula."
            .into(),
    ]
}
