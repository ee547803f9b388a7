//! Words, lines and numbers, taken from bytes without copying.
//!
//! Lines end in LF, CRLF or CR. Text need not be UTF-8: names and comments in old encodings are passed over, and only
//! what should be a number is looked at.

use super::error::{Fault, Place, Problem};

/// A place in text that moves forward.
#[derive(Debug, Clone)]
pub(super) struct Text<'a> {
    bytes: &'a [u8],
    at: usize,
    /// Start of the word or line handed out last, for errors.
    last: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8], at: usize) -> Self {
        Self { bytes, at, last: at }
    }

    pub(super) fn remaining(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// Where the last word or line began.
    pub(super) fn last(&self) -> usize {
        self.last
    }

    /// The next word, on this line or a later one.
    pub(super) fn word(&mut self) -> Option<&'a [u8]> {
        let rest = self.remaining();
        let start = self.at + rest.iter().position(|&b| !is_blank(b)).unwrap_or(rest.len());
        let rest = &self.bytes[start..];
        let end = start + rest.iter().position(|&b| is_blank(b)).unwrap_or(rest.len());
        self.at = end;
        self.last = start;
        (start < end).then(|| &self.bytes[start..end])
    }

    /// Like [`Text::word`], with everything from `#` to the end of its line left out.
    pub(super) fn word_outside_comments(&mut self) -> Option<&'a [u8]> {
        loop {
            let word = self.word()?;
            match word.iter().position(|&b| b == b'#') {
                None => return Some(word),
                Some(hash) => {
                    self.at = self.last + hash;
                    let start = self.last;
                    if hash > 0 {
                        return Some(&word[..hash]);
                    }
                    self.line();
                    self.last = start;
                }
            }
        }
    }

    /// The rest of this line, without its end.
    pub(super) fn line(&mut self) -> Option<&'a [u8]> {
        let rest = self.remaining();
        self.last = self.at;
        if rest.is_empty() {
            return None;
        }
        let Some(end) = rest.iter().position(|&b| b == b'\n' || b == b'\r') else {
            self.at = self.bytes.len();
            return Some(rest);
        };
        self.at += end + if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
        Some(&rest[..end])
    }

    /// A fault at the last word or line.
    pub(super) fn fault(&self, problem: Problem) -> Fault {
        self.fault_at(self.last, problem)
    }

    pub(super) fn fault_at(&self, at: usize, problem: Problem) -> Fault {
        Fault { place: Place::Line(line_number(self.bytes, at)), problem }
    }

    /// A fault where the text ends too soon.
    pub(super) fn cut_short(&self, what: impl Into<String>) -> Fault {
        self.fault(Problem::CutShort { what: what.into() })
    }
}

/// The line, counted from 1, that holds byte `at`. Counted only when an error needs it.
fn line_number(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at.min(bytes.len())];
    let ends = before.iter().enumerate().filter(|&(i, &b)| match b {
        b'\n' => true,
        b'\r' => bytes.get(i + 1) != Some(&b'\n'),
        _ => false,
    });
    1 + ends.count()
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c)
}

pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|&b| is_blank(b)).filter(|word| !word.is_empty())
}

/// A finite number.
pub(super) fn coordinate(word: &[u8]) -> Result<f64, Problem> {
    let parsed = std::str::from_utf8(word).ok().and_then(|s| s.parse::<f64>().ok());
    match parsed {
        Some(value) if value.is_finite() => Ok(value),
        Some(_) => Err(Problem::NotFinite { text: excerpt(word) }),
        // What C libraries print for NaN and infinity: `-nan(ind)`, `1.#QNAN`, `1.#INF`.
        None if contains_ignoring_case(word, b"nan") || contains_ignoring_case(word, b"#in") => {
            Err(Problem::NotFinite { text: excerpt(word) })
        }
        None => Err(Problem::NotANumber { text: excerpt(word) }),
    }
}

/// A whole number; `3.0` is one too.
pub(super) fn integer(word: &[u8]) -> Result<i64, Problem> {
    let (negative, digits) = match word {
        [b'-', digits @ ..] => (true, digits),
        [b'+', digits @ ..] => (false, digits),
        digits => (false, digits),
    };
    // Eighteen digits cannot overflow.
    if !digits.is_empty() && digits.len() <= 18 && digits.iter().all(u8::is_ascii_digit) {
        let value = digits.iter().fold(0i64, |value, d| value * 10 + i64::from(d - b'0'));
        return Ok(if negative { -value } else { value });
    }
    match std::str::from_utf8(word).ok().and_then(|s| s.parse::<f64>().ok()) {
        Some(value) => whole(value).ok_or_else(|| Problem::NotAnInteger { text: excerpt(word) }),
        None => Err(Problem::NotANumber { text: excerpt(word) }),
    }
}

/// The value as an integer, where it is one that `f64` holds exactly or a large one that is wrong anyway.
pub(super) fn whole(value: f64) -> Option<i64> {
    (value.is_finite() && value.fract() == 0.0).then_some(value as i64)
}

/// What fits into an error message.
pub(super) fn excerpt(word: &[u8]) -> String {
    const LONGEST: usize = 40;
    let text = String::from_utf8_lossy(&word[..word.len().min(LONGEST)]);
    let mut text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    if word.len() > LONGEST {
        text.push('…');
    }
    text
}

pub(super) fn contains_ignoring_case(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window.eq_ignore_ascii_case(needle))
}
