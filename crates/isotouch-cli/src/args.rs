//! The command line: what may be said, and what is answered when it was said wrong.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{Parser, Subcommand};
use serde_json::json;

use crate::commands::{
    cast, check_path, compare, demo, distance, field, haptic, inspect, shell, simulate, slice, surface, sweep,
};
use crate::console;
use crate::failure::Exit;

/// Exact signed distance fields from triangle meshes.
#[derive(Debug, Parser)]
#[command(
    name = "isotouch",
    version,
    infer_long_args = false,
    after_help = "Without a command, demo is run.\n\n\
        Examples:\n  \
        isotouch\n  \
        isotouch field part.obj -o part.field\n  \
        isotouch inspect part.field --json\n\n\
        Exit codes: 0 done, 1 contact found (sweep, check-path), 2 bad usage or input, 3 undecided (check-path, sweep), 4 failed \
        (such as a full disk), 130 interrupted (143 by SIGTERM)."
)]
pub(crate) struct Cli {
    /// Print one JSON object on stdout and nothing else there.
    #[arg(long, global = true, help_heading = "Output")]
    pub(crate) json: bool,
    /// Print no report and no progress; warnings and errors stay.
    #[arg(long, short, global = true, help_heading = "Output")]
    pub(crate) quiet: bool,
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build fields of the built-in shapes and draw them.
    Demo(demo::Args),
    /// Build the signed distance field of a mesh.
    Field(field::Args),
    /// Put points on the surface of a mesh, to touch fields with.
    Shell(shell::Args),
    /// Tell facts about meshes, fields, shells and scenes.
    Inspect(inspect::Args),
    /// Signed distances at points from a NumPy file.
    Distance(distance::Args),
    /// When moving points first touch a field.
    Cast(cast::Args),
    /// When a moving shell touches a field.
    Sweep(sweep::Args),
    /// Prove that a part can be moved along a path, or find where it touches.
    CheckPath(check_path::Args),
    /// Move the bodies of a scene: let them fall, collide, slide and come to rest.
    Simulate(simulate::Args),
    /// Feel a scene: a part in the hand of a haptic device, or of a simulated arm.
    Haptic(haptic::Args),
    /// Draw a slice through a field.
    Slice(slice::Args),
    /// Turn a level set of a field into a mesh.
    Surface(surface::Args),
    /// Tell how far two surfaces are apart.
    Compare(compare::Args),
}

/// Prints help or what was wrong with the arguments, as text or as JSON.
pub(crate) fn explain(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    let key = match error.kind() {
        ErrorKind::DisplayHelp => Some("help"),
        ErrorKind::DisplayVersion => Some("version"),
        _ => None,
    };
    // The arguments could not be parsed, so this looks for the flag itself.
    let wants_json = arguments.iter().skip(1).take_while(|a| *a != OsStr::new("--")).any(|a| a == "--json");
    let text = error.render().to_string();
    let printed = match (key, wants_json) {
        (Some(key), true) => console::write_stdout(&format!("{}\n", json!({ key: text.trim_end() }))),
        (Some(_), false) => ignore_closed_pipe(error.print()),
        (None, json) => {
            // To stderr; when that is gone there is nobody left to tell.
            let _ = error.print();
            if json {
                let answer = json!({ "error": in_one_line(&text), "warnings": [] });
                console::write_stdout(&format!("{answer}\n"))
            } else {
                Ok(())
            }
        }
    };
    match (printed, key) {
        (Err(_), _) => ExitCode::from(Exit::Failed as u8),
        (Ok(()), Some(_)) => ExitCode::from(Exit::Done as u8),
        (Ok(()), None) => ExitCode::from(Exit::BadInput as u8),
    }
}

fn ignore_closed_pipe(printed: std::io::Result<()>) -> std::io::Result<()> {
    match printed {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other,
    }
}

/// The message and its hints, without the usage that follows them.
fn in_one_line(text: &str) -> String {
    let message = text.split("\n\nUsage:").next().unwrap_or(text);
    let message = message.split("\n\nFor more information").next().unwrap_or(message);
    let message = message.strip_prefix("error: ").unwrap_or(message);
    message.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        Cli::command().debug_assert();
    }

    #[test]
    fn errors_fit_in_a_line() {
        let error = Cli::try_parse_from(["isotouch", "inspect", "--frobnicate"]).unwrap_err();
        let line = in_one_line(&error.render().to_string());
        assert!(line.starts_with("unexpected argument '--frobnicate'") && !line.contains("Usage"), "{line}");
    }
}
