//! Colours and bars are for terminals only, and for those who want them.

use crate::Desk;

#[test]
fn nothing_but_text_when_nobody_watches() {
    let desk = Desk::new();
    for arguments in [
        &["field", "part.obj", "-o", "a.field", "-r", "32"][..],
        &["inspect", "part.obj"],
        &["demo", "--resolution", "16"],
        &["--help"],
    ] {
        let run = desk.succeed(arguments);
        assert!(!run.stdout.contains('\x1b'), "{}", run.stdout);
        assert_eq!(run.stderr, "");
    }
    let run = desk.run(&["inspect", "none.obj"]);
    assert!(!run.stderr.contains('\x1b'), "{}", run.stderr);
}

/// Runs a command on a terminal made by script(1); `None` where there is no such program.
#[cfg(target_os = "linux")]
fn on_a_terminal(desk: &Desk, arguments: &str, no_color: bool) -> Option<String> {
    let line = format!("'{}' {arguments}", env!("CARGO_BIN_EXE_isotouch"));
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(desk.path("")).env("TERM", "xterm");
    if no_color {
        command.env("NO_COLOR", "1");
    } else {
        command.env_remove("NO_COLOR");
    }
    let output = command.stdin(std::process::Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    let desk = Desk::new();
    for arguments in ["inspect part.obj", "inspect none.obj", "--help"] {
        let Some(colourful) = on_a_terminal(&desk, arguments, false) else { return };
        assert!(colourful.contains("\x1b["), "{arguments}: {colourful:?}");
        let plain = on_a_terminal(&desk, arguments, true).unwrap();
        assert!(!plain.contains("\x1b[") && plain.len() > 20, "{arguments}: {plain:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_gets_a_bar_unless_quiet() {
    let desk = Desk::new();
    let build = "field part.obj -o a.field --resolution 300 --storage dense --threads 1";
    let Some(shown) = on_a_terminal(&desk, build, false) else { return };
    assert!(shown.contains('%'), "{shown:?}");
    let quiet = on_a_terminal(&desk, &format!("{build} --quiet"), false).unwrap();
    assert_eq!(quiet.trim(), "");
}
