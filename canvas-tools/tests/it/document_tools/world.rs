//! A canvas, a conversation about it, and a clock that only the test moves.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, Command, ConversationId, Engine, OpKey, Policy};
use canvas_tools::{
    DocumentMemory, DocumentTools, Session, ToolCall, ToolReply, Tools, TurnClosed, TurnOpened,
};
use serde_json::{Value, json};

pub(crate) struct World {
    pub(crate) engine: Engine<MemoryStore>,
    pub(crate) session: Session,
    pub(crate) toolset: DocumentTools,
    clock: Arc<AtomicU64>,
    calls: AtomicU64,
    /// What each conversation was shown, and its refused patch.
    memory: Mutex<BTreeMap<ConversationId, DocumentMemory>>,
}

impl World {
    /// A canvas with this document, and its first turn.
    pub(crate) fn new(markdown: &str) -> Self {
        Self::with(markdown, Policy::default())
    }

    /// The model has every tool there is.
    pub(crate) fn extended(markdown: &str) -> Self {
        let mut world = Self::new(markdown);
        world.toolset = DocumentTools::ALL;
        world
    }

    pub(crate) fn with(markdown: &str, policy: Policy) -> Self {
        let clock = Arc::new(AtomicU64::new(1_000));
        let shared = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
        let engine = Engine::new(store, policy);
        let canvas = CanvasId::new("c").unwrap();
        let now = Timestamp::from_millis(1_000);
        block_on(engine.create(&canvas, markdown, &key("main", "create"), now)).unwrap();
        let session = join(&engine, "main");
        let (toolset, calls, memory) = (DocumentTools::default(), AtomicU64::new(0), Mutex::default());
        Self { engine, session, toolset, clock, calls, memory }
    }

    pub(crate) fn delete(&self) {
        let operation = key("host", "delete");
        block_on(self.engine.delete(&self.session.canvas, &operation, self.now())).unwrap();
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    pub(crate) fn wait(&self, millis: u64) {
        self.clock.fetch_add(millis, Ordering::Relaxed);
    }

    /// A session of another conversation in the turn that runs.
    pub(crate) fn join(&self, who: &str) -> Session {
        join(&self.engine, who)
    }

    pub(crate) fn fresh_id(&self) -> String {
        format!("call-{}", self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs a tool under a new call id and checks what every reply has.
    #[track_caller]
    pub(crate) fn tool(&self, name: &str, arguments: Value) -> ToolReply {
        self.run(&self.session, &self.fresh_id(), name, arguments)
    }

    #[track_caller]
    pub(crate) fn run(&self, session: &Session, id: &str, name: &str, arguments: Value) -> ToolReply {
        let reply = self.call(session, id, name, arguments);
        is_whole(&reply);
        reply
    }

    pub(crate) fn call(&self, session: &Session, id: &str, name: &str, arguments: Value) -> ToolReply {
        let tools = Tools::new(self.toolset).unwrap();
        let call = ToolCall { id: id.into(), name: name.into(), arguments };
        let (mut session, mut memory) = (session.clone(), self.memory.lock().unwrap());
        if let Some(document) = memory.remove(&session.conversation) {
            session.document = document;
        }
        let mut session = crate::restored(&session);
        let reply = block_on(tools.call(&self.engine, &mut session, &call, self.now()));
        memory.insert(session.conversation, session.document);
        crate::recorded::judge(name, &reply);
        reply
    }

    /// The host starts again: it knows of its conversations only what the canvas knows.
    pub(crate) fn forget_sessions(&self) {
        self.memory.lock().unwrap().clear();
    }

    #[track_caller]
    pub(crate) fn check_out(&self) -> String {
        let reply = self.tool("canvas_check_out", json!({}));
        reply.lease_id().unwrap_or_else(|| panic!("{:?}", reply.body())).to_owned()
    }

    /// What the tools keep for the conversation.
    pub(crate) fn memory(&self) -> DocumentMemory {
        self.memory.lock().unwrap().get(&self.session.conversation).cloned().unwrap_or_default()
    }

    /// A tool that needs nothing but the lease.
    #[track_caller]
    pub(crate) fn under(&self, lease: &str, name: &str) -> ToolReply {
        self.tool(name, json!({"lease_id": lease}))
    }

    #[track_caller]
    pub(crate) fn patch(&self, lease: &str, patch: &str) -> ToolReply {
        self.tool("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}))
    }

    #[track_caller]
    pub(crate) fn user<C: Command>(&self, command: C) -> C::Done {
        let operation = key("user", &self.fresh_id());
        block_on(self.engine.call(&self.session.canvas, &operation, command, self.now()))
            .unwrap()
            .result
            .unwrap()
    }

    #[track_caller]
    pub(crate) fn edit(&self, markdown: &str) {
        self.user(Edit::overwrite(markdown));
    }

    #[track_caller]
    pub(crate) fn message(&mut self) -> TurnOpened {
        let call = CallId::new(&self.fresh_id()).unwrap();
        let now = self.now();
        let mut memory = self.memory.lock().unwrap();
        let mut document = memory.remove(&self.session.conversation).unwrap_or_default();
        std::mem::swap(&mut document, &mut self.session.document);
        let began = block_on(self.session.begin_turn(&self.engine, call, now)).unwrap();
        std::mem::swap(&mut document, &mut self.session.document);
        memory.insert(self.session.conversation.clone(), document);
        began
    }

    #[track_caller]
    pub(crate) fn end_turn(&self) -> TurnClosed {
        let call = CallId::new(&self.fresh_id()).unwrap();
        block_on(self.session.end_turn(&self.engine, call, self.now())).unwrap()
    }

    pub(crate) fn text(&self) -> String {
        block_on(self.engine.snapshot(&self.session.canvas, self.now())).unwrap().text().to_owned()
    }

    pub(crate) fn revision(&self) -> String {
        block_on(self.engine.snapshot(&self.session.canvas, self.now())).unwrap().revision_id().to_string()
    }
}

/// The system prompt for the tools that a policy opens.
pub(crate) fn prompt(toolset: DocumentTools, policy: Policy) -> String {
    let engine = Engine::new(MemoryStore::new(|| Timestamp::from_millis(0)), policy);
    Tools::new(toolset).unwrap().system_prompt(&engine)
}

fn join(engine: &Engine<MemoryStore>, who: &str) -> Session {
    let (canvas, who) = (CanvasId::new("c").unwrap(), ConversationId::new(who).unwrap());
    block_on(Session::open(engine, canvas, who, Timestamp::from_millis(1_000))).unwrap()
}

fn key(who: &str, call: &str) -> OpKey {
    OpKey::of(ConversationId::new(who).unwrap(), CallId::new(call).unwrap())
}

/// What every reply has: `ok`; a revision; for a failure code, message and whether to retry; and a size that a model
/// can take.
#[track_caller]
fn is_whole(reply: &ToolReply) {
    let body = reply.body();
    assert_eq!(body["ok"], reply.is_ok(), "{body}");
    let revision = reply.revision_id().unwrap_or_else(|| panic!("no revision: {body}"));
    revision.parse::<canvas_core::RevisionId>().unwrap_or_else(|e| panic!("{body}: {e}"));
    if reply.is_ok() {
        assert_eq!((reply.code(), body.get("error")), (None, None), "{body}");
    } else {
        let code = reply.code().unwrap_or_else(|| panic!("no code: {body}"));
        assert!(code.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{body}");
        let message = body["error"]["message"].as_str().unwrap_or_else(|| panic!("no message: {body}"));
        assert!(message.contains(' ') && message.len() <= 5_000, "{body}");
        assert!(body["error"]["retryable"].is_boolean() && body["canvas_epoch"].is_u64(), "{body}");
    }
    let bytes = body.to_string().len();
    assert!(bytes < 600_000, "the reply has {bytes} bytes");
}

/// Code, reason and place of a failure: `INVALID_ARGUMENTS/INVALID_REGEX at /query`; `OK` where there is none.
pub(crate) fn failure(reply: &ToolReply) -> String {
    let error = &reply.body()["error"];
    let Some(code) = reply.code() else { return "OK".into() };
    let reason = error["reason"].as_str().map_or_else(String::new, |reason| format!("/{reason}"));
    let place = error["place"].as_str().map_or_else(String::new, |place| format!(" at {place:?}"));
    format!("{code}{reason}{place}")
}

pub(crate) fn message(reply: &ToolReply) -> &str {
    reply.body()["error"]["message"].as_str().unwrap_or_default()
}
