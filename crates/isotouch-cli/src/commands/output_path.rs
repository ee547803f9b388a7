//! Looking at where a result should go before hours are spent on computing it.

use std::ffi::OsStr;
use std::fs;
use std::path::Path;

use anyhow::{Context, anyhow, bail, ensure};
use serde_json::{Map, Value};
use tempfile::NamedTempFile;

use crate::failure::{Classify, Failure};

/// Refuses an output that could not be written later, has another extension than `extension`, or would replace one
/// of the inputs.
pub(super) fn check(output: &Path, extension: &str, inputs: &[&Path]) -> Result<(), Failure> {
    check_any(output, &[extension], inputs)
}

/// [`check`] for an output that another option than `-o` names.
pub(super) fn check_of_option(
    option: &str,
    output: &Path,
    extension: &str,
    inputs: &[&Path],
) -> Result<(), Failure> {
    check_inner(output, &[extension], inputs, option).or_bad_input()
}

/// [`check`] where several extensions will do; the first one is recommended.
pub(super) fn check_any(output: &Path, extensions: &[&str], inputs: &[&Path]) -> Result<(), Failure> {
    check_inner(output, extensions, inputs, "-o").or_bad_input()
}

fn check_inner(output: &Path, extensions: &[&str], inputs: &[&Path], option: &str) -> anyhow::Result<()> {
    let shown = output.display();
    check_no_folder(output)?;
    let has = output.extension().and_then(OsStr::to_str).unwrap_or_default();
    ensure!(
        extensions.iter().any(|extension| has.eq_ignore_ascii_case(extension)),
        "cannot write {shown}: only .{} is written by this command; call it {}",
        extensions.join(", ."),
        output.with_extension(extensions[0]).display()
    );
    check_place(output, inputs, option)
}

/// The same for a mesh, whose extension chooses the format.
pub(super) fn check_mesh(output: &Path, inputs: &[&Path]) -> Result<(), Failure> {
    let name = output.file_name().and_then(OsStr::to_str).unwrap_or_default().to_ascii_lowercase();
    let plain = Path::new(name.strip_suffix(".gz").unwrap_or(&name));
    let is_known = plain.extension().is_some_and(|extension| MESHES.iter().any(|known| extension == *known));
    check_no_folder(output).or_bad_input()?;
    let checked = if is_known {
        check_place(output, inputs, "-o")
    } else {
        Err(anyhow!(
            "cannot write {}: meshes are written as .obj, .stl or .ply, with .gz after it if compressed; call it {}",
            output.display(),
            output.with_extension(MESHES[0]).display()
        ))
    };
    checked.or_bad_input()
}

/// Extensions of the mesh formats that are written.
const MESHES: [&str; 3] = ["obj", "stl", "ply"];

/// First of all: whoever names a folder does not want its name with another extension.
fn check_no_folder(output: &Path) -> anyhow::Result<()> {
    ensure!(
        !output.is_dir(),
        "cannot write {}: there is a folder of that name; name a file in it",
        output.display()
    );
    let last = output.as_os_str().as_encoded_bytes().last().copied().unwrap_or_default();
    ensure!(
        !std::path::is_separator(last.into()),
        "cannot write {}: that is the name of a folder; leave out the separator at its end, or name a file in it",
        output.display()
    );
    Ok(())
}

fn check_place(output: &Path, inputs: &[&Path], option: &str) -> anyhow::Result<()> {
    let shown = output.display();
    match output.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => {
            bail!("cannot write {shown}: there is no folder {}; create it first", folder.display())
        }
        _ => {}
    }
    for input in inputs {
        let same = matches!((output.canonicalize(), input.canonicalize()), (Ok(a), Ok(b)) if a == b);
        ensure!(
            !same,
            "{shown} is also an input and would be overwritten; choose another name with {option}"
        );
    }
    match fs::metadata(output) {
        // A link is followed: its target is what will be replaced.
        Ok(about) if about.is_file() => check_folder(parent(&output.canonicalize()?), option),
        // Pipes and devices are written to directly.
        Ok(_) => Ok(()),
        Err(_) => check_folder(parent(output), option),
    }
}

/// Refuses two outputs of one name, of which the second would replace the first.
pub(super) fn check_different(one: &Path, other: &Path) -> Result<(), Failure> {
    let place = |path: &Path| {
        parent(path).canonicalize().map(|folder| folder.join(path.file_name().unwrap_or_default()))
    };
    let is_same = matches!((place(one), place(other)), (Ok(a), Ok(b)) if a == b);
    let checked: anyhow::Result<()> = match is_same {
        true => Err(anyhow!("{} is named for two outputs; give each its own", one.display())),
        false => Ok(()),
    };
    checked.or_bad_input()
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Refuses a folder in which no file can be made, by making one and removing it. Permission bits alone would not tell of
/// read-only disks. `option` is what chooses another folder.
pub(super) fn check_folder(folder: &Path, option: &str) -> anyhow::Result<()> {
    NamedTempFile::new_in(folder).map(drop).with_context(|| {
        format!(
            "cannot write to the folder {}; make it writable or choose another with {option}",
            folder.display()
        )
    })
}

/// Writes an object for programs, beside its path and then renamed.
pub(super) fn write_json(path: &Path, object: &Map<String, Value>) -> anyhow::Result<()> {
    let text = serde_json::to_string_pretty(object)?;
    let saved = tempfile::Builder::new()
        .prefix(".summary.")
        .suffix(".unfinished")
        .permissions_as_usual()
        .tempfile_in(parent(path))
        .and_then(|beside| {
            fs::write(beside.path(), text + "\n")?;
            beside.persist(path)?;
            Ok(())
        });
    saved.with_context(|| format!("cannot write {}", path.display()))
}

/// Temporary files are private by default; a result should be as readable as any other new file.
trait AsUsual {
    fn permissions_as_usual(&mut self) -> &mut Self;
}

impl AsUsual for tempfile::Builder<'_, '_> {
    fn permissions_as_usual(&mut self) -> &mut Self {
        #[cfg(unix)]
        self.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        self
    }
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
        std::fs::create_dir(at("plain")).unwrap();

        assert!(check_inner(&at("out.field"), &["field"], &[&at("in.field")], "-o").is_ok());
        assert!(check_inner(Path::new("out.FIELD"), &["field"], &[], "-o").is_ok());
        for (output, part) in [
            ("out.vdb", "out.field"),
            ("out", "only .field"),
            ("folder.field", "folder of that name"),
            ("plain", "folder of that name; name a file in it"),
            ("out.field/", "the name of a folder"),
            ("none/out.field", "create it first"),
            ("in.field", "also an input"),
            ("folder.field/../in.field", "also an input"),
        ] {
            let error =
                check_inner(&at(output), &["field"], &[&at("in.field")], "-o").unwrap_err().to_string();
            assert!(error.contains(part), "{error}");
        }
    }

    /// Nobody can make files in /proc, whatever their rights.
    #[cfg(target_os = "linux")]
    #[test]
    fn folders_that_take_no_files_are_refused_by_name() {
        let error = check_inner(Path::new("/proc/out.field"), &["field"], &[], "-o").unwrap_err();
        let said = Failure::BadInput(error).to_string();
        assert!(
            said.starts_with(
                "cannot write to the folder /proc; make it writable or choose another with -o: "
            ),
            "{said}"
        );

        // A link counts as the folder of what it leads to; a device needs no folder.
        let folder = tempfile::tempdir().unwrap();
        for (target, fine) in [("/proc/version", false), ("/dev/null", true)] {
            let link = folder.path().join(if fine { "fine.field" } else { "bad.field" });
            std::os::unix::fs::symlink(target, &link).unwrap();
            assert_eq!(check_inner(&link, &["field"], &[], "-o").is_ok(), fine, "{target}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing is left behind");
    }
}
