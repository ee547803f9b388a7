//! Runs every experiment in its small version and looks at what it prints.

// A test may fail by panicking, its helpers too.
#![allow(clippy::unwrap_used)]

use std::process::{Command, Output};

fn experiments(arguments: &[&str], without_models: bool) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_experiments"));
    command.args(arguments);
    if without_models {
        command.env("ISOTOUCH_MODELS", "");
    }
    command.output().unwrap()
}

fn names() -> Vec<String> {
    let output = experiments(&["list"], true);
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| line.split_whitespace().next().unwrap().to_string()).collect()
}

/// Every table has rows, and every row has numbers, all of them finite.
fn check_tables(name: &str, text: &str) {
    let lines: Vec<&str> = text.lines().collect();
    let rules: Vec<usize> = (0..lines.len()).filter(|&k| lines[k].starts_with("| --")).collect();
    assert!(!rules.is_empty(), "{name} printed no table:\n{text}");
    for rule in rules {
        let rows: Vec<&&str> = lines[rule + 1..].iter().take_while(|line| line.starts_with('|')).collect();
        assert!(!rows.is_empty(), "{name} printed a table without rows:\n{text}");
        for row in rows {
            let cells = row.split('|').map(|cell| cell.trim().replace(',', ""));
            let numbers: Vec<f64> = cells.filter_map(|cell| cell.parse().ok()).collect();
            assert!(!numbers.is_empty(), "{name}: no number in {row}");
            assert!(numbers.iter().all(|number| number.is_finite()), "{name}: not finite: {row}");
        }
    }
}

fn check_all(without_models: bool) {
    for name in names() {
        let output = experiments(&[&name, "--quick"], without_models);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{name} failed: {errors}");
        check_tables(&name, &String::from_utf8(output.stdout).unwrap());
    }
}

#[test]
fn every_experiment_runs_without_models() {
    check_all(true);
}

#[test]
fn every_experiment_runs_with_what_models_there_are() {
    check_all(false);
}

/// They make what they ask about themselves, and their full runs take long.
const NEED_NO_MODELS: [&str; 18] = [
    "exact",
    "alpha",
    "wires",
    "pile",
    "stability",
    "god-object",
    "peg",
    "landing-gear",
    "three-bars",
    "normals",
    "wall",
    "haptic-alpha",
    "sliding",
    "stuck",
    "haptic-loops",
    "cloth",
    "cloth-stretch",
    "flag-wires",
];

#[test]
fn missing_models_are_bad_input() {
    for name in names().into_iter().filter(|name| !NEED_NO_MODELS.contains(&name.as_str())) {
        let output = experiments(&[&name], true);
        assert_eq!(output.status.code(), Some(2), "{name}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.contains("no models were found") && errors.contains("--models"), "{name}: {errors}");
    }
    let output = experiments(&["band", "--quick", "--models", "no/such/folder"], true);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn unknown_names_are_bad_input() {
    let output = experiments(&["tabel1"], true);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().contains("table1"));
}

#[test]
fn an_exact_run_goes_on_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let state = folder.path().join("state.json");
    let state = state.to_str().unwrap();
    let run = |count: &str| {
        let output = experiments(&["exact", "--count", count, "--state", state], true);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (_, first) = run("10000");
    let (text, second) = run("30000");
    assert!(!first.contains("going on") && second.contains("going on after 10,000 queries"), "{second}");
    assert!(text.contains("**30,000 queries"), "{text}");
    let all = text.lines().rfind(|line| line.starts_with("| all ")).unwrap();
    let cells: Vec<&str> = all.split('|').map(str::trim).collect();
    assert_eq!(cells[2], "30,000");
    assert_eq!(cells[9..14], ["0"; 5], "nothing is broken: {all}");
}

#[test]
fn options_of_another_experiment_are_bad_input() {
    let output = experiments(&["band", "--quick", "--count", "5"], true);
    assert_eq!(output.status.code(), Some(2));
}
