//! Walking text by lines that end in LF. A lone CR is content; the last piece without LF is a line too.

use memchr::{memchr, memchr_iter, memrchr};

/// Bytes counted at once before single lines are walked: large enough for the vector count to pay, small enough
/// that the walk inside the last block stays short (measured best between 256 and 1,024 on prose).
const BLOCK: usize = 512;

/// The byte just behind the line that starts at `at`.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |i| at + i + 1)
}

/// The first byte of the line whose end is `end` (a line boundary above zero).
pub(crate) fn line_start_before(text: &str, end: usize) -> usize {
    memrchr(b'\n', &text.as_bytes()[..end - 1]).map_or(0, |i| i + 1)
}

/// Where the line `count` lines behind the line boundary `at` starts; `None` where the text has fewer lines.
/// Asking for the boundary right behind the last line is fine.
pub(crate) fn skip(text: &str, mut at: usize, mut count: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    while count > 0 {
        let block = &bytes[at..bytes.len().min(at + BLOCK)];
        if block.is_empty() {
            return None;
        }
        let found = memchr_iter(b'\n', block).count();
        if found < count {
            count -= found;
            at += block.len();
            if at == bytes.len() {
                // An unterminated last line is a line too.
                return (count == 1 && !text.ends_with('\n')).then_some(at);
            }
            continue;
        }
        let last = memchr_iter(b'\n', block).nth(count - 1).expect("the block was counted");
        return Some(at + last + 1);
    }
    Some(at)
}

/// Number of lines in a piece of text that starts at a line boundary.
pub(crate) fn count(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// A line without its terminator, LF or CRLF. A CR at the very end of the text is content.
pub(crate) fn content(line: &str) -> &str {
    match line.strip_suffix('\n') {
        Some(rest) => rest.strip_suffix('\r').unwrap_or(rest),
        None => line,
    }
}

/// A line's terminator: `"\n"`, `"\r\n"`, or nothing for an unterminated last line.
pub(crate) fn terminator(line: &str) -> &str {
    &line[content(line).len()..]
}

/// The lines of a text, each with its terminator.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    rest: &'a str,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { rest: text }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.rest.is_empty() {
            return None;
        }
        let (line, rest) = self.rest.split_at(line_end(self.rest, 0));
        self.rest = rest;
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skip_agrees_with_walking() {
        let long = "x\n".repeat(700);
        for text in ["", "a", "a\n", "a\nb", "a\r\n\r\nb\n\n", "\n\n\n", long.as_str()] {
            let mut starts = vec![0];
            let mut at = 0;
            for line in Lines::new(text) {
                at += line.len();
                starts.push(at);
            }
            assert_eq!(count(text), starts.len() - 1, "{text:?}");
            for (from, &start) in starts.iter().enumerate() {
                for n in 0..starts.len() + 2 {
                    assert_eq!(skip(text, start, n), starts.get(from + n).copied(), "{text:?} {from}+{n}");
                }
            }
        }
    }

    #[test]
    fn terminators_split_off() {
        for (line, expected) in
            [("a\n", ("a", "\n")), ("a\r\n", ("a", "\r\n")), ("a\r", ("a\r", "")), ("\r\r\n", ("\r", "\r\n"))]
        {
            assert_eq!((content(line), terminator(line)), expected);
        }
    }
}
