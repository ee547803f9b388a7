//! Stored nodes against brute force: distances to the last bit, signs against winding numbers.

use std::time::Instant;

use glam::DVec3;
use isotouch::field::{Execution, Field, FieldOptions, StorageKind};
use isotouch::mesh::TriMesh;

use super::Setup;
use crate::brute_force;
use crate::models::{Model, built_in_blob, built_in_knot};
use crate::report::{Report, Table, count, number};
use crate::stored_nodes::{self, StoredNode};

const FILES: [&str; 4] =
    ["scan/bunny.off", "scan/dragon_100k.obj", "scan/armadillo.obj", "scan/skull_10k.obj"];

/// Runs through itself, so that winding numbers decide the sign. So large that a tenth of the nodes must do.
const TANGLED: &str = "scan/dragon_vrip.ply.gz";

/// Nodes nearer to the surface than this, as a fraction of the mesh's size, may have either sign: the solid angles of the
/// triangle they lie on are rounding.
const ON_SURFACE: f64 = 1e-9;

/// Error of the brute-force distance, as a fraction of the mesh's size: a dozen roundings of numbers below 2.
const ORACLE_ERROR: f64 = 1e-15;

/// A winding number further than this from a whole one means that the oracle, or the mesh, is at fault.
const NOT_WHOLE: f64 = 1e-6;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut models = Vec::new();
    if setup.models.are_there() || !setup.quick {
        for file in FILES {
            models.push(setup.models.read(file)?);
        }
    } else {
        models.push(built_in_knot()?);
    }
    models.push(built_in_blob(20_000)?);
    let nodes = if setup.quick { 1_000 } else { 100_000 };
    let mut models: Vec<(Model, usize)> = models.into_iter().map(|model| (model, nodes)).collect();
    if !setup.quick {
        models.push((setup.models.read(TANGLED)?, nodes / 10));
    }
    let cases = if setup.quick {
        [(StorageKind::Dense, 32), (StorageKind::Sparse, 64)]
    } else {
        [(StorageKind::Dense, 128), (StorageKind::Sparse, 256)]
    };
    let mut table = Table::new(
        "Random stored nodes against a search over all triangles",
        &[
            "model",
            "triangles",
            "field",
            "nodes",
            "at full resolution",
            "not the rounded distance",
            "beyond the search's own error",
            "largest difference, ulps",
            "wrong signs",
            "on the surface",
            "winding not whole",
        ],
    );
    let about = format!(
        "A node is right when it is the f32 nearest to the distance found by testing every triangle in f64. That search has an \
         error of its own, about {ORACLE_ERROR:.0e} of the mesh's size, which decides when the distance is all but halfway \
         between two f32. Signs are compared with the sum of the solid angles of all triangles, except at nodes within \
         {ON_SURFACE:.0e} of the size from the surface, which are counted. Sparse fields: half of the nodes at full resolution, \
         half at 4, 16… cells of spacing."
    );
    let mut report = Report { remarks: vec![about], ..Default::default() };
    for (model, nodes) in &models {
        for (storage, resolution) in cases {
            let start = Instant::now();
            let options = FieldOptions { resolution, storage, ..Default::default() };
            let execution = Execution { threads: Some(setup.threads), ..Default::default() };
            let built = Field::from_mesh_with(&model.mesh, &options, &execution)?;
            let (drawn, unreadable) = stored_nodes::draw(&built.field, *nodes, u64::from(resolution));
            let verdict = Verdict::new(&model.mesh, &drawn);
            table.row(verdict.row(model, format!("{storage} {resolution}³"), &drawn));
            let what = format!("{}, {storage} {resolution}³", model.name);
            if unreadable > 0 {
                report.remark_once(format!(
                    "{what}: {unreadable} nodes drawn were too near zero to be told apart from the point beside them and were \
                     left out."
                ));
            }
            for note in &built.notes {
                report.remark_once(format!("{}: {note}.", model.name));
            }
            if let Some(text) = verdict.first_wrong {
                report.remark_once(format!("{what}: {text}"));
            }
            eprintln!("{what}: {:.1} s", start.elapsed().as_secs_f64());
        }
    }
    report.tables.push(table);
    Ok(report)
}

/// What was found about the nodes of one field.
#[derive(Default)]
struct Verdict {
    not_rounded: u64,
    beyond_oracle: u64,
    largest_ulps: u32,
    wrong_signs: u64,
    on_surface: u64,
    not_whole: u64,
    /// The first wrong node, in words.
    first_wrong: Option<String>,
}

impl Verdict {
    fn new(mesh: &TriMesh, nodes: &[StoredNode]) -> Self {
        let points: Vec<DVec3> = nodes.iter().map(|node| node.position).collect();
        let distances = brute_force::distances(mesh, &points);
        let windings = brute_force::winding_numbers(mesh, &points);
        let size = mesh.bounds().extent().max_element();
        let orientation = mesh.signed_volume().signum();

        let mut verdict = Self::default();
        for ((node, distance), winding) in nodes.iter().zip(distances).zip(windings) {
            let stored = node.value.abs();
            let error = ORACLE_ERROR * size;
            let (low, high) = ((distance - error) as f32, (distance + error) as f32);
            let is_beyond = !(low..=high).contains(&stored);
            verdict.not_rounded += u64::from(stored != distance as f32);
            verdict.beyond_oracle += u64::from(is_beyond);
            verdict.largest_ulps =
                verdict.largest_ulps.max(stored.to_bits().abs_diff((distance as f32).to_bits()));
            let mut is_wrong = is_beyond;
            if distance < ON_SURFACE * size {
                verdict.on_surface += 1;
            } else {
                let winding = winding * orientation;
                verdict.not_whole += u64::from((winding - winding.round()).abs() > NOT_WHOLE);
                let has_wrong_sign = (winding > 0.5) != (node.value < 0.0);
                verdict.wrong_signs += u64::from(has_wrong_sign);
                is_wrong |= has_wrong_sign;
            }
            if is_wrong && verdict.first_wrong.is_none() {
                verdict.first_wrong = Some(format!(
                    "the first wrong node is at {} with spacing {}: stored {:e}, distance {distance:e}, winding number {winding}.",
                    node.position, node.step, node.value
                ));
            }
        }
        verdict
    }

    fn row(&self, model: &Model, field: String, nodes: &[StoredNode]) -> Vec<String> {
        let fine = nodes.iter().filter(|node| node.step == 1).count();
        vec![
            model.name.clone(),
            count(model.mesh.triangles().len() as u64),
            field,
            count(nodes.len() as u64),
            count(fine as u64),
            count(self.not_rounded),
            count(self.beyond_oracle),
            number(f64::from(self.largest_ulps)),
            count(self.wrong_signs),
            count(self.on_surface),
            count(self.not_whole),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An experiment that finds no faults must be able to find them.
    #[test]
    fn nodes_spoilt_on_purpose_are_found() {
        let knot = built_in_knot().unwrap().mesh;
        let field = Field::from_mesh(&knot, &FieldOptions { resolution: 32, ..Default::default() }).unwrap();
        let (mut nodes, _) = stored_nodes::draw(&field, 100, 1);
        assert_eq!(nodes.len(), 100);
        let sound = Verdict::new(&knot, &nodes);
        assert_eq!((sound.not_rounded, sound.wrong_signs), (0, 0));
        assert!(sound.first_wrong.is_none());

        nodes[7].value = nodes[7].value.next_up();
        nodes[8].value = -nodes[8].value;
        let spoilt = Verdict::new(&knot, &nodes);
        assert_eq!((spoilt.not_rounded, spoilt.beyond_oracle, spoilt.largest_ulps), (1, 1, 1));
        assert_eq!(spoilt.wrong_signs, 1);
        assert!(spoilt.first_wrong.is_some());
    }
}
