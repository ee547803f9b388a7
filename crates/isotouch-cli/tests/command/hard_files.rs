//! Every hard and every odd file, where this machine has them, through `inspect` and `field`: never a panic, never long, never
//! much memory, and each failure says what is wrong with which file.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout)]

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::{Desk, Run};

/// Of address space, which is more than what is used, in KiB: 2 GiB.
const MEMORY: u32 = 2 << 20;
/// Of the processor: the clock also runs while other tests have it.
const LONGEST: Duration = Duration::from_secs(20);
/// Of the clock, for what waits for something that never comes.
const LONGEST_WAIT: Duration = Duration::from_secs(180);

fn models() -> Option<PathBuf> {
    let folder = std::env::var_os("ISOTOUCH_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"), PathBuf::from);
    if folder.join("hard").is_dir() && folder.join("fuzz").is_dir() {
        return folder.canonicalize().ok();
    }
    println!("skipped: no models at {} (set ISOTOUCH_MODELS to their folder)", folder.display());
    None
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// How long a process had the processor, in itself and in the system.
fn processor_time(process: u32) -> Duration {
    // After the name, which may hold spaces, the 12th and 13th fields are ticks, 100 in a second.
    let fields = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let after_name = fields.rsplit(')').next().unwrap_or_default();
    let ticks: u64 =
        after_name.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    Duration::from_millis(10 * ticks)
}

#[test]
fn time_of_the_processor_is_counted() {
    let begun = processor_time(std::process::id());
    let started = Instant::now();
    let mut x = 1u64;
    while processor_time(std::process::id()) < begun + Duration::from_millis(100) {
        x = std::hint::black_box(x.wrapping_mul(3));
        assert!(started.elapsed() < LONGEST_WAIT, "no time was counted");
    }
}

/// One worker's corner of the desk, so that workers do not see each other's files.
struct Corner<'a> {
    desk: &'a Desk,
    name: String,
}

impl Corner<'_> {
    fn path(&self, what: &str) -> PathBuf {
        self.desk.path(&format!("{}-{what}", self.name))
    }

    /// Runs the program with little memory; an error when it takes too long.
    fn run(&self, arguments: &[&str]) -> Result<Run, String> {
        let mut command = Command::new("sh");
        let script = format!("ulimit -v {MEMORY} && exec \"$0\" \"$@\"");
        command.args(["-c", &script, env!("CARGO_BIN_EXE_isotouch")]).args(arguments);
        // Files take any amount of output without anyone reading meanwhile.
        let (out, err) = (self.path("out"), self.path("err"));
        command.stdin(Stdio::null()).stdout(File::create(&out).unwrap()).stderr(File::create(&err).unwrap());
        let started = Instant::now();
        let mut child = command.spawn().unwrap();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if processor_time(child.id()) > LONGEST || started.elapsed() > LONGEST_WAIT {
                child.kill().unwrap();
                child.wait().unwrap();
                return Err(format!("{} took longer than {LONGEST:?}", arguments[0]));
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let read = |path| String::from_utf8_lossy(&std::fs::read(path).unwrap()).into_owned();
        let run = Run { code: status.code(), stdout: read(&out), stderr: read(&err) };
        if run.stderr.contains("panicked") || !matches!(run.code, Some(0 | 2)) {
            return Err(format!("{} ended with {status}: {}", arguments[0], run.stderr));
        }
        Ok(run)
    }

    /// A refusal is a line that names the file and says something about it.
    fn check_refusal(path: &Path, run: &Run) -> Result<(), String> {
        let name = path.file_name().unwrap().to_str().unwrap();
        let line = run.stderr.lines().find(|line| line.starts_with("error:")).unwrap_or_default();
        match line.split_once(name) {
            Some((_, reason)) if reason.trim_matches([':', ' ', '.']).len() > 10 => Ok(()),
            _ => Err(format!("a failure without the file's name or a reason: {}", run.stderr)),
        }
    }

    /// What becomes of one file.
    fn take(&self, path: &Path) -> Result<Outcome, String> {
        let file = path.to_str().unwrap();
        let seen = self.run(&["inspect", file, "--json"])?;
        if seen.code == Some(2) {
            Self::check_refusal(path, &seen)?;
            return Ok(Outcome::NotRead);
        }
        let facts: Value = serde_json::from_str(&seen.stdout).map_err(|error| error.to_string())?;
        let triangles = facts["files"][0]["triangles"].as_u64().ok_or(format!("no triangles in {facts}"))?;
        if triangles == 0 {
            return Ok(Outcome::NoTriangles);
        }
        let field = self.path("a.field");
        let arguments =
            ["field", file, "-o", field.to_str().unwrap(), "--resolution", "64", "--threads", "1"];
        let built = self.run(&arguments)?;
        if built.code == Some(2) {
            Self::check_refusal(path, &built)?;
            return if field.exists() { Err("a refusal left a field".into()) } else { Ok(Outcome::Refused) };
        }
        let verified = self.run(&["inspect", "--verify", field.to_str().unwrap()])?;
        if verified.code != Some(0) {
            return Err(format!("a field that does not hold: {}", verified.stderr));
        }
        std::fs::remove_file(field).unwrap();
        Ok(Outcome::Built)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    NotRead,
    NoTriangles,
    Refused,
    Built,
}

#[test]
fn every_hard_file_ends_in_a_field_or_a_reason() {
    let Some(folder) = models() else { return };
    let files = [files_in(&folder.join("hard")), files_in(&folder.join("fuzz"))].concat();
    assert!(files.len() > 200, "{} files", files.len());
    let desk = Desk::new();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for worker in 0..2 {
            let (desk, files, next, results) = (&desk, &files, &next, &results);
            scope.spawn(move || {
                let corner = Corner { desk, name: format!("worker-{worker}") };
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = corner.take(file);
                    results.lock().unwrap().push((file, result));
                }
            });
        }
    });
    let results = results.into_inner().unwrap();
    let count = |outcome| results.iter().filter(|(_, result)| *result == Ok(outcome)).count();
    let outcomes = [Outcome::Built, Outcome::Refused, Outcome::NoTriangles, Outcome::NotRead];
    println!("{:?}", outcomes.map(|outcome| (outcome, count(outcome))));
    let failures: Vec<String> = results
        .iter()
        .filter_map(|(file, result)| Some(format!("{}: {}", file.display(), result.as_ref().err()?)))
        .collect();
    assert!(failures.is_empty(), "{} files\n{}", failures.len(), failures.join("\n"));
    assert!(count(Outcome::Built) > 100, "most files have a solid");
}
