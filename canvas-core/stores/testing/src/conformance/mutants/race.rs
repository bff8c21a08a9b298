//! Flaws between two steps: a look at the row, and a write that trusts it.
//!
//! Both steps are done within one poll, so that no two futures on one thread ever meet between them. On threads they
//! do: a thread between the two steps waits for another, for a bounded number of turns.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, ThreadId};

use super::kind::CommitKind;

/// Turns that a thread gives away at most while it is in the window.
const TURNS: usize = 300;

/// A commit in two steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Race {
    /// The kind of commits that take two steps; all if it is `None`.
    pub(super) kind: Option<CommitKind>,
    /// Only of those with a limit.
    pub(super) limited: bool,
    /// Of how many of these commits one takes two steps.
    pub(super) every: u32,
    pub(super) effect: Effect,
}

impl Race {
    pub(super) const fn of(kind: Option<CommitKind>, effect: Effect) -> Self {
        Self { kind, limited: false, every: 1, effect }
    }
}

/// The end of a commit that another has overtaken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// It is written over the other.
    Overwrites,
    /// It is answered as if it were done.
    Loses,
}

/// The time between look and write.
#[derive(Debug, Default)]
pub(super) struct Window {
    first: OnceLock<ThreadId>,
    has_threads: AtomicBool,
    /// One is in it and waits for another.
    waits: AtomicBool,
    /// Commits that were done.
    commits: AtomicU64,
}

impl Window {
    /// Takes note of the thread. False as long as all there was came from one, since then nobody else can come.
    fn has_threads(&self) -> bool {
        let current = thread::current().id();
        if *self.first.get_or_init(|| current) != current {
            self.has_threads.store(true, Ordering::Release);
        }
        self.has_threads.load(Ordering::Acquire)
    }

    /// Waits for another that has looked too, or lets it go on where it waits.
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

    /// Waits until another has committed.
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
