//! The view of a document that a model needs before it writes a directive.

use canvas_core::Snapshot;
use canvas_core::text::floor_char_boundary;
use serde::Deserialize;

use super::fields::SnapshotFields;
use super::range::{CharRange, Fingerprint};
use crate::reply::ToolError;
use crate::toolset::context::READ_BYTES;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct TakeSnapshot {
    /// The character to begin at, from 0. Default 0; a long document comes in parts.
    #[serde(default)]
    offset: Option<u64>,
    /// [start, end] in characters: the reply has selection_hash, the fingerprint of the text there.
    #[serde(default)]
    #[cfg_attr(feature = "schema", schemars(length(equal = 2)))]
    selection: Option<Vec<u64>>,
}

impl TakeSnapshot {
    /// Returns the fields of the reply.
    pub(super) fn fields(self, snapshot: &Snapshot) -> Result<SnapshotFields<'_>, ToolError> {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let selection = match self.selection.as_deref() {
            None => None,
            Some(&[start, end]) if start <= end => CharRange::new(number(start), number(end)).ok(),
            Some(_) => {
                return Err(ToolError::argument("/selection", "pass [start, end], start not after end"));
            }
        };
        let from = number(self.offset.unwrap_or(0));
        snapshot_fields(snapshot, from, selection).map_err(|chars| {
            let place = if from > chars { "/offset" } else { "/selection" };
            let message = format!("the document has {chars} characters: pass offsets of at most {chars}");
            ToolError::new("INVALID_RANGE", message).at(place)
        })
    }
}

/// Maximum number of lines in one snapshot. Each line also has an offset in the reply.
const LINES: usize = 8_192;

/// Returns the text from a character on, as far as it fits into one reply, with the offset of each line and the hash of
/// the selection. If an offset is beyond the text, `Err` is the text's number of characters.
fn snapshot_fields(
    snapshot: &Snapshot,
    from: usize,
    selection: Option<CharRange>,
) -> Result<SnapshotFields<'_>, usize> {
    let text = snapshot.text();
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
        // If a single line is too long, only its beginning is shown.
        let shown = &line[..floor_char_boundary(line, room)];
        end += shown.len();
        chars += shown.chars().count();
        if shown.len() < line.len() {
            break;
        }
    }
    let selection_hash = match selection {
        Some(selection) => Some(Fingerprint::of(&text[selection.bytes(text)?])),
        None => None,
    };
    Ok(SnapshotFields {
        document_version: snapshot.revision_id(),
        text: &text[start..end],
        start: from,
        end: chars,
        total_chars: total,
        start_line: 1 + text[..start].bytes().filter(|byte| *byte == b'\n').count(),
        line_offsets: offsets,
        truncated: end < text.len(),
        selection,
        selection_hash,
    })
}
