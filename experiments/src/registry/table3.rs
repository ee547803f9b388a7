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
use crate::timing::timed;

/// Pose pairs, as in the papers.
const PAIRS: usize = 1_000;
/// Point by point, a pair of the dragon takes a second: so many points are asked at most, and the table says of how many pairs.
const MOST_LINEAR_POINTS: usize = 15_000_000;
/// The same for all contacts with the tree.
const MOST_TREE_POINTS: usize = 100_000_000;
/// First contacts with the tree are looked for so often; the fastest round counts.
const ROUNDS: usize = 3;
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
            "tree: pairs",
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
        let many = (MOST_TREE_POINTS / shell.len()).clamp(1, pairs);

        let first_of = |sweep: &Sweep<'_>, pairs: usize| {
            let run =
                || motions[..pairs].iter().map(|motion| sweep.first_contact(motion)).collect::<Vec<_>>();
            let (seconds, found) = one_thread.install(|| timed(run));
            (1e3 * seconds / pairs as f64, found)
        };
        let per = |total: u64, pairs: usize| number(total as f64 / pairs as f64);
        let per_pair = |total: u64| per(total, pairs);
        // The first round brings the field into memory.
        let rounds: Vec<_> = (0..ROUNDS).map(|_| first_of(&tree, pairs)).collect();
        let by_tree = rounds.iter().map(|(ms, _)| *ms).fold(f64::INFINITY, f64::min);
        let found = &rounds[0].1;
        let (by_linear, of_linear) = first_of(&linear, few);
        anyhow::ensure!(
            of_linear.iter().zip(found).all(|(one, other)| one.contact == other.contact),
            "linear and tree differ"
        );
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

        let all_of = |sweep: &Sweep<'_>, pairs: usize| {
            let contacts = |motion: &Motion| timed(|| sweep.contacts(motion));
            one_thread.install(|| motions[..pairs].iter().map(contacts).collect::<Vec<_>>())
        };
        // Contacts are kept only as far as they are compared.
        let (mut seconds, mut in_contact, mut spheres) = (0.0, 0, 0);
        let mut kept = all_of(&tree, few);
        for first in (0..many).step_by(few) {
            let of: Vec<_> = if first == 0 {
                std::mem::take(&mut kept)
            } else {
                let some = &motions[first..many.min(first + few)];
                let contacts = |motion: &Motion| timed(|| tree.contacts(motion));
                one_thread.install(|| some.iter().map(contacts).collect())
            };
            for (took, contacts) in &of {
                seconds += took;
                in_contact += contacts.points.len() as u64;
                spheres += contacts.effort.sphere_tests;
            }
            if first == 0 {
                kept = of;
            }
        }
        let of_linear = all_of(&linear, few);
        anyhow::ensure!(
            of_linear.iter().zip(&kept).all(|(one, other)| one.1.points == other.1.points),
            "linear and tree differ in all contacts"
        );
        let all_linear = 1e3 * of_linear.iter().map(|(took, _)| took).sum::<f64>() / few as f64;
        let all_tree = 1e3 * seconds / many as f64;
        all.row(vec![
            row.name.into(),
            count(shell.len() as u64),
            number(all_linear),
            number(all_tree),
            number(all_linear / all_tree),
            per(in_contact, many),
            number(1e6 * seconds / in_contact.max(1) as f64),
            per(spheres, many),
            count(many as u64),
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
