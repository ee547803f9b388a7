//! Time of sparse fields against the width of the band: is it in proportion to the nodes?

use isotouch::field::{Execution, Field, FieldOptions};

use super::Setup;
use crate::report::{Report, Table, count, megabytes, number};
use crate::timing::best_time;

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let model = setup.bunny()?;
    let resolutions: &[u32] = if setup.quick { &[32, 48] } else { &[256, 512] };
    let bands: &[f64] = if setup.quick { &[1.5, 3.0] } else { &[1.5, 3.0, 6.0, 12.0] };
    let mut table = Table::new(
        format!("Sparse fields of {}", model.name),
        &[
            "N³",
            "band, cells",
            "s",
            "MB",
            "stored nodes",
            "ns per node",
            "ns per node·thread",
            "ns per further node",
        ],
    );
    let execution = Execution { threads: Some(setup.threads), ..Default::default() };
    for &resolution in resolutions {
        let mut narrower: Option<(f64, u64)> = None;
        for &band in bands {
            eprintln!("{}: {resolution}³, band {band}", model.name);
            let options = FieldOptions { resolution, band, ..Default::default() };
            let (seconds, built) = best_time(|| Field::from_mesh_with(&model.mesh, &options, &execution))?;
            let nodes = built.field.node_count();
            let per_node = seconds * 1e9 / nodes as f64;
            let per_further_node = narrower
                .filter(|&(_, fewer)| fewer < nodes)
                .map_or_else(crate::report::none, |(less, fewer)| {
                    number((seconds - less) * 1e9 / (nodes - fewer) as f64)
                });
            table.row(vec![
                format!("{resolution}³"),
                number(band),
                number(seconds),
                megabytes(built.field.bytes()),
                count(nodes),
                number(per_node),
                number(per_node * setup.threads as f64),
                per_further_node,
            ]);
            narrower = Some((seconds, nodes));
        }
    }
    let remark = format!(
        "Wall clock on {} threads, best of 3 below 2 s. 'Per further node' is the extra time over the extra nodes, compared with \
         the row above: were time in proportion to nodes, it would equal the time per node; what it is less by is a fixed \
         cost (search tree, coarse levels), what it is more by is the price of nodes further from the surface.",
        setup.threads
    );
    Ok(Report { tables: vec![table], remarks: vec![remark], ..Default::default() })
}
