//! Looking at where a result should go before hours are spent on computing it.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{bail, ensure};

use crate::failure::{Classify, Failure};

/// Refuses an output that could not be written later, has another extension than `extension`, or would replace one
/// of the inputs.
pub(super) fn check(output: &Path, extension: &str, inputs: &[&Path]) -> Result<(), Failure> {
    check_inner(output, extension, inputs).or_bad_input()
}

fn check_inner(output: &Path, extension: &str, inputs: &[&Path]) -> anyhow::Result<()> {
    let shown = output.display();
    let has = output.extension().and_then(OsStr::to_str).unwrap_or_default();
    ensure!(
        has.eq_ignore_ascii_case(extension),
        "cannot write {shown}: only .{extension} is written by this command; call it {}",
        output.with_extension(extension).display()
    );
    ensure!(!output.is_dir(), "cannot write {shown}: there is a folder of that name");
    match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("cannot write {shown}: there is no folder {}; create it first", folder.display())
        }
        _ => {}
    }
    for input in inputs {
        let same = matches!((output.canonicalize(), input.canonicalize()), (Ok(a), Ok(b)) if a == b);
        ensure!(!same, "{shown} is also an input and would be overwritten; choose another name with -o");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_places_are_refused_before_work_begins() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("in.field"), "").unwrap();
        std::fs::create_dir(at("folder.field")).unwrap();

        assert!(check_inner(&at("out.field"), "field", &[&at("in.field")]).is_ok());
        assert!(check_inner(Path::new("out.FIELD"), "field", &[]).is_ok());
        for (output, part) in [
            ("out.vdb", "out.field"),
            ("out", "only .field"),
            ("folder.field", "folder of that name"),
            ("none/out.field", "create it first"),
            ("in.field", "also an input"),
            ("folder.field/../in.field", "also an input"),
        ] {
            let error = check_inner(&at(output), "field", &[&at("in.field")]).unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }
}
