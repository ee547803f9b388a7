//! Third-party models, where this machine has them.

use std::path::{Path, PathBuf};

fn place() -> PathBuf {
    std::env::var_os("ISOTOUCH_MODELS")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/models"), PathBuf::from)
}

/// The folder with the models and the index that describes them.
pub fn folder() -> Option<PathBuf> {
    let folder = place();
    if folder.join("index.csv").is_file() {
        return Some(folder);
    }
    println!("skipped: no models at {} (set ISOTOUCH_MODELS to their folder)", folder.display());
    None
}

/// One model.
pub fn model(name: &str) -> Option<PathBuf> {
    let path = place().join(name);
    if path.is_file() {
        return Some(path);
    }
    println!("skipped: no {} (set ISOTOUCH_MODELS to the models' folder)", path.display());
    None
}
