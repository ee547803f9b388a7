//! Ctrl-C: the job stops, leaves nothing half-written, and says 130.
#![cfg(unix)]

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::{Desk, Run};

/// Far longer than the tests wait before they interrupt.
const LONG_BUILD: [&str; 8] =
    ["field", "part.obj", "-o", "big.field", "--resolution", "1500", "--threads", "1"];

fn interrupt(child: &Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
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
