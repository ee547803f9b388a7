//! The experiments.
#![allow(clippy::print_stdout, clippy::unwrap_used, missing_docs)]
use isotouch::field::*;
use isotouch::mesh::TriMesh;
use std::time::Instant;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let t = Instant::now();
    let mesh = TriMesh::read(&a[1]).unwrap();
    println!("read {:?}", t.elapsed());
    let storage: StorageKind = a[2].parse().unwrap();
    let threads: usize = a[3].parse().unwrap();
    for n in &a[4..] {
        let o = FieldOptions { resolution: n.parse().unwrap(), storage, ..Default::default() };
        let t = Instant::now();
        let b = Field::from_mesh_with(&mesh, &o, &Execution { threads: Some(threads), ..Default::default() });
        let e = t.elapsed();
        match b {
            Ok(b) => println!(
                "{n} {storage} {e:?} {} MB {} nodes {:.0} ns/node*thread {:?}",
                b.field.bytes() as f64 / 1e6,
                b.field.node_count(),
                e.as_secs_f64() * 1e9 * threads as f64 / b.field.node_count() as f64,
                b.notes
            ),
            Err(x) => println!("{n} {e:?} {x}"),
        }
    }
}
