//! Operations on canvases.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use canvas_core::document::{Base, Edit, Edited};
use canvas_core::history::{HistoryMove, Redo, Undo, UndoRefusal, UndoScope};
use canvas_core::lease::{CheckIn, LeasePolicy, Timestamp, Turn};
use canvas_core::policy::WriteRules;
use canvas_core::store::{BoxStore, Store};
use canvas_core::turn::{Cancel, Promotion, SetWorkMode, WorkMode};
use canvas_core::{
    Author, BlobId, CallId, CanvasId, CollectOptions, Command, ConversationId, Engine, OpKey, PersonId,
    Policy, Refused as _, RevisionId,
};
use canvas_tools::{DocumentTools, Session, SessionMode, ToolCall, ToolReply, ToolSpec, Tools};
use serde_json::{Value, json};

use super::BridgeClock;
use super::faces::{Faces, join};
use super::request::{BridgeError, Request, left_out};
use super::store::{self, Counted, Written};

/// The turns in which calls were first answered, so that a retry stays one. Of all canvases together, the oldest are
/// forgotten beyond a number of calls.
#[derive(Debug, Default)]
struct Turns {
    known: HashMap<CallKey, Turn>,
    order: VecDeque<CallKey>,
}

type CallKey = (CanvasId, ConversationId, CallId);

impl Turns {
    const MAX: usize = 65_536;

    fn get(&self, key: &CallKey) -> Option<Turn> {
        self.known.get(key).copied()
    }

    fn insert(&mut self, key: CallKey, turn: Turn) {
        if self.known.insert(key.clone(), turn).is_none() {
            self.order.push_back(key);
        }
        if self.order.len() > Self::MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.known.remove(&oldest);
        }
    }

    fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

/// The tools of a model's call.
#[derive(Debug, Clone, Copy)]
pub(super) enum Offered<'t> {
    /// The usual ones.
    All,
    /// Those of the extended toolset, with its policies.
    Extended,
    /// Those of the extended toolset, with the usual policies.
    Switched,
    /// These alone, with the policies of the extended toolset or the usual ones.
    Only { tools: &'t Tools<BoxStore>, is_extended: bool },
}

/// All canvases of a bridge, the clock that its requests set, and the turn in which each call was first answered.
#[derive(Debug)]
pub(super) struct Documents {
    store: BoxStore,
    engine: Engine,
    /// The same canvases under the policies of the extended toolset.
    extended: Engine,
    tools: Tools<BoxStore>,
    /// The usual ones with those that a host switches on.
    extended_tools: Tools<BoxStore>,
    /// What conversations keep between two calls, in the sessions of their last ones.
    sessions: HashMap<(CanvasId, ConversationId), Session>,
    /// Sessions that propose.
    proposing: HashSet<(CanvasId, ConversationId)>,
    clock: Arc<AtomicU64>,
    /// Begins the ids of the bridge's own calls: a store on disk may have those of an earlier bridge.
    run: String,
    turns: Turns,
    calls: u64,
    rules: Rules,
    lease: LeasePolicy,
    /// The person of the request that is being answered.
    pub(super) person: Option<PersonId>,
    /// What commits have put.
    written: Arc<Written>,
    pub(super) faces: Faces,
}

impl Default for Documents {
    fn default() -> Self {
        let clock = Arc::new(AtomicU64::new(0));
        let shared = Arc::clone(&clock);
        let written = Arc::default();
        let store = store::memory(&written, move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
        let faces = Faces::default();
        let (rules, lease) = (Rules::default(), LeasePolicy::default());
        let [usual, extended] = rules.policies(lease);
        Self {
            engine: Engine::new(store.clone(), usual),
            extended: Engine::new(store.clone(), extended),
            store,
            sessions: HashMap::new(),
            proposing: HashSet::new(),
            run: "bridge".to_owned(),
            tools: faces.tools(),
            extended_tools: faces.extended_tools(),
            clock,
            turns: Turns::default(),
            rules,
            lease,
            calls: 0,
            person: None,
            written,
            faces,
        }
    }
}

/// Nobody else writes while a bridge collects, so nothing is too young to go.
fn policy() -> Policy {
    Policy { min_blob_age: Duration::ZERO, ..Policy::default() }
}

/// The rules for writes that a host has set.
#[derive(Debug, Default, Clone, Copy)]
struct Rules {
    rebase: Option<bool>,
    retake: Option<bool>,
    merge_words: Option<bool>,
}

impl Rules {
    /// The usual policy and that of the extended toolset, which applies a patch that fits rather than ask for it again.
    fn policies(self, lease: LeasePolicy) -> [Policy; 2] {
        [false, true].map(|is_lenient| {
            let writes = WriteRules {
                rebase: self.rebase.unwrap_or(is_lenient),
                retake: self.retake.unwrap_or(is_lenient),
                merge_words: self.merge_words.unwrap_or_default(),
                ..WriteRules::default()
            };
            Policy { writes, lease, ..policy() }
        })
    }
}

/// Names a run. Forked processes begin with equal random states.
fn run_name() -> String {
    // WebAssembly has neither processes nor a clock, and only stores in memory, which no other run has.
    let (process, now) = match cfg!(target_family = "wasm") {
        true => (0, SystemTime::UNIX_EPOCH),
        false => (std::process::id(), SystemTime::now()),
    };
    format!("bridge-{:016x}", RandomState::new().hash_one((process, now)))
}

/// The conversation of the user's own operations. No caller's session is likely to begin with a NUL.
const USER: &str = "\0user";

/// The session of requests that name none.
const MAIN: &str = "main";

/// Tools that leave no receipt: a retry of their calls runs again.
const READS: [&str; 9] = [
    "canvas_grep",
    "canvas_read_lines",
    "canvas_read_all",
    "canvas_outline",
    "canvas_read_section",
    "canvas_history",
    "document_snapshot",
    "show_canvas",
    "plan_canvas",
];

impl Documents {
    /// Keeps the canvases in a store of the host.
    pub(super) fn with_store<S: Store>(run: &str, open: impl FnOnce(BridgeClock) -> S) -> Self {
        // The store is in use, so no other one can be opened.
        let mut documents = Self { run: format!("bridge-{run}"), calls: 1, ..Self::default() };
        let clock = Arc::clone(&documents.clock);
        let store = open(Arc::new(move || Timestamp::from_millis(clock.load(Ordering::Relaxed))));
        documents.store = Counted::boxed(store, &documents.written);
        documents.renew_engine();
        documents
    }

    /// Keeps the canvases elsewhere from now on, before there are any.
    pub(super) fn open(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        if self.calls > 0 || !self.turns.is_empty() {
            let message = "canvases are in use: open the store before any other operation on one";
            return Err(BridgeError::new("BAD_REQUEST", message.to_owned()));
        }
        let clock = Arc::clone(&self.clock);
        let now = move || Timestamp::from_millis(clock.load(Ordering::Relaxed));
        self.store = store::open(request, &self.written, now)?;
        self.renew_engine();
        self.run = run_name();
        Ok(json!({}))
    }

    /// An engine that knows nothing but the store and what the host lets surfaces do.
    pub(super) fn renew_engine(&mut self) {
        let [usual, extended] = self.rules.policies(self.lease);
        self.engine = self.faces.engine(self.store.clone(), usual);
        self.extended = self.faces.engine(self.store.clone(), extended);
    }

    /// Changes the rules that a request names, and returns the usual ones.
    pub(super) fn set_policy(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let (mut rules, mut lease) = (self.rules, self.lease);
        if let Some(ttl) = request.field::<Option<NonZeroU32>>("lease_ttl")? {
            lease.ttl = Duration::from_millis(ttl.get().into());
            lease.max_hold = lease.ttl.max(LeasePolicy::default().max_hold);
        }
        let Rules { rebase, retake, merge_words } = &mut rules;
        for (name, rule) in [("rebase", rebase), ("retake", retake), ("merge_words", merge_words)] {
            *rule = request.field::<Option<bool>>(name)?.or(*rule);
        }
        (self.rules, self.lease) = (rules, lease);
        self.renew_engine();
        let Policy { writes: WriteRules { rebase, retake, merge_words, .. }, lease, .. } =
            *self.engine.policy();
        let lease_ttl = lease.ttl.as_millis() as u64;
        Ok(json!({"lease_ttl": lease_ttl, "rebase": rebase, "retake": retake, "merge_words": merge_words}))
    }

    /// Tools that reach the host which is set up.
    pub(super) fn renew_tools(&mut self) {
        self.tools = self.faces.tools();
        self.extended_tools = self.faces.extended_tools();
    }

    /// What was in memory is gone, but for the turns of calls: who retries one still does.
    pub(super) fn restart(&mut self) -> Value {
        self.faces.restart();
        self.renew_engine();
        self.sessions.clear();
        self.renew_tools();
        json!({})
    }

    /// Drops what nothing needs any more.
    pub(super) async fn collect(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        self.now(request)?;
        let (canvas, default) = (canvas(request)?, CollectOptions::default());
        let collection = CollectOptions {
            history: request.field::<Option<u64>>("keep_entries")?,
            older_than: request
                .field::<Option<u64>>("older_than")?
                .map_or(default.older_than, Duration::from_millis),
            ..default
        };
        let dropped = self.engine.collect(&canvas, collection).await?;
        let put: Vec<_> = self.written.ids(&canvas).into_iter().collect();
        for ids in put.chunks(1_000) {
            let blobs = self.engine.store().blobs(&canvas, ids).await?;
            let gone = ids.iter().zip(blobs).filter(|(_, blob)| blob.is_none()).map(|(id, _)| id);
            self.written.forget(&canvas, gone);
        }
        Ok(json!({"removed": dropped.blobs}))
    }

    /// How much a canvas takes. Blobs count that this bridge has put or that the canvas needs.
    pub(super) async fn stats(&self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let canvas = canvas(request)?;
        let mut ids: BTreeSet<BlobId> = self.written.ids(&canvas);
        ids.extend(self.engine.blobs_in_use(&canvas, self.clock()).await?);
        let ids: Vec<_> = ids.into_iter().collect();
        let (mut blobs, mut blob_bytes) = (0, 0);
        for ids in ids.chunks(1_000) {
            for blob in self.engine.store().blobs(&canvas, ids).await?.into_iter().flatten() {
                (blobs, blob_bytes) = (blobs + 1, blob_bytes + blob.as_bytes().len());
            }
        }
        let head_bytes = self.engine.store().load(&canvas).await?.map_or(0, |row| row.head.to_json().len());
        let written_bytes = self.written.bytes(&canvas);
        Ok(json!({
            "head_bytes": head_bytes, "blobs": blobs, "blob_bytes": blob_bytes, "written_bytes": written_bytes,
        }))
    }

    pub(super) async fn create(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let now = self.now(request)?;
        let canvas = canvas(request)?;
        let operation = self.making()?;
        let markdown = request.text("markdown")?;
        let created = self.engine.create(&canvas, markdown, &operation, now).await?;
        Ok(json!({"revision_id": created.snapshot.revision_id()}))
    }

    pub(super) async fn text(&self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let snapshot = self.engine.snapshot(&canvas(request)?, self.clock()).await?;
        let lock = snapshot.head.lock();
        Ok(json!({
            "markdown": snapshot.text(),
            "revision_id": snapshot.revision_id(),
            "canvas_epoch": lock.epoch(),
            "locked": lock.valid_lease(&self.engine.policy().lease, snapshot.clock).is_some(),
        }))
    }

    /// What a host polls, because it reads the head alone.
    pub(super) async fn version(&self, request: &Request<'_>) -> Result<Value, BridgeError> {
        Ok(json!(self.engine.revision_of(&canvas(request)?).await?))
    }

    pub(super) async fn tool_call(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let now = self.now(request)?;
        let session = match self.session(request, now).await {
            Ok(session) => session,
            Err(_) if Faces::may_create(request.text("name")?) => self.first_session(request)?,
            Err(error) => return Err(error),
        };
        let call = ToolCall {
            id: request.text("call_id")?.to_owned(),
            name: request.text("name")?.to_owned(),
            arguments: request.field::<Option<Value>>("arguments")?.unwrap_or(Value::Null),
        };
        let toolset = request.field::<Option<&str>>("toolset")?;
        if request.field::<Option<bool>>("strict")?.unwrap_or(false) {
            let tools = self.tools_of(request)?;
            let offered = Offered::Only { tools: &tools, is_extended: toolset == Some("extended") };
            return Ok(self.run(&session, &call, now, offered).await?.body().clone());
        }
        let offered = match toolset {
            Some("extended") => Offered::Extended,
            _ if self.tools.names().any(|name| name == call.name) => Offered::All,
            // A tool that is only there is found without its toolset too, under the usual policies.
            _ if self.extended_tools.names().any(|name| name == call.name) => Offered::Switched,
            _ => Offered::All,
        };
        Ok(self.run(&session, &call, now, offered).await?.body().clone())
    }

    /// Runs a model's call in the turn in which its id was first answered, so that a retry stays a retry.
    pub(super) async fn run(
        &mut self,
        session: &Session,
        call: &ToolCall,
        now: Timestamp,
        offered: Offered<'_>,
    ) -> Result<ToolReply, BridgeError> {
        let mut session = session.clone();
        let key = (session.canvas.clone(), session.conversation.clone(), CallId::new(&call.id)?);
        let seen = self.turns.get(&key);
        session.turn = seen.unwrap_or(session.turn);
        let whose = (session.canvas.clone(), session.conversation.clone());
        self.faces.remind(&mut session, self.sessions.remove(&whose));
        let (engine, tools) = match offered {
            Offered::All => (&self.engine, &self.tools),
            Offered::Extended => (&self.extended, &self.extended_tools),
            Offered::Switched => (&self.engine, &self.extended_tools),
            Offered::Only { tools, is_extended: false } => (&self.engine, tools),
            Offered::Only { tools, is_extended: true } => (&self.extended, tools),
        };
        let reply = tools.call(engine, &mut session, call, now).await;
        let turn = session.turn;
        self.sessions.insert(whose, session);
        self.faces.follow_reply(&key.0, &reply);
        let has_receipt = !matches!(reply.code(), Some("INVALID_ARGUMENTS" | "UNKNOWN_TOOL"));
        if seen.is_none() && has_receipt && !READS.contains(&call.name.as_str()) {
            self.turns.insert(key, turn);
        }
        Ok(reply)
    }

    pub(super) async fn user_edit(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let base = request.field::<Option<RevisionId>>("base_revision_id")?.map(Base::Id);
        let edit = Edit { markdown: request.text("markdown")?.to_owned(), base };
        let Edited { epoch, revision, moved, merged } = self.user(request, edit).await?;
        Ok(json!({"revision_id": revision, "canvas_epoch": epoch, "moved": moved, "merged": merged}))
    }

    pub(super) async fn user_cancel(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let now = self.now(request)?;
        let session = self.session(request, now).await?;
        // The cancellation ends the turn of this conversation.
        let call = self.call_id()?;
        let operation = OpKey { person: self.person.clone(), ..OpKey::of(session.conversation, call) };
        let cancelled = self.engine.call(&session.canvas, &operation, Cancel, now).await?;
        Ok(
            json!({"canvas_epoch": cancelled.result.map_err(|refusal| BridgeError::from(refusal.view()))?.epoch}),
        )
    }

    pub(super) async fn set_mode(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let mode: WorkMode = request.field("mode")?;
        self.user(request, SetWorkMode { mode }).await?;
        Ok(json!({}))
    }

    pub(super) async fn user_message(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let now = self.now(request)?;
        let mut session = self.session(request, now).await?;
        let (call, selection) = (self.call_id()?, request.field("selection")?);
        let began = session.begin_turn_with(&self.engine, call, selection, now).await?;
        self.faces.begin_turn(&session);
        Ok(json!({"canvas_epoch": began.epoch, "hidden_message": began.hidden_message}))
    }

    pub(super) async fn turn_end(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let now = self.now(request)?;
        let session = self.session(request, now).await?;
        let call = self.call_id()?;
        let ended = session.end_turn(&self.engine, call, now).await?;
        let promoted = ended.promotion == Promotion::Promoted;
        Ok(json!({"hidden_message": ended.hidden_message, "promoted": promoted}))
    }

    /// The session of a request, in the turn that runs on its canvas.
    pub(super) async fn session(
        &self,
        request: &Request<'_>,
        now: Timestamp,
    ) -> Result<Session, BridgeError> {
        let name = request.field::<Option<&str>>("session")?.unwrap_or(MAIN);
        let conversation = ConversationId::new(name)?;
        let session = Session::open(&self.engine, canvas(request)?, conversation, now).await?;
        Ok(self.in_mode(session))
    }

    fn in_mode(&self, session: Session) -> Session {
        match self.proposing.contains(&(session.canvas.clone(), session.conversation.clone())) {
            true => Session { mode: SessionMode::propose(), ..session },
            false => session,
        }
    }

    /// Sets whether the edits of a session wait for a decision.
    pub(super) async fn set_session_mode(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let Session { canvas, conversation, .. } = self.session(request, self.clock()).await?;
        match request.text("mode")? {
            "direct" => self.proposing.remove(&(canvas, conversation)),
            "propose" => self.proposing.insert((canvas, conversation)),
            other => {
                let message = format!("there is no mode {other:?}: send direct or propose");
                return Err(BridgeError::new("BAD_REQUEST", message));
            }
        };
        Ok(json!({}))
    }

    /// Returns the lease of a session, if it holds one, and forgets what it has seen.
    pub(super) async fn close_session(&mut self, request: &Request<'_>) -> Result<Value, BridgeError> {
        let now = self.now(request)?;
        let session = self.session(request, now).await?;
        let snapshot = self.engine.snapshot(&session.canvas, now).await?;
        let lock = snapshot.head.lock_of(&session.conversation);
        let lease = lock.valid_lease(&self.lease, snapshot.clock).map(|lease| lease.id);
        let is_released = match lease {
            Some(lease) => {
                let operation = session.operation(self.call_id()?);
                let check_in = CheckIn { lease: Some(lease) };
                // In exclusive mode, the lease may be that of another conversation, which keeps it.
                let done = self.engine.call(&session.canvas, &operation, check_in, now).await?.result;
                done.is_ok_and(|done| done.released)
            }
            None => false,
        };
        let whose = (session.canvas, session.conversation);
        self.sessions.remove(&whose);
        self.proposing.remove(&whose);
        Ok(json!({"released": is_released}))
    }

    /// The session of a request whose canvas is not there yet: a call may make it.
    fn first_session(&self, request: &Request<'_>) -> Result<Session, BridgeError> {
        let name = request.field::<Option<&str>>("session")?.unwrap_or(MAIN);
        Ok(self.in_mode(Session::new(canvas(request)?, ConversationId::new(name)?)))
    }

    /// The turn of a session's call about a canvas: the one in which it was made first, else the one that runs.
    #[cfg(feature = "surface")]
    pub(super) async fn turn_of(
        &mut self,
        canvas: &CanvasId,
        conversation: &ConversationId,
        call: &CallId,
        now: Timestamp,
    ) -> Result<Turn, BridgeError> {
        let key = (canvas.clone(), conversation.clone(), call.clone());
        if let Some(turn) = self.turns.get(&key) {
            return Ok(turn);
        }
        let turn = match self.engine.snapshot(canvas, now).await {
            Ok(snapshot) => snapshot.head.lock_of(conversation).turn(),
            Err(canvas_core::EngineError::NotFound { .. }) => Turn::ZERO,
            Err(error) => return Err(error.into()),
        };
        self.turns.insert(key, turn);
        Ok(turn)
    }

    /// Takes the clock from a request.
    pub(super) fn now(&self, request: &Request<'_>) -> Result<Timestamp, BridgeError> {
        let now = request.now()?;
        self.clock.store(now.as_millis(), Ordering::Relaxed);
        Ok(now)
    }

    /// A call id of the bridge's own, which no caller's is likely to equal.
    pub(super) fn call_id(&mut self) -> Result<CallId, BridgeError> {
        self.calls += 1;
        Ok(CallId::new(&format!("\0{}-{}", self.run, self.calls))?)
    }

    pub(super) fn engine(&self) -> &Engine {
        &self.engine
    }

    async fn user<C: Command>(&mut self, request: &Request<'_>, command: C) -> Result<C::Done, BridgeError> {
        let now = self.now(request)?;
        self.ask(&canvas(request)?, command, now).await?.map_err(|refusal| refusal.view().into())
    }

    /// Undoes or redoes this many changes as the user.
    pub(super) async fn step(
        &mut self,
        canvas: &CanvasId,
        direction: Direction,
        steps: NonZeroU32,
        now: Timestamp,
    ) -> Result<Result<HistoryMove, UndoRefusal>, BridgeError> {
        let by = Author::User;
        let result = match direction {
            Direction::Undo => self.ask(canvas, Undo { by, what: UndoScope::Steps(steps) }, now).await?,
            Direction::Redo => self.ask(canvas, Redo { by, steps }, now).await?,
        };
        if let Ok(moved) = &result {
            self.faces.follow_move(canvas, moved);
        }
        Ok(result)
    }

    /// Runs a command as the host.
    pub(super) async fn ask<C: Command>(
        &mut self,
        canvas: &CanvasId,
        command: C,
        now: Timestamp,
    ) -> Result<Result<C::Done, C::Refusal>, BridgeError> {
        let operation = self.operation(Turn::ZERO)?;
        Ok(self.engine.call(canvas, &operation, command, now).await?.result)
    }

    /// A fresh name for the making of a canvas: the session that requests have by default knows its first text.
    pub(super) fn making(&mut self) -> Result<OpKey, BridgeError> {
        Ok(OpKey { conversation: ConversationId::new(MAIN)?, ..self.operation(Turn::ZERO)? })
    }

    /// A fresh name for an operation of the host.
    pub(super) fn operation(&mut self, turn: Turn) -> Result<OpKey, BridgeError> {
        Ok(OpKey {
            conversation: ConversationId::new(USER)?,
            turn,
            call: self.call_id()?,
            person: self.person.clone(),
        })
    }

    /// The clock of the last request that had one.
    pub(super) fn clock(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }
}

pub(super) fn canvas(request: &Request<'_>) -> Result<CanvasId, BridgeError> {
    Ok(CanvasId::new(request.text("canvas")?)?)
}

/// Along the history.
#[derive(Debug, Clone, Copy)]
pub(super) enum Direction {
    Undo,
    Redo,
}

impl Documents {
    pub(super) fn tool_list(&self, request: &Request<'_>) -> Result<Value, BridgeError> {
        Ok(json!({"tools": self.toolset(request)?}))
    }

    pub(super) fn tool_prompt(&self, request: &Request<'_>) -> Result<Value, BridgeError> {
        Ok(json!({"prompt": self.tools_of(request)?.system_prompt(&self.engine)}))
    }

    /// The tools of a request's toolset.
    pub(super) fn toolset(&self, request: &Request<'_>) -> Result<Vec<ToolSpec>, BridgeError> {
        Ok(self.tools_of(request)?.specs(&self.engine))
    }

    fn tools_of(&self, request: &Request<'_>) -> Result<Tools<BoxStore>, BridgeError> {
        Ok(match request.field::<Option<&str>>("toolset")?.unwrap_or("document") {
            "document" => join(vec![Box::new(DocumentTools::default())]),
            "extended" => self.faces.extended_documents(),
            "all" => self.faces.tools(),
            name @ ("board" | "directive" | "surface" | "recipe") => {
                join(vec![self.faces.toolset(name).ok_or_else(|| left_out(name))?])
            }
            other => {
                let message = format!(
                    "there is no toolset {other:?}: send document, extended, board, directive, surface, recipe, native or all"
                );
                return Err(BridgeError::new("BAD_REQUEST", message));
            }
        })
    }
}

#[cfg(test)]
mod tests;
