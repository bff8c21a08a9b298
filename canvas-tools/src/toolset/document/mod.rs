//! Tools of the document face: the usual seven, and three that a host switches on.
//!
//! * A tool that is off is answered like one that does not exist (`UNKNOWN_TOOL`).
//! * One call reads at most 256 KiB of text, a search shows at most 8 KB, and the reply says where to go on.
//! * A reply says nothing twice, and nothing that its call said. What it shows of the canvas is in
//!   [`ToolReply::shown_lines`].
//! * `canvas_outline` and `canvas_read_section` need no lease. Without one they leave no trace, and what they show does
//!   not count as seen.
//! * A `lease_id` that cannot be parsed is nobody's: `LOCK_NOT_OWNED`, unless the tool takes none.

mod answer;
mod arguments;
mod check;
mod declare;
mod lines;
mod outline;
mod prompt;
mod reading;
mod search;
pub(crate) mod tool;

use canvas_core::lease::LeaseId;
use canvas_core::{Answered, CheckOut, Command, Engine, Read, Snapshot, Store};

use self::answer::Answer;
use self::check::{CheckedCall, ReadAccess, check};
use self::tool::{DocumentTools, Tool};
use super::call::ToolCall;
use super::context::{ToolContext, ToolFuture, Toolset};
use super::spec::ToolSpec;
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
        CheckedCall::Read(access, reading) => (access, reading),
        CheckedCall::CheckOut => return Ok(run(&context, None, CheckOut).await?.0),
        CheckedCall::Renew(command) => return Ok(run(&context, command.lease, command).await?.0),
        CheckedCall::CheckIn(command) => return Ok(run(&context, command.lease, command).await?.0),
        CheckedCall::ApplyPatch(command) => return Ok(run(&context, command.lease, command).await?.0),
        CheckedCall::ReplaceLines(command) => return Ok(run(&context, command.lease, command).await?.0),
    };
    let (reply, snapshot) = match access {
        ReadAccess::Lease(lease) => run(&context, lease, Read { lease, shown: reading.shown() }).await?,
        ReadAccess::Snapshot => {
            let snapshot = context.snapshot().await?;
            (ToolReply::of_snapshot(&snapshot), snapshot)
        }
    };
    if !reply.is_ok() {
        return Ok(reply);
    }
    Ok(match reading.fields(&snapshot, toolset.replace_lines) {
        Ok((fields, lines)) => reply.with(fields).with_shown_lines(lines),
        Err(error) => {
            // The call has extended the lease all the same.
            ToolReply::of_error(&error, Some(&snapshot)).with_lease_change(reply.lease_change())
        }
    })
}

/// Runs a command that names a lease, or none, and says what came of it.
async fn run<S: Store, C: Command<Done: Answer>>(
    context: &ToolContext<'_, S>,
    named: Option<LeaseId>,
    command: C,
) -> Result<(ToolReply, Snapshot), ToolError> {
    let Answered { result, snapshot, .. } = context.run(command).await?;
    Ok((answer::reply(named, &result, &snapshot), snapshot))
}
