//! The numbers of a glTF file: one buffer, and accessors that say what lies where in it.

use glam::{Vec3, Vec4};
use serde_json::{Value, json};

/// `componentType`s of the specification.
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

/// What a part of the buffer is for, with the specification's number.
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;

/// Numbers one after the other, each run with a view and an accessor of its own. Every run begins at a multiple of four.
#[derive(Debug, Default)]
pub(super) struct Binary {
    pub(super) bytes: Vec<u8>,
    pub(super) views: Vec<Value>,
    pub(super) accessors: Vec<Value>,
}

impl Binary {
    /// Positions, or how they move: with bounds, which the specification demands.
    pub(super) fn positions(&mut self, values: &[Vec3]) -> usize {
        let min = values.iter().copied().fold(Vec3::INFINITY, Vec3::min);
        let max = values.iter().copied().fold(Vec3::NEG_INFINITY, Vec3::max);
        let accessor = self.normals(values);
        // As `f64`, so that the decimals stand for exactly the `f32`.
        self.accessors[accessor]["min"] = json!(min.as_dvec3().to_array());
        self.accessors[accessor]["max"] = json!(max.as_dvec3().to_array());
        accessor
    }

    /// Normals, or how they turn.
    pub(super) fn normals(&mut self, values: &[Vec3]) -> usize {
        let numbers = values.iter().flat_map(Vec3::to_array);
        self.floats(numbers, values.len(), "VEC3", Some(ARRAY_BUFFER))
    }

    /// Corners of triangles, as short as the number of vertices allows.
    pub(super) fn triangles(&mut self, triangles: &[[u32; 3]], vertices: usize) -> usize {
        let corners = triangles.iter().flatten();
        // The largest number of a type is not allowed.
        let (bytes, component): (Vec<u8>, _) = if vertices <= usize::from(u16::MAX) {
            (corners.flat_map(|&v| (v as u16).to_le_bytes()).collect(), U16)
        } else {
            (corners.flat_map(|v| v.to_le_bytes()).collect(), U32)
        };
        self.push(bytes.into_iter(), Some(ELEMENT_ARRAY_BUFFER));
        self.accessor(component, 3 * triangles.len(), "SCALAR")
    }

    /// Times of frames: with bounds, which the specification demands. Ascending.
    pub(super) fn times(&mut self, times: &[f32]) -> usize {
        let accessor = self.floats(times.iter().copied(), times.len(), "SCALAR", None);
        if let (Some(&first), Some(&last)) = (times.first(), times.last()) {
            self.accessors[accessor]["min"] = json!([f64::from(first)]);
            self.accessors[accessor]["max"] = json!([f64::from(last)]);
        }
        accessor
    }

    pub(super) fn translations(&mut self, values: &[Vec3]) -> usize {
        self.floats(values.iter().flat_map(Vec3::to_array), values.len(), "VEC3", None)
    }

    /// Quaternions x y z w.
    pub(super) fn rotations(&mut self, values: &[Vec4]) -> usize {
        self.floats(values.iter().flat_map(Vec4::to_array), values.len(), "VEC4", None)
    }

    pub(super) fn weights(&mut self, values: impl Iterator<Item = f32>, count: usize) -> usize {
        self.floats(values, count, "SCALAR", None)
    }

    fn floats(
        &mut self,
        numbers: impl Iterator<Item = f32>,
        count: usize,
        shape: &str,
        target: Option<u32>,
    ) -> usize {
        self.push(numbers.flat_map(f32::to_le_bytes), target);
        self.accessor(F32, count, shape)
    }

    fn push(&mut self, bytes: impl Iterator<Item = u8>, target: Option<u32>) {
        let start = self.bytes.len();
        self.bytes.extend(bytes);
        let mut view = json!({ "buffer": 0, "byteOffset": start, "byteLength": self.bytes.len() - start });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.views.push(view);
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn accessor(&mut self, component: u32, count: usize, shape: &str) -> usize {
        let view = self.views.len() - 1;
        self.accessors
            .push(json!({ "bufferView": view, "componentType": component, "count": count, "type": shape }));
        self.accessors.len() - 1
    }
}
