//! The tool calls of a turn, as observed by the host.

use std::sync::Arc;

use canvas_core::json::JsonHash;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{Drift, RecipeLimits, StepId};
use canvas_core::surface::{Ceiling, ToolName};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A call of one of the host's tools, with its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ObservedCall {
    /// The call's id, which becomes the id of a recipe step.
    pub id: StepId,
    /// The host's tool that ran.
    pub tool: ToolName,
    /// The JSON arguments of the call.
    pub arguments: Value,
    /// The JSON result of the call.
    pub result: Value,
    /// Time of the call, by the host's clock.
    pub now: Timestamp,
}

/// The calls of a turn with their results, from which a recipe can be made.
///
/// It holds the last [`Recorder::CALLS`] calls. If their arguments and results exceed [`Recorder::MAX_BYTES`], it drops
/// the oldest of them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Recorder {
    calls: Vec<Seen>,
}

/// A call, with the tool's contract at the time of the call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Seen {
    #[serde(serialize_with = "write_call", deserialize_with = "read_call")]
    pub(crate) call: Arc<ObservedCall>,
    /// `None` if a replay may not call the tool.
    pub(crate) contract: Option<JsonHash>,
    pub(crate) version: Option<String>,
    bytes: usize,
}

fn write_call<S: Serializer>(call: &Arc<ObservedCall>, serializer: S) -> Result<S::Ok, S::Error> {
    call.as_ref().serialize(serializer)
}

fn read_call<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Arc<ObservedCall>, D::Error> {
    ObservedCall::deserialize(deserializer).map(Arc::new)
}

impl Recorder {
    /// Maximum number of calls that it holds.
    pub const CALLS: usize = 128;
    /// Maximum size of all arguments and results together, in bytes of JSON.
    pub const MAX_BYTES: usize = 16 << 20;

    /// Records a successful call, replacing an earlier call with the same id. Takes time linear in the size of the
    /// call.
    ///
    /// # Errors
    ///
    /// `CALL_FAILED` if the arguments or the result are larger, or nested deeper, than a replay accepts. Such a call is
    /// not recorded.
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
        while self.calls.len() > Self::CALLS || total > Self::MAX_BYTES {
            total -= self.calls.remove(0).bytes;
        }
        Ok(())
    }

    /// Forgets all calls, because another turn begins.
    pub fn clear(&mut self) {
        self.calls.clear();
    }

    /// Returns the calls in the order of their arrival.
    pub fn calls(&self) -> impl Iterator<Item = &ObservedCall> {
        self.calls.iter().map(|seen| &*seen.call)
    }

    pub(crate) fn seen(&self) -> &[Seen] {
        &self.calls
    }
}
