//! Joins several toolsets into one.

use std::collections::HashMap;
use std::fmt;

use canvas_core::lease::{KeepAlive, Timestamp};
use canvas_core::rollout::Access;
use canvas_core::store::Store;
use canvas_core::{CallId, CodedError, Engine};

use super::call::ToolCall;
use super::context::{ToolContext, Toolset};
use super::spec::ToolSpec;
use crate::lease_change::{LeaseChange, LeaseTerm};
use crate::reply::{ToolError, ToolReply};
use crate::session::Session;

/// Several toolsets joined, with common specs and a common system prompt. Each call is routed by the tool's name.
///
/// ```
/// use canvas_core::lease::Timestamp;
/// use canvas_core::store::MemoryStore;
/// use canvas_core::rollout::Rollout;
/// use canvas_core::{CodedError as _, Engine, Policy};
/// use canvas_tools::{DirectiveTools, DocumentTools, Tools};
///
/// let directives = DirectiveTools { use_patch_edits: false };
/// let tools = Tools::new(DocumentTools::default())?.with(directives)?;
/// let policy = Policy { rollout: Rollout::ReadOnly, ..Policy::default() };
/// let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), policy);
/// let names: Vec<_> = tools.specs(&engine).into_iter().map(|tool| tool.name).collect();
/// assert_eq!(names, ["canvas_grep", "canvas_read_lines", "canvas_read_all", "document_snapshot"]);
///
/// let twice = tools.with(DocumentTools::ALL);
/// assert_eq!(twice.unwrap_err().code(), "DUPLICATE_TOOL");
/// # Ok::<(), canvas_tools::ToolsError>(())
/// ```
pub struct Tools<S> {
    pub(crate) toolsets: Vec<Box<dyn Toolset<S>>>,
    /// Index of the toolset that has a tool of this name.
    routes: HashMap<String, usize>,
}

impl<S> fmt::Debug for Tools<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tools").field(&self.toolsets).finish()
    }
}

/// Error from joining toolsets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolsError {
    /// Two tools have the same name.
    #[error("two tools are called {name:?}: leave one of their toolsets out")]
    DuplicateTool {
        /// The tool name that occurs twice.
        name: String,
    },
    /// A tool's name is not one that every provider accepts.
    #[error("{name:?} is no name of a tool: use 1 to 64 of the characters a-z, A-Z, 0-9, _ and -")]
    InvalidToolName {
        /// The tool name, which must be 1 to 64 of the characters a-z, A-Z, 0-9, _ and -.
        name: String,
    },
}

impl CodedError for ToolsError {
    fn code(&self) -> &'static str {
        match self {
            Self::DuplicateTool { .. } => "DUPLICATE_TOOL",
            Self::InvalidToolName { .. } => "INVALID_TOOL_NAME",
        }
    }
}

impl<S: Store> Tools<S> {
    /// Creates tools from one toolset. Add others with [`Tools::with`].
    ///
    /// # Errors
    ///
    /// Fails if a tool's name is not one that every provider accepts, or if two tools have the same name.
    pub fn new(toolset: impl Toolset<S> + 'static) -> Result<Self, ToolsError> {
        let toolset: Box<dyn Toolset<S>> = Box::new(toolset);
        Self::try_from(vec![toolset])
    }

    /// Adds a toolset. Specs and system prompt list the toolsets in the order in which they were added.
    ///
    /// # Errors
    ///
    /// Same as [`Tools::new`].
    pub fn with(mut self, toolset: impl Toolset<S> + 'static) -> Result<Self, ToolsError> {
        self.toolsets.push(Box::new(toolset));
        Self::try_from(self.toolsets)
    }

    /// Returns the specs to offer to a model, for the tools that the engine's policy enables.
    ///
    /// A call of a tool that the policy disables fails with `TOOL_DISABLED` or `GIT_MODE_UNSUPPORTED`.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// let tools = Tools::new(DocumentTools::default())?;
    /// let specs = tools.specs(&engine);
    /// assert_eq!(specs[0].name, "canvas_check_out");
    /// assert_eq!(specs[0].parameters["type"], "object");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
    pub fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        self.toolsets.iter().flat_map(|toolset| toolset.specs(engine)).collect()
    }

    /// Returns the names of all tools, including those that the engine's policy disables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.toolsets.iter().flat_map(|toolset| toolset.names())
    }

    /// Runs one call of a model on the session's canvas and returns the reply for the model.
    ///
    /// Every failure is a reply too, with a code and advice on what to do next. The arguments are checked first, then
    /// the receipt of an earlier attempt, then everything that the canvas may refuse. A retry of a call that changes
    /// something returns the reply of the first attempt.
    ///
    /// ```
    /// # canvas_core::testing::block_on(async {
    /// # use canvas_core::document::Edit;
    /// # use canvas_core::lease::Timestamp;
    /// # use canvas_core::store::MemoryStore;
    /// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
    /// # use canvas_tools::{DocumentTools, Session, ToolCall, Tools};
    /// # let now = Timestamp::from_millis(1_000);
    /// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    /// # let plan = CanvasId::new("plan")?;
    /// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
    /// # let mut session = Session::open(&engine, plan, "chat".parse()?, now).await?;
    /// use serde_json::json;
    ///
    /// let tools = Tools::new(DocumentTools::default())?;
    /// let mut call = async |id: &str, name: &str, arguments| {
    ///     let call = ToolCall { id: id.into(), name: name.into(), arguments };
    ///     tools.call(&engine, &mut session, &call, now).await
    /// };
    /// let lease = call("1", "canvas_check_out", json!({})).await;
    /// let patch = json!({"lease_id": lease.lease_id(), "patch": "@@\n # Plan\n+\n+- one\n"});
    /// assert!(call("2", "canvas_apply_patch", patch).await.is_ok());
    ///
    /// // A failure is a reply, too, with the next step.
    /// let patch = json!({"lease_id": lease.lease_id(), "patch": "@@\n-- two\n"});
    /// let refused = call("3", "canvas_apply_patch", patch).await;
    /// assert_eq!(refused.code(), Some("PATCH_REJECTED"));
    /// assert!(refused.body()["error"]["message"].as_str().is_some_and(|message| !message.is_empty()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # }).unwrap();
    /// ```
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
            Err(error) => Self::failed(engine, session, call, &error, now).await,
        }
    }

    /// Builds the reply to a call that failed before it reached the engine. Like any other call, it extends the
    /// caller's lease. If the canvas does not answer, the reply is still the call's own failure.
    async fn failed(
        engine: &Engine<S>,
        session: &Session,
        call: &ToolCall,
        error: &ToolError,
        now: Timestamp,
    ) -> ToolReply {
        let Ok(id) = CallId::new(&call.id) else {
            return ToolReply::of_error(error, session.snapshot(engine, now).await.ok().as_ref());
        };
        let Ok(kept) = session.run(engine, &session.operation(id), KeepAlive, now).await else {
            return ToolReply::of_error(error, None);
        };
        let reply = ToolReply::of_error(error, Some(&kept.snapshot));
        match (
            kept.result.ok().and_then(|kept| kept.expires_at),
            kept.snapshot.head.lock_of(&session.conversation).lease(),
        ) {
            (Some(expires_at), Some(lease)) => {
                reply.with_lease_change(LeaseChange::Extended(LeaseTerm::until(expires_at, lease.id)))
            }
            _ => reply,
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
            engine.policy().permits(Access::Read)?;
        }
        Err(ToolError::unknown_tool(&call.name, open))
    }
}

/// Joins toolsets that are chosen at run time, in the given order. An empty list offers no tools.
impl<S: Store> TryFrom<Vec<Box<dyn Toolset<S>>>> for Tools<S> {
    type Error = ToolsError;

    fn try_from(toolsets: Vec<Box<dyn Toolset<S>>>) -> Result<Self, ToolsError> {
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
}

/// Whether each provider accepts this as the name of a tool.
fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
