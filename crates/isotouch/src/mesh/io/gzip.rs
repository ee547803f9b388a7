use std::io::Read as _;

use flate2::read::MultiGzDecoder;

use super::error::ReadError;

/// The most content that is accepted from a compressed file or a pipe: 4 GiB, about 80 million triangles of STL.
pub(super) const MAX_BYTES: u64 = 4 << 30;

/// A compressed mesh seldom shrinks more than 20-fold; deflate can make it 1032-fold. A small file that unpacks to
/// more than 64 MiB plus 200 times its size is a bomb. Larger values let it fill the memory, smaller ones could
/// refuse a very regular mesh.
const MAX_RATIO: u64 = 200;
const ALWAYS_ALLOWED: u64 = 64 << 20;

pub(super) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(&[0x1f, 0x8b, 8])
}

/// Unpacks all members of a gzip file. The size it states for itself is not believed.
pub(super) fn unpack(name: &str, bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    let limit = (bytes.len() as u64).saturating_mul(MAX_RATIO).saturating_add(ALWAYS_ALLOWED).min(MAX_BYTES);
    let mut content = Vec::new();
    MultiGzDecoder::new(bytes)
        .take(limit + 1)
        .read_to_end(&mut content)
        .map_err(|source| ReadError::Gzip { file: name.to_owned(), source })?;
    if content.len() as u64 > limit {
        return Err(ReadError::TooLarge { file: name.to_owned(), limit });
    }
    Ok(content)
}
