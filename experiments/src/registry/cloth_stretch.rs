//! How many substeps make cloth as stiff as it says?

use isotouch::cloth::{Cloth, ClothOptions, ClothWorld, ClothWorldOptions, garments};
use isotouch::math::DVec3;

use super::Setup;
use crate::report::{Report, Table, count, number};
use crate::timing::seconds_of;

/// Squares along a side, steps of 10 ms, and the substeps of a step that are tried.
const CASES: [(usize, u32, &[u32]); 3] =
    [(35, 100, &[5, 10, 20, 40]), (99, 50, &[20, 40, 80]), (315, 10, &[80, 160])];

pub(crate) fn run(setup: &Setup) -> anyhow::Result<Report> {
    let mut report = Report::default();
    let mut table = Table::new(
        format!(
            "A sheet of 1 m × 1 m and 2000 N/m hung from an edge: the most stretched place, {} threads",
            setup.threads
        ),
        &["particles", "substeps of 10 ms", "after, s", "stretch, %", "substeps per second"],
    );
    let cases: &[(usize, u32, &[u32])] = if setup.quick { &[(10, 10, &[4])] } else { &CASES };
    for &(squares, steps, all) in cases {
        let particles = count((squares + 1).pow(2) as u64);
        let mut enough = None;
        for &substeps in all {
            eprintln!("{squares} squares, {substeps} substeps");
            let (stretch, seconds) = hung(squares, steps, substeps)?;
            if stretch < 0.01 {
                enough = enough.or(Some(substeps));
            }
            table.row(vec![
                particles.clone(),
                count(u64::from(substeps)),
                number(0.01 * f64::from(steps)),
                number(100.0 * stretch),
                number(f64::from(substeps * steps) / seconds),
            ]);
        }
        report.remarks.push(match enough {
            Some(substeps) => {
                format!(
                    "{particles} particles: below 1 % of stretch with {substeps} substeps of a step of 10 ms."
                )
            }
            None => format!("{particles} particles: none of these is below 1 % of stretch."),
        });
    }
    report.tables.push(table);
    report.remarks.push(
        "Its own weight would stretch it by 0.04 % at the top. The rest is what one round per substep leaves over: it grows with the square of the number of rows, and falls with the \
         square of the substeps."
            .into(),
    );
    Ok(report)
}

/// The largest stretch at the end, and seconds of wall-clock time.
fn hung(squares: usize, steps: u32, substeps: u32) -> anyhow::Result<(f64, f64)> {
    let pins = (0..=squares).collect();
    let options = ClothOptions { pins, self_collision: false, damping: 3.0, ..Default::default() };
    let mut cloth = Cloth::from_mesh(&garments::tablecloth(1.0, squares)?, &options)?;
    // Hanging already.
    let hung: Vec<DVec3> = cloth.places().iter().map(|p| DVec3::new(p.x, -p.z - 0.5, 0.0)).collect();
    cloth.set_places(&hung)?;
    let mut world = ClothWorld::new(ClothWorldOptions { substeps, ..Default::default() });
    let id = world.add_cloth(cloth);
    let mut failed = None;
    let seconds = seconds_of(|| {
        for _ in 0..steps {
            failed = failed.take().or(world.step(0.01).err());
        }
    });
    match failed {
        Some(error) => Err(error.into()),
        None => Ok((world.cloth(id).largest_stretch(), seconds)),
    }
}
