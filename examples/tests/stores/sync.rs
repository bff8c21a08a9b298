//! What a model is told adds up to the document, on every store and over every restart of its server: the first text and
//! the hidden messages, read as text and applied to the letter, give the text that is there (specs 000 §12, §13).
//!
//! Two conversations, a user, and a host that may be restarted between any two steps. A restart drops engine and store;
//! what is left are the sessions, which a host keeps beside its chats, and what the store keeps.

use std::collections::BTreeMap;
use std::num::NonZeroU32;

use canvas_core::lease::Turn;
use canvas_core::text::{Mode, Options, apply, build};
use canvas_core::{
    Call, CallId, CanvasId, Command, ConversationId, Engine, OpKey, Outcome, Party, Policy, Undo,
};
use canvas_tools::{HIDDEN_HEADER, SNAPSHOT_HEADER, Session, ToolCall, ToolReply, call_document_tool};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

#[cfg(feature = "object-store")]
use super::world::Bucket;
#[cfg(feature = "postgres")]
use super::world::Postgres;
#[cfg(feature = "sqlite")]
use super::world::Sqlite;
use super::world::{Memory, Place};

const CHATS: usize = 2;

/// A step of somebody. What cannot be done then is refused, and told as little as it is done.
#[derive(Debug, Clone)]
enum Step {
    /// The user changes the text.
    Edit(Change),
    /// The user takes back, and does it again or not.
    Undo {
        redo: bool,
    },
    /// The model of a chat checks out where it must, reads, patches, and keeps the lease or not.
    Write {
        chat: usize,
        change: Change,
        keeps: bool,
    },
    /// The model takes back, and does it again or not.
    ModelUndo {
        chat: usize,
        redo: bool,
    },
    /// The user writes to a chat; the answer may be lost and asked for again.
    Message {
        chat: usize,
        again: bool,
    },
    /// The turn of a chat ends, whoever's turn it is by now.
    End {
        chat: usize,
        again: bool,
    },
    /// The chat is compacted: its model knows nothing any more.
    Forget(usize),
    Cancel,
    Wait(u64),
}

/// What becomes of a text.
#[derive(Debug, Clone)]
enum Change {
    Put(Index, &'static str),
    Remove(Index),
    Whole(Vec<&'static str>),
    /// The final newline goes, or comes.
    End,
}

/// Lines that a careless writer of fences, or reader of diffs, would stumble over.
fn line() -> impl Strategy<Value = &'static str> {
    prop_oneof![
        4 => prop::sample::select(vec!["a\n", "b\n", "\n", "- c\n"]),
        1 => prop::sample::select(vec![
            "```\n", "```diff\n", "``````\n", "~~~\n", "+ d\n", "--- e\n", "@@ -1 +1 @@\n", "f\r\n", "g\r", "\u{feff}h\n",
            "\\ No newline at end of file\n", "🦀 é\0\n", HIDDEN_HEADER,
        ]),
    ]
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        5 => (any::<Index>(), line()).prop_map(|(at, line)| Change::Put(at, line)),
        3 => any::<Index>().prop_map(Change::Remove),
        1 => prop::collection::vec(line(), 0..6).prop_map(Change::Whole),
        1 => Just(Change::End),
    ]
}

impl Change {
    fn of(&self, text: &str) -> String {
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        match self {
            Self::Put(at, line) => lines.insert(at.index(lines.len() + 1), line),
            Self::Remove(at) if !lines.is_empty() => drop(lines.remove(at.index(lines.len()))),
            Self::Remove(_) => {}
            Self::Whole(whole) => lines.clone_from(whole),
            Self::End => match text.strip_suffix('\n') {
                Some(cut) => return cut.to_owned(),
                None => lines.push("\n"),
            },
        }
        lines.concat()
    }
}

fn step() -> impl Strategy<Value = Step> {
    let chat = || 0..CHATS;
    prop_oneof![
        4 => change().prop_map(Step::Edit),
        2 => any::<bool>().prop_map(|redo| Step::Undo { redo }),
        6 => (chat(), change(), any::<bool>())
            .prop_map(|(chat, change, keeps)| Step::Write { chat, change, keeps }),
        // Refused where the user has acted in the turn, which is often so.
        4 => (chat(), any::<bool>()).prop_map(|(chat, redo)| Step::ModelUndo { chat, redo }),
        4 => (chat(), any::<bool>()).prop_map(|(chat, again)| Step::Message { chat, again }),
        3 => (chat(), any::<bool>()).prop_map(|(chat, again)| Step::End { chat, again }),
        1 => chat().prop_map(Step::Forget),
        1 => Just(Step::Cancel),
        // Short of the life of a lease, and past it.
        1 => prop::sample::select(vec![1_000, 16_000]).prop_map(Step::Wait),
    ]
}

/// A whole case: what the host decides, and what is done.
#[derive(Debug, Clone)]
struct Story {
    first: Vec<&'static str>,
    /// One is fewer than there are, so that chats are given up for each other.
    conversations: usize,
    /// Past it, and where it is shorter, the whole text is told instead of a diff.
    sync_diff_bytes: usize,
    steps: Vec<Step>,
}

fn story() -> impl Strategy<Value = Story> {
    let first = prop::collection::vec(line(), 0..6);
    let sizes = prop::sample::select(vec![0, 60, 32 << 10]);
    // Whoever is given up is told texts, and of diffs there is more to see.
    let conversations = prop_oneof![1 => 1..CHATS, 3 => Just(CHATS)];
    (first, conversations, sizes, prop::collection::vec(step(), 1..30)).prop_map(
        |(first, conversations, sync_diff_bytes, steps)| Story {
            first,
            conversations,
            sync_diff_bytes,
            steps,
        },
    )
}

/// What a chat's model knows of the document: nothing but what was in its history. `None` where that was lost.
#[derive(Debug, Clone)]
struct Reader(Option<String>);

impl Reader {
    /// Does what a message says, and tells what kind it was. Only what stands between its fences is looked at.
    fn read(&mut self, message: &str) -> Result<&'static str, String> {
        let malformed = || format!("malformed: {message:?}");
        let (header, fenced) = message.split_once('\n').ok_or_else(malformed)?;
        let (opening, rest) = fenced.split_once('\n').ok_or_else(malformed)?;
        let fence = &opening[..opening.len() - opening.trim_start_matches('`').len()];
        let content = rest.strip_suffix(fence).filter(|_| fence.len() >= 3).ok_or_else(malformed)?;
        if content.split(['\n', '\r']).any(|line| line.trim_start().starts_with(fence)) {
            return Err(format!("a line of the content closes the fence: {message:?}"));
        }
        match (header, &opening[fence.len()..]) {
            (HIDDEN_HEADER, "diff") => {
                let known = self.0.as_deref().ok_or("a diff for who knows nothing")?;
                let options = Options { mode: Mode::Strict, ..Options::default() };
                let after =
                    apply(known, content, &options).map_err(|e| format!("{known:?} {message:?}: {e}"));
                self.0 = Some(after?.into_text());
                Ok(if fence.len() > 3 { "diff in a longer fence" } else { "diff" })
            }
            (SNAPSHOT_HEADER, "markdown") => {
                self.0 = Some(content.to_owned());
                Ok("snapshot")
            }
            (SNAPSHOT_HEADER, "markdown no-final-newline") => {
                self.0 = Some(content.strip_suffix('\n').ok_or_else(malformed)?.to_owned());
                Ok("snapshot without a final newline")
            }
            _ => Err(malformed()),
        }
    }
}

/// A way of a host to go wrong, to see whether the law sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Host {
    Sound,
    /// Loses one diff.
    LosesOne,
    /// Puts one diff into the history twice.
    DoublesOne,
}

struct Play<P: Place> {
    place: P,
    policy: Policy,
    engine: Engine<P::Store>,
    host: Host,
    chats: Vec<(Session, Reader)>,
    /// The leases that models have kept.
    leases: [Option<String>; CHATS],
    calls: u32,
    /// How often what has come up.
    seen: BTreeMap<&'static str, u32>,
}

impl<P: Place + Default> Play<P> {
    fn new(story: &Story, host: Host) -> Self {
        let place = P::default();
        let Story { conversations, sync_diff_bytes, .. } = *story;
        let lease = P::terms().policy();
        let policy = Policy { lease, conversations, sync_diff_bytes, ..Policy::default() };
        let engine = Engine::new(place.connect(), policy);
        let (canvas, now) = (CanvasId::new("c").expect("a name"), place.clock().stamp());
        let first = story.first.concat();
        place.wait_for(engine.create(&canvas, &first, &key("create"), now)).expect("it is new");
        let chats = (0..CHATS)
            .map(|chat| {
                let name = ConversationId::new(&format!("chat-{chat}")).expect("a name");
                let session = place.wait_for(Session::join(&engine, canvas.clone(), name, now));
                (session.expect("the canvas is there"), Reader(Some(first.clone())))
            })
            .collect();
        let (leases, seen) = ([const { None }; CHATS], BTreeMap::new());
        Self { place, policy, engine, host, chats, leases, calls: 0, seen }
    }

    /// Engine and store are dropped, and others opened on what is stored.
    fn restart(&mut self) {
        self.engine = Engine::new(self.place.connect(), self.policy);
    }

    fn take(&mut self, step: &Step) -> Result<(), String> {
        match step {
            Step::Edit(change) => {
                let markdown = change.of(&self.text());
                self.user("edit", Command::Edit { markdown });
            }
            Step::Undo { redo } => {
                self.user("undo by the user", undo(Party::User));
                if *redo {
                    self.user("redo by the user", again(Party::User));
                }
            }
            Step::Cancel => self.user("cancel", Command::Cancel),
            Step::Wait(millis) => self.place.clock().wait(*millis),
            Step::Write { chat, change, keeps } => self.write(*chat, change, *keeps),
            Step::ModelUndo { chat, redo } => {
                let Some((lease, _)) = self.lease(*chat) else { return Ok(()) };
                let by = Party::Assistant { lease: lease.parse().ok() };
                self.model(*chat, "undo by a model", undo(by));
                if *redo {
                    self.model(*chat, "redo by a model", again(by));
                }
            }
            Step::Message { chat, again } => {
                let (id, now) = (self.call_id(), self.place.clock().stamp());
                let mut told = None;
                for _ in 0..=usize::from(*again) {
                    let session = &mut self.chats[*chat].0;
                    let began = self.place.wait_for(session.begin_turn(&self.engine, id.clone(), now));
                    let message = began.expect("a message is never refused").hidden_message;
                    self.same(&mut told, message)?;
                }
                self.hears(*chat, "message", told.flatten())?;
            }
            Step::End { chat, again } => {
                let (id, now) = (self.call_id(), self.place.clock().stamp());
                let mut told = None;
                for _ in 0..=usize::from(*again) {
                    let session = &self.chats[*chat].0;
                    let ended = self.place.wait_for(session.end_turn(&self.engine, id.clone(), now));
                    let message = ended.expect("a turn can always end").hidden_message;
                    self.same(&mut told, message)?;
                }
                self.hears(*chat, "end", told.flatten())?;
            }
            Step::Forget(chat) => {
                let (id, now) = (self.call_id(), self.place.clock().stamp());
                let session = &self.chats[*chat].0;
                let forgot = self.place.wait_for(session.forget(&self.engine, id, now));
                forgot.expect("who wants to may forget");
                self.chats[*chat].1 = Reader(None);
            }
        }
        Ok(())
    }

    /// A retry comes to a server that has just been started, and is told the same.
    fn same(&mut self, told: &mut Option<Option<String>>, message: Option<String>) -> Result<(), String> {
        match told {
            Some(first) if *first != message => Err(format!("told {first:?}, and again {message:?}")),
            Some(_) => {
                self.count("retry");
                Ok(())
            }
            None => {
                *told = Some(message);
                self.restart();
                Ok(())
            }
        }
    }

    /// The law.
    fn hears(&mut self, chat: usize, what: &'static str, message: Option<String>) -> Result<(), String> {
        self.count(what);
        // A text that is told twice, or that its reader knew, does no harm.
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
            self.tool(chat, "canvas_check_in", json!({"lease_id": lease}));
            self.leases[chat] = None;
        }
    }

    /// The lease that a model has kept, or a new one, and the text that it reads under it.
    fn lease(&mut self, chat: usize) -> Option<(String, String)> {
        loop {
            let kept = self.leases[chat].take();
            let is_kept = kept.is_some();
            let new = |play: &mut Self| {
                let reply = play.tool(chat, "canvas_check_out", json!({}));
                reply.lease_id().map(str::to_owned)
            };
            let Some(lease) = kept.or_else(|| new(self)) else {
                self.count("lease refused");
                return None;
            };
            let shown = self.tool(chat, "canvas_read_all", json!({"lease_id": lease}));
            if let Some(text) = shown.body()["text"].as_str() {
                self.leases[chat] = Some(lease.clone());
                return Some((lease, text.to_owned()));
            }
            assert!(is_kept, "a new lease reads: {}", shown.body());
            self.count("lease lost");
        }
    }

    fn tool(&mut self, chat: usize, name: &str, arguments: Value) -> ToolReply {
        let id = self.call_id().as_str().to_owned();
        let call = ToolCall { id, name: name.to_owned(), arguments };
        let (session, now) = (&self.chats[chat].0, self.place.clock().stamp());
        self.place.wait_for(call_document_tool(&self.engine, session, &call, now))
    }

    fn model(&mut self, chat: usize, what: &'static str, command: Command) {
        let id = self.call_id();
        let operation = self.chats[chat].0.operation(id);
        self.call(what, Call { operation, command });
    }

    fn user(&mut self, what: &'static str, command: Command) {
        let operation = key(self.call_id().as_str());
        self.call(what, Call { operation, command });
    }

    fn call(&mut self, what: &'static str, call: Call) {
        let canvas = &self.chats[0].0.canvas;
        let answered = self.place.wait_for(self.engine.call(canvas, &call, self.place.clock().stamp()));
        if !matches!(answered.expect("the store is sound").outcome, Outcome::Refused(_)) {
            self.count(what);
        }
    }

    fn text(&self) -> String {
        let canvas = &self.chats[0].0.canvas;
        let seen = self.place.wait_for(self.engine.snapshot(canvas, self.place.clock().stamp()));
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

fn undo(by: Party) -> Command {
    Command::Undo { by, what: Undo::Steps(NonZeroU32::MIN) }
}

fn again(by: Party) -> Command {
    Command::Redo { by, steps: NonZeroU32::MIN }
}

fn key(call: &str) -> OpKey {
    let conversation = ConversationId::new("host").expect("a name");
    OpKey { conversation, turn: Turn::ZERO, call: CallId::new(call).expect("a name") }
}

/// Plays a story; `restarts` between any two steps. In the end everybody is told what is still to be told.
fn play<P: Place + Default>(
    story: &Story,
    restarts: bool,
    host: Host,
) -> Result<BTreeMap<&'static str, u32>, String> {
    let mut play: Play<P> = Play::new(story, host);
    let ends = (0..CHATS).map(|chat| Step::Message { chat, again: false });
    for step in story.steps.iter().cloned().chain(ends) {
        play.take(&step).map_err(|e| format!("{step:?}: {e}"))?;
        if restarts {
            play.restart();
        }
    }
    Ok(play.seen)
}

fn holds<P: Place + Default>(story: &Story, restarts: bool) -> Result<(), TestCaseError> {
    play::<P>(story, restarts, Host::Sound).map(drop).map_err(TestCaseError::fail)
}

proptest! {
    #![proptest_config(super::config())]

    #[test]
    fn what_is_told_adds_up_on_memory(story in story()) {
        holds::<Memory>(&story, false)?;
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn what_is_told_adds_up_on_sqlite(story in story()) {
        holds::<Sqlite>(&story, false)?;
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn what_is_told_adds_up_on_sqlite_opened_anew_for_each_step(story in story()) {
        holds::<Sqlite>(&story, true)?;
    }

    #[cfg(feature = "object-store")]
    #[test]
    fn what_is_told_adds_up_on_a_bucket_opened_anew_for_each_step(story in story()) {
        holds::<Bucket>(&story, true)?;
    }

    #[cfg(feature = "postgres")]
    #[test]
    fn what_is_told_adds_up_on_postgres_connected_anew_for_each_step(story in story()) {
        holds::<Postgres>(&story, true)?;
    }
}

/// The same stories each time.
fn stories(count: usize) -> impl Iterator<Item = Story> {
    let mut runner = TestRunner::deterministic();
    std::iter::repeat_with(move || story().new_tree(&mut runner).expect("nothing is rejected").current())
        .take(count)
}

/// A law says nothing of what never comes up.
#[test]
#[expect(clippy::print_stdout, reason = "the counts are for those who run the tests with --nocapture")]
fn everything_comes_up() {
    let mut seen: BTreeMap<&str, u32> = BTreeMap::new();
    for story in stories(300) {
        for (what, count) in play::<Memory>(&story, true, Host::Sound).unwrap() {
            *seen.entry(what).or_default() += count;
        }
    }
    println!("{seen:?}");
    for what in [
        "cancel",
        "diff",
        "diff in a longer fence",
        "edit",
        "end",
        "lease lost",
        "lease refused",
        "message",
        "patch",
        "patch refused",
        "redo by a model",
        "redo by the user",
        "retry",
        "snapshot",
        "snapshot without a final newline",
        "undo by a model",
        "undo by the user",
    ] {
        assert!(seen.get(what).is_some_and(|count| *count >= 5), "{what}: {seen:?}");
    }
}

/// A host that goes wrong is found out in every story in which it could.
#[test]
fn a_host_that_goes_wrong_is_found_out() {
    let mut found = 0;
    for story in stories(60) {
        let seen = play::<Memory>(&story, false, Host::Sound).unwrap();
        let could = seen.keys().any(|what| what.starts_with("diff"));
        for host in [Host::LosesOne, Host::DoublesOne] {
            assert_eq!(play::<Memory>(&story, false, host).is_err(), could, "{host:?}: {story:?}");
        }
        found += u32::from(could);
    }
    assert!(found > 20, "only {found}");
}
