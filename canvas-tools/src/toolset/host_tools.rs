//! The host's own tools, offered together with the canvas tools.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::store::Store;
use canvas_core::surface::{ActionFailure, EventId, ToolName};
use canvas_core::{BlobId, Engine, NameError};
use serde_json::json;

use super::call::ToolCall;
use super::context::{ToolContext, ToolFuture, Toolset};
use super::spec::ToolSpec;
use crate::action::{ToolHost, ToolInvocation};
use crate::reply::{ArgumentDetail, Failure, ToolError, ToolReply, shorten};

/// Tools that the host runs, such as a shell or a search, which the model calls in addition to the canvas tools.
///
/// The host checks their arguments, and decides whether a call may run: neither the canvas's policy nor its lease applies
/// to these tools. The canvas does not keep receipts of these calls, so a repeated call runs again, with the same
/// [`event_id`](ToolInvocation::event_id). A slow tool delays the other calls of the turn, because they run one after
/// another. Meanwhile `TurnDriver` of `canvas-providers` renews the model's lease, up to the maximum hold. To let the model make
/// a recipe of these calls, pass each one to `Recorder::observe`.
pub struct HostTools<H> {
    /// Runs the calls of these tools.
    pub host: Arc<H>,
    /// The specs offered to the model.
    pub specs: Vec<ToolSpec>,
    /// Time after which the host gives up on a call.
    pub timeout: Duration,
}

impl<H> fmt::Debug for HostTools<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { specs, timeout, .. } = self;
        f.debug_struct("HostTools").field("specs", specs).field("timeout", timeout).finish_non_exhaustive()
    }
}

impl<S: Store, H: ToolHost> Toolset<S> for HostTools<H> {
    fn names(&self) -> Vec<&str> {
        self.specs.iter().map(|spec| spec.name.as_str()).collect()
    }

    fn specs(&self, _engine: &Engine<S>) -> Vec<ToolSpec> {
        self.specs.clone()
    }

    fn task(&self) -> &'static str {
        "use the tools of the host"
    }

    fn prompt(&self, _specs: &[ToolSpec]) -> Vec<String> {
        Vec::new()
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(async move {
            context.check_mode(&call.name)?;
            let argument = |error: NameError| ToolError::argument("", error.to_string());
            let operation = context.session.operation(context.id.clone());
            let parts =
                json!([context.session.canvas, operation.conversation, operation.turn, operation.call]);
            let digest = BlobId::of(parts.to_string().as_bytes()).to_string();
            let invocation = ToolInvocation {
                event_id: EventId::new(&format!("call-{}", &digest[..32])).map_err(argument)?,
                tool: ToolName::new(&call.name).map_err(argument)?,
                arguments: call.arguments.clone(),
                timeout: self.timeout,
            };
            Ok(match self.host.call(&invocation).await {
                Ok(result) => ToolReply::new(json!({"ok": true, "result": result})),
                Err(failure) => ToolReply::failed(&failed(failure), None),
            })
        })
    }
}

fn failed(failure: ActionFailure) -> Failure<ArgumentDetail> {
    match failure {
        ActionFailure::Failed { code, message } => {
            Failure { reason: code.map(Into::into), ..Failure::new("TOOL_FAILED", shorten(&message)) }
        }
        ActionFailure::TimedOut => Failure::new(
            "TOOL_TIMEOUT",
            "the tool took too long and may have run: look at what it did before you call it again",
        ),
    }
}
