//! Functions that walk a text by lines that end in LF. A lone CR is content. A last piece without LF is a line too.

use memchr::{Memchr, memchr, memchr_iter, memrchr};

/// Bytes whose newlines are counted at once. They are few enough for the count to fit in a byte, so that the compiler
/// adds up whole vectors, and for the walk inside the last block to be short. Over 500 KB of prose, this takes two
/// thirds of the time of one `memchr` count, and half the time of such counts over blocks.
const BLOCK: usize = 192;

/// Iterates over the complete blocks of the bytes.
fn blocks(bytes: &[u8]) -> impl Iterator<Item = &[u8; BLOCK]> {
    bytes.chunks_exact(BLOCK).filter_map(<[u8]>::first_chunk)
}

fn newlines(block: &[u8; BLOCK]) -> usize {
    block.iter().map(|&byte| u8::from(byte == b'\n')).sum::<u8>().into()
}

pub(crate) fn newlines_in(bytes: &[u8]) -> usize {
    let rest = bytes.chunks_exact(BLOCK).remainder();
    blocks(bytes).map(newlines).sum::<usize>() + memchr_iter(b'\n', rest).count()
}

/// Returns the length in bytes of the byte order mark at the start of a text, or 0 if there is none.
pub(crate) fn mark(text: &str) -> usize {
    const MARK: char = '\u{feff}';
    if text.starts_with(MARK) { MARK.len_utf8() } else { 0 }
}

/// Returns the end of the line that contains the byte `at`, after its newline.
pub(crate) fn line_end(text: &str, at: usize) -> usize {
    memchr(b'\n', &text.as_bytes()[at..]).map_or(text.len(), |i| at + i + 1)
}

/// Returns the first byte of the line that contains the byte `at`. A line boundary is its own line start.
pub(crate) fn line_start(text: &str, at: usize) -> usize {
    memrchr(b'\n', &text.as_bytes()[..at]).map_or(0, |newline| newline + 1)
}

/// Returns the first byte of the line that ends at `end`, which is a line boundary above zero.
pub(crate) fn line_start_before(text: &str, end: usize) -> usize {
    memrchr(b'\n', &text.as_bytes()[..end - 1]).map_or(0, |i| i + 1)
}

/// Returns the line boundary `count` lines after the line boundary `at`, or `None` if the text has fewer lines. The
/// boundary after the last line is included.
pub(crate) fn skip(text: &str, mut at: usize, mut count: usize) -> Option<usize> {
    for block in blocks(&text.as_bytes()[at..]) {
        let found = newlines(block);
        // The walk must reach the end of the text itself, because an unterminated last line is a line too.
        if found >= count || at + BLOCK == text.len() {
            break;
        }
        count -= found;
        at += BLOCK;
    }
    for _ in 0..count {
        if at == text.len() {
            return None;
        }
        at = line_end(text, at);
    }
    Some(at)
}

/// Returns the line boundary `n` lines before the line boundary `at`, or the start of the text if there are fewer
/// lines.
pub(crate) fn back(text: &str, mut at: usize, n: usize) -> usize {
    for _ in 0..n {
        if at == 0 {
            break;
        }
        at = line_start_before(text, at);
    }
    at
}

/// Returns the line boundary `n` lines after the line boundary `at`, or the end of the text if there are fewer lines.
pub(crate) fn forward(text: &str, mut at: usize, n: usize) -> usize {
    for _ in 0..n {
        if at == text.len() {
            break;
        }
        at = line_end(text, at);
    }
    at
}

/// Returns all line boundaries, which are the start of each line and the end of the text. Use it to look up many lines.
pub(crate) fn boundaries(text: &str) -> Vec<usize> {
    let ends = Lines::new(text).scan(0, |at, line| {
        *at += line.len();
        Some(*at)
    });
    std::iter::once(0).chain(ends).collect()
}

/// Counts the lines in a piece of text that starts at a line boundary.
pub(crate) fn count(text: &str) -> usize {
    memchr_iter(b'\n', text.as_bytes()).count() + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

/// Whether the text is empty or its last line has a terminator.
pub(crate) fn at_line_end(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

/// Returns a line without its terminator, LF or CRLF. A CR at the very end of the text is content.
pub(crate) fn content(line: &str) -> &str {
    match line.strip_suffix('\n') {
        Some(rest) => rest.strip_suffix('\r').unwrap_or(rest),
        None => line,
    }
}

/// Returns a line's terminator, `"\n"` or `"\r\n"`. It is empty for an unterminated last line.
pub(crate) fn terminator(line: &str) -> &str {
    &line[content(line).len()..]
}

/// Returns the terminator to write after this content if `wanted` is requested. After a CR, an LF becomes CRLF, because
/// it would otherwise take the CR out of the content.
pub(crate) fn terminator_after<'a>(content: &str, wanted: &'a str) -> &'a str {
    if wanted == "\n" && content.ends_with('\r') { "\r\n" } else { wanted }
}

/// Iterator over the lines of a text, each with its terminator.
#[derive(Debug, Clone)]
pub(crate) struct Lines<'a> {
    text: &'a str,
    at: usize,
    newlines: Memchr<'a>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Self {
        Self { text, at: 0, newlines: memchr_iter(b'\n', text.as_bytes()) }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        if self.at == self.text.len() {
            return None;
        }
        let start = self.at;
        self.at = self.newlines.next().map_or(self.text.len(), |newline| newline + 1);
        Some(&self.text[start..self.at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn skip_agrees_with_walking() {
        let long = "x\n".repeat(BLOCK + 1);
        let open = "x".repeat(BLOCK);
        let two = format!("{open}\n{open}");
        for text in ["", "a", "a\n", "a\nb", "a\r\n\r\nb\n\n", "\n\n\n", &long, &long[1..], &open, &two] {
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
