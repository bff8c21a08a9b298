//! The part of the system prompt about the board.

use super::tool::Tool;
use crate::toolset::spec::{ToolSpec, has_tool};

/// Returns the lines for the board tools in `specs`.
pub(super) fn lines(specs: &[ToolSpec]) -> Vec<String> {
    let has = |tool: Tool| has_tool(specs, tool.name());
    let mut lines = Vec::new();
    if has(Tool::Create) || has(Tool::Arrange) {
        lines.push(
            "The board is a grid of components: columns from the left and rows from the top, both from 0. Take \
             component_id and view_id from the context, never invent them. Leave position out unless the user asks for \
             a place. The board tools need no lease."
                .to_owned(),
        );
        lines.push(
            "When a call fails, nothing was changed. If its error has a corrected_call that still does what the user \
             wants, make that call; otherwise do what the message says. Never repeat the same call."
                .to_owned(),
        );
    }
    if has(Tool::Show) {
        lines.push("Where you have no context of the board, call show_canvas first.".to_owned());
    }
    if has(Tool::Arrange) {
        lines.push(
            "To swap or rearrange components, put all moves into one arrange_canvas: it looks at the result only."
                .to_owned(),
        );
    }
    if has(Tool::Plan) && has(Tool::Commit) {
        lines.push(
            "For a change of many components, call plan_canvas first, look at its map, then commit_plan."
                .to_owned(),
        );
    }
    lines
}
