//! Extensions of the format: which may be passed over, and which change the surface.

use super::super::error::{Fault, Problem};
use super::document::{Document, Member};

pub(super) const DRACO: &str = "KHR_draco_mesh_compression";
/// Two names of one thing: the second is the later one.
pub(super) const MESHOPT: [&str; 2] = ["EXT_meshopt_compression", "KHR_meshopt_compression"];

/// What a file may require without changing where its triangles are: looks, lights, notes; and integer positions, which
/// are read.
const HARMLESS: &[&str] = &[
    "KHR_materials_",
    "KHR_texture_",
    "EXT_texture_",
    "MSFT_texture_",
    "KHR_lights_",
    "EXT_lights_",
    "KHR_xmp",
    "KHR_mesh_quantization",
];

/// Refuses a file that cannot be read without an extension that is not known here.
pub(super) fn check_required(document: &Document) -> Result<(), Fault> {
    let Some(required) = document.root().get("extensionsRequired")? else { return Ok(()) };
    for extension in required.items()? {
        let name = extension.text()?;
        if !HARMLESS.iter().any(|harmless| name.starts_with(harmless)) {
            return Err(unknown(&extension, name));
        }
    }
    Ok(())
}

/// The fault of data that only an extension could unpack.
pub(super) fn unknown(at: &Member<'_>, name: &str) -> Fault {
    let remedy = if name == DRACO {
        "export the file without Draco compression"
    } else if MESHOPT.contains(&name) {
        "export the file without meshopt compression"
    } else {
        "export the file without it, or as OBJ, STL or PLY"
    };
    at.fault(Problem::UnknownExtension { name: super::super::text::excerpt(name.as_bytes()), remedy })
}
