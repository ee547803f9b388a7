//! Builds the field of a model and holds it against what is known.

use isotouch::field::{Built, Execution, Field, FieldOptions, SignMethod, StorageKind};
use isotouch::math::DVec3;
use isotouch::mesh::TriMesh;

use super::oracle::random::Random;
use super::oracle::{Soup, in_parallel, models};

/// A place that a cap may fill: it lies in this sphere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hole {
    pub(crate) center: DVec3,
    pub(crate) radius: f64,
}

/// A model, and what is known of its boundary.
#[derive(Debug, Clone)]
pub(crate) struct Model {
    pub(crate) mesh: TriMesh,
    pub(crate) resolution: u32,
    /// Where caps may be; elsewhere the boundary is the mesh.
    pub(crate) holes: Vec<Hole>,
    /// Caps in slits come this much closer than the mesh.
    pub(crate) slits: f64,
    /// Whether parts of the mesh lie inside the solid: there, distances are larger than those to the mesh.
    pub(crate) has_buried_parts: bool,
}

impl Model {
    pub(crate) fn read(name: &str, resolution: u32) -> Option<Self> {
        let mesh = TriMesh::read(models::model(name)?).unwrap();
        Some(Self { mesh, resolution, holes: Vec::new(), slits: 0.0, has_buried_parts: false })
    }

    pub(crate) fn build(&self, storage: StorageKind) -> Built {
        let options = FieldOptions { resolution: self.resolution, storage, ..Default::default() };
        Field::from_mesh_with(&self.mesh, &options, &Execution::default()).unwrap()
    }
}

/// The dense field of a model, and some of its nodes.
pub(crate) struct Checked {
    pub(crate) field: Field,
    pub(crate) nodes: Vec<DVec3>,
}

/// Builds the field densely and sparsely. Checks that neighbours agree, that both storages do, that `method` was chosen,
/// and that distances at nodes are those to the mesh wherever no cap can be closer. `nodes` nodes are picked, half of them
/// at most two cells from the surface.
pub(crate) fn build_and_check(model: &Model, method: SignMethod, nodes: usize) -> Checked {
    let Built { field, notes } = model.build(StorageKind::Dense);
    assert_eq!(field.sign(), method, "{notes:?}");
    field.verify().unwrap();
    let sparse = model.build(StorageKind::Sparse).field;
    sparse.verify().unwrap();

    let nodes = pick_nodes(&field, nodes);
    for &p in &nodes {
        let (a, b) = (field.distance(p).value(), sparse.distance(p).value());
        let bound = sparse.error_bound_at(p).unwrap();
        assert!((a - b).abs() <= bound, "dense {a}, sparse {b} ± {bound} at {p}");
    }
    check_distances(model, &field, &nodes[..nodes.len().min(600)]);
    Checked { field, nodes }
}

fn pick_nodes(field: &Field, count: usize) -> Vec<DVec3> {
    let mut random = Random(7);
    let mut nodes = Vec::with_capacity(count);
    while nodes.len() < count {
        let p = random.node(field);
        // Every second one near the surface, where signs are decided.
        if nodes.len() % 2 == 0 || field.distance(p).value().abs() < 2.0 * field.grid().cell {
            nodes.push(p);
        }
    }
    nodes
}

/// Nodes are exact to `f32` rounding; what the query adds to it is far below this share of a cell.
const ROUNDING: f64 = 1e-5;

fn check_distances(model: &Model, field: &Field, nodes: &[DVec3]) {
    let soup = Soup::new(&model.mesh);
    let to_mesh = in_parallel(nodes, |&p| soup.distance(p));
    for (&p, to_mesh) in nodes.iter().zip(to_mesh) {
        let value = field.distance(p).value();
        let rounding = ROUNDING * field.grid().cell + 2f64.powi(-23) * to_mesh;
        let to_caps =
            model.holes.iter().map(|h| p.distance(h.center) - h.radius).fold(f64::INFINITY, f64::min);
        let least = to_mesh.min(to_caps.max(0.0)) - model.slits;
        assert!(
            value.abs() >= least - rounding,
            "{value} at {p}; the mesh is {to_mesh} away, caps {to_caps}"
        );
        if value > 0.0 || !model.has_buried_parts {
            assert!(value.abs() <= to_mesh + rounding, "{value} at {p}; the mesh is {to_mesh} away");
        }
    }
}

impl Checked {
    /// `inside` answers for the points it is sure about; of those there have to be 2000, on both sides.
    pub(crate) fn has_the_signs_of(&self, inside: impl Fn(DVec3) -> Option<bool> + Sync) {
        let known = in_parallel(&self.nodes, |&p| inside(p));
        let mut count = [0; 2];
        let mut wrong = Vec::new();
        for (&p, inside) in self.nodes.iter().zip(known) {
            let Some(inside) = inside else { continue };
            count[usize::from(inside)] += 1;
            let value = self.field.distance(p).value();
            if (value < 0.0) != inside {
                wrong.push((p, value, inside));
            }
        }
        let [outside, inside] = count;
        println!("{outside} nodes outside, {inside} inside, {} wrong", wrong.len());
        assert!(
            inside + outside >= 2_000 && inside >= 200 && outside >= 200,
            "{inside} + {outside} are known"
        );
        let first = &wrong[..wrong.len().min(8)];
        assert!(wrong.is_empty(), "{} wrong signs; (node, value, is inside): {first:?}", wrong.len());
    }
}
