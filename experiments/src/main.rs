//! Runs the experiments: the papers' tables, and comparisons with other software and with brute force.
//!
//! `cargo run --release -p experiments -- list` says what there is.

// A program whose product is text on standard output, with its progress on standard error.
#![allow(clippy::print_stdout, clippy::print_stderr)]

mod brute_force;
mod casting;
mod exact;
mod haptic_scenes;
mod machine;
mod models;
mod near_surface;
mod peers;
mod planner;
mod random;
mod registry;
mod report;
mod results;
mod stored_nodes;
mod timing;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use clap::Parser;

use crate::models::{Models, NoModels};
use crate::registry::{EXPERIMENTS, Experiment, Setup};

/// All experiments run on so many threads, so that their numbers can be compared with each other and with the targets.
const THREADS: usize = 2;

/// Runs one experiment and prints its tables as Markdown.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    /// Name of the experiment, or 'list'.
    name: String,
    /// A small version that takes seconds: shows that it works, measures nothing.
    #[arg(long)]
    quick: bool,
    /// Folder with the models [default: $ISOTOUCH_MODELS, or ../shared/models from the project's root].
    #[arg(long, value_name = "DIR")]
    models: Option<PathBuf>,
    /// Put the tables into docs/results.md as well.
    #[arg(long, conflicts_with = "quick")]
    write: bool,
    /// 'exact': queries in all, those of earlier runs with the same state included. 'god-object': random steps, in the same way. 'haptic-loops': seconds at each rate.
    #[arg(long, value_name = "N")]
    count: Option<u64>,
    /// 'exact' and 'god-object': file that says how far it has come [default: target/exact.json, target/god-object.json; none with --quick].
    #[arg(long, value_name = "FILE")]
    state: Option<PathBuf>,
    /// 'haptic-loops': seconds of the long session after the others; 0 for none [default: 600; 2 with --quick].
    #[arg(long, value_name = "N")]
    soak: Option<u64>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.name == "list" {
        for experiment in EXPERIMENTS {
            println!("{:<10} {}", experiment.name, experiment.about);
        }
        return ExitCode::SUCCESS;
    }
    let Some(experiment) = registry::find(&arguments.name) else {
        let names: Vec<&str> = EXPERIMENTS.iter().map(|e| e.name).collect();
        eprintln!("error: there is no experiment '{}'; there are: {}", arguments.name, names.join(", "));
        return ExitCode::from(2);
    };
    let takes_count = ["exact", "god-object", "haptic-loops"].contains(&experiment.name);
    if (arguments.count.is_some() && !takes_count)
        || (arguments.state.is_some() && !["exact", "god-object"].contains(&experiment.name))
        || (arguments.soak.is_some() && experiment.name != "haptic-loops")
    {
        eprintln!(
            "error: --count is for the experiments 'exact', 'god-object' and 'haptic-loops', --state for 'exact' and 'god-object', --soak for 'haptic-loops'"
        );
        return ExitCode::from(2);
    }
    match run(experiment, &arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(if error.is::<NoModels>() { 2 } else { 4 })
        }
    }
}

fn run(experiment: &Experiment, arguments: &Arguments) -> anyhow::Result<()> {
    // The global pool, because the peers use it too.
    rayon::ThreadPoolBuilder::new().num_threads(THREADS).build_global().context("could not start threads")?;
    let models = Models::locate(arguments.models.clone())?;
    let report = (experiment.run)(&Setup {
        quick: arguments.quick,
        models,
        threads: THREADS,
        count: arguments.count,
        state: arguments.state.clone(),
        soak: arguments.soak,
    })?;
    let block = results::block(experiment, &report);
    print!("{block}");
    if arguments.write {
        let path = results::path();
        results::write(&path, experiment.name, &block)
            .with_context(|| format!("could not write {}", path.display()))?;
        eprintln!("wrote {}", path.display());
    }
    if let Some(failure) = report.failures.first() {
        bail!("{} failed: {failure}", experiment.name);
    }
    Ok(())
}
