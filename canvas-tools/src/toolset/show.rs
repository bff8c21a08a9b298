//! What a reading call shows of the canvas, and how much of it.

use canvas_core::Snapshot;
use canvas_core::text::{GrepLimits, Query, grep};
use serde_json::{Value, json};

use super::arguments::bad_query;
use crate::reply::Problem;

/// Bytes of text that one reading call returns at most. The reply says where it stopped; of a single line that is
/// longer, only its beginning can be read (`line_truncated`), and grep shows the rest in parts.
const READ_BYTES: usize = 256 << 10;
pub(super) fn grep_fields(snapshot: &Snapshot, query: &Query) -> Result<Value, Problem> {
    let found = grep(snapshot.text(), query, GrepLimits::default()).map_err(|e| bad_query(&e))?;
    let matches: Vec<Value> =
        found.matches.iter().map(|m| json!({"line": m.line, "text": m.text, "clipped": m.clipped})).collect();
    Ok(json!({"matches": matches, "truncated": found.truncated}))
}

pub(super) fn read_fields(snapshot: &Snapshot, start: usize, end: usize) -> Result<Value, Problem> {
    let text = snapshot.text();
    let mut shown = String::new();
    let (mut total, mut last, mut cut, mut line_cut) = (0, start - 1, false, false);
    for (i, line) in text.split_inclusive('\n').enumerate() {
        total = i + 1;
        if cut || total < start || total > end {
            continue;
        }
        if shown.len() + line.len() <= READ_BYTES {
            shown.push_str(line);
            last = total;
        } else {
            cut = true;
            if last < start {
                // A single line that is too long is shown in part.
                shown.push_str(&line[..line.floor_char_boundary(READ_BYTES)]);
                (last, line_cut) = (total, true);
            }
        }
    }
    if start > total && total > 0 {
        let message = format!("the canvas has {total} lines: pass a start_line of at most {total}");
        return Err(Problem::new("INVALID_RANGE", message).at("/start_line"));
    }
    let mut fields = json!({
        "start_line": start,
        "end_line": last,
        "total_lines": total,
        "text": shown,
        "truncated": cut,
    });
    if line_cut {
        fields["line_truncated"] = true.into();
    }
    Ok(fields)
}
