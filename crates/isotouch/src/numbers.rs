//! Numbers as people read them.

/// So many significant digits: 0.0123, 1.90, 45.6, 1.20e-7.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let exponent = value.abs().log10().floor() as i32;
    let after_first = digits.saturating_sub(1);
    if !(-4..6).contains(&exponent) {
        return format!("{value:.after_first$e}");
    }
    format!("{value:.*}", (after_first as i32 - exponent).max(0) as usize)
}

/// About four digits, and no zeros at the end: 0.01234, 12.5, 1.2e-7.
pub fn number(value: f64) -> String {
    let text = significant(value, 4);
    match text.split_once('e') {
        Some((mantissa, power)) => format!("{}e{power}", without_trailing_zeros(mantissa)),
        None => without_trailing_zeros(&text).into(),
    }
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// 1,234,567
pub fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_four_digits() {
        for (value, text) in [
            (0.0, "0"),
            (0.0123456, "0.01235"),
            (-12.5, "-12.5"),
            (123456.7, "123457"),
            (1.2e-7, "1.2e-7"),
            (2e9, "2e9"),
            (f64::NAN, "NaN"),
            (100.0, "100"),
        ] {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn significant_digits_include_zeros() {
        let shown = [0.0, 0.01234, 1.9, 45.61, 347.4, 2140.0, 1e-7].map(|value| significant(value, 3));
        assert_eq!(shown, ["0", "0.0123", "1.90", "45.6", "347", "2140", "1.00e-7"]);
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!([0, 999, 1000, 1234567].map(count), ["0", "999", "1,000", "1,234,567"]);
    }
}
