//! What is wrong with a scene, and where.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::contact::LawError;
use crate::dynamics::BodyError;

/// A place in the text of a scene.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The scene's file, or its name if it is built in.
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// What went wrong while a shape was made: of a mesh, a field or a shell.
pub type ShapeFailure = Box<dyn std::error::Error + Send + Sync>;

/// Why there is no scene, or no world made from it.
#[derive(Debug, thiserror::Error)]
pub enum SceneError {
    /// The file could not be read.
    #[error("cannot read the scene {}: {source}; give a text file (TOML) that may be read", path.display())]
    Read {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// No TOML.
    #[error("{place}: {problem}")]
    Syntax {
        /// Where.
        place: Place,
        /// What the parser says.
        problem: String,
    },
    /// A key or a name that means nothing here.
    #[error("{place}: '{given}' is no {what}; {remedy}")]
    Unknown {
        /// Where.
        place: Place,
        /// What was written.
        given: String,
        /// What it should have been.
        what: String,
        /// The nearest name that is known, or all of them.
        remedy: String,
    },
    /// Something that has to be there.
    #[error("{place}: {what} needs {key}; {remedy}")]
    Missing {
        /// Where it should be.
        place: Place,
        /// What needs it.
        what: String,
        /// What is missing.
        key: &'static str,
        /// What to write.
        remedy: &'static str,
    },
    /// A value that makes no sense.
    #[error("{place}: {what} is {given}, but must be {wanted}")]
    BadValue {
        /// Where.
        place: Place,
        /// What was given a value.
        what: String,
        /// The value.
        given: String,
        /// What would do.
        wanted: String,
    },
    /// Two that exclude each other.
    #[error("{place}: {problem}")]
    Conflict {
        /// Where the second one is.
        place: Place,
        /// What does not go together, and what to do.
        problem: String,
    },
    /// A name that is given twice.
    #[error("{place}: there is another {what} '{name}'; give each its own name")]
    Duplicate {
        /// Where it is the second time.
        place: Place,
        /// What has that name.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A material or a law.
    #[error("{place}: {what}: {source}")]
    Law {
        /// Where.
        place: Place,
        /// Which.
        what: String,
        /// What is wrong with it.
        source: LawError,
    },
    /// A shape could not be made.
    #[error("{place}: {shape}: {source}")]
    Shape {
        /// Where it is described.
        place: Place,
        /// What it is called.
        shape: String,
        /// What is wrong with it.
        source: ShapeFailure,
    },
    /// What is held and what is touched do not make a pair, or what is to follow the hand cannot be made.
    #[error("{place}: {source}")]
    Haptic {
        /// Where it is described.
        place: Place,
        /// What is wrong with it.
        source: ShapeFailure,
    },
    /// A cloth, or what it should touch, could not be made.
    #[error("{place}: {cloth}: {source}")]
    Cloth {
        /// Where it is described.
        place: Place,
        /// What it is called.
        cloth: String,
        /// What is wrong with it.
        source: ShapeFailure,
    },
    /// A body could not be made.
    #[error("{place}: {source}")]
    Body {
        /// Where it is described.
        place: Place,
        /// What is wrong with it.
        source: BodyError,
    },
}

const A_FILE: &str = "for a mesh file write shape = { file = \"part.obj\" }";

/// What to write instead of a name that is not known.
pub(super) fn remedy(given: &str, known: &[&str]) -> String {
    // What other programs call it.
    if known.contains(&"shape") && ["mesh", "file", "model"].contains(&given) {
        return A_FILE.to_owned();
    }
    // A name with an extension is a file, and nothing like the names that are known.
    if Path::new(given).extension().is_some() && known.contains(&"sphere") {
        return A_FILE.to_owned();
    }
    match nearest_name(given, known) {
        Some(name) => format!("did you mean '{name}'?"),
        _ if known.is_empty() => "there are none".to_owned(),
        _ => format!("use one of: {}", known.join(", ")),
    }
}

/// The known name that is most like the given one, if it is like enough to be meant.
pub fn nearest_name<'a>(given: &str, known: &[&'a str]) -> Option<&'a str> {
    let (edits, name) = known.iter().map(|name| (edits(given, name), *name)).min()?;
    // A third of the letters may be wrong, or two of a short name swapped.
    (edits <= (given.chars().count() / 3).max(2) && edits < name.len()).then_some(name)
}

/// Letters to be added, left out or changed to make one word of another (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, of_a) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &of_b) in b.iter().enumerate() {
            let changed = diagonal + usize::from(of_a != of_b);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_and_far_ones_are_not() {
        assert_eq!(edits("kitten", "sitting"), 3);
        assert_eq!(edits("", "dt"), 2);
        let known = ["position", "rotation", "dt"];
        assert_eq!(remedy("posiiton", &known), "did you mean 'position'?");
        assert_eq!(remedy("colour", &known), "use one of: position, rotation, dt");
        assert_eq!(remedy("xy", &known), "use one of: position, rotation, dt");
    }
}
