use super::*;
use crate::field::{FieldOptions, StorageKind};
use crate::mesh::shapes;

/// The farthest nodes of dense and sparse fields are not the same, and must not matter.
#[test]
fn dense_and_sparse_fields_are_asked_about_the_same_level_set() {
    let mesh = shapes::by_name("torus-knot").unwrap();
    let [dense, sparse] = [StorageKind::Dense, StorageKind::Sparse].map(|storage| {
        Field::from_mesh(&mesh, &FieldOptions { resolution: 75, storage, ..Default::default() }).unwrap()
    });
    assert_ne!(dense.error_of_cells(0.0), sparse.error_of_cells(0.0), "the farthest nodes are the same");
    let path = Segment::random_in(dense.grid().bounds(), 1, 3)[0];
    for iso in [0.0, 0.7 * dense.grid().cell] {
        let [a, b] = [&dense, &sparse].map(|field| {
            let set = field.level_set(iso, &CastOptions::default());
            let walk = set.walk(&path);
            (walk.iso, walk.slack)
        });
        assert_eq!(a, b);
    }
}
