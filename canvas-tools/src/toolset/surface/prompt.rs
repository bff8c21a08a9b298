//! The lines of the system prompt about surfaces.

use crate::toolset::spec::{ToolSpec, has_tool};

/// Returns the lines for the tool of this name if it is offered.
pub(super) fn lines(tool: &str, specs: &[ToolSpec]) -> Vec<String> {
    if !has_tool(specs, tool) {
        return Vec::new();
    }
    vec![format!(
        "{tool} makes surfaces for the user: state, actions and assets (assets/index.html is shown). You write them, the \
         user runs the actions. Put values into commands only by {{{{state.path}}}} or {{{{input.path}}}}, one word each, \
         and never build a command in the state. Call get before upsert or patchState and pass its revision as \
         expectedRevision."
    )]
}
