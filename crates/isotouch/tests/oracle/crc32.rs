//! Checksums, written apart from the library's.

use std::sync::OnceLock;

/// CRC-32 as in zip and PNG, a table of 256 remainders.
pub fn crc32(parts: &[&[u8]]) -> u32 {
    static TABLE: OnceLock<[u32; 256]> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        std::array::from_fn(|k| {
            (0..8).fold(k as u32, |r, _| if r & 1 == 1 { r >> 1 ^ 0xedb8_8320 } else { r >> 1 })
        })
    });
    let step = |r: u32, byte: &u8| r >> 8 ^ table[((r ^ u32::from(*byte)) & 0xff) as usize];
    !parts.iter().copied().flatten().fold(!0, step)
}
