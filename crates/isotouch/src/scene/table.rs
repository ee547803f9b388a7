//! TOML with places: every value knows where it was written and what it is called.

use std::ops::Range;

use glam::DVec3;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{Place, SceneError, remedy};

/// A scene's text and what it is called.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    pub(super) file: &'a str,
    pub(super) text: &'a str,
    /// Where its lines end, so that places are found without reading it all again.
    pub(super) line_ends: &'a [usize],
}

/// Places of all line ends.
pub(super) fn line_ends(text: &str) -> Vec<usize> {
    text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at).collect()
}

impl<'a> Text<'a> {
    /// As TOML.
    pub(super) fn parse(&self) -> Result<Spanned<DeTable<'a>>, SceneError> {
        DeTable::parse(self.text).map_err(|error| SceneError::Syntax {
            place: self.place(error.span().unwrap_or(0..0)),
            problem: error.message().replace('\n', "; "),
        })
    }

    pub(super) fn place(&self, at: Range<usize>) -> Place {
        let at = at.start.min(self.text.len());
        let line = self.line_ends.partition_point(|end| *end < at);
        let begin = if line == 0 { 0 } else { self.line_ends[line - 1] + 1 };
        let before = self.text.get(begin..at).unwrap_or_default();
        Place { file: self.file.to_owned(), line: line + 1, column: before.chars().count() + 1 }
    }
}

/// A table whose keys are all known.
#[derive(Clone)]
pub(super) struct Table<'a> {
    text: Text<'a>,
    /// What it describes: `body 'ball'`.
    pub(super) what: String,
    at: Range<usize>,
    entries: &'a DeTable<'a>,
}

/// A value of a table or list.
#[derive(Clone)]
pub(super) struct Value<'a> {
    text: Text<'a>,
    /// What it is: `position of body 'ball'`.
    pub(super) what: String,
    value: &'a Spanned<DeValue<'a>>,
}

/// File systems take names of 255 bytes; endings and numbers of frames are added.
const LONGEST_NAME: usize = 200;

impl<'a> Table<'a> {
    pub(super) fn of_text(text: Text<'a>, root: &'a Spanned<DeTable<'a>>) -> Self {
        Self { text, what: "the scene".to_owned(), at: 0..0, entries: root.get_ref() }
    }

    /// Refuses all other keys.
    pub(super) fn check_keys(&self, known: &[&str]) -> Result<(), SceneError> {
        for key in self.entries.keys() {
            if !known.contains(&key.get_ref().as_ref()) {
                return Err(SceneError::Unknown {
                    place: self.text.place(key.span()),
                    given: key.get_ref().to_string(),
                    what: format!("setting of {}", self.what),
                    remedy: remedy(key.get_ref(), known),
                });
            }
        }
        Ok(())
    }

    pub(super) fn place(&self) -> Place {
        self.text.place(self.at.clone())
    }

    pub(super) fn get(&self, key: &str) -> Option<Value<'a>> {
        let value = self.entries.get(key)?;
        let what = if self.what == "the scene" { key.to_owned() } else { format!("{key} of {}", self.what) };
        Some(Value { text: self.text, what, value })
    }

    pub(super) fn need(&self, key: &'static str, remedy: &'static str) -> Result<Value<'a>, SceneError> {
        self.get(key).ok_or_else(|| SceneError::Missing {
            place: self.place(),
            what: self.what.clone(),
            key,
            remedy,
        })
    }

    /// Of two keys that exclude each other, the one that is there.
    pub(super) fn either<const N: usize>(
        &self,
        keys: [&'static str; N],
    ) -> Result<Option<(&'static str, Value<'a>)>, SceneError> {
        let mut found: Option<(&'static str, Value<'a>)> = None;
        for key in keys {
            match (&found, self.get(key)) {
                (_, None) => {}
                (None, Some(value)) => found = Some((key, value)),
                (Some((first, _)), Some(value)) => {
                    return Err(SceneError::Conflict {
                        place: value.place(),
                        problem: format!("{} has both {first} and {key}; leave out one", self.what),
                    });
                }
            }
        }
        Ok(found)
    }

    /// Names and values, in the order in which they are written.
    pub(super) fn entries(&self) -> Vec<(&'a str, Value<'a>)> {
        let mut all: Vec<_> = self.entries.iter().collect();
        all.sort_by_key(|(key, _)| key.span().start);
        all.into_iter()
            .map(|(key, value)| {
                let name = key.get_ref().as_ref();
                (name, Value { text: self.text, what: name.to_owned(), value })
            })
            .collect()
    }

    pub(super) fn number(&self, key: &str) -> Result<Option<f64>, SceneError> {
        self.get(key).map(|value| value.number()).transpose()
    }

    pub(super) fn positive(&self, key: &str) -> Result<Option<f64>, SceneError> {
        self.get(key).map(|value| value.positive()).transpose()
    }

    /// A number that is 0 or more.
    pub(super) fn not_negative(&self, key: &str) -> Result<Option<f64>, SceneError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = value.any_number().filter(|number| number.is_finite() && *number >= 0.0);
        Ok(Some(number.ok_or_else(|| value.bad("a finite number, 0 or more"))?))
    }

    /// Its name, or the usual one. Files, and arrays in files, are called by it.
    pub(super) fn name(&self, usual: impl FnOnce() -> String) -> Result<String, SceneError> {
        let Some(value) = self.get("name") else { return Ok(usual()) };
        let name = value.text()?;
        let is_good = !name.contains(|c: char| c == '/' || c == '\\' || c.is_control())
            && name.trim() == name
            && ![".", ".."].contains(&name)
            && name.len() <= LONGEST_NAME;
        if !is_good {
            let wanted = format!(
                "a name for files: at most {LONGEST_NAME} bytes, without / and \\, and without blanks at its ends"
            );
            return Err(value.bad(wanted));
        }
        Ok(name.to_owned())
    }

    pub(super) fn vector(&self, key: &str) -> Result<Option<DVec3>, SceneError> {
        self.get(key).map(|value| value.vector()).transpose()
    }

    /// Numbers whose squares and products can still be computed with; `unit` is for the message.
    pub(super) fn vector_within(
        &self,
        key: &str,
        (most, unit): (f64, &str),
    ) -> Result<Option<DVec3>, SceneError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let vector = value.vector()?;
        if vector.abs().max_element() > most {
            return Err(value.bad(format!("of numbers up to {most:e} {unit}")));
        }
        Ok(Some(vector))
    }

    pub(super) fn named<T: Copy>(&self, key: &str, names: &[(&str, T)]) -> Result<Option<T>, SceneError> {
        self.get(key).map(|value| value.named(names)).transpose()
    }
}

impl<'a> Value<'a> {
    pub(super) fn place(&self) -> Place {
        self.text.place(self.value.span())
    }

    /// The value as it is written, shortened.
    fn given(&self) -> String {
        let written = self.text.text.get(self.value.span()).unwrap_or_default();
        let line = written.lines().next().unwrap_or_default();
        if line.chars().count() > 40 || line.len() < written.len() {
            return format!("{}…", line.chars().take(40).collect::<String>());
        }
        line.to_owned()
    }

    pub(super) fn bad(&self, wanted: impl Into<String>) -> SceneError {
        SceneError::BadValue {
            place: self.place(),
            what: self.what.clone(),
            given: self.given(),
            wanted: wanted.into(),
        }
    }

    fn any_number(&self) -> Option<f64> {
        match self.value.get_ref() {
            DeValue::Float(float) => float.as_str().parse().ok(),
            DeValue::Integer(integer) => {
                i64::from_str_radix(integer.as_str(), integer.radix()).ok().map(|whole| whole as f64)
            }
            _ => None,
        }
    }

    pub(super) fn number(&self) -> Result<f64, SceneError> {
        self.any_number().filter(|number| number.is_finite()).ok_or_else(|| self.bad("a finite number"))
    }

    pub(super) fn positive(&self) -> Result<f64, SceneError> {
        self.any_number()
            .filter(|number| number.is_finite() && *number > 0.0)
            .ok_or_else(|| self.bad("a positive, finite number"))
    }

    pub(super) fn whole(&self, least: u64, most: u64) -> Result<u64, SceneError> {
        let DeValue::Integer(integer) = self.value.get_ref() else {
            return Err(self.bad(format!("a whole number from {least} to {most}")));
        };
        u64::from_str_radix(integer.as_str(), integer.radix())
            .ok()
            .filter(|whole| (least..=most).contains(whole))
            .ok_or_else(|| self.bad(format!("a whole number from {least} to {most}")))
    }

    pub(super) fn flag(&self) -> Result<bool, SceneError> {
        self.value.get_ref().as_bool().ok_or_else(|| self.bad("true or false"))
    }

    pub(super) fn is_text(&self) -> bool {
        self.value.get_ref().is_str()
    }

    pub(super) fn text(&self) -> Result<&'a str, SceneError> {
        let text = self.value.get_ref().as_str().ok_or_else(|| self.bad("a text in quotes"))?;
        if text.is_empty() { Err(self.bad("at least one letter long, or left out")) } else { Ok(text) }
    }

    pub(super) fn named<T: Copy>(&self, names: &[(&str, T)]) -> Result<T, SceneError> {
        let given = self.text()?;
        names.iter().find(|(name, _)| *name == given).map(|(_, value)| *value).ok_or_else(|| {
            let known: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
            self.unknown(given, &self.what, &known)
        })
    }

    /// A name that is none of those known.
    pub(super) fn unknown(&self, given: &str, what: &str, known: &[&str]) -> SceneError {
        SceneError::Unknown {
            place: self.place(),
            given: given.to_owned(),
            what: what.to_owned(),
            remedy: remedy(given, known),
        }
    }

    pub(super) fn table(&self, what: impl Into<String>) -> Result<Table<'a>, SceneError> {
        let entries = self.value.get_ref().as_table().ok_or_else(|| self.bad("a table of settings"))?;
        Ok(Table { text: self.text, what: what.into(), at: self.value.span(), entries })
    }

    /// Values of a list; tables under one `[[name]]` are one.
    pub(super) fn list(&self) -> Result<Vec<Value<'a>>, SceneError> {
        let list = self.value.get_ref().as_array().ok_or_else(|| self.bad("a list"))?;
        Ok(list.iter().map(|value| Value { text: self.text, what: self.what.clone(), value }).collect())
    }

    /// So many finite numbers.
    pub(super) fn numbers<const N: usize>(&self) -> Result<[f64; N], SceneError> {
        let wanted = || self.bad(format!("a list of {N} finite numbers"));
        let numbers: Option<Vec<f64>> =
            self.list().map_err(|_| wanted())?.iter().map(Value::any_number).collect();
        numbers
            .filter(|numbers| numbers.iter().all(|number| number.is_finite()))
            .and_then(|numbers| numbers.try_into().ok())
            .ok_or_else(wanted)
    }

    pub(super) fn vector(&self) -> Result<DVec3, SceneError> {
        self.numbers().map(DVec3::from_array)
    }
}
