//! A canvas, a conversation about it, and a clock that only the test moves.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, CodedError as _, Command, ConversationId, Engine, OpKey, Policy};
use canvas_tools::directive::{AppliedDirective, Directive, DirectiveFailure, apply_directive};
use canvas_tools::{DirectiveTools, Session, ToolCall, ToolReply, Tools};
use serde_json::Value;

pub(crate) struct World {
    pub(crate) engine: Engine<MemoryStore>,
    pub(crate) session: Session,
    clock: Arc<AtomicU64>,
    calls: AtomicU64,
}

pub(crate) type Done = Result<AppliedDirective, DirectiveFailure>;

impl World {
    pub(crate) fn new(markdown: &str) -> Self {
        Self::with(markdown, Policy::default())
    }

    pub(crate) fn with(markdown: &str, policy: Policy) -> Self {
        let clock = Arc::new(AtomicU64::new(1_000));
        let shared = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
        let engine = Engine::new(store, policy);
        let (canvas, now) = (CanvasId::new("c").unwrap(), Timestamp::from_millis(1_000));
        block_on(engine.create(&canvas, markdown, &key("chat", "create"), now)).unwrap();
        let chat = ConversationId::new("chat").unwrap();
        let session = block_on(Session::open(&engine, canvas, chat, now)).unwrap();
        Self { engine, session, clock, calls: AtomicU64::new(0) }
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    pub(crate) fn wait(&self, millis: u64) {
        self.clock.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn fresh_id(&self) -> String {
        format!("call-{}", self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// Does a directive under a new call id. What fails must leave the canvas alone.
    #[track_caller]
    pub(crate) fn direct(&self, directive: &Value) -> Done {
        self.direct_as(&self.fresh_id(), directive)
    }

    #[track_caller]
    pub(crate) fn direct_as(&self, id: &str, directive: &Value) -> Done {
        let before = self.state();
        let done = Directive::parse(directive).map_err(DirectiveFailure::from).and_then(|directive| {
            let operation = self.session.operation(CallId::new(id).unwrap());
            block_on(apply_directive(&self.engine, &self.session.canvas, &operation, &directive, self.now()))
        });
        if let Err(failure) = &done {
            assert_eq!(self.state(), before, "{failure:?}");
            is_complete(failure);
        }
        done
    }

    #[track_caller]
    pub(crate) fn tool(&self, use_patch_edits: bool, name: &str, arguments: Value) -> ToolReply {
        let reply = self.call(use_patch_edits, &self.fresh_id(), name, arguments);
        let body = reply.body();
        assert_eq!((&body["ok"], body["revision_id"].is_string()), (&reply.is_ok().into(), true), "{body}");
        assert!(body.to_string().len() < 2_000_000);
        reply
    }

    pub(crate) fn call(&self, use_patch_edits: bool, id: &str, name: &str, arguments: Value) -> ToolReply {
        let tools = Tools::new(DirectiveTools { use_patch_edits }).unwrap();
        let call = ToolCall { id: id.into(), name: name.into(), arguments };
        let reply = block_on(tools.call(&self.engine, &mut self.session.clone(), &call, self.now()));
        crate::recorded::judge(name, &reply);
        reply
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

    /// A call of the model in the running turn, by the document's own rules.
    #[track_caller]
    pub(crate) fn model<C: Command>(&self, command: C) -> C::Done {
        let operation = self.session.operation(CallId::new(&self.fresh_id()).unwrap());
        block_on(self.engine.call(&self.session.canvas, &operation, command, self.now()))
            .unwrap()
            .result
            .unwrap()
    }

    pub(crate) fn text(&self) -> String {
        block_on(self.engine.snapshot(&self.session.canvas, self.now())).unwrap().text().to_owned()
    }

    pub(crate) fn version(&self) -> String {
        block_on(self.engine.snapshot(&self.session.canvas, self.now())).unwrap().revision_id().to_string()
    }

    pub(crate) fn entries(&self) -> Vec<canvas_core::history::Entry> {
        block_on(self.engine.history(&self.session.canvas, None, 100, self.now())).unwrap()
    }

    /// All of the head that is no receipt: text, revision, lease, journal, conversations.
    fn state(&self) -> (String, Value) {
        let snapshot = block_on(self.engine.snapshot(&self.session.canvas, self.now())).unwrap();
        let mut head: Value = serde_json::from_slice(&snapshot.head.to_json()).unwrap();
        head.as_object_mut().unwrap().remove("receipts").expect("a head has receipts");
        (snapshot.text().to_owned(), head)
    }
}

fn key(who: &str, call: &str) -> OpKey {
    OpKey::of(ConversationId::new(who).unwrap(), CallId::new(call).unwrap())
}

/// What every failure has: a code, a sentence, a status line, a few lines for the chat.
#[track_caller]
fn is_complete(failure: &DirectiveFailure) {
    assert!(failure.code().chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{failure:?}");
    let (status, chat) = (failure.status(), failure.chat_text());
    assert!(status.starts_with("failed: ") && !status.contains('\n') && status.len() < 200, "{status}");
    assert!(chat.starts_with(&status) && chat.lines().count() <= 12 && chat.len() < 4_000, "{chat}");
    let json = failure.to_json();
    assert_eq!(json["code"], failure.code());
    assert!(json["message"].as_str().is_some_and(|message| message.contains(' ')), "{json}");
    assert!(json["retryable"].is_boolean() && json["advice"].is_string(), "{json}");
    assert!(json.to_string().len() < 200_000);
}

/// Code, reason and place of a failure: `INVALID_DIRECTIVE/BAD_RANGE at /target_range`; `OK` where there is none.
pub(crate) fn code(done: &Done) -> String {
    done.as_ref().err().map_or_else(|| "OK".into(), |failure| of_json(&failure.to_json()))
}

pub(crate) fn of_json(error: &Value) -> String {
    let reason = error["reason"].as_str().map_or_else(String::new, |reason| format!("/{reason}"));
    let place = error["place"].as_str().map_or_else(String::new, |place| format!(" at {place}"));
    format!("{}{reason}{place}", error["code"].as_str().unwrap_or("OK"))
}
