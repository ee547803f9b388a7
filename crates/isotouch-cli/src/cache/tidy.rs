//! Keeping the folder within its limit, and clearing up after processes that died.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How names of files end that are being written.
pub(super) const UNFINISHED: &str = ".unfinished";
/// A file that has not grown for this long belongs to nobody any more. Longer leaves rubbish; much shorter could take a
/// file from a process that was only halted for a while, whose field would then not be kept.
const ABANDONED: Duration = Duration::from_secs(3600);

struct Entry {
    path: PathBuf,
    bytes: u64,
    used: SystemTime,
}

/// Removes abandoned files, then the fields that have not been used for longest, until the rest is within the limit. Files that
/// cannot be looked at or removed are left to others.
pub(super) fn tidy(folder: &Path, limit: u64) {
    let Ok(files) = fs::read_dir(folder) else { return };
    let mut fields = Vec::new();
    for file in files.flatten() {
        let Ok(about) = file.metadata() else { continue };
        let (path, used) = (file.path(), about.modified().unwrap_or(SystemTime::UNIX_EPOCH));
        let is_old = used.elapsed().is_ok_and(|age| age > ABANDONED);
        // Other people's files are none of our business, should the folder be shared with some.
        let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| about.is_file()) else {
            continue;
        };
        if name.starts_with('.') && name.ends_with(UNFINISHED) {
            remove_if(is_old, &path);
        } else if name.ends_with(".notes") && is_key(name) {
            remove_if(is_old && !path.with_extension("field").exists(), &path);
        } else if name.ends_with(".field") && is_key(name) {
            let notes = fs::metadata(path.with_extension("notes")).map_or(0, |about| about.len());
            fields.push(Entry { path, bytes: about.len() + notes, used });
        }
    }
    let mut total: u64 = fields.iter().map(|entry| entry.bytes).sum();
    fields.sort_by(|a, b| a.used.cmp(&b.used).then_with(|| a.path.cmp(&b.path)));
    for entry in fields {
        if total <= limit {
            break;
        }
        if fs::remove_file(&entry.path).is_ok() {
            let _ = fs::remove_file(entry.path.with_extension("notes"));
            total -= entry.bytes;
        }
    }
}

/// Whether a name is one that only we give: 64 hexadecimal digits before its extension.
fn is_key(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default();
    stem.len() == 64 && stem.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn remove_if(is_wanted: bool, path: &Path) {
    if is_wanted {
        let _ = fs::remove_file(path);
    }
}
