use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::anyhow;
use isotouch::ccd::{CastOptions, Hit, HitStatus, Interval, LevelSet, RootMethod, Segment, Traversal};
use isotouch::field::Field;
use isotouch::math::DVec3;
use isotouch::output::npy;

use super::build_args::FieldArgs;
use super::output_path;
use super::segments::{self, MOST_RANDOM};
use super::source;
use crate::console::Console;
use crate::failure::{Classify, Failure};
use crate::format::{count, duration, number, plural};
use crate::interrupt;
use crate::progress::Bar;
use crate::report::Report;
use crate::values::{finite, named, seed, whole};

/// Segments cast at a time, so that Ctrl-C is answered and the bar moves.
const BATCH: usize = 1 << 18;

#[derive(Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("paths").required(true).args(["segments", "random"]))]
#[command(after_help = "\
    A point moves along each segment over the time 0 to 1; its hit is the first time at which the field is at or below \
    --iso. NaN is written where there is none, and that is proven for the surface of the field, which is that of its interpolated \
    values, and those are within `error_bound` (in --json) of the true distance. To miss no contact with the true surface, ask for --iso <error_bound> \
    or more; what is found then may be that far away. With --intervals every contact is a row: the number of its \
    segment, its beginning and its end; that takes several times as long.\n\n\
    --flags tells how the (first) contact of each segment begins: 0 there is none, 1 crossing, 2 touch (within rounding), 3 starts inside, \
    4 a jump at a change of resolution, 5 cannot be excluded outside the box.\n\n\
    Examples:\n  \
    isotouch cast part.field --segments segments.npy -o times.npy\n  \
    isotouch cast part.field --segments segments.npy --intervals -o contacts.npy\n  \
    isotouch cast part.obj --resolution 256 --random 100000 --seed 1 --threads 1")]
pub(crate) struct Args {
    /// Field (also .npy or .dist), or a mesh to build one from.
    field: PathBuf,
    /// Segments: a NumPy array of shape (n, 2, 3) or (n, 6), beginnings and ends, 32- or 64-bit floats.
    #[arg(long, value_name = "FILE")]
    segments: Option<PathBuf>,
    /// Cast this many segments between random points of the field's box: 1 to 100000000, as far as memory allows (some 250 bytes each).
    #[arg(long, value_name = "N", value_parser = whole(1, MOST_RANDOM), allow_negative_numbers = true)]
    random: Option<u32>,
    /// Which random segments [default: 1].
    #[arg(long, value_name = "K", value_parser = seed, conflicts_with = "segments", allow_negative_numbers = true)]
    seed: Option<u64>,
    /// Times of the hits: a NumPy array of shape (n,), 64-bit floats; with --intervals (m, 3). Ends in .npy.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// How the contact of each segment begins: a NumPy array of shape (n,), bytes; ends in .npy.
    #[arg(long, value_name = "FILE")]
    flags: Option<PathBuf>,
    /// The level set asked about: 0 is the surface, above 0 an offset outside it.
    #[arg(long, value_name = "SIGMA", default_value_t = 0.0, value_parser = finite, allow_hyphen_values = true)]
    iso: f64,
    /// Find every contact, not only the first.
    #[arg(long)]
    intervals: bool,
    /// How cells are found: leap, hierarchy, minima, leaves or uniform. The answers are the same.
    #[arg(long, value_name = "KIND", default_value = "leap", value_parser = traversal)]
    traversal: Traversal,
    /// How contacts within a cell are found: certified, or cardano and bisection for comparison, which miss some.
    #[arg(long, value_name = "METHOD", default_value = "certified", value_parser = root)]
    root: RootMethod,
    #[command(flatten)]
    build: FieldArgs,
}

fn traversal(name: &str) -> Result<Traversal, String> {
    named(name, &Traversal::NAMES)
}

fn root(name: &str) -> Result<RootMethod, String> {
    named(name, &RootMethod::NAMES)
}

pub(crate) fn run(args: &Args, console: &Console) -> Result<Report, Failure> {
    let inputs: Vec<&Path> =
        [Some(args.field.as_path()), args.segments.as_deref()].into_iter().flatten().collect();
    for output in [&args.output, &args.flags].into_iter().flatten() {
        output_path::check(output, "npy", &inputs)?;
    }
    if let (Some(output), Some(flags)) = (&args.output, &args.flags) {
        output_path::check_different(flags, output)?;
    }
    if args.intervals && args.root != RootMethod::Certified {
        return Err(anyhow!("--intervals are found by --root certified only; leave out one of the two"))
            .or_bad_input();
    }
    let random = args.random.unwrap_or(0);
    segments::check_memory(random, args.intervals)?;
    args.build.limit_threads()?;
    let given = args.segments.as_ref().map(|path| segments::read(path)).transpose()?;
    let found = source::certain_field(&args.field, &args.build, console)?;
    let field = &found.field;
    let segments = given.unwrap_or_else(|| {
        Segment::random_in(field.grid().bounds(), random as usize, args.seed.unwrap_or(1))
    });
    let options = CastOptions { traversal: args.traversal, root: args.root, ..Default::default() };
    let cast = Cast { field, iso: args.iso, options, intervals: args.intervals, console };

    let (answers, elapsed) = cast.ask(&segments)?;
    let statuses = answers.statuses();
    if let Some(output) = &args.output {
        answers.write(output)?;
    }
    if let Some(flags) = &args.flags {
        let flags_of: Vec<u8> = statuses.iter().map(|&status| flag(status)).collect();
        npy::write_bytes(flags, &flags_of).or_failed()?;
    }
    let summary = Summary::of(&statuses);
    let mut report = Report::new();
    match &answers {
        Answers::Contacts(contacts) => {
            let total: usize = contacts.iter().map(Vec::len).sum();
            let (total_in_words, all) =
                (plural(total as u64, "contact"), plural(segments.len() as u64, "segment"));
            report.line(format_args!("{total_in_words} of {all}"));
            report.key("intervals", total);
        }
        Answers::Hits(_) => report.line(format_args!("{} hit", of(summary.hits, segments.len()))),
    }
    // There may be many, and memory is needed for the next ones.
    drop(answers);
    if let Some(path) = &args.segments {
        segments::warn_of_unusable(path, &segments, field, console);
    }
    if summary.bounds > 0 && field.is_certified() && !field.is_certified_outside() {
        console.warn(format_args!(
            "{} outside the box: nothing is known there, since the solid reaches the border of the box, so contact is assumed; build \
             the field with more padding",
            plural(summary.bounds, "segment")
        ));
    }
    if args.iso < 0.0 {
        source::warn_of_depth(&args.field, field, console);
    }
    // Once more without those that start inside, which are answered at once.
    let outside: Vec<Segment> = cast.start_outside(&segments)?;
    let (_, elapsed_outside) = cast.ask(&outside)?;

    let per = |time: Duration, count: usize| {
        if count == 0 { f64::NAN } else { time.as_secs_f64() * 1e9 / count as f64 }
    };
    let (ns, ns_outside) = (per(elapsed, segments.len()), per(elapsed_outside, outside.len()));
    report.facts(&[
        ("start inside", plural(summary.starts_inside, "segment")),
        ("touch", plural(summary.touches, "segment")),
        (
            "in doubt",
            format!(
                "{} (outside the box, or at a change of resolution)",
                plural(summary.bounds + summary.level_boundaries, "segment")
            ),
        ),
        ("surface", source::surface_in_words(field, args.iso)),
        ("time", time_of_all(segments.len(), elapsed, ns)),
        ("that start outside", times_outside(outside.len(), ns_outside)),
    ]);
    let shown = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    report.key("output", shown(&args.output));
    report.key("flags", shown(&args.flags));
    found.report(&mut report);
    found.report_errors(&mut report);
    report.key("segments", segments.len());
    report.key("hits", summary.hits);
    report.key("starts_inside", summary.starts_inside);
    report.key("touches", summary.touches);
    report.key("doubtful", summary.bounds + summary.level_boundaries);
    report.key("iso", args.iso);
    report.key("ns_per_segment", ns);
    report.key("ns_per_segment_outside", ns_outside);
    report.key("seconds", elapsed.as_secs_f64());
    Ok(report)
}

/// How a contact begins, as programs read it.
fn flag(status: Option<HitStatus>) -> u8 {
    match status {
        None => 0,
        Some(HitStatus::Crossing) => 1,
        Some(HitStatus::Touch) => 2,
        Some(HitStatus::StartsInside) => 3,
        Some(HitStatus::LevelBoundary) => 4,
        Some(HitStatus::Bound) => 5,
    }
}

fn time_of_all(segments: usize, elapsed: Duration, ns: f64) -> String {
    if segments == 0 { "none".into() } else { format!("{}, {} ns a segment", duration(elapsed), number(ns)) }
}

fn times_outside(segments: usize, ns: f64) -> String {
    if segments == 0 { "none".into() } else { format!("{}, {} ns each", count(segments as u64), number(ns)) }
}

fn of(some: u64, all: usize) -> String {
    format!("{} of {}", count(some), plural(all as u64, "segment"))
}

/// One row for each contact: segment, beginning, end.
fn rows(contacts: &[Vec<Interval>]) -> Vec<DVec3> {
    let row = |segment: usize, contact: &Interval| DVec3::new(segment as f64, contact.start, contact.end);
    contacts.iter().enumerate().flat_map(|(k, of)| of.iter().map(move |contact| row(k, contact))).collect()
}

/// What came out, by segment.
enum Answers {
    Hits(Vec<Option<Hit>>),
    Contacts(Vec<Vec<Interval>>),
}

impl Answers {
    /// Of the first contact of each.
    fn statuses(&self) -> Vec<Option<HitStatus>> {
        match self {
            Self::Hits(hits) => hits.iter().map(|hit| hit.map(|hit| hit.status)).collect(),
            Self::Contacts(all) => all.iter().map(|of| of.first().map(|contact| contact.status)).collect(),
        }
    }

    fn write(&self, output: &Path) -> Result<(), Failure> {
        match self {
            Self::Hits(hits) => {
                let times: Vec<f64> = hits.iter().map(|hit| hit.map_or(f64::NAN, |hit| hit.t)).collect();
                npy::write_scalars(output, &times).or_failed()
            }
            Self::Contacts(contacts) => npy::write_points(output, &rows(contacts)).or_failed(),
        }
    }
}

/// How often what came out.
#[derive(Default)]
struct Summary {
    hits: u64,
    starts_inside: u64,
    touches: u64,
    level_boundaries: u64,
    bounds: u64,
}

impl Summary {
    fn of(statuses: &[Option<HitStatus>]) -> Self {
        let mut summary = Self::default();
        for status in statuses.iter().flatten() {
            summary.hits += 1;
            match status {
                HitStatus::Crossing => {}
                HitStatus::StartsInside => summary.starts_inside += 1,
                HitStatus::Touch => summary.touches += 1,
                HitStatus::LevelBoundary => summary.level_boundaries += 1,
                HitStatus::Bound => summary.bounds += 1,
            }
        }
        summary
    }
}

/// What is asked.
struct Cast<'a> {
    field: &'a Field,
    iso: f64,
    options: CastOptions,
    /// Every contact, not only the first.
    intervals: bool,
    console: &'a Console,
}

impl Cast<'_> {
    /// The level set, about which nothing was asked yet: what it takes to prepare it belongs to the time of its answers.
    fn surface(&self) -> LevelSet<'_> {
        self.field.level_set(self.iso, &self.options)
    }

    /// What was asked for, and the time it took.
    fn ask(&self, segments: &[Segment]) -> Result<(Answers, Duration), Failure> {
        let surface = self.surface();
        if self.intervals {
            let (contacts, elapsed) = self.batches(segments, |batch| surface.all_intervals(batch))?;
            Ok((Answers::Contacts(contacts), elapsed))
        } else {
            let (hits, elapsed) = self.batches(segments, |batch| surface.first_hits(batch))?;
            Ok((Answers::Hits(hits), elapsed))
        }
    }

    /// Answers in batches, and the time they took.
    fn batches<T>(
        &self,
        segments: &[Segment],
        answer: impl Fn(&[Segment]) -> Vec<T>,
    ) -> Result<(Vec<T>, Duration), Failure> {
        let bar = Bar::new(self.console);
        let mut answers = Vec::with_capacity(segments.len());
        let mut elapsed = Duration::ZERO;
        for batch in segments.chunks(BATCH) {
            interrupt::check()?;
            let start = Instant::now();
            let of_batch = answer(batch);
            elapsed += start.elapsed();
            answers.extend(of_batch);
            bar.update("casting", answers.len() as u64, segments.len() as u64);
        }
        interrupt::check()?;
        Ok((answers, elapsed))
    }

    /// Those that do not begin in contact.
    fn start_outside(&self, segments: &[Segment]) -> Result<Vec<Segment>, Failure> {
        let starts: Vec<Segment> = segments.iter().map(|s| Segment::new(s.from, s.from)).collect();
        let surface = self.surface();
        let (hits, _): (Vec<Option<Hit>>, _) = self.batches(&starts, |batch| surface.first_hits(batch))?;
        Ok(segments.iter().zip(hits).filter(|(_, hit)| hit.is_none()).map(|(segment, _)| *segment).collect())
    }
}
