//! Stores that break a promise, and the machine that must find each of them out.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::CanvasId;
use canvas_core::store::{
    Commit, Committed, Head, Layer, Loaded, MemoryStore, Store as _, StoreError, StoreErrorKind,
};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use proptest_state_machine::ReferenceStateMachine as _;

use super::machine::Machine;
use super::plan::Plan;
use super::story::Step;
use super::world::{Memory, Place};
use canvas_store_testing::{Clock, edit_head};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flaw {
    /// The wrapper itself is none.
    None,
    /// Writes whatever version the row has.
    IgnoresTheCondition,
    /// Commits again by itself after a conflict.
    RetriesInside,
    /// Answers a conflict as if it were done.
    SaysDone,
    /// Keeps the receipts of the first commit and no later ones.
    LosesReceipts,
    /// Answers an empty bump of the version without doing it.
    SkipsBumps,
    /// Loses the blobs of one commit in three.
    LosesBlobs,
    /// Commits past `not_after`.
    IgnoresNotAfter,
    /// Gives the row of a deleted canvas away.
    FreesTombstones,
    /// Says that nothing was written after it has written, one time in five.
    FailsAfterWriting,
}

const FLAWS: [Flaw; 9] = [
    Flaw::IgnoresTheCondition,
    Flaw::RetriesInside,
    Flaw::SaysDone,
    Flaw::LosesReceipts,
    Flaw::SkipsBumps,
    Flaw::LosesBlobs,
    Flaw::IgnoresNotAfter,
    Flaw::FreesTombstones,
    Flaw::FailsAfterWriting,
];

/// Canvases in memory behind a flaw.
struct Flawed {
    memory: Memory,
    flaw: Flaw,
    commits: Arc<AtomicU64>,
}

struct FlawedStore {
    store: MemoryStore,
    flaw: Flaw,
    commits: Arc<AtomicU64>,
}

impl Flawed {
    fn new(flaw: Flaw) -> Self {
        Self { memory: Memory::default(), flaw, commits: Arc::default() }
    }
}

impl Place for Flawed {
    type Store = FlawedStore;

    fn connect(&self) -> FlawedStore {
        FlawedStore { store: self.memory.connect(), flaw: self.flaw, commits: Arc::clone(&self.commits) }
    }

    fn clock(&self) -> &Clock {
        self.memory.clock()
    }
}

/// A head with the receipts of another.
fn with_receipts_of(old: &Head, head: &Head) -> Arc<Head> {
    let old: serde_json::Value = serde_json::from_slice(&old.to_json()).expect("a head is JSON");
    edit_head(head, |json| json["receipts"].clone_from(&old["receipts"]))
}

impl Layer for FlawedStore {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        let row = self.store.load(canvas).await?;
        Ok(row.filter(|row| self.flaw != Flaw::FreesTombstones || !row.head.is_deleted()))
    }

    async fn commit(&self, mut commit: Commit) -> Result<Committed, StoreError> {
        let number = self.commits.fetch_add(1, Ordering::SeqCst);
        let current = self.store.load(commit.head.canvas()).await?;
        let version = current.as_ref().map(|row| row.version.clone());
        match (self.flaw, &current) {
            (Flaw::IgnoresTheCondition, _) => commit.expected = version,
            (Flaw::FreesTombstones, Some(row)) if commit.expected.is_none() && row.head.is_deleted() => {
                commit.expected = version;
            }
            (Flaw::SkipsBumps, Some(row)) if commit.expected == version && commit.head == row.head => {
                return Ok(Committed::Done { version: row.version.clone(), clock: row.clock });
            }
            (Flaw::LosesReceipts, Some(row)) => commit.head = with_receipts_of(&row.head, &commit.head),
            (Flaw::LosesBlobs, _) if number % 3 == 2 => commit.blobs.clear(),
            (Flaw::IgnoresNotAfter, _) => commit.not_after = None,
            _ => {}
        }
        let again = commit.clone();
        match (self.flaw, self.store.commit(commit).await?) {
            (Flaw::RetriesInside, Committed::Conflict(Some(row))) => {
                self.store.commit(Commit { expected: Some(row.version), ..again }).await
            }
            (Flaw::SaysDone, Committed::Conflict(Some(Loaded { version, clock, .. }))) => {
                Ok(Committed::Done { version, clock })
            }
            (Flaw::FailsAfterWriting, Committed::Done { .. }) if number % 5 == 4 => {
                Err(StoreError::new(StoreErrorKind::Failed).with_source("the server is busy"))
            }
            (_, committed) => Ok(committed),
        }
    }
}

/// The same sequences on every run.
fn sequences(count: usize) -> impl Iterator<Item = Vec<Step>> {
    let mut runner = TestRunner::deterministic();
    let strategy = Plan::<Memory>::sequential_strategy(1..40);
    std::iter::repeat_with(move || {
        let tree = strategy.new_tree(&mut runner).expect("few sequences are rejected");
        tree.current().1
    })
    .take(count)
}

/// Plays a sequence to its end, and gives the codes that were answered.
fn play(place: impl Place, steps: &[Step]) -> Result<BTreeSet<String>, String> {
    let mut machine = Machine::new(place);
    steps.iter().try_for_each(|step| machine.step(step))?;
    machine.finish()?;
    Ok(machine.codes())
}

#[test]
fn every_flaw_is_found_out() {
    for flaw in FLAWS {
        let mut problems = sequences(300).map(|steps| play(Flawed::new(flaw), &steps));
        assert!(problems.any(|played| played.is_err()), "nobody sees what {flaw:?} means");
    }
}

/// Without a flaw the same sequences pass, so it is the flaws that are found.
#[test]
fn what_finds_flaws_finds_none_where_none_is() {
    for steps in sequences(100) {
        play(Flawed::new(Flaw::None), &steps).unwrap_or_else(|problem| panic!("{problem}"));
    }
}

/// A machine in which nothing happens finds nothing: each of these is answered now and then.
#[test]
fn every_answer_comes_up() {
    let expected = [
        "CALL_ABANDONED",
        "CALL_ID_REUSED",
        "CANVAS_DELETED",
        "CANVAS_EXISTS",
        "CANVAS_NOT_FOUND",
        "DONE",
        "LEASE_EXPIRED",
        "LOCK_NOT_AVAILABLE/HELD",
        "LOCK_NOT_AVAILABLE/USER_ACTIVE",
        "LOCK_NOT_OWNED",
        "NEVER",
        "OK",
        "PATCH_REJECTED",
        "PATCH_REJECTED/STALE_BASE",
        "STALE_EPOCH",
        "arrived and done",
        "arrived in vain",
        "crashed",
        "in doubt",
        "nothing written",
        "replayed",
    ];
    let mut codes = BTreeSet::new();
    for steps in sequences(200) {
        codes.extend(play(Memory::default(), &steps).unwrap_or_else(|problem| panic!("{problem}")));
    }
    assert_eq!(codes.iter().map(String::as_str).collect::<Vec<_>>(), expected);
}
