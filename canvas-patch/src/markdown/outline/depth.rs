//! A bound on nesting, because some texts are made to be slow.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memchr2_iter;

/// Container markers beyond this many bytes of a line's prefix may be read as blanks.
const PREFIX: usize = 256;

/// Maximum product of nesting depth and lines of a text that is parsed unchanged, which takes about 50 ms.
const BUDGET: usize = 1 << 26;

/// Returns `text` for the parser, with container markers that nest too deeply replaced by spaces. The length is always
/// the same, and almost every text stays unchanged.
///
/// pulldown-cmark looks at every open container for each line that lazily continues a paragraph. For example, 100,000
/// quote markers followed by 100,000 such lines take it more than 10 s, and four times that at twice the size.
pub(crate) fn bounded(text: &str) -> Cow<'_, str> {
    if !is_bounded(text) {
        return Cow::Borrowed(text);
    }
    let mut bounded = String::with_capacity(text.len());
    for prefix in Prefixes::of(text) {
        bounded.push_str(&text[bounded.len()..prefix.start + PREFIX]);
        bounded.extend(std::iter::repeat_n(' ', prefix.end - bounded.len()));
    }
    bounded.push_str(&text[bounded.len()..]);
    Cow::Owned(bounded)
}

/// Whether [`bounded`] changes `text`.
pub(super) fn is_bounded(text: &str) -> bool {
    let deepest = Prefixes::of(text).map(|prefix| prefix.len()).max();
    deepest.is_some_and(|deepest| {
        let lines = memchr2_iter(b'\n', b'\r', text.as_bytes()).count();
        deepest.saturating_mul(lines) > BUDGET
    })
}

/// Whether a line of `text` nests so deeply that [`bounded`] could change a text that contains it.
pub(super) fn is_deep(text: &str) -> bool {
    Prefixes::of(text).next().is_some()
}

/// Iterator over line beginnings of at least `PREFIX` bytes that could be container markers and indentation.
struct Prefixes<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl<'t> Prefixes<'t> {
    fn of(text: &'t str) -> Self {
        Self { bytes: text.as_bytes(), at: 0 }
    }
}

impl Iterator for Prefixes<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        // In prose, the last byte of nearly every stretch of `PREFIX` bytes rules it out, so few bytes are looked at.
        while let Some(reparse) = self.bytes.get(self.at..self.at + PREFIX) {
            if let Some(other) = reparse.iter().rposition(|&byte| !is_marker(byte)) {
                self.at += other + 1;
                continue;
            }
            let start = self.at;
            let more = self.bytes[start + PREFIX..].iter().take_while(|&&byte| is_marker(byte)).count();
            self.at = start + PREFIX + more;
            if start == 0 || matches!(self.bytes[start - 1], b'\n' | b'\r') {
                return Some(start..self.at);
            }
        }
        None
    }
}

fn is_marker(byte: u8) -> bool {
    matches!(byte, b'>' | b'-' | b'+' | b'*' | b'.' | b')' | b' ' | b'\t' | b'0'..=b'9')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_past_the_bound_become_blanks() {
        let (deep, lines) = (100_000, "b\n".repeat(BUDGET / 100_000));
        let nested = ">".repeat(deep);
        let cut = ">".repeat(PREFIX) + &" ".repeat(deep - PREFIX);
        for (text, is_cut) in [
            (format!("{nested}a\n{lines}"), true),
            (format!("{lines}{nested}a\n"), true),
            (format!("{nested}a\n{lines}{nested}a\n"), true),
            // The maximum number of lines, and then markers that do not start a line.
            (format!("{nested}{lines}"), false),
            (format!("a{nested}\n{lines}b\n"), false),
        ] {
            let expected = if is_cut { text.replace(&nested, &cut) } else { text.clone() };
            assert!(bounded(&text) == expected, "{:.3} {}", text, text.len());
        }
    }
}
