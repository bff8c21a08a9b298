//! Tools of the document face: the usual seven, and three that a host switches on.

mod arguments;
mod outline;
mod prompt;
mod reading;
mod tool;

use canvas_core::{Command, Engine, Policy, Snapshot, Store};

use self::arguments::{CheckedCall, ReadAccess, check};
use self::tool::Tool;
use super::call::ToolCall;
use super::error::ToolError;
use super::spec::ToolSpec;
use super::{ToolContext, ToolFuture, Toolset};
use crate::lease_change::{LeaseChange, named_lease};
use crate::reply::ToolReply;

/// Name of the tool that takes the lease.
pub const CHECK_OUT: &str = "canvas_check_out";

/// Name of the tool that gives the lease back.
pub const CHECK_IN: &str = "canvas_check_in";

/// The tools of the document face: `canvas_check_out`, `canvas_renew_lease`, `canvas_check_in`, `canvas_grep`,
/// `canvas_read_lines`, `canvas_read_all`, `canvas_apply_patch`, and those below that are switched on. A call of one that
/// is off is answered as that of a tool that does not exist.
///
/// ```
/// use canvas_core::Policy;
/// use canvas_tools::DocumentTools;
///
/// let tools = DocumentTools { outline: true, ..DocumentTools::default() }.list(&Policy::default());
/// assert!(tools.iter().any(|tool| tool.name == "canvas_outline"));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct DocumentTools {
    /// `canvas_outline`: the headings with their lines, with or without a lease.
    pub outline: bool,
    /// `canvas_read_section`: the lines of one section by its path, with or without a lease.
    pub read_section: bool,
    /// `canvas_replace_lines`: whole lines by number, under a hash of what they are. The replies of `canvas_read_lines`
    /// and `canvas_read_all` then carry that hash, too.
    pub replace_lines: bool,
}

impl DocumentTools {
    /// All ten.
    pub const ALL: Self = Self { outline: true, read_section: true, replace_lines: true };

    /// The tools that a policy opens to models: none at all where the rollout is off, or in Git mode.
    pub fn list(self, policy: &Policy) -> Vec<ToolSpec> {
        let open = Tool::of(self).filter(|tool| policy.permits(tool.access()).is_ok());
        open.map(|tool| tool.spec(policy.rollout)).collect()
    }

    async fn run<S: Store>(
        self,
        context: ToolContext<'_, S>,
        call: &ToolCall,
    ) -> Result<ToolReply, ToolError> {
        let tool = Tool::named(&call.name, self)?;
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
        Ok(match reading.fields(&snapshot, self.replace_lines) {
            Ok(fields) => reply.with(fields),
            Err(error) => {
                // The call has extended the lease all the same.
                ToolReply::of_error(&error, Some(&snapshot)).with_lease_change(reply.lease_change())
            }
        })
    }
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
        Box::pin(self.run(context, call))
    }
}
