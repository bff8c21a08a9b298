//! A user's save: of the current revision, and of one that ten later changes have left behind.

use std::cell::RefCell;
use std::collections::VecDeque;

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::policy::ReceiptLimits;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, RevisionId};

use crate::inputs::document;
use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// Lines that take their turn to be changed: more than one save can be late, so that no two touch.
const LINES: u64 = 32;

/// A window that saves what it was shown some saves ago.
struct Window {
    engine: Engine<MemoryStore>,
    canvas: CanvasId,
    saves: u64,
    /// What it was shown at the last saves, oldest first.
    shown: VecDeque<(RevisionId, String)>,
}

fn key(call: &str) -> OpKey {
    OpKey::of(ConversationId::new("user").expect("short"), CallId::new(call).expect("short"))
}

impl Window {
    fn new(size: usize, late: usize) -> Self {
        let mut text: String =
            (0..LINES).map(|line| format!("line {line} was saved 000000000 times\n\n")).collect();
        text += &document(size - text.len());
        let engine = Engine::new(
            MemoryStore::new(|| NOW),
            Policy { receipts: ReceiptLimits { min_changes: 0, ..Default::default() }, ..Policy::default() },
        );
        let canvas = CanvasId::new("bench").expect("short");
        let made = block_on(engine.create(&canvas, &text, &key("create"), NOW)).expect("it is new");
        let mut window = Self { engine, canvas, saves: 0, shown: VecDeque::from([(made.revision, text)]) };
        for _ in 0..late {
            let (revision, text) = window.shown.back().expect("one is always shown").clone();
            window.save_on(revision, text);
        }
        window
    }

    /// Changes a line of the oldest text that was shown.
    fn save(&mut self) {
        let (revision, text) = self.shown.pop_front().expect("one is always shown");
        self.save_on(revision, text);
    }

    fn save_on(&mut self, revision: RevisionId, mut text: String) {
        let line = format!("line {} was saved ", self.saves % LINES);
        let at = text.find(&line).expect("it is in each text") + line.len();
        text.replace_range(at..at + 9, &format!("{:09}", self.saves));
        self.saves += 1;
        let call = key(&format!("save-{}", self.saves));
        let answered = block_on(self.engine.call(&self.canvas, &call, Edit::on(revision, text), NOW));
        let done = answered.expect("the store is there").result.expect("no two saves touch");
        let snapshot = block_on(self.engine.snapshot(&self.canvas, NOW)).expect("it is there");
        self.shown.push_back((done.revision, snapshot.text().to_owned()));
    }
}

/// Measures a save on the current revision, and one that is moved past ten later changes.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let windows = [("canvas", 0), ("canvas-moved-past-10", 10)]
        .map(|(subject, late)| (subject, RefCell::new(Window::new(size, late))));
    let text = document(size);
    let saves = windows.iter().map(|(subject, window)| {
        let save = move || {
            window.borrow_mut().save();
            fine(())
        };
        Subject::new(subject, save, |()| true)
    });
    let subjects: Vec<_> = std::iter::once(Subject::memcpy(text.as_bytes())).chain(saves).collect();
    Row::of(work, size, side_by_side(&subjects, effort))
}
