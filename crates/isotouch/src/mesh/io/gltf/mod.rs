//! glTF 2.0: a scene of meshes, described by JSON, with its numbers in buffers.
//!
//! ```text
//! .gltf   the JSON; buffers are base64 in it, or files beside it
//! .glb    "glTF"  version u32  length u32                    12 bytes, all little endian
//!         chunks: length u32  kind u32  content, padded      the first is JSON, the second the first buffer
//!
//! scene ─► nodes ─► mesh ─► primitives ─► accessors ─► buffer views ─► buffers
//! ```
//!
//! What comes out is what a viewer shows when it opens the file: the meshes of the default scene (of the first one if
//! none is the default; of all nodes if there is no scene; all meshes if there are no nodes), every one as often as nodes
//! place it, in the scene's coordinates. A placement that mirrors keeps the outside outside. Skinned meshes come in the pose
//! they were bound in, morph targets and animations are passed over.
//!
//! Every index, offset and count of the document is checked where it is used, so that errors can name it. Scenes repeat
//! meshes, so a small file may ask for much: [`primitives::MOST_PLACED`] bounds it.

mod accessor;
mod base64;
mod buffers;
mod container;
mod document;
mod extensions;
mod primitives;
mod scene;

use std::path::{Path, PathBuf};

use super::error::Fault;
use super::raw::RawMesh;
use buffers::Buffers;
pub(super) use container::has_magic;
use document::Document;

pub(super) fn parse_json(bytes: &[u8], folder: Option<&Path>) -> Result<RawMesh, Fault> {
    let document = Document::from_text(bytes)?;
    read_scene(&document, &Buffers::new(&document, None, folder), bytes.len())
}

pub(super) fn parse_binary(bytes: &[u8], folder: Option<&Path>) -> Result<RawMesh, Fault> {
    let container = container::open(bytes)?;
    let document = Document::from_chunk(container.json, container.json_at)?;
    let mut mesh = read_scene(&document, &Buffers::new(&document, container.binary, folder), bytes.len())?;
    mesh.trailing_bytes = container.trailing_bytes;
    Ok(mesh)
}

/// Files beside it that a document names.
pub(super) fn files_of_json(bytes: &[u8]) -> Result<Vec<PathBuf>, Fault> {
    buffers::files(&Document::from_text(bytes)?)
}

/// Files beside it that the document in a binary file names.
pub(super) fn files_of_binary(bytes: &[u8]) -> Result<Vec<PathBuf>, Fault> {
    let container = container::open(bytes)?;
    buffers::files(&Document::from_chunk(container.json, container.json_at)?)
}

fn read_scene(document: &Document, buffers: &Buffers<'_>, bytes: usize) -> Result<RawMesh, Fault> {
    document.check_version()?;
    extensions::check_required(document)?;
    primitives::place_all(document, buffers, &scene::placements(document)?, bytes)
}
