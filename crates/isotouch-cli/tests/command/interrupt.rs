//! Ctrl-C and SIGTERM: the job stops, leaves nothing half-written, and says 130 or 143.
#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Desk, Run};

/// Far longer than the tests wait before they interrupt.
const LONG_BUILD: [&str; 8] =
    ["field", "part.obj", "-o", "big.field", "--resolution", "1500", "--threads", "1"];

fn interrupt(child: &Child) {
    send("-INT", child);
}

fn send(signal: &str, child: &Child) {
    let sent = Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
}

fn start(desk: &Desk, more: &[&str]) -> Child {
    let arguments: Vec<&str> = LONG_BUILD.iter().chain(more).copied().collect();
    let mut command = desk.command(&arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none(), "the build should be running still");
    child
}

#[test]
fn one_stops_the_build_and_cleans_up() {
    let desk = Desk::new();
    let before = desk.files();
    let child = start(&desk, &["--json"]);
    let pressed = Instant::now();
    interrupt(&child);
    let run = Run::from(child.wait_with_output().unwrap());
    assert!(pressed.elapsed() < Duration::from_secs(5), "{:?}", pressed.elapsed());
    assert_eq!(run.code, Some(130), "{}", run.stderr);
    assert_eq!(run.json()["error"], "interrupted");
    assert_eq!(desk.files(), before);
}

#[test]
fn an_older_result_survives() {
    let desk = Desk::new();
    std::fs::write(desk.path("big.field"), "older").unwrap();
    let child = start(&desk, &[]);
    interrupt(&child);
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stdout.as_str()), (Some(130), ""));
    assert_eq!(run.stderr, "error: interrupted\n");
    assert_eq!(std::fs::read_to_string(desk.path("big.field")).unwrap(), "older");
}

#[test]
fn two_stop_at_once() {
    let desk = Desk::new();
    let child = start(&desk, &["--storage", "sparse"]);
    interrupt(&child);
    interrupt(&child);
    assert_eq!(Run::from(child.wait_with_output().unwrap()).code, Some(130));
}

#[test]
fn sigterm_does_the_same_and_says_143() {
    let desk = Desk::new();
    let before = desk.files();
    let child = start(&desk, &["--json"]);
    send("-TERM", &child);
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(143), "{}", run.stderr);
    assert_eq!(run.json()["error"], "interrupted");
    assert_eq!(desk.files(), before);
}

/// While the result is being written, the unfinished file goes away. (On a fast disk it may be finished instead.)
#[test]
fn sigterm_while_saving_leaves_no_unfinished_file() {
    let desk = Desk::new();
    let before = desk.files();
    let build = ["field", "part.obj", "-o", "big.field", "-r", "420", "--storage", "dense", "--quiet"];
    let mut child = desk.command(&build).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !desk.files().iter().any(|name| name.ends_with(".unfinished")) {
        assert!(child.try_wait().unwrap().is_none(), "it was to be caught while saving");
        std::thread::sleep(Duration::from_millis(1));
    }
    send("-TERM", &child);
    let run = Run::from(child.wait_with_output().unwrap());
    match run.code {
        Some(143) => assert_eq!(desk.files(), before),
        Some(0) => assert_eq!(desk.files().len(), before.len() + 1, "{:?}", desk.files()),
        other => panic!("{other:?}: {}", run.stderr),
    }
}

/// Programs wait for one JSON object, also when the process ends while a mesh is being read.
#[test]
fn reading_that_stops_at_once_still_answers_in_json() {
    let desk = Desk::new();
    assert!(Command::new("mkfifo").arg(desk.path("nobody-writes.obj")).status().unwrap().success());
    let reads = ["field", "nobody-writes.obj", "-o", "none.field", "--json"];
    let mut child = desk.command(&reads).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(700));
    assert!(child.try_wait().unwrap().is_none());
    interrupt(&child);
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!((run.code, run.stderr.as_str()), (Some(130), "error: interrupted\n"));
    assert_eq!(run.stdout, "{\"error\":\"interrupted\",\"warnings\":[]}\n");
}

/// What does not look whether it should stop, and leaves nothing behind, is ended at once.
#[test]
fn reading_and_drawing_stop_at_the_first() {
    let desk = Desk::new();
    assert!(Command::new("mkfifo").arg(desk.path("nobody-writes.obj")).status().unwrap().success());
    desk.run(&["field", "part.obj", "-o", "small.field", "--resolution", "16"]);
    let waits = ["inspect", "nobody-writes.obj"];
    let reads = ["field", "nobody-writes.obj", "-o", "none.field"];
    let draws = ["slice", "small.field", "-o", "wide.png", "--width", "16384"];
    let before = desk.files();
    for (arguments, signal, code) in
        [(&waits[..], "-TERM", 143), (&reads[..], "-INT", 130), (&draws[..], "-INT", 130)]
    {
        let mut command = desk.command(arguments);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(700));
        assert!(child.try_wait().unwrap().is_none(), "{arguments:?} should be running still");
        send(signal, &child);
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!((run.code, run.stderr.as_str()), (Some(code), "error: interrupted\n"), "{arguments:?}");
        assert_eq!(desk.files(), before);
    }
}
