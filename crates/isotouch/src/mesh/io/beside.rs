use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Writes a file so that it appears whole or not at all: under another name beside it, then renamed.
pub(crate) fn write_beside(
    path: &Path,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::other("the path names no file"))?;
    let (file, unfinished) = create_beside(path, &name.to_string_lossy())?;
    let mut writer = BufWriter::with_capacity(1 << 16, file);
    content(&mut writer)?;
    // On the disk before it gets its name, or a power cut leaves an empty file in place of the old one.
    writer.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()?;
    fs::rename(&unfinished.0, path)
}

/// Removes the file unless it was renamed.
struct Unfinished(PathBuf);

impl Drop for Unfinished {
    fn drop(&mut self) {
        // After the rename there is nothing to remove, and before it the first error is the one to report.
        let _ = fs::remove_file(&self.0);
    }
}

fn create_beside(path: &Path, name: &str) -> io::Result<(File, Unfinished)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let beside = path.with_file_name(format!(".{name}.{}-{number}.unfinished", process::id()));
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => return Ok((file, Unfinished(beside))),
            Err(taken) if taken.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}
