//! Writes a word of a command.

use crate::surface::sink::part::{Part, Refused, Shown};

/// Writes literals verbatim, and values in single quotes, in which every POSIX shell interprets only the next quote.
/// `after_options` means that the command reads no more options.
pub(crate) fn write(
    parts: &[Part],
    after_options: bool,
    values: &[Shown<'_>],
    out: &mut String,
) -> Result<(), Refused> {
    if let Some(&Part::Value(value)) = parts.first().filter(|_| !after_options)
        && values[value].text.starts_with('-')
    {
        let message = "begins with -, so the command may take it for an option: write -- before it in the template, or pass another value";
        return Err(Refused { value, message });
    }
    let is_glued = parts.len() > 1;
    let mut is_open = false;
    for part in parts {
        match part {
            Part::Literal(text) => {
                if std::mem::take(&mut is_open) {
                    out.push('\'');
                }
                out.push_str(text);
            }
            &Part::Value(value) => {
                let text = values[value].text.as_ref();
                if text.contains('\0') {
                    let message = "has a NUL, at which a shell ends a word: remove it";
                    return Err(Refused { value, message });
                }
                // Only slashes name the same folder as an empty text.
                if is_glued && text.bytes().all(|byte| byte == b'/') {
                    let message = "is empty, or slashes alone, beside other text, which would then mean something else: set it first";
                    return Err(Refused { value, message });
                }
                // Two adjacent quoted values share their quotes, because zsh reads '' as a quote under `rc_quotes`.
                if !std::mem::replace(&mut is_open, true) {
                    out.push('\'');
                }
                quote(text, out);
            }
        }
    }
    if is_open {
        out.push('\'');
    }
    match is_glued.then(|| dot_segment(parts, values)).flatten() {
        Some(value) => {
            let message = "makes a segment . or .. of a path, which leads elsewhere: pass a name";
            Err(Refused { value, message })
        }
        None => Ok(()),
    }
}

fn quote(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\'') {
        out.push_str(before);
        out.push_str(r"'\''");
        rest = after;
    }
    out.push_str(rest);
}

/// Returns the value in the first segment that is `.` or `..` and adjacent to a slash.
fn dot_segment(parts: &[Part], values: &[Shown<'_>]) -> Option<usize> {
    let mut segment = Segment { after_slash: false, dots: 0, is_dots: true, value: None };
    for part in parts {
        let (text, value) = match part {
            Part::Literal(text) => (text.as_ref(), None),
            &Part::Value(value) => (values[value].text.as_ref(), Some(value)),
        };
        for byte in text.bytes() {
            // In literal text, a path may begin after these characters.
            let is_start = value.is_none() && matches!(byte, b'=' | b':' | b',' | b'@');
            if byte == b'/' || is_start {
                if let Some(found) = segment.end(byte == b'/') {
                    return Some(found);
                }
                segment = Segment { after_slash: byte == b'/', dots: 0, is_dots: true, value: None };
                continue;
            }
            segment.is_dots &= byte == b'.';
            segment.dots += 1;
            segment.value = segment.value.or(value);
        }
    }
    segment.end(false)
}

struct Segment {
    after_slash: bool,
    /// Number of bytes. All of them are dots if `is_dots`.
    dots: usize,
    is_dots: bool,
    /// A value with a byte in the segment.
    value: Option<usize>,
}

impl Segment {
    fn end(&self, before_slash: bool) -> Option<usize> {
        let is_dots = self.is_dots && matches!(self.dots, 1 | 2);
        self.value.filter(|_| is_dots && (self.after_slash || before_slash))
    }
}
