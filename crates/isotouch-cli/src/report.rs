//! What a command found out, once for people and once for programs.

use std::fmt::Display;

use serde_json::{Map, Value};

use crate::failure::Exit;

/// The answer of a command.
#[derive(Debug)]
pub(crate) struct Report {
    text: String,
    json: Map<String, Value>,
    exit: Exit,
}

impl Report {
    pub(crate) fn new() -> Self {
        Self { text: String::new(), json: Map::new(), exit: Exit::Done }
    }

    /// One line for people.
    pub(crate) fn line(&mut self, line: impl Display) {
        self.text.push_str(&format!("{line}\n"));
    }

    /// A list of facts for people, its values aligned.
    pub(crate) fn facts(&mut self, facts: &[(&str, String)]) {
        let width = facts.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        for (name, value) in facts {
            self.line(format_args!("  {name:width$}  {value}"));
        }
    }

    /// One key for programs. Numbers that are not finite become `null`.
    pub(crate) fn key(&mut self, name: &str, value: impl Into<Value>) {
        self.json.insert(name.into(), value.into());
    }

    /// Ends the process with something else than "all done".
    pub(crate) fn set_exit(&mut self, exit: Exit) {
        self.exit = exit;
    }

    pub(crate) fn exit(&self) -> Exit {
        self.exit
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_json(self) -> Map<String, Value> {
        self.json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_not_finite_are_null() {
        let mut report = Report::new();
        report.key("a", f64::NAN);
        report.key("b", vec![f64::INFINITY, 1.5]);
        assert_eq!(Value::Object(report.into_json()).to_string(), r#"{"a":null,"b":[null,1.5]}"#);
    }

    #[test]
    fn facts_are_aligned() {
        let mut report = Report::new();
        report.facts(&[("cells", "8".into()), ("error bound", "0.1".into())]);
        assert_eq!(report.text(), "  cells        8\n  error bound  0.1\n");
    }
}
