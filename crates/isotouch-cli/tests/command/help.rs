//! Help: on every command, with examples that work when they are typed.

use crate::Desk;

const COMMANDS: [&str; 10] =
    ["demo", "field", "shell", "inspect", "distance", "cast", "haptic", "slice", "surface", "compare"];

fn examples(help: &str) -> Vec<Vec<String>> {
    let lines = help.lines().filter_map(|line| line.strip_prefix("  isotouch"));
    let lines = lines.filter(|rest| rest.is_empty() || rest.starts_with(' '));
    lines.map(|rest| rest.split_whitespace().map(str::to_owned).collect()).collect()
}

#[test]
fn every_example_runs() {
    let desk = Desk::new();
    desk.make_field("part.field");
    crate::cast::write_segments(&desk);
    let mut helps = vec![vec!["--help"]];
    helps.extend(COMMANDS.map(|command| vec![command, "--help"]));
    for arguments in helps {
        let help = desk.succeed(&arguments).stdout;
        let examples = examples(&help);
        assert!(!examples.is_empty(), "{help}");
        for example in examples {
            let words: Vec<&str> = example.iter().map(String::as_str).collect();
            desk.succeed(&words);
        }
    }
}

#[test]
fn help_names_every_command_and_short_help_exists() {
    let desk = Desk::new();
    let help = desk.succeed(&["-h"]).stdout;
    for command in COMMANDS {
        assert!(help.contains(&format!("\n  {command} ")), "{help}");
        assert!(desk.succeed(&[command, "-h"]).stdout.contains("Examples:"));
        assert!(desk.succeed(&["help", command]).stdout.contains("Examples:"));
    }
}
