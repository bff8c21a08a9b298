//! Hidden messages that keep a model's copy of the document current.

use canvas_core::document::{Changes, Heading, Headings};
use canvas_core::proposal::RejectedLines;

/// The first line of a hidden message that contains a diff. Models and hosts compare it literally.
pub const HIDDEN_HEADER: &str =
    "Canvas update (do not display to user). Apply this diff to your internal canvas state:";

/// The first line of a hidden message that contains the whole text, because the conversation does not know it yet or
/// because a diff would be longer.
pub const SNAPSHOT_HEADER: &str = "Canvas snapshot (do not display to user). This is the whole canvas, in place of all that you knew of it:";

/// The first line of a hidden message that lists the headings of a long text with their line numbers, for a
/// conversation that does not know the text yet.
pub const OUTLINE_HEADER: &str = "Canvas outline (do not display to user). The canvas is too long to be shown whole, so read what you need of it. These are its headings, each with its line:";

/// Returns the hidden user message for some changes: the header line, then the diff, the whole text or its headings, in
/// a code fence that no line of the content can close. Returns `None` if the changes have none of these three.
///
/// The fence of a diff is marked `diff`, and the fence of headings `text`. The fence of a whole text is marked
/// `markdown`, or `markdown no-final-newline` if the text does not end with the newline before the closing fence.
pub fn hidden_message(changes: &Changes) -> Option<String> {
    match changes {
        Changes { diff: Some(diff), .. } => Some(fenced(HIDDEN_HEADER, "diff", diff)),
        Changes { whole: Some(text), .. } => {
            // The closing fence needs a line of its own, so the content cannot show whether the text ends in a newline.
            // The next diff relies on this.
            let ends = text.is_empty() || text.ends_with('\n');
            let language = if ends { "markdown" } else { "markdown no-final-newline" };
            Some(fenced(SNAPSHOT_HEADER, language, text))
        }
        Changes { headings: Some(headings), .. } => Some(fenced(OUTLINE_HEADER, "text", &listed(headings))),
        _ => None,
    }
}

/// Returns the hidden message for changes, followed by a line for each rejected part of the conversation's proposal.
pub(crate) fn message_with(changes: Option<&Changes>, rejected: &[RejectedLines]) -> Option<String> {
    let message = changes.and_then(hidden_message).into_iter().chain(rejected_message(rejected));
    message.reduce(|message, lines| format!("{message}\n{lines}"))
}

/// Returns a line for each rejected part, as a hidden message ends with. Returns `None` for an empty list.
pub fn rejected_message(rejected: &[RejectedLines]) -> Option<String> {
    let lines = rejected.iter().map(|RejectedLines { start_line, end_line, note }| {
        // A note cannot end its line, or the message.
        let note = serde_json::to_string(note.as_deref().unwrap_or_default()).unwrap_or_default();
        format!("Rejected (lines {start_line}-{end_line}): {note}")
    });
    lines.reduce(|message, line| format!("{message}\n{line}"))
}

fn listed(headings: &Headings) -> String {
    let Headings { lines, listed, left_out } = headings;
    let mut text = String::new();
    for Heading { line, level, title } in listed {
        text += &format!("{line}: {} {title}\n", "#".repeat(usize::from(*level)));
    }
    if *left_out > 0 {
        text += &format!("... and {left_out} more headings\n");
    }
    text + &format!("{lines} lines in all\n")
}

pub(crate) fn fenced(header: &str, language: &str, text: &str) -> String {
    let fence = "`".repeat(longest_run(text, '`').max(2) + 1);
    let newline = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{header}\n{fence}{language}\n{text}{newline}{fence}")
}

fn longest_run(text: &str, mark: char) -> usize {
    text.split(|c| c != mark).map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use canvas_core::{BlobId, Revision, RevisionId};

    use super::*;

    #[test]
    fn no_content_closes_the_fence() {
        let id = RevisionId::new(Revision::ZERO, BlobId::of(b""));
        for (diff, fence) in [
            ("@@ -1 +1 @@\n-a\n+b\n", "```"),
            ("@@ -1 +1 @@\n-a\n+```\n", "````"),
            ("@@ -1 +1 @@\n-``````\n+~~~~\n", "```````"),
        ] {
            let changes =
                Changes { from: Some(id), to: id, diff: Some(diff.into()), whole: None, headings: None };
            let message = hidden_message(&changes).expect("there is a diff");
            assert_eq!(message, format!("{HIDDEN_HEADER}\n{fence}diff\n{diff}{fence}"));
        }
        assert_eq!(
            hidden_message(&Changes { from: Some(id), to: id, diff: None, whole: None, headings: None }),
            None
        );
    }

    /// No two texts make the same message.
    #[test]
    fn a_whole_text_shows_how_it_ends() {
        let id = RevisionId::new(Revision::ZERO, BlobId::of(b""));
        for (text, fenced) in [
            ("", "```markdown\n```"),
            ("\n", "```markdown\n\n```"),
            ("a\n", "```markdown\na\n```"),
            ("a", "```markdown no-final-newline\na\n```"),
            ("a\r", "```markdown no-final-newline\na\r\n```"),
            ("```", "````markdown no-final-newline\n```\n````"),
        ] {
            let changes =
                Changes { from: None, to: id, diff: None, whole: Some(text.into()), headings: None };
            assert_eq!(hidden_message(&changes), Some(format!("{SNAPSHOT_HEADER}\n{fenced}")), "{text:?}");
        }
    }
}
