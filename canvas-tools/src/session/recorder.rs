//! The calls of a turn, as its host has seen them.

use std::sync::Arc;

use canvas_core::json::JsonHash;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{Drift, RecipeLimits, StepId};
use canvas_core::surface::{Ceiling, ToolName};
use serde_json::Value;

/// A call of one of the host's tools, and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct ObservedCall {
    /// The id of the call, which becomes that of a step.
    pub id: StepId,
    /// The tool.
    pub tool: ToolName,
    /// What it was called with.
    pub arguments: Value,
    /// What it has answered.
    pub result: Value,
    /// When it was called.
    pub now: Timestamp,
}

/// The calls of a turn with their results, of which a recipe can be made.
///
/// It has the last [`Recorder::CALLS`] calls, and of these no more than [`Recorder::BYTES`] of results.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recorder {
    calls: Vec<Seen>,
}

/// A call, with its tool's contract at that time.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Seen {
    pub(crate) call: Arc<ObservedCall>,
    /// `None` where no replay may call the tool.
    pub(crate) contract: Option<JsonHash>,
    pub(crate) version: Option<String>,
    bytes: usize,
}

impl Recorder {
    /// Calls that it has at most.
    pub const CALLS: usize = 128;
    /// Bytes of arguments and results that it has at most, as JSON.
    pub const BYTES: usize = 16 << 20;

    /// Takes a call that has succeeded. One of the same id is replaced. Linear in the result.
    ///
    /// # Errors
    ///
    /// `CALL_FAILED` where the result is larger, or nested deeper, than a replay takes. It is not kept then.
    pub fn observe(
        &mut self,
        call: ObservedCall,
        ceiling: &Ceiling,
        limits: &RecipeLimits,
    ) -> Result<(), Drift> {
        limits.check_response(&call.arguments)?;
        limits.check_response(&call.result)?;
        let allowed = ceiling.allow.as_ref().is_none_or(|allowed| allowed.contains(&call.tool));
        let contract = ceiling.tools.get(&call.tool).filter(|_| allowed);
        let contract = contract.filter(|contract| contract.declaration().read_only);
        let bytes = call.arguments.to_string().len() + call.result.to_string().len();
        let seen = Seen {
            contract: contract.map(|contract| contract.hash()),
            version: contract.and_then(|contract| contract.declaration().version.clone()),
            call: Arc::new(call),
            bytes,
        };
        self.calls.retain(|other| other.call.id != seen.call.id);
        self.calls.push(seen);
        let mut total: usize = self.calls.iter().map(|seen| seen.bytes).sum();
        while self.calls.len() > Self::CALLS || total > Self::BYTES {
            total -= self.calls.remove(0).bytes;
        }
        Ok(())
    }

    /// Forgets all: another turn begins.
    pub fn clear(&mut self) {
        self.calls.clear();
    }

    /// The calls in the order in which they came.
    pub fn calls(&self) -> impl Iterator<Item = &ObservedCall> {
        self.calls.iter().map(|seen| &*seen.call)
    }

    pub(crate) fn seen(&self) -> &[Seen] {
        &self.calls
    }
}
