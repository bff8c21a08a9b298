//! A story on a store, by the doors that hosts use: sessions, tools, calls of the user.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::time::Duration;

use canvas_core::document::Edit;
use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::policy::SyncLimits;
use canvas_core::text::build;
use canvas_core::turn::Cancel;
use canvas_core::{Author, CallId, Command, ConversationId, Engine, OpKey, Policy};
use canvas_store_testing::{canvas, key};
use canvas_tools::{DocumentTools, HIDDEN_HEADER, Session, ToolCall, ToolReply, Tools};
use serde_json::{Value, json};

use super::reader::Reader;
use super::story::{CHATS, Change, Step, Story};
use crate::stores::world::Place;

/// Plays a story; `restarts` between any two steps. In the end everybody gets what is still to learn.
pub(super) fn run<P: Place + Default>(
    story: &Story,
    restarts: bool,
    host: Host,
) -> Result<BTreeMap<&'static str, u32>, String> {
    let mut runner: Runner<P> = Runner::new(story, host);
    let ends = (0..CHATS).map(|chat| Step::Message { chat, again: false });
    for step in story.steps.iter().cloned().chain(ends) {
        runner.take(&step).map_err(|e| format!("{step:?}: {e}"))?;
        if restarts {
            runner.restart();
        }
    }
    Ok(runner.seen)
}

/// A way of a host to go wrong, to see whether the law sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Host {
    Sound,
    /// Loses one diff.
    LosesOne,
    /// Puts one diff into the history twice.
    DoublesOne,
}

struct Runner<P: Place> {
    place: P,
    policy: Policy,
    engine: Engine<P::Store>,
    tools: Tools<P::Store>,
    host: Host,
    chats: Vec<(Session, Reader)>,
    /// The leases that models have kept.
    leases: [Option<String>; CHATS],
    calls: u32,
    /// How often what has come up.
    seen: BTreeMap<&'static str, u32>,
}

impl<P: Place + Default> Runner<P> {
    fn new(story: &Story, host: Host) -> Self {
        let place = P::default();
        let Story { conversations, sync_diff_bytes, .. } = *story;
        let lease = P::terms().policy();
        let policy = Policy {
            lease,
            sync: SyncLimits { conversations, diff_bytes: sync_diff_bytes, ..Default::default() },
            ..Policy::default()
        };
        let engine = Engine::new(place.connect(), policy);
        let (canvas, now) = (canvas("c"), place.clock().now());
        let first = story.first.concat();
        place.wait_for(engine.create(&canvas, &first, &key("create"), now)).expect("it is new");
        let chats = (0..CHATS)
            .map(|chat| {
                let name = ConversationId::new(&format!("chat-{chat}")).expect("a name");
                let session = place.wait_for(Session::open(&engine, canvas.clone(), name, now));
                (session.expect("the canvas is there"), Reader(None))
            })
            .collect();
        let (leases, seen) = ([const { None }; CHATS], BTreeMap::new());
        let tools = Tools::new(DocumentTools::default()).expect("one toolset");
        Self { place, policy, engine, tools, host, chats, leases, calls: 0, seen }
    }

    /// Engine and store are dropped, and others opened on what is stored.
    fn restart(&mut self) {
        self.engine = Engine::new(self.place.connect(), self.policy);
    }

    fn take(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Edit(change) => {
                let markdown = change.of(&self.text());
                let operation = self.operation(None);
                self.call("edit", &operation, Edit::overwrite(markdown));
            }
            Step::Undo { redo } => self.undo(None, Author::User, *redo),
            Step::Cancel => {
                let operation = self.operation(None);
                self.call("cancel", &operation, Cancel);
            }
            Step::Wait(millis) => self.place.clock().advance(Duration::from_millis(*millis)),
            Step::Write { chat, change, keeps } => self.write(*chat, change, *keeps),
            Step::ModelUndo { chat, redo } => {
                let Some((lease, _)) = self.lease(*chat) else { return Ok(()) };
                let by = Author::Assistant { lease: lease.parse().ok() };
                self.undo(Some(*chat), by, *redo);
            }
            Step::Message { chat, again } => {
                let (id, now) = (self.call_id(), self.place.clock().now());
                let mut reported = None;
                for _ in 0..=usize::from(*again) {
                    let session = &mut self.chats[*chat].0;
                    let began = self.place.wait_for(session.begin_turn(&self.engine, id.clone(), now));
                    let message = began.expect("a message is never refused").hidden_message;
                    self.same(&mut reported, message)?;
                }
                self.hears(*chat, "message", reported.flatten())?;
            }
            Step::End { chat, again } => {
                let (id, now) = (self.call_id(), self.place.clock().now());
                let mut reported = None;
                for _ in 0..=usize::from(*again) {
                    let session = &self.chats[*chat].0;
                    let ended = self.place.wait_for(session.end_turn(&self.engine, id.clone(), now));
                    let message = ended.expect("a turn can always end").hidden_message;
                    self.same(&mut reported, message)?;
                }
                self.hears(*chat, "end", reported.flatten())?;
            }
            Step::Forget(chat) => {
                let (id, now) = (self.call_id(), self.place.clock().now());
                let session = &self.chats[*chat].0;
                let forgot = self.place.wait_for(session.forget(&self.engine, id, now));
                forgot.expect("who wants to may forget");
                self.chats[*chat].1 = Reader(None);
            }
        }
        Ok(())
    }

    /// A retry comes to a server that has just been started, and gets the same.
    fn same(&mut self, reported: &mut Option<Option<String>>, message: Option<String>) -> Result<(), String> {
        match reported {
            Some(first) if *first != message => Err(format!("reported {first:?}, and again {message:?}")),
            Some(_) => {
                self.count("retry");
                Ok(())
            }
            None => {
                *reported = Some(message);
                self.restart();
                Ok(())
            }
        }
    }

    /// The law.
    fn hears(&mut self, chat: usize, what: &'static str, message: Option<String>) -> Result<(), String> {
        self.count(what);
        // A text that is sent twice, or that its reader knew, does no harm.
        let is_diff = message.as_ref().is_some_and(|message| message.starts_with(HIDDEN_HEADER));
        let goes_wrong = is_diff && self.host != Host::Sound && !self.seen.contains_key("wrong");
        let times = match self.host {
            Host::LosesOne if goes_wrong => 0,
            Host::DoublesOne if goes_wrong => 2,
            _ => usize::from(message.is_some()),
        };
        if goes_wrong {
            self.count("wrong");
        }
        for message in message.iter().cycle().take(times) {
            let kind = self.chats[chat].1.read(message)?;
            self.count(kind);
        }
        let (known, text) = (self.chats[chat].1.0.clone(), self.text());
        match known {
            Some(known) if known == text => Ok(()),
            known => Err(format!("{what}: chat {chat} knows {known:?}, the document is {text:?}")),
        }
    }

    /// As a model does it: with tools, by what their replies show.
    fn write(&mut self, chat: usize, change: &Change, keeps: bool) {
        let Some((lease, text)) = self.lease(chat) else { return };
        let patch = build(&text, &change.of(&text), 3);
        let patched = self.tool(chat, "canvas_apply_patch", json!({"lease_id": lease, "patch": patch}));
        self.count(if patched.is_ok() { "patch" } else { "patch refused" });
        if !keeps {
            // The lease may be over already.
            drop(self.tool(chat, "canvas_check_in", json!({"lease_id": lease})));
            self.leases[chat] = None;
        }
    }

    /// The lease that a model has kept, or a new one, and the text that it reads under it.
    fn lease(&mut self, chat: usize) -> Option<(String, String)> {
        loop {
            let kept = self.leases[chat].take();
            let is_kept = kept.is_some();
            let new = |runner: &mut Self| {
                let reply = runner.tool(chat, "canvas_check_out", json!({}));
                reply.lease_id().map(str::to_owned)
            };
            let Some(lease) = kept.or_else(|| new(self)) else {
                self.count("lease refused");
                return None;
            };
            let shown = self.tool(chat, "canvas_read_all", json!({"lease_id": lease}));
            if let Some(text) = shown.body()["text"].as_str() {
                self.leases[chat] = Some(lease.clone());
                self.chats[chat].1.0.get_or_insert_with(|| text.to_owned());
                return Some((lease, text.to_owned()));
            }
            assert!(is_kept, "a new lease reads: {}", shown.body());
            self.count("lease lost");
        }
    }

    fn tool(&mut self, chat: usize, name: &str, arguments: Value) -> ToolReply {
        let id = self.call_id().as_str().to_owned();
        let call = ToolCall { id, name: name.to_owned(), arguments };
        let (session, now) = (&mut self.chats[chat].0, self.place.clock().now());
        self.place.wait_for(self.tools.call(&self.engine, session, &call, now))
    }

    fn undo(&mut self, chat: Option<usize>, by: Author, redo: bool) {
        let [undone, redone] = match chat {
            None => ["undo by the user", "redo by the user"],
            Some(_) => ["undo by a model", "redo by a model"],
        };
        let operation = self.operation(chat);
        self.call(undone, &operation, Undo { by, what: UndoScope::Steps(NonZeroU32::MIN) });
        if redo {
            let operation = self.operation(chat);
            self.call(redone, &operation, Redo { by, steps: NonZeroU32::MIN });
        }
    }

    /// A new operation of the model of a chat, or of the user.
    fn operation(&mut self, chat: Option<usize>) -> OpKey {
        let id = self.call_id();
        match chat {
            Some(chat) => self.chats[chat].0.operation(id),
            None => key(id.as_str()),
        }
    }

    /// Makes a call and counts it where it is not refused.
    fn call<C: Command>(&mut self, what: &'static str, operation: &OpKey, command: C) {
        let (canvas, now) = (&self.chats[0].0.canvas, self.place.clock().now());
        let answer = self.place.wait_for(self.engine.call(canvas, operation, command, now));
        if answer.expect("the store is sound").result.is_ok() {
            self.count(what);
        }
    }

    fn text(&self) -> String {
        let canvas = &self.chats[0].0.canvas;
        let seen = self.place.wait_for(self.engine.snapshot(canvas, self.place.clock().now()));
        seen.expect("the canvas is there").text().to_owned()
    }

    fn call_id(&mut self) -> CallId {
        self.calls += 1;
        CallId::new(&format!("call-{}", self.calls)).expect("a name")
    }

    fn count(&mut self, what: &'static str) {
        *self.seen.entry(what).or_default() += 1;
    }
}
