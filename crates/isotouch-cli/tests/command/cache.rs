//! A mesh that stands in for its field is built once, whatever happens to the folder it is kept in.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use isotouch::mesh::{io, shapes};
use isotouch::output::npy;

use crate::{Desk, Run};

const ASK: [&str; 8] = ["distance", "part.obj", "--points", "points.npy", "-o", "d.npy", "-r", "24"];

/// Asks for distances, with more arguments; says what the cache did.
fn ask(desk: &Desk, more: &[&str]) -> String {
    let run = desk.succeed(&[&ASK[..], more, &["--json"]].concat());
    assert_eq!(npy::read(desk.path("d.npy")).unwrap().shape, [5]);
    run.json()["cache"].as_str().unwrap().to_owned()
}

/// Files of the cache with this extension, sorted.
fn kept(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut paths: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    paths
}

#[test]
fn the_second_time_it_is_there() {
    let desk = Desk::new();
    assert_eq!(ask(&desk, &[]), "built");
    let first = fs::read(desk.path("d.npy")).unwrap();
    assert_eq!(ask(&desk, &[]), "hit");
    assert!(fs::read(desk.path("d.npy")).unwrap() == first);
    // Another command, another name, another number of threads: the same field.
    let json = desk.succeed(&["slice", "part.obj", "-o", "s.png", "-r", "24", "--json"]).json();
    assert_eq!(json["cache"], "hit");
    fs::rename(desk.path("part.obj"), desk.path("renamed.obj")).unwrap();
    let arguments = ["surface", "renamed.obj", "-o", "s.obj", "-r", "24", "--threads", "1", "--json"];
    assert_eq!(desk.succeed(&arguments).json()["cache"], "hit");
    assert_eq!(kept(desk.cache(), "field").len(), 1);
    // A field needs no cache.
    desk.succeed(&["field", "renamed.obj", "-o", "part.field", "-r", "24"]);
    let json = desk.succeed(&["slice", "part.field", "-o", "s.png", "--json"]).json();
    assert!(json["cache"].is_null());
    assert_eq!(kept(desk.cache(), "field").len(), 1);
}

#[test]
fn other_options_and_other_content_are_other_fields() {
    let desk = Desk::new();
    let options = [
        &["--band", "4"][..],
        &["--padding", "0.1"],
        &["--storage", "dense"],
        &["--sign", "winding"],
        &["--sign", "soup"],
        &["--sign", "soup", "--gap", "0.05"],
        &["--sign", "soup", "--keep-cavities"],
        &["--scale", "2"],
    ];
    for (k, more) in options.iter().enumerate() {
        assert_eq!(ask(&desk, more), "built", "{more:?}");
        assert_eq!(ask(&desk, more), "hit", "{more:?}");
        assert_eq!(kept(desk.cache(), "field").len(), k + 1);
    }
    assert_eq!(ask(&desk, &[]), "built");
    io::write(desk.path("part.obj"), &shapes::by_name("box").unwrap()).unwrap();
    assert_eq!(ask(&desk, &[]), "built");
}

#[test]
fn warnings_come_with_it() {
    let desk = Desk::new();
    io::write(desk.path("inward.obj"), &shapes::by_name("torus").unwrap().flipped()).unwrap();
    fs::rename(desk.path("inward.obj"), desk.path("part.stl")).unwrap();
    let arguments = ["slice", "part.stl", "-o", "s.png", "-r", "24", "--json"];
    let [first, second] = [(); 2].map(|()| desk.succeed(&arguments).json());
    assert_eq!((&first["cache"], &second["cache"]), (&"built".into(), &"hit".into()));
    assert_eq!(first["warnings"], second["warnings"]);
    let said = second["warnings"].to_string();
    assert!(
        said.contains("part.stl contains OBJ") && said.contains("part.stl: the mesh is wound inward"),
        "{said}"
    );
}

#[test]
fn two_at_once_both_get_it() {
    let desk = Desk::new();
    let start = |name: &str| {
        let arguments = ["distance", "part.obj", "--points", "points.npy", "-o", name, "-r", "200", "--json"];
        desk.command(&arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let names = ["a.npy", "b.npy", "c.npy"];
    for child in names.map(start) {
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!(
            (run.code, run.json()["warnings"].as_array().unwrap().len()),
            (Some(0), 1),
            "{}",
            run.stderr
        );
    }
    let [a, b, c] = names.map(|name| fs::read(desk.path(name)).unwrap());
    assert!(a == b && b == c);
    assert_eq!(kept(desk.cache(), "field").len(), 1);
    assert_eq!(fs::read_dir(desk.cache()).unwrap().count(), 2, "nothing unfinished is left");
    let again = desk.succeed(&["slice", "part.obj", "-o", "s.png", "-r", "200", "--json"]).json();
    assert_eq!(again["cache"], "hit");
}

#[test]
fn the_folder_may_vanish_at_any_moment() {
    let desk = Desk::new();
    assert_eq!(ask(&desk, &[]), "built");
    fs::remove_dir_all(desk.cache()).unwrap();
    assert_eq!(ask(&desk, &[]), "built");
    assert_eq!(ask(&desk, &[]), "hit");
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let _ = fs::remove_dir_all(desk.cache());
            }
        });
        let uses: Vec<String> = (0..12).map(|_| ask(&desk, &[])).collect();
        done.store(true, Ordering::Relaxed);
        assert!(uses.iter().all(|word| word == "built" || word == "hit"), "{uses:?}");
    });
}

#[test]
fn damaged_files_are_built_again() {
    let desk = Desk::new();
    let expected = {
        ask(&desk, &[]);
        fs::read(desk.path("d.npy")).unwrap()
    };
    let whole = fs::read(&kept(desk.cache(), "field")[0]).unwrap();
    let flipped = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        bytes
    };
    let length = whole.len();
    for damaged in [
        flipped(3),
        flipped(50),
        flipped(length / 2),
        flipped(length - 3),
        whole[..length / 2].into(),
        Vec::new(),
    ] {
        // As a crash or a bad disk would leave it: the name is right, the bytes are not.
        fs::write(&kept(desk.cache(), "field")[0], &damaged).unwrap();
        let run = desk.succeed(&[&ASK[..], &["--json"]].concat());
        assert_eq!(run.json()["cache"], "built");
        assert!(run.stderr.contains("part.obj: its cached field was damaged"), "{}", run.stderr);
        assert!(fs::read(desk.path("d.npy")).unwrap() == expected);
        assert_eq!(ask(&desk, &[]), "hit");
    }
    fs::write(&kept(desk.cache(), "notes")[0], b"[\"half a no").unwrap();
    assert_eq!(ask(&desk, &[]), "built");
    fs::remove_file(&kept(desk.cache(), "notes")[0]).unwrap();
    assert_eq!(ask(&desk, &[]), "built");
    assert_eq!(ask(&desk, &[]), "hit");
}

#[test]
fn the_longest_unused_goes_first() {
    let desk = Desk::new();
    let limited = |limit: &str, more: &[&str]| {
        let arguments = [&ASK[..], more, &["--json"]].concat();
        let run = Run::from(desk.command(&arguments).env("ISOTOUCH_CACHE_SIZE", limit).output().unwrap());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        run.json()["cache"].as_str().unwrap().to_owned()
    };
    let bands = ["3", "4", "5"];
    for band in bands {
        assert_eq!(limited("1GB", &["--band", band]), "built");
        // Some file systems count in whole seconds: let each be older than the next.
        for path in kept(desk.cache(), "field") {
            let file = File::options().append(true).open(&path).unwrap();
            let older = file.metadata().unwrap().modified().unwrap() - Duration::from_secs(10);
            file.set_modified(older).unwrap();
        }
    }
    // The first becomes the last used.
    assert_eq!(limited("1GB", &["--band", "3"]), "hit");
    let size: u64 = kept(desk.cache(), "field").iter().map(|path| fs::metadata(path).unwrap().len()).sum();
    let limit = size.to_string();
    assert_eq!(limited(&limit, &["--band", "6"]), "built");
    let left: u64 = fs::read_dir(desk.cache()).unwrap().map(|e| e.unwrap().metadata().unwrap().len()).sum();
    assert!(left <= size, "{left} of {size}");
    assert_eq!(limited(&limit, &["--band", "6"]), "hit");
    assert_eq!(limited(&limit, &["--band", "3"]), "hit", "used a moment ago");
    assert_eq!(limited(&limit, &["--band", "4"]), "built", "not used for longest");
    // What is larger than all that may be kept is not kept, and nothing is removed for it.
    let before = kept(desk.cache(), "field");
    assert_eq!(limited("2kB", &["--band", "7"]), "built");
    assert!(before.len() >= 2 && kept(desk.cache(), "field") == before);
}

#[test]
fn without_a_cache_nothing_is_written() {
    let desk = Desk::new();
    assert_eq!(ask(&desk, &["--no-cache"]), "off");
    let none =
        desk.command(&[&ASK[..], &["--json"]].concat()).env("ISOTOUCH_CACHE_SIZE", "0").output().unwrap();
    assert_eq!(Run::from(none).json()["cache"], "off");
    assert_eq!(fs::read_dir(desk.cache()).unwrap().count(), 0);
    ask(&desk, &[]);
    assert_eq!(ask(&desk, &["--no-cache"]), "off", "not even looked at");
}

#[test]
fn a_size_that_is_none_is_bad_input() {
    let desk = Desk::new();
    let run = Run::from(desk.command(&ASK).env("ISOTOUCH_CACHE_SIZE", "plenty").output().unwrap());
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("ISOTOUCH_CACHE_SIZE is 'plenty'"), "{}", run.stderr);
}

#[test]
fn leftovers_of_dead_processes_are_cleared_away() {
    let desk = Desk::new();
    let key = "0123456789abcdef".repeat(4);
    let make = |name: &str, age: u64| {
        let path = desk.cache().join(name);
        let file = File::create(&path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
        path
    };
    let old =
        [make(&format!(".{key}.field.a1b2c3.unfinished"), 90_000), make(&format!("{key}.notes"), 90_000)];
    let others = [
        make(&format!(".{key}.field.d4e5f6.unfinished"), 20),
        make("holiday.field", 90_000),
        make("read-me.txt", 90_000),
    ];
    assert_eq!(ask(&desk, &[]), "built");
    assert!(old.iter().all(|path| !path.exists()), "abandoned");
    assert!(others.iter().all(|path| path.exists()), "still being written, or not ours");
}

/// Nobody can make files in /proc, or in a file, whatever their rights.
#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_nothing_costs_a_warning() {
    let desk = Desk::new();
    fs::write(desk.path("file"), "").unwrap();
    for folder in ["/proc/isotouch", "/proc", desk.path("file").to_str().unwrap(), "/dev/null/x"] {
        let arguments = [&ASK[..], &["--json"]].concat();
        let run = Run::from(desk.command(&arguments).env("ISOTOUCH_CACHE", folder).output().unwrap());
        assert_eq!(run.code, Some(0), "{}", run.stderr);
        assert_eq!(run.json()["cache"], "built");
        assert!(run.stderr.contains("could not be kept in") && run.stderr.contains(folder), "{}", run.stderr);
        assert_eq!(npy::read(desk.path("d.npy")).unwrap().shape, [5]);
    }
}

/// A limit on the size of files does what a full disk does: writing fails half-way.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_costs_a_warning() {
    let desk = Desk::new();
    let line = format!(
        "trap '' XFSZ; ulimit -f 8; exec '{}' {} --json",
        env!("CARGO_BIN_EXE_isotouch"),
        ASK.join(" ")
    );
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &line]).current_dir(desk.path("")).env("ISOTOUCH_CACHE", desk.cache());
    let run = Run::from(shell.output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert!(run.json()["cache"] == "built" && run.stderr.contains("could not be kept"), "{}", run.stderr);
    assert_eq!(kept(desk.cache(), "field").len(), 0);
    assert_eq!(kept(desk.cache(), "unfinished").len(), 0);
    assert_eq!(ask(&desk, &[]), "built");
}

#[cfg(target_os = "linux")]
#[test]
fn the_usual_folder_is_the_platforms() {
    let desk = Desk::new();
    let home = desk.path("home");
    let ask_with = |name: &str, value: &Path| {
        let mut command = desk.command(&[&ASK[..], &["--json"]].concat());
        command.env_remove("ISOTOUCH_CACHE").env_remove("XDG_CACHE_HOME").env("HOME", &home).env(name, value);
        Run::from(command.output().unwrap()).json()["cache"].as_str().unwrap().to_owned()
    };
    assert_eq!(ask_with("XDG_CACHE_HOME", &desk.path("xdg")), "built");
    assert_eq!(kept(&desk.path("xdg/isotouch"), "field").len(), 1);
    // A relative folder does not count, by the specification.
    assert_eq!(ask_with("XDG_CACHE_HOME", Path::new("here")), "built");
    assert_eq!(kept(&home.join(".cache/isotouch"), "field").len(), 1);
    assert_eq!(ask_with("ISOTOUCH_CACHE", Path::new("")), "hit");
}

/// The folder takes the notes, but not the field: its name is a folder's.
#[test]
fn a_field_that_cannot_be_kept_leaves_no_notes_and_is_told_once() {
    let desk = Desk::new();
    assert_eq!(ask(&desk, &[]), "built");
    let field = kept(desk.cache(), "field").remove(0);
    fs::remove_file(&field).unwrap();
    fs::create_dir_all(field.join("full")).unwrap();
    let run = desk.succeed(&ASK);
    let said = run.stderr.lines().find(|line| line.contains("could not be kept")).unwrap_or_default();
    assert_eq!(said.matches("is a directory").count(), 1, "{}", run.stderr);
    assert_eq!(kept(desk.cache(), "notes").len(), 0);
}
