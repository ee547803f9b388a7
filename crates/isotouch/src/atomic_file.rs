//! Output files that are either whole or not there.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// Writes a file beside `path` and renames it to `path` when `write` has succeeded. On any failure, a panic
/// included, the unfinished file is removed and what was at `path` stays as it was.
///
/// A link is followed, so that its target is replaced and not the link. What is not a regular file (a pipe,
/// `/dev/null`) cannot be renamed over and is written to directly.
pub(crate) fn write_atomically(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = UnfinishedFile::create(path)?;
    write(&mut file)?;
    file.finish()
}

/// The same for what is written bit by bit: a file beside its path until [`UnfinishedFile::finish`], removed when that is
/// never called.
#[derive(Debug)]
pub(crate) struct UnfinishedFile {
    place: Place,
}

#[derive(Debug)]
enum Place {
    /// To be renamed to the path.
    Beside(BufWriter<tempfile::NamedTempFile>, PathBuf),
    Direct(BufWriter<File>),
}

impl UnfinishedFile {
    /// Begins a file that will be at `path`.
    pub(crate) fn create(path: &Path) -> io::Result<Self> {
        let existing = match fs::metadata(path) {
            Ok(metadata) => Some(metadata),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let target = match &existing {
            Some(metadata) if metadata.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Some(metadata) if metadata.is_file() => fs::canonicalize(path)?,
            Some(_) => {
                let file = File::options().write(true).open(path)?;
                return Ok(Self { place: Place::Direct(BufWriter::new(file)) });
            }
            None => path.to_owned(),
        };
        let beside = unfinished(&target, existing.map(|metadata| metadata.permissions()))?;
        Ok(Self { place: Place::Beside(BufWriter::with_capacity(1 << 16, beside), target) })
    }

    /// Puts the file where it belongs.
    pub(crate) fn finish(self) -> io::Result<()> {
        match self.place {
            Place::Direct(mut file) => file.flush(),
            Place::Beside(buffered, target) => {
                let beside = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
                // Some file systems tell of a full disk only now, and after a crash a rename may outlive unsynced data.
                beside.as_file().sync_all()?;
                beside.persist(&target)?;
                Ok(())
            }
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match &mut self.place {
            Place::Beside(file, _) => file,
            Place::Direct(file) => file,
        }
    }
}

impl Write for UnfinishedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.writer().write_all(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}

/// An empty file in the folder of `target`, named so that a leftover of a killed process explains itself.
fn unfinished(target: &Path, permissions: Option<fs::Permissions>) -> io::Result<tempfile::NamedTempFile> {
    let folder = match target.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    };
    let mut prefix = OsString::from(".");
    prefix.push(target.file_name().ok_or(io::ErrorKind::InvalidFilename)?);
    prefix.push(".");

    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".unfinished");
    // Temporary files are private by default; a result should be as readable as any other new file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let beside = builder.tempfile_in(folder)?;
    if let Some(permissions) = permissions {
        beside.as_file().set_permissions(permissions)?;
    }
    Ok(beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<OsString> {
        let mut names: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        names
    }

    #[test]
    fn replaces_a_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        for text in ["first, and longer", "second"] {
            write_atomically(&path, |out| out.write_all(text.as_bytes())).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(names(folder.path()), ["result"]);
    }

    #[test]
    fn a_failure_keeps_the_old_file_and_removes_the_new_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("result");
        fs::write(&path, "old").unwrap();
        let error = write_atomically(&path, |out| {
            out.write_all(&[7; 1 << 20])?;
            Err(io::ErrorKind::StorageFull.into())
        })
        .unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(names(folder.path()), ["result"]);
    }

    #[test]
    fn a_missing_folder_and_a_folder_as_target_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("no/such/result");
        let error = write_atomically(&missing, |_| Ok(())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        let error = write_atomically(folder.path(), |_| Ok(())).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    }

    #[cfg(unix)]
    #[test]
    fn links_devices_and_permissions_are_respected() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("target");
        fs::write(&target, "old").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("target", &link).unwrap();

        write_atomically(&link, |out| out.write_all(b"new")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&target).unwrap(), "new");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);

        write_atomically(Path::new("/dev/null"), |out| out.write_all(b"gone")).unwrap();

        // A fresh file is as readable as one that anyone else would make here.
        let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
        write_atomically(&ours, |_| Ok(())).unwrap();
        File::create(&plain).unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&plain));
    }
}
