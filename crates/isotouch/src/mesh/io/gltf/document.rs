//! The JSON of a glTF file, read member by member so that every fault can name its place.

use serde_json::Value;

use super::super::error::{Fault, Place, Problem};
use super::super::text::{Text, excerpt, whole};

/// The whole document.
#[derive(Debug)]
pub(super) struct Document {
    root: Value,
}

impl Document {
    /// From a file that is all JSON.
    pub(super) fn from_text(bytes: &[u8]) -> Result<Self, Fault> {
        let text = Text::new(bytes, 0);
        Self::parse(bytes, |at, problem| text.fault_at(at, problem))
    }

    /// From a part of a binary file that begins at byte `start`.
    pub(super) fn from_chunk(bytes: &[u8], start: usize) -> Result<Self, Fault> {
        // Padded with blanks, says the format; with zeros, say some writers.
        let padding = bytes.iter().rev().take_while(|&&b| b == 0).count();
        let bytes = &bytes[..bytes.len() - padding];
        Self::parse(bytes, |at, problem| Fault { place: Place::Byte(start + at), problem })
    }

    fn parse(bytes: &[u8], fault: impl Fn(usize, Problem) -> Fault) -> Result<Self, Fault> {
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let message = "the JSON is not UTF-8; save it as UTF-8 or export it again".to_owned();
            fault(error.valid_up_to(), Problem::Syntax(message))
        })?;
        // Nesting deeper than 128 is refused by serde_json, so no document exhausts the stack.
        let root: Value = serde_json::from_str(text).map_err(|error| {
            let lines_before: usize =
                text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
            let at = (lines_before + error.column().saturating_sub(1)).min(text.len());
            let problem = if error.is_eof() {
                Problem::CutShort { what: "the JSON".into() }
            } else {
                let said = error.to_string();
                let said = said.split(" at line ").next().unwrap_or_default();
                Problem::Syntax(format!("the JSON is broken ({said}); export the file again"))
            };
            fault(at, problem)
        })?;
        let document = Self { root };
        document.root().object()?;
        Ok(document)
    }

    pub(super) fn root(&self) -> Member<'_> {
        Member { value: &self.root, path: String::new() }
    }

    /// Refuses versions of the format that are read differently.
    pub(super) fn check_version(&self) -> Result<(), Fault> {
        let asset = self.root().require("asset")?;
        let version = asset.require("version")?;
        // `minVersion` is what a reader must know; `version` may be a later one that only adds.
        let needed = asset.get("minVersion")?.unwrap_or(version);
        let text = needed.text()?;
        let known = text == "2"
            || text.strip_prefix("2.").is_some_and(|minor| minor.starts_with(|c: char| c.is_ascii_digit()));
        if known {
            return Ok(());
        }
        let text = excerpt(text.as_bytes());
        needed.syntax(format!("this is glTF {text}; only version 2 is read, export it as such"))
    }

    /// How many entries one of the document's lists has.
    pub(super) fn count(&self, list: &str) -> Result<usize, Fault> {
        self.root().get(list)?.map_or(Ok(0), |list| Ok(list.array()?.len()))
    }

    /// An entry of one of the document's lists (`"nodes"`), named by `reference`.
    pub(super) fn entry(&self, list: &str, reference: &Member<'_>) -> Result<(usize, Member<'_>), Fault> {
        let index = reference.whole()?;
        let count = self.count(list)?;
        match usize::try_from(index).ok().filter(|&index| index < count) {
            Some(index) => Ok((index, self.entry_at(list, index)?)),
            None => reference.syntax(format!(
                "this names entry {index} of `{list}`, which has {count}, counted from 0; export the file again"
            )),
        }
    }

    /// An entry of one of the document's lists, by an index below [`Document::count`].
    pub(super) fn entry_at(&self, list: &str, index: usize) -> Result<Member<'_>, Fault> {
        let list = self.root().require(list)?;
        match list.array()?.get(index) {
            Some(value) => Ok(Member { value, path: format!("{}[{index}]", list.path) }),
            None => list.syntax(format!("there is no entry {index}; export the file again")),
        }
    }
}

/// A value in the document, and where it stands: `accessors[3].count`.
#[derive(Debug, Clone)]
pub(super) struct Member<'a> {
    value: &'a Value,
    pub(super) path: String,
}

impl<'a> Member<'a> {
    fn object(&self) -> Result<&'a serde_json::Map<String, Value>, Fault> {
        self.value.as_object().ok_or_else(|| self.not("an object"))
    }

    fn array(&self) -> Result<&'a [Value], Fault> {
        self.value.as_array().map(Vec::as_slice).ok_or_else(|| self.not("a list"))
    }

    /// A member of this object, if it is there.
    pub(super) fn get(&self, name: &str) -> Result<Option<Self>, Fault> {
        Ok(self.object()?.get(name).map(|value| Self { value, path: self.path_of(name) }))
    }

    /// A member of this object that has to be there.
    pub(super) fn require(&self, name: &str) -> Result<Self, Fault> {
        match self.get(name)? {
            Some(member) => Ok(member),
            None => self.syntax(format!("`{name}` is missing; export the file again")),
        }
    }

    /// The entries of a list, one by one.
    pub(super) fn items(&self) -> Result<impl DoubleEndedIterator<Item = Self> + use<'a, '_>, Fault> {
        let items = self.array()?.iter().enumerate();
        Ok(items.map(|(index, value)| Self { value, path: format!("{}[{index}]", self.path) }))
    }

    pub(super) fn text(&self) -> Result<&'a str, Fault> {
        self.value.as_str().ok_or_else(|| self.not("a text"))
    }

    pub(super) fn flag(&self) -> Result<bool, Fault> {
        self.value.as_bool().ok_or_else(|| self.not("true or false"))
    }

    /// A whole number from 0 on; `3.0` is one too.
    pub(super) fn whole(&self) -> Result<u64, Fault> {
        let whole = self
            .value
            .as_u64()
            .or_else(|| self.value.as_f64().and_then(whole).and_then(|value| u64::try_from(value).ok()));
        whole.ok_or_else(|| self.not("a whole number from 0 on"))
    }

    /// Exactly `N` numbers. JSON has none that are not finite.
    pub(super) fn numbers<const N: usize>(&self) -> Result<[f64; N], Fault> {
        let list: Vec<f64> = self.array()?.iter().filter_map(Value::as_f64).collect();
        match (list.try_into(), self.array()?.len()) {
            (Ok(numbers), length) if length == N => Ok(numbers),
            _ => Err(self.not(&format!("a list of {N} numbers"))),
        }
    }

    /// The whole number called `name` in this object, or `usual`.
    pub(super) fn whole_or(&self, name: &str, usual: u64) -> Result<u64, Fault> {
        self.get(name)?.map_or(Ok(usual), |member| member.whole())
    }

    /// Whether an extension of that name is attached to this object.
    pub(super) fn has_extension(&self, name: &str) -> Result<bool, Fault> {
        match self.get("extensions")? {
            Some(extensions) => Ok(extensions.get(name)?.is_some()),
            None => Ok(false),
        }
    }

    fn path_of(&self, name: &str) -> String {
        if self.path.is_empty() { name.to_owned() } else { format!("{}.{name}", self.path) }
    }

    fn not(&self, wanted: &str) -> Fault {
        let found = match self.value {
            Value::Array(_) => "a list".to_owned(),
            Value::Object(_) => "an object".to_owned(),
            other => format!("`{}`", excerpt(other.to_string().as_bytes())),
        };
        self.fault(Problem::Syntax(format!("{wanted} is needed here, not {found}; export the file again")))
    }

    pub(super) fn syntax<T>(&self, message: impl Into<String>) -> Result<T, Fault> {
        Err(self.fault(Problem::Syntax(message.into())))
    }

    pub(super) fn fault(&self, problem: Problem) -> Fault {
        let path = if self.path.is_empty() { "the JSON".to_owned() } else { self.path.clone() };
        Fault { place: Place::Member(path), problem }
    }

    /// A fault at one element of what this accessor describes.
    pub(super) fn fault_at_element(&self, element: u64, problem: Problem) -> Fault {
        Fault { place: Place::Member(format!("{}, element {element}", self.path)), problem }
    }
}
