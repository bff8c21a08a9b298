//! The trait of a toolset, and the context in which its calls run.

use std::fmt;
use std::pin::Pin;

use canvas_core::lease::Timestamp;
use canvas_core::rollout::Access;
use canvas_core::store::Store;
use canvas_core::{Answered, CallId, Command, Engine, EngineError, Snapshot};

use super::call::ToolCall;
use super::spec::ToolSpec;
use crate::reply::{ToolError, ToolReply};
use crate::session::Session;

/// Maximum bytes of text that one reading call returns. The reply says where it stopped. If a single line is longer,
/// only its beginning can be read.
pub(super) const READ_BYTES: usize = 256 << 10;

/// The code of a tool that a session which proposes may not use.
pub(super) const PROPOSE_ONLY: &str = "PROPOSE_ONLY";

/// A group of tools that belong together, such as those for one face of the canvas.
///
/// A toolset is configuration only. Everything that a conversation needs between two calls is kept in its [`Session`],
/// so that one value serves all conversations.
pub trait Toolset<S: Store>: fmt::Debug + Send + Sync {
    /// Returns the names of its tools, including those that the engine's policy disables.
    fn names(&self) -> Vec<&str>;

    /// Returns the specs of the tools that the engine's policy offers to models.
    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec>;

    /// Returns the model's task with these tools, as the end of a sentence that begins with "You", for example "edit a
    /// shared Markdown canvas".
    fn task(&self) -> &'static str;

    /// Returns lines for the system prompt that explain how to use the tools in `specs`.
    fn prompt(&self, specs: &[ToolSpec]) -> Vec<String>;

    /// Runs a call of one of its tools. An error reaches the model as a reply, like every other failure.
    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a>;
}

/// The future that [`Toolset::call`] returns. It is boxed because [`Tools`](crate::Tools) holds toolsets of different
/// types. The futures of a [`Store`] are not boxed, because an engine has one type of store.
pub type ToolFuture<'a> = Pin<Box<dyn Future<Output = Result<ToolReply, ToolError>> + Send + 'a>>;

/// The engine, session, call id and time that a call runs with.
#[derive(Debug)]
pub struct ToolContext<'a, S> {
    /// The engine that stores the canvas.
    pub engine: &'a Engine<S>,
    /// The conversation that the call belongs to.
    pub session: &'a mut Session,
    /// The id of the call, already validated.
    pub id: CallId,
    /// The current time, by the host's clock.
    pub now: Timestamp,
}

impl<S: Store> ToolContext<'_, S> {
    /// Runs a command under the id of the session's current call.
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

    /// Runs a command on the document, or on the proposed text if the session proposes.
    pub(crate) async fn run_on_text<C: Command>(&self, command: C) -> Result<Answered<C>, EngineError> {
        let operation = self.session.operation(self.id.clone());
        self.session.run(self.engine, &operation, command, self.now).await
    }

    /// Returns the current state of the canvas, with the proposed text if the session proposes.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, EngineError> {
        self.session.snapshot(self.engine, self.now).await
    }

    /// Checks that the policy permits a call of a tool that does not edit the document. If the session proposes, only
    /// reads are permitted, and the tools that the host allows.
    ///
    /// # Errors
    ///
    /// Returns `TOOL_DISABLED`, `GIT_MODE_UNSUPPORTED` or `PROPOSE_ONLY`.
    pub fn permits(&self, tool: &str, access: Access) -> Result<(), ToolError> {
        self.engine.policy().permits(access)?;
        if matches!(access, Access::Read) { Ok(()) } else { self.check_mode(tool) }
    }

    /// Refuses a tool that may change something else than the document if the session proposes, unless the host allows it.
    pub(crate) fn check_mode(&self, tool: &str) -> Result<(), ToolError> {
        if self.session.mode.allows(tool) {
            return Ok(());
        }
        let message =
            "this conversation only proposes changes of the document: edit the document, or ask the user";
        Err(ToolError::new(PROPOSE_ONLY, message))
    }
}
