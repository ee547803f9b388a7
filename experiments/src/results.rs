//! The blocks of docs/results.md: every experiment owns the text between its two marks and touches nothing else.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::machine;
use crate::registry::Experiment;
use crate::report::Report;

/// What a new file begins with.
const HEAD: &str =
    "# Results\n\nMade by the program in `experiments/`; each block says with which command.\n";

/// docs/results.md of the project this was compiled in.
pub(crate) fn path() -> PathBuf {
    crate::models::project_root().join("docs").join("results.md")
}

/// An experiment's block without its marks: heading, where and how it was run, tables, remarks.
pub(crate) fn block(experiment: &Experiment, report: &Report) -> String {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let build = if cfg!(debug_assertions) { " Not a release build: the times mean nothing." } else { "" };
    format!(
        "## {title}\n\n`cargo run --release -p experiments -- {arguments}`, {date}, isotouch {version}, {machine}.{build}\n\n{report}",
        title = experiment.title,
        arguments = arguments.join(" "),
        date = machine::utc_now(),
        version = machine::version(),
        machine = machine::describe(),
    )
}

/// Replaces an experiment's block in the file, or adds it at the end. The file is replaced whole or not at all.
pub(crate) fn write(path: &Path, name: &str, block: &str) -> io::Result<()> {
    let old = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => HEAD.to_string(),
        Err(error) => return Err(error),
    };
    let new = with_block(&old, name, block).ok_or_else(|| {
        io::Error::other(format!("the marks of '{name}' do not pair up; mend them by hand"))
    })?;
    replace_file(path, &new)
}

/// Writes beside the file and renames: it is replaced whole or not at all.
pub(crate) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let beside = path.with_extension("new");
    let written = fs::write(&beside, text).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        // What went wrong first is what the user should hear.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// The text with the block in its place; `None` when the text has one of its marks without the other.
fn with_block(text: &str, name: &str, block: &str) -> Option<String> {
    let (begin, end) = (format!("<!-- begin {name} -->"), format!("<!-- end {name} -->"));
    let marked = format!("{begin}\n{}\n{end}", block.trim_end());
    match (text.find(&begin), text.find(&end)) {
        (None, None) => Some(format!("{}\n\n{marked}\n", text.trim_end())),
        (Some(from), Some(to)) if from < to => {
            Some(format!("{}{marked}{}", &text[..from], &text[to + end.len()..]))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_added_then_replaced_and_the_rest_stays() {
        let first = with_block("# Results\n", "a", "one\n").unwrap();
        assert_eq!(first, "# Results\n\n<!-- begin a -->\none\n<!-- end a -->\n");
        let both = with_block(&first, "b", "two").unwrap();
        let changed = with_block(&both, "a", "three").unwrap();
        assert_eq!(changed, both.replace("one", "three"));
    }

    #[test]
    fn marks_that_do_not_pair_up_are_left_alone() {
        assert_eq!(with_block("<!-- begin a -->", "a", "x"), None);
        assert_eq!(with_block("<!-- end a --><!-- begin a -->", "a", "x"), None);
    }

    #[test]
    fn a_missing_file_is_made_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("docs").join("results.md");
        write(&path, "a", "one").unwrap();
        write(&path, "a", "two").unwrap();
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains("two") && !text.contains("one"));
        assert_eq!(fs::read_dir(folder.path().join("docs")).unwrap().count(), 1);
    }
}
