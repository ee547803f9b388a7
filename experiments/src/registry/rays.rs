//! First hits of random segments that begin outside, beside ray casting on the triangles: parry3d and Embree.

use isotouch::ccd::{CastOptions, Segment};
use isotouch::field::{Field, FieldOptions};

use super::Setup;
use crate::casting::{Cast, pool};
use crate::models::Model;
use crate::peers::{embree, parry};
use crate::report::{Report, Table, count, number};
use crate::timing::{Timed, fastest_of_rounds};

/// Every run is done so many times, in turns with the others; the fastest counts.
const ROUNDS: usize = 7;
const SEED: u64 = 1;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let model = setup.bunny()?;
    let resolutions: &[u32] = if setup.quick { &[32] } else { &[256, 1024] };
    let segments = if setup.quick { 2_000 } else { 1_000_000 };
    let mut report = Report { remarks: remarks(), ..Default::default() };
    for &resolution in resolutions {
        eprintln!("{}: {resolution}³", model.name);
        let field = Field::from_mesh(&model.mesh, &FieldOptions { resolution, ..Default::default() })?;
        compare(&model, &field, segments, &mut report)?;
    }
    Ok(report)
}

/// Who was asked, how long it took, and what it said.
struct Answer {
    name: String,
    seconds: f64,
    times: Vec<f64>,
}

fn compare(model: &Model, field: &Field, count_of_all: usize, report: &mut Report) -> anyhow::Result<()> {
    let error = field.error_bound();
    let mut segments = Segment::random_in(field.grid().bounds(), count_of_all, SEED);
    // Beyond the error bound, so that the field and the mesh agree on where they begin.
    segments.retain(|segment| field.distance(segment.from).value() > error);

    let answers = ask_all(model, field, &segments, report)?;
    let ours = &answers[0];
    let mut table = Table::new(
        format!(
            "{} at {}³, {} of {} random segments begin outside; 1 thread",
            model.name,
            field.grid().cells.max_element(),
            count(segments.len() as u64),
            count(count_of_all as u64),
        ),
        &[
            "who",
            "ns per segment",
            "times as long as isotouch",
            "hits",
            "hit here, none in isotouch",
            "none here, hit in isotouch",
            "not within the error bound",
            "hit times apart, cells: mean",
            "largest",
        ],
    );
    for answer in &answers {
        let differences = Differences::between(field, &segments, &ours.times, &answer.times);
        table.row(vec![
            answer.name.clone(),
            number(answer.seconds * 1e9 / segments.len() as f64),
            number(answer.seconds / ours.seconds),
            count(answer.times.iter().filter(|t| !t.is_nan()).count() as u64),
            count(differences.only_theirs),
            count(differences.only_ours),
            count(differences.unexplained),
            number(differences.mean),
            number(differences.largest),
        ]);
    }
    report.tables.push(table);
    Ok(())
}

/// Everyone's times, ours first. Embree is left out, with a remark, where it cannot be had.
fn ask_all(
    model: &Model,
    field: &Field,
    segments: &[Segment],
    report: &mut Report,
) -> anyhow::Result<Vec<Answer>> {
    let one_thread = pool(1)?;
    let cast = Cast { field, segments, iso: 0.0, options: CastOptions::default() };
    let double = parry::double::Peer::new(&model.mesh, segments)?;
    let single = parry::single::Peer::new(&model.mesh, segments)?;
    let mut embree = match embree::Peer::new(&model.mesh, segments) {
        Ok(peer) => Some(peer),
        Err(error) => {
            report.remark_once(format!("Embree is missing here: {error:#}."));
            None
        }
    };
    let mut runs: Vec<Timed<'_>> = vec![
        Box::new(|| Ok(cast.seconds_on(&one_thread))),
        Box::new(|| Ok(double.seconds())),
        Box::new(|| Ok(single.seconds())),
    ];
    if let Some(peer) = &mut embree {
        runs.push(Box::new(|| peer.seconds()));
    }
    let seconds = fastest_of_rounds(ROUNDS, &mut runs)?;
    drop(runs);

    let mut answers = vec![
        ("isotouch (f64, interpolant)".to_string(), cast.times()),
        ("parry3d-f64 (triangles)".to_string(), double.times()),
        ("parry3d (f32, triangles)".to_string(), single.times()),
    ];
    if let Some(peer) = embree {
        answers.push((format!("Embree (f32, triangles; embreex {})", peer.version()), peer.into_times()?));
    }
    let answer = |((name, times), seconds)| Answer { name, seconds, times };
    Ok(answers.into_iter().zip(seconds).map(answer).collect())
}

/// How answers on triangles differ from those on the interpolant.
#[derive(Default)]
struct Differences {
    only_theirs: u64,
    only_ours: u64,
    /// Of these two, those that the error bound does not explain.
    unexplained: u64,
    /// Distance between the two hits where there are two, in cells.
    mean: f64,
    largest: f64,
}

impl Differences {
    fn between(field: &Field, segments: &[Segment], ours: &[f64], theirs: &[f64]) -> Self {
        let mut all = Self::default();
        let mut both = 0u64;
        let touches = |segment, iso| field.touches(segment, iso, &CastOptions::default());
        for ((segment, &ours), &theirs) in segments.iter().zip(ours).zip(theirs) {
            match (ours.is_nan(), theirs.is_nan()) {
                (true, true) => {}
                (true, false) => {
                    all.only_theirs += 1;
                    // Where the path meets the mesh the interpolant is at most the error bound.
                    all.unexplained += u64::from(!touches(segment, field.error_bound()));
                }
                (false, true) => {
                    all.only_ours += 1;
                    // On a path that stays outside the mesh the interpolant is above minus the error bound.
                    all.unexplained += u64::from(touches(segment, -field.error_bound()));
                }
                (false, false) => {
                    let length = segment.from.distance(segment.to) / field.grid().cell;
                    let apart = (ours - theirs).abs() * length;
                    all.largest = all.largest.max(apart);
                    all.mean += apart;
                    both += 1;
                }
            }
        }
        all.mean /= both.max(1) as f64;
        all
    }
}

fn remarks() -> Vec<String> {
    vec![
        format!(
            "Wall clock on one thread, all in this run and in turns, the fastest of {ROUNDS} rounds; building fields and trees is not \
             counted. Segments join random points of the field's box (seed {SEED}); those kept begin outside by more than the field's \
             error bound. isotouch answers with `first_hits` on a sparse field and gives time, point, normal, cell and status; \
             parry with `cast_local_ray` on its `TriMesh`, Embree with `EmbreeScene.run` of its Python package, whose loop over rays is compiled \
             (that call timed whole, what the package adds included): both give the time alone. Rays are as long as the \
             segments and end at t = 1. The package offers no threads, so there is no comparison on two."
        ),
        "Answers differ because they are about different surfaces: the interpolant of the nodes here, the triangles there. A path that \
         meets only one of them must come within the error bound of the other; 'not within the error bound' counts those that \
         do not, which would be mistakes of one or the other (the `f32` peers may slip between triangles or be off by rounding). \
         Hit times are far apart where a path grazes the surface and one of the two lets it pass."
            .into(),
    ]
}
