//! Meshes from files (OBJ, STL, PLY, OFF and glTF, plain or gzipped) and to files (OBJ, STL and PLY).
//!
//! ```no_run
//! use isotouch::mesh::TriMesh;
//!
//! let bunny = TriMesh::read("bunny.ply.gz")?;
//! # Ok::<(), isotouch::mesh::io::ReadError>(())
//! ```
//!
//! What a file *is* decides how it is read, not what it is called. Coordinates are `f64` from the first digit on.
//! A mesh comes out as an engineer would want it: polygons cut into triangles, identical positions welded,
//! triangles without area and vertices without triangles dropped. [`Loaded::cleanup`] counts all of it.
//!
//! Files may lie. Nothing is allocated on a header's word alone: counts are checked against the bytes that follow.

mod caps;
mod clean;
mod companions;
mod detect;
mod error;
mod gltf;
mod gzip;
mod obj;
mod off;
mod ply;
mod ply_header;
mod raw;
mod scalar;
mod stl;
mod text;
mod triangulate;
mod write;

use std::borrow::Cow;
use std::fmt;
use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;

use super::TriMesh;

pub use companions::companions;
pub use error::{Place, Problem, ReadError, WriteError};
pub use write::write;

/// How to read a mesh file.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ReadOptions {
    /// Merge vertices with identical positions (default). Without it every vertex of the file stays its own, and an
    /// STL file comes out as loose triangles.
    pub weld: bool,
    /// Every coordinate is multiplied by this (default 1): 0.001 for a file in millimetres.
    pub scale: f64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { weld: true, scale: 1.0 }
    }
}

/// The format a file turned out to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// STL as text.
    StlAscii,
    /// STL as 50-byte records of `f32`.
    StlBinary,
    /// PLY as text.
    PlyAscii,
    /// PLY with a binary little-endian body.
    PlyLittleEndian,
    /// PLY with a binary big-endian body.
    PlyBigEndian,
    /// Object File Format, with any of the COFF, NOFF, STOFF headers.
    Off,
    /// glTF 2.0 as JSON, its numbers in the text or in files beside it.
    GltfJson,
    /// glTF 2.0 in one binary file, `.glb`.
    GltfBinary,
}

impl Format {
    /// The file extension of the format, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::StlAscii | Self::StlBinary => "stl",
            Self::PlyAscii | Self::PlyLittleEndian | Self::PlyBigEndian => "ply",
            Self::Off => "off",
            Self::GltfJson => "gltf",
            Self::GltfBinary => "glb",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Obj => "OBJ",
            Self::StlAscii => "ASCII STL",
            Self::StlBinary => "binary STL",
            Self::PlyAscii => "ASCII PLY",
            Self::PlyLittleEndian => "binary little-endian PLY",
            Self::PlyBigEndian => "binary big-endian PLY",
            Self::Off => "OFF",
            Self::GltfJson => "glTF JSON",
            Self::GltfBinary => "binary glTF",
        })
    }
}

/// A mesh and what had to be done to get it out of its file.
#[derive(Debug, Clone, PartialEq)]
pub struct Loaded {
    /// The mesh: at least one triangle, none of them degenerate, every vertex used.
    pub mesh: TriMesh,
    /// What the content is.
    pub format: Format,
    /// Whether it was compressed.
    pub gzipped: bool,
    /// The file's name claims one of the known formats, and the content is another. The content was believed.
    pub extension_lies: bool,
    /// What was changed on the way.
    pub cleanup: Cleanup,
    /// Which vertex of the mesh each vertex of the file is.
    pub numbers: VertexNumbers,
}

/// Which vertex of a mesh each vertex of its file is: of those at one place it is the same one.
#[derive(Clone, PartialEq, Eq)]
pub struct VertexNumbers(Vec<u32>);

impl VertexNumbers {
    /// Vertices of the file; of STL, three for each triangle.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the file has none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The vertex of the mesh, both counted from 0; `None` for one that no triangle uses, or that is not in the file.
    pub fn in_mesh(&self, of_file: usize) -> Option<usize> {
        self.0.get(of_file).filter(|number| **number != u32::MAX).map(|&number| number as usize)
    }
}

impl fmt::Debug for VertexNumbers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "VertexNumbers of {}", self.0.len())
    }
}

/// What reading changed, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cleanup {
    /// Faces with more than three corners, cut into triangles.
    pub polygons_triangulated: usize,
    /// Faces with fewer than three corners, dropped.
    pub short_polygons: usize,
    /// Vertices merged into an earlier one at the same position.
    pub welded_vertices: usize,
    /// Triangles with three corners on a line that closed a gap of zero width, exchanged for a split of the triangle
    /// beside them. The surface is the same, and closed if it was.
    pub caps_flipped: usize,
    /// Triangles dropped because they name a vertex twice or have no area (their normal is zero in `f64`).
    pub degenerate_triangles: usize,
    /// Vertices dropped because no remaining triangle uses them.
    pub unused_vertices: usize,
    /// Bytes after the end of what the header promised, ignored.
    pub trailing_bytes: usize,
    /// Groups of points or lines in a scene (glTF primitives), left out.
    pub skipped_groups: usize,
}

/// Reads a mesh file.
///
/// ```no_run
/// use isotouch::mesh::io::{self, ReadOptions};
///
/// let loaded = io::read("nut.stl", &ReadOptions { scale: 0.001, ..Default::default() })?;
/// println!("{}: {} degenerate triangles", loaded.format, loaded.cleanup.degenerate_triangles);
/// # Ok::<(), io::ReadError>(())
/// ```
pub fn read(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Loaded, ReadError> {
    let path = path.as_ref();
    let name = path.display().to_string();
    let failed = |source: std::io::Error| match source.kind() {
        std::io::ErrorKind::NotFound => ReadError::NotFound { file: name.clone() },
        std::io::ErrorKind::IsADirectory => ReadError::Directory { file: name.clone() },
        _ => ReadError::Io { file: name.clone(), source },
    };
    let about = fs::metadata(path).map_err(failed)?;
    if about.is_dir() {
        return Err(ReadError::Directory { file: name });
    }
    let bytes = if about.is_file() {
        fs::read(path).map_err(failed)?
    } else {
        // A pipe or a device may never end.
        let mut bytes = Vec::new();
        let limit = gzip::MAX_BYTES;
        File::open(path).and_then(|f| f.take(limit + 1).read_to_end(&mut bytes)).map_err(failed)?;
        if bytes.len() as u64 > limit {
            return Err(ReadError::TooLarge { file: name, limit });
        }
        bytes
    };
    // The folder of a bare file name is the empty path, which is what joins to the current one.
    read_content(&name, &bytes, path.parent(), options)
}

/// Reads a mesh from memory. `name` is what errors call it; its extension only matters where the content is unclear. A
/// glTF file that keeps its numbers in other files needs [`read`].
pub fn read_bytes(name: &str, bytes: &[u8], options: &ReadOptions) -> Result<Loaded, ReadError> {
    read_content(name, bytes, None, options)
}

/// Reads a mesh; `folder` is where files that it refers to may be.
fn read_content(
    name: &str,
    bytes: &[u8],
    folder: Option<&Path>,
    options: &ReadOptions,
) -> Result<Loaded, ReadError> {
    if !(options.scale.is_finite() && options.scale > 0.0) {
        return Err(ReadError::BadScale { file: name.to_owned(), scale: options.scale });
    }
    let gzipped = gzip::is_gzip(bytes);
    let bytes = unpacked(name, bytes)?;
    let bytes = without_mark(&bytes);

    let format = detect::format(name, bytes)?;
    let raw = match format {
        Format::Obj => obj::parse(bytes),
        Format::StlAscii => stl::parse_ascii(bytes),
        Format::StlBinary => stl::parse_binary(bytes),
        Format::PlyAscii | Format::PlyLittleEndian | Format::PlyBigEndian => ply::parse(bytes),
        Format::Off => off::parse(bytes),
        Format::GltfJson => gltf::parse_json(bytes, folder),
        Format::GltfBinary => gltf::parse_binary(bytes, folder),
    }
    .map_err(|fault| fault.in_file(name))?;
    let (mesh, cleanup, numbers) = clean::clean(name, raw, options)?;
    let claimed = detect::claimed_extension(name);
    let extension_lies =
        detect::is_known_extension(&claimed) && !detect::same_extension(&claimed, format.extension());
    Ok(Loaded { mesh, format, gzipped, extension_lies, cleanup, numbers })
}

/// What is in a file that may be compressed.
fn unpacked<'a>(name: &str, bytes: &'a [u8]) -> Result<Cow<'a, [u8]>, ReadError> {
    Ok(if gzip::is_gzip(bytes) { Cow::Owned(gzip::unpack(name, bytes)?) } else { Cow::Borrowed(bytes) })
}

/// Text without the mark that some editors put before UTF-8.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

impl TriMesh {
    /// Reads a mesh file (OBJ, STL, PLY, OFF or glTF, plain or gzipped) with the default [`ReadOptions`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        Ok(read(path, &ReadOptions::default())?.mesh)
    }
}
