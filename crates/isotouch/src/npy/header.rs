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

/// How one number is stored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Number {
    pub(super) kind: Kind,
    is_big_endian: bool,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Kind {
    F32,
    F64,
    U8,
    I32,
    U32,
    I64,
}

impl Number {
    fn from_descr(descr: &str) -> Option<Self> {
        let is_native_big = cfg!(target_endian = "big");
        let (is_big_endian, kind) = match descr.split_at_checked(1)? {
            ("<", kind) => (false, kind),
            (">", kind) => (true, kind),
            ("=" | "|", kind) => (is_native_big, kind),
            _ => (is_native_big, descr),
        };
        let kind = match kind {
            "f4" => Kind::F32,
            "f8" => Kind::F64,
            "u1" | "b1" => Kind::U8,
            "i4" => Kind::I32,
            "u4" => Kind::U32,
            "i8" => Kind::I64,
            _ => return None,
        };
        Some(Self { kind, is_big_endian })
    }

    /// Bytes per number.
    pub(super) fn width(self) -> usize {
        match self.kind {
            Kind::U8 => 1,
            Kind::F32 | Kind::I32 | Kind::U32 => 4,
            Kind::F64 | Kind::I64 => 8,
        }
    }

    pub(super) fn is_float(self) -> bool {
        matches!(self.kind, Kind::F32 | Kind::F64)
    }

    /// Of a float. `bytes` are as many as [`Number::width`] says.
    pub(super) fn decode_float(self, bytes: &[u8]) -> f64 {
        let bits = self.bits(bytes);
        if self.kind == Kind::F32 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) }
    }

    /// Of an integer. `bytes` are as many as [`Number::width`] says.
    pub(super) fn decode_integer(self, bytes: &[u8]) -> i64 {
        let bits = self.bits(bytes);
        if self.kind == Kind::I32 { (bits as u32 as i32).into() } else { bits as i64 }
    }

    fn bits(self, bytes: &[u8]) -> u64 {
        let push = |bits: u64, byte: &u8| bits << 8 | u64::from(*byte);
        if self.is_big_endian { bytes.iter().fold(0, push) } else { bytes.iter().rev().fold(0, push) }
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

/// Reads up to the first byte of data, which must be floats.
pub(super) fn read_of_floats(input: &mut dyn Read) -> Result<Header, Failure> {
    let header = read(input)?;
    if header.number.is_float() {
        return Ok(header);
    }
    malformed(
        "its numbers are integers, but 32- or 64-bit floats are needed; convert with array.astype('float64') before \
         numpy.save",
    )
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
            return malformed("it holds records with named fields, but plain numbers are needed");
        }
        let descr = self.string()?;
        Number::from_descr(descr).map_or_else(
            || {
                malformed(format!(
                    "its numbers have type '{}', which is not read here; convert with array.astype('float64') before \
                     numpy.save",
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
