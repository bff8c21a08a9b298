//! A change of a canvas that many watch: 10,000 watchers of 100 canvases, of which each call changes one.

use std::cell::{Cell, RefCell};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use canvas_core::lease::Timestamp;
use canvas_core::policy::ReceiptLimits;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::turn::TakeControl;
use canvas_core::watch::{Watch, WatchEvent};
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};

use crate::inputs::document;
use crate::measure::{Effort, Subject, Time, fine, side_by_side};
use crate::report::Row;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// Canvases.
pub const CANVASES: usize = 100;

/// Watchers of each.
pub const WATCHERS: usize = 100;

/// Canvases of one engine, and their watchers, which all wait.
#[derive(Debug)]
pub struct Audience {
    engine: Engine<MemoryStore>,
    canvases: Vec<CanvasId>,
    watchers: Vec<Vec<Watcher>>,
    calls: Cell<usize>,
}

#[derive(Debug)]
struct Watcher {
    watch: RefCell<Watch>,
    woken: Arc<Woken>,
}

#[derive(Debug, Default)]
struct Woken(AtomicU64);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Watcher {
    fn poll(&self) -> Option<WatchEvent> {
        let waker = Waker::from(Arc::clone(&self.woken));
        let mut watch = self.watch.borrow_mut();
        match pin!(watch.next()).poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(event) => Some(event.expect("the engine is there").expect("the store is there")),
            Poll::Pending => None,
        }
    }
}

impl Audience {
    /// Canvases with a document of `size` bytes, each with this number of watchers that have had their first event.
    ///
    /// # Panics
    ///
    /// Where the engine does not do what it says.
    pub fn new(size: usize, watchers: usize) -> Self {
        let policy =
            Policy { receipts: ReceiptLimits { min_changes: 0, ..Default::default() }, ..Policy::default() };
        let engine = Engine::new(MemoryStore::new(|| NOW), policy);
        let canvases: Vec<_> =
            (0..CANVASES).map(|number| CanvasId::new(&format!("canvas-{number}")).expect("short")).collect();
        let text = document(size);
        for canvas in &canvases {
            block_on(engine.create(canvas, &text, &key(0), NOW)).expect("it is new");
        }
        let watcher = |canvas| Watcher { watch: RefCell::new(engine.watch(canvas)), woken: Arc::default() };
        let watchers: Vec<Vec<_>> =
            canvases.iter().map(|canvas| (0..watchers).map(|_| watcher(canvas)).collect()).collect();
        let audience = Self { engine, canvases, watchers, calls: Cell::new(0) };
        (0..CANVASES).for_each(|canvas| assert_eq!(audience.see(canvas), audience.watchers[canvas].len()));
        audience
    }

    /// Changes the next canvas: the user takes it over.
    ///
    /// # Panics
    ///
    /// Where the engine does not do what it says.
    pub fn change(&self) -> usize {
        self.calls.set(self.calls.get() + 1);
        let (call, canvas) = (self.calls.get(), self.calls.get() % CANVASES);
        let taken = block_on(self.engine.call(&self.canvases[canvas], &key(call), TakeControl, NOW));
        taken.expect("the store is there").result.expect("the user may");
        canvas
    }

    /// Has the watchers of a canvas take what there is, and wait again. How many got an event.
    ///
    /// # Panics
    ///
    /// Where the engine does not do what it says.
    pub fn see(&self, canvas: usize) -> usize {
        let watchers = &self.watchers[canvas];
        let seen = watchers.iter().filter(|watcher| watcher.poll().is_some()).count();
        assert!(watchers.iter().all(|watcher| watcher.poll().is_none()), "there is one event each");
        seen
    }
}

fn key(call: usize) -> OpKey {
    let (conversation, call) = (ConversationId::new("user"), CallId::new(&call.to_string()));
    OpKey::of(conversation.expect("short"), call.expect("short"))
}

/// Measures a change that nobody watches, one that a hundred watch until each has it and waits again, and what that is for
/// one of them; only on 100 KB, because a hundred documents have to be made first.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    if size != 100_000 {
        return Vec::new();
    }
    let (alone, watched, text) = (Audience::new(size, 0), Audience::new(size, WATCHERS), document(size));
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new("canvas", || fine(alone.change()), |_| true),
        Subject::new("canvas-watched", || fine(watched.see(watched.change())), |seen| *seen == WATCHERS),
    ];
    let mut rows = Row::of(work, size, side_by_side(&subjects, effort));
    if let [_, Row { time: Ok(alone), .. }, Row { time: Ok(watched), floor_ns, .. }] = rows[..] {
        let each = |watched: f64, alone: f64| (watched - alone) / WATCHERS as f64;
        let time = Time {
            median_ns: each(watched.median_ns, alone.median_ns),
            fastest_ns: each(watched.fastest_ns, alone.fastest_ns),
        };
        rows.push(Row { work, size, subject: "canvas-watcher", time: Ok(time), floor_ns });
    }
    rows
}
