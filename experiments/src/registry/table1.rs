//! Time and memory of fields, beside Table 1 of Xu & Barbič (2014, 2016) and the crate mesh_to_sdf.

use isotouch::field::{Execution, Field, FieldOptions, StorageKind};
use isotouch::mesh::TriMesh;

use super::Setup;
use crate::models::{Model, built_in_blob};
use crate::peers::mesh_to_sdf::PeerMesh;
use crate::report::{Report, Table, count, megabytes, none, number};
use crate::timing::{best_time, fastest_of_rounds};

/// A row of the papers' Table 1: the bunny with 777 vertices, 8 threads at 2.9 GHz.
struct PaperRow {
    resolution: u32,
    field_seconds: f64,
    field_megabytes: f64,
    octree_seconds: f64,
    octree_megabytes: f64,
}

const PAPER_THREADS: f64 = 8.0;

const fn paper_row(resolution: u32, field: [f64; 2], octree: [f64; 2]) -> PaperRow {
    PaperRow {
        resolution,
        field_seconds: field[0],
        field_megabytes: field[1],
        octree_seconds: octree[0],
        octree_megabytes: octree[1],
    }
}

const PAPER: [PaperRow; 4] = [
    paper_row(128, [1.9, 8.2], [0.01, 34.2]),
    paper_row(256, [6.8, 64.8], [0.09, 273.6]),
    paper_row(512, [45.6, 518.0], [0.65, 2140.0]),
    paper_row(1024, [347.0, 4100.0], [4.88, 17_100.0]),
];

/// The peer is not run where it would take longer than this, judged by its time at half the resolution: eight times the
/// nodes, eight times the time.
const PEER_SECONDS: f64 = 180.0;

/// Below this it is run three times, in turns with ours, and the fastest counts of both.
const PEER_TURNS_SECONDS: f64 = 20.0;

/// What is built of each model.
struct Plan {
    resolutions: &'static [u32],
    largest_dense: u32,
    largest_peer: u32,
}

const FULL: Plan = Plan { resolutions: &[128, 256, 512, 1024], largest_dense: 512, largest_peer: 256 };
const QUICK: Plan = Plan { resolutions: &[16, 32], largest_dense: 32, largest_peer: 32 };

/// One field that was built.
struct Run {
    resolution: u32,
    storage: StorageKind,
    seconds: f64,
    bytes: u64,
    nodes: u64,
    /// What the build had to say.
    notes: Vec<String>,
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let plan = if setup.quick { QUICK } else { FULL };
    let files: &[&str] = match (setup.quick, setup.models.are_there()) {
        (false, _) => &["scan/bunny_777v.obj", "scan/bunny.off", "scan/dragon_vrip.ply.gz"],
        (true, true) => &["scan/bunny_777v.obj"],
        (true, false) => &[],
    };
    let mut models = Vec::new();
    for file in files {
        models.push(setup.models.read(file)?);
    }
    if models.is_empty() {
        models.push(built_in_blob(1_500)?);
    }

    let mut ours = Table::new(
        "Fields of this library, memory with bounds, and mesh_to_sdf at the same nodes",
        &[
            "model",
            "triangles",
            "N³",
            "storage",
            "s",
            "MB",
            "stored nodes",
            "ns per node·thread",
            "mesh_to_sdf s",
            "times slower",
            "its largest error, cells",
            "its wrong signs",
        ],
    );
    let mut of_first = Vec::new();
    let mut report = Report { remarks: remarks(setup.threads), ..Default::default() };
    for (k, model) in models.iter().enumerate() {
        let runs = build_all(model, &plan, setup.threads, &mut ours)?;
        for note in runs.iter().flat_map(|run| &run.notes) {
            report.remark_once(format!("{}: {note}.", model.name));
        }
        if k == 0 {
            of_first = runs;
        }
    }
    let beside = beside_the_paper(&models[0].name, &of_first, setup.threads);
    report.tables = vec![beside, ours];
    Ok(report)
}

fn remarks(threads: usize) -> Vec<String> {
    vec![
        format!(
            "Times are wall clock on {threads} threads, best of 3 below 2 s, reading the mesh not counted (for the papers: {PAPER_THREADS} threads \
             of a 2.9 GHz Xeon). The ratios set the papers' field and octree against a sparse field, which answers \
             the same questions; thread-seconds take out the number of threads, but not that the machines differ."
        ),
        format!(
            "mesh_to_sdf 0.4 (`generate_grid_sdf`, sign by rays) computes in f32 and is compared with the dense field \
             node by node; it is run three times in turns with ours, the fastest counting, below {PEER_TURNS_SECONDS} s, and not where it would take \
             more than {PEER_SECONDS} s."
        ),
    ]
}

fn build(
    mesh: &TriMesh,
    resolution: u32,
    storage: StorageKind,
    threads: usize,
) -> anyhow::Result<(Run, Field)> {
    let options = FieldOptions { resolution, storage, ..Default::default() };
    let execution = Execution { threads: Some(threads), ..Default::default() };
    let (seconds, built) = best_time(|| Field::from_mesh_with(mesh, &options, &execution))?;
    let field = built.field;
    let notes = built.notes.iter().map(ToString::to_string).collect();
    let (bytes, nodes) = (field.bytes(), field.node_count());
    Ok((Run { resolution, storage, seconds, bytes, nodes, notes }, field))
}

fn build_all(model: &Model, plan: &Plan, threads: usize, table: &mut Table) -> anyhow::Result<Vec<Run>> {
    let mut runs = Vec::new();
    for &resolution in plan.resolutions {
        eprintln!("{}: sparse {resolution}³", model.name);
        let (run, _) = build(&model.mesh, resolution, StorageKind::Sparse, threads)?;
        table.row(cells(model, &run, threads, [none(), none(), none(), none()]));
        runs.push(run);
    }
    let peer_mesh = PeerMesh::new(&model.mesh);
    let mut expected_peer_seconds = 0.0;
    for &resolution in plan.resolutions.iter().filter(|&&n| n <= plan.largest_dense) {
        eprintln!("{}: dense {resolution}³", model.name);
        let (mut run, field) = build(&model.mesh, resolution, StorageKind::Dense, threads)?;
        let peer = if resolution > plan.largest_peer {
            [none(), none(), none(), none()]
        } else if expected_peer_seconds > PEER_SECONDS {
            [format!("not run (about {})", number(expected_peer_seconds)), none(), none(), none()]
        } else {
            eprintln!("{}: mesh_to_sdf {resolution}³", model.name);
            let peer = peer_mesh.field(field.grid());
            expected_peer_seconds = 8.0 * peer.seconds;
            let difference = peer.difference_from(&field);
            let mut peer_seconds = peer.seconds;
            if peer_seconds < PEER_TURNS_SECONDS {
                let mut ours = || Ok(build(&model.mesh, resolution, StorageKind::Dense, threads)?.0.seconds);
                let mut theirs = || Ok(peer_mesh.field(field.grid()).seconds);
                let best = fastest_of_rounds(2, &mut [Box::new(&mut ours), Box::new(&mut theirs)])?;
                run.seconds = run.seconds.min(best[0]);
                peer_seconds = peer_seconds.min(best[1]);
            }
            [
                number(peer_seconds),
                number(peer_seconds / run.seconds),
                number(difference.largest),
                count(difference.other_sign),
            ]
        };
        table.row(cells(model, &run, threads, peer));
        runs.push(run);
    }
    Ok(runs)
}

fn cells(model: &Model, run: &Run, threads: usize, peer: [String; 4]) -> Vec<String> {
    let nanoseconds = run.seconds * 1e9 * threads as f64 / run.nodes as f64;
    let mut cells = vec![
        model.name.clone(),
        count(model.mesh.triangles().len() as u64),
        format!("{}³", run.resolution),
        run.storage.to_string(),
        number(run.seconds),
        megabytes(run.bytes),
        count(run.nodes),
        number(nanoseconds),
    ];
    cells.extend(peer);
    cells
}

fn beside_the_paper(model: &str, runs: &[Run], threads: usize) -> Table {
    let mut table = Table::new(
        format!("The papers' Table 1 (bunny, 777 vertices) beside this library ({model})"),
        &[
            "N³",
            "paper: field s",
            "MB",
            "octree s",
            "MB",
            "both, thread·s",
            "dense s",
            "MB",
            "sparse s",
            "MB",
            "thread·s",
            "paper/sparse, thread·s",
            "paper/sparse, MB",
        ],
    );
    for resolution in runs.iter().filter(|r| r.storage == StorageKind::Sparse).map(|r| r.resolution) {
        let paper = PAPER.iter().find(|row| row.resolution == resolution);
        let ours = |storage| runs.iter().find(|r| r.resolution == resolution && r.storage == storage);
        let (dense, sparse) = (ours(StorageKind::Dense), ours(StorageKind::Sparse));
        let shown = |value: Option<f64>| value.map_or_else(none, number);
        let paper_work = paper.map(|row| PAPER_THREADS * (row.field_seconds + row.octree_seconds));
        let paper_megabytes = paper.map(|row| row.field_megabytes + row.octree_megabytes);
        let work = sparse.map(|r| r.seconds * threads as f64);
        let ratio = |theirs: Option<f64>, ours: Option<f64>| shown(theirs.zip(ours).map(|(t, o)| t / o));
        table.row(vec![
            format!("{resolution}³"),
            shown(paper.map(|row| row.field_seconds)),
            shown(paper.map(|row| row.field_megabytes)),
            shown(paper.map(|row| row.octree_seconds)),
            shown(paper.map(|row| row.octree_megabytes)),
            shown(paper_work),
            shown(dense.map(|r| r.seconds)),
            shown(dense.map(|r| r.bytes as f64 / 1e6)),
            shown(sparse.map(|r| r.seconds)),
            shown(sparse.map(|r| r.bytes as f64 / 1e6)),
            shown(work),
            ratio(paper_work, work),
            ratio(paper_megabytes, sparse.map(|r| r.bytes as f64 / 1e6)),
        ]);
    }
    table
}
