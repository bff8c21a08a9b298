//! A change in a few lines.

use canvas_core::text::build;
use serde::{Deserialize, Serialize};

/// Lines of a preview.
const LINES: usize = 12;

/// Characters of a line of it.
const WIDTH: usize = 160;

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Tag {
    Same,
    Del,
    Ins,
}

/// One line of a preview.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Row {
    tag: Tag,
    text: String,
}

/// The first lines of a change between two texts.
pub(super) fn of_texts(before: &str, after: &str) -> Vec<Row> {
    of_diff(&build(before, after, 1))
}

/// The first lines of a diff as a model has written it.
pub(super) fn of_diff(diff: &str) -> Vec<Row> {
    let is_header =
        |line: &&str| !(line.starts_with("--- ") || line.starts_with("+++ ") || line.starts_with('\\'));
    let mut rows = Vec::new();
    for line in diff.lines().filter(is_header) {
        let (tag, text) = match line.split_at_checked(1) {
            Some(("+", text)) => (Tag::Ins, text),
            Some(("-", text)) => (Tag::Del, text),
            Some((" ", text)) => (Tag::Same, text),
            _ if line.starts_with("@@") && rows.is_empty() => continue,
            _ if line.starts_with("@@") => (Tag::Same, "…"),
            _ => (Tag::Same, line),
        };
        if rows.len() == LINES {
            rows.push(Row { tag: Tag::Same, text: "…".to_owned() });
            break;
        }
        rows.push(Row { tag, text: text.chars().take(WIDTH).collect() });
    }
    rows.truncate(LINES);
    while rows.last().is_some_and(|row| row.tag == Tag::Same && row.text.is_empty()) {
        rows.pop();
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::{Tag, of_diff, of_texts};

    #[test]
    fn lines_have_their_kind_and_are_few() {
        let rows = of_texts("a\nb\nc\n", "a\nB\nc\n");
        let shown: Vec<_> = rows.iter().map(|row| (row.tag, row.text.as_str())).collect();
        assert_eq!(shown, [(Tag::Same, "a"), (Tag::Del, "b"), (Tag::Ins, "B"), (Tag::Same, "c")]);
        let long = of_diff(&("@@\n".to_owned() + &"+x\n".repeat(50)));
        assert_eq!(long.len(), 12);
        assert!(of_diff("").is_empty());
        assert_eq!(of_diff("@@\n é\n")[0].text, "é");
    }
}
