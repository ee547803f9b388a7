//! NumPy, where this machine has it.

use std::path::Path;
use std::process::Command;

/// Runs a Python script in a folder; `None` when there is no Python with NumPy here.
pub fn numpy(script: &str, folder: &Path) -> Option<()> {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let found = Command::new(&python).args(["-c", "import numpy"]).output().ok()?.status.success();
    if !found {
        println!("skipped: no NumPy here (./test unit brings it)");
        return None;
    }
    let run = Command::new(&python).args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(())
}
