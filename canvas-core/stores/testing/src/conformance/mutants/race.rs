//! Flaws with two steps, in which the store reads the row and then trusts the result when it writes.
//!
//! Both steps happen within one poll, so two futures on one thread never meet between them. Threads do: a thread between
//! the two steps waits for another, for a bounded number of turns.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use super::kind::CommitKind;

/// Maximum times that a thread yields inside the window.
const TURNS: usize = 300;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Race {
    /// The kind of commits that take two steps, or `None` for all.
    pub(super) kind: Option<CommitKind>,
    /// Whether only commits with a limit are affected.
    pub(super) limited: bool,
    /// One of this many such commits takes two steps.
    pub(super) every: u32,
    pub(super) effect: Effect,
}

impl Race {
    pub(super) const fn of(kind: Option<CommitKind>, effect: Effect) -> Self {
        Self { kind, limited: false, every: 1, effect }
    }
}

/// The result of a commit after another one has overtaken it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Overwrites the other commit.
    Overwrites,
    /// Writes nothing but reports success.
    Loses,
}

/// The time between reading and writing, shared by all connections.
#[derive(Debug, Default)]
pub(super) struct Window {
    first: OnceLock<ThreadId>,
    has_threads: AtomicBool,
    /// Whether a thread inside the window waits for another.
    waits: AtomicBool,
    /// Number of successful commits.
    commits: AtomicU64,
}

impl Window {
    /// Records the current thread. Returns false if all calls so far came from one thread, because then no other can
    /// arrive.
    fn has_threads(&self) -> bool {
        let current = thread::current().id();
        if *self.first.get_or_init(|| current) != current {
            self.has_threads.store(true, Ordering::Release);
        }
        self.has_threads.load(Ordering::Acquire)
    }

    /// Waits for another thread that read too, or releases the one that waits.
    pub(super) fn meet(&self) {
        if !self.has_threads() || self.waits.fetch_xor(true, Ordering::AcqRel) {
            return;
        }
        for _ in 0..TURNS {
            if !self.waits.load(Ordering::Acquire) {
                return;
            }
            thread::yield_now();
        }
        self.waits.store(false, Ordering::Release);
    }

    /// Waits until another thread commits.
    pub(super) fn be_overtaken(&self) {
        if !self.has_threads() {
            return;
        }
        let before = self.commits.load(Ordering::Acquire);
        for _ in 0..TURNS {
            if self.commits.load(Ordering::Acquire) != before {
                return;
            }
            thread::yield_now();
        }
    }

    pub(super) fn has_committed(&self) {
        self.has_threads();
        self.commits.fetch_add(1, Ordering::AcqRel);
    }
}
