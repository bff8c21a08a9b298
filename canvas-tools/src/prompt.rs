//! The system prompt.

use canvas_core::{Engine, Store};

use crate::toolset::Toolset;
use crate::toolset::spec::ToolSpec;

/// The system prompt for the tools that are open: which there are, how to use each toolset, what interrupts.
pub(crate) fn system_prompt<S: Store>(toolsets: &[Box<dyn Toolset<S>>], engine: &Engine<S>) -> String {
    let specs = toolsets.iter().map(|toolset| (toolset, toolset.specs(engine)));
    let open: Vec<(&Box<dyn Toolset<S>>, Vec<ToolSpec>)> =
        specs.filter(|(_, specs)| !specs.is_empty()).collect();
    let Some((first, _)) = open.first() else { return String::new() };
    let names: Vec<&str> = open.iter().flat_map(|(_, specs)| specs).map(|spec| spec.name.as_str()).collect();
    let mut lines = vec![
        format!("You {} through tools. The user can edit it too and always comes first.", first.task()),
        format!("Tools: {}.", names.join(", ")),
    ];
    lines.extend(open.iter().flat_map(|(toolset, specs)| toolset.prompt(specs)));
    lines.push(
        "Messages that begin with \"Canvas update\" tell you how the canvas changed; do not answer them."
            .into(),
    );
    lines.join("\n")
}
