//! `.field` files: what was saved comes back; whatever else a file holds is an error that names it.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod oracle;

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use isotouch::ccd::{CastOptions, Segment, Traversal};
use isotouch::field::{Distance, Field, FieldFileError, FieldOptions, SignMethod, StorageKind};
use isotouch::math::DVec3;
use isotouch::mesh::shapes::{self, sphere};
use oracle::crc32::crc32;
use oracle::random::Random;

const BOTH: [StorageKind; 2] = [StorageKind::Dense, StorageKind::Sparse];
const HEADER: usize = 128;
const ENTRY: usize = 32;

fn field(storage: StorageKind) -> Field {
    let options = FieldOptions { resolution: 45, storage, ..Default::default() };
    Field::from_mesh(&shapes::by_name("torus").unwrap(), &options).unwrap()
}

/// The bytes of a saved field.
fn saved(storage: StorageKind) -> &'static Saved {
    static FILES: OnceLock<[Saved; 2]> = OnceLock::new();
    let files = FILES.get_or_init(|| {
        BOTH.map(|storage| {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("saved.field");
            field(storage).save(&path).unwrap();
            Saved(std::fs::read(path).unwrap())
        })
    });
    &files[usize::from(storage == StorageKind::Sparse)]
}

/// A file's bytes, with the layout that the format documents.
#[derive(Clone)]
struct Saved(Vec<u8>);

/// One entry of the table.
#[derive(Debug, Clone, Copy)]
struct Section {
    kind: u32,
    offset: usize,
    bytes: usize,
}

impl Saved {
    fn u32_at(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().unwrap())
    }

    fn u64_at(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0[at..at + 8].try_into().unwrap())
    }

    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }

    fn section_count(&self) -> usize {
        self.u32_at(68) as usize
    }

    fn table_end(&self) -> usize {
        HEADER + ENTRY * self.section_count()
    }

    fn entry(index: usize) -> usize {
        HEADER + ENTRY * index
    }

    fn sections(&self) -> Vec<Section> {
        (0..self.section_count())
            .map(|k| {
                let at = Self::entry(k);
                let kind = self.u32_at(at);
                // Nodes, tile places and brick values are one number; ranges are two; a tile is 8 masks of 8 bytes,
                // 8 counts of 2, and 8 more bytes.
                let size = match kind {
                    1 | 2 | 4 => 4,
                    5 | 6 => 8,
                    _ => 88,
                };
                let (offset, count) = (self.u64_at(at + 8) as usize, self.u64_at(at + 16) as usize);
                Section { kind, offset, bytes: count * size }
            })
            .collect()
    }

    /// Makes the checksums right, so that only the contents can be wrong.
    fn sealed(mut self) -> Self {
        for (k, section) in self.sections().into_iter().enumerate() {
            let end = section.offset.checked_add(section.bytes);
            if let Some(bytes) = end.and_then(|end| self.0.get(section.offset..end)) {
                let checksum = crc32(&[bytes]);
                self.put(Self::entry(k) + 24, &checksum.to_le_bytes());
            }
        }
        self.with_header_sealed()
    }

    fn with_header_sealed(mut self) -> Self {
        let end = self.table_end().min(self.0.len());
        let checksum = crc32(&[&self.0[..124], &self.0[HEADER.min(end)..end]]);
        self.put(124, &checksum.to_le_bytes());
        self
    }
}

/// A folder to put files into.
struct Desk(tempfile::TempDir);

impl Desk {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn put(&self, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join("tried.field");
        // Beside and renamed: a mapped file must not change in place.
        let beside = self.0.path().join("beside");
        std::fs::write(&beside, bytes).unwrap();
        std::fs::rename(&beside, &path).unwrap();
        path
    }

    fn open(&self, bytes: &[u8]) -> Result<Field, FieldFileError> {
        Field::open(self.put(bytes))
    }

    /// It must be refused, by name.
    fn refused(&self, bytes: &[u8], what: &str) -> FieldFileError {
        match self.open(bytes) {
            Ok(_) => panic!("opened, in spite of {what}"),
            Err(error) => {
                assert!(error.to_string().contains("tried.field"), "{what}: {error}");
                error
            }
        }
    }

    /// It may open, but then asking is harmless and `verify` tells.
    fn refused_or_unverified(&self, bytes: &[u8], what: &str) {
        if let Ok(field) = self.open(bytes) {
            ask(&field);
            let error = field.verify().expect_err(what);
            assert!(error.to_string().contains("tried.field"), "{what}: {error}");
        }
    }
}

/// Asks everywhere; a damaged field may answer anything, but must answer.
fn ask(field: &Field) {
    let mut random = Random(1);
    let bounds = field.grid().bounds();
    for k in 0..300 {
        let p = random.in_box(if k % 3 == 0 { bounds.expanded(1.0) } else { bounds });
        let _ = (field.distance(p), field.gradient(p), field.normal(p), field.lower_bound(p));
        if let Some((cell, _)) = field.grid().locate(p) {
            let _ = field.bounds().range(0, cell);
        }
    }
    let _ = (field.value_range(), field.bytes(), field.node_count());
}

#[test]
fn what_was_saved_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    for storage in BOTH {
        let field = field(storage);
        let path = folder.path().join("there.field");
        field.save(&path).unwrap();
        let opened = Field::open(&path).unwrap();
        opened.verify().unwrap();
        field.verify().unwrap();
        assert_eq!(opened.grid(), field.grid());
        assert_eq!((opened.storage(), opened.sign()), (storage, SignMethod::Pseudonormal));
        assert_eq!(opened.band(), field.band());
        assert_eq!(opened.lipschitz(), field.lipschitz());
        assert_eq!(opened.capped_nodes(), field.capped_nodes());
        assert_eq!(opened.node_count(), field.node_count());
        assert_eq!(opened.bytes(), field.bytes());
        assert_eq!(opened.value_range(), field.value_range());
        assert_eq!(opened.error_bound(), field.error_bound());
        assert_eq!(opened.is_certified_outside(), field.is_certified_outside());
        let mut random = Random(2);
        let points: Vec<DVec3> =
            (0..20_000).map(|_| random.in_box(field.grid().bounds().expanded(0.2))).collect();
        assert_eq!(opened.distances(&points), field.distances(&points));
        assert_eq!(opened.gradients(&points), field.gradients(&points));
        for &p in &points {
            assert_eq!(opened.error_bound_at(p), field.error_bound_at(p));
            assert_eq!(opened.lower_bound(p), field.lower_bound(p));
            if let Some((cell, _)) = field.grid().locate(p) {
                for level in 0..field.bounds().block_sizes().count() {
                    assert_eq!(opened.bounds().range(level, cell), field.bounds().range(level, cell));
                }
            }
        }
    }
}

/// The border flag, the sign and the Lipschitz bound survive too.
#[test]
fn facts_of_function_fields_come_back() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plane.field");
    let region = isotouch::math::Aabb::new(DVec3::NEG_ONE, DVec3::ONE);
    let options = FieldOptions { resolution: 20, band: 2.5, ..Default::default() };
    let field = Field::from_function(|p| 2.0 * p.z, region, 2.0, &options).unwrap();
    field.save(&path).unwrap();
    let opened = Field::open(&path).unwrap();
    assert!(!opened.is_certified_outside());
    assert_eq!((opened.sign(), opened.lipschitz(), opened.band()), (SignMethod::Given, 2.0, 2.5));
    opened.verify().unwrap();
}

/// A field stays usable after its file was replaced or deleted.
#[test]
fn replacing_the_file_of_an_open_field_is_fine() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("there.field");
    let first = field(StorageKind::Sparse);
    first.save(&path).unwrap();
    let opened = Field::open(&path).unwrap();
    field(StorageKind::Dense).save(&path).unwrap();
    assert_eq!(Field::open(&path).unwrap().storage(), StorageKind::Dense);
    let p = DVec3::new(0.3, 0.1, 0.05);
    assert_eq!(opened.distance(p), first.distance(p));
    std::fs::remove_file(&path).unwrap();
    opened.verify().unwrap();
}

/// The layout in the documentation is the layout of the file: this test's own reading of it.
#[test]
fn the_file_is_as_documented() {
    for storage in BOTH {
        let file = saved(storage);
        let field = field(storage);
        assert_eq!(&file.0[..8], b"isofield");
        assert_eq!(file.u32_at(8), 1);
        assert_eq!(file.u32_at(12), u32::from(storage == StorageKind::Sparse));
        assert_eq!(f64::from_bits(file.u64_at(24)), field.grid().origin.x);
        assert_eq!(f64::from_bits(file.u64_at(48)), field.grid().cell);
        assert_eq!(file.u32_at(56), field.grid().cells.x);
        assert_eq!(file.u64_at(96), file.0.len() as u64);
        let mut end = file.table_end();
        for (k, section) in file.sections().into_iter().enumerate() {
            assert_eq!(section.offset % 64, 0);
            assert_eq!(section.offset, end.next_multiple_of(64));
            end = section.offset + section.bytes;
            let checksum = crc32(&[&file.0[section.offset..end]]);
            assert_eq!(file.u32_at(Saved::entry(k) + 24), checksum, "{section:?}");
        }
        assert_eq!(end, file.0.len());
        assert!(file.clone().sealed().0 == file.0, "sealing an intact file changes nothing");
        if storage == StorageKind::Dense {
            let nodes = file.sections()[0];
            let n = field.grid().nodes();
            let at = |x: u32, y: u32, z: u32| nodes.offset + 4 * (x + n.x * (y + n.y * z)) as usize;
            let p = field.grid().node_position(isotouch::math::IVec3::new(7, 5, 3));
            assert_eq!(f32::from_bits(file.u32_at(at(7, 5, 3))), field.distance(p).value() as f32);
        }
    }
}

#[test]
fn a_file_cut_short_is_refused_at_any_length() {
    let desk = Desk::new();
    for storage in BOTH {
        let bytes = &saved(storage).0;
        let mut lengths: Vec<usize> = (0..saved(storage).table_end() + 70).collect();
        lengths.extend((0..bytes.len()).step_by(bytes.len() / 97));
        lengths.extend([bytes.len() - 1, bytes.len() - 4]);
        for length in lengths {
            let error = desk.refused(&bytes[..length], &format!("{length} bytes"));
            if length >= 8 {
                assert!(matches!(error, FieldFileError::WrongLength { .. }), "{length} bytes: {error}");
            }
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(matches!(desk.refused(&longer, "a byte too many"), FieldFileError::WrongLength { .. }));
    }
}

#[test]
fn every_flipped_byte_of_header_and_table_is_noticed() {
    let desk = Desk::new();
    for storage in BOTH {
        let file = saved(storage);
        for at in 0..file.table_end() {
            for flip in [0x01, 0x80, 0xff] {
                let mut bytes = file.0.clone();
                bytes[at] ^= flip;
                desk.refused(&bytes, &format!("byte {at} flipped by {flip:#x}"));
            }
        }
    }
}

/// Contract: opening maps the file and checks the indices; `verify` reads the values.
#[test]
fn flipped_bytes_of_the_values_open_but_do_not_verify() {
    let desk = Desk::new();
    let mut random = Random(3);
    let mut opened = 0;
    for storage in BOTH {
        let file = saved(storage);
        let sections = file.sections();
        for k in 0..400 {
            let section = sections[k % sections.len()];
            if section.bytes == 0 {
                continue;
            }
            let at = section.offset + random.below(section.bytes);
            let mut bytes = file.0.clone();
            bytes[at] ^= 1 << random.below(8);
            match desk.open(&bytes) {
                // Node values (1), brick values (4) and their ranges (5) are read when they are asked for.
                Ok(field) => {
                    assert!([1, 4, 5].contains(&section.kind), "{section:?} is an index");
                    opened += 1;
                    ask(&field);
                    let error = field.verify().unwrap_err();
                    assert!(error.to_string().contains("tried.field"), "{error}");
                    assert!(matches!(error, FieldFileError::Damaged { .. }), "{error}");
                }
                Err(error) => {
                    assert!([2, 3, 6].contains(&section.kind), "{section:?} is read lazily: {error}");
                    assert!(error.to_string().contains("tried.field"), "{error}");
                }
            }
        }
    }
    assert!(opened > 100);
}

#[test]
fn other_files_are_told_from_fields() {
    let desk = Desk::new();
    for bytes in [&b""[..], b"i", b"isofiel", b"solid cube", b"ISOFIELDxxxxxxxxxxxxxxxxx", &[0; 5000]] {
        let error = desk.refused(bytes, "some other file");
        assert!(matches!(error, FieldFileError::NotAField { .. }), "{error}");
        assert!(error.to_string().contains("isotouch field"), "the remedy: {error}");
    }
    let folder = desk.0.path().to_path_buf();
    let error = Field::open(&folder).unwrap_err();
    assert!(error.to_string().contains(&*folder.to_string_lossy()), "{error}");
    let missing = folder.join("missing.field");
    let error = Field::open(&missing).unwrap_err();
    assert!(
        matches!(error, FieldFileError::Io { .. }) && error.to_string().contains("missing.field"),
        "{error}"
    );
}

#[test]
fn newer_versions_say_so() {
    let desk = Desk::new();
    for version in [2u32, 7, u32::MAX] {
        let mut file = saved(StorageKind::Dense).clone();
        file.put(8, &version.to_le_bytes());
        for file in [file.clone(), file.with_header_sealed()] {
            let error = desk.refused(&file.0, "a newer version");
            assert!(matches!(error, FieldFileError::NewerVersion { version: v, .. } if v == version));
            assert!(error.to_string().contains("update"), "{error}");
        }
    }
    let mut file = saved(StorageKind::Dense).clone();
    file.put(8, &0u32.to_le_bytes());
    desk.refused(&file.with_header_sealed().0, "version 0");
}

/// Headers that lie, with a checksum that is right.
#[test]
fn hostile_headers_are_refused() {
    let desk = Desk::new();
    for storage in BOTH {
        let intact = saved(storage);
        let refused = |at: usize, bytes: &[u8], what: &str| {
            let mut file = intact.clone();
            file.put(at, bytes);
            desk.refused(&file.with_header_sealed().0, &format!("{storage}: {what}"));
        };
        for axis in 0..3 {
            for cells in [0u32, 1, 1 << 20, 1 << 24, (1 << 24) + 1, 1 << 31, u32::MAX] {
                refused(56 + 4 * axis, &cells.to_le_bytes(), &format!("{cells} cells along {axis}"));
            }
        }
        for cells in [1u32 << 16, 1 << 22, 1 << 24, u32::MAX] {
            refused(56, &[cells.to_le_bytes(); 3].concat(), &format!("{cells}³ cells"));
        }
        for sections in [0u32, 1, 1 << 20, u32::MAX / 32, u32::MAX] {
            refused(68, &sections.to_le_bytes(), &format!("{sections} sections"));
        }
        for length in [0u64, 127, 1 << 40, u64::MAX] {
            refused(96, &length.to_le_bytes(), &format!("length {length}"));
        }
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 0.0, -1.0] {
            refused(48, &bad.to_le_bytes(), &format!("cell size {bad}"));
            refused(72, &bad.to_le_bytes(), &format!("band {bad}"));
            refused(80, &bad.to_le_bytes(), &format!("Lipschitz bound {bad}"));
            if !bad.is_finite() {
                refused(32, &bad.to_le_bytes(), &format!("origin {bad}"));
            }
        }
        for kind in [2u32, 77, u32::MAX] {
            refused(12, &kind.to_le_bytes(), &format!("storage {kind}"));
        }
        for sign in [0u32, 7, u32::MAX] {
            refused(16, &sign.to_le_bytes(), &format!("sign {sign}"));
        }
        let other = 1 - intact.u32_at(12);
        refused(12, &other.to_le_bytes(), "the other kind of storage");
    }
    assert_modest_memory();
}

/// Tables that lie, with a checksum that is right.
#[test]
fn hostile_tables_are_refused() {
    let desk = Desk::new();
    for storage in BOTH {
        let intact = saved(storage);
        let length = intact.0.len() as u64;
        for index in 0..intact.section_count() {
            let entry = Saved::entry(index);
            let refused = |at: usize, bytes: &[u8], what: &str| {
                let mut file = intact.clone();
                file.put(entry + at, bytes);
                desk.refused(&file.with_header_sealed().0, &format!("{storage}, section {index}: {what}"));
            };
            for kind in [0u32, 7, 99, u32::MAX] {
                refused(0, &kind.to_le_bytes(), &format!("kind {kind}"));
            }
            refused(4, &77u32.to_le_bytes(), "level 77");
            let offsets =
                [length, length - 1, length.next_multiple_of(64), 1 << 40, 1 << 63, u64::MAX, u64::MAX - 63];
            for offset in offsets {
                refused(8, &offset.to_le_bytes(), &format!("offset {offset}"));
            }
            let count = intact.u64_at(entry + 16);
            for wrong in [0, count + 1, count.wrapping_sub(1), 1 << 40, 1 << 62, 1 << 63, u64::MAX] {
                if wrong != count {
                    refused(16, &wrong.to_le_bytes(), &format!("count {wrong}"));
                }
            }
            // Both at once, so that their sum wraps around.
            refused(8, &[u64::MAX - 63, 1 << 61].map(u64::to_le_bytes).concat(), "wrapping around");
        }
    }
    assert_modest_memory();
}

/// Sections that start in the middle of a value cannot be mapped.
#[test]
fn sections_out_of_step_do_no_harm() {
    let desk = Desk::new();
    for storage in BOTH {
        let intact = saved(storage);
        for (index, section) in intact.sections().into_iter().enumerate() {
            for shift in [-1i64, 1, 2, 4, -64] {
                let mut file = intact.clone();
                let offset = section.offset as i64 + shift;
                let there = intact.0.get(offset as usize..offset as usize + section.bytes);
                if there == Some(&intact.0[section.offset..section.offset + section.bytes]) {
                    continue;
                }
                file.put(Saved::entry(index) + 8, &offset.to_le_bytes());
                desk.refused_or_unverified(&file.sealed().0, &format!("{section:?} moved by {shift}"));
            }
        }
    }
}

/// Indices of bricks that lie, with all checksums right.
#[test]
fn hostile_indices_are_refused_or_found_by_verify() {
    let desk = Desk::new();
    let intact = saved(StorageKind::Sparse);
    for section in intact.sections() {
        let what = |change: &str| format!("{section:?}: {change}");
        match section.kind {
            // Where each tile is.
            2 => {
                for at in (section.offset..section.offset + section.bytes).step_by(4) {
                    for tile in [0u32, 1, 5, 1 << 20, u32::MAX - 1, u32::MAX] {
                        if intact.u32_at(at) != tile {
                            let mut file = intact.clone();
                            file.put(at, &tile.to_le_bytes());
                            desk.refused(&file.sealed().0, &what(&format!("tile {tile}")));
                        }
                    }
                }
            }
            // Which bricks a tile has.
            3 if section.bytes > 0 => {
                let mut random = Random(4);
                for k in 0..100 {
                    let mut file = intact.clone();
                    let at = section.offset + random.below(section.bytes);
                    file.0[at] ^= 1 << (k % 8);
                    desk.refused(&file.sealed().0, &what("a bit of a tile"));
                }
            }
            _ => {}
        }
    }
}

/// A brick moved to another place, even past the grid, keeps all counts right.
#[test]
fn bricks_in_the_wrong_place_do_no_harm() {
    let desk = Desk::new();
    let intact = saved(StorageKind::Sparse);
    let mut tried = 0;
    for section in intact.sections().into_iter().filter(|s| s.kind == 3) {
        for tile in (section.offset..section.offset + section.bytes).step_by(88) {
            for word in 0..8 {
                let at = tile + 8 * word;
                let mask = intact.u64_at(at);
                for free in (0..64).filter(|bit| mask >> bit & 1 == 0).step_by(3) {
                    if mask == 0 {
                        continue;
                    }
                    let mut file = intact.clone();
                    let moved = mask & (mask - 1) | 1 << free;
                    file.put(at, &moved.to_le_bytes());
                    desk.refused_or_unverified(&file.sealed().0, "a brick in the wrong place");
                    tried += 1;
                }
            }
            // The whole tile upside down: its bricks are then where there is no grid.
            let mut file = intact.clone();
            let masks: Vec<u64> = (0..8).map(|word| intact.u64_at(tile + 8 * word)).rev().collect();
            let mut before = 0u16;
            for (word, mask) in masks.iter().enumerate() {
                file.put(tile + 8 * word, &mask.to_le_bytes());
                file.put(tile + 64 + 2 * word, &before.to_le_bytes());
                before += mask.count_ones() as u16;
            }
            if file.0 != intact.0 {
                desk.refused_or_unverified(&file.sealed().0, "a tile upside down");
            }
        }
    }
    assert!(tried > 50, "{tried} files");
}

/// Values no field has, with all checksums right: found by `verify`, which names the file.
#[test]
fn hostile_values_are_found_by_verify() {
    let desk = Desk::new();
    for storage in BOTH {
        let intact = saved(storage);
        for section in intact.sections().into_iter().filter(|s| s.bytes > 0) {
            if [2, 3].contains(&section.kind) {
                continue;
            }
            for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e30, -1e30] {
                for place in [0, section.bytes / 8 * 4, section.bytes - 4] {
                    let mut file = intact.clone();
                    file.put(section.offset + place, &bad.to_le_bytes());
                    desk.refused_or_unverified(&file.sealed().0, &format!("{bad} in {section:?}"));
                }
            }
        }
    }
}

/// A value that is no number is found without the slow part of `verify`, and what lies beside it is unknown, not free.
#[test]
fn values_that_are_no_numbers_are_found_quickly_and_prove_nothing() {
    let desk = Desk::new();
    for storage in BOTH {
        let intact = saved(storage);
        let opened = desk.open(&intact.0).unwrap();
        opened.verify_checksums().unwrap();
        opened.verify_finite().unwrap();
        for section in intact.sections().into_iter().filter(|s| [1, 4, 5].contains(&s.kind) && s.bytes > 0) {
            for bad in [f32::NAN, f32::INFINITY] {
                let mut file = intact.clone();
                file.put(section.offset + section.bytes / 8 * 4, &bad.to_le_bytes());
                let field = desk.open(&file.sealed().0).unwrap();
                field.verify_checksums().unwrap();
                let error = field.verify_finite().expect_err("found").to_string();
                assert!(error.contains("tried.field") && error.contains("not finite"), "{error}");
            }
        }
    }
    // The first node of a dense field, at the corner of its box.
    let mut file = saved(StorageKind::Dense).clone();
    let nodes = file.sections()[0];
    file.put(nodes.offset, &f32::NAN.to_le_bytes());
    let field = desk.open(&file.sealed().0).unwrap();
    let beside = field.grid().origin + 0.5 * field.grid().cell;
    assert_eq!((field.distance(beside), field.lower_bound(beside)), (Distance::Unknown, f64::NEG_INFINITY));
    let path = Segment::new(beside, beside + 0.1 * field.grid().cell);
    let uniform = CastOptions { traversal: Traversal::Uniform, ..Default::default() };
    assert!(field.first_hit(&path, 0.0, &uniform).is_some() && field.touches(&path, 0.0, &uniform));
}

/// Claiming that the border is outside when it is not would make false lower bounds.
#[test]
fn a_false_claim_about_the_border_is_found_by_verify() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flush.field");
    let desk = Desk::new();
    for storage in BOTH {
        let options = FieldOptions { resolution: 24, padding: 0.0, storage, ..Default::default() };
        let flush = Field::from_mesh(&shapes::by_name("box").unwrap(), &options).unwrap();
        assert!(!flush.is_certified_outside());
        flush.save(&path).unwrap();
        let mut file = Saved(std::fs::read(&path).unwrap());
        let flags = file.u32_at(20) | 1;
        file.put(20, &flags.to_le_bytes());
        desk.refused_or_unverified(&file.with_header_sealed().0, "the flag of the border");
    }
}

/// Contract: never a half-written file. What cannot be written leaves nothing behind.
#[test]
fn saving_into_a_missing_folder_fails_and_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let field = field(StorageKind::Dense);
    let missing = folder.path().join("no").join("such").join("place.field");
    let error = field.save(&missing).unwrap_err();
    assert!(
        matches!(error, FieldFileError::Io { .. }) && error.to_string().contains("place.field"),
        "{error}"
    );
    assert_eq!(entries(folder.path()), 0);
    // A folder cannot be overwritten by a file.
    let occupied = folder.path().join("occupied");
    std::fs::create_dir(&occupied).unwrap();
    assert!(field.save(&occupied).is_err());
    assert_eq!((entries(folder.path()), entries(&occupied)), (1, 0));
}

#[test]
fn saving_that_is_told_to_stop_leaves_the_old_file_and_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.field");
    std::fs::write(&path, "old").unwrap();
    for storage in [StorageKind::Dense, StorageKind::Sparse] {
        let error = field(storage).save_until(&path, &AtomicBool::new(true)).unwrap_err();
        assert!(matches!(error, FieldFileError::Cancelled), "{error}");
        assert_eq!((std::fs::read_to_string(&path).unwrap().as_str(), entries(folder.path())), ("old", 1));
    }
    field(StorageKind::Sparse).save_until(&path, &AtomicBool::new(false)).unwrap();
    Field::open(&path).unwrap().verify().unwrap();
}

#[test]
fn saving_over_an_old_file_replaces_it_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("there.field");
    let large = Field::from_mesh(
        &sphere(0.5, 320).unwrap(),
        &FieldOptions { resolution: 60, storage: StorageKind::Dense, ..Default::default() },
    )
    .unwrap();
    large.save(&path).unwrap();
    let small = field(StorageKind::Sparse);
    small.save(&path).unwrap();
    Field::open(&path).unwrap().verify().unwrap();
    assert_eq!(entries(folder.path()), 1);
}

fn entries(folder: &Path) -> usize {
    std::fs::read_dir(folder).unwrap().count()
}

/// Contract: never a huge allocation from a lying header. Address space that was only mapped does not count.
fn assert_modest_memory() {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches("kB").trim().parse().unwrap();
    assert!(kilobytes < 1_000_000, "peak memory {kilobytes} kB");
}
