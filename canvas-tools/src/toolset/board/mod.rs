//! Tools of the board face: nine standard ones, and seven that a host can enable. They do not take a lease.
//!
//! `check` converts a call into commands, `execute` runs them, and `reply` reports the result.
//!
//! * Schemas are derived from the registry, so a component type appears as soon as it is registered.
//! * A corrected call is tried on a copy of the board before it is offered.
//! * A refresh does not change the canvas. The reply tells the host which data to fetch.
//! * A plan is a batch that was tried. It can only be committed on the board revision that it was tried on, and it is
//!   kept in the session, not on the canvas.

mod alias;
mod arguments;
mod check;
mod dry_run;
mod execute;
mod fields;
mod map;
mod prompt;
mod reply;
mod schema;
mod show;
pub(crate) mod tool;

use canvas_core::history::Entry;
use canvas_core::proposal::ProposalRefusal;
use canvas_core::store::Store;
use canvas_core::{CodedError as _, Engine, Refused as _};

use self::alias::shorten_ids;

use self::check::check;
use self::execute::BoardToolContext;
use self::reply::reply;
use self::tool::{BoardTools, Tool};
use super::call::ToolCall;
use super::context::{PROPOSE_ONLY, ToolContext, ToolFuture, Toolset};
use super::spec::ToolSpec;
use crate::reply::{ToolError, ToolReply};

impl<S: Store> Toolset<S> for BoardTools {
    fn names(&self) -> Vec<&str> {
        Tool::of(*self).map(Tool::name).collect()
    }

    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        self.list(engine.registry(), engine.policy())
    }

    fn task(&self) -> &'static str {
        "arrange a shared board of components"
    }

    fn prompt(&self, specs: &[ToolSpec]) -> Vec<String> {
        prompt::lines(specs)
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(call_board_tool(*self, context, call))
    }
}

/// Names a decision on proposals as the reason why an undo or redo is refused, if it would take one back.
async fn decision_first<S: Store>(
    context: &ToolContext<'_, S>,
    tool: Tool,
    error: ToolError,
) -> Result<ToolError, ToolError> {
    if error.code() != PROPOSE_ONLY || !matches!(tool, Tool::Undo | Tool::Redo) {
        return Ok(error);
    }
    let stacks = context.engine.stacks(&context.session.canvas, None, 1, context.now).await?;
    let next = if tool == Tool::Undo { stacks.undo } else { stacks.redo };
    let is_decision = next.first().is_some_and(Entry::is_decision);
    Ok(if is_decision { ProposalRefusal::DecisionByModel.view().into() } else { error })
}

async fn call_board_tool<S: Store>(
    toolset: BoardTools,
    context: ToolContext<'_, S>,
    call: &ToolCall,
) -> Result<ToolReply, ToolError> {
    let tool = Tool::named(&call.name, toolset)?;
    if let Err(error) = context.permits(&call.name, tool.access()) {
        return Err(decision_first(&context, tool, error).await?);
    }
    let checked = check(tool, &call.arguments, toolset, &context.session.board.aliases)?;
    let mut context = BoardToolContext { context, toolset, tool, call };
    let (outcome, snapshot) = context.execute(checked).await?;
    let lock = snapshot.head.lock_of(&context.context.session.conversation);
    let reply = reply(outcome, (&snapshot, lock), toolset, tool);
    Ok(shorten_ids(reply, &context.context.session.board.aliases))
}

/// Returns the JSON Schema of the reply of the tool with this name.
#[cfg(feature = "schema")]
pub(crate) fn reply_schema(tool: &str) -> Option<serde_json::Value> {
    Tool::of(BoardTools::ALL).find(|one| one.name() == tool).map(Tool::reply_schema)
}
