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

/// All of its digits, and none that only say how large it is: 0.1, 1.0000000001, 1e300.
pub fn exact(value: f64) -> String {
    let is_usual = value == 0.0 || !value.is_finite() || (1e-6..1e16).contains(&value.abs());
    if is_usual { value.to_string() } else { format!("{value:e}") }
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

/// A coordinate with as many digits as it takes to tell places so far apart from each other, and no zeros at the end.
pub fn coordinate(at: f64, apart: f64) -> String {
    let digits = -apart.log10().floor();
    if !(-300.0..=300.0).contains(&digits) {
        return number(at);
    }
    let unit = 10f64.powf(-digits);
    let rounded = (at / unit).round() * unit + 0.0;
    // As numbers usually are, if that does; nor are more digits known than 17.
    let usual = number(rounded);
    let does = usual.parse().is_ok_and(|told: f64| (told - rounded).abs() < 0.5 * unit);
    if does || digits > 17.0 || rounded.abs() >= 1e16 {
        return usual;
    }
    let text = format!("{rounded:.*}", digits.max(0.0) as usize);
    without_trailing_zeros(&text).into()
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
    fn exact_numbers_are_the_same_when_read_again() {
        let values = [0.0, 0.1, 1.0000000001, 123456.0, 1e300, -1e-300, f64::NAN];
        assert_eq!(values.map(exact), ["0", "0.1", "1.0000000001", "123456", "1e300", "-1e-300", "NaN"]);
    }

    #[test]
    fn coordinates_have_as_many_digits_as_places_need() {
        assert_eq!(coordinate(2.776e-17, 0.0004), "0");
        assert_eq!(coordinate(-2.087e-5, 0.0005), "0");
        assert_eq!(coordinate(-0.020731, 0.00047), "-0.0207");
        assert_eq!(coordinate(150.04, 2.0), "150");
        assert_eq!(coordinate(-1e-9, 1e-10), "-1e-9");
        assert_eq!(coordinate(-1e-7, 2e-11), "-1e-7");
        assert_eq!(coordinate(7.25, 0.0), "7.25");
        assert_eq!(coordinate(-1e-20, 1e-21), "-1e-20");
        assert_eq!(coordinate(4_500_010.057, 0.022), "4500010.06");
        assert_eq!(coordinate(-0.05, 1.1e-3), "-0.05");
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
