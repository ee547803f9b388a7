//! `isotouch … | head -1` ends quietly.

use std::process::Stdio;

use crate::Desk;

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let desk = Desk::new();
    for arguments in [
        &["inspect", "part.obj"][..],
        &["inspect", "part.obj", "--json"],
        &["--help"],
        &["slice", "--help", "--json"],
        &["demo", "--resolution", "16"],
    ] {
        let mut command = desk.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[test]
fn a_bad_file_is_still_told_by_the_exit_code() {
    let desk = Desk::new();
    let mut command = desk.command(&["inspect", "none.obj", "--json"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(2));
}
