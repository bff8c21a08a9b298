//! Concurrent writers and a collector on one canvas, and a check that the canvas is intact afterwards.

use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use canvas_core::document::Edit;
use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::lease::Turn;
use canvas_core::policy::HistoryLimits;
use canvas_core::store::Store;
use canvas_core::{
    Author, BlobId, CanvasId, CodedError as _, CollectOptions, Command, Engine, EngineError, Policy,
    Refused as _,
};

use super::clock::system_now;
use super::id::key_of;

/// Maximum history entries that the collector keeps.
const HISTORY: u64 = 12;

/// Returns the policy of writers and collector. Each entry needs whole documents, and blobs have no minimum age.
pub fn policy() -> Policy {
    Policy {
        history: HistoryLimits { entry_bytes: 0, ..Default::default() },
        min_blob_age: Duration::ZERO,
        ..Policy::default()
    }
}

/// Creates the canvas.
pub async fn make(engine: &Engine<impl Store>, canvas: &CanvasId) {
    let made = engine.create(canvas, &text(0), &key_of("host", Turn::ZERO, "create"), system_now()).await;
    made.expect("there is no such canvas");
}

/// Returns one of five texts, so that writers often put the same blob again.
fn text(number: u64) -> String {
    format!("Text {}\n", number % 5).repeat(40)
}

/// Edits, undoes, redoes and reads in an order that the seed determines. Panics if data is missing. Returns the number of
/// changes.
pub async fn write(engine: &Engine<impl Store>, canvas: &CanvasId, seed: u64, rounds: u64) -> u64 {
    let (mut state, mut changes) = (seed, 0);
    let (by, steps) = (Author::User, NonZeroU32::MIN);
    for round in 0..rounds {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let call = format!("{seed}-{round}");
        let done = match (state >> 33) % 8 {
            0..=2 => ask(engine, canvas, &call, Edit::overwrite(text(state >> 40))).await,
            3..=4 => ask(engine, canvas, &call, Undo { by, what: UndoScope::Steps(steps) }).await,
            5 => ask(engine, canvas, &call, Redo { by, steps }).await,
            6 => engine.history(canvas, None, 50, system_now()).await.map(|_| false),
            _ => engine.replay(canvas, system_now()).await.map(|_| false),
        };
        match done {
            Ok(done) => changes += u64::from(done),
            Err(EngineError::Contention { .. }) => {}
            Err(e) => panic!("round {round} of {seed}: {}", e.message()),
        }
    }
    changes
}

async fn ask<C: Command>(
    engine: &Engine<impl Store>,
    canvas: &CanvasId,
    call: &str,
    command: C,
) -> Result<bool, EngineError> {
    let answered = engine.call(canvas, &key_of("user", Turn::ZERO, call), command, system_now()).await?;
    let code = answered.result.as_ref().err().map_or("OK", |refusal| refusal.view().code());
    assert!(matches!(code, "OK" | "HISTORY_EMPTY"), "{call}: {code}");
    Ok(code == "OK")
}

/// Collects until the writers have finished. Returns the numbers of completed collections and of deleted blobs.
pub async fn collect_until(
    engine: &Engine<impl Store>,
    canvas: &CanvasId,
    older_than: Duration,
    over: &AtomicBool,
) -> (u64, u64) {
    let (mut collections, mut blobs) = (0, 0);
    loop {
        let last = over.load(Ordering::SeqCst);
        let collection = CollectOptions { history: Some(HISTORY), older_than, ..CollectOptions::default() };
        match engine.collect(canvas, collection).await {
            Ok(dropped) => (collections, blobs) = (collections + 1, blobs + dropped.blobs),
            Err(EngineError::Contention { .. }) if !last => {}
            Err(e) => panic!("collection {collections}: {}", e.message()),
        }
        if last {
            return (collections, blobs);
        }
    }
}

/// Checks that the canvas replays and can be undone to the start of its history. Use an engine with an empty cache.
pub async fn is_whole(engine: &Engine<impl Store>, canvas: &CanvasId) {
    let replay = engine.replay(canvas, system_now()).await.expect("the canvas is whole");
    assert!((1..=HISTORY as usize).contains(&replay.entries), "{} entries", replay.entries);
    let snapshot = engine.snapshot(canvas, system_now()).await.expect("the canvas is there");
    assert_eq!(BlobId::of_document(snapshot.text()), snapshot.head.document());
    let undo = || Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) };
    let mut undone = 0;
    while ask(engine, canvas, &format!("undo-{undone}"), undo()).await.expect("the canvas is whole") {
        undone += 1;
        engine.replay(canvas, system_now()).await.expect("the canvas is whole");
    }
    assert!(undone <= HISTORY, "{undone} changes were undone");
}

/// The task of one thread.
pub type Work<'a> = Pin<Box<dyn Future<Output = ()> + 'a>>;

/// Runs writers and a collector, each on its own thread with its own engine, and then checks the canvas.
#[expect(clippy::print_stdout, reason = "the figures of a test")]
pub fn run<S: Store + Send + 'static>(
    connect: impl Fn() -> S,
    block_on: impl Fn(Work<'_>) + Sync,
    older_than: Duration,
    (writers, rounds): (u64, u64),
) {
    let engine = || Engine::new(connect(), policy());
    let canvas = super::id::canvas("c");
    let first = engine();
    block_on(Box::pin(make(&first, &canvas)));
    let over = AtomicBool::new(false);
    let counts = Mutex::new((0, 0, 0));
    std::thread::scope(|scope| {
        let (canvas, over, counts, block_on) = (&canvas, &over, &counts, &block_on);
        let collector = engine();
        scope.spawn(move || {
            block_on(Box::pin(async move {
                let (collections, blobs) = collect_until(&collector, canvas, older_than, over).await;
                let mut counts = counts.lock().expect("nobody has panicked");
                (counts.1, counts.2) = (collections, blobs);
            }));
        });
        let writers: Vec<_> = (1..=writers)
            .map(|seed| {
                let engine = engine();
                scope.spawn(move || {
                    block_on(Box::pin(async move {
                        let changes = write(&engine, canvas, seed, rounds).await;
                        counts.lock().expect("nobody has panicked").0 += changes;
                    }));
                })
            })
            .collect();
        let ended: Vec<_> = writers.into_iter().map(std::thread::ScopedJoinHandle::join).collect();
        over.store(true, Ordering::SeqCst);
        ended.into_iter().for_each(|ended| ended.expect("nothing was missing"));
    });
    let last = engine();
    block_on(Box::pin(is_whole(&last, &canvas)));
    let (changes, collections, blobs) = *counts.lock().expect("nobody has panicked");
    assert!(changes > 0 && collections > 1 && blobs > 0, "{changes} {collections} {blobs}");
    println!(
        "{changes} changes, {collections} collections, {blobs} blobs dropped: {}",
        std::any::type_name::<S>()
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use canvas_core::store::MemoryStore;
    use canvas_core::testing::block_on;

    #[test]
    fn memory_is_collected_while_others_write() {
        let store = MemoryStore::new(system_now);
        let older_than = Duration::from_nanos(1);
        run(|| store.clone(), |work: Work<'_>| block_on(work), older_than, (3, 600));
    }
}
