//! Lines of the canvas with their numbers, as replies show them.

use std::borrow::Cow;

use canvas_core::text::LineRange;

/// Lines of a reply, and which lines of the canvas it shows whole.
#[derive(Debug, Default)]
pub(super) struct Shown {
    pub(super) lines: Vec<String>,
    pub(super) ranges: Vec<LineRange>,
}

impl Shown {
    /// Notes that a line is shown from its first to its last byte. Lines come in order.
    pub(super) fn whole(&mut self, line: usize) {
        match self.ranges.last_mut() {
            Some(range) if range.end + 1 == line => range.end = line,
            _ => self.ranges.push(LineRange { start: line, end: line }),
        }
    }
}

/// Lines of a span that are shown from each of its ends, where it has more than both together: who wrote them knows
/// them, and the ends say where they stand.
const FROM_EACH_END: usize = 2;
/// Bytes of a changed line.
const CHANGED_BYTES: usize = 60;
/// Lines in all.
const CHANGED_LINES: usize = 20;

/// The lines of some spans (from 1, inclusive, in order; one that ends before it starts is between two lines) with one
/// around each. Cost: linear in the text up to the last of them.
pub(super) fn changed_lines(text: &str, spans: impl Iterator<Item = (usize, usize)>) -> Shown {
    let mut shown = Shown::default();
    let mut lines = text.lines().zip(1_usize..).peekable();
    let mut put = |from: usize, to: usize, shown: &mut Shown| {
        while lines.next_if(|(_, number)| *number < from).is_some() {}
        while let Some((line, number)) = lines.next_if(|(_, number)| *number <= to) {
            let text = clipped(line, CHANGED_BYTES);
            shown.lines.push(numbered(number, ':', &text));
            if matches!(text, Cow::Borrowed(_)) {
                shown.whole(number);
            }
        }
    };
    for (start, end) in spans {
        if shown.lines.len() >= CHANGED_LINES {
            shown.lines.push("…".to_owned());
            break;
        }
        if end > start + 2 * FROM_EACH_END {
            put(start.saturating_sub(1), start + FROM_EACH_END - 1, &mut shown);
            shown.lines.push("…".to_owned());
            put(end + 1 - FROM_EACH_END, end + 1, &mut shown);
        } else {
            put(start.saturating_sub(1), end + 1, &mut shown);
        }
    }
    shown
}

/// `12: text`; with a mark of `-` a line that only stands beside what was asked for.
pub(super) fn numbered(line: usize, mark: char, text: &str) -> String {
    format!("{line}{mark} {text}")
}

/// The beginning of a line, with an ellipsis where there is more of it.
pub(super) fn clipped(line: &str, bytes: usize) -> Cow<'_, str> {
    if line.len() <= bytes {
        return line.into();
    }
    format!("{}…", &line[..line.floor_char_boundary(bytes)]).into()
}
