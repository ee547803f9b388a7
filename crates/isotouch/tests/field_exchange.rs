//! Fields of other programs, in and out.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod oracle;

use std::path::Path;

use isotouch::field::{
    ExchangeError, ExportOptions, Field, FieldOptions, Grid, ImportOptions, Precision, SignMethod,
    StorageKind,
};
use isotouch::math::{DVec3, IVec3, UVec3};
use isotouch::mesh::shapes;
use oracle::python::numpy;

/// A field whose sides and cells have different lengths along each axis.
fn blob(storage: StorageKind) -> Field {
    let mesh = shapes::by_name("blob").unwrap().mapped(|p| p * DVec3::new(1.0, 0.7, 0.4)).unwrap();
    Field::from_mesh(&mesh, &FieldOptions { resolution: 40, storage, ..Default::default() }).unwrap()
}

/// Every node of a field, x fastest.
fn nodes(field: &Field) -> Vec<f64> {
    let grid = field.grid();
    let n = grid.nodes().as_ivec3();
    let all = (0..n.z).flat_map(|z| (0..n.y).flat_map(move |y| (0..n.x).map(move |x| IVec3::new(x, y, z))));
    all.map(|node| field.distance(grid.bounds().project(grid.node_position(node))).value()).collect()
}

fn import(path: &Path) -> Field {
    Field::import(path, &ImportOptions::default()).unwrap().field
}

fn fails(path: &Path, parts: &[&str]) -> ExchangeError {
    let error = Field::import(path, &ImportOptions::default()).unwrap_err();
    let name = path.file_name().unwrap().to_string_lossy();
    for part in parts.iter().copied().chain([&*name]) {
        assert!(error.to_string().contains(part), "`{part}` is missing in: {error}");
    }
    error
}

#[test]
fn dense_fields_come_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let field = blob(StorageKind::Dense);
    for name in ["a.npy", "a.dist"] {
        for precision in [Precision::Single, Precision::Double] {
            let path = folder.path().join(name);
            let exported = field.export(&path, &ExportOptions { precision }).unwrap();
            assert_eq!((exported.nodes, exported.interpolated), (field.grid().node_count(), 0));
            let again = import(&path);
            let (ours, theirs) = (field.grid(), again.grid());
            assert_eq!((ours.cells, ours.origin), (theirs.cells, theirs.origin));
            assert!((ours.cell - theirs.cell).abs() <= 1e-15 * ours.cell, "{name}");
            let off = nodes(&field).iter().zip(nodes(&again)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            // Positions come back to the last bit or the one before; asked there, values move by as much.
            assert!(off < 1e-14, "{name}: off by {off:e}");
            // Distances are 1-Lipschitz, whatever their nodes say.
            assert_eq!((again.lipschitz(), again.sign()), (1.0, SignMethod::Given));
        }
    }
}

/// Where a sparse field has nodes they are written; elsewhere the interpolant, within its bound.
#[test]
fn sparse_fields_are_filled_up() {
    let folder = tempfile::tempdir().unwrap();
    let (sparse, dense) = (blob(StorageKind::Sparse), blob(StorageKind::Dense));
    let path = folder.path().join("a.npy");
    let exported = sparse.export(&path, &ExportOptions::default()).unwrap();
    let written = import(&path);
    let exact = nodes(&dense);
    let mut different = 0;
    for (at, (value, exact)) in nodes(&written).iter().zip(&exact).enumerate() {
        let n = sparse.grid().nodes();
        let at = at as u32;
        let node = UVec3::new(at % n.x, at / n.x % n.y, at / (n.x * n.y)).as_ivec3();
        let p = sparse.grid().bounds().project(sparse.grid().node_position(node));
        let off = (value - exact).abs();
        assert!(off <= sparse.error_bound_at(p).unwrap() + 1e-7, "{node}: off by {off}");
        if exact.abs() <= sparse.band() * sparse.grid().cell {
            assert!(off < 1e-14, "{node} is in the band and off by {off}");
        }
        different += u64::from(off > 1e-7);
    }
    assert!(exported.interpolated >= different && different > 0, "{different} of {}", exported.interpolated);
    assert!(exported.interpolated < exported.nodes);
}

#[test]
fn foreign_values_state_how_fast_they_change() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let grid = Grid { origin: DVec3::new(-1.0, 2.0, 0.5), cell: 0.25, cells: UVec3::new(4, 3, 2) };
    // Three times as steep as a distance, along each axis in turn.
    for axis in 0..3 {
        let mut values = Vec::new();
        for z in 0..3 {
            for y in 0..4 {
                for x in 0..5 {
                    values.push([x, y, z][axis] as f32 * 0.75 - 1.0);
                }
            }
        }
        let steep = Field::from_grid(grid, values, 3.0, &ImportOptions::default().field).unwrap();
        steep.export(&path, &ExportOptions::default()).unwrap();
        let imported = Field::import(&path, &ImportOptions::default()).unwrap();
        assert!((imported.slope - 3.0).abs() < 1e-5 && imported.slope <= 3.0, "{}", imported.slope);
        assert_eq!(imported.field.lipschitz(), imported.slope);
        assert!(imported.field.error_bound() > 3.0 * 0.86 * 0.25 * 0.999);
        // A bound of one's own is checked like any other.
        let stated = ImportOptions { lipschitz: Some(4.0), ..Default::default() };
        assert_eq!(Field::import(&path, &stated).unwrap().field.lipschitz(), 4.0);
        let wrong = ImportOptions { lipschitz: Some(2.0), ..Default::default() };
        let error = Field::import(&path, &wrong).unwrap_err();
        assert!(
            matches!(error, ExchangeError::Build { .. }) && error.to_string().contains("a.npy"),
            "{error}"
        );
    }
}

#[test]
fn numpy_sees_x_y_z_and_we_see_what_numpy_writes() {
    let folder = tempfile::tempdir().unwrap();
    let field = blob(StorageKind::Dense);
    field.export(folder.path().join("single.npy"), &ExportOptions::default()).unwrap();
    let double = ExportOptions { precision: Precision::Double };
    field.export(folder.path().join("double.npy"), &double).unwrap();
    field.export(folder.path().join("field.nrrd"), &ExportOptions::default()).unwrap();
    field.export(folder.path().join("field.dist"), &ExportOptions::default()).unwrap();
    let (node, value) = (IVec3::new(7, 11, 3), nodes(&field));
    let n = field.grid().nodes();
    let value = value[(node.x + n.x as i32 * (node.y + n.y as i32 * node.z)) as usize];
    let script = format!(
        r#"
import json, struct
import numpy as np
a, d = np.load("single.npy"), np.load("double.npy")
assert a.shape == d.shape == ({x}, {y}, {z}) and a.dtype == np.float32 and d.dtype == np.float64 and (a == d).all()
assert a[7, 11, 3] == np.float32({value:?}), a[7, 11, 3]
about = json.load(open("single.npy.json"))
assert about["shape"] == [{x}, {y}, {z}] and about["cell"] == {cell:?} and about["origin"] == {origin:?}
# NRRD: a header in words, an empty line, the values.
header, data = open("field.nrrd", "rb").read().split(b"\n\n", 1)
fields = dict(line.split(": ", 1) for line in header.decode().split("\n") if ": " in line)
assert header.startswith(b"NRRD0004\n") and fields["type"] == "float" and fields["endian"] == "little"
sizes = [int(s) for s in fields["sizes"].split()]
assert (np.frombuffer(data, "<f4").reshape(sizes, order="F") == a).all()
assert eval(fields["space origin"]) == tuple({origin:?})
assert [eval(v)[k] for k, v in enumerate(fields["space directions"].split())] == [{cell:?}] * 3
# VegaFEM, as its DistanceField::load reads it.
dist = open("field.dist", "rb").read()
res = struct.unpack("<3i", dist[:12])
assert res == (-({x} - 1), {y} - 1, {z} - 1)
assert struct.unpack("<3d", dist[12:36]) == tuple({origin:?})
assert (np.frombuffer(dist[60:], "<f4").reshape(sizes, order="F") == a).all()
# Back, in either order and byte order, and as a double .dist file.
for order in "CF":
    for descr in ["<f4", ">f4", "<f8", ">f8"]:
        name = order + descr[1:] + ("le" if descr[0] == "<" else "be") + ".npy"
        np.save(name, np.asarray(a, dtype=descr, order=order))
        json.dump({{"cell": about["cell"], "origin": about["origin"]}}, open(name + ".json", "w"))
with open("numpy.dist", "wb") as f:
    f.write(struct.pack("<3i", -res[0], res[1], res[2]) + dist[12:60] + a.astype("<f8").tobytes(order="F"))
"#,
        x = n.x,
        y = n.y,
        z = n.z,
        cell = field.grid().cell,
        origin = field.grid().origin.to_array(),
    );
    if numpy(&script, folder.path()).is_none() {
        return;
    }
    let expected = nodes(&field);
    let mut names = vec!["numpy.dist".to_owned()];
    for order in ["C", "F"] {
        names.extend(["f4le", "f4be", "f8le", "f8be"].map(|number| format!("{order}{number}.npy")));
    }
    for name in names {
        let again = import(&folder.path().join(&name));
        assert_eq!(again.grid().cells, field.grid().cells);
        let off = nodes(&again).iter().zip(&expected).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(off < 1e-14, "{name}: off by {off:e}");
    }
}

#[test]
fn an_array_needs_a_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    let sidecar = folder.path().join("a.npy.json");
    blob(StorageKind::Dense).export(&path, &ExportOptions::default()).unwrap();
    let stated = import(&path);
    std::fs::remove_file(&sidecar).unwrap();
    let error = fails(&path, &["--cell", "--origin", "a.npy.json"]);
    assert!(matches!(error, ExchangeError::NoPosition { .. }));

    let placed = |cell, origin| {
        let options = ImportOptions { cell, origin, ..Default::default() };
        *Field::import(&path, &options).unwrap().field.grid()
    };
    let origin = DVec3::new(1.0, 2.0, 3.0);
    assert_eq!((placed(Some(2.0), None).cell, placed(Some(2.0), None).origin), (2.0, DVec3::ZERO));
    assert_eq!(placed(Some(2.0), Some(origin)).origin, origin);
    std::fs::write(&sidecar, r#"{"cell": 0.5, "origin": [-1, 0, 1], "made by": "hand"}"#).unwrap();
    assert_eq!((placed(None, None).cell, placed(None, None).origin), (0.5, DVec3::new(-1.0, 0.0, 1.0)));
    assert_eq!((placed(None, Some(origin)).cell, placed(None, Some(origin)).origin), (0.5, origin));

    for (text, part) in [
        ("", "is no JSON"),
        ("[1, 2]", "\"cell\" has to be"),
        (r#"{"cell": 0, "origin": [0, 0, 0]}"#, "\"cell\" has to be"),
        (r#"{"cell": "1", "origin": [0, 0, 0]}"#, "\"cell\" has to be"),
        (r#"{"cell": 1, "origin": [0, 0]}"#, "\"origin\" has to be"),
        (r#"{"cell": 1, "origin": [0, 0, null]}"#, "\"origin\" has to be"),
        (r#"{"cell": 1, "origin": [0, 0, 0], "shape": 3}"#, "\"shape\" has to be"),
        (r#"{"cell": 1, "origin": [0, 0, 0], "shape": [9, 9, 9]}"#, "was written for [9, 9, 9]"),
        (r#"{"cell": 1, "origin": [1e300, 0, 0]}"#, "origin"),
    ] {
        std::fs::write(&sidecar, text).unwrap();
        fails(&path, &[part]);
    }
    assert_eq!(stated.grid().cells, blob(StorageKind::Dense).grid().cells);
}

/// A .npy file with a header that says this, and so many bytes of data.
fn npy(path: &Path, shape: &str, data: &[u8]) {
    let dict = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
    let mut bytes = b"\x93NUMPY\x01\0".to_vec();
    bytes.extend((dict.len() as u16).to_le_bytes());
    bytes.extend(dict.as_bytes());
    bytes.extend(data);
    std::fs::write(path, bytes).unwrap();
}

#[test]
fn hostile_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.npy");
    std::fs::write(folder.path().join("a.npy.json"), r#"{"cell": 1, "origin": [0, 0, 0]}"#).unwrap();
    npy(&path, "(100000, 100000, 100000)", &[0; 64]);
    fails(&path, &["ends after 16 of"]);
    npy(&path, "(99999999999, 99999999999, 99999999999)", &[0; 64]);
    fails(&path, &["larger than any memory"]);
    npy(&path, "(2, 2)", &[0; 16]);
    fails(&path, &["shape (2, 2)", "x, y and z"]);
    npy(&path, "(2, 2, 2, 2)", &[0; 64]);
    fails(&path, &["shape (2, 2, 2, 2)"]);
    npy(&path, "(2, 1, 2)", &[0; 16]);
    fails(&path, &["2 or more nodes"]);
    npy(&path, "(0, 2, 2)", &[]);
    fails(&path, &["2 or more nodes"]);
    npy(&path, "(2, 2, 2)", &[0; 33]);
    fails(&path, &["more data follows"]);
    std::fs::write(&path, b"not an array").unwrap();
    fails(&path, &["not an .npy file"]);
    for (bad, word) in [(f32::NAN, "NaN"), (f32::NEG_INFINITY, "-inf"), (f32::MAX, "narrow band")] {
        let mut data = [0; 32];
        // In C order the last of z runs fastest: number 5 is node (1, 0, 1).
        data[20..24].copy_from_slice(&bad.to_le_bytes());
        npy(&path, "(2, 2, 2)", &data);
        let error = fails(&path, &["node (1, 0, 1)", word]);
        assert!(matches!(error, ExchangeError::NotFinite { .. }));
    }
}

fn dist(resolution: [i32; 3], box_: [f64; 6], data: &[u8]) -> Vec<u8> {
    let mut bytes: Vec<u8> = resolution.iter().flat_map(|n| n.to_le_bytes()).collect();
    bytes.extend(box_.iter().flat_map(|x| x.to_le_bytes()));
    bytes.extend(data);
    bytes
}

#[test]
fn hostile_distance_fields() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.dist");
    const CUBE: [f64; 6] = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
    let bad = |bytes: &[u8], part: &str| {
        std::fs::write(&path, bytes).unwrap();
        fails(&path, &[part])
    };
    let good = dist([-1, 1, 1], CUBE, &[0; 32]);
    std::fs::write(&path, &good).unwrap();
    assert_eq!(import(&path).grid().cells, UVec3::ONE);
    bad(&[], "60-byte header");
    bad(&good[..59], "60-byte header");
    bad(&good[..91], "has 91 bytes, but 1 × 1 × 1 cells of single precision take 92");
    bad(&[&good[..], &[0]].concat(), "take 92");
    // Every number is possible, and none of them makes it allocate.
    bad(&dist([i32::MIN, i32::MAX, i32::MAX], CUBE, &[0; 32]), "it was cut short");
    bad(&dist([i32::MAX, i32::MAX, i32::MAX], CUBE, &[0; 32]), "double precision");
    bad(&dist([-1, -1, 1], CUBE, &[0; 32]), "closest points");
    bad(&dist([0, 1, 1], CUBE, &[0; 32]), "Voronoi");
    bad(&dist([-1, 0, 1], CUBE, &[0; 16]), "resolution of -1, 0, 1");
    bad(&dist([-1, 1, -1], CUBE, &[0; 16]), "resolution of -1, 1, -1");
    bad(&dist([-1, 1, 1], [0.0, 0.0, 0.0, 1.0, 1.0, f64::NAN], &[0; 32]), "holds nothing");
    bad(&dist([-1, 1, 1], [0.0, 0.0, 0.0, 1.0, 1.0, -1.0], &[0; 32]), "holds nothing");
    bad(&dist([-1, 1, 1], [f64::NEG_INFINITY, 0.0, 0.0, 1.0, 1.0, 1.0], &[0; 32]), "holds nothing");
    let error = bad(&dist([-1, 1, 2], CUBE, &[0; 48]), "1 × 1 × 0.5, but only cubes");
    assert!(matches!(error, ExchangeError::NotCubes { .. }));
    bad(&dist([-1, 1, 1], [0.0, 0.0, 0.0, 1.0, 1.0, 1.01], &[0; 32]), "only cubes");
    // Rounded boxes are cubes still.
    let rounded = [0.0, 0.0, 0.0, 1.0, 1.0, f64::from(0.999_999_9f32)];
    std::fs::write(&path, dist([-1, 1, 1], rounded, &[0; 32])).unwrap();
    import(&path);
    let mut data = [0; 32];
    data[4..8].copy_from_slice(&f32::NAN.to_le_bytes());
    bad(&dist([-1, 1, 1], CUBE, &data), "node (1, 0, 0)");
    // A double beyond f32 is no value either.
    let mut data = [0; 64];
    data[56..].copy_from_slice(&1e300f64.to_le_bytes());
    bad(&dist([1, 1, 1], CUBE, &data), "node (1, 1, 1)");
    std::fs::remove_file(&path).unwrap();
    fails(&path, &["cannot be read"]);
    std::fs::create_dir(&path).unwrap();
    fails(&path, &["cannot be read"]);
}

#[test]
fn extensions_decide_and_failures_leave_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let field = blob(StorageKind::Sparse);
    let error = field.export(folder.path().join("a.vdb"), &ExportOptions::default()).unwrap_err();
    assert!(error.to_string().contains(".npy, .dist or .nrrd"), "{error}");
    fails(&folder.path().join("a.vdb"), &[".npy or .dist"]);
    fails(&folder.path().join("a.nrrd"), &["NRRD is written, not read"]);
    let stop = std::sync::atomic::AtomicBool::new(true);
    let execution = isotouch::field::Execution { cancel: Some(&stop), ..Default::default() };
    for name in ["a.npy", "a.DIST", "a.nrrd"] {
        let stopped = field.export_with(folder.path().join(name), &ExportOptions::default(), &execution);
        assert!(matches!(stopped, Err(ExchangeError::Cancelled)));
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    field.export(folder.path().join("a.NPY"), &ExportOptions::default()).unwrap();
    assert_eq!(import(&folder.path().join("a.NPY")).grid().cells, field.grid().cells);
}
