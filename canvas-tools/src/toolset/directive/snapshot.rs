//! What a model sees of a document before it makes a directive.

use serde_json::{Value, json};

use super::range::{CharRange, Fingerprint};
use crate::toolset::READ_BYTES;

/// Lines that one snapshot shows: each has an offset beside its text.
const LINES: usize = 8_192;

/// The text from a character on, as far as one reply goes, with the offset of each line; and the hash of a selection.
/// `Err` is the number of characters, where an offset lies beyond them.
pub(crate) fn snapshot_fields(text: &str, from: usize, selection: Option<CharRange>) -> Result<Value, usize> {
    let start = CharRange::caret(from).bytes(text)?.start;
    let total: usize = text.chars().count();
    let mut end = start;
    let (mut offsets, mut chars) = (Vec::new(), from);
    for line in text[start..].split_inclusive('\n') {
        let room = READ_BYTES - (end - start);
        if offsets.len() == LINES || (line.len() > room && end > start) {
            break;
        }
        offsets.push(chars);
        // A single line that is too long is shown in part.
        let shown = &line[..line.floor_char_boundary(room)];
        end += shown.len();
        chars += shown.chars().count();
        if shown.len() < line.len() {
            break;
        }
    }
    let mut fields = json!({
        "text": &text[start..end],
        "start": from,
        "end": chars,
        "total_chars": total,
        "start_line": 1 + text[..start].bytes().filter(|byte| *byte == b'\n').count(),
        "line_offsets": offsets,
        "truncated": end < text.len(),
    });
    if let Some(selection) = selection {
        fields["selection"] = json!(selection);
        fields["selection_hash"] = json!(Fingerprint::of(&text[selection.bytes(text)?]));
    }
    Ok(fields)
}
