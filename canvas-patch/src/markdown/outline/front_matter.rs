//! YAML front matter.

use memchr::memchr;

/// Returns the length in bytes of the front matter at the start of `text`, up to the line after it.
///
/// pulldown-cmark has an option for front matter, but takes any `---` in the text for the start of a metadata block, so
/// that headings between two thematic breaks would be lost. Like pulldown-cmark, this function requires three dashes, a
/// line that is not blank, and later a line of `---` or `...`.
pub(super) fn length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let opening = bytes.strip_prefix(b"---")?;
    let mut line = 3 + after_newline(opening);
    if !bytes[3..line].iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    if is_blank(&bytes[line..]) || closing(&bytes[line..]).is_some() {
        return None;
    }
    while line < bytes.len() {
        line += after_newline(&bytes[line..]);
        if let Some(length) = closing(&bytes[line..]) {
            return Some(line + length);
        }
    }
    None
}

fn after_newline(bytes: &[u8]) -> usize {
    memchr(b'\n', bytes).map_or(bytes.len(), |newline| newline + 1)
}

fn is_blank(line: &[u8]) -> bool {
    let content = line.iter().find(|byte| !matches!(byte, b' ' | b'\t' | 0x0b | 0x0c));
    content.is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Returns the length of the closing line at the start of `bytes`, including its line end.
fn closing(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(b"---").or_else(|| bytes.strip_prefix(b"..."))?;
    let spaces = rest.iter().take_while(|&&byte| byte == b' ').count();
    match &rest[spaces..] {
        [] => Some(3 + spaces),
        [b'\r', b'\n', ..] => Some(3 + spaces + 2),
        [b'\n' | b'\r', ..] => Some(3 + spaces + 1),
        _ => None,
    }
}
