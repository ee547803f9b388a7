//! Which other files a mesh is read from.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use super::{Format, ReadError, detect, gltf, gzip, unpacked, without_mark};

/// Bytes of the content that tell its format, behind a mark of three.
const HEAD: u64 = detect::BEGINNING as u64 + 3;

/// The files beside `path` that [`read`](super::read) may take numbers from: the buffers of a glTF scene. Those that are not
/// there are left out, and so is everything of a file that cannot be understood: reading it will tell.
pub fn companions(path: impl AsRef<Path>) -> io::Result<Vec<PathBuf>> {
    let path = path.as_ref();
    let name = path.display().to_string();
    // Most meshes have none, and need not be in memory to say so.
    if !detect::may_be_gltf(&name, without_mark(&beginning(path)?)) {
        return Ok(Vec::new());
    }
    let names = named_in(&name, &fs::read(path)?).unwrap_or_default();
    let folder = path.parent().unwrap_or(Path::new(""));
    Ok(names.into_iter().map(|name| folder.join(name)).filter(|file| file.is_file()).collect())
}

fn named_in(name: &str, bytes: &[u8]) -> Result<Vec<PathBuf>, ReadError> {
    let content = unpacked(name, bytes)?;
    let content = without_mark(&content);
    let names = match detect::format(name, content)? {
        Format::GltfJson => gltf::files_of_json(content),
        Format::GltfBinary => gltf::files_of_binary(content),
        _ => Ok(Vec::new()),
    };
    names.map_err(|fault| fault.in_file(name))
}

/// As many bytes of the content as tell its format; none where a compressed one is damaged.
fn beginning(path: &Path) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    File::open(path)?.take(HEAD).read_to_end(&mut head)?;
    if !gzip::is_gzip(&head) {
        return Ok(head);
    }
    head.clear();
    // What could be unpacked before a fault stays.
    let _ = MultiGzDecoder::new(BufReader::new(File::open(path)?)).take(HEAD).read_to_end(&mut head);
    Ok(head)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    const SCENE: &str = r#"{"asset":{"version":"2.0"},"buffers":[{"uri":"my%20part.bin"},{"uri":"data:;base64,AA=="},
        {"uri":"../outside.bin"},{"uri":"none.bin"},{}]}"#;

    fn binary() -> Vec<u8> {
        let length = SCENE.len() as u32;
        let header =
            [*b"glTF", 2u32.to_le_bytes(), (20 + length).to_le_bytes(), length.to_le_bytes(), *b"JSON"];
        [header.as_flattened(), SCENE.as_bytes()].concat()
    }

    fn gzipped(bytes: &[u8]) -> Vec<u8> {
        let mut out = GzEncoder::new(Vec::new(), Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    }

    #[test]
    fn buffers_that_are_there_are_found_whatever_the_scene_is_called() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join("scene").join(name);
        fs::create_dir(folder.path().join("scene")).unwrap();
        fs::write(at("my part.bin"), [1, 2, 3]).unwrap();
        fs::write(folder.path().join("outside.bin"), [1]).unwrap();
        for (name, content) in [
            ("a.gltf", SCENE.as_bytes().to_vec()),
            ("bom.gltf", [b"\xef\xbb\xbf", SCENE.as_bytes()].concat()),
            ("a.obj", SCENE.as_bytes().to_vec()),
            ("a.glb", binary()),
            ("b.stl", binary()),
            ("a.gltf.gz", gzipped(SCENE.as_bytes())),
            ("a.ply", gzipped(&binary())),
        ] {
            fs::write(at(name), content).unwrap();
            assert_eq!(companions(at(name)).unwrap(), [at("my part.bin")], "{name}");
        }
    }

    #[test]
    fn other_files_have_none() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("a.glb");
        let cut = &gzipped(&binary())[..30];
        for content in [&b"v 0 0 0\n"[..], b"", b"glTF\x02\0\0", b"{\"asset\":", b"{\"buffers\":3}", cut] {
            fs::write(&at, content).unwrap();
            assert!(companions(&at).unwrap().is_empty());
        }
        assert!(companions(folder.path().join("none.obj")).is_err());
    }
}
