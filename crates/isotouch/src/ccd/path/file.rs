//! Reading paths: a pose per line.

use std::io::{self, BufRead};

use crate::math::{Pose, PoseError};

/// The columns of a path with a header, perhaps after a `t`.
const COLUMNS: [&str; 7] = ["x", "y", "z", "qx", "qy", "qz", "qw"];
/// Longer lines than this are no poses, and are not kept in memory to be complained about.
const LONGEST_LINE: u64 = 1 << 16;

/// Why a file is no path. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
pub enum PathFileError {
    /// It could not be read.
    #[error("cannot be read")]
    Io(#[from] io::Error),
    /// A header that names other columns.
    #[error("line {line}: the header must be x,y,z,qx,qy,qz,qw, or t before these, not '{found}'")]
    Header {
        /// Where.
        line: u64,
        /// What stands there.
        found: String,
    },
    /// Too few or too many numbers.
    #[error("line {line} has {found} numbers; a pose is {wanted}")]
    Count {
        /// Where.
        line: u64,
        /// How many there are.
        found: usize,
        /// What there should be.
        wanted: &'static str,
    },
    /// Something that is no number.
    #[error("line {line}: '{found}' is not a number")]
    NotANumber {
        /// Where.
        line: u64,
        /// What stands there.
        found: String,
    },
    /// Seven numbers that are no pose.
    #[error("line {line}: {error}")]
    BadPose {
        /// Where.
        line: u64,
        /// Why.
        error: PoseError,
    },
    /// A time before that of the pose above, or no time at all.
    #[error("line {line}: t is {found} after {last}; poses must stand in the order of their times")]
    Time {
        /// Where.
        line: u64,
        /// The time that stands there.
        found: f64,
        /// That of the pose before.
        last: f64,
    },
    /// A line that no pose could be.
    #[error("line {line} is longer than {LONGEST_LINE} bytes: this is no path")]
    LongLine {
        /// Where.
        line: u64,
    },
}

/// Poses, read one by one: CSV with the header `x,y,z,qx,qy,qz,qw` (perhaps `t` first, which must not fall and only tells people
/// when), or seven numbers per line without one, separated by commas, semicolons or blanks. Blank lines and what follows a `#` are passed over.
pub struct PathReader<R> {
    input: R,
    line: u64,
    has_time: bool,
    /// That of the last pose, if poses have one.
    time: f64,
    has_begun: bool,
    has_failed: bool,
}

impl<R: BufRead> PathReader<R> {
    /// Reads from a text.
    pub fn new(input: R) -> Self {
        Self { input, line: 0, has_time: false, time: f64::NEG_INFINITY, has_begun: false, has_failed: false }
    }

    /// The line of the last pose, counted from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// The time of the last pose, if the file has times.
    pub fn time(&self) -> Option<f64> {
        (self.has_time && self.time.is_finite()).then_some(self.time)
    }

    /// The next line that says something.
    fn next_line(&mut self) -> Result<Option<String>, PathFileError> {
        loop {
            let mut bytes = Vec::new();
            let read = io::Read::take(&mut self.input, LONGEST_LINE).read_until(b'\n', &mut bytes)?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            if read as u64 == LONGEST_LINE && bytes.last() != Some(&b'\n') {
                return Err(PathFileError::LongLine { line: self.line });
            }
            let text = String::from_utf8_lossy(&bytes);
            let said = text.split('#').next().unwrap_or("").trim().trim_start_matches('\u{feff}').trim();
            if !said.is_empty() {
                return Ok(Some(said.to_owned()));
            }
        }
    }

    fn next_pose(&mut self) -> Result<Option<Pose>, PathFileError> {
        let Some(mut text) = self.next_line()? else { return Ok(None) };
        if !std::mem::replace(&mut self.has_begun, true)
            && text.starts_with(|first: char| first.is_alphabetic())
        {
            let names: Vec<String> = words(&text).map(str::to_lowercase).collect();
            self.has_time = names.first().is_some_and(|name| name == "t");
            if names[usize::from(self.has_time)..] != COLUMNS {
                return Err(PathFileError::Header { line: self.line, found: shortened(&text) });
            }
            match self.next_line()? {
                Some(next) => text = next,
                None => return Ok(None),
            }
        }
        let mut numbers = Vec::with_capacity(8);
        for word in words(&text) {
            let not_a_number = || PathFileError::NotANumber { line: self.line, found: shortened(word) };
            numbers.push(word.parse::<f64>().map_err(|_| not_a_number())?);
        }
        let of_pose = if self.has_time { numbers.get(1..).unwrap_or(&[]) } else { &numbers[..] };
        let of_pose: [f64; 7] = of_pose.try_into().map_err(|_| PathFileError::Count {
            line: self.line,
            found: numbers.len(),
            wanted: if self.has_time {
                "t and the seven x, y, z, qx, qy, qz, qw"
            } else {
                "seven: x, y, z, qx, qy, qz, qw (a time before these needs the header t,x,y,z,qx,qy,qz,qw)"
            },
        })?;
        if self.has_time {
            let last = std::mem::replace(&mut self.time, numbers[0]);
            // Written so that NaN is refused.
            let goes_on = numbers[0] >= last;
            if !goes_on {
                return Err(PathFileError::Time { line: self.line, found: numbers[0], last });
            }
        }
        Pose::from_numbers(of_pose)
            .map(Some)
            .map_err(|error| PathFileError::BadPose { line: self.line, error })
    }
}

impl<R: BufRead> Iterator for PathReader<R> {
    type Item = Result<Pose, PathFileError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.has_failed {
            return None;
        }
        let next = self.next_pose();
        self.has_failed = next.is_err();
        next.transpose()
    }
}

/// Separated by commas, semicolons or blanks.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|c: char| c == ',' || c == ';' || c.is_whitespace()).filter(|word| !word.is_empty())
}

/// For a message. What would move the cursor of a terminal is written out.
fn shortened(text: &str) -> String {
    let mut short = String::new();
    for (k, of) in text.chars().enumerate() {
        match of {
            _ if k == 60 => {
                short.push('…');
                break;
            }
            of if of.is_control() => short.extend(of.escape_default()),
            of => short.push(of),
        }
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Pose>, String> {
        PathReader::new(text.as_bytes()).collect::<Result<_, _>>().map_err(|error| error.to_string())
    }

    #[test]
    fn all_ways_to_write_a_path_are_read() {
        let same = [
            "1 2 3 0 0 0 1\n4 5 6 0 0 1 0\n",
            "x,y,z,qx,qy,qz,qw\n1,2,3,0,0,0,1\n4,5,6,0,0,1,0",
            "# made by hand\nt,x,y,z,qx,qy,qz,qw\r\n0,1,2,3,0,0,0,1\r\n\r\n0.5,4,5,6,0,0,1,0\r\n",
            "\u{feff}X, Y, Z, QX, QY, QZ, QW\n1, 2, 3, 0, 0, 0, 1 # start\n4,5,6,0,0,1,0\n",
            "1\t2\t3\t0\t0\t0\t1.0004\n4 5 6 0 0 1 0",
            "x;y;z;qx;qy;qz;qw\n1;2;3;0;0;0;1\n4;5;6;0;0;1;0\n",
            "t x y z qx qy qz qw\n-2 1 2 3 0 0 0 1\n-2 4 5 6 0 0 1 0\n",
        ];
        for text in same {
            let poses = read(text).unwrap();
            assert_eq!(poses.iter().map(|p| p.position.x).collect::<Vec<_>>(), [1.0, 4.0], "{text}");
            assert_eq!(poses[0].rotation, glam::DQuat::IDENTITY);
            assert_eq!(poses[1].to_numbers(), [4.0, 5.0, 6.0, 0.0, 0.0, 1.0, 0.0]);
        }
        assert_eq!(read("").unwrap(), []);
        assert_eq!(read("x,y,z,qx,qy,qz,qw\n").unwrap(), []);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let good = "0 0 0 0 0 0 1\n";
        let cases = [
            ("0 0 0 0 0 0 0", "line 2: the quaternion is zero"),
            ("0 0 0 1 0 0 1", "line 2: the quaternion qx, qy, qz, qw has length 1.414214"),
            ("0 0 nan 0 0 0 1", "line 2: a pose needs seven finite numbers"),
            ("0 0 inf 0 0 0 1", "line 2: a pose needs seven finite numbers"),
            ("0 0 x 0 0 0 1", "line 2: 'x' is not a number"),
            ("0 0 0", "line 2 has 3 numbers; a pose is seven"),
            ("0 0 0 0 0 0 0 1", "line 2 has 8 numbers; a pose is seven"),
            ("0 0 0 0 0 0 1e200", "line 2: the quaternion"),
        ];
        for (bad, said) in cases {
            let error = read(&format!("{good}{bad}\n{good}")).unwrap_err();
            assert!(error.starts_with(said), "{bad}: {error}");
        }
        assert!(read("px,py,pz\n").unwrap_err().starts_with("line 1: the header must be x,y,z"));
        let timed = |last: &str| {
            read(&format!("t,x,y,z,qx,qy,qz,qw\n1,0,0,0,0,0,0,1\n{last},0,0,0,0,0,0,1\n")).unwrap_err()
        };
        assert!(timed("0.5").starts_with("line 3: t is 0.5 after 1"), "{}", timed("0.5"));
        assert!(timed("nan").starts_with("line 3: t is NaN after 1"), "{}", timed("nan"));
        let binary = read("\u{1b}[2J\u{7}1 0 0\n").unwrap_err();
        assert_eq!(binary, r"line 1: '\u{1b}[2J\u{7}1' is not a number");
        assert!(read(&"1".repeat(1 << 17)).unwrap_err().contains("longer than"));
    }
}
