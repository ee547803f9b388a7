//! Base64 (RFC 4648, section 4), as data URIs have it.

/// The bytes that `text` stands for; on failure the place of the first character that does not belong.
pub(super) fn decode(text: &str) -> Result<Vec<u8>, usize> {
    let text = text.as_bytes();
    let unpadded = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    let mut bytes = Vec::with_capacity(unpadded.len() / 4 * 3 + 2);
    for (group, characters) in unpadded.chunks(4).enumerate() {
        let mut bits = 0u32;
        for (k, &character) in characters.iter().enumerate() {
            bits |= sextet(character).ok_or(4 * group + k)? << (18 - 6 * k);
        }
        // Two characters make a byte, three make two; one alone makes none.
        if characters.len() == 1 {
            return Err(4 * group);
        }
        bytes.extend_from_slice(&bits.to_be_bytes()[1..characters.len()]);
    }
    Ok(bytes)
}

fn sextet(character: u8) -> Option<u32> {
    Some(u32::from(match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

#[cfg(test)]
mod tests {
    use super::decode;

    /// The examples of RFC 4648, section 10, with and without padding.
    #[test]
    fn examples_of_the_standard() {
        for (text, bytes) in [
            ("", ""),
            ("Zg==", "f"),
            ("Zm8=", "fo"),
            ("Zm9v", "foo"),
            ("Zm9vYg==", "foob"),
            ("Zm9vYmE=", "fooba"),
            ("Zm9vYmFy", "foobar"),
        ] {
            assert_eq!(decode(text).unwrap(), bytes.as_bytes());
            assert_eq!(decode(text.trim_end_matches('=')).unwrap(), bytes.as_bytes());
        }
        assert_eq!(decode("++//").unwrap(), [0xfb, 0xef, 0xff]);
    }

    #[test]
    fn what_does_not_belong_is_found() {
        for (text, at) in [("Zm9v!mFy", 4), ("Zm9vY", 4), ("Zm=v", 2), ("Zm9v\n", 4), ("é", 0), ("Z===", 1)]
        {
            assert_eq!(decode(text), Err(at), "{text}");
        }
    }
}
