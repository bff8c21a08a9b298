//! Hidden messages that keep a model's picture of the canvas in step (specs 000 §12).

use canvas_core::Changes;

/// The first line of every hidden message, exactly as the source document has it.
pub const HIDDEN_HEADER: &str =
    "Canvas update (do not display to user). Apply this diff to your internal canvas state:";

/// The hidden user message that tells of changes: the header line and the diff in a code fence that no line of the
/// diff can close. `None` where the changes carry no diff.
pub fn hidden_message(changes: &Changes) -> Option<String> {
    let diff = changes.diff.as_deref()?;
    let fence = "`".repeat(longest_run(diff, '`').max(2) + 1);
    let newline = if diff.ends_with('\n') { "" } else { "\n" };
    Some(format!("{HIDDEN_HEADER}\n{fence}diff\n{diff}{newline}{fence}"))
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
            let changes = Changes { from: id, to: id, diff: Some(diff.into()) };
            let message = hidden_message(&changes).expect("there is a diff");
            assert_eq!(message, format!("{HIDDEN_HEADER}\n{fence}diff\n{diff}{fence}"));
        }
        assert_eq!(hidden_message(&Changes { from: id, to: id, diff: None }), None);
    }
}
