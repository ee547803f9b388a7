//! Fields of meshes that stood in for them, kept for the next time.
//!
//! ```text
//! KEY.field    the field          KEY.notes    what was said when it was built (JSON, a list of strings)
//! ```
//!
//! A key names the content of the mesh and everything else the field depends on ([`Key`]), so an entry is never out of date;
//! it is only removed, the longest unused first, when the folder grows past its limit. Files are written beside and
//! renamed, the field last: an entry is there when its field is. Two processes that build the same field write the same bytes,
//! and the second rename wins. Nothing here may keep a command from its work: whatever is wrong with the folder, the
//! field is built as if there were none. The folder can be deleted at any moment.

mod folder;
mod key;
mod tidy;

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use anyhow::Context;
use isotouch::field::{Field, FieldFileError};

pub(crate) use key::Key;

use crate::interrupt;

/// A folder of fields.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    /// Most bytes of all its files together.
    limit: u64,
}

/// What was found under a key.
#[derive(Debug)]
pub(crate) enum Lookup {
    /// The field, and what was said when it was built.
    Found(Box<Field>, Vec<String>),
    Missing,
    /// It was there, but is not what was written; it has been removed.
    Damaged,
}

impl Cache {
    /// The folder that the environment names, or the platform's usual one; `None` where there is none or it may hold nothing.
    pub(crate) fn from_environment() -> anyhow::Result<Option<Self>> {
        let limit = folder::limit()?;
        Ok(folder::find().filter(|_| limit > 0).map(|folder| Self { folder, limit }))
    }

    /// Looks for a field, checks all its bytes, and marks it as used.
    pub(crate) fn find(&self, key: &Key) -> Lookup {
        let path = self.path(key, "field");
        let checked = Field::open(&path).and_then(|field| field.verify_checksums().map(|()| field));
        let field = match checked {
            Ok(field) => field,
            // Not there, or not to be had: both are no reason to complain before the field is built.
            Err(FieldFileError::Io { .. }) => return Lookup::Missing,
            Err(_) => return self.remove(key),
        };
        let notes = match fs::read(self.path(key, "notes")) {
            Ok(bytes) => match serde_json::from_slice(&bytes) {
                Ok(notes) => notes,
                Err(_) => return self.remove(key),
            },
            Err(_) => return Lookup::Missing,
        };
        // The folder may be read-only; then nothing is removed from it either.
        let _ =
            File::options().append(true).open(&path).and_then(|file| file.set_modified(SystemTime::now()));
        Lookup::Found(Box::new(field), notes)
    }

    fn remove(&self, key: &Key) -> Lookup {
        // Where that is not possible the field is built every time, which is slow and right.
        let _ = fs::remove_file(self.path(key, "field"));
        let _ = fs::remove_file(self.path(key, "notes"));
        Lookup::Damaged
    }

    /// Keeps a field, and removes what has not been used for longest if it gets too much.
    pub(crate) fn keep(&self, key: &Key, field: &Field, notes: &[String]) -> anyhow::Result<()> {
        if field.bytes() > self.limit {
            return Ok(());
        }
        let kept = match self.write(key, field, notes) {
            // Deleted by somebody just after it was made.
            Err(_) if !self.folder.exists() => self.write(key, field, notes),
            other => other,
        };
        tidy::tidy(&self.folder, self.limit);
        kept.with_context(|| {
            format!(
                "the field could not be kept in {}, and will be built again next time (ISOTOUCH_CACHE names another \
                 folder, --no-cache does without)",
                self.folder.display()
            )
        })
    }

    fn write(&self, key: &Key, field: &Field, notes: &[String]) -> anyhow::Result<()> {
        fs::create_dir_all(&self.folder)?;
        let mut beside =
            tempfile::Builder::new().prefix(".").suffix(tidy::UNFINISHED).tempfile_in(&self.folder)?;
        beside.write_all(&serde_json::to_vec(notes)?)?;
        beside.persist(self.path(key, "notes"))?;
        let saved = field.save_until(self.path(key, "field"), &interrupt::INTERRUPTED);
        // Should another process have kept it meanwhile, the notes are those of its field.
        if saved.is_err() && !self.path(key, "field").is_file() {
            let _ = fs::remove_file(self.path(key, "notes"));
        }
        Ok(saved?)
    }

    fn path(&self, key: &Key, extension: &str) -> PathBuf {
        self.folder.join(Path::new(key.as_str()).with_extension(extension))
    }
}
