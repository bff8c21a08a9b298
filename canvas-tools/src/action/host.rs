//! What runs tools and takes messages: the host's side of an action.

use std::time::Duration;

use canvas_core::surface::{ActionFailure, EventId, SessionKey, ToolName};
use serde_json::Value;

/// A tool to call, as an action has resolved it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInvocation {
    /// The execution that it belongs to. A tool that can be asked not to do a thing twice takes it as the key.
    pub event_id: EventId,
    /// The tool.
    pub tool: ToolName,
    /// Its arguments, which fit its schema.
    pub arguments: Value,
    /// After so long the host gives up and answers [`ActionFailure::TimedOut`]. What it answers later is dropped.
    pub timeout: Duration,
}

/// A message to send, as an action has resolved it.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionMessage {
    /// The execution that it belongs to.
    pub event_id: EventId,
    /// The session that gets it.
    pub session_key: SessionKey,
    /// Its text.
    pub text: String,
    /// After so long the host gives up and answers [`ActionFailure::TimedOut`].
    pub timeout: Duration,
}

/// Runs tools for actions: a shell, a gateway to nodes, a script in tests.
///
/// It is called once for an execution, with arguments that were checked. It keeps the time-out; a future of it that is
/// dropped may have run.
pub trait ToolHost: Send + Sync {
    /// Runs a tool to its end.
    fn call(&self, invocation: &ToolInvocation) -> impl Future<Output = Result<Value, ActionFailure>> + Send;
}

/// Takes messages of actions to sessions of models.
pub trait SessionHost: Send + Sync {
    /// Sends a message, and waits for the reply.
    fn send(&self, message: &SessionMessage) -> impl Future<Output = Result<Value, ActionFailure>> + Send;
}

impl<H: ToolHost> ToolHost for &H {
    fn call(&self, invocation: &ToolInvocation) -> impl Future<Output = Result<Value, ActionFailure>> + Send {
        (**self).call(invocation)
    }
}

impl<H: SessionHost> SessionHost for &H {
    fn send(&self, message: &SessionMessage) -> impl Future<Output = Result<Value, ActionFailure>> + Send {
        (**self).send(message)
    }
}
