//! What an experiment has to say: tables and remarks, as Markdown.

use std::fmt;

pub(crate) use isotouch::output::numbers::count;
use isotouch::output::numbers::significant;

/// The outcome of an experiment.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) tables: Vec<Table>,
    /// Remarks under the tables, a paragraph each.
    pub(crate) remarks: Vec<String>,
    /// What must not be and is: the program ends with an error.
    pub(crate) failures: Vec<String>,
}

impl Report {
    /// Adds a remark unless it stands there already: several runs of one model say the same.
    pub(crate) fn remark_once(&mut self, remark: String) {
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
    }
}

/// A Markdown table.
#[derive(Debug)]
pub(crate) struct Table {
    caption: String,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(caption: impl Into<String>, header: &[impl AsRef<str>]) -> Self {
        let header = header.iter().map(|name| name.as_ref().to_string()).collect();
        Self { caption: caption.into(), header, rows: Vec::new() }
    }

    /// Adds a row; it must have as many cells as the header.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        assert_eq!(cells.len(), self.header.len(), "a row of '{}' has a wrong number of cells", self.caption);
        self.rows.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "**{}**\n", self.caption)?;
        let widths: Vec<usize> = (0..self.header.len())
            .map(|k| {
                let cells = self.rows.iter().map(|row| row[k].chars().count());
                cells.chain([self.header[k].chars().count(), 4]).max().unwrap_or(4)
            })
            .collect();
        write_row(f, &self.header, &widths)?;
        let rules: Vec<String> = widths
            .iter()
            .enumerate()
            .map(|(k, &w)| if k == 0 { "-".repeat(w) } else { format!("{}:", "-".repeat(w - 1)) })
            .collect();
        write_row(f, &rules, &widths)?;
        self.rows.iter().try_for_each(|row| write_row(f, row, &widths))
    }
}

/// The first column says what a row is about and is flush left; the others hold numbers.
fn write_row(f: &mut fmt::Formatter<'_>, cells: &[String], widths: &[usize]) -> fmt::Result {
    for (k, (cell, &width)) in cells.iter().zip(widths).enumerate() {
        if k == 0 {
            write!(f, "| {cell:<width$} ")?;
        } else {
            write!(f, "| {cell:>width$} ")?;
        }
    }
    writeln!(f, "|")
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (k, table) in self.tables.iter().enumerate() {
            write!(f, "{}{table}", if k == 0 { "" } else { "\n" })?;
        }
        self.remarks.iter().try_for_each(|remark| write!(f, "\n{remark}\n"))?;
        self.failures.iter().try_for_each(|failure| write!(f, "\nFAILED: {failure}\n"))
    }
}

/// A cell without a number.
pub(crate) fn none() -> String {
    "–".into()
}

/// A number with three significant digits.
pub(crate) fn number(value: f64) -> String {
    significant(value, 3)
}

/// Bytes as millions of bytes.
pub(crate) fn megabytes(bytes: u64) -> String {
    number(bytes as f64 / 1e6)
}

/// Cells per axis.
pub(crate) fn grid(cells: impl Into<[u32; 3]>) -> String {
    let [x, y, z] = cells.into();
    format!("{x} × {y} × {z}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_made_once() {
        let mut report = Report::default();
        for remark in ["a: so", "b: so", "a: so"] {
            report.remark_once(remark.into());
        }
        assert_eq!(report.remarks, ["a: so", "b: so"]);
    }

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new("t", &["what", "s"]);
        table.row(vec!["a".into(), "1.5".into()]);
        assert_eq!(table.to_string(), "**t**\n\n| what |    s |\n| ---- | ---: |\n| a    |  1.5 |\n");
    }
}
