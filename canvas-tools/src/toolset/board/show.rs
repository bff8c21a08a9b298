//! Describes the board in words, for a model that has no context of it.

use canvas_core::RevisionId;
use canvas_core::board::{Board, ComponentId, ComponentInstance};
use serde_json::{Value, json};

use super::fields::ShowFields;
use crate::reply::{shorten, success};

/// Maximum size of the components in one reply, in bytes.
const BYTES: usize = 8 << 10;

/// Returns as many components after the given one as fit, and the saved views. Only these components are copied.
pub(super) fn shown(board: &Board, after: Option<&ComponentId>, revision: RevisionId) -> Value {
    let from = after.and_then(|after| board.places().position(|(id, _)| id == after));
    let from = from.map_or(0, |at| at + 1);
    let (mut lines, mut bytes, mut last) = (Vec::new(), 0, None);
    for component in board.places().skip(from).filter_map(|(id, _)| board.component(id)) {
        let line = line(&component);
        bytes += line.len();
        if bytes > BYTES && !lines.is_empty() {
            break;
        }
        lines.push(line);
        last = Some(component.id);
    }
    let shown = from + lines.len();
    let grid = board.grid();
    let many = board.len();
    let plural = if many == 1 { "" } else { "s" };
    let explanation = format!("{many} component{plural} on {} columns and {} rows.", grid.columns, grid.rows);
    let fields = ShowFields {
        explanation,
        components: lines,
        next_after: last.filter(|_| shown < many),
        views: board.view_names().map(|(id, name)| format!("{id} {}", shorten(name))).collect(),
    };
    success(revision, &fields)
}

/// Formats a component, for example `cmp_a github.pr-list "Open work" at (0, 0), 4x3, pinned: {"repo":"acme/app"}`.
fn line(component: &ComponentInstance) -> String {
    let ComponentInstance { id, type_id, position, size, config, meta, .. } = component;
    let label = meta.label.as_deref().map(|label| format!(" \"{}\"", shorten(label))).unwrap_or_default();
    let pinned = if meta.pinned { ", pinned" } else { "" };
    let config = json!(config).to_string();
    format!("{id} {type_id}{label} at {position}, {size}{pinned}: {}", shorten(&config))
}
