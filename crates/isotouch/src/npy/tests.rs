use std::process::Command;

use proptest::prelude::*;

use super::*;

fn file(version: u8, dict: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY".to_vec();
    bytes.extend([version, 0]);
    match version {
        1 => bytes.extend((dict.len() as u16).to_le_bytes()),
        _ => bytes.extend((dict.len() as u32).to_le_bytes()),
    }
    bytes.extend(dict.as_bytes());
    bytes.extend(data);
    bytes
}

fn problem(bytes: &[u8]) -> String {
    match read_from(&mut &*bytes) {
        Err(Failure::Malformed(problem)) => problem,
        other => panic!("expected a malformed file, got {other:?}"),
    }
}

const SIX: [f64; 6] = [1.5, -2.0, 3.0, 4.25, f64::INFINITY, -0.0];

#[test]
fn points_come_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("p.npy");
    for count in [0, 1, 2, 10_000] {
        let points: Vec<_> =
            (0..count).map(|i| DVec3::new(i as f64 / 3.0, f64::MIN_POSITIVE, -1e300)).collect();
        write_points(&path, &points).unwrap();
        assert_eq!(read_points(&path).unwrap(), points);
        assert_eq!(read(&path).unwrap().shape, [count, 3]);
    }
    write_scalars(&path, &[f64::NAN, 2.0]).unwrap();
    let array = read(&path).unwrap();
    assert_eq!(array.shape, [2]);
    assert!(array.values[0].is_nan() && array.values[1] == 2.0);
    assert_eq!(std::fs::metadata(&path).unwrap().len() % 16, 0, "data is aligned");
}

#[test]
fn every_version_byte_order_and_width_is_read() {
    for version in 1..=3 {
        for (descr, encode) in [
            ("<f8", (|v: f64| v.to_le_bytes().to_vec()) as fn(f64) -> Vec<u8>),
            (">f8", |v| v.to_be_bytes().to_vec()),
            ("<f4", |v| (v as f32).to_le_bytes().to_vec()),
            (">f4", |v| (v as f32).to_be_bytes().to_vec()),
        ] {
            let data: Vec<u8> = SIX.iter().flat_map(|&v| encode(v)).collect();
            let dict = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': (2, 3), }}   \n");
            let array = read_from(&mut &*file(version, &dict, &data)).unwrap();
            assert_eq!(array, Array { shape: vec![2, 3], values: SIX.to_vec() });
        }
    }
}

#[test]
fn fortran_order_is_turned_around() {
    let data: Vec<u8> = (0..24).flat_map(|i| f64::from(i).to_le_bytes()).collect();
    let dict = "{\"shape\":(2,3,4L),'fortran_order':True,'descr':'<f8'}";
    let array = read_from(&mut &*file(1, dict, &data)).unwrap();
    for (i, j, k) in (0..2).flat_map(|i| (0..3).flat_map(move |j| (0..4).map(move |k| (i, j, k)))) {
        assert_eq!(array.values[(i * 3 + j) * 4 + k], (i + 2 * j + 6 * k) as f64);
    }
}

#[test]
fn a_lying_shape_is_found_out_without_the_memory_it_asks_for() {
    for shape in ["(1000000000000, 3)", "(3074457345618258, 3)"] {
        let dict = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
        assert!(problem(&file(1, &dict, &[0; 80])).contains("ends after 10 of the"));
    }
    for shape in ["(18446744073709551615, 3)", "(4294967296, 4294967296, 0, 4294967296)"] {
        let dict = format!("{{'descr': '<f8', 'fortran_order': True, 'shape': {shape}}}");
        assert!(problem(&file(1, &dict, &[0; 80])).contains("larger than any memory"));
    }
    let mut long_header = file(2, "", b"");
    long_header[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(problem(&long_header).contains("claims 4294967295 bytes"));
}

#[test]
fn what_is_wrong_is_named_with_its_remedy() {
    let with = |descr: &str, shape: &str| {
        file(1, &format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}}}"), &[0; 24])
    };
    assert!(problem(b"").contains("numpy.save"));
    assert!(problem(b"PK\x03\x04").contains("not an .npy file"));
    assert!(problem(b"\x93NUMPY").contains("ends within its header"));
    assert!(problem(b"\x93NUMPY\x09\x00").contains("version 9"));
    assert!(problem(&with("'<i8'", "(1, 3)")).contains("astype('float64')"));
    assert!(problem(&with("[('x', '<f8')]", "(1, 3)")).contains("named fields"));
    assert!(problem(&with("'<f8'", "(-1, 3)")).contains("a length in 'shape'"));
    assert!(problem(&with("'<f8'", "(1, 4)")).contains("ends after 3 of the 4"));
    assert!(problem(&with("'<f8'", "(2,)")).contains("more data follows"));
    assert!(problem(with("'<f8'", "(1,").split_at(40).0).contains("ends within"));
    assert!(problem(&file(1, "{'descr': '<f8'}", b"")).contains("lacks one of"));
    assert!(problem(&file(1, "{'descr': '<f8", b"")).contains("closing quote"));
    let deep = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {}", "(".repeat(5000));
    assert!(problem(&file(1, &deep, b"")).contains("a length in 'shape'"));

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flat.npy");
    write_scalars(&path, &[1.0, 2.0, 3.0]).unwrap();
    let error = read_points(&path).unwrap_err().to_string();
    assert!(error.contains("flat.npy") && error.contains("(3,)") && error.contains("(n, 3)"), "{error}");
    assert!(error.contains("reshape"), "{error}");
    let across = folder.path().join("across.npy");
    let numbers = [0u8; 3 * 5 * 8];
    std::fs::write(&across, [header::encode(&[3, 5], "<f8", Order::C), numbers.to_vec()].concat()).unwrap();
    let error = read_points(&across).unwrap_err().to_string();
    assert!(error.contains("(3, 5)") && error.contains("transpose"), "{error}");
    let error = read(folder.path().join("none.npy")).unwrap_err().to_string();
    assert!(error.contains("none.npy") && error.contains("no such file"), "{error}");
    assert!(read(folder.path()).is_err());
}

proptest! {
    #[test]
    fn damaged_files_never_panic(at in 0usize..130, byte: u8, length in 0usize..200) {
        let mut bytes = header::encode(&[3, 3], "<f8", Order::C);
        bytes.extend(SIX.iter().flat_map(|v| v.to_le_bytes()));
        bytes[at] = byte;
        bytes.truncate(length);
        let _ = read_from(&mut &*bytes);
    }
}

/// Runs Python; `None` when there is no Python with NumPy here.
fn numpy(script: &str, folder: &Path) -> Option<()> {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let found = Command::new(&python).args(["-c", "import numpy"]).output().ok()?.status.success();
    if !found {
        eprintln!("no NumPy here: not compared against it");
        return None;
    }
    let run = Command::new(&python).args(["-c", script]).current_dir(folder).output().unwrap();
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    Some(())
}

#[test]
fn numpy_reads_what_we_write_and_we_read_what_numpy_writes() {
    let folder = tempfile::tempdir().unwrap();
    let points: Vec<_> = (0..50).map(|i| DVec3::new(f64::from(i), -0.1, 1e-300)).collect();
    write_points(folder.path().join("points.npy"), &points).unwrap();
    write_scalars(folder.path().join("scalars.npy"), &[0.1, f64::NAN, f64::NEG_INFINITY]).unwrap();
    write_bytes(folder.path().join("marks.npy"), &[0, 1, 2, 255]).unwrap();
    let script = r#"
import numpy as np
from numpy.lib import format
p = np.load("points.npy")
assert p.shape == (50, 3) and p.dtype == np.float64 and (p == [[i, -0.1, 1e-300] for i in range(50)]).all()
s = np.load("scalars.npy")
assert s.shape == (3,) and s[0] == 0.1 and np.isnan(s[1]) and s[2] == -np.inf
m = np.load("marks.npy")
assert m.dtype == np.uint8 and m.tolist() == [0, 1, 2, 255]
for version in [(1, 0), (2, 0), (3, 0)]:
    for descr in ["<f4", ">f4", "<f8", ">f8"]:
        for order in "CF":
            a = np.asarray(np.arange(30).reshape(10, 3), dtype=descr, order=order)
            with open(f"{descr[1:]}{'le' if descr[0] == '<' else 'be'}{order}{version[0]}.npy", "wb") as f:
                format.write_array(f, a, version=version)
"#;
    if numpy(script, folder.path()).is_none() {
        return;
    }
    let expected: Vec<_> = (0..10).map(|i| DVec3::new(0.0, 1.0, 2.0) + f64::from(3 * i)).collect();
    for number in ["f4le", "f4be", "f8le", "f8be"] {
        for order in ["C", "F"] {
            for version in 1..=3 {
                let path = folder.path().join(format!("{number}{order}{version}.npy"));
                assert_eq!(read_points(&path).unwrap(), expected, "{}", path.display());
            }
        }
    }
}
