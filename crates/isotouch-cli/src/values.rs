//! How values on the command line are read, and what is said about bad ones.

use isotouch::output::picture::Axis;

/// A finite number; negative ones too.
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    match text.trim().parse::<f64>() {
        Ok(value) if value.is_finite() => Ok(value),
        Ok(_) => Err("it has to be a finite number".into()),
        Err(_) => Err("it is not a number".into()),
    }
}

/// A length or factor above zero.
pub(crate) fn positive(text: &str) -> Result<f64, String> {
    match finite(text)? {
        value if value > 0.0 => Ok(value),
        _ => Err("it has to be above 0".into()),
    }
}

/// A length or share, 0 included.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    match finite(text)? {
        value if value >= 0.0 => Ok(value),
        _ => Err("it must not be negative".into()),
    }
}

/// x, y or z
pub(crate) fn axis(text: &str) -> Result<Axis, String> {
    text.parse().map_err(|error: isotouch::output::picture::UnknownAxis| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_with_their_limits() {
        assert_eq!(finite("-1e-3"), Ok(-1e-3));
        assert!(finite("nan").is_err() && finite("inf").is_err() && finite("--json").is_err());
        assert!(positive("0").is_err() && positive("2.5") == Ok(2.5));
        assert!(not_negative("-0.1").is_err() && not_negative("0") == Ok(0.0));
        assert!(axis("q").is_err() && axis("y").is_ok());
    }
}
