//! The interface through which a driver of the tool loop runs the calls of a turn.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canvas_core::lease::{LeaseId, Timestamp};
use canvas_core::store::Store;
use canvas_core::{CallId, Engine};
use serde_json::json;

use super::call::ToolCall;
use super::context::{ToolContext, Toolset as _};
use super::document::tool::{CHECK_IN, DocumentTools, RENEW_LEASE};
use super::tools::Tools;
use crate::reply::ToolReply;
use crate::session::selection::UserSelection;
use crate::session::{Session, SessionError, TurnClosed, TurnOpened};

/// Runs the calls of a model's turn and maintains its leases.
///
/// The calls of a turn run one after another; however, a renewal or a release may arrive while one runs. Dropping a
/// returned future does not cancel the call, because it may have run already.
pub trait CallHost: Send + Sync {
    /// Runs a call. Every failure is a reply. A call that changes something is identified by its id, so a retry of the
    /// same call returns the first reply.
    fn call(&self, call: &ToolCall, now: Timestamp) -> impl Future<Output = ToolReply> + Send;

    /// Renews a lease that an earlier reply issued.
    fn renew(&self, lease: LeaseId, now: Timestamp) -> impl Future<Output = ToolReply> + Send;

    /// Releases a lease that an earlier reply issued.
    fn release(&self, lease: LeaseId, now: Timestamp) -> impl Future<Output = ToolReply> + Send;
}

impl<C: CallHost> CallHost for Arc<C> {
    fn call(&self, call: &ToolCall, now: Timestamp) -> impl Future<Output = ToolReply> + Send {
        (**self).call(call, now)
    }

    fn renew(&self, lease: LeaseId, now: Timestamp) -> impl Future<Output = ToolReply> + Send {
        (**self).renew(lease, now)
    }

    fn release(&self, lease: LeaseId, now: Timestamp) -> impl Future<Output = ToolReply> + Send {
        (**self).release(lease, now)
    }
}

/// Runs the turns of one conversation on its canvas. It keeps the conversation's [`Session`] from turn to turn, so you
/// need not copy the session back after a turn.
///
/// `TurnDriver` of `canvas-providers` runs the calls of an answer one after another, even if the model asked for them in
/// parallel. If you drive a `ToolLoop` yourself, do the same. If you run two calls of this value at the same time, both
/// start from the same session, and [`CanvasCalls::session`] later returns the memory of the call that ended last. The
/// canvas has the changes of both.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// # use std::sync::Arc;
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{Engine, OpKey, Policy};
/// # use canvas_tools::{CallHost as _, CanvasCalls, DocumentTools, Session, ToolCall, Tools};
/// # let now = Timestamp::from_millis(1_000);
/// # let engine = Arc::new(Engine::new(MemoryStore::new(move || now), Policy::default()));
/// # let plan = "plan".parse()?;
/// # engine.create(&plan, "# Plan\n", &OpKey::host("create".parse()?), now).await?;
/// let tools = Arc::new(Tools::new(DocumentTools::default())?);
/// let session = Session::open(&engine, plan, "chat".parse()?, now).await?;
/// let calls = CanvasCalls::new(engine, tools, session);
///
/// let began = calls.begin_turn("message-1".parse()?, now).await?;
/// assert!(began.hidden_message.is_some_and(|message| message.contains("# Plan")));
/// let call = ToolCall { id: "1".into(), name: "canvas_check_out".into(), arguments: serde_json::json!({}) };
/// assert!(calls.call(&call, now).await.is_ok());
/// calls.end_turn("end-1".parse()?, now).await?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug)]
pub struct CanvasCalls<S> {
    engine: Arc<Engine<S>>,
    tools: Arc<Tools<S>>,
    session: Mutex<Session>,
}

impl<S: Store> CanvasCalls<S> {
    /// Creates a host that runs the calls of `session` with these tools.
    pub fn new(engine: Arc<Engine<S>>, tools: Arc<Tools<S>>, session: Session) -> Self {
        Self { engine, tools, session: Mutex::new(session) }
    }

    /// Begins a turn, like [`Session::begin_turn`].
    ///
    /// # Errors
    ///
    /// Same as [`Session::begin_turn`].
    pub async fn begin_turn(&self, call: CallId, now: Timestamp) -> Result<TurnOpened, SessionError> {
        self.begin_turn_with(call, None, now).await
    }

    /// Begins a turn with the lines that the person selected, like [`Session::begin_turn_with`].
    ///
    /// # Errors
    ///
    /// Same as [`Session::begin_turn_with`].
    pub async fn begin_turn_with(
        &self,
        call: CallId,
        selection: Option<UserSelection>,
        now: Timestamp,
    ) -> Result<TurnOpened, SessionError> {
        let mut session = self.session();
        let began = session.begin_turn_with(&self.engine, call, selection, now).await?;
        *self.lock() = session;
        Ok(began)
    }

    /// Ends the turn, like [`Session::end_turn`].
    ///
    /// # Errors
    ///
    /// Same as [`Session::end_turn`].
    pub async fn end_turn(&self, call: CallId, now: Timestamp) -> Result<TurnClosed, SessionError> {
        self.session().end_turn(&self.engine, call, now).await
    }

    /// Returns the session after the calls so far, for example to store it. A call that is still running has not
    /// changed it yet.
    pub fn session(&self) -> Session {
        self.lock().clone()
    }

    /// Locks the session. A panic elsewhere leaves the session unchanged, because a call stores its copy only when it
    /// ends.
    fn lock(&self) -> MutexGuard<'_, Session> {
        self.session.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a call on behalf of the turn, even if the model does not have this tool. The time makes the call's id
    /// unique.
    async fn lease_call(&self, name: &str, lease: LeaseId, now: Timestamp) -> ToolReply {
        let id = format!("{name}-{lease}-{}", now.as_millis());
        let call = ToolCall { id, name: name.to_owned(), arguments: json!({"lease_id": lease}) };
        let mut session = self.session();
        let id = CallId::new(&call.id).expect("a short name, an id and a number are an id");
        let context = ToolContext { engine: &*self.engine, session: &mut session, id, now };
        match DocumentTools::default().call(context, &call).await {
            Ok(reply) => reply,
            Err(error) => ToolReply::of_error(&error, None),
        }
    }
}

impl<S: Store> CallHost for CanvasCalls<S> {
    async fn call(&self, call: &ToolCall, now: Timestamp) -> ToolReply {
        let mut session = self.session();
        let start = session.start;
        let reply = self.tools.call(&self.engine, &mut session, call, now).await;
        let mut current = self.lock();
        // A message may have begun the next turn meanwhile, whose session this call must not replace.
        if current.start == start {
            *current = session;
        }
        reply
    }

    async fn renew(&self, lease: LeaseId, now: Timestamp) -> ToolReply {
        self.lease_call(RENEW_LEASE, lease, now).await
    }

    async fn release(&self, lease: LeaseId, now: Timestamp) -> ToolReply {
        self.lease_call(CHECK_IN, lease, now).await
    }
}
