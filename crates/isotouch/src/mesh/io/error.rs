use std::fmt;

/// Where in a file. In a gzipped file: where in the unpacked content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A line of text, counted from 1.
    Line(usize),
    /// A byte of binary data, counted from 0.
    Byte(usize),
    /// A member of a JSON document, such as `accessors[3].count`, counted from 0.
    Member(String),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Byte(byte) => write!(f, "byte {byte}"),
            Self::Member(path) => f.write_str(path),
        }
    }
}

/// Why a mesh could not be read.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// There is no such file.
    #[error("{file}: no such file; check the spelling and the folder")]
    NotFound {
        /// The file.
        file: String,
    },
    /// The path is a folder.
    #[error("{file}: is a folder; name a mesh file in it")]
    Directory {
        /// The path.
        file: String,
    },
    /// The system could not read the file.
    #[error("{file}: cannot be read: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// Nothing but blanks, or nothing at all.
    #[error("{file}: is empty; export the mesh again")]
    Empty {
        /// The file.
        file: String,
    },
    /// A known format that is not read here.
    #[error("{file}: {what} is not supported yet; {remedy}")]
    Unsupported {
        /// The file.
        file: String,
        /// The format.
        what: &'static str,
        /// What to do instead.
        remedy: &'static str,
    },
    /// Content that is none of the known formats.
    #[error(
        "{file}: this is no mesh format known here; supported are OBJ, STL, PLY, OFF and glTF, plain or gzipped"
    )]
    UnknownFormat {
        /// The file.
        file: String,
    },
    /// The gzip stream is broken.
    #[error("{file}: the gzip stream is broken or cut short ({source}); copy or compress the file again")]
    Gzip {
        /// The file.
        file: String,
        /// What the decoder said.
        source: std::io::Error,
    },
    /// More content than is accepted.
    #[error(
        "{file}: holds more than {limit} bytes once unpacked, which no mesh of that size does; unpack it and look inside"
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The most that would have been accepted.
        limit: u64,
    },
    /// Something in the content is wrong.
    #[error("{file}, {place}: {problem}")]
    Malformed {
        /// The file.
        file: String,
        /// Where.
        place: Place,
        /// What.
        problem: Problem,
    },
    /// A file without any surface.
    #[error("{file}: has no triangles: {why}; a surface is needed, so export the mesh with its faces")]
    NoTriangles {
        /// The file.
        file: String,
        /// What it has instead.
        why: String,
    },
    /// A face with a dent or a corner on a straight side, and too many corners.
    #[error(
        "{file}: face {face} (counted from 0) is not convex and has {corners} corners, more than {limit}; triangulate \
         the mesh before exporting it"
    )]
    PolygonTooLarge {
        /// The file.
        file: String,
        /// The face, counted from 0.
        face: usize,
        /// Its corners.
        corners: usize,
        /// The most that is taken.
        limit: usize,
    },
    /// More vertices than 32-bit indices can name.
    #[error("{file}: {count} vertices are more than a mesh can hold (4294967295); simplify or split it")]
    TooManyVertices {
        /// The file.
        file: String,
        /// How many there are.
        count: usize,
    },
    /// The scale is zero, negative or not finite.
    #[error(
        "{file}: cannot be scaled by {scale}; use a positive number such as 0.001 for millimetres to metres"
    )]
    BadScale {
        /// The file.
        file: String,
        /// The scale asked for.
        scale: f64,
    },
    /// Scaling makes a coordinate infinite.
    #[error("{file}: scaled by {scale}, vertex {vertex} leaves the range of numbers; use a smaller scale")]
    ScaleOverflow {
        /// The file.
        file: String,
        /// The scale asked for.
        scale: f64,
        /// The vertex, counted from 0 in the file's order.
        vertex: usize,
    },
}

/// What is wrong at one place of a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The content ends early.
    #[error("the file ends in the middle of {what}; it was cut short, copy or export it again")]
    CutShort {
        /// What was being read.
        what: String,
    },
    /// A count that the file has no room for.
    #[error(
        "{count} {what} are announced, which need at least {needed} bytes, but only {present} bytes follow; the file \
         was cut short or its header is wrong, export it again"
    )]
    CountTooLarge {
        /// What is counted.
        what: String,
        /// The count the file claims.
        count: u64,
        /// The least number of bytes they take.
        needed: u64,
        /// The bytes that are there.
        present: usize,
    },
    /// A word that should be a number.
    #[error("`{text}` is not a number; correct it or export the file again")]
    NotANumber {
        /// The word.
        text: String,
    },
    /// A number that should be a whole one.
    #[error("`{text}` should be a whole number; correct it or export the file again")]
    NotAnInteger {
        /// The word.
        text: String,
    },
    /// NaN or infinity.
    #[error("the coordinate `{text}` is not a finite number; repair the mesh where it was made")]
    NotFinite {
        /// The coordinate.
        text: String,
    },
    /// A face that names a vertex that is not there.
    #[error(
        "a face names vertex {index}, but there are {count} vertices, counted from {first}; repair the mesh"
    )]
    IndexOutOfRange {
        /// The index as the file has it.
        index: i64,
        /// How many vertices there are (so far, for an index counted backwards).
        count: usize,
        /// The index of the first vertex in this format.
        first: u8,
    },
    /// A glTF extension that decides what the surface is, and that is not read here.
    #[error("the extension {name} is needed to read this, and is not known here; {remedy}")]
    UnknownExtension {
        /// The extension.
        name: String,
        /// What to do instead.
        remedy: &'static str,
    },
    /// Anything else that the format does not allow.
    #[error("{0}")]
    Syntax(String),
}

/// Why a mesh could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The extension names no format that is written.
    #[error(
        "{file}: cannot tell the format from this name; end it in .obj, .stl or .ply, with .gz to compress"
    )]
    UnknownExtension {
        /// The file.
        file: String,
    },
    /// The system could not write the file. An older file of that name is untouched.
    #[error("{file}: cannot be written: {source}")]
    Io {
        /// The file.
        file: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// A coordinate beyond the 32-bit range of STL.
    #[error("{file}: vertex {vertex} is too far out for STL's 32-bit numbers; write .ply or .obj instead")]
    BeyondF32 {
        /// The file.
        file: String,
        /// The vertex, counted from 0.
        vertex: usize,
    },
    /// More triangles than the count field of STL can hold.
    #[error("{file}: {count} triangles are more than STL can hold; write .ply or .obj instead")]
    TooManyTriangles {
        /// The file.
        file: String,
        /// How many there are.
        count: usize,
    },
}

/// A [`Problem`] and its place, before the file's name is known.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) place: Place,
    pub(super) problem: Problem,
}

impl Fault {
    pub(super) fn in_file(self, name: &str) -> ReadError {
        ReadError::Malformed { file: name.to_owned(), place: self.place, problem: self.problem }
    }
}
