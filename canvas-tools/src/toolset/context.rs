//! What a toolset is, and what its calls run with.

use std::fmt;
use std::pin::Pin;

use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::{Answered, CallId, Command, Engine, EngineError, Snapshot};

use super::call::ToolCall;
use super::spec::ToolSpec;
use crate::reply::{ToolError, ToolReply};
use crate::session::Session;

/// Bytes of text that one reading call returns at most. The reply says where it stopped; of a single line that is
/// longer, only the beginning can be read.
pub(super) const READ_BYTES: usize = 256 << 10;

/// Some tools that belong together, such as those of one face of the canvas.
///
/// A toolset is configuration: what a conversation needs between two calls is kept in its [`Session`], so that one value
/// serves all conversations.
pub trait Toolset<S: Store>: fmt::Debug + Send + Sync {
    /// The names of its tools, those included that the engine's policy closes.
    fn names(&self) -> Vec<&str>;

    /// The tools that the engine's policy opens to models.
    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec>;

    /// What a model does with these tools, as the end of "You …", such as "edit a shared Markdown canvas".
    fn task(&self) -> &'static str;

    /// Lines for the system prompt: how to use those of its tools that are in `specs`.
    fn prompt(&self, specs: &[ToolSpec]) -> Vec<String>;

    /// Runs a call of one of its tools. An error reaches the model as a reply, like every other failure.
    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a>;
}

/// The answer of [`Toolset::call`].
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<ToolReply, ToolError>> + Send + 'a>>;

/// Where a call runs, and for whom.
#[derive(Debug)]
pub struct ToolContext<'a, S> {
    /// The engine of the canvas.
    pub engine: &'a Engine<S>,
    /// The conversation that the call belongs to.
    pub session: &'a mut Session,
    /// The id of the call, checked.
    pub id: CallId,
    /// The host's clock.
    pub now: Timestamp,
}

impl<S: Store> ToolContext<'_, S> {
    /// Runs a command as the session's call of this id.
    pub(crate) async fn run<C: Command>(&self, command: C) -> Result<Answered<C>, EngineError> {
        self.run_as(self.id.clone(), command).await
    }

    /// Runs a command under another id in the session's turn.
    pub(crate) async fn run_as<C: Command>(
        &self,
        id: CallId,
        command: C,
    ) -> Result<Answered<C>, EngineError> {
        let operation = self.session.operation(id);
        self.engine.call(&self.session.canvas, &operation, command, self.now).await
    }

    /// The canvas as it is.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, EngineError> {
        self.engine.snapshot(&self.session.canvas, self.now).await
    }
}
