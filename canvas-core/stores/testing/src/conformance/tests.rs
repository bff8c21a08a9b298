//! Tests of the suite on its own mutants, and on a store in memory that notifies and whose commits can be blocked.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::lease::Timestamp;
use canvas_core::store::{Capabilities, Commit, Committed, Layer, MemoryStore, Store as _, StoreError};
use canvas_core::testing::block_on;

use super::mutants::Flaw;
use super::*;

pub(super) struct Gated {
    store: MemoryStore,
    gate: Arc<Mutex<Gate>>,
    /// Index of this connection.
    number: usize,
}

#[derive(Default)]
struct Gate {
    stalled: BTreeSet<CanvasId>,
    waiting: Vec<Waker>,
    /// Pending notifications of each connection.
    notifications: Vec<Vec<CanvasId>>,
}

impl Gated {
    fn connect(store: MemoryStore, gate: Arc<Mutex<Gate>>) -> Self {
        let number = {
            let mut gate = lock(&gate);
            gate.notifications.push(Vec::new());
            gate.notifications.len() - 1
        };
        Self { store, gate, number }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Layer for Gated {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { not_after: true, notify: true }
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let canvas = commit.head.canvas().clone();
        poll_fn(|context| {
            let mut gate = lock(&self.gate);
            if !gate.stalled.contains(&canvas) {
                return Poll::Ready(());
            }
            gate.waiting.push(context.waker().clone());
            Poll::Pending
        })
        .await;
        let committed = self.store.commit(commit).await;
        if matches!(committed, Ok(Committed::Done { .. })) {
            // The committer learns of its commit by the result.
            let mut gate = lock(&self.gate);
            let others =
                gate.notifications.iter_mut().enumerate().filter(|(number, _)| *number != self.number);
            others.for_each(|(_, notifications)| notifications.push(canvas.clone()));
        }
        committed
    }
}

struct Held {
    gate: Arc<Mutex<Gate>>,
    canvas: CanvasId,
}

impl Drop for Held {
    fn drop(&mut self) {
        let waiting = {
            let mut gate = lock(&self.gate);
            gate.stalled.remove(&self.canvas);
            std::mem::take(&mut gate.waiting)
        };
        waiting.into_iter().for_each(Waker::wake);
    }
}

/// Creates stores whose clock stands still between the suite's steps.
pub(super) struct Gates(Arc<Mutex<Timestamp>>);

impl Gates {
    pub(super) fn new() -> Self {
        Self(Arc::new(Mutex::new(Timestamp::from_millis(1_700_000_000_000))))
    }
}

impl Harness for Gates {
    type Store = Gated;

    async fn fresh(&self) -> Gated {
        let clock = Arc::clone(&self.0);
        Gated::connect(MemoryStore::new(move || *lock(&clock)), Arc::default())
    }

    async fn peer(&self, store: &Gated) -> Gated {
        Gated::connect(store.store.clone(), Arc::clone(&store.gate))
    }

    async fn advance(&self, by: Duration) {
        let mut clock = lock(&self.0);
        *clock = clock.saturating_add(by);
    }

    async fn stall(&self, store: &Gated, canvas: &CanvasId) -> Option<Stall> {
        lock(&store.gate).stalled.insert(canvas.clone());
        Some(Box::new(Held { gate: Arc::clone(&store.gate), canvas: canvas.clone() }))
    }

    async fn back_up<'a>(&'a self, store: &'a Gated) -> Option<Restore<'a>> {
        let put_back = store.store.back_up();
        Some(Box::pin(async move {
            let list = || store.store.list(None, usize::MAX);
            let before = list().await.unwrap_or_default();
            put_back();
            let canvases = [before, list().await.unwrap_or_default()].concat();
            lock(&store.gate).notifications.iter_mut().for_each(|heard| heard.extend(canvases.clone()));
        }))
    }

    async fn notified(&self, store: &Gated) -> Vec<CanvasId> {
        std::mem::take(&mut lock(&store.gate).notifications[store.number])
    }
}

/// Implements only the required methods, without stalls or notifications.
pub(super) struct Bare(pub(super) Gates);

impl Harness for Bare {
    type Store = MemoryStore;

    async fn fresh(&self) -> MemoryStore {
        self.0.fresh().await.store
    }

    async fn peer(&self, store: &MemoryStore) -> MemoryStore {
        store.clone()
    }

    async fn advance(&self, by: Duration) {
        self.0.advance(by).await;
    }
}

#[test]
fn memory_passes_every_check() {
    let report = block_on(run(&Gates::new()));
    assert!(report.is_passed(), "{report}");
    assert_eq!(report.skipped().count(), 0, "{report}");
}

#[test]
fn what_a_bare_harness_cannot_show_is_skipped() {
    let report = block_on(run(&Bare(Gates::new())));
    assert!(report.is_passed(), "{report}");
    let skipped: Vec<_> = report.skipped().map(|(check, _)| check).collect();
    let expected = [
        Check::Restored,
        Check::Abandoned,
        Check::LearnsAfterTheWait,
        Check::JudgedAfterTheWait,
        Check::NotifiesPeers,
    ];
    assert_eq!(skipped, expected);
}

/// Each flaw must fail its own check, and each check must be able to fail.
#[test]
fn every_mutant_is_killed_by_its_own_check() {
    let reports = block_on(mutants::kills(&Gates::new()));
    assert_eq!(reports.iter().map(|(flaw, _)| *flaw).collect::<Vec<_>>(), Flaw::ALL);
    let mut failed = BTreeSet::new();
    let mut survivors = Vec::new();
    for (flaw, report) in &reports {
        failed.extend(report.failed());
        if !report.failed().any(|check| check == flaw.killed_by()) {
            survivors.push((flaw, flaw.killed_by(), report.failed().collect::<Vec<_>>()));
        }
    }
    assert!(survivors.is_empty(), "{survivors:#?}");
    let never: Vec<_> = Check::ALL.iter().filter(|check| !failed.contains(check)).collect();
    assert!(never.is_empty(), "no flaw breaks {never:?}");
    let reports: String = reports.iter().map(|(_, report)| report.to_string()).collect();
    for answer in ["Done (", "Conflict (the row has ", "Conflict (no row)", "Late (at ", "a fault ("] {
        assert!(reports.contains(&format!("gave {answer}")), "no report says that a commit gave {answer}");
    }
}

#[test]
fn the_short_round_kills_what_the_harness_can_show() {
    assert_eq!(block_on(mutants::survivors(&Gates::new())), []);
    let survivors = block_on(mutants::survivors(&Bare(Gates::new())));
    assert!(
        survivors.iter().all(|(_, outcome)| matches!(outcome, CheckOutcome::Skipped(_))),
        "{survivors:?}"
    );
    let flaws: Vec<_> = survivors.into_iter().map(|(flaw, _)| flaw).collect();
    let expected = [Flaw::ShowsTheRowBeforeTheWait, Flaw::CountsVersions, Flaw::ReadsItsClockBeforeTheWait];
    assert_eq!(flaws, expected);
}

/// The documented table must match the code.
#[test]
fn the_table_of_flaws_is_true() {
    let mut table = "| flaw | the store | killed by |\n| --- | --- | --- |\n".to_owned();
    for flaw in Flaw::ALL {
        let check = flaw.killed_by();
        table += &format!("| `{flaw:?}` | {} | `{check:?}`: {} |\n", flaw.text(), check.text());
    }
    assert!(include_str!("kills.md") == table, "kills.md should read:\n{table}");
}

/// A host may run the suite on a runtime with several threads.
#[test]
fn the_suite_can_be_sent_to_another_thread() {
    fn sent<T: Send>(_: &T) {}
    let gates = Gates::new();
    sent(&run(&gates));
    sent(&mutants::kills(&gates));
}
