//! Contract: same input, same answer, whatever the thread count; every compilation of the kernels gives the same bits.
//! The saved file holds all a field knows, so its bytes are compared.

// The helpers of a test are tests too.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod oracle;

use isotouch::field::{Execution, Field, FieldOptions, SignMethod, StorageKind};
use isotouch::math::{Aabb, DVec3};
use isotouch::mesh::TriMesh;
use isotouch::mesh::shapes::{self, cuboid, sphere};
use isotouch::simd::SimdLevel;
use oracle::meshes::{boxes_sharing_an_edge, overlapping_spheres, self_crossing_tube, without};

const BOTH: [StorageKind; 2] = [StorageKind::Dense, StorageKind::Sparse];

fn bytes_of(field: &Field) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("saved.field");
    field.save(&path).unwrap();
    std::fs::read(path).unwrap()
}

/// Large triangles, triangles below the cell size, overlapping parts, edges with four triangles.
fn meshes() -> Vec<(&'static str, TriMesh)> {
    vec![
        ("box", cuboid(DVec3::new(1.0, 0.3, 0.6)).unwrap()),
        ("fine ball", sphere(0.5, 20_480).unwrap()),
        ("knot", shapes::by_name("torus-knot").unwrap()),
        ("blob", shapes::by_name("blob").unwrap()),
        ("overlapping", overlapping_spheres()),
        ("crossing", self_crossing_tube()),
        ("sharing an edge", boxes_sharing_an_edge()),
    ]
}

fn options(resolution: u32, storage: StorageKind) -> FieldOptions {
    FieldOptions { resolution, storage, ..Default::default() }
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    for (name, mesh) in meshes() {
        for storage in BOTH {
            let with = |threads| {
                let execution = Execution { threads: Some(threads), ..Default::default() };
                let built = Field::from_mesh_with(&mesh, &options(51, storage), &execution).unwrap();
                (bytes_of(&built.field), built.notes)
            };
            let one = with(1);
            for threads in [2, 3, 5] {
                assert!(with(threads) == one, "{name}, {storage}: {threads} threads");
            }
        }
    }
}

/// Fine enough for several levels, full tiles, and more tasks than threads in every stage.
#[test]
fn any_number_of_threads_gives_the_same_bytes_at_high_resolution() {
    for (name, mesh) in [("blob", shapes::by_name("blob").unwrap()), ("overlapping", overlapping_spheres())] {
        let with = |threads| {
            let execution = Execution { threads: Some(threads), ..Default::default() };
            let options = options(330, StorageKind::Sparse);
            let built = Field::from_mesh_with(&mesh, &options, &execution).unwrap();
            assert!(built.field.grid().cells.min_element() > 100);
            (bytes_of(&built.field), built.notes)
        };
        let one = with(1);
        for threads in [2, 3] {
            assert!(with(threads) == one, "{name}: {threads} threads");
        }
    }
}

#[test]
fn every_instruction_set_gives_the_same_bytes() {
    println!("this machine has {:?}", SimdLevel::available());
    for (name, mesh) in meshes() {
        for storage in BOTH {
            for resolution in [16, 51] {
                let with = |level| {
                    let execution = Execution { simd: Some(level), ..Default::default() };
                    let built =
                        Field::from_mesh_with(&mesh, &options(resolution, storage), &execution).unwrap();
                    bytes_of(&built.field)
                };
                let portable = with(SimdLevel::Portable);
                for level in SimdLevel::available() {
                    assert!(with(level) == portable, "{name}, {storage}, {resolution}: {level}");
                }
            }
        }
    }
}

/// Open meshes: signs from normals, which contradict each other beyond the rim, and signs that need caps.
#[test]
fn an_open_dome_gives_the_same_bytes_with_every_sign_method() {
    let ball = sphere(0.5, 5_120).unwrap();
    let below = |t: &usize| ball.corners(*t).iter().any(|v| v.z < -0.3);
    let dome = without(&ball, &(0..ball.triangles().len()).filter(below).collect::<Vec<_>>());
    for sign in [SignMethod::Oriented, SignMethod::FaceNormal, SignMethod::Winding, SignMethod::Soup] {
        for storage in BOTH {
            let with = |threads, simd| {
                let execution = Execution { threads: Some(threads), simd: Some(simd), ..Default::default() };
                let options = FieldOptions { sign, ..options(47, storage) };
                let built = Field::from_mesh_with(&dome, &options, &execution).unwrap();
                assert_eq!(built.field.sign(), sign);
                (bytes_of(&built.field), built.notes)
            };
            let plain = with(1, SimdLevel::Portable);
            for threads in [2, 3] {
                assert!(with(threads, SimdLevel::Portable) == plain, "{sign}, {storage}: {threads} threads");
            }
            for level in SimdLevel::available() {
                assert!(with(2, level) == plain, "{sign}, {storage}: {level}");
            }
        }
    }
}

/// Asking for more than the machine has is harmless.
#[test]
fn a_level_the_machine_lacks_runs_as_a_lower_one() {
    let mesh = cuboid(DVec3::ONE).unwrap();
    let execution = Execution { simd: Some(SimdLevel::Avx512), ..Default::default() };
    let built = Field::from_mesh_with(&mesh, &options(16, StorageKind::Dense), &execution).unwrap();
    assert!(
        bytes_of(&built.field)
            == bytes_of(&Field::from_mesh(&mesh, &options(16, StorageKind::Dense)).unwrap())
    );
}

#[test]
fn the_same_input_twice_gives_the_same_bytes() {
    for (name, mesh) in meshes() {
        for storage in BOTH {
            for sign in [SignMethod::Auto, SignMethod::Winding] {
                let options = FieldOptions { sign, ..options(40, storage) };
                let [first, second] =
                    [(), ()].map(|()| bytes_of(&Field::from_mesh(&mesh, &options).unwrap()));
                assert!(first == second, "{name}, {storage}, {sign}");
            }
        }
    }
}

#[test]
fn functions_and_grids_give_the_same_bytes_in_any_pool() {
    let region = Aabb::new(DVec3::NEG_ONE, DVec3::ONE);
    for storage in BOTH {
        let in_pool = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let field =
                    Field::from_function(|p| p.length() - 0.6, region, 1.0, &options(45, storage)).unwrap();
                let grid = *field.grid();
                let node = |k: u64| {
                    let n = grid.nodes().as_u64vec3();
                    let at = DVec3::new((k % n.x) as f64, (k / n.x % n.y) as f64, (k / (n.x * n.y)) as f64);
                    ((grid.origin + grid.cell * at).length() - 0.6) as f32
                };
                let values = (0..grid.node_count()).map(node).collect();
                let again = Field::from_grid(grid, values, 1.0, &options(45, storage)).unwrap();
                (bytes_of(&field), bytes_of(&again))
            })
        };
        assert!(in_pool(1) == in_pool(2));
        assert!(in_pool(1) == in_pool(4));
    }
}

/// A field that was opened and saved again is the same file.
#[test]
fn saving_what_was_opened_gives_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    for storage in BOTH {
        let field = Field::from_mesh(&shapes::by_name("bowl").unwrap(), &options(50, storage)).unwrap();
        let path = folder.path().join("first.field");
        field.save(&path).unwrap();
        let opened = Field::open(&path).unwrap();
        assert!(bytes_of(&opened) == bytes_of(&field));
    }
}
