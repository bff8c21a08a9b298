//! The host's side of an action, which runs tools and delivers messages.

use std::time::Duration;

use canvas_core::surface::{ActionFailure, EventId, SessionKey, ToolName};
use serde_json::Value;

/// A tool call to make, as resolved by an action.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolInvocation {
    /// The execution that the call belongs to. If the tool supports an idempotency key, use this id.
    pub event_id: EventId,
    /// Name of the tool that the host has to run.
    pub tool: ToolName,
    /// The tool's arguments, already checked against its schema.
    pub arguments: Value,
    /// Time after which the host gives up and returns [`ActionFailure::TimedOut`]. A later result is dropped.
    pub timeout: Duration,
}

/// A message to send, as resolved by an action.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionMessage {
    /// The execution that the message belongs to.
    pub event_id: EventId,
    /// The session that receives the message.
    pub session_key: SessionKey,
    /// The text to deliver to the session.
    pub text: String,
    /// Time after which the host gives up and returns [`ActionFailure::TimedOut`].
    pub timeout: Duration,
}

/// Runs tools for actions, for example in a shell, through a gateway to nodes, or from a script in tests.
///
/// It is called once per execution, with checked arguments. It enforces the timeout itself. If its future is dropped,
/// the tool may have run.
pub trait ToolHost: Send + Sync {
    /// Runs a tool to its end and returns its result.
    fn call(&self, invocation: &ToolInvocation) -> impl Future<Output = Result<Value, ActionFailure>> + Send;
}

/// Delivers messages of actions to the sessions of models.
pub trait SessionHost: Send + Sync {
    /// Sends a message and waits for the reply.
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
