//! What is kept of the legs of a path, however many there are.

use isotouch::ccd::path::{Answer, LegReport};
use isotouch::output::plot::ClearancePlot;
use serde_json::{Value, json};

use crate::format::{number, plural};

/// Legs that programs are told one by one.
const MOST_TOLD: usize = 10_000;
/// Lines of the table for people.
const MOST_LINES: usize = 24;

pub(super) struct Legs {
    count: usize,
    /// Patches that were looked at.
    pub(super) looks: u64,
    /// The first ones.
    told: Vec<Value>,
    /// Those with the least clearance, and some others.
    tightest: Vec<(usize, LegReport)>,
    /// What is drawn of them, if anything is.
    pub(super) plot: Option<ClearancePlot>,
}

impl Legs {
    pub(super) fn new(plot: Option<ClearancePlot>) -> Self {
        Self { count: 0, looks: 0, told: Vec::new(), tightest: Vec::new(), plot }
    }

    /// Takes the next one.
    pub(super) fn add(&mut self, number: usize, leg: LegReport) {
        self.count += 1;
        self.looks += leg.looks;
        if self.told.len() < MOST_TOLD {
            self.told.push(as_json(&leg));
        }
        if let Some(plot) = &mut self.plot {
            plot.add_bound(number, leg.clearance);
            for of in &leg.stretches {
                plot.add_contact(number as f64 + of.start, number as f64 + of.end);
            }
        }
        self.tightest.push((number, leg));
        if self.tightest.len() == 4 * MOST_LINES {
            self.keep_tightest();
        }
    }

    fn keep_tightest(&mut self) {
        self.tightest.sort_by(|(a, x), (b, y)| x.clearance.total_cmp(&y.clearance).then(a.cmp(b)));
        self.tightest.truncate(MOST_LINES);
    }

    /// A line for each leg; where there are many, for the tightest.
    pub(super) fn table(&mut self) -> Vec<String> {
        self.keep_tightest();
        self.tightest.sort_by_key(|(number, _)| *number);
        let mut lines = vec![format!("  {:>8}  {:9}  {:>12}  contact", "leg", "answer", "clearance ≥")];
        for (k, leg) in &self.tightest {
            let stretches: Vec<String> = leg
                .stretches
                .iter()
                .map(|of| format!("{} to {}", number(of.start), number(of.end)))
                .collect();
            let line = format!(
                "  {:>8}  {:9}  {:>12}  {}",
                k + 1,
                leg.answer.name(),
                if leg.answer == Answer::LetPass { String::new() } else { number(leg.clearance) },
                stretches.join(", ")
            );
            lines.push(line.trim_end().into());
        }
        let hidden = self.count - self.tightest.len();
        if hidden > 0 {
            lines.push(format!("  and {} with more clearance", plural(hidden as u64, "leg")));
        }
        lines
    }

    /// For programs, and how many are left out.
    pub(super) fn into_json(self) -> (Vec<Value>, usize) {
        let left_out = self.count - self.told.len();
        (self.told, left_out)
    }
}

fn as_json(leg: &LegReport) -> Value {
    let contacts: Vec<Value> =
        leg.stretches.iter().map(|of| json!({ "start": of.start, "end": of.end })).collect();
    json!({
        "answer": leg.answer.name(),
        "checked_from": leg.from,
        "clearance": leg.clearance,
        "nearest": leg.nearest.map(|near| json!({ "t": near.t, "distance": near.distance, "point": near.point.to_array() })),
        "contacts": contacts,
    })
}
