//! Where fields are kept, and how much of them.

use std::env;
use std::path::PathBuf;

use anyhow::anyhow;

/// Bytes kept unless the environment says otherwise: some hundred fields of 256³, or thirty of 1024³.
const USUAL_LIMIT: u64 = 4 << 30;

/// `ISOTOUCH_CACHE`, or the platform's folder for such things; `None` where there is neither.
pub(super) fn find() -> Option<PathBuf> {
    if let Some(folder) = variable("ISOTOUCH_CACHE") {
        return Some(folder);
    }
    let home = || env::home_dir().filter(|home| home.is_absolute());
    if cfg!(windows) {
        Some(variable("LOCALAPPDATA")?.join("isotouch").join("cache"))
    } else if cfg!(target_os = "macos") {
        Some(home()?.join("Library/Caches/isotouch"))
    } else {
        // A relative path is to be ignored, by the XDG Base Directory Specification.
        let named = variable("XDG_CACHE_HOME").filter(|folder| folder.is_absolute());
        Some(named.or_else(|| Some(home()?.join(".cache")))?.join("isotouch"))
    }
}

fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// `ISOTOUCH_CACHE_SIZE`: bytes, or a number with kB, MB, GB, KiB, MiB or GiB behind it; 0 keeps nothing.
pub(super) fn limit() -> anyhow::Result<u64> {
    match env::var("ISOTOUCH_CACHE_SIZE") {
        Ok(text) if !text.trim().is_empty() => size(&text).ok_or_else(|| {
            anyhow!(
                "ISOTOUCH_CACHE_SIZE is '{text}'; it has to be a number of bytes, such as 500MB, 4GiB or 0"
            )
        }),
        Ok(_) | Err(env::VarError::NotPresent) => Ok(USUAL_LIMIT),
        Err(env::VarError::NotUnicode(_)) => Err(anyhow!("ISOTOUCH_CACHE_SIZE is not text")),
    }
}

fn size(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let factor = match text[digits..].trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    let number: f64 = text[..digits].parse().ok()?;
    Some((number * factor) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read() {
        let sizes = [
            ("0", 0),
            ("1234", 1234),
            ("500MB", 500_000_000),
            ("1.5 GB", 1_500_000_000),
            ("4GiB", 4 << 30),
            ("2k", 2_000),
        ];
        for (text, bytes) in sizes {
            assert_eq!(size(text), Some(bytes), "{text}");
        }
        for text in ["", "much", "-1", "1e3", "4 parsecs", "..", "GB"] {
            assert_eq!(size(text), None, "{text}");
        }
    }
}
