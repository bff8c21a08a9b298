//! The system prompt.

use canvas_core::{Engine, Store};

use crate::toolset::tools::Tools;

impl<S: Store> Tools<S> {
    /// The system prompt for the tools of [`Tools::specs`]: which there are, how to use each toolset, what interrupts.
    /// Empty where there are none.
    ///
    /// For the seven document tools it stays within 400 tokens of o200k; each further one adds a line.
    pub fn system_prompt(&self, engine: &Engine<S>) -> String {
        let (mut task, mut names, mut lines) = (None, Vec::new(), Vec::new());
        for toolset in &self.toolsets {
            let specs = toolset.specs(engine);
            if !specs.is_empty() {
                task = task.or_else(|| Some(toolset.task()));
                lines.extend(toolset.prompt(&specs));
                names.extend(specs.into_iter().map(|spec| spec.name));
            }
        }
        let Some(task) = task else { return String::new() };
        format!(
            "You {task} through tools. The user can edit it too and always comes first.\n\
             Tools: {}.\n\
             {}\n\
             Messages that begin with \"Canvas update\" tell you how the canvas changed; do not answer them.",
            names.join(", "),
            lines.join("\n"),
        )
    }
}
