//! Toolsets: what a model can call, how it is told, and the value that joins several and routes calls.

mod arguments;
#[cfg(feature = "board")]
pub(crate) mod board;
pub(crate) mod call;
pub(crate) mod directive;
pub(crate) mod document;
pub(crate) mod error;
pub(crate) mod spec;

use std::collections::HashMap;
use std::fmt;
use std::pin::Pin;

use canvas_core::lease::Timestamp;
use canvas_core::{Access, Call, CallId, Command, Engine, EngineError, Outcome, Policy, Snapshot, Store};

use self::arguments::truncate;
use self::call::ToolCall;
use self::error::ToolError;
use self::spec::ToolSpec;
use crate::prompt::system_prompt;
use crate::reply::ToolReply;
use crate::session::Session;

/// Bytes of text that one reading call returns at most. The reply says where it stopped; of a single line that is
/// longer, only the beginning can be read.
const READ_BYTES: usize = 256 << 10;

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
    pub(crate) async fn run(&self, command: Command) -> Result<(Outcome, Snapshot), EngineError> {
        self.run_as(self.id.clone(), command).await
    }

    /// Runs a command under another id in the session's turn.
    pub(crate) async fn run_as(
        &self,
        id: CallId,
        command: Command,
    ) -> Result<(Outcome, Snapshot), EngineError> {
        let call = Call { operation: self.session.operation(id), command };
        let answered = self.engine.call(&self.session.canvas, &call, self.now).await?;
        Ok((answered.outcome, answered.snapshot))
    }

    /// The canvas as it is.
    pub(crate) async fn snapshot(&self) -> Result<Snapshot, EngineError> {
        self.engine.snapshot(&self.session.canvas, self.now).await
    }
}

/// Several toolsets as one: their specs and system prompt joined, and each call routed by its name.
///
/// ```
/// use canvas_core::{Engine, MemoryStore, Policy, Rollout};
/// use canvas_core::lease::Timestamp;
/// use canvas_tools::{DirectiveTools, DocumentTools, Tools};
///
/// let directives = DirectiveTools { use_patch_edits: false };
/// let tools = Tools::new(vec![Box::new(DocumentTools::default()), Box::new(directives)])?;
/// let policy = Policy { rollout: Rollout::ReadOnly, ..Policy::default() };
/// let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), policy);
/// let names: Vec<_> = tools.specs(&engine).into_iter().map(|tool| tool.name).collect();
/// assert_eq!(names, ["canvas_grep", "canvas_read_lines", "canvas_read_all", "document_snapshot"]);
///
/// let twice = Tools::<MemoryStore>::new(vec![Box::new(DocumentTools::ALL), Box::new(DocumentTools::ALL)]);
/// assert_eq!(twice.unwrap_err().code(), "DUPLICATE_TOOL");
/// # Ok::<(), canvas_tools::ToolsError>(())
/// ```
pub struct Tools<S> {
    toolsets: Vec<Box<dyn Toolset<S>>>,
    /// The toolset of each name, as an index.
    routes: HashMap<String, usize>,
}

impl<S> fmt::Debug for Tools<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tools").field(&self.toolsets).finish()
    }
}

/// Why toolsets cannot be joined.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ToolsError {
    /// Two tools have the same name.
    #[error("two tools are called {name:?}: leave one of their toolsets out")]
    DuplicateTool {
        /// The name.
        name: String,
    },
    /// No provider takes a tool of this name.
    #[error("{name:?} is no name of a tool: use 1 to 64 of the characters a-z, A-Z, 0-9, _ and -")]
    InvalidToolName {
        /// The name.
        name: String,
    },
}

impl ToolsError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::DuplicateTool { .. } => "DUPLICATE_TOOL",
            Self::InvalidToolName { .. } => "INVALID_TOOL_NAME",
        }
    }

    /// Whether the same toolsets can be joined later: never.
    pub const fn retryable(&self) -> bool {
        false
    }
}

impl<S: Store> Tools<S> {
    /// Joins toolsets. A model is told of them in this order.
    ///
    /// # Errors
    ///
    /// Where two tools have one name, or a tool has a name that no provider takes.
    pub fn new(toolsets: Vec<Box<dyn Toolset<S>>>) -> Result<Self, ToolsError> {
        let mut routes = HashMap::new();
        for (index, toolset) in toolsets.iter().enumerate() {
            for name in toolset.names() {
                if !is_tool_name(name) {
                    return Err(ToolsError::InvalidToolName { name: name.into() });
                }
                if routes.insert(name.to_owned(), index).is_some() {
                    return Err(ToolsError::DuplicateTool { name: name.into() });
                }
            }
        }
        Ok(Self { toolsets, routes })
    }

    /// The tools as they are told to a model: those that the engine's policy opens. A call of one that is closed is
    /// answered `TOOL_DISABLED` or `GIT_MODE_UNSUPPORTED`.
    pub fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        self.toolsets.iter().flat_map(|toolset| toolset.specs(engine)).collect()
    }

    /// The system prompt for the tools of [`Tools::specs`]; empty where there are none.
    ///
    /// For the seven document tools it stays within 400 tokens of o200k; each further one adds a line.
    pub fn system_prompt(&self, engine: &Engine<S>) -> String {
        system_prompt(&self.toolsets, engine)
    }

    /// Runs one call of a model on the session's canvas and says what the model gets back.
    ///
    /// Every failure is a reply too: the model reads its code and what to do next. Wrong arguments come first, then a
    /// retry's receipt, then what the canvas refuses. A retry of a call that changes something is answered as the first
    /// call was.
    pub async fn call(
        &self,
        engine: &Engine<S>,
        session: &mut Session,
        call: &ToolCall,
        now: Timestamp,
    ) -> ToolReply {
        let answer = match self.route(engine, call) {
            Ok((toolset, id)) => toolset.call(ToolContext { engine, session, id, now }, call).await,
            Err(error) => Err(error),
        };
        match answer {
            Ok(reply) => reply,
            Err(error) => {
                // The canvas is asked only for its revision; where it does not answer, the call has failed all the same.
                let snapshot = engine.snapshot(&session.canvas, now).await.ok();
                ToolReply::of_error(&error, snapshot.as_ref())
            }
        }
    }

    fn route(&self, engine: &Engine<S>, call: &ToolCall) -> Result<(&dyn Toolset<S>, CallId), ToolError> {
        let id =
            CallId::new(&call.id).map_err(|e| ToolError::argument("", format!("the id of the call: {e}")))?;
        if let Some(&index) = self.routes.get(&call.name) {
            return Ok((&*self.toolsets[index], id));
        }
        let open: Vec<String> = self.specs(engine).into_iter().map(|spec| spec.name).collect();
        if open.is_empty() {
            permit(engine.policy(), Access::Read)?;
        }
        Err(unknown_tool(&call.name, open))
    }
}

/// What each provider takes as the name of a tool.
fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The error for a name that no tool has.
fn unknown_tool(name: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> ToolError {
    let mut message = format!("there is no tool \"{}\": call one of ", truncate(name, 80));
    for (number, known) in known.into_iter().enumerate() {
        message.push_str(if number > 0 { ", " } else { "" });
        message.push_str(known.as_ref());
    }
    ToolError::new("UNKNOWN_TOOL", message)
}

/// Whether the policy opens tools of this access to models.
fn permit(policy: &Policy, access: Access) -> Result<(), ToolError> {
    policy.permits(access).map_err(|refusal| (&*refusal).into())
}
