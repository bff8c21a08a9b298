//! The host of the canvas: an engine with a store in memory, one session, and a clock that the runner sets.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::document::Edit;
use canvas_core::lease::{LeaseId, Timestamp};
use canvas_core::policy::WriteRules;
use canvas_core::proposal::{DecideParts, PartsDecided};
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, Snapshot};
use canvas_tools::{
    DocumentTools, Session, SessionMode, ToolCall, ToolReply, ToolSpec, Tools, TurnClosed, TurnOpened,
};
use serde_json::json;

use super::runner::RunResult;

/// A canvas, its engine and the conversation about it.
pub(crate) struct Host {
    engine: Engine<MemoryStore>,
    /// Milliseconds since the start: the time of store, leases and loop.
    clock: Arc<AtomicU64>,
    tools: Tools<MemoryStore>,
    session: Session,
    /// Operations of the user and the host so far, from which their call ids are made. They may count from 1, as the canvas
    /// is gone with the process; where it is stored, take [`canvas_core::CallIds`].
    operations: u64,
}

impl Host {
    /// A canvas with this text, and a session on it.
    pub(crate) fn open(text: &str) -> RunResult<Self> {
        let clock = Arc::new(AtomicU64::new(0));
        let shared = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
        // A model looks at lines before it changes them.
        let engine = Engine::new(
            store,
            Policy {
                writes: WriteRules { require_located: true, ..Default::default() },
                ..Policy::default()
            },
        );
        let (canvas, now) = (CanvasId::new("quickstart")?, Timestamp::from_millis(0));
        // The chat that makes the canvas knows its first text; one that joins later gets it with its first message.
        let chat = ConversationId::new("chat")?;
        let create = OpKey::of(chat.clone(), "create".parse()?);
        block_on(engine.create(&canvas, text, &create, now))?;
        let session = block_on(Session::open(&engine, canvas, chat, now))?;
        let tools = Tools::new(DocumentTools::default())?;
        Ok(Self { engine, clock, tools, session, operations: 0 })
    }

    /// Milliseconds on the clock.
    pub(crate) fn now(&self) -> u64 {
        self.clock.load(Ordering::Relaxed)
    }

    pub(crate) fn wait_until(&self, time: u64) {
        self.clock.store(time, Ordering::Relaxed);
    }

    /// The user sends a message.
    pub(crate) fn message(&mut self) -> RunResult<TurnOpened> {
        let (call, now) = (self.call_id()?, self.timestamp());
        Ok(block_on(self.session.begin_turn(&self.engine, call, now))?)
    }

    /// The model's turn is over.
    pub(crate) fn end_turn(&mut self) -> RunResult<TurnClosed> {
        let (call, now) = (self.call_id()?, self.timestamp());
        Ok(block_on(self.session.end_turn(&self.engine, call, now))?)
    }

    /// The user types.
    pub(crate) fn edit(&mut self, edit: impl Fn(&str) -> String) -> RunResult {
        let edit = Edit::overwrite(edit(self.snapshot()?.text()));
        let operation = OpKey::user(self.call_id()?);
        block_on(self.engine.call(&self.session.canvas, &operation, edit, self.timestamp()))?.result?;
        Ok(())
    }

    /// From the next turn on, the model's edits wait for a decision.
    pub(crate) fn let_propose(&mut self) {
        self.session.mode = SessionMode::propose();
    }

    /// The user decides on what the model proposes.
    pub(crate) fn decide(&mut self, decision: DecideParts) -> RunResult<PartsDecided> {
        let operation = OpKey::user(self.call_id()?);
        let decided = self.engine.call(&self.session.canvas, &operation, decision, self.timestamp());
        Ok(block_on(decided)?.result?)
    }

    /// The model calls a tool.
    pub(crate) fn call(&mut self, call: &ToolCall) -> ToolReply {
        let now = self.timestamp();
        block_on(self.tools.call(&self.engine, &mut self.session, call, now))
    }

    /// What the model hears of its tools: the system prompt and their specs.
    pub(crate) fn tools(&self) -> (String, Vec<ToolSpec>) {
        let briefing = self.tools.briefing_in(&self.engine, &self.session.mode);
        (briefing.system, briefing.tools)
    }

    /// A call that the loop asks for, to renew or release a lease.
    pub(crate) fn lease_call(&mut self, name: &str, lease_id: LeaseId) -> ToolCall {
        self.operations += 1;
        let id = format!("host-{}", self.operations);
        ToolCall { id, name: name.into(), arguments: json!({"lease_id": lease_id}) }
    }

    pub(crate) fn snapshot(&self) -> RunResult<Snapshot> {
        Ok(block_on(self.engine.snapshot(&self.session.canvas, self.timestamp()))?)
    }

    /// Revision, epoch and lock.
    pub(crate) fn state(&self) -> RunResult<String> {
        let snapshot = self.snapshot()?;
        let (revision, epoch) = (snapshot.revision_id(), snapshot.head.lock().epoch());
        Ok(format!("{revision}, epoch {epoch}, {}", self.lock_of(&snapshot)))
    }

    /// What a user interface shows of the lock: whether the assistant edits, and nothing of lease ids.
    pub(crate) fn lock(&self) -> RunResult<&'static str> {
        Ok(self.lock_of(&self.snapshot()?))
    }

    fn lock_of(&self, snapshot: &Snapshot) -> &'static str {
        match snapshot.head.lock().valid_lease(&self.engine.policy().lease, snapshot.clock) {
            Some(_) => "locked: “Assistant editing canvas…”",
            None => "unlocked",
        }
    }

    fn timestamp(&self) -> Timestamp {
        Timestamp::from_millis(self.now())
    }

    fn call_id(&mut self) -> RunResult<CallId> {
        self.operations += 1;
        Ok(CallId::new(&format!("host-{}", self.operations))?)
    }
}
