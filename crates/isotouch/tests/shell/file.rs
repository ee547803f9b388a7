//! `.shell` files: what was saved comes back; whatever else a file holds is an error that names it.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use isotouch::field::{Field, FieldOptions};
use isotouch::mesh::shapes;
use isotouch::shell::{PointShell, Sampling, ShellFileError, ShellOptions};

use crate::oracle::crc32::crc32;
use crate::shell;

const HEADER: usize = 128;
const ENTRY: usize = 32;

/// The bytes of a saved shell, with the layout that the format documents.
#[derive(Clone)]
struct Saved(Vec<u8>);

fn saved() -> Saved {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    let bytes = BYTES.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("saved.shell");
        shell(&shapes::by_name("torus").unwrap(), Sampling::Points(120)).save(&path).unwrap();
        std::fs::read(path).unwrap()
    });
    Saved(bytes.clone())
}

impl Saved {
    fn u32_at(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().unwrap())
    }

    fn u64_at(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0[at..at + 8].try_into().unwrap())
    }

    fn f64_at(&self, at: usize) -> f64 {
        f64::from_bits(self.u64_at(at))
    }

    fn put(mut self, at: usize, bytes: &[u8]) -> Self {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Where a section begins, and its bytes.
    fn section(&self, k: usize) -> (usize, usize) {
        let at = HEADER + ENTRY * k;
        let element = [24, 24, 8, 24][k];
        (self.u64_at(at + 8) as usize, (self.u64_at(at + 16) as usize).saturating_mul(element))
    }

    /// Makes the checksums right, so that only the contents can be wrong.
    fn sealed(mut self) -> Self {
        for k in 0..4 {
            let (offset, bytes) = self.section(k);
            if let Some(bytes) = offset.checked_add(bytes).and_then(|end| self.0.get(offset..end)) {
                let checksum = crc32(&[bytes]);
                self = self.put(HEADER + ENTRY * k + 24, &checksum.to_le_bytes());
            }
        }
        let checksum = crc32(&[&self.0[..124], &self.0[HEADER..HEADER + 4 * ENTRY]]);
        self.put(124, &checksum.to_le_bytes())
    }
}

struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self) -> PathBuf {
        self.0.path().join("tried.shell")
    }

    /// It must be refused, by name.
    fn refused(&self, bytes: &[u8], what: &str) -> ShellFileError {
        let beside = self.0.path().join("beside");
        std::fs::write(&beside, bytes).unwrap();
        std::fs::rename(&beside, self.path()).unwrap();
        match PointShell::open(self.path()) {
            Ok(_) => panic!("opened, in spite of {what}"),
            Err(error) => {
                assert!(error.to_string().contains("tried.shell"), "{what}: {error}");
                error
            }
        }
    }
}

#[test]
fn what_was_saved_comes_back() {
    let desk = Desk::new();
    let torus = shapes::by_name("torus").unwrap();
    let field = Field::from_mesh(&torus, &FieldOptions { resolution: 40, ..Default::default() }).unwrap();
    let options = ShellOptions { sampling: Sampling::Spacing(0.1), ..Default::default() };
    for shell in [
        shell(&torus, Sampling::Vertices),
        shell(&torus, Sampling::Spacing(0.07)),
        shell(&torus, Sampling::Points(1)),
        shell(&torus, Sampling::Points(700)).with_normals_of(&field),
        PointShell::from_field(&field, -0.02, &options).unwrap(),
    ] {
        shell.save(desk.path()).unwrap();
        assert!(PointShell::open(desk.path()).unwrap() == shell);
    }
}

/// This test's own reading of the documented layout.
#[test]
fn the_file_is_as_documented() {
    let file = saved();
    let shell = shell(&shapes::by_name("torus").unwrap(), Sampling::Points(120));
    assert_eq!(&file.0[..8], b"isoshell");
    assert_eq!([8, 12, 16, 20, 68].map(|at| file.u32_at(at)), [1, 3, 1, 0, 4]);
    assert_eq!([24, 32, 40].map(|at| file.f64_at(at)), [120.0, 0.0, shell.area()]);
    assert_eq!(file.u64_at(96), file.0.len() as u64);
    let mut end = HEADER + 4 * ENTRY;
    for k in 0..4 {
        assert_eq!(file.u32_at(HEADER + ENTRY * k), k as u32 + 1);
        let (offset, bytes) = file.section(k);
        assert_eq!(offset, end.next_multiple_of(64));
        end = offset + bytes;
    }
    assert_eq!(end, file.0.len());
    assert_eq!(file.f64_at(file.section(0).0 + 7 * 24 + 8), shell.points()[7].y);
    assert_eq!(file.f64_at(file.section(1).0 + 7 * 24 + 16), shell.normals()[7].z);
    assert_eq!(file.f64_at(file.section(2).0 + 7 * 8), shell.weights()[7]);
    let levels = file.section(3).0;
    assert_eq!(file.u64_at(levels), shell.levels()[0].points as u64);
    assert_eq!(file.f64_at(levels + 8), shell.levels()[0].spacing);
    assert_eq!(file.f64_at(levels + 16), shell.levels()[0].coverage);
    assert!(file.clone().sealed().0 == file.0, "sealing an intact file changes nothing");
}

#[test]
fn a_file_cut_short_is_refused_at_any_length() {
    let (desk, file) = (Desk::new(), saved());
    for length in (0..file.0.len()).filter(|length| *length < 400 || length % 37 == 0) {
        let error = desk.refused(&file.0[..length], &format!("{length} bytes"));
        if length >= 8 {
            assert!(matches!(error, ShellFileError::WrongLength { .. }), "{length} bytes: {error}");
        }
    }
    let longer = [&file.0[..], &[0]].concat();
    assert!(matches!(desk.refused(&longer, "a byte too many"), ShellFileError::WrongLength { .. }));
}

#[test]
fn every_flipped_byte_is_noticed() {
    let (desk, file) = (Desk::new(), saved());
    let ends: Vec<_> = (0..4).map(|k| file.section(k)).collect();
    let is_gap = |at: usize| at >= HEADER + 4 * ENTRY && !ends.iter().any(|&(o, n)| (o..o + n).contains(&at));
    for at in (0..file.0.len()).filter(|at| *at < 300 || at % 11 == 0) {
        if is_gap(at) {
            continue;
        }
        let mut bytes = file.0.clone();
        bytes[at] ^= 1 << (at % 8);
        desk.refused(&bytes, &format!("byte {at} flipped"));
    }
}

#[test]
fn other_files_and_newer_versions_are_told_apart() {
    let desk = Desk::new();
    for bytes in [&b""[..], b"isoshel", b"isofieldxxxxxxxxxxxxxxxxxxxxxx", b"solid cube", &[0; 5000]] {
        let error = desk.refused(bytes, "some other file");
        assert!(matches!(error, ShellFileError::NotAShell { .. }), "{error}");
        assert!(error.to_string().contains("isotouch shell"), "the remedy: {error}");
    }
    for version in [2u32, u32::MAX] {
        let newer = saved().put(8, &version.to_le_bytes());
        for file in [newer.clone(), newer.sealed()] {
            let error = desk.refused(&file.0, "a newer version");
            assert!(matches!(error, ShellFileError::NewerVersion { version: v, .. } if v == version));
        }
    }
    desk.refused(&saved().put(8, &0u32.to_le_bytes()).sealed().0, "version 0");
    let missing = PointShell::open(desk.0.path().join("missing.shell")).unwrap_err();
    assert!(matches!(missing, ShellFileError::Io { .. }) && missing.to_string().contains("missing.shell"));
    assert!(matches!(PointShell::open(desk.0.path()), Err(ShellFileError::NotAShell { .. })));
}

/// Checksums that are right do not make contents right.
#[test]
fn headers_and_tables_that_lie_are_refused() {
    let desk = Desk::new();
    let refuse = |at: usize, bytes: &[u8], what: &str| {
        let file = saved().put(at, bytes);
        let file = if at == 68 { file } else { file.sealed() };
        desk.refused(&file.0, what);
    };
    for (at, value) in
        [(12, 0u32), (12, 4), (12, 1), (16, 0), (16, 4), (20, 2), (48, 1), (72, 1), (104, 1), (120, 1)]
    {
        refuse(at, &value.to_le_bytes(), &format!("{value} at {at}"));
    }
    for (at, value) in
        [(24, 0.5), (24, -3.0), (24, f64::NAN), (32, 0.1), (40, 0.0), (40, f64::INFINITY), (40, -1.0)]
    {
        refuse(at, &value.to_le_bytes(), &format!("{value} at {at}"));
    }
    for sections in [0u32, 3, 5, 1000, u32::MAX] {
        refuse(68, &sections.to_le_bytes(), &format!("{sections} sections"));
    }
    for k in 0..4 {
        let entry = HEADER + ENTRY * k;
        refuse(entry, &9u32.to_le_bytes(), "a kind that is not there");
        refuse(entry + 4, &1u32.to_le_bytes(), "a level that is not there");
        for count in [0u64, 1, 119, 121, 1 << 40, u64::MAX / 8, u64::MAX] {
            refuse(entry + 16, &count.to_le_bytes(), &format!("section {k} of {count}"));
        }
        for offset in [3u64, 1 << 40, u64::MAX - 7] {
            refuse(entry + 8, &offset.to_le_bytes(), &format!("section {k} at {offset}"));
        }
        refuse(entry + 28, &1u32.to_le_bytes(), "something where nothing is written");
        // Eight bytes on everything is readable but not where it belongs.
        let offset = saved().u64_at(entry + 8);
        refuse(entry + 8, &(offset + 8).to_le_bytes(), "a section that is not at a multiple of 64");
    }
}

#[test]
fn contents_that_no_shell_has_are_refused() {
    let desk = Desk::new();
    let file = saved();
    let at = |k: usize, place: usize| file.section(k).0 + place;
    let refuse = |at: usize, bytes: &[u8], what: &str| {
        let error = desk.refused(&file.clone().put(at, bytes).sealed().0, what);
        assert!(matches!(error, ShellFileError::Damaged { .. }), "{what}: {error}");
    };
    for value in [f64::NAN, f64::INFINITY, 1e200] {
        refuse(at(0, 24 * 5), &value.to_le_bytes(), "a point that is nowhere");
    }
    for value in [f64::NAN, 7.0] {
        refuse(at(1, 24 * 5), &value.to_le_bytes(), "a normal that is not one");
    }
    for value in [f64::NAN, f64::INFINITY, -1e-9] {
        refuse(at(2, 8 * 5), &value.to_le_bytes(), "an area that is not one");
    }
    refuse(at(3, 0), &0u64.to_le_bytes(), "a level without points");
    refuse(at(3, 0), &120u64.to_le_bytes(), "a first level as large as the last");
    refuse(at(3, 0), &u64::MAX.to_le_bytes(), "a level larger than all");
    for value in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        refuse(at(3, 16), &value.to_le_bytes(), "a coverage that finer levels do not have");
    }
    refuse(at(3, 8), &f64::NAN.to_le_bytes(), "a spacing that is not a number");
}

#[test]
fn saving_stops_when_told_to_and_leaves_the_old_file() {
    let desk = Desk::new();
    std::fs::write(desk.path(), "old").unwrap();
    let shell = shell(&shapes::by_name("torus").unwrap(), Sampling::Points(50));
    let stopped = shell.save_until(desk.path(), &AtomicBool::new(true));
    assert!(matches!(stopped, Err(ShellFileError::Cancelled)));
    assert_eq!(std::fs::read_to_string(desk.path()).unwrap(), "old");
    assert!(shell.save(desk.0.path().join("no/such.shell")).unwrap_err().to_string().contains("such.shell"));
}
