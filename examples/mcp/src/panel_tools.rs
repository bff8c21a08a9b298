//! The tools that the panels of this server may call: a clock, and the document of their canvas.

use std::collections::BTreeMap;
use std::sync::Weak;

use canvas_core::document::{Base, Edit, HostEdit};
use canvas_core::surface::{ActionFailure, Ceiling, ToolContract, ToolDeclaration, ToolName};
use canvas_core::text::{Delta, TextEdit};
use canvas_core::{CanvasId, CodedError as _, ErrorReport, OpKey, RevisionId};
use canvas_tools::action::{SessionHost, SessionMessage, ToolHost, ToolInvocation};
use serde_json::{Value, json};

use crate::clock;
use crate::host::Host;
use crate::promote::Ending;

/// Name, description, whether it changes nothing, schema of the arguments.
type Row = (&'static str, &'static str, bool, fn() -> Value);

const TOOLS: [Row; 3] = [
    (
        "clock.now",
        "The time in milliseconds since 1970.",
        true,
        || json!({"type": "object", "properties": {}, "additionalProperties": false}),
    ),
    (
        "document.read",
        "The document of the canvas.",
        true,
        || json!({"type": "object", "properties": {}, "additionalProperties": false}),
    ),
    (
        "document.append",
        "Adds a line to the end of the document, as the one who started the action.",
        false,
        || {
            json!({
                "type": "object", "properties": {"text": {"type": "string", "minLength": 1, "maxLength": 4096}},
                "required": ["text"], "additionalProperties": false,
            })
        },
    ),
];

/// What panels may do: the tools of this server, none of which runs unasked but to read.
pub(crate) fn ceiling() -> Ceiling {
    let contract = |(name, description, read_only, schema): Row| {
        let name = ToolName::new(name).expect("the name is short");
        let declaration = ToolDeclaration {
            input_schema: schema(),
            description: Some(description.to_owned()),
            read_only,
            ..ToolDeclaration::default()
        };
        (name.clone(), ToolContract::new(name, declaration).expect("the schema is written here"))
    };
    Ceiling { tools: TOOLS.map(contract).into_iter().collect::<BTreeMap<_, _>>(), ..Ceiling::default() }
}

/// Runs the tools for the panel of one canvas.
#[derive(Debug)]
pub(crate) struct PanelTools {
    pub(crate) host: Weak<Host>,
    pub(crate) canvas: CanvasId,
    /// Who started the action, a person or a conversation.
    pub(crate) starter: OpKey,
}

impl PanelTools {
    /// Adds a line as the person or as the conversation that started the action.
    async fn append(&self, host: &Host, line: &str) -> Result<RevisionId, ErrorReport> {
        let snapshot = host.engine.snapshot(&self.canvas, clock::now()).await?;
        let text = snapshot.text();
        let break_before = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        let new = format!("{break_before}{line}\n");
        let base = Base::Id(snapshot.revision_id());
        let operation = OpKey { call: host.names.call(), ..self.starter.clone() };
        match operation.conversation == host.person {
            false => {
                let edit = TextEdit { at: text.len(), old: String::new(), new };
                let delta = Delta::try_from(vec![edit]).expect("one insertion is in order");
                let edit = HostEdit { base, delta, summary: "a line of a panel".to_owned(), request: None };
                let answered = host.engine.call(&self.canvas, &operation, edit, clock::now()).await?;
                answered.result.map(|done| done.revision).map_err(|refusal| refusal.report())
            }
            true => {
                let edit = Edit::on(base, format!("{text}{new}"));
                let answered = host.engine.call(&self.canvas, &operation, edit, clock::now()).await?;
                answered.result.map(|done| done.revision).map_err(|refusal| refusal.report())
            }
        }
    }
}

impl ToolHost for PanelTools {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        let failed =
            |code: &str, message: String| ActionFailure::Failed { code: Some(code.to_owned()), message };
        let host = self.host.upgrade().ok_or_else(|| failed("STOPPED", "the server ends".into()))?;
        let read = async || {
            let read = host.engine.snapshot(&self.canvas, clock::now()).await;
            read.map_err(|error| failed(error.code(), error.message()))
        };
        match invocation.tool.as_str() {
            "clock.now" => Ok(json!({"now": clock::now()})),
            "document.read" => Ok(json!({"markdown": read().await?.text()})),
            "document.append" => {
                let line = invocation.arguments["text"].as_str().unwrap_or_default();
                let appended = self.append(&host, line).await;
                let revision = appended.map_err(|error| failed(error.code, error.message))?;
                let saved = host.promote(&self.canvas, Ending::Person).await.is_ok();
                Ok(json!({"revision_id": revision, "saved": saved}))
            }
            other => Err(failed("TOOL_NOT_FOUND", format!("there is no tool {other}"))),
        }
    }
}

impl SessionHost for PanelTools {
    async fn send(&self, _: &SessionMessage) -> Result<Value, ActionFailure> {
        let message = "clients of this protocol take no messages from servers: ask the user to write it";
        Err(ActionFailure::Failed { code: Some("NO_SESSION".to_owned()), message: message.to_owned() })
    }
}
