//! Archives of arrays, judged by NumPy where it is there.

mod oracle;

use std::fs;

use isotouch::npy::NpyError;
use isotouch::npy::npz::{Compression, Npz, Values};
use proptest::prelude::*;

const BOTH: [Compression; 2] = [Compression::Stored, Compression::Deflated];

fn run<'a>(poses: &'a [f64], bodies: usize) -> Npz<'a> {
    let mut run = Npz::new();
    run.add("poses", &[poses.len() / 7 / bodies, bodies, 7], poses);
    run.add("energy", &[3], vec![0.1, f64::NAN, f64::NEG_INFINITY]);
    run.add("steps", &[2, 2], vec![i64::MIN, -1, 0, i64::MAX]);
    run.add("triangles", &[1, 3], vec![0, 7, u32::MAX]);
    run.add("nothing", &[0, 3], Vec::<f64>::new());
    run.add("a number", &[], vec![2.5]);
    run
}

/// NaN equals NaN here.
fn bits(values: &Values<'_>) -> Vec<u64> {
    match values {
        Values::F64(values) => values.iter().map(|v| v.to_bits()).collect(),
        Values::I64(values) => values.iter().map(|&v| v as u64).collect(),
        Values::U32(values) => values.iter().map(|&v| v.into()).collect(),
    }
}

#[test]
fn arrays_come_back_bit_for_bit_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let poses: Vec<f64> = (0..50 * 4 * 7).map(|k| f64::from(k) / 3.0).collect();
    let run = run(&poses, 4);
    let mut sizes = Vec::new();
    for compression in BOTH {
        run.write(&path, compression).unwrap();
        let same = Npz::read(&path).unwrap();
        for ((name, array), (same_name, same_array)) in run.iter().zip(same.iter()) {
            assert_eq!((name, array.shape()), (same_name, same_array.shape()));
            assert_eq!(std::mem::discriminant(array.values()), std::mem::discriminant(same_array.values()));
            assert_eq!(bits(array.values()), bits(same_array.values()), "{name}");
        }
        assert_eq!(same.iter().count(), 6);
        let first = fs::read(&path).unwrap();
        run.write(&path, compression).unwrap();
        assert_eq!(fs::read(&path).unwrap(), first, "the same arrays, the same bytes");
        sizes.push(first.len());
    }
    assert!(sizes[1] < sizes[0] * 3 / 4, "{sizes:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn numpy_reads_what_we_write_and_we_read_what_numpy_writes() {
    let folder = tempfile::tempdir().unwrap();
    let poses: Vec<f64> = (0..5 * 2 * 7).map(|k| f64::from(k) / 3.0).collect();
    for (compression, name) in BOTH.into_iter().zip(["stored", "deflated"]) {
        run(&poses, 2).write(folder.path().join(format!("{name}.npz")), compression).unwrap();
    }
    let script = r#"
import numpy as np, zipfile
for name in ["stored", "deflated"]:
    assert zipfile.ZipFile(name + ".npz").testzip() is None
    run = np.load(name + ".npz")
    assert run.files == ["poses", "energy", "steps", "triangles", "nothing", "a number"], run.files
    assert run["poses"].shape == (5, 2, 7) and (run["poses"].ravel() == np.arange(70) / 3).all()
    e = run["energy"]
    assert e[0] == 0.1 and np.isnan(e[1]) and e[2] == -np.inf
    assert run["steps"].dtype == np.int64 and run["steps"].tolist() == [[-2**63, -1], [0, 2**63 - 1]]
    assert run["triangles"].dtype == np.uint32 and run["triangles"].tolist() == [[0, 7, 2**32 - 1]]
    assert run["nothing"].shape == (0, 3) and run["a number"].shape == () and run["a number"] == 2.5
arrays = dict(f=np.asfortranarray(np.arange(6.0).reshape(2, 3)), half=np.float32([0.5, np.nan]), small=np.int32([-7, 7]),
    big=np.array([1, 2**31], dtype=">u4"), flags=np.array([True, False]), bytes=np.uint8([255]), one=np.float64(3))
np.savez("a.npz", **arrays)
np.savez_compressed("b.npz", **arrays)
np.savez("words.npz", names=np.array(["a", "b"]))
"#;
    if oracle::python::numpy(script, folder.path()).is_none() {
        return;
    }
    for name in ["a.npz", "b.npz"] {
        let arrays = Npz::read(folder.path().join(name)).unwrap();
        let get = |name: &str| arrays.get(name).unwrap();
        assert_eq!(
            (get("f").shape(), get("f").as_f64().unwrap()),
            (&[2, 3][..], &[0., 1., 2., 3., 4., 5.][..])
        );
        assert!(get("half").as_f64().unwrap()[0] == 0.5 && get("half").as_f64().unwrap()[1].is_nan());
        assert_eq!(get("small").values(), &Values::from(vec![-7i64, 7]));
        assert_eq!(get("big").values(), &Values::from(vec![1, 1u32 << 31]));
        assert_eq!(get("flags").values(), &Values::from(vec![1i64, 0]));
        assert_eq!(get("bytes").values(), &Values::from(vec![255i64]));
        assert_eq!((get("one").shape(), get("one").as_f64()), (&[][..], Some(&[3.0][..])));
    }
    let error = Npz::read(folder.path().join("words.npz")).unwrap_err().to_string();
    assert!(error.contains("words.npz") && error.contains("'names'") && error.contains("astype"), "{error}");
}

#[test]
fn what_cannot_be_written_is_told_and_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.npz");
    let told = |run: &Npz<'_>| {
        let error = run.write(&path, Compression::Stored).unwrap_err();
        assert!(matches!(error, NpyError::Unwritable { .. }) && !path.exists());
        error.to_string()
    };
    for name in ["", "a/b", "..\\x", "line\nbreak"] {
        let mut run = Npz::new();
        run.add(name, &[1], vec![1.0]);
        assert!(told(&run).contains("cannot be called"), "{name}");
    }
    let mut twice = Npz::new();
    twice.add("x", &[1], vec![1.0]);
    twice.add("x", &[1], vec![2.0]);
    assert!(told(&twice).contains("two arrays"));
    let mut wrong = Npz::new();
    wrong.add("x", &[2, 3], vec![1.0; 5]);
    assert!(told(&wrong).contains("5 numbers") && told(&wrong).contains("(2, 3)"));
    let mut huge = Npz::new();
    huge.add("x", &[usize::MAX, 2], vec![1.0; 5]);
    assert!(told(&huge).contains("is not what its shape"));
}

#[test]
fn what_is_no_archive_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("no.npz");
    for bytes in [&b""[..], b"PK\x03\x04", b"\x93NUMPY\x01\x00", &[0; 100]] {
        fs::write(&path, bytes).unwrap();
        let error = Npz::read(&path).unwrap_err().to_string();
        assert!(error.contains("no.npz") && error.contains("write it again"), "{error}");
    }
    let error = Npz::read(folder.path().join("none.npz")).unwrap_err();
    assert!(matches!(error, NpyError::NoSuchFile { .. }));
}

proptest! {
    #[test]
    fn damaged_archives_never_panic_and_never_lie(at: prop::sample::Index, byte: u8, is_cut: bool) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.npz");
        let mut run = Npz::new();
        run.add("x", &[40], (0..40).map(f64::from).collect::<Vec<_>>());
        run.write(&path, if byte % 2 == 0 { Compression::Stored } else { Compression::Deflated }).unwrap();
        let mut bytes = fs::read(&path).unwrap();
        let at = at.index(bytes.len());
        if is_cut { bytes.truncate(at) } else { bytes[at] = byte }
        fs::write(&path, bytes).unwrap();
        if let Ok(read) = Npz::read(&path) && let Some(array) = read.get("x") {
            prop_assert_eq!(array.as_f64(), run.get("x").unwrap().as_f64());
        }
    }
}

/// 4 GiB of zeros need no memory, as nothing was written to them; they deflate to a few megabytes. Takes a minute.
#[test]
#[ignore = "a minute of deflating 4 GiB"]
fn an_array_beyond_4_gib_is_read_by_python() {
    let folder = tempfile::tempdir().unwrap();
    let count = (1usize << 30) + 100;
    let mut run = Npz::new();
    run.add("zeros", &[count], vec![0u32; count]);
    run.add("after", &[1], vec![5.0]);
    run.write(folder.path().join("large.npz"), Compression::Deflated).unwrap();
    let script = r#"
import numpy as np, zipfile
archive = zipfile.ZipFile("large.npz")
assert archive.testzip() is None and archive.infolist()[0].file_size > 2**32
assert np.load("large.npz")["after"][0] == 5
"#;
    oracle::python::numpy(script, folder.path());
}
