//! The header of an `.npy` file: version, number type, order and shape.

use std::io::Read;

use super::{Failure, malformed, read_up_to};

pub(super) const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// Longest header that is read, in bytes. Headers of plain float arrays have 118; NumPy itself stops at 10 000.
const MAX_HEADER: usize = 1 << 16;

/// Most indices an array may have; NumPy's own limit.
const MAX_DIMENSIONS: usize = 64;

#[derive(Debug)]
pub(super) struct Header {
    pub(super) number: Number,
    pub(super) order: Order,
    pub(super) shape: Vec<usize>,
    /// Product of the shape.
    pub(super) count: usize,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Order {
    C,
    Fortran,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    F32Little,
    F32Big,
    F64Little,
    F64Big,
}

impl Number {
    fn from_descr(descr: &str) -> Option<Self> {
        let native_is_little = cfg!(target_endian = "little");
        Some(match descr {
            "<f4" => Self::F32Little,
            ">f4" => Self::F32Big,
            "<f8" => Self::F64Little,
            ">f8" => Self::F64Big,
            "=f4" | "f4" if native_is_little => Self::F32Little,
            "=f4" | "f4" => Self::F32Big,
            "=f8" | "f8" if native_is_little => Self::F64Little,
            "=f8" | "f8" => Self::F64Big,
            _ => return None,
        })
    }

    /// Bytes per number.
    pub(super) fn width(self) -> usize {
        match self {
            Self::F32Little | Self::F32Big => 4,
            Self::F64Little | Self::F64Big => 8,
        }
    }

    /// `bytes` are as many as [`Number::width`] says.
    pub(super) fn decode(self, bytes: &[u8]) -> f64 {
        let four = || [bytes[0], bytes[1], bytes[2], bytes[3]];
        let eight = || [bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]];
        match self {
            Self::F32Little => f32::from_le_bytes(four()).into(),
            Self::F32Big => f32::from_be_bytes(four()).into(),
            Self::F64Little => f64::from_le_bytes(eight()),
            Self::F64Big => f64::from_be_bytes(eight()),
        }
    }
}

/// The bytes before the data of a version 1.0 file; `descr` is the number type.
pub(super) fn encode(shape: &[usize], descr: &str, order: Order) -> Vec<u8> {
    let fortran = if order == Order::Fortran { "True" } else { "False" };
    let shape = super::shape_text(shape);
    let dict = format!("{{'descr': '{descr}', 'fortran_order': {fortran}, 'shape': {shape}, }}");
    // Magic, version, length, dict and newline together are padded to a multiple of 64.
    let padded = (10 + dict.len() + 1).next_multiple_of(64);
    let mut bytes = Vec::with_capacity(padded);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&((padded - 10) as u16).to_le_bytes());
    bytes.extend_from_slice(dict.as_bytes());
    bytes.resize(padded - 1, b' ');
    bytes.push(b'\n');
    bytes
}

/// Reads up to the first byte of data.
pub(super) fn read(input: &mut dyn Read) -> Result<Header, Failure> {
    let mut prefix = [0; 8];
    let filled = read_up_to(input, &mut prefix)?;
    if !prefix[..filled].starts_with(MAGIC) {
        return malformed(
            "it is not an .npy file (it does not begin with \\x93NUMPY); make one with numpy.save",
        );
    }
    let length = match (filled, prefix[6]) {
        (8, 1) => {
            let mut length = [0; 2];
            fill(input, &mut length)?;
            u16::from_le_bytes(length) as usize
        }
        (8, 2 | 3) => {
            let mut length = [0; 4];
            fill(input, &mut length)?;
            u32::from_le_bytes(length) as usize
        }
        (8, version) => {
            return malformed(format!(
                "it has .npy version {version}, but only 1, 2 and 3 are known; save it again with numpy.save"
            ));
        }
        _ => return cut_short(),
    };
    if length > MAX_HEADER {
        return malformed(format!(
            "its header claims {length} bytes, more than the {MAX_HEADER} that an array of floats can need; \
             write it again"
        ));
    }
    let mut text = vec![0; length];
    fill(input, &mut text)?;
    parse(&String::from_utf8_lossy(&text))
}

fn fill(input: &mut dyn Read, bytes: &mut [u8]) -> Result<(), Failure> {
    if read_up_to(input, bytes)? < bytes.len() { cut_short() } else { Ok(()) }
}

fn cut_short<T>() -> Result<T, Failure> {
    malformed("it ends within its header; write it again")
}

/// Reads the Python dict, which has exactly the keys `descr`, `fortran_order` and `shape`.
fn parse(text: &str) -> Result<Header, Failure> {
    let mut scanner = Scanner { rest: text };
    let (mut number, mut order, mut shape) = (None, None, None);
    scanner.expect('{')?;
    while !scanner.accept('}') {
        let key = scanner.string()?;
        scanner.expect(':')?;
        match key {
            "descr" => number = Some(scanner.number_type()?),
            "fortran_order" => order = Some(scanner.order()?),
            "shape" => shape = Some(scanner.shape()?),
            other => return malformed(format!("its header has the unknown key '{}'", other.escape_debug())),
        }
        if !scanner.accept(',') {
            scanner.expect('}')?;
            break;
        }
    }
    let (Some(number), Some(order), Some(shape)) = (number, order, shape) else {
        return malformed("its header lacks one of 'descr', 'fortran_order' and 'shape'; write it again");
    };
    let bytes = shape.iter().try_fold(number.width(), |product, &length| product.checked_mul(length));
    let Some(bytes) = bytes.filter(|&bytes| bytes <= isize::MAX as usize) else {
        return malformed(format!("its shape {} is larger than any memory", super::shape_text(&shape)));
    };
    Ok(Header { number, order, shape, count: bytes / number.width() })
}

/// Reads the few forms of Python literals that such a header consists of.
struct Scanner<'a> {
    rest: &'a str,
}

impl<'a> Scanner<'a> {
    fn accept(&mut self, symbol: char) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, symbol: char) -> Result<(), Failure> {
        if self.accept(symbol) { Ok(()) } else { self.unexpected(&format!("'{symbol}'")) }
    }

    fn unexpected<T>(&self, wanted: &str) -> Result<T, Failure> {
        let found: String = self.rest.chars().take(20).collect();
        malformed(format!(
            "its header should go on with {wanted}, but \"{}\" follows; write it again",
            found.escape_debug()
        ))
    }

    /// Everything up to the first character that `part` rejects.
    fn take_while(&mut self, part: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest.trim_start();
        let (taken, rest) = rest.split_at(rest.find(|c| !part(c)).unwrap_or(rest.len()));
        self.rest = rest;
        taken
    }

    fn string(&mut self) -> Result<&'a str, Failure> {
        for quote in ['\'', '"'] {
            if self.accept(quote) {
                let Some((string, rest)) = self.rest.split_once(quote) else {
                    return self.unexpected("a closing quote");
                };
                self.rest = rest;
                return Ok(string);
            }
        }
        self.unexpected("a quoted word")
    }

    fn number_type(&mut self) -> Result<Number, Failure> {
        self.rest = self.rest.trim_start();
        if self.rest.starts_with('[') {
            return malformed("it holds records with named fields, but plain floats are needed");
        }
        let descr = self.string()?;
        Number::from_descr(descr).map_or_else(
            || {
                malformed(format!(
                    "its numbers have type '{}', but 32- or 64-bit floats are needed; convert with \
                     array.astype('float64') before numpy.save",
                    descr.escape_debug()
                ))
            },
            Ok,
        )
    }

    fn order(&mut self) -> Result<Order, Failure> {
        match self.take_while(char::is_alphabetic) {
            "False" => Ok(Order::C),
            "True" => Ok(Order::Fortran),
            _ => self.unexpected("True or False after 'fortran_order'"),
        }
    }

    fn shape(&mut self) -> Result<Vec<usize>, Failure> {
        let mut shape = Vec::new();
        self.expect('(')?;
        while !self.accept(')') {
            let digits = self.take_while(|c| c.is_ascii_digit());
            // Python 2 wrote large lengths as 5L.
            self.accept('L');
            match digits.parse() {
                Ok(length) if shape.len() < MAX_DIMENSIONS => shape.push(length),
                Ok(_) => return malformed(format!("its shape has more than {MAX_DIMENSIONS} lengths")),
                Err(_) => return self.unexpected("a length in 'shape'"),
            }
            if !self.accept(',') {
                self.expect(')')?;
                break;
            }
        }
        Ok(shape)
    }
}
