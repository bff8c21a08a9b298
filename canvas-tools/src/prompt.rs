//! The system prompt for the tools.

use canvas_core::Engine;
use canvas_core::lease::LeasePolicy;
use canvas_core::store::Store;
use serde_json::Value;

use crate::session::mode::{PROPOSING_PROMPT, SessionMode};
use crate::toolset::document::tool::{CHECK_IN, CHECK_OUT, RENEW_LEASE};
use crate::toolset::spec::ToolSpec;
use crate::toolset::tools::Tools;

/// Everything that a turn needs to know about a host's tools and engine, independent of the provider. See
/// [`Tools::briefing`].
#[derive(Debug, Clone, PartialEq)]
pub struct Briefing {
    /// The instructions for the tools. You may append your own.
    pub system: String,
    /// The specs of the tools offered to the model.
    pub tools: Vec<ToolSpec>,
    /// The time limits of leases, which tell a tool loop when to renew them.
    pub lease: LeasePolicy,
}

impl<S: Store> Tools<S> {
    /// Returns the system prompt, the specs and the lease limits for a turn with this engine.
    ///
    /// They depend on the toolsets and on the engine's settings, but neither on the canvas nor on the conversation. So they
    /// are the same bytes for each request, and a provider that caches the beginning of a prompt can reuse them. News
    /// about the canvas comes in messages at the end of the history.
    ///
    /// ```
    /// use canvas_core::lease::Timestamp;
    /// use canvas_core::store::MemoryStore;
    /// use canvas_core::{Engine, Policy};
    /// use canvas_tools::{DocumentTools, Tools};
    ///
    /// let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), Policy::default());
    /// let tools = Tools::new(DocumentTools::default())?;
    /// let mut briefing = tools.briefing(&engine);
    /// briefing.system.push_str("\nAnswer in French.");
    /// assert_eq!(briefing.tools, tools.specs(&engine));
    /// # Ok::<(), canvas_tools::ToolsError>(())
    /// ```
    pub fn briefing(&self, engine: &Engine<S>) -> Briefing {
        self.briefing_in(engine, &SessionMode::Direct)
    }

    /// Returns the briefing for sessions of a mode. A model that proposes needs no lease, so its briefing has neither the
    /// tools nor the arguments of a lease, and says that edits wait.
    pub fn briefing_in(&self, engine: &Engine<S>, mode: &SessionMode) -> Briefing {
        let specs: Vec<_> = self.toolsets.iter().map(|toolset| toolset.specs(engine)).collect();
        if mode.is_direct() {
            let system = self.prompt_of(&specs);
            return Briefing { system, tools: specs.concat(), lease: engine.policy().lease };
        }
        let specs: Vec<_> = specs.into_iter().map(without_lease).collect();
        let system = format!("{}\n{PROPOSING_PROMPT}", self.prompt_of(&specs));
        Briefing { system, tools: specs.concat(), lease: engine.policy().lease }
    }

    /// Returns the system prompt for the tools of [`Tools::specs`]. It names the tools, explains how to use each
    /// toolset and mentions the user, who may interrupt the model. Empty if there are no tools.
    ///
    /// The prompt for the seven document tools stays within 400 tokens of `o200k`. Each further tool adds a line.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let tools = Tools::new(DocumentTools::default())?;
    /// assert!(tools.system_prompt(&engine).contains("canvas_check_out"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn system_prompt(&self, engine: &Engine<S>) -> String {
        let specs: Vec<_> = self.toolsets.iter().map(|toolset| toolset.specs(engine)).collect();
        self.prompt_of(&specs)
    }

    /// Returns the prompt for the specs of each toolset.
    fn prompt_of(&self, specs: &[Vec<ToolSpec>]) -> String {
        let (mut task, mut names, mut lines) = (None, Vec::new(), Vec::new());
        for (toolset, specs) in self.toolsets.iter().zip(specs).filter(|(_, specs)| !specs.is_empty()) {
            task = task.or_else(|| Some(toolset.task()));
            lines.extend(toolset.prompt(specs));
            names.extend(specs.iter().map(|spec| spec.name.as_str()));
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

/// The argument that names a lease.
const LEASE_ID: &str = "lease_id";

/// Leaves out the tools of the lease, and the argument that names it.
fn without_lease(mut specs: Vec<ToolSpec>) -> Vec<ToolSpec> {
    specs.retain(|spec| ![CHECK_OUT, RENEW_LEASE, CHECK_IN].contains(&spec.name.as_str()));
    for ToolSpec { parameters, .. } in &mut specs {
        if let Some(properties) = parameters.get_mut("properties").and_then(Value::as_object_mut) {
            properties.remove(LEASE_ID);
        }
        if let Some(required) = parameters.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name != LEASE_ID);
        }
    }
    specs
}
