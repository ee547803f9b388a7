use std::io::{self, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;

use super::detect::claimed_extension;
use super::error::WriteError;
use crate::atomic_file::write_atomically;
use crate::mesh::TriMesh;

/// Writes a mesh as `.obj`, binary `.stl` or binary `.ply`, by the extension; `.gz` after it compresses.
///
/// OBJ and PLY keep every bit of the coordinates; STL rounds them to `f32` and forgets which triangles share a vertex.
/// The file appears whole or not at all, and replaces an older one of that name.
pub fn write(path: impl AsRef<Path>, mesh: &TriMesh) -> Result<(), WriteError> {
    let path = path.as_ref();
    let file = path.display().to_string();
    let content: fn(&TriMesh, &mut dyn Write) -> io::Result<()> = match claimed_extension(&file).as_str() {
        "obj" => write_obj,
        "ply" => write_ply,
        "stl" => {
            if u32::try_from(mesh.triangles().len()).is_err() {
                return Err(WriteError::TooManyTriangles { file, count: mesh.triangles().len() });
            }
            if let Some(vertex) = mesh.vertices().iter().position(|v| !v.as_vec3().is_finite()) {
                return Err(WriteError::BeyondF32 { file, vertex });
            }
            write_stl
        }
        _ => return Err(WriteError::UnknownExtension { file }),
    };
    let written = if file.to_ascii_lowercase().ends_with(".gz") {
        write_atomically(path, |out| {
            let mut packed = GzEncoder::new(out, Compression::default());
            content(mesh, &mut packed)?;
            packed.finish()?;
            Ok(())
        })
    } else {
        write_atomically(path, |out| content(mesh, out))
    };
    written.map_err(|source| WriteError::Io { file, source })
}

fn write_obj(mesh: &TriMesh, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "# {} vertices, {} triangles", mesh.vertices().len(), mesh.triangles().len())?;
    for v in mesh.vertices() {
        // `{:?}` prints the shortest number that reads back as the same f64, with an exponent where that is shorter.
        writeln!(out, "v {:?} {:?} {:?}", v.x, v.y, v.z)?;
    }
    for [a, b, c] in mesh.triangles().iter().map(|t| t.map(|v| u64::from(v) + 1)) {
        writeln!(out, "f {a} {b} {c}")?;
    }
    Ok(())
}

fn write_ply(mesh: &TriMesh, out: &mut dyn Write) -> io::Result<()> {
    write!(
        out,
        "ply\nformat binary_little_endian 1.0\n\
         element vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {}\nproperty list uchar uint vertex_indices\nend_header\n",
        mesh.vertices().len(),
        mesh.triangles().len()
    )?;
    for v in mesh.vertices() {
        let mut record = [0; 24];
        for axis in 0..3 {
            record[8 * axis..][..8].copy_from_slice(&v[axis].to_le_bytes());
        }
        out.write_all(&record)?;
    }
    for triangle in mesh.triangles() {
        let mut record = [3; 13];
        for corner in 0..3 {
            record[1 + 4 * corner..][..4].copy_from_slice(&triangle[corner].to_le_bytes());
        }
        out.write_all(&record)?;
    }
    Ok(())
}

fn write_stl(mesh: &TriMesh, out: &mut dyn Write) -> io::Result<()> {
    // Must not begin with `solid`, by which readers tell text.
    let mut header = [0; 80];
    let title = b"binary STL by isotouch";
    header[..title.len()].copy_from_slice(title);
    out.write_all(&header)?;
    out.write_all(&(mesh.triangles().len() as u32).to_le_bytes())?;
    for triangle in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.corners(triangle);
        let normal = (b - a).cross(c - a).normalize_or_zero();
        let mut record = [0; 50];
        for (row, vector) in [normal, a, b, c].into_iter().enumerate() {
            for axis in 0..3 {
                record[12 * row + 4 * axis..][..4].copy_from_slice(&(vector[axis] as f32).to_le_bytes());
            }
        }
        out.write_all(&record)?;
    }
    Ok(())
}
