//! The JSON part of a film, and both parts together.

use glam::{DVec3, Vec3, Vec4};
use serde_json::{Value, json};

use super::binary::Binary;
use super::normals::{shaded, smooth};
use super::{Actor, Animation, AnimationError, MAX_BYTES, Motion};
use crate::math::{Aabb, Pose};
use crate::mesh::TriMesh;
use crate::output::picture::linear;

/// What is farther from the origin than so many times its size is measured from its own middle. An `f32` there is off by
/// 4·10⁻⁶ of the size, which is not seen; for less, bodies keep their own origin, around which they turn between frames.
const FAR: f64 = 64.0;

/// A film as it is put together.
struct Document<'a> {
    binary: Binary,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    shapes: Vec<Shape<'a>>,
    times: &'a [f32],
    /// The accessor of all times, once something moves.
    all_times: Option<usize>,
    /// Of the film, in the world.
    origin: DVec3,
}

/// A mesh whose numbers are in the file.
struct Shape<'a> {
    mesh: &'a TriMesh,
    origin: DVec3,
    /// What every primitive of it says.
    primitive: Value,
    /// The glTF mesh for each colour.
    coloured: Vec<([u8; 3], usize)>,
}

/// The whole file.
pub(super) fn glb(film: &Animation<'_>) -> Result<Vec<u8>, AnimationError> {
    if film.actors.is_empty() {
        // Lists may not be empty, nor nodes, so there are none.
        return container(&json!({ "asset": asset() }), &[]);
    }
    let mut document = Document {
        binary: Binary::default(),
        materials: Vec::new(),
        meshes: Vec::new(),
        nodes: Vec::new(),
        channels: Vec::new(),
        samplers: Vec::new(),
        shapes: Vec::new(),
        times: &film.times,
        all_times: None,
        // To 32 bits, so that every reader takes it for the same.
        origin: origin_of(film.bounds()).as_vec3().as_dvec3(),
    };
    let children: Vec<usize> = (1..=film.actors.len()).collect();
    let mut world = json!({ "name": "world", "children": children });
    if document.origin != DVec3::ZERO {
        world["translation"] = json!(document.origin.to_array());
    }
    document.nodes.push(world);
    for actor in &film.actors {
        match &actor.motion {
            Motion::Rigid(poses) => document.add_body(actor, poses),
            Motion::Cloth { kept, frames } => document.add_cloth(actor, kept, frames),
        }
    }
    document.into_glb()
}

impl<'a> Document<'a> {
    fn add_body(&mut self, actor: &Actor<'a>, poses: &[Pose]) {
        let shape = self.shape(actor.mesh);
        let shape_origin = self.shapes[shape].origin;
        let mesh = self.coloured_mesh(shape, actor.colour);
        let place = |pose: &Pose| (pose.place(shape_origin) - self.origin).as_vec3();
        let translations: Vec<Vec3> = poses.iter().map(place).collect();
        let rotations: Vec<Vec4> =
            poses.iter().map(|pose| glam::DVec4::from(pose.rotation.to_array()).as_vec4()).collect();
        let node = self.nodes.len();
        self.nodes.push(json!({
            "name": actor.name,
            "mesh": mesh,
            "translation": translations[0].as_dvec3().to_array(),
            "rotation": rotations[0].as_dvec4().to_array(),
        }));
        if translations.iter().any(|other| *other != translations[0]) {
            let output = self.binary.translations(&translations);
            let input = self.all_times();
            self.channel(node, "translation", input, output);
        }
        if rotations.iter().any(|other| *other != rotations[0]) {
            let output = self.binary.rotations(&rotations);
            let input = self.all_times();
            self.channel(node, "rotation", input, output);
        }
    }

    /// The first frame is the mesh; each of the others is a morph target, alone at its time.
    fn add_cloth(&mut self, actor: &Actor<'a>, kept: &[usize], frames: &[Vec<DVec3>]) {
        let triangles = actor.mesh.triangles();
        let first = &frames[0];
        let origin = Aabb::of_points(first.iter().copied()).center();
        let first_normals = smooth(triangles, first);
        let from_origin: Vec<Vec3> = first.iter().map(|position| (position - origin).as_vec3()).collect();
        let mut primitive = json!({
            "attributes": {
                "POSITION": self.binary.positions(&from_origin),
                "NORMAL": self.binary.normals(&first_normals),
            },
            "indices": self.binary.triangles(triangles, first.len()),
            "material": self.material(actor.colour),
        });
        let mut targets = Vec::new();
        for &frame in &kept[1..] {
            let moves: Vec<Vec3> =
                frames[frame].iter().zip(first).map(|(now, before)| (now - before).as_vec3()).collect();
            let turns: Vec<Vec3> = smooth(triangles, &frames[frame])
                .iter()
                .zip(&first_normals)
                .map(|(now, before)| now - before)
                .collect();
            targets.push(json!({
                "POSITION": self.binary.positions(&moves),
                "NORMAL": self.binary.normals(&turns),
            }));
        }
        let count = targets.len();
        let mut mesh = json!({ "name": actor.name });
        if count > 0 {
            primitive["targets"] = json!(targets);
            mesh["weights"] = json!(vec![0.0; count]);
        }
        mesh["primitives"] = json!([primitive]);
        self.meshes.push(mesh);
        let node = self.nodes.len();
        self.nodes.push(json!({
            "name": actor.name,
            "mesh": self.meshes.len() - 1,
            "translation": (origin - self.origin).as_vec3().as_dvec3().to_array(),
        }));
        if count > 0 {
            let times: Vec<f32> = kept.iter().map(|&frame| self.times[frame]).collect();
            let input =
                if kept.len() == self.times.len() { self.all_times() } else { self.binary.times(&times) };
            let weights = (0..=count)
                .flat_map(|key| (1..=count).map(move |target| if key == target { 1.0 } else { 0.0 }));
            let output = self.binary.weights(weights, (count + 1) * count);
            self.channel(node, "weights", input, output);
        }
    }

    /// The shape of a mesh, stored once for all that are equal.
    fn shape(&mut self, mesh: &'a TriMesh) -> usize {
        let is_same = |shape: &Shape<'_>| std::ptr::eq(shape.mesh, mesh) || shape.mesh == mesh;
        if let Some(known) = self.shapes.iter().position(is_same) {
            return known;
        }
        let origin = origin_of(mesh.bounds());
        let shaded = shaded(mesh, origin);
        let primitive = json!({
            "attributes": {
                "POSITION": self.binary.positions(&shaded.positions),
                "NORMAL": self.binary.normals(&shaded.normals),
            },
            "indices": self.binary.triangles(&shaded.triangles, shaded.positions.len()),
        });
        self.shapes.push(Shape { mesh, origin, primitive, coloured: Vec::new() });
        self.shapes.len() - 1
    }

    fn coloured_mesh(&mut self, shape: usize, colour: [u8; 3]) -> usize {
        if let Some(&(_, mesh)) = self.shapes[shape].coloured.iter().find(|(other, _)| *other == colour) {
            return mesh;
        }
        let mut primitive = self.shapes[shape].primitive.clone();
        primitive["material"] = json!(self.material(colour));
        self.meshes.push(json!({ "primitives": [primitive] }));
        let mesh = self.meshes.len() - 1;
        self.shapes[shape].coloured.push((colour, mesh));
        mesh
    }

    /// A rough plastic of a colour. Both sides are shown, for meshes may be open or wound either way.
    fn material(&mut self, colour: [u8; 3]) -> usize {
        let [r, g, b] = colour.map(linear);
        let material = json!({
            "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.6 },
            "doubleSided": true,
        });
        if let Some(known) = self.materials.iter().position(|other| *other == material) {
            return known;
        }
        self.materials.push(material);
        self.materials.len() - 1
    }

    fn all_times(&mut self) -> usize {
        *self.all_times.get_or_insert_with(|| self.binary.times(self.times))
    }

    fn channel(&mut self, node: usize, path: &str, input: usize, output: usize) {
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        self.channels
            .push(json!({ "sampler": self.samplers.len() - 1, "target": { "node": node, "path": path } }));
    }

    fn into_glb(self) -> Result<Vec<u8>, AnimationError> {
        let Binary { bytes, views, accessors } = self.binary;
        let mut json = json!({
            "asset": asset(),
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": accessors,
            "bufferViews": views,
            "buffers": [{ "byteLength": bytes.len() }],
        });
        // A list may not be empty.
        if !self.channels.is_empty() {
            json["animations"] =
                json!([{ "name": "motion", "channels": self.channels, "samplers": self.samplers }]);
        }
        container(&json, &bytes)
    }
}

fn asset() -> Value {
    json!({ "version": "2.0", "generator": concat!("isotouch ", env!("CARGO_PKG_VERSION")) })
}

/// Header, JSON padded with spaces, numbers (a multiple of four already).
fn container(json: &Value, binary: &[u8]) -> Result<Vec<u8>, AnimationError> {
    let mut text = json.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    let binary_chunk = if binary.is_empty() { 0 } else { 8 + binary.len() };
    let length = 12 + 8 + text.len() + binary_chunk;
    if length as u64 > MAX_BYTES {
        return Err(AnimationError::TooLarge { bytes: length as u64 });
    }
    let mut glb = Vec::with_capacity(length);
    glb.extend(b"glTF");
    glb.extend(2u32.to_le_bytes());
    glb.extend((length as u32).to_le_bytes());
    glb.extend((text.len() as u32).to_le_bytes());
    glb.extend(b"JSON");
    glb.extend(text);
    if !binary.is_empty() {
        glb.extend((binary.len() as u32).to_le_bytes());
        glb.extend(b"BIN\0");
        glb.extend(binary);
    }
    Ok(glb)
}

/// The middle of what is far from the origin, else the origin.
fn origin_of(bounds: Aabb) -> DVec3 {
    let (centre, size) = (bounds.center(), bounds.extent().length());
    if !bounds.is_empty() && centre.length() > FAR * size { centre } else { DVec3::ZERO }
}
