//! One file per command, and what they share: where fields come from and results go.

mod build_args;
pub(crate) mod cast;
pub(crate) mod check_path;
pub(crate) mod compare;
pub(crate) mod demo;
pub(crate) mod distance;
pub(crate) mod field;
pub(crate) mod haptic;
pub(crate) mod inspect;
mod inspect_recording;
mod inspect_scene;
mod legs;
mod output_path;
mod poses;
mod scene_source;
mod segments;
pub(crate) mod shell;
pub(crate) mod simulate;
pub(crate) mod slice;
mod source;
pub(crate) mod surface;
pub(crate) mod sweep;

use crate::args::Command;
use crate::console::Console;
use crate::failure::Failure;
use crate::report::Report;

pub(crate) fn run(command: Option<Command>, console: &Console) -> Result<Report, Failure> {
    match command {
        None => demo::run(&demo::Args::default(), console),
        Some(Command::Demo(args)) => demo::run(&args, console),
        Some(Command::Field(args)) => field::run(&args, console),
        Some(Command::Shell(args)) => shell::run(&args, console),
        Some(Command::Inspect(args)) => inspect::run(&args, console),
        Some(Command::Distance(args)) => distance::run(&args, console),
        Some(Command::Cast(args)) => cast::run(&args, console),
        Some(Command::Sweep(args)) => sweep::run(&args, console),
        Some(Command::CheckPath(args)) => check_path::run(&args, console),
        Some(Command::Simulate(args)) => simulate::run(&args, console),
        Some(Command::Haptic(args)) => haptic::run(&args, console),
        Some(Command::Slice(args)) => slice::run(&args, console),
        Some(Command::Surface(args)) => surface::run(&args, console),
        Some(Command::Compare(args)) => compare::run(&args, console),
    }
}
