//! The tool by which a model undoes its own turn.

use canvas_core::history::{ChangesOf, Undo, UndoScope};
use canvas_core::lease::LeaseId;
use canvas_core::rollout::Access;
use canvas_core::store::Store;
use canvas_core::{Author, Engine, Refused as _};
use serde::Deserialize;
use serde_json::{Value, json};

use super::call::ToolCall;
use super::context::{ToolContext, ToolFuture, Toolset};
use super::spec::ToolSpec;
use crate::arguments::arguments;
use crate::reply::{ToolError, ToolReply, success};

/// Name of the tool that undoes the model's own turn.
pub const UNDO_TURN: &str = "canvas_undo_turn";

/// Lets a model undo all changes of its own turn at once. A host adds this toolset to those that edit.
///
/// The undo is refused, and nothing changes, if somebody's later change touches one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct UndoTurnTools;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UndoTurn {
    lease_id: Option<LeaseId>,
}

impl<S: Store> Toolset<S> for UndoTurnTools {
    fn names(&self) -> Vec<&str> {
        vec![UNDO_TURN]
    }

    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        if engine.policy().permits(Access::Write).is_err() {
            return Vec::new();
        }
        let description = "Undo all of your changes in this turn at once. Use it if they were a mistake, and read the canvas again.";
        vec![ToolSpec {
            name: UNDO_TURN.to_owned(),
            description: description.to_owned(),
            parameters: json!({
                "type": "object",
                "properties": {"lease_id": {"type": "string", "description": "Your lease, if you have one."}},
                "additionalProperties": false,
            }),
        }]
    }

    fn task(&self) -> &'static str {
        "edit a shared Markdown canvas"
    }

    fn prompt(&self, _: &[ToolSpec]) -> Vec<String> {
        Vec::new()
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(undo_turn(context, &call.arguments))
    }
}

async fn undo_turn<S: Store>(context: ToolContext<'_, S>, sent: &Value) -> Result<ToolReply, ToolError> {
    context.permits(UNDO_TURN, Access::Write)?;
    let UndoTurn { lease_id: lease } = arguments(sent)?;
    let own = ChangesOf::Turn(context.session.conversation.clone(), context.session.turn);
    let undo = Undo { by: Author::Assistant { lease }, what: UndoScope::Select(own.into()) };
    let answered = context.run(undo).await?;
    let done = answered.result.map_err(|refusal| {
        let error = ToolError::from(refusal.view());
        canvas_core::CodedError::reason(&refusal).into_iter().fold(error, ToolError::with_reason)
    })?;
    let undone: Vec<_> = done.entries.iter().map(|entry| &entry.summary).collect();
    Ok(ToolReply::new(success(done.revision, &json!({"undone": undone}))))
}
