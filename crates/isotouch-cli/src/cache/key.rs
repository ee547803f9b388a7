//! What a field depends on, in one number.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use isotouch::field::{FIELD_FORMAT_VERSION, FieldOptions};
use isotouch::mesh::io::{ReadOptions, companions};
use sha2::{Digest, Sha256};

/// A hash of everything that the field of a mesh file depends on: the content of the file, and of files it refers to; its
/// extension, which decides where the content is unclear; the options; the program that builds and the format it writes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Key(String);

impl Key {
    pub(crate) fn new(path: &Path, read: &ReadOptions, options: &FieldOptions) -> io::Result<Self> {
        let mut hash = Sha256::new();
        add(&mut hash, "program", program().as_bytes());
        add(&mut hash, "options", in_words(read, options).as_bytes());
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        add(&mut hash, "extension", extension.as_encoded_bytes());
        add_file(&mut hash, path)?;
        for companion in companions(path)? {
            add_file(&mut hash, &companion)?;
        }
        Ok(Self(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }
}

/// Adds bytes with their name and length, so that no two lists of parts look the same.
fn add(hash: &mut Sha256, name: &str, bytes: &[u8]) {
    hash.update(format!("{name} {}\n", bytes.len()));
    hash.update(bytes);
}

/// A file piece by piece; large meshes need not be in memory for this.
fn add_file(hash: &mut Sha256, path: &Path) -> io::Result<()> {
    let mut of_file = Sha256::new();
    let mut file = File::open(path)?;
    let mut piece = vec![0; 1 << 20];
    loop {
        match file.read(&mut piece) {
            Ok(0) => break,
            Ok(count) => of_file.update(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    add(hash, "file", &of_file.finalize());
    Ok(())
}

/// The version of the builder. That of the package does not change with every change of the code, so the program's own file
/// counts too: another program may build other fields.
fn program() -> String {
    let about = std::env::current_exe().and_then(fs::metadata);
    let built = about.map(|about| {
        let time = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        (about.len(), time.unwrap_or_default().as_nanos())
    });
    let (length, time) = built.unwrap_or_default();
    format!("{} {FIELD_FORMAT_VERSION} {length} {time}", env!("CARGO_PKG_VERSION"))
}

/// All options, to the last bit. The patterns name every field, so that a new one cannot be forgotten here.
fn in_words(read: &ReadOptions, options: &FieldOptions) -> String {
    let ReadOptions { weld, scale } = read;
    let FieldOptions { resolution, cell_size, padding, band, sign, storage, gap, keep_cavities } = options;
    let cells = match cell_size {
        Some(cell) => format!("cell {:x}", cell.to_bits()),
        None => format!("resolution {resolution}"),
    };
    let gap = gap.map_or("chosen".into(), |gap| format!("{:x}", gap.to_bits()));
    let [scale, padding, band] = [scale, padding, band].map(|value| value.to_bits());
    format!("{weld} {scale:x} {cells} {padding:x} {band:x} {sign} {storage} gap {gap} {keep_cavities}")
}

#[cfg(test)]
mod tests {
    use isotouch::field::{SignMethod, StorageKind};

    use super::*;

    #[test]
    fn everything_that_matters_makes_another_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::write(path("a.obj"), "v 0 0 0").unwrap();
        fs::write(path("same.obj"), "v 0 0 0").unwrap();
        fs::write(path("a.ply"), "v 0 0 0").unwrap();
        fs::write(path("b.obj"), "v 0 0 1").unwrap();
        let usual = FieldOptions::default();
        let read = ReadOptions::default();
        let key = |name: &str, read: &ReadOptions, options: &FieldOptions| {
            Key::new(&path(name), read, options).unwrap()
        };
        let first = key("a.obj", &read, &usual);
        assert_eq!(first, key("same.obj", &read, &usual), "the name does not matter");
        let mut keys = vec![
            first,
            key("a.ply", &read, &usual),
            key("b.obj", &read, &usual),
            key("a.obj", &ReadOptions { scale: 0.001, ..read }, &usual),
            key("a.obj", &ReadOptions { weld: false, ..read }, &usual),
        ];
        for options in [
            FieldOptions { resolution: 257, ..usual.clone() },
            FieldOptions { cell_size: Some(0.01), ..usual.clone() },
            FieldOptions { padding: 0.06, ..usual.clone() },
            FieldOptions { band: 4.0, ..usual.clone() },
            FieldOptions { sign: SignMethod::Winding, ..usual.clone() },
            FieldOptions { sign: SignMethod::Soup, ..usual.clone() },
            FieldOptions { sign: SignMethod::Oriented, ..usual.clone() },
            FieldOptions { gap: Some(0.1), ..usual.clone() },
            FieldOptions { keep_cavities: true, ..usual.clone() },
            FieldOptions { storage: StorageKind::Dense, ..usual.clone() },
        ] {
            keys.push(key("a.obj", &read, &options));
        }
        for (i, a) in keys.iter().enumerate() {
            assert!(keys[..i].iter().all(|b| a != b), "{i}");
        }
        assert!(Key::new(&path("none.obj"), &read, &usual).is_err());
    }

    #[test]
    fn files_that_a_scene_refers_to_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let scene = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"my%20part.bin"}]}"#;
        // By content, as meshes are read.
        for name in ["a.gltf", "a.obj"] {
            fs::write(path(name), scene).unwrap();
            let key = || Key::new(&path(name), &ReadOptions::default(), &FieldOptions::default()).unwrap();
            fs::write(path("my part.bin"), [1, 2, 3]).unwrap();
            let before = key();
            assert_eq!(key(), before);
            fs::write(path("my part.bin"), [1, 2, 4]).unwrap();
            assert_ne!(key(), before, "{name}");
        }
    }
}
