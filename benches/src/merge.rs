//! Two people's edits of one line, each of another word.

use canvas_patch::merge_words;

use crate::inputs::document;
use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

/// Measures the merge of two edits of a line of `size` bytes, compared with one pass of a Markdown parser over it.
///
/// # Panics
///
/// If the line lacks the words at which it is edited.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let line = format!("Line {}\n", document(size - 6).replace('\n', " "));
    let with = |at: usize, word: &str| {
        let at = at + line[at..].find(" the ").expect("it is in every sentence or so");
        format!("{} {word}{}", &line[..at], &line[at..])
    };
    let (mine, theirs) = (with(size / 4, "first"), with(size / 2, "second"));
    let expected = format!("{}{}", &mine[..size / 3], &theirs[size / 3 - " first".len()..]);
    let merge = || {
        let merged = merge_words(&line, &mine, &theirs, |_| false)?;
        Ok::<_, canvas_patch::MergeConflict>(merged.delta.apply(&theirs).expect("it is of their text"))
    };
    let by_words = || {
        let split = |text: &str| text.replace(' ', "\n");
        diffy::merge(&split(&line), &split(&mine), &split(&theirs)).map(|merged| merged.replace('\n', " "))
    };
    let subjects = [
        Subject::memcpy(line.as_bytes()),
        Subject::new("canvas", merge, |found| *found == expected),
        Subject::new(
            "pulldown-cmark",
            || fine(pulldown_cmark::Parser::new(&line).count()),
            |count| *count > 0,
        ),
        Subject::new(
            "diffy",
            || diffy::merge(&line, &mine, &theirs).map_err(|_| "a conflict"),
            |found| *found == expected,
        ),
        Subject::new(
            "diffy-of-words",
            || by_words().map_err(|_| "a conflict"),
            |found| found.trim_end() == expected.trim_end(),
        ),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}
