//! Lines of the document with their numbers, as replies show them: `12: text`.

use canvas_core::document::AppliedPatch;
use canvas_core::text::{LineRange, QuotedLine};

pub(crate) fn numbered(QuotedLine { line, text }: &QuotedLine) -> String {
    format!("{line}: {text}")
}

/// Returns the changed lines with one line around them, and the ranges of the lines that are shown in full.
pub(crate) fn changed_lines(applied: &AppliedPatch) -> (Vec<String>, Vec<LineRange>) {
    let (mut lines, mut whole) =
        (applied.lines.iter().map(numbered).collect::<Vec<_>>(), Vec::<LineRange>::new());
    for QuotedLine { line, text } in &applied.lines {
        // One that was cut ends so; one that ends so by itself counts as cut.
        match whole.last_mut() {
            _ if text.ends_with('…') => {}
            Some(range) if range.end + 1 == *line => range.end = *line,
            _ => whole.push(LineRange { start: *line, end: *line }),
        }
    }
    let last_shown = applied.lines.last().map(|last| last.line);
    if last_shown.is_some() && last_shown < applied.spans.last().map(|last| last.end_line) {
        lines.push("…".to_owned());
    }
    (lines, whole)
}
