//! How many substeps make cloth as stiff as it says?

use isotouch::cloth::{Cloth, ClothOptions, ClothWorld, ClothWorldOptions, garments};
use isotouch::math::DVec3;

use super::Setup;
use crate::report::{Report, Table, count, number};
use crate::timing::seconds_of;

/// Squares along a side, and the substeps of a step of 10 ms that are tried: more stretch than a hundredth with some, less with others.
const CASES: [(usize, &[u32]); 3] = [(35, &[5, 10, 20, 40]), (99, &[20, 40, 80]), (315, &[120, 180, 240])];
/// The stretch that is asked for.
const WANTED: f64 = 0.01;
/// It no longer changes when it stays within this part of itself for as many steps as it is looked back on.
const SETTLED: f64 = 0.02;
const LOOKED_BACK: usize = 8;
/// Steps of 10 ms after which it is not waited any longer.
const MOST_STEPS: usize = 100;
/// 1/s. A sheet that is stretched by a hundredth of its metre swings with √(g/δ) = 44 rad/s: with this it comes to rest within some tenths of a second, and where it does is the same.
const DAMPING: f64 = 60.0;

/// A sheet that was hung up.
struct Hung {
    substeps: u32,
    stretch: f64,
    steps: usize,
    is_settled: bool,
    /// Wall-clock time.
    seconds: f64,
}

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let mut table = Table::new(
        format!(
            "A sheet of 1 m × 1 m and 2000 N/m hung from an edge until its stretch no longer changes: the most stretched place, {} threads",
            setup.threads
        ),
        &["particles", "substeps of 10 ms", "after, s", "stretch, %", "substeps per second"],
    );
    let mut needed = Table::new(
        "Substeps of 10 ms for 1 % of stretch",
        &["particles", "substeps", "stretch falls with their power", "seconds for a second of motion"],
    );
    let cases: &[(usize, &[u32])] = if setup.quick { &[(10, &[2, 4])] } else { &CASES };
    for &(squares, all) in cases {
        let particles = count((squares + 1).pow(2) as u64);
        let mut rows = Vec::new();
        for &substeps in all {
            eprintln!("{squares} squares, {substeps} substeps");
            let of = hung(squares, substeps)?;
            table.row(vec![
                particles.clone(),
                count(u64::from(substeps)),
                number(0.01 * of.steps as f64),
                number(100.0 * of.stretch),
                number(of.per_second()),
            ]);
            if !of.is_settled && !setup.quick {
                report.failures.push(format!(
                    "{particles} particles, {substeps} substeps: the stretch still changes after {} s",
                    0.01 * of.steps as f64
                ));
            }
            rows.push(of);
        }
        let Some((substeps, power, is_between)) = substeps_for(WANTED, &rows) else { continue };
        let about = if is_between { "" } else { " (beyond those tried)" };
        let fastest = rows.iter().map(Hung::per_second).fold(0.0, f64::max);
        needed.row(vec![
            particles,
            format!("{}{about}", number(substeps)),
            number(power),
            number(100.0 * substeps / fastest),
        ]);
    }
    report.tables.extend([table, needed]);
    report.remarks.push(
        "Its own weight would stretch it by 0.04 % at the top. The rest is what one round per substep leaves over. Between the two rows on either side of 1 % it is taken to fall with a power of the substeps, which the second table has; seconds for a \
         second of motion are at the most substeps per second of the first."
            .into(),
    );
    Ok(report)
}

impl Hung {
    fn per_second(&self) -> f64 {
        f64::from(self.substeps) * self.steps as f64 / self.seconds
    }
}

/// How many substeps make this stretch, the power that it falls with there, and whether that is between two that were tried: s = s₀·(n₀/n)ᵖ through the two nearest rows.
fn substeps_for(wanted: f64, rows: &[Hung]) -> Option<(f64, f64, bool)> {
    let is_between = |pair: &[Hung]| pair[0].stretch >= wanted && wanted >= pair[1].stretch;
    let found = rows.windows(2).find(|pair| is_between(pair));
    let beyond = if rows.first()?.stretch < wanted { rows.windows(2).next() } else { rows.windows(2).last() };
    let [low, high] = found.or(beyond)? else { return None };
    let power = (low.stretch / high.stretch).ln() / (f64::from(high.substeps) / f64::from(low.substeps)).ln();
    let substeps = f64::from(low.substeps) * (low.stretch / wanted).powf(1.0 / power);
    Some((substeps, power, found.is_some()))
}

/// Hangs a sheet up and waits.
fn hung(squares: usize, substeps: u32) -> anyhow::Result<Hung> {
    let pins = (0..=squares).collect();
    let options = ClothOptions { pins, self_collision: false, damping: DAMPING, ..Default::default() };
    let mut cloth = Cloth::from_mesh(&garments::tablecloth(1.0, squares)?, &options)?;
    // Hanging already.
    let hung: Vec<DVec3> = cloth.places().iter().map(|p| DVec3::new(p.x, -p.z - 0.5, 0.0)).collect();
    cloth.set_places(&hung)?;
    let mut world = ClothWorld::new(ClothWorldOptions { substeps, ..Default::default() });
    let id = world.add_cloth(cloth);
    let (mut stretches, mut seconds) = (Vec::new(), 0.0);
    let mut is_settled = false;
    while !is_settled && stretches.len() < MOST_STEPS {
        let mut stepped = Ok(());
        seconds += seconds_of(|| stepped = world.step(0.01).map(|_| ()));
        stepped?;
        stretches.push(world.cloth(id).largest_stretch());
        is_settled = has_settled(&stretches);
    }
    let stretch = stretches.last().copied().unwrap_or_default();
    Ok(Hung { substeps, stretch, steps: stretches.len(), is_settled, seconds })
}

fn has_settled(stretches: &[f64]) -> bool {
    let Some(last) = stretches.len().checked_sub(LOOKED_BACK).map(|from| &stretches[from..]) else {
        return false;
    };
    let (low, high) = last.iter().fold((f64::INFINITY, 0.0f64), |(low, high), &s| (low.min(s), high.max(s)));
    high - low <= SETTLED * high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_law_is_found_between_rows_and_beyond_them() {
        let row = |substeps: u32| {
            let stretch = 4.0 / f64::from(substeps).powi(2);
            Hung { substeps, stretch, steps: 1, is_settled: true, seconds: 1.0 }
        };
        for (rows, is_in) in [([10, 40], true), ([5, 10], false), ([40, 80], false)] {
            let (substeps, power, is_between) = substeps_for(0.01, &rows.map(row)).unwrap();
            assert!((substeps - 20.0).abs() < 1e-9 && (power - 2.0).abs() < 1e-9);
            assert_eq!(is_between, is_in);
        }
    }

    #[test]
    fn what_swings_is_not_settled() {
        let swinging: Vec<f64> = (0..20).map(|k| 0.01 + 0.001 * f64::from(k).sin()).collect();
        assert!(!has_settled(&swinging) && !has_settled(&[0.01; 3]) && has_settled(&[0.01; 8]));
    }
}
