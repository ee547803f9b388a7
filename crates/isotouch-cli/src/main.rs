//! The `isotouch` command.

mod args;
mod cache;
mod commands;
mod console;
mod failure;
mod format;
mod interrupt;
mod progress;
mod report;
mod values;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Cli;
use crate::console::Console;

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    match Cli::try_parse_from(&arguments) {
        Ok(cli) => {
            let console = Console::new(cli.json, cli.quiet);
            interrupt::watch(console.last_words());
            let outcome = commands::run(cli.command, &console);
            console.finish(outcome)
        }
        Err(error) => args::explain(&error, &arguments),
    }
}
