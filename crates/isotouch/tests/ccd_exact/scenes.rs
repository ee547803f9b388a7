//! Small fields made of known nodes: smooth, rough, with corners and whole cells exactly at σ or one ulp beside it, of all sizes.

use isotouch::field::{Field, FieldOptions, Grid, StorageKind};
use isotouch::math::{DVec3, UVec3};

use crate::oracle::random::Random;
use crate::path::Nodes;

/// How nodes get their values.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Family {
    Smooth,
    Rough,
    /// Small whole numbers; σ is one of them.
    Integers,
    /// On diagonals, cubics with a double root at σ.
    DoubleRoots,
    /// Most nodes at σ.
    Plateaus,
    /// Whole numbers or one `f32` beside them.
    BesideIntegers,
    /// Distances to a ball: leaps pay here, and outside is certain.
    Ball,
    /// Whole numbers behind a wall of large values, so that outside is certain.
    Walled,
}

pub(crate) const FAMILIES: [Family; 8] = [
    Family::Smooth,
    Family::Rough,
    Family::Integers,
    Family::DoubleRoots,
    Family::Plateaus,
    Family::BesideIntegers,
    Family::Ball,
    Family::Walled,
];

pub(crate) struct Scene {
    pub(crate) grid: Grid,
    pub(crate) values: Vec<f32>,
    pub(crate) iso: f64,
    /// Values are about this large.
    pub(crate) scale: f32,
    pub(crate) dense: Field,
    /// All of it at full resolution, so the same interpolant; where its band can be that wide.
    pub(crate) sparse: Option<Field>,
}

impl Scene {
    pub(crate) fn new(family: Family, random: &mut Random) -> Self {
        let grid = grid(family, random);
        let scale = scale(random);
        let (mut values, whole_iso) = values(family, &grid, random);
        for value in &mut values {
            *value *= scale;
        }
        let iso = match family {
            // Whole numbers stay whole multiples of the scale: it is a power of two, or σ is rounded with them.
            Family::Smooth | Family::Rough | Family::Ball => f64::from(whole_iso) * f64::from(scale),
            _ => f64::from(whole_iso * scale),
        };
        let lipschitz = steepest(&grid, &values) / grid.cell * (1.0 + 1e-9);
        let lipschitz = if lipschitz > 0.0 { lipschitz } else { f64::from(scale) * 1e-9 / grid.cell };
        let largest = values.iter().fold(0f32, |largest, value| largest.max(value.abs()));
        // All values are in it, and more than their error bound: only then is σ the same for both.
        let band = 4.0 + 2.0 * (f64::from(largest) / grid.cell + lipschitz);
        let build = |options: FieldOptions| {
            Field::from_grid(grid, values.clone(), lipschitz, &options)
                .unwrap_or_else(|error| panic!("{family:?} {grid:?} {scale:e} {lipschitz:e}: {error}"))
        };
        let dense = build(FieldOptions { storage: StorageKind::Dense, ..Default::default() });
        let sparse = (band < 1e6)
            .then(|| build(FieldOptions { storage: StorageKind::Sparse, band, ..Default::default() }));
        Self { grid, values, iso, scale, dense, sparse }
    }

    /// Where the nodes are, in the order of their values.
    pub(crate) fn places(&self) -> impl Iterator<Item = DVec3> {
        let grid = self.grid;
        indices(&grid).map(move |at| grid.node_position(at.as_ivec3()))
    }

    pub(crate) fn nodes(&self) -> Nodes<'_> {
        Nodes { grid: &self.grid, values: &self.values }
    }
}

/// All nodes, x fastest.
fn indices(grid: &Grid) -> impl Iterator<Item = UVec3> + use<> {
    let n = grid.nodes();
    (0..n.x * n.y * n.z).map(move |index| UVec3::new(index % n.x, index / n.x % n.y, index / n.x / n.y))
}

/// The largest difference of neighbours.
fn steepest(grid: &Grid, values: &[f32]) -> f64 {
    let n = grid.nodes();
    let mut largest = 0f64;
    for (k, stride) in [(0, 1), (1, n.x), (2, n.x * n.y)] {
        for (index, &value) in values.iter().enumerate() {
            if index as u32 / stride % n[k] + 1 < n[k] {
                let next = values[index + stride as usize];
                largest = largest.max((f64::from(value) - f64::from(next)).abs());
            }
        }
    }
    largest
}

fn grid(family: Family, random: &mut Random) -> Grid {
    let cells = match (family, random.below(4)) {
        (Family::Ball, _) => UVec3::new(17, 14, 19),
        (_, 0) => UVec3::ONE,
        (_, 1) => UVec3::new(3, 9, 2),
        _ => UVec3::new(6, 5, 7),
    };
    let (origin, cell) = match random.below(8) {
        0..3 => (DVec3::ZERO, 1.0),
        3 => (DVec3::new(0.1, -0.7, 1.0 / 3.0), 0.1),
        4 => (DVec3::splat(1e6 + 0.1), 1.0 / 3.0),
        5 => (DVec3::new(-1e-3, 1e3, -2.5), 0.7e-3),
        6 => (random.in_cube(), 0.01 + random.unit()),
        _ => (DVec3::splat(-2f64.powi(-41)), 2f64.powi(-40)),
    };
    Grid { origin, cell, cells }
}

fn scale(random: &mut Random) -> f32 {
    match random.below(12) {
        0 => 2f32.powi(100),
        1 => 2f32.powi(-100),
        2 => 2f32.powi(-149),
        3 => 2f32.powi(-140),
        4 => 1e30,
        5 => 1e-37,
        6 => 0.1,
        _ => 1.0,
    }
}

/// One value per node, and σ.
fn values(family: Family, grid: &Grid, random: &mut Random) -> (Vec<f32>, f32) {
    let all: Vec<UVec3> = indices(grid).collect();
    let is_border = |at: UVec3| at.cmpeq(UVec3::ZERO).any() || at.cmpge(grid.cells).any();
    let mut whole = |count: usize| random.below(count) as f32;
    match family {
        Family::Smooth => {
            let waves: [(DVec3, f64); 3] =
                std::array::from_fn(|_| (1.2 * random.in_cube(), 6.0 * random.unit()));
            let value = |at: &UVec3| {
                waves.iter().map(|(wave, phase)| (at.as_dvec3().dot(*wave) + phase).sin()).sum::<f64>()
            };
            (all.iter().map(|at| value(at) as f32).collect(), random.unit() as f32 - 0.9)
        }
        Family::Rough => {
            let values = all.iter().map(|_| 2.0 * random.unit() as f32 - 1.0).collect();
            (values, 0.5 * random.unit() as f32 - 0.5)
        }
        Family::Integers => {
            let iso = whole(3) - 1.0;
            (all.iter().map(|_| whole(6) - 1.0).collect(), iso)
        }
        Family::DoubleRoots => {
            // 3, −1, −1, 3 are the Bernstein coefficients of 3(2s − 1)².
            let values = all.iter().map(|at| [3.0, -1.0, -1.0][(at.element_sum() % 3) as usize]);
            (values.collect(), 0.0)
        }
        Family::Plateaus => {
            let iso = whole(3) - 1.0;
            let above = 1 + random.below(8);
            let values = all.iter().map(|_| iso + if random.below(8) < above { 1.0 } else { 0.0 });
            (values.collect(), iso)
        }
        Family::BesideIntegers => {
            let values = all.iter().map(|_| {
                let value = random.below(3) as f32;
                [value.next_down(), value, value.next_up()][random.below(3)]
            });
            (values.collect(), 1.0)
        }
        Family::Ball => {
            let center = 0.5 * grid.cells.as_dvec3() + random.in_cube();
            let radius = 2.0 + 3.0 * random.unit();
            let iso = [0.0, 0.5, -0.5][random.below(3)];
            (all.iter().map(|at| (at.as_dvec3().distance(center) - radius) as f32).collect(), iso)
        }
        Family::Walled => {
            let values =
                all.iter().map(|&at| if is_border(at) { 16.0 } else { random.below(6) as f32 - 1.0 });
            (values.collect(), 0.0)
        }
    }
}
