//! Calls of a model on a document in memory, from JSON to JSON: a patch, what the journal adds to it, and headings and
//! sections read after it.

use std::cell::RefCell;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::lease::Timestamp;
use canvas_core::observe::{EngineEvent, EventKind, Observer};
use canvas_core::policy::ReceiptLimits;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{Author, CallId, CanvasId, Command, ConversationId, Engine, OpKey, Policy};
use canvas_tools::{DocumentTools, Session, ToolCall, ToolReply, Tools};
use serde_json::{Value, json};

use crate::inputs::document;
use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// A model with the lease of a canvas.
struct Model {
    engine: Engine<MemoryStore>,
    tools: Tools<MemoryStore>,
    session: Session,
    lease: String,
    calls: u64,
    writes: u64,
    /// Which of two texts its line has.
    edited: bool,
}

/// Writes under one lease before it is given back and taken again; both are in the time.
const WRITES_PER_LEASE: u64 = 128;

/// The line that is changed there and back.
const LINES: [&str; 2] =
    ["The line that changes, as it was at first.", "The line that changes, as it is now."];

impl Model {
    fn new(text: &str) -> Self {
        Self::with(text, |engine| engine)
    }

    fn with(text: &str, host: impl FnOnce(Engine<MemoryStore>) -> Engine<MemoryStore>) -> Self {
        let hour = Duration::from_secs(3_600);
        let lease = canvas_core::lease::LeasePolicy { ttl: hour, max_hold: hour, ..Default::default() };
        let receipt_lifetime = Duration::ZERO;
        let policy = Policy {
            lease,
            receipts: ReceiptLimits {
                calls_per_lease: usize::MAX,
                min_changes: 0,
                lifetime: receipt_lifetime,
                ..Default::default()
            },
            ..Policy::default()
        };
        let engine = host(Engine::new(MemoryStore::new(|| NOW), policy));
        let canvas = CanvasId::new("bench").expect("short");
        let conversation = ConversationId::new("model").expect("short");
        let create = OpKey::of(conversation.clone(), CallId::new("create").expect("short"));
        block_on(engine.create(&canvas, text, &create, NOW)).expect("it is new");
        let session = block_on(Session::open(&engine, canvas, conversation, NOW)).expect("it is there");
        let toolset = DocumentTools { outline: true, read_section: true, ..DocumentTools::default() };
        let tools = Tools::new(toolset).expect("one toolset");
        let mut model =
            Self { engine, tools, session, lease: String::new(), calls: 0, writes: 0, edited: false };
        model.check_out();
        model
    }

    fn check_out(&mut self) {
        let reply = self.call("canvas_check_out", json!({}));
        self.lease = reply.lease_id().expect("the canvas is free").to_owned();
        self.read();
    }

    fn check_in(&mut self) {
        drop(self.call("canvas_check_in", json!({"lease_id": self.lease})));
    }

    fn call(&mut self, name: &str, arguments: Value) -> ToolReply {
        self.calls += 1;
        let call = ToolCall { id: format!("call-{}", self.calls), name: name.to_owned(), arguments };
        let reply = block_on(self.tools.call(&self.engine, &mut self.session, &call, NOW));
        assert!(reply.is_ok(), "{}", reply.body());
        reply
    }

    fn read(&mut self) {
        drop(self.call("canvas_read_lines", json!({"lease_id": self.lease, "start_line": 1, "end_line": 3})));
    }

    /// Changes its line.
    fn write(&mut self) {
        let [old, new] = if self.edited { [LINES[1], LINES[0]] } else { LINES };
        drop(self.call(
            "canvas_apply_patch",
            json!({"lease_id": self.lease, "patch": format!("@@\n-{old}\n+{new}\n")}),
        ));
        self.edited = !self.edited;
        self.writes += 1;
        // Receipts of the live lease are kept, and a lease without end would have very many.
        if self.writes.is_multiple_of(WRITES_PER_LEASE) {
            self.check_in();
            self.check_out();
        }
    }

    fn walk<C: Command>(&mut self, command: C) {
        self.calls += 1;
        let operation = OpKey {
            conversation: self.session.conversation.clone(),
            turn: self.session.turn,
            call: CallId::new(&format!("call-{}", self.calls)).expect("short"),
            person: None,
        };
        let answered = block_on(self.engine.call(&self.session.canvas, &operation, command, NOW));
        answered.expect("the store is there").result.expect("the history has it");
    }
}

fn text(size: usize) -> String {
    let mut text = format!("{}\n\n", LINES[0]);
    text += &document(size - text.len());
    text
}

fn observed(text: &str) -> Model {
    let (events, nanoseconds) = Default::default();
    let observer = Observed { start: Instant::now(), events, nanoseconds };
    Model::with(text, |engine| engine.with_observer(Arc::new(observer)))
}

/// Counts the events of an engine, and the time that it spends on decisions and on the store.
#[derive(Debug)]
struct Observed {
    start: Instant,
    events: AtomicU64,
    nanoseconds: AtomicU64,
}

impl Observer for Observed {
    fn now(&self) -> Duration {
        self.start.elapsed()
    }

    fn event(&self, event: &EngineEvent<'_>) {
        self.events.fetch_add(1, Ordering::Relaxed);
        if let EventKind::Decided { took, .. } | EventKind::CommitEnded { took, .. } = event.kind {
            self.nanoseconds.fetch_add(took.as_nanos() as u64, Ordering::Relaxed);
        }
    }
}

/// Measures a look at some lines and a patch of one of them, with its commit; and the same with an observer.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let text = text(size);
    let [model, observed] = [Model::new(&text), observed(&text)].map(RefCell::new);
    let looked_and_wrote = |model: &RefCell<Model>| {
        let mut model = model.borrow_mut();
        model.read();
        model.write();
        fine(())
    };
    let (buffer, subject) = (RefCell::new(Vec::with_capacity(size)), "blake3 and memcpy");
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new(
            subject,
            || {
                let mut buffer = buffer.borrow_mut();
                buffer.clear();
                buffer.extend_from_slice(text.as_bytes());
                fine(blake3::hash(&buffer))
            },
            |_| true,
        ),
        Subject::new("canvas", || looked_and_wrote(&model), |()| true),
        Subject::new("canvas-observed", || looked_and_wrote(&observed), |()| true),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}

/// Measures a patch of one line by itself, with the first headings read after it, and with one section read after it.
///
/// # Panics
///
/// Where the document has no headings: a defect of the generator.
pub fn rows_reading(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let text = text(size);
    let outline = canvas_patch::outline(&text);
    let section = json!({"path": outline.path(outline.sections().len() / 2)});
    let subjects = [
        ("canvas", None),
        ("canvas-outline", Some(("canvas_outline", json!({})))),
        ("canvas-section", Some(("canvas_read_section", section))),
    ];
    let models = subjects.map(|(subject, reading)| (subject, reading, RefCell::new(Model::new(&text))));
    let written_and_read = models.iter().map(|(subject, reading, model)| {
        let call = move || {
            let mut model = model.borrow_mut();
            model.write();
            if let Some((name, arguments)) = reading {
                drop(model.call(name, arguments.clone()));
            }
            fine(())
        };
        Subject::new(subject, call, |()| true)
    });
    let subjects: Vec<_> =
        std::iter::once(Subject::memcpy(text.as_bytes())).chain(written_and_read).collect();
    Row::of(work, size, side_by_side(&subjects, effort))
}

/// Measures a patch, and undo and redo of it, with a number of entries in the journal already; only on 100 KB, because the
/// entries have to be made first.
pub fn rows_with_history(work: &'static str, entries: usize, size: usize, effort: Effort) -> Vec<Row> {
    if size != 100_000 {
        return Vec::new();
    }
    // A first look measures what it prepares in a moment.
    let entries = if effort.is_quick() { entries.min(1_000) } else { entries };
    let text = text(size);
    let models = ["canvas", "canvas-undo"].map(|subject| {
        let mut model = Model::new(&text);
        (0..entries).for_each(|_| model.write());
        (subject, RefCell::new(model))
    });
    let [(write, writer), (undo, undoer)] = &models;
    let by = |model: &Model| Author::Assistant { lease: model.lease.parse().ok() };
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new(
            write,
            || {
                writer.borrow_mut().write();
                fine(())
            },
            |()| true,
        ),
        Subject::new(
            undo,
            || {
                let mut model = undoer.borrow_mut();
                let (by, steps) = (by(&model), NonZeroU32::MIN);
                if model.edited == (entries % 2 == 1) {
                    model.walk(Undo { by, what: UndoScope::Steps(steps) });
                } else {
                    model.walk(Redo { by, steps });
                }
                model.edited = !model.edited;
                if model.calls.is_multiple_of(256) {
                    model.check_in();
                    model.check_out();
                }
                fine(())
            },
            |()| true,
        ),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}
