//! What an experiment has to say: tables and remarks, as Markdown.

use std::fmt;

/// The outcome of an experiment.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) tables: Vec<Table>,
    /// Remarks under the tables, a paragraph each.
    pub(crate) remarks: Vec<String>,
}

/// A Markdown table.
#[derive(Debug)]
pub(crate) struct Table {
    caption: String,
    header: Vec<&'static str>,
    rows: Vec<Vec<String>>,
}

impl Table {
    pub(crate) fn new(caption: impl Into<String>, header: &[&'static str]) -> Self {
        Self { caption: caption.into(), header: header.to_vec(), rows: Vec::new() }
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
        let header: Vec<String> = self.header.iter().map(|&name| name.to_string()).collect();
        write_row(f, &header, &widths)?;
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
        self.remarks.iter().try_for_each(|remark| write!(f, "\n{remark}\n"))
    }
}

/// A cell without a number.
pub(crate) fn none() -> String {
    "–".into()
}

/// A number with three significant digits.
pub(crate) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    let digits_before_point = value.abs().log10().floor() as i32 + 1;
    if !(-3..=9).contains(&digits_before_point) {
        return format!("{value:.1e}");
    }
    let decimals = (3 - digits_before_point).max(0) as usize;
    format!("{value:.decimals$}")
}

/// A count with commas between groups of three digits.
pub(crate) fn count(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes as millions of bytes.
pub(crate) fn megabytes(bytes: u64) -> String {
    number(bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let shown = [0.0, 0.01234, 1.9, 45.61, 347.4, 2140.0, 1e-7].map(number);
        assert_eq!(shown, ["0", "0.0123", "1.90", "45.6", "347", "2140", "1.0e-7"]);
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!([7, 777, 1_000, 2_146_689].map(count), ["7", "777", "1,000", "2,146,689"]);
    }

    #[test]
    fn a_table_is_markdown() {
        let mut table = Table::new("t", &["what", "s"]);
        table.row(vec!["a".into(), "1.5".into()]);
        assert_eq!(table.to_string(), "**t**\n\n| what |    s |\n| ---- | ---: |\n| a    |  1.5 |\n");
    }
}
