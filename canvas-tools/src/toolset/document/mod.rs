//! Tools of the document face: the usual seven, and three that a host switches on.

mod arguments;
mod check;
mod declare;
mod outline;
mod prompt;
mod reading;
pub(crate) mod tool;

use canvas_core::{Command, Engine, Snapshot, Store};

use self::check::{CheckedCall, ReadAccess, check};
use self::tool::{DocumentTools, Tool};
use super::call::ToolCall;
use super::context::{ToolContext, ToolFuture, Toolset};
use super::spec::ToolSpec;
use crate::lease_change::{LeaseChange, named_lease};
use crate::reply::{ToolError, ToolReply};

impl<S: Store> Toolset<S> for DocumentTools {
    fn names(&self) -> Vec<&str> {
        Tool::of(*self).map(Tool::name).collect()
    }

    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        self.list(engine.policy())
    }

    fn task(&self) -> &'static str {
        "edit a shared Markdown canvas"
    }

    fn prompt(&self, specs: &[ToolSpec]) -> Vec<String> {
        prompt::lines(specs)
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(call_document_tool(*self, context, call))
    }
}

async fn call_document_tool<S: Store>(
    toolset: DocumentTools,
    context: ToolContext<'_, S>,
    call: &ToolCall,
) -> Result<ToolReply, ToolError> {
    let tool = Tool::named(&call.name, toolset)?;
    let (access, reading) = match check(tool, call, context.engine.policy())? {
        CheckedCall::Command(command) => return Ok(run(&context, command).await?.0),
        CheckedCall::Read(access, reading) => (access, reading),
    };
    let (reply, snapshot) = match access {
        ReadAccess::Lease(lease) => run(&context, Command::Read { lease }).await?,
        ReadAccess::Snapshot => {
            let snapshot = context.snapshot().await?;
            (ToolReply::of_snapshot(&snapshot), snapshot)
        }
    };
    if !reply.is_ok() {
        return Ok(reply);
    }
    Ok(match reading.fields(&snapshot, toolset.replace_lines) {
        Ok(fields) => reply.with(fields),
        Err(error) => {
            // The call has extended the lease all the same.
            ToolReply::of_error(&error, Some(&snapshot)).with_lease_change(reply.lease_change())
        }
    })
}

/// Runs a command and says what came of it, for the model and for the keeper of its lease.
async fn run<S: Store>(
    context: &ToolContext<'_, S>,
    command: Command,
) -> Result<(ToolReply, Snapshot), ToolError> {
    let named = named_lease(&command);
    let (outcome, snapshot) = context.run(command).await?;
    let change = LeaseChange::of(named, &outcome);
    Ok((ToolReply::of_outcome(&outcome, &snapshot).with_lease_change(change), snapshot))
}
