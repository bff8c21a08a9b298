//! The board in words, for a model that has no context of it.

use canvas_core::RevisionId;
use canvas_core::board::{Board, ComponentId, ComponentInstance, DataLoadingState};
use serde_json::{Value, json};

use crate::reply::shorten;

/// Bytes of components in one reply.
const BYTES: usize = 8 << 10;

/// The components after one of them, as many as fit, and the saved views. Cost: linear in the board.
pub(super) fn shown(board: &Board, after: Option<&ComponentId>, revision: RevisionId) -> Value {
    let workspace = board.workspace(|_| DataLoadingState::Idle);
    let components = workspace.canvas.components;
    let from = after.and_then(|after| components.iter().position(|one| one.id == *after));
    let from = from.map_or(0, |at| at + 1);
    let (mut lines, mut bytes) = (Vec::new(), 0);
    for component in &components[from..] {
        let line = line(component);
        bytes += line.len();
        if bytes > BYTES && !lines.is_empty() {
            break;
        }
        lines.push(line);
    }
    let shown = from + lines.len();
    let grid = board.grid();
    let many = components.len();
    let plural = if many == 1 { "" } else { "s" };
    let explanation = format!("{many} component{plural} on {} columns and {} rows.", grid.columns, grid.rows);
    let mut body = json!({
        "ok": true,
        "revision_id": revision,
        "explanation": explanation,
        "components": lines,
    });
    if shown < many {
        body["next_after"] = json!(components[shown - 1].id);
    }
    if !workspace.views.is_empty() {
        let views = workspace.views.iter().map(|view| format!("{} {}", view.id, shorten(&view.name)));
        body["views"] = views.collect();
    }
    body
}

/// `cmp_a github.pr-list "Open work" at (0, 0), 4x3, pinned: {"repo":"acme/app"}`
fn line(component: &ComponentInstance) -> String {
    let ComponentInstance { id, type_id, position, size, config, meta, .. } = component;
    let label = meta.label.as_deref().map(|label| format!(" \"{}\"", shorten(label))).unwrap_or_default();
    let pinned = if meta.pinned { ", pinned" } else { "" };
    let config = json!(config).to_string();
    format!("{id} {type_id}{label} at {position}, {size}{pinned}: {}", shorten(&config))
}
