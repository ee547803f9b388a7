//! Whole shells between random poses: the papers' Table 3.

use glam::DVec3;
use isotouch::ccd::{Sweep, SweepOptions, SweepTraversal};
use isotouch::field::{Field, FieldOptions};
use isotouch::math::{Motion, MotionKind, Pose};
use isotouch::mesh::shapes::{BowlOptions, bowl};
use isotouch::mesh::{TriMesh, io};
use isotouch::shell::{PointShell, Sampling, ShellOptions};

use super::Setup;
use crate::casting::pool;
use crate::random::Random;
use crate::report::{Report, Table, count, number};
use crate::timing::seconds_of;

/// Pose pairs, as in the papers.
const PAIRS: usize = 1_000;
/// Point by point, a pair of the dragon takes a second: so many points are asked at most, and the table says of how many pairs.
const MOST_LINEAR_POINTS: usize = 40_000_000;
const SEED: u64 = 1;

/// A model, and what 2014 says: seconds for 1,000 pairs, point by point and with the tree.
struct Row {
    name: &'static str,
    /// Of the field.
    solid: TriMesh,
    /// Whose vertices are the shell, where that is another one.
    points: Option<TriMesh>,
    paper: Option<[f64; 2]>,
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let resolution = if setup.quick { 48 } else { 1024 };
    let pairs = if setup.quick { 20 } else { PAIRS };
    let one_thread = pool(1)?;
    let mut first = Table::new(
        format!(
            "First contact, {resolution}³, {} random pose pairs: ms per pair, one thread",
            count(pairs as u64)
        ),
        &[
            "model",
            "points",
            "paper: linear",
            "tree",
            "linear",
            "tree",
            "linear/tree",
            "paper/isotouch: linear",
            "tree",
            "pairs in contact",
            "spheres per pair",
            "points per pair",
            "linear: pairs",
        ],
    );
    let mut all = Table::new(
        format!("All contacts, {resolution}³: ms per pair, one thread"),
        &[
            "model",
            "points",
            "linear",
            "tree",
            "linear/tree",
            "points in contact per pair",
            "µs per point in contact",
            "spheres per pair",
            "linear: pairs",
        ],
    );
    for row in rows(setup)? {
        eprintln!("{}", row.name);
        let field = Field::from_mesh(&row.solid, &FieldOptions { resolution, ..Default::default() })?;
        let shell = PointShell::from_mesh(
            row.points.as_ref().unwrap_or(&row.solid),
            &ShellOptions { sampling: Sampling::Vertices, ..Default::default() },
        )?;
        let motions = pose_pairs(&field, pairs);
        let by = |traversal| SweepOptions { traversal, ..Default::default() };
        let (tree, linear) = (
            Sweep::new(&shell, &field, &by(SweepTraversal::Tree)),
            Sweep::new(&shell, &field, &by(SweepTraversal::Linear)),
        );
        let few = (MOST_LINEAR_POINTS / shell.len()).clamp(1, pairs);

        // Once before the clock runs, so that the field is in memory.
        let found: Vec<_> =
            one_thread.install(|| motions.iter().map(|motion| tree.first_contact(motion)).collect());
        let ms = |seconds: f64, pairs: usize| 1e3 * seconds / pairs as f64;
        let per_pair = |total: u64| number(total as f64 / pairs as f64);
        let by_tree = ms(
            one_thread
                .install(|| seconds_of(|| motions.iter().filter(|motion| tree.touches(motion)).count())),
            pairs,
        );
        let by_linear = ms(
            one_thread.install(|| {
                seconds_of(|| motions[..few].iter().filter(|motion| linear.touches(motion)).count())
            }),
            few,
        );
        for (motion, of_tree) in motions[..few].iter().zip(&found) {
            anyhow::ensure!(
                linear.first_contact(motion).contact == of_tree.contact,
                "linear and tree differ"
            );
        }
        let paper = |k: usize| row.paper.map_or("–".into(), |seconds| number(seconds[k]));
        let ratio = |k: usize, ours: f64| row.paper.map_or("–".into(), |seconds| number(seconds[k] / ours));
        first.row(vec![
            row.name.into(),
            count(shell.len() as u64),
            paper(0),
            paper(1),
            number(by_linear),
            number(by_tree),
            number(by_linear / by_tree),
            ratio(0, by_linear),
            ratio(1, by_tree),
            count(found.iter().filter(|of| of.contact.is_some()).count() as u64),
            per_pair(found.iter().map(|of| of.effort.sphere_tests).sum()),
            per_pair(found.iter().map(|of| of.effort.point_tests).sum()),
            count(few as u64),
        ]);

        let contacts = |sweep: &Sweep<'_>, motions: &[Motion]| {
            motions.iter().map(|motion| sweep.contacts(motion).points.len()).sum::<usize>()
        };
        let mut in_contact = 0;
        let all_tree = one_thread.install(|| seconds_of(|| in_contact = contacts(&tree, &motions)));
        let all_linear = ms(one_thread.install(|| seconds_of(|| contacts(&linear, &motions[..few]))), few);
        let spheres: u64 = motions.iter().map(|motion| tree.contacts(motion).effort.sphere_tests).sum();
        all.row(vec![
            row.name.into(),
            count(shell.len() as u64),
            number(all_linear),
            number(ms(all_tree, pairs)),
            number(all_linear / ms(all_tree, pairs)),
            per_pair(in_contact as u64),
            number(1e6 * all_tree / in_contact.max(1) as f64),
            per_pair(spheres),
            count(few as u64),
        ]);
    }
    Ok(Report { tables: vec![first, all], remarks: remarks(), ..Default::default() })
}

fn rows(setup: &Setup) -> anyhow::Result<Vec<Row>> {
    // As many vertices as the papers' china bowl.
    let china = bowl(BowlOptions { segments: 45, rings: 23, ..Default::default() })?;
    let china = |paper| Row { name: "bowl (built in)", solid: china, points: None, paper };
    if setup.quick {
        return Ok(vec![china(None)]);
    }
    let as_it_stands = io::ReadOptions { weld: false, ..Default::default() };
    let dragon = "scan/dragon_vrip.ply.gz";
    let unwelded = io::read(setup.models.path(dragon)?, &as_it_stands)?.mesh;
    let bunny = setup.models.read("scan/bunny_777v.obj")?.mesh;
    Ok(vec![
        Row { name: "bunny_777v", solid: bunny, points: None, paper: Some([1.8, 0.7]) },
        china(Some([3.4, 0.3])),
        Row {
            name: "dragon_vrip",
            solid: setup.models.read(dragon)?.mesh,
            points: Some(unwelded),
            paper: Some([761.2, 9.9]),
        },
    ])
}

/// Random positions of the model's middle in three times its box, and random rotations.
fn pose_pairs(field: &Field, pairs: usize) -> Vec<Motion> {
    let bounds = field.grid().bounds();
    let mut random = Random::new(SEED);
    let mut pose = || {
        let at = DVec3::new(random.unit(), random.unit(), random.unit());
        let position = bounds.center() + 3.0 * (at - 0.5) * bounds.extent();
        let rotation = random.rotation();
        // Turned about the middle of the box.
        Pose { position: position - rotation * bounds.center(), rotation }
    };
    (0..pairs).map(|_| Motion::new(MotionKind::Chord, pose(), pose())).collect()
}

fn remarks() -> Vec<String> {
    vec![
        "Poses are random in three times the field's box, as in 2014 (section 5) and 2016; between two of them every point goes \
         along its chord. Points are the vertices of the meshes, those of the dragon as they stand in its file, unwelded. Linear and tree \
         traversal are compared, contact by contact, for as many pairs as the last column says. The papers' times are theirs, on \
         another machine, and do not say whether all contacts are meant."
            .into(),
    ]
}
