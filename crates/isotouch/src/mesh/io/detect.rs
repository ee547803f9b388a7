//! What a file is, by its content; by its name only where the content does not say.

use super::Format;
use super::error::ReadError;
use super::gltf;
use super::off;
use super::ply_header;
use super::stl;
use super::text::{Text, contains_ignoring_case, is_blank, words};

const AS_MESH: &str = "export it as OBJ, STL, PLY, OFF or glTF";
const UNPACK: &str = "unpack it and name the mesh file inside";

/// Content that gives a foreign format away: offset, bytes, what it is, what to do.
const FOREIGN_CONTENT: &[(usize, &[u8], &str, &str)] = &[
    (0, b"ISO-10303-21", "STEP", AS_MESH),
    (0, b"Kaydara FBX", "FBX", AS_MESH),
    (0, b"BLENDER", "a Blender file", AS_MESH),
    (0, b"PXR-USDC", "USD", AS_MESH),
    (0, b"#usda", "USD", AS_MESH),
    (0, b"#VRML", "VRML", AS_MESH),
    (0, b"# vtk", "VTK", AS_MESH),
    (0, b"DBRep_DrawableShape", "BREP", AS_MESH),
    (0, b"\xfe\xff", "UTF-16 text", "save it as UTF-8 or plain ASCII"),
    (0, b"\xff\xfe", "UTF-16 text", "save it as UTF-8 or plain ASCII"),
    (0, b"\x1f\x8b", "gzip inside gzip", UNPACK),
    (0, b"BZh", "bzip2", UNPACK),
    (0, b"\xfd7zXZ", "xz", UNPACK),
    (0, b"\x28\xb5\x2f\xfd", "Zstandard", UNPACK),
    (257, b"ustar", "a tar archive", UNPACK),
];

/// Extensions of foreign formats, for files whose content does not say.
const FOREIGN_EXTENSIONS: &[(&[&str], &str, &str)] = &[
    (&["step", "stp"], "STEP", AS_MESH),
    (&["iges", "igs"], "IGES", AS_MESH),
    (&["brep"], "BREP", AS_MESH),
    (&["3mf"], "3MF", AS_MESH),
    (&["dae"], "COLLADA", AS_MESH),
    (&["fbx"], "FBX", AS_MESH),
    (&["3ds", "max"], "3ds Max", AS_MESH),
    (&["blend"], "a Blender file", AS_MESH),
    (&["usd", "usda", "usdc", "usdz"], "USD", AS_MESH),
    (&["wrl", "x3d"], "VRML/X3D", AS_MESH),
    (&["vtk", "vtp", "vtu"], "VTK", AS_MESH),
    (&["msh", "mesh"], "a finite-element mesh", AS_MESH),
    (&["zip"], "a zip archive", UNPACK),
];

/// First words of an OBJ line. Others exist (curves and surfaces); files do not begin with them.
const OBJ_WORDS: &[&[u8]] =
    &[b"v", b"vn", b"vt", b"vp", b"f", b"fo", b"l", b"p", b"o", b"g", b"s", b"mg", b"usemtl", b"mtllib"];

/// Bytes in which text shows what it is.
pub(super) const BEGINNING: usize = 4096;

/// Whether content that begins so may turn out to be glTF.
pub(super) fn may_be_gltf(name: &str, beginning: &[u8]) -> bool {
    gltf::has_magic(beginning)
        || first_visible(beginning) == Some(b'{')
        || matches!(claimed_extension(name).as_str(), "gltf" | "glb")
}

fn first_visible(bytes: &[u8]) -> Option<u8> {
    bytes.iter().copied().find(|&b| !is_blank(b))
}

/// The format to read `bytes` as.
pub(super) fn format(name: &str, bytes: &[u8]) -> Result<Format, ReadError> {
    let file = || name.to_owned();
    if bytes.iter().all(|&b| is_blank(b)) {
        return Err(ReadError::Empty { file: file() });
    }
    if let Some(format) = ply_header::format(bytes) {
        return Ok(format);
    }
    // Exact to the byte, so asked first: binary STL headers often begin with `solid` or worse.
    if stl::is_exactly_binary(bytes) {
        return Ok(Format::StlBinary);
    }
    if gltf::has_magic(bytes) {
        return Ok(Format::GltfBinary);
    }
    for &(offset, magic, what, remedy) in FOREIGN_CONTENT {
        if bytes.get(offset..).is_some_and(|rest| rest.starts_with(magic)) {
            return Err(ReadError::Unsupported { file: file(), what, remedy });
        }
    }
    let claimed = claimed_extension(name);
    if bytes.starts_with(b"PK\x03\x04") {
        let (what, remedy) = if claimed == "3mf" { ("3MF", AS_MESH) } else { ("a zip archive", UNPACK) };
        return Err(ReadError::Unsupported { file: file(), what, remedy });
    }
    let beginning = &bytes[..bytes.len().min(BEGINNING)];
    let first_visible = first_visible(beginning);
    if first_visible == Some(b'<') && contains_ignoring_case(beginning, b"<collada") {
        return Err(ReadError::Unsupported { file: file(), what: "COLLADA", remedy: AS_MESH });
    }
    if first_visible == Some(b'{') && contains_ignoring_case(bytes, b"\"asset\"") {
        return Ok(Format::GltfJson);
    }
    let foreign =
        FOREIGN_EXTENSIONS.iter().find(|(extensions, ..)| extensions.contains(&claimed.as_str())).copied();

    let is_text = !beginning.contains(&0);
    if off::has_keyword(bytes) {
        return Ok(Format::Off);
    }
    if is_text && stl::begins_like_ascii(bytes) {
        return Ok(Format::StlAscii);
    }
    if is_text && begins_like_obj(bytes) {
        return Ok(Format::Obj);
    }
    if is_text && off::begins_with_counts(bytes) {
        return Ok(Format::Off);
    }
    // The content says nothing. The reader that the name asks for will name what is wrong.
    match (claimed.as_str(), foreign) {
        (_, Some((_, what, remedy))) => Err(ReadError::Unsupported { file: file(), what, remedy }),
        ("stl", _) if !is_text => Ok(Format::StlBinary),
        ("stl", _) => Ok(Format::StlAscii),
        ("off", _) if is_text => Ok(Format::Off),
        ("glb", _) => Ok(Format::GltfBinary),
        ("gltf", _) if is_text => Ok(Format::GltfJson),
        ("obj", _) if is_text && words_of_text(bytes) => Ok(Format::Obj),
        _ => Err(ReadError::UnknownFormat { file: file() }),
    }
}

/// The extension in lower case, looking through a final `.gz`; empty if there is none.
pub(super) fn claimed_extension(name: &str) -> String {
    let lower = name.to_ascii_lowercase();
    let stem = lower.strip_suffix(".gz").unwrap_or(&lower);
    let file_name = stem.rsplit(['/', '\\']).next().unwrap_or(stem);
    file_name.rsplit_once('.').map_or(String::new(), |(_, extension)| extension.to_owned())
}

pub(super) fn is_known_extension(extension: &str) -> bool {
    matches!(extension, "obj" | "stl" | "stla" | "stlb" | "ply" | "off" | "coff" | "noff" | "glb" | "gltf")
        || FOREIGN_EXTENSIONS.iter().any(|(extensions, ..)| extensions.contains(&extension))
}

/// Whether an extension stands for the same format as `canonical`, one of [`Format::extension`].
pub(super) fn same_extension(extension: &str, canonical: &str) -> bool {
    extension == canonical
        || match canonical {
            "stl" => matches!(extension, "stla" | "stlb"),
            "off" => matches!(extension, "coff" | "noff"),
            _ => false,
        }
}

/// Whether the first line that is no comment begins with a word of the OBJ format.
fn begins_like_obj(bytes: &[u8]) -> bool {
    let mut text = Text::new(bytes, 0);
    while let Some(line) = text.line() {
        match words(line).next() {
            None => {}
            Some(word) if word.starts_with(b"#") => {}
            Some(word) => return OBJ_WORDS.contains(&word),
        }
    }
    false
}

/// Whether any line of the file begins with `v` or `f`: something an OBJ reader could use.
fn words_of_text(bytes: &[u8]) -> bool {
    let mut text = Text::new(bytes, 0);
    while let Some(line) = text.line() {
        if matches!(words(line).next(), Some(b"v" | b"f")) {
            return true;
        }
    }
    false
}
