//! Knowing what a build will need before it starts.

use std::fs;

use super::{BuildError, nodes};
use crate::field::storage::bricks::{BRICK, BRICK_NODES, TILE};
use crate::field::{Execution, FieldOptions, Grid, StorageKind};

/// Bytes a field will take, before anything is computed. Dense: exact. Sparse: from the surface's area, within some ten
/// per cent for smooth surfaces.
fn estimate(grid: &Grid, storage: StorageKind, area: f64, band: f64) -> u64 {
    // Nodes, and a range of two values for every 8³ cells.
    let dense = grid.node_count().saturating_mul(4).saturating_add(grid.node_count() / 64);
    match storage {
        StorageKind::Dense => dense,
        StorageKind::Sparse => {
            let (steps, top) = nodes::steps(grid);
            let brick_bytes = (BRICK_NODES * 4 + 8) as f64;
            let bricks: f64 = steps
                .iter()
                .map(|&step| {
                    let h = grid.cell * f64::from(step);
                    // Bricks whose centre is within band + 2.5·√3 cells of the surface.
                    area / (h * h) * 2.0 * (band + 2.5 * 3f64.sqrt()) / BRICK_NODES as f64
                })
                .sum();
            let top_nodes = (grid.cells / top + 2).as_dvec3().element_product();
            // For every tile of the box its index, and a range in the pyramid, which grows by a seventh above it.
            let tiles: f64 = (grid.cells / (BRICK * TILE) + 1).as_dvec3().element_product();
            let bytes = bricks * brick_bytes + top_nodes * 4.0 + tiles * (4.0 + 8.0 * 8.0 / 7.0);
            (bytes as u64).min(dense.saturating_mul(2))
        }
    }
}

/// An error when the field will take more bytes than it may.
pub(super) fn check_field(
    grid: &Grid,
    options: &FieldOptions,
    area: f64,
    execution: &Execution<'_>,
) -> Result<(), BuildError> {
    let remedy = match options.storage {
        StorageKind::Dense => "a lower resolution or sparse storage",
        StorageKind::Sparse => SMALLER,
    };
    check_with(estimate(grid, options.storage, area, options.band), execution, remedy)
}

/// What makes any build need less.
const SMALLER: &str = "a lower resolution or a narrower band";

/// An error when so many bytes are more than the build may take.
pub(super) fn check(needed: u64, execution: &Execution<'_>) -> Result<(), BuildError> {
    check_with(needed, execution, SMALLER)
}

fn check_with(needed: u64, execution: &Execution<'_>, remedy: &'static str) -> Result<(), BuildError> {
    let available = execution.memory_limit.or_else(available_memory).unwrap_or(u64::MAX);
    if needed > available { Err(BuildError::TooMuchMemory { needed, available, remedy }) } else { Ok(()) }
}

/// Memory this process may still take, where the system tells: what the machine has, and what its container allows.
pub fn available_memory() -> Option<u64> {
    let of_container = || {
        let number = |name: &str| {
            fs::read_to_string(format!("/sys/fs/cgroup/{name}")).ok()?.trim().parse::<u64>().ok()
        };
        Some(number("memory.max")?.saturating_sub(number("memory.current")?))
    };
    match (of_machine(), of_container()) {
        (Some(machine), Some(container)) => Some(machine.min(container)),
        (machine, container) => machine.or(container),
    }
}

fn of_machine() -> Option<u64> {
    let info = fs::read_to_string("/proc/meminfo").ok()?;
    let line = info.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().trim_end_matches("kB").trim().parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// `count` zeros, or an error instead of an abort when there is no room for them.
pub(super) fn zeroed(count: usize) -> Result<Vec<f32>, BuildError> {
    let needed = count as u64 * 4;
    let mut probe: Vec<f32> = Vec::new();
    probe.try_reserve_exact(count).map_err(|_| BuildError::TooMuchMemory {
        needed,
        available: 0,
        remedy: SMALLER,
    })?;
    drop(probe);
    // From zeroed pages: they are touched first by the thread that fills them.
    Ok(vec![0.0; count])
}
