//! What the past of a document costs: blame, earlier texts, differences, and an edit with blame beside one without.

use std::hint::black_box;
use std::time::{Duration, Instant};

use canvas_core::document::Edit;
use canvas_core::lease::Timestamp;
use canvas_core::policy::HistoryLimits;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::text::{LineRange, build};
use canvas_core::{CallId, CanvasId, CollectOptions, Engine, OpKey, PersonId, Policy, Revision};

use crate::counted::Counted;
use crate::inputs::document;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// Runs of which the median counts.
const RUNS: usize = 31;

type Bench = Engine<Counted<MemoryStore>>;

/// The median times of the works.
#[derive(Debug, Clone, Copy)]
pub struct Past {
    /// An edit of an engine that knows the blame, and of one that does not.
    pub edits: [Duration; 2],
    /// Blame of 100 lines, known.
    pub blame: Duration,
    /// Blame of all lines by an engine that knows nothing.
    pub cold_blame: Duration,
    /// The text of 1,000 changes ago from its blob, and a copy of as many bytes.
    pub stored: [Duration; 2],
    /// The same text after a collection.
    pub collected: Duration,
    /// A difference over 1,000 changes, and two texts with the patch between them.
    pub diff: [Duration; 2],
}

/// A document with a long history.
struct History {
    engine: Bench,
    canvas: CanvasId,
    calls: u64,
    clock: std::sync::Arc<std::sync::atomic::AtomicU64>,
}

fn policy(changes: usize) -> Policy {
    let mut policy = Policy::default();
    let changes = u64::try_from(changes).unwrap_or(u64::MAX).max(policy.history.changes);
    policy.history = HistoryLimits { changes, ..policy.history };
    policy
}

impl History {
    fn new(size: usize, changes: usize) -> Self {
        let clock = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(NOW.as_millis()));
        let of_store = std::sync::Arc::clone(&clock);
        let now = move || Timestamp::from_millis(of_store.load(std::sync::atomic::Ordering::Relaxed));
        let engine = Engine::new(Counted::new(MemoryStore::new(now)), policy(changes));
        let mut history = Self { engine, canvas: CanvasId::new("c").expect("short"), calls: 0, clock };
        let key = history.key();
        block_on(history.engine.create(&history.canvas, &document(size), &key, NOW)).expect("it is new");
        for number in 0..changes {
            history.edit(None, number * 7_919);
        }
        history
    }

    fn key(&mut self) -> OpKey {
        self.calls += 1;
        let call = CallId::new(&self.calls.to_string()).expect("short");
        let person = PersonId::new(["Anna", "Bert", "Cleo"][self.calls as usize % 3]).expect("short");
        OpKey::person(person, call)
    }

    /// Replaces a word at the start of a line, and returns the time that this takes.
    fn edit(&mut self, engine: Option<&Bench>, place: usize) -> Duration {
        let key = self.key();
        let engine = engine.unwrap_or(&self.engine);
        let snapshot = block_on(engine.snapshot(&self.canvas, NOW)).expect("it is there");
        let mut text = snapshot.text().to_owned();
        let mut at = place % text.len();
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
        let end = text[start..].find(['\n', ' ']).map_or(text.len(), |end| start + end);
        text.replace_range(start..end, &format!("w{}", self.calls));
        let edit = Edit::on(snapshot.revision_id(), text);
        drop(snapshot);
        let begin = Instant::now();
        let edited = block_on(engine.call(&self.canvas, &key, edit, NOW)).expect("the store answers");
        let time = begin.elapsed();
        edited.result.unwrap_or_else(|_| panic!("an edit is refused"));
        time
    }

    /// Another engine on the same store.
    fn peer(&self) -> Bench {
        Engine::new(self.engine.store().clone(), *self.engine.policy())
    }
}

fn median(mut run: impl FnMut(usize) -> Duration) -> Duration {
    let mut times: Vec<_> = (0..RUNS).map(&mut run).collect();
    times.sort_unstable();
    times[RUNS / 2]
}

fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let begin = Instant::now();
    black_box(run());
    begin.elapsed()
}

/// Measures all of it on a document of so many bytes with so many changes.
///
/// # Panics
///
/// If the engine refuses a call.
pub fn past(size: usize, changes: usize) -> Past {
    let mut history = History::new(size, changes);
    let canvas = history.canvas.clone();
    let blame = |engine: &Bench, lines| block_on(engine.blame(&canvas, lines, NOW)).expect("it is there");
    let lines = |run: usize| Some(LineRange { start: 100 * run + 1, end: 100 * run + 100 });
    let known = median(|run| timed(|| blame(&history.engine, lines(run))));
    let cold_blame = timed(|| blame(&history.peer(), None));

    // An engine that begins with a history does not know its blame until somebody asks.
    let cold = history.peer();
    let mut edits = [Vec::new(), Vec::new()];
    for run in 0..RUNS {
        // Each edit is of the row that this engine committed last, so that neither decides twice.
        edits[0].push(history.edit(None, run * 104_729));
        block_on(cold.snapshot(&canvas, NOW)).expect("it is there");
        edits[1].push(history.edit(Some(&cold), run * 104_729 + 7));
        block_on(history.engine.snapshot(&canvas, NOW)).expect("it is there");
    }
    let edits = edits.map(|mut times| {
        times.sort_unstable();
        times[RUNS / 2]
    });

    let newest = block_on(history.engine.snapshot(&canvas, NOW)).expect("it is there").head.revision().get();
    let ago = Revision::new(newest.saturating_sub(1_000).max(1)).expect("it is lower");
    let newest = Revision::new(newest).expect("it is one");
    let engine = &history.engine;
    let text_at = |at: Revision| block_on(engine.document_at(&canvas, at, NOW)).expect("it is kept");
    let copied = text_at(ago).text().to_owned();
    let stored =
        [median(|_| timed(|| text_at(ago))), median(|_| timed(|| black_box(copied.as_str()).to_owned()))];
    let diff = [
        median(|_| timed(|| block_on(engine.diff(&canvas, ago, newest, NOW)).expect("both are kept"))),
        median(|_| {
            timed(|| {
                let (before, after) = (text_at(ago), text_at(newest));
                build(before.text(), after.text(), 3)
            })
        }),
    ];
    history.clock.fetch_add(10_000_000, std::sync::atomic::Ordering::Relaxed);
    block_on(engine.collect(&canvas, CollectOptions::default())).expect("it is there");
    let collected = median(|_| timed(|| text_at(ago)));
    Past { edits, blame: known, cold_blame, stored, collected, diff }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_history_is_as_long_as_it_says() {
        let history = History::new(20_000, 40);
        let blamed = block_on(history.engine.blame(&history.canvas, None, NOW)).unwrap();
        let written = blamed.iter().filter(|run| run.writer.is_some()).count();
        assert!((10..=40).contains(&written), "{written}");
        past(20_000, 20);
    }
}
