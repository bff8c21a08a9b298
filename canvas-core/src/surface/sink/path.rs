//! File paths, in which a value is a segment or a part of one.

use crate::surface::sink::part::Run;
use crate::surface::sink::part::{Forbidden, Form, Part, Placed, Refused, Shown, cut};

/// Makes a run of each segment with a placeholder.
pub(super) fn judge(items: &[Placed]) -> Result<Vec<Run>, Forbidden> {
    if let Some(control) = items.iter().find(|placed| placed.char().is_some_and(char::is_control)) {
        return Err(Forbidden::new(control.at, "the path has a control character: remove it"));
    }
    let mut runs = Vec::new();
    let mut start = 0;
    for segment in items.split(|placed| placed.is('/') || placed.is('\\')) {
        let range = start..start + segment.len();
        start = range.end + 1;
        if segment.iter().any(|placed| placed.is_value()) {
            let first = range.start == 0;
            runs.push((range, Form::PathSegment { first }));
        }
    }
    Ok(cut(items, &runs))
}

pub(super) fn write(
    parts: &[Part],
    first: bool,
    values: &[Shown<'_>],
    out: &mut String,
) -> Result<(), Refused> {
    let start = out.len();
    let mut last = 0;
    for part in parts {
        match part {
            Part::Literal(text) => out.push_str(text),
            &Part::Value(value) => {
                last = value;
                let text = values[value].text.as_ref();
                let refused = |message| Err(Refused { value, message });
                if text.is_empty() {
                    return refused("is empty and would name the folder itself: set it first");
                }
                // Some tools decode their input.
                let decoded = percent_decoded(text.as_bytes());
                if text.contains(char::is_control) || decoded.iter().any(u8::is_ascii_control) {
                    return refused("has a control character, which no path has: remove it");
                }
                if decoded.iter().any(|byte| b"/\\".contains(byte)) {
                    return refused(
                        "has a slash, and a value is one segment of a path: pass the segments one by one",
                    );
                }
                if first && out.len() == start && (text.starts_with('~') || is_drive(text)) {
                    return refused("begins with a home folder or a drive: write that into the template");
                }
                out.push_str(text);
            }
        }
    }
    if is_dots(&out.as_bytes()[start..]) || is_dots(&percent_decoded(&out.as_bytes()[start..])) {
        let message = "makes a segment of nothing but dots, which leads elsewhere: pass a name";
        return Err(Refused { value: last, message });
    }
    Ok(())
}

/// Whether a segment is `.` or `..`. Windows ignores blanks and dots at the end, so this includes all segments of dots
/// and blanks.
fn is_dots(segment: &[u8]) -> bool {
    segment.iter().all(|b| matches!(b, b'.' | b' '))
}

fn is_drive(text: &str) -> bool {
    matches!(text.as_bytes(), [letter, b':', ..] if letter.is_ascii_alphabetic())
}

/// Decodes percent-encoding such as `%2F`, once.
pub(super) fn percent_decoded(text: &[u8]) -> Vec<u8> {
    let hex = |b: u8| char::from(b).to_digit(16);
    let mut decoded = Vec::with_capacity(text.len());
    let mut rest = text;
    loop {
        match rest {
            [b'%', high, low, after @ ..] if hex(*high).is_some() && hex(*low).is_some() => {
                let code = hex(*high).unwrap_or(0) * 16 + hex(*low).unwrap_or(0);
                decoded.push(u8::try_from(code).unwrap_or(b'%'));
                rest = after;
            }
            [byte, after @ ..] => {
                decoded.push(*byte);
                rest = after;
            }
            [] => return decoded,
        }
    }
}
