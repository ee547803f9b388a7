//! Reading glTF: what a scene shows comes out, and what is wrong with a file is named.

mod bad_input;
mod oracle;
mod scenes;

use serde_json::{Value, json};

/// A document being written, with its one buffer.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) json: Value,
    pub(crate) buffer: Vec<u8>,
}

impl Scene {
    pub(crate) fn new() -> Self {
        let json =
            json!({ "asset": { "version": "2.0" }, "buffers": [], "bufferViews": [], "accessors": [] });
        Self { json, buffer: Vec::new() }
    }

    /// The unit right triangle, shown by one node.
    pub(crate) fn triangle() -> Self {
        let mut scene = Self::new();
        let positions = scene.positions(&[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let indices = scene.indices(&[0, 1, 2]);
        scene.json["meshes"] =
            json!([{ "primitives": [{ "attributes": { "POSITION": positions }, "indices": indices }] }]);
        scene.json["nodes"] = json!([{ "mesh": 0 }]);
        scene.json["scenes"] = json!([{ "nodes": [0] }]);
        scene.json["scene"] = json!(0);
        scene
    }

    /// Adds to one of the document's lists; returns the index.
    pub(crate) fn push(&mut self, list: &str, entry: Value) -> usize {
        let list = self.json[list].as_array_mut().unwrap();
        list.push(entry);
        list.len() - 1
    }

    pub(crate) fn view(&mut self, bytes: &[u8]) -> usize {
        self.buffer.resize(self.buffer.len().next_multiple_of(4), 0);
        let offset = self.buffer.len();
        self.buffer.extend_from_slice(bytes);
        self.push("bufferViews", json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes.len() }))
    }

    pub(crate) fn positions(&mut self, points: &[[f32; 3]]) -> usize {
        let bytes: Vec<u8> = points.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        let view = self.view(&bytes);
        let bounds = |pick: fn(f32, f32) -> f32, first: f32| {
            [0, 1, 2].map(|axis| points.iter().map(|p| p[axis]).fold(first, pick))
        };
        let (min, max) = (bounds(f32::min, f32::MAX), bounds(f32::max, f32::MIN));
        self.accessor(view, 5126, "VEC3", points.len(), json!({ "min": min, "max": max }))
    }

    pub(crate) fn indices(&mut self, indices: &[u32]) -> usize {
        let bytes: Vec<u8> = indices.iter().flat_map(|x| (*x as u16).to_le_bytes()).collect();
        let view = self.view(&bytes);
        self.accessor(view, 5123, "SCALAR", indices.len(), json!({}))
    }

    pub(crate) fn accessor(
        &mut self,
        view: usize,
        component: u32,
        kind: &str,
        count: usize,
        more: Value,
    ) -> usize {
        let mut entry =
            json!({ "bufferView": view, "componentType": component, "type": kind, "count": count });
        entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        self.push("accessors", entry)
    }

    pub(crate) fn glb(&self) -> Vec<u8> {
        let mut json = self.json.clone();
        json["buffers"] = json!([{ "byteLength": self.buffer.len() }]);
        self.glb_of(json.to_string().as_bytes())
    }

    /// With JSON that need not be any.
    pub(crate) fn glb_of(&self, json: &[u8]) -> Vec<u8> {
        let mut json = json.to_vec();
        json.resize(json.len().next_multiple_of(4), b' ');
        let mut binary = self.buffer.clone();
        binary.resize(binary.len().next_multiple_of(4), 0);
        let mut file = b"glTF\x02\0\0\0".to_vec();
        file.extend((28 + json.len() as u32 + binary.len() as u32).to_le_bytes());
        for (kind, chunk) in [(b"JSON", json), (b"BIN\0", binary)] {
            file.extend((chunk.len() as u32).to_le_bytes());
            file.extend(kind);
            file.extend(chunk);
        }
        file
    }

    /// JSON alone, its buffer under this URI.
    pub(crate) fn gltf(&self, uri: &str) -> String {
        let mut json = self.json.clone();
        json["buffers"] = json!([{ "byteLength": self.buffer.len(), "uri": uri }]);
        serde_json::to_string_pretty(&json).unwrap()
    }

    pub(crate) fn embedded(&self) -> String {
        self.gltf(&format!("data:application/octet-stream;base64,{}", base64(&self.buffer)))
    }
}

pub(crate) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0u32, |bits, &b| bits << 8 | u32::from(b)) << (8 * (3 - group.len()));
        for k in 0..4 {
            let sextet = ALPHABET[(bits >> (18 - 6 * k) & 63) as usize];
            text.push(if k > group.len() { '=' } else { char::from(sextet) });
        }
    }
    text
}
