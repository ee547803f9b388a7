//! Programs that are hard in one way or another.

use isotouch::contact::constraint::Row;
use isotouch::math::spatial::Cholesky6;
use isotouch::math::{DMat3, DQuat, DVec3, Mat6, Twist, Wrench};

/// SplitMix64 (Steele et al. 2014).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [−1, 1).
    pub(crate) fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.bits() % count as u64) as usize
    }

    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    pub(crate) fn direction(&mut self) -> DVec3 {
        self.vector().try_normalize().unwrap_or(DVec3::X)
    }

    pub(crate) fn power(&mut self, decades: f64) -> f64 {
        10f64.powf(decades * self.signed())
    }

    /// 0 to 200, small numbers as often as large ones.
    fn count(&mut self) -> usize {
        let most = [1, 4, 8, 16, 50, 201][self.below(6)];
        self.below(most)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Problem {
    pub(crate) metric: Mat6,
    pub(crate) target: Twist,
    pub(crate) rows: Vec<Row>,
}

impl Problem {
    pub(crate) fn factor(&self) -> Cholesky6 {
        Cholesky6::new(&self.metric).unwrap()
    }
}

/// The inertia of a body of some size, as a god object has it; `stiff` adds what friction adds.
fn metric(random: &mut Random, stiff: bool) -> Mat6 {
    let mass = random.power(2.0);
    let size = random.power(1.0);
    let axes = DMat3::from_quat(DQuat::from_axis_angle(random.direction(), 3.0 * random.signed()));
    let moments = DVec3::new(1.0, 1.0 + 0.5 * random.signed(), 1.0 + 0.5 * random.signed());
    let inertia = axes * DMat3::from_diagonal(moments * (mass * size * size)) * axes.transpose();
    let mut metric = Mat6::inertia(mass, inertia);
    if stiff {
        for _ in 0..1 + random.below(4) {
            let n = random.direction();
            let along = DMat3::IDENTITY - DMat3::from_cols(n * n.x, n * n.y, n * n.z);
            let arm = random.vector() * size;
            let weight = mass * 10f64.powf(2.0 + 2.0 * random.signed());
            metric += Mat6::at_arms(&(along * weight), arm, arm);
        }
    }
    metric
}

fn target(random: &mut Random, size: f64) -> Twist {
    Twist { linear: random.vector() * size, angular: random.vector() * size }
}

fn anything(random: &mut Random) -> Wrench {
    Wrench { force: random.vector(), torque: random.vector() }
}

pub(crate) struct Family {
    pub(crate) name: &'static str,
    pub(crate) make: fn(&mut Random) -> Problem,
}

pub(crate) const FAMILIES: [Family; 9] = [
    Family { name: "contacts", make: contacts },
    Family { name: "clustered", make: clustered },
    Family { name: "any rows", make: any_rows },
    Family { name: "copies", make: copies },
    Family { name: "nearly parallel", make: nearly_parallel },
    Family { name: "scales", make: scales },
    Family { name: "conflicts", make: conflicts },
    Family { name: "low rank", make: low_rank },
    Family { name: "integers", make: integers },
];

/// Points all over a body, gaps of either sign that a = 0 nearly meets.
fn contacts(random: &mut Random) -> Problem {
    let stiff = random.below(2) == 0;
    let metric = metric(random, stiff);
    let gap = [0.0, 1e-3, 0.1][random.below(3)];
    let rows = (0..random.count())
        .map(|_| Row::contact(random.direction(), random.vector(), gap * (random.signed() + 0.9)))
        .collect();
    Problem { metric, target: target(random, 1.0), rows }
}

/// Normals of a few faces, each with many points: the box on the table, the peg in the hole.
fn clustered(random: &mut Random) -> Problem {
    let metric = metric(random, false);
    let faces: Vec<DVec3> = (0..1 + random.below(4)).map(|_| random.direction()).collect();
    let noise = [0.0, 1e-12, 1e-6, 1e-2][random.below(4)];
    let rows = (0..random.count())
        .map(|_| {
            let n = faces[random.below(faces.len())] + random.vector() * noise;
            Row::contact(n, random.vector(), 1e-3 * random.signed().abs())
        })
        .collect();
    Problem { metric, target: target(random, 1.0), rows }
}

fn any_rows(random: &mut Random) -> Problem {
    let metric = metric(random, true);
    let rows = (0..random.count())
        .map(|_| Row { direction: anything(random), bound: 0.3 * random.signed() + 0.2 })
        .collect();
    Problem { metric, target: target(random, 3.0), rows }
}

/// The same rows again, turned round or scaled, with bounds that differ by nothing, by rounding or by much.
fn copies(random: &mut Random) -> Problem {
    let mut problem = any_rows(random);
    let originals = problem.rows.len();
    for _ in 0..originals.min(100) {
        let row = problem.rows[random.below(originals)];
        let factor = [1.0, 1.0, 3.0, 0.1, -1.0][random.below(5)];
        let apart = [0.0, 0.0, 1e-16, 1e-12, 1e-9, 1e-3][random.below(6)];
        problem.rows.push(Row {
            direction: row.direction * factor,
            bound: row.bound * factor + apart * random.signed(),
        });
    }
    problem
}

fn nearly_parallel(random: &mut Random) -> Problem {
    let mut problem = contacts(random);
    let originals = problem.rows.len();
    let noise = [1e-15, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-6, 1e-4][random.below(8)];
    for _ in 0..originals.min(100) {
        let row = problem.rows[random.below(originals)];
        let sign = if random.below(3) == 0 { -1.0 } else { 1.0 };
        problem.rows.push(Row {
            direction: (row.direction + anything(random) * noise) * sign,
            bound: row.bound * sign + random.signed() * noise * [0.0, 1.0, 1e3][random.below(3)],
        });
    }
    problem
}

/// Rows, bounds, targets and metrics of very different sizes.
fn scales(random: &mut Random) -> Problem {
    let size = random.power(12.0);
    let metric = metric(random, false) * random.power(20.0);
    let rows = (0..random.count())
        .map(|_| {
            let scale = random.power(30.0);
            let gap = size * random.power(3.0);
            Row { direction: anything(random) * scale, bound: scale * gap * (random.signed() + 0.8) }
        })
        .collect();
    Problem { metric, target: target(random, size), rows }
}

/// Bounds that often cannot be met together.
fn conflicts(random: &mut Random) -> Problem {
    let metric = metric(random, false);
    let shift = random.signed();
    let rows = (0..random.count())
        .map(|_| Row::contact(random.direction(), random.vector(), random.signed() + 0.5 * shift))
        .collect();
    Problem { metric, target: target(random, 1.0), rows }
}

/// All rows in a space of few dimensions: every seventh row depends on others, up to rounding.
fn low_rank(random: &mut Random) -> Problem {
    let metric = metric(random, false);
    let span: Vec<Wrench> = (0..1 + random.below(4)).map(|_| anything(random)).collect();
    let rows = (0..random.count())
        .map(|_| Row {
            direction: span.iter().fold(Wrench::ZERO, |sum, &w| sum + w * random.signed()),
            bound: [0.0, 0.2 * random.signed() + 0.1][random.below(2)],
        })
        .collect();
    Problem { metric, target: target(random, 1.0), rows }
}

/// Small whole numbers: exact duplicates, dependences, ties and zeros by the dozen.
fn integers(random: &mut Random) -> Problem {
    let mut whole = || random.below(3) as f64 - 1.0;
    let mut wrench = || Wrench {
        force: DVec3::new(whole(), whole(), whole()),
        torque: DVec3::new(whole(), whole(), whole()),
    };
    let target = wrench();
    let directions: Vec<Wrench> = (0..60).map(|_| wrench()).collect();
    let rows = directions[..random.count().min(60)]
        .iter()
        .map(|&direction| Row {
            direction,
            bound: random.below(3) as f64 * if random.below(12) == 0 { -1.0 } else { 1.0 },
        })
        .collect();
    Problem {
        metric: Mat6::inertia(1.0, DMat3::IDENTITY),
        target: Twist { linear: target.force * 4.0, angular: target.torque * 4.0 },
        rows,
    }
}
