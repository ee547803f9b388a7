//! 0 done, 2 bad usage or bad input, 4 ran but failed; and what stays quiet.

use crate::Desk;

#[test]
fn bad_usage_and_bad_input_are_2_and_say_what_to_do() {
    let desk = Desk::new();
    std::fs::write(desk.path("noise.bin"), [0u8, 159, 3, 250].repeat(100)).unwrap();
    std::fs::write(desk.path("noise.field"), b"nothing of the kind").unwrap();
    std::fs::write(desk.path("noise.shell"), b"nothing of the kind").unwrap();
    std::fs::write(desk.path("noise.npy"), b"\x93NUMPY\x01\x00").unwrap();
    for (arguments, part) in [
        (&["frobnicate"][..], "unrecognized subcommand"),
        (&["inspect"], "required"),
        (&["inspect", "none.obj"], "none.obj"),
        (&["inspect", "noise.bin"], "noise.bin"),
        (&["inspect", "noise.field"], "not a .field file"),
        (&["field", "part.obj"], "--output"),
        (&["field", "part.obj", "-o", "part.vdb"], "part.field"),
        (&["field", "part.obj", "-o", "none/part.field"], "create it first"),
        (
            &["field", "open.obj", "-o", "open.field", "--sign", "pseudonormal"],
            "open.obj: the mesh is not closed",
        ),
        (
            &["field", "part.obj", "-o", "a.field", "--resolution", "64", "--cell", "0.1"],
            "cannot be used with",
        ),
        (&["field", "part.obj", "-o", "a.field", "--sign", "soup", "--gap", "0"], "above 0"),
        (&["field", "part.obj", "-o", "a.field", "--gap", "1e300"], "gap is 1e300; it must be above 0"),
        (&["cast", "part.obj"], "<--segments <FILE>|--random <N>>"),
        (&["cast", "part.obj", "--segments", "points.npy", "--random", "3"], "cannot be used with"),
        (&["field", "part.obj", "-o", "a.field", "--sign", "guess"], "auto, pseudonormal, winding"),
        (&["field", "part.obj", "-o", "a.field", "--storage", "cloud"], "sparse, dense"),
        (&["field", "part.obj", "-o", "a.field", "--threads", "0"], "--threads"),
        (&["field", "part.obj", "-o", "a.field", "--cell", "-1"], "above 0"),
        (&["field", "part.obj", "-o", "a.field", "--scale", "0"], "above 0"),
        (&["field", "part.obj", "-o", "a.field", "--padding", "-0.5"], "from 0 to 100"),
        (&["field", "part.obj", "-o", "a.field", "--band", "0.5"], "from 1 to 1000000"),
        (&["field", "part.obj", "-o", "a.field", "--resolution", "-5"], "a whole number from 1 to 16777216"),
        (&["field", "part.obj", "-o", "a.field", "-r", "2.5"], "a whole number from 1 to 16777216"),
        (&["field", "part.obj", "-o", "a.field", "-r", "16777217"], "a whole number from 1 to 16777216"),
        (&["field", "part.obj", "-o", "a.field", "--threads", "-1"], "a whole number from 1 to 1024"),
        (&["demo", "--resolution", "-5"], "a whole number from 1 to 16777216"),
        (&["slice", "part.obj", "-o", "s.png", "--width", "-3"], "a whole number from 240 to 16384"),
        (&["field", "part.obj", "-o", "a.field", "--band", "nan"], "finite"),
        (&["field", "part.obj", "-o", "a.field", "--cell", "1e-12"], "resolution"),
        (&["slice", "part.obj", "-o", "s.jpg"], "s.png"),
        (&["slice", "part.obj", "-o", "s.png", "--axis", "w"], "x, y or z"),
        (&["slice", "part.obj", "-o", "s.png", "--width", "3"], "--width"),
        (&["slice", "part.obj", "-o", "s.png", "--at", "inf"], "finite"),
        (&["slice", "part.obj", "-o", "s.png", "-r", "24", "--at", "77"], "outside the field"),
        (&["distance", "part.obj", "--points", "none.npy", "-o", "d.npy"], "none.npy"),
        (&["distance", "part.obj", "--points", "noise.npy", "-o", "d.npy"], "noise.npy"),
        (&["distance", "part.obj", "--points", "points.npy", "-o", "points.npy"], "also an input"),
        (&["surface", "part.obj", "-o", "s.off"], ".obj, .stl or .ply"),
        (&["surface", "part.obj", "-o", "part.obj"], "also an input"),
        (&["surface", "part.obj", "-o", "s.obj", "--iso", "nan"], "finite"),
        (
            &["surface", "part.obj", "-o", "s.obj", "-r", "24", "--iso", "7"],
            "no surface at iso 7: its values go from",
        ),
        (&["shell", "part.obj", "-o", "s.ply"], "s.shell"),
        (&["shell", "part.obj", "-o", "none/s.shell"], "create it first"),
        (&["shell", "none.obj", "-o", "s.shell"], "none.obj"),
        (&["shell", "noise.bin", "-o", "s.shell"], "noise.bin"),
        (&["shell", "part.obj", "-o", "s.shell", "--points", "0"], "a whole number from 1 to 50000000"),
        (&["shell", "part.obj", "-o", "s.shell", "--spacing", "-1"], "above 0"),
        (&["shell", "part.obj", "-o", "s.shell", "--spacing", "1e-9"], "part.obj: that would be about"),
        (&["shell", "part.obj", "-o", "s.shell", "--spacing", "1", "--vertices"], "cannot be used with"),
        (&["shell", "part.obj", "-o", "s.shell", "--points", "9", "--count", "9"], "cannot be used"),
        (&["shell", "part.obj", "-o", "s.shell", "--sharp", "200"], "from 0 to 180"),
        (&["shell", "part.obj", "-o", "s.shell", "--offset", "1e9"], "times the size of the mesh"),
        (
            &["shell", "part.obj", "-o", "s.shell", "--offset", "0.1", "--normals", "part.obj"],
            "cannot be used",
        ),
        (&["shell", "part.obj", "-o", "s.shell", "--offset", "-0.9", "-r", "24"], "no surface at -0.9"),
        (&["inspect", "noise.shell"], "not a .shell file"),
        (&["demo", "--out", "part.obj"], "--out"),
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains(part), "{arguments:?}: {}", run.stderr);
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
    let untouched =
        ["noise.bin", "noise.field", "noise.npy", "noise.shell", "open.obj", "part.obj", "points.npy"];
    assert_eq!(desk.files(), untouched, "nothing was written");
}

#[test]
fn commands_of_later_versions_do_not_pretend_to_exist() {
    let desk = Desk::new();
    let run = desk.run(&["view"]);
    assert_eq!(run.code, Some(2));
    assert!(run.stderr.contains("unrecognized"), "{}", run.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_that_takes_no_files_is_noticed_before_the_work() {
    let desk = Desk::new();
    for arguments in [
        // The mesh does not exist, and is not even looked for.
        &["field", "none.obj", "-o", "/proc/a.field"][..],
        &["slice", "none.obj", "-o", "/proc/s.png"],
        &["surface", "none.obj", "-o", "/proc/s.obj"],
        &["distance", "none.obj", "--points", "none.npy", "-o", "/proc/d.npy"],
        &["shell", "none.obj", "-o", "/proc/s.shell"],
        &["demo", "--out", "/proc"],
    ] {
        let run = desk.run(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {}", run.stderr);
        assert!(run.stderr.contains("cannot write to the folder /proc"), "{arguments:?}: {}", run.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_4() {
    let desk = Desk::new();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let mut command = desk.command(&["inspect", "part.obj"]);
    let run = crate::Run::from(command.stdout(full).output().unwrap());
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("standard output"), "{}", run.stderr);

    std::os::unix::fs::symlink("/dev/full", desk.path("full.png")).unwrap();
    let run = desk.run(&["slice", "part.obj", "-o", "full.png", "--resolution", "24"]);
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("full.png"), "{}", run.stderr);
}

/// The signal that tells of a file beyond its limit ended the process, and half a file stayed behind.
#[cfg(target_os = "linux")]
#[test]
fn a_file_beyond_its_limit_is_4_and_leaves_nothing() {
    let desk = Desk::new();
    let before = desk.files();
    let program = desk.command(&[]).get_program().to_owned();
    let limited = "ulimit -f 16; exec \"$0\" field part.obj -o big.field -r 48 --quiet";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", limited]).arg(program).current_dir(desk.path(""));
    let run = crate::Run::from(shell.output().unwrap());
    assert_eq!(run.code, Some(4), "{}", run.stderr);
    assert!(run.stderr.contains("big.field"), "{}", run.stderr);
    assert_eq!(desk.files(), before);
}

/// It was built first, for minutes perhaps, and then refused by the system.
#[test]
fn a_name_that_ends_as_folders_do_is_refused_before_the_work() {
    let desk = Desk::new();
    for (arguments, output) in [
        (["field", "none.obj", "-o"], "a.field/"),
        (["slice", "none.obj", "-o"], "a.png/"),
        (["surface", "none.obj", "-o"], "a.obj/"),
    ] {
        let run = desk.run(&[&arguments[..], &[output]].concat());
        assert_eq!(run.code, Some(2), "{}", run.stderr);
        assert!(run.stderr.contains("the name of a folder"), "{}", run.stderr);
    }
}

#[test]
fn quiet_is_quiet_but_warnings_and_errors_stay() {
    let desk = Desk::new();
    let run = desk.succeed(&["field", "part.obj", "-o", "a.field", "-r", "24", "--quiet"]);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), ("", ""));
    std::fs::copy(desk.path("part.obj"), desk.path("misnamed.stl")).unwrap();
    let run = desk.succeed(&["inspect", "misnamed.stl", "--quiet"]);
    assert!(
        run.stdout.is_empty() && run.stderr.contains("warning: misnamed.stl contains OBJ"),
        "{}",
        run.stderr
    );
    let run = desk.run(&["inspect", "none.obj", "--quiet"]);
    assert!(run.stdout.is_empty() && run.stderr.contains("error:"));
}
