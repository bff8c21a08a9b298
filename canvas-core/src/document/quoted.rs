//! Quotes of the changed lines, for the answer to an edit.

use canvas_patch::floor_char_boundary;
use canvas_patch::{QuotedLine, Span};

/// Number of lines quoted from each end of a longer span. Their author knows the lines, and the ends show their
/// position.
const FROM_EACH_END: usize = 2;
/// Maximum bytes of a quoted line.
const LINE_BYTES: usize = 60;
/// Maximum number of quoted lines. They are stored in the receipt, so that a retry gets the same answer as the first
/// call.
const LINES: usize = 20;

/// Returns the lines of some spans of a text, in order, with one line above and one below each. A long line is cut and
/// ends with an ellipsis. The cost is proportional to the spans, not to the text.
pub(crate) fn changed_lines(text: &str, spans: &[Span]) -> Vec<QuotedLine> {
    let mut quoted: Vec<QuotedLine> = Vec::new();
    let mut quote = |line: usize, text: &str| {
        if quoted.len() < LINES && quoted.last().is_none_or(|last| last.line < line) {
            quoted.push(QuotedLine { line, text: cut(text) });
        }
    };
    for Span { new_lines, new_bytes, .. } in spans {
        if let Some(above) = text[..new_bytes.start].lines().next_back() {
            quote(new_lines.start, above);
        }
        let lines = text[new_bytes.clone()].lines();
        let many = new_lines.len();
        for (line, text) in (new_lines.start + 1..).zip(lines) {
            let is_at_end = line <= new_lines.start + FROM_EACH_END || line + FROM_EACH_END > new_lines.end;
            if many <= 2 * FROM_EACH_END + 1 || is_at_end {
                quote(line, text);
            }
        }
        if let Some(below) = text[new_bytes.end..].lines().next() {
            quote(new_lines.end + 1, below);
        }
    }
    quoted
}

/// Like [`changed_lines`], for an edit made without a patch, whose spans are given by lines, counted from 1. Linear in
/// the text.
pub(crate) fn lines_of(text: &str, spans: &[(usize, usize)]) -> Vec<QuotedLine> {
    let is_shown = |line: usize| {
        spans.iter().any(|&(start, end)| {
            let is_beside = line + 1 == start || line == end + 1;
            let is_long = end + 1 - start > 2 * FROM_EACH_END + 1;
            let is_at_end = line < start + FROM_EACH_END || line + FROM_EACH_END > end;
            is_beside || (start..=end).contains(&line) && (!is_long || is_at_end)
        })
    };
    let last = spans.last().map_or(0, |(_, end)| end + 1);
    let lines = (1..=last).zip(text.lines()).filter(|(line, _)| is_shown(*line));
    lines.take(LINES).map(|(line, text)| QuotedLine { line, text: cut(text) }).collect()
}

fn cut(line: &str) -> String {
    if line.len() <= LINE_BYTES {
        return line.to_owned();
    }
    format!("{}…", &line[..floor_char_boundary(line, LINE_BYTES)])
}

#[cfg(test)]
mod tests {
    use canvas_patch::{ApplyOptions, Mode, apply};

    use super::*;

    #[test]
    fn changed_lines_stand_between_their_neighbours() {
        const TEXT: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9";
        let long = format!("@@\n 1\n+{}\n", "ü".repeat(40));
        for (patch, expected) in [
            ("@@\n-1\n+one\n", "1 one|2 2"),
            ("@@\n-9\n+nine\n", "8 8|9 nine"),
            ("@@\n-4\n", "3 3|4 5"),
            ("@@\n-1\n", "1 2"),
            ("@@\n-9\n", "8 8"),
            ("@@\n 4\n+a\n+b\n+c\n+d\n+e\n", "4 4|5 a|6 b|7 c|8 d|9 e|10 5"),
            ("@@\n 4\n+a\n+b\n+c\n+d\n+e\n+f\n", "4 4|5 a|6 b|9 e|10 f|11 5"),
            ("@@\n-2\n+b\n 3\n-4\n+d\n", "1 1|2 b|3 3|4 d|5 5"),
            ("@@\n-2\n+b\n@@\n-7\n+g\n", "1 1|2 b|3 3|6 6|7 g|8 8"),
            (&long, &format!("1 1|2 {}…|3 2", "ü".repeat(30))),
        ] {
            let options = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
            let applied = apply(TEXT, patch, &options).expect("it fits");
            let quoted = changed_lines(applied.text(), &applied.spans());
            let quoted: Vec<_> =
                quoted.iter().map(|quoted| format!("{} {}", quoted.line, quoted.text)).collect();
            assert_eq!(quoted.join("|"), expected, "{patch}");
        }
        let text = "a\n".repeat(100);
        let every: String = (1..=50).map(|at| format!("@@ -{0} +{0} @@\n-a\n+b\n", 2 * at)).collect();
        let applied = apply(&text, &every, &ApplyOptions::default()).expect("it fits");
        assert_eq!(changed_lines(applied.text(), &applied.spans()).len(), LINES);
    }
}
