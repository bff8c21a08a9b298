//! A model that writes: one line of a small document, again and again, under a lease.

use std::sync::Arc;

use canvas_core::document::ApplyPatch;
use canvas_core::lease::{CheckIn, CheckOut, LeaseId, Timestamp};
use canvas_core::store::Store;
use canvas_core::{CallId, CanvasId, Command, ConversationId, Engine, OpKey, Policy};

/// Bytes of a small document, as the measurements of others have it.
pub(super) const SMALL: usize = 4096;

/// Lines of the document, each with a counter.
pub(super) const LINES: usize = 32;

/// Writes under one lease before it is given back and taken again; both are in the time.
const WRITES_PER_LEASE: u32 = 50;

/// A lease that does not end while it is measured.
pub(super) fn policy() -> Policy {
    let hour = std::time::Duration::from_secs(3_600);
    let lease = canvas_core::lease::LeasePolicy {
        ttl: hour,
        max_hold: hour,
        ..canvas_core::lease::LeasePolicy::default()
    };
    Policy { lease, ..Policy::default() }
}

pub(super) fn canvas() -> CanvasId {
    CanvasId::new("bench").expect("short")
}

pub(super) fn key(call: &str) -> OpKey {
    let conversation = ConversationId::new("model").expect("short");
    OpKey::of(conversation, CallId::new(call).expect("short"))
}

/// A line of a document of `size` bytes; longer documents have more of them after it.
fn line(line: usize, count: u64) -> String {
    format!("line {line:02} count {count:010} {}", "x".repeat(SMALL / LINES - 28))
}

pub(super) fn document(bytes: usize) -> String {
    (0..bytes / (SMALL / LINES)).map(|at| line(at, 0) + "\n").collect()
}

/// One writer; several may share a canvas and its lease, each with a line of its own.
pub(super) struct Writer<S> {
    pub(super) engine: Arc<Engine<S>>,
    line: usize,
    count: u64,
    calls: u64,
    writes: u32,
    now: fn() -> Timestamp,
}

impl<S: Store> Writer<S> {
    pub(super) fn new(engine: impl Into<Arc<Engine<S>>>, line: usize, now: fn() -> Timestamp) -> Self {
        Self { engine: engine.into(), line, count: 0, calls: 0, writes: 0, now }
    }

    async fn ask<C: Command>(&mut self, command: C) -> C::Done {
        self.calls += 1;
        // As long as the ids that providers give.
        let operation = key(&format!("toolu_01{:02}{:020}", self.line, self.calls));
        let answered = self.engine.call(&canvas(), &operation, command, (self.now)()).await;
        answered.expect("the store answers").result.expect("nobody else asks for the lease")
    }

    pub(super) async fn check_out(&mut self) -> LeaseId {
        self.ask(CheckOut).await.lease
    }

    pub(super) async fn check_in(&mut self, lease: LeaseId) {
        self.ask(CheckIn { lease: Some(lease) }).await;
    }

    /// Replaces its line.
    pub(super) async fn write(&mut self, lease: LeaseId) {
        let patch = format!("@@\n-{}\n+{}\n", line(self.line, self.count), line(self.line, self.count + 1));
        self.ask(ApplyPatch { lease: Some(lease), patch, base: None, scope: None, shown: None }).await;
        self.count += 1;
    }

    /// Writes under leases of its own.
    pub(super) async fn steady(&mut self, lease: &mut Option<LeaseId>, writes: u32) {
        for _ in 0..writes {
            let current = match *lease {
                Some(lease) => lease,
                None => *lease.insert(self.check_out().await),
            };
            self.write(current).await;
            self.writes += 1;
            if self.writes.is_multiple_of(WRITES_PER_LEASE) {
                self.check_in(current).await;
                *lease = None;
            }
        }
    }
}
