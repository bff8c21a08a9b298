//! What the system prompt says about surfaces.

use super::SURFACE_TOOL;
use crate::toolset::spec::{ToolSpec, has_tool};

/// The lines for the tool where it is open.
pub(super) fn lines(specs: &[ToolSpec]) -> Vec<String> {
    if !has_tool(specs, SURFACE_TOOL) {
        return Vec::new();
    }
    vec![format!(
        "{SURFACE_TOOL} makes surfaces for the user: state, actions and assets (assets/index.html is shown). You write them, the \
         user runs the actions. Put values into commands only by {{{{state.path}}}} or {{{{input.path}}}}, one word each, \
         and never build a command in the state. Call get before upsert or patchState and pass its revision as \
         expectedRevision."
    )]
}
