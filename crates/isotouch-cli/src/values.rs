//! How values on the command line are read, and what is said about bad ones.

use isotouch::math::{DVec3, Pose};
use isotouch::output::picture::Axis;

/// Most cells along one side of a field, as the library limits them.
pub(crate) const MOST_CELLS: u32 = 1 << 24;

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

/// A length that may be zero.
pub(crate) fn not_negative(text: &str) -> Result<f64, String> {
    match finite(text)? {
        value if value >= 0.0 => Ok(value),
        _ => Err("it has to be 0 or more".into()),
    }
}

/// One of some names.
pub(crate) fn named<T: Copy>(name: &str, all: &[(&str, T)]) -> Result<T, String> {
    let known = || all.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
    let found = all.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| *value).ok_or_else(|| format!("use one of: {}", known()))
}

/// A pose, as `x,y,z,qx,qy,qz,qw`.
pub(crate) fn pose(text: &str) -> Result<Pose, String> {
    let numbers: Vec<f64> = text.split(',').map(finite).collect::<Result<_, _>>()?;
    let numbers: [f64; 7] = numbers
        .try_into()
        .map_err(|_| "it has to be seven numbers x,y,z,qx,qy,qz,qw, as 0,0.5,-1,0,0,0,1")?;
    Pose::from_numbers(numbers).map_err(|error| error.to_string())
}

/// A point, as `x,y,z`.
pub(crate) fn point(text: &str) -> Result<DVec3, String> {
    let coordinates: Vec<f64> = text.split(',').map(finite).collect::<Result<_, _>>()?;
    match coordinates[..] {
        [x, y, z] => Ok(DVec3::new(x, y, z)),
        _ => Err("it has to be three numbers, as 0,0.5,-1".into()),
    }
}

/// A number from `lowest` to `highest`, both included.
pub(crate) fn between(lowest: f64, highest: f64) -> impl Fn(&str) -> Result<f64, String> + Clone {
    move |text| match finite(text)? {
        value if (lowest..=highest).contains(&value) => Ok(value),
        _ => Err(format!("it has to be from {lowest} to {highest}")),
    }
}

/// A whole number from `lowest` to `highest`, both included.
pub(crate) fn whole(lowest: u32, highest: u32) -> impl Fn(&str) -> Result<u32, String> + Clone {
    move |text| match text.trim().parse() {
        Ok(value) if (lowest..=highest).contains(&value) => Ok(value),
        _ => Err(format!("it has to be a whole number from {lowest} to {highest}")),
    }
}

/// A number that chooses among random ones.
pub(crate) fn seed(text: &str) -> Result<u64, String> {
    text.trim().parse().map_err(|_| format!("it has to be a whole number from 0 to {}", u64::MAX))
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
        let share = between(0.0, 100.0);
        assert!(share("-0.1").is_err() && share("101").is_err() && share("0") == Ok(0.0));
        let few = whole(1, 8);
        assert_eq!((few("1"), few("8")), (Ok(1), Ok(8)));
        for bad in ["0", "9", "-5", "2.5", "1e3", "99999999999", "many", ""] {
            assert!(few(bad).is_err_and(|said| said.contains("a whole number from 1 to 8")), "{bad}");
        }
        assert_eq!(seed("18446744073709551615"), Ok(u64::MAX));
        assert!(seed("-1").is_err_and(|said| said.contains("a whole number from 0")));
        assert_eq!(point("1,-2.5, 3e2"), Ok(DVec3::new(1.0, -2.5, 300.0)));
        assert!(point("1,2").is_err() && point("1,2,3,4").is_err() && point("1,2,x").is_err());
        assert!(axis("q").is_err() && axis("y").is_ok());
    }
}
