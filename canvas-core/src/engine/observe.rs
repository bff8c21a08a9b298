//! What an engine tells a host of its work, for logs, metrics and traces.

use std::time::Duration;

use crate::model::id::{CanvasId, OpKey};

/// Hears what an engine does, as plain events with durations by the host's clock. Given by
/// [`Engine::with_observer`](crate::Engine::with_observer); without one, an engine pays a branch for each event.
///
/// It runs inside the calls, and may be asked by several threads at once. While it takes its time, the call waits that it is
/// told of, and with an event of a commit all that share it; it must not wait for the engine itself. Where it panics, the call
/// ends as one whose caller has dropped it: nothing is lost, the same call again is answered as the first was or would have
/// been, and those that shared its commit find out what has become of it. What it panics with while it is told of a
/// dropped call goes no further.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::time::{Duration, Instant};
///
/// use canvas_core::observe::{CommitEnd, Event, EventKind, Observer};
///
/// /// How often others were faster.
/// struct Conflicts {
///     start: Instant,
///     count: AtomicU64,
/// }
///
/// impl Observer for Conflicts {
///     fn now(&self) -> Duration {
///         self.start.elapsed()
///     }
///
///     fn event(&self, event: &Event<'_>) {
///         if let EventKind::CommitEnded { end: CommitEnd::Conflict, .. } = event.kind {
///             self.count.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// # use canvas_core::document::Edit;
/// # use canvas_core::lease::{Timestamp, Turn};
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, block_on};
/// # let now = Timestamp::from_millis(1_000);
/// # let key = |call: &str| OpKey {
/// #     conversation: ConversationId::new("user").unwrap(), turn: Turn::ZERO, call: CallId::new(call).unwrap(),
/// # };
/// let (store, canvas) = (MemoryStore::new(move || now), CanvasId::new("plan")?);
/// let conflicts = Arc::new(Conflicts { start: Instant::now(), count: AtomicU64::new(0) });
/// let engine = Engine::new(store.clone(), Policy::default()).with_observer(conflicts.clone());
/// block_on(engine.create(&canvas, "# Plan\n", &key("create"), now))?;
///
/// // Another server is faster.
/// let other = Engine::new(store, Policy::default());
/// block_on(other.call(&canvas, &key("1"), Edit::replace("# Our plan\n"), now))?;
/// block_on(engine.call(&canvas, &key("2"), Edit::replace("# My plan\n"), now))?;
/// assert_eq!(conflicts.count.load(Ordering::Relaxed), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Observer: Send + Sync {
    /// The time since a moment of the host's choice, by a clock that does not go back. It is asked before and after what an
    /// event gives a duration of, also under the lock of a canvas: it returns at once, and calls no engine.
    fn now(&self) -> Duration;

    /// Takes an event. The order of events is that in which things happened, for each call and for each commit.
    fn event(&self, event: &Event<'_>);
}

/// What has happened. It has ids, codes, sizes, counts and durations, and never a text or a value of a canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Event<'a> {
    /// The call in which it happened: each has [`EventKind::Began`] as its first event, and [`EventKind::Ended`] as its
    /// last. Only a commit that it has sent, and that others wait for, may go on after it.
    pub call: CallNumber,
    /// The canvas.
    pub canvas: &'a CanvasId,
    /// What it was.
    pub kind: EventKind<'a>,
}

/// Which call of an engine it was. Numbers begin anew with each engine, so an observer serves one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallNumber(pub(super) u64);

impl CallNumber {
    /// As a number, from 1.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Which commit of an engine it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitNumber(pub(super) u64);

impl CommitNumber {
    /// As a number, from 1.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// What has happened, by its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// A call was polled first.
    #[non_exhaustive]
    Began {
        /// A command's name, such as `apply_patch` of [`ApplyPatch`](crate::document::ApplyPatch), else that of the function of
        /// [`Engine`](crate::Engine), such as `snapshot`.
        name: &'static str,
        /// Its key; `None` for what leaves no receipt.
        operation: Option<&'a OpKey>,
    },
    /// The store was asked for the head.
    #[non_exhaustive]
    Loaded {
        /// How long that took.
        took: Duration,
        /// There is one.
        found: bool,
        /// The code of its error.
        error: Option<&'static str>,
    },
    /// The store was asked for blobs, at once.
    #[non_exhaustive]
    Fetched {
        /// How long that took.
        took: Duration,
        /// How many were asked for.
        asked: usize,
        /// How many it has.
        found: usize,
        /// Their bytes.
        bytes: usize,
        /// The code of its error.
        error: Option<&'static str>,
    },
    /// The rules were applied to the canvas as it was known.
    #[non_exhaustive]
    Decided {
        /// How long that took; where blobs were at hand that were missing first, all of it.
        took: Duration,
        /// What it was decided on.
        basis: Basis,
        /// What was decided.
        decision: Decision,
        /// The code of the refusal, or of the error.
        code: Option<&'static str>,
    },
    /// A call has waited for its commit, for that of others that it was decided upon, or for room in one.
    #[non_exhaustive]
    Waited {
        /// How long.
        took: Duration,
        /// The commit that has ended the wait; `None` where none has.
        commit: Option<CommitNumber>,
        /// What it has come to.
        end: WaitEnd,
    },
    /// A call knows what has become of its commit of unknown fate, and goes on.
    #[non_exhaustive]
    Settled {
        /// How long it did not know.
        took: Duration,
        /// What it was.
        settlement: Settlement,
    },
    /// A commit is sent to the store, by this call and perhaps for others too.
    #[non_exhaustive]
    CommitBegan {
        /// Its number.
        commit: CommitNumber,
        /// How many calls change something by it; 0 for an empty one, which settles another, and for a history that is cut.
        calls: usize,
        /// How many blobs it puts.
        blobs: usize,
        /// Their bytes.
        bytes: usize,
    },
    /// The store has answered, or nobody waits for that any more.
    #[non_exhaustive]
    CommitEnded {
        /// Its number.
        commit: CommitNumber,
        /// How long that took.
        took: Duration,
        /// What has become of it.
        end: CommitEnd,
    },
    /// A commit was lost to others, and the next is held back.
    #[non_exhaustive]
    BackedOff {
        /// How many were lost in a row.
        losses: u32,
        /// For how long.
        pause: Duration,
    },
    /// The store was asked to drop what nothing needs.
    #[non_exhaustive]
    Collected {
        /// How long that took.
        took: Duration,
        /// How many blobs are needed.
        kept: usize,
        /// How many it has dropped.
        blobs: u64,
        /// Their bytes.
        bytes: u64,
        /// What has become of it.
        end: CommitEnd,
    },
    /// A call has ended.
    #[non_exhaustive]
    Ended {
        /// The name that it began with.
        name: &'static str,
        /// How long it took, from its first poll.
        took: Duration,
        /// What it has come to.
        end: CallEnd,
        /// It had been asked before, and was answered the same again.
        replayed: bool,
    },
}

impl EventKind<'_> {
    /// The stable name of the kind, such as `call_began`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Began { .. } => "call_began",
            Self::Loaded { .. } => "loaded",
            Self::Fetched { .. } => "fetched",
            Self::Decided { .. } => "decided",
            Self::Waited { .. } => "waited",
            Self::Settled { .. } => "settled",
            Self::CommitBegan { .. } => "commit_began",
            Self::CommitEnded { .. } => "commit_ended",
            Self::BackedOff { .. } => "backed_off",
            Self::Collected { .. } => "collected",
            Self::Ended { .. } => "call_ended",
        }
    }
}

/// What a call is decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Basis {
    /// The head that the engine has in its cache. What is refused on it is decided again on a fresh one.
    Cached,
    /// The head as the store has given it to this call.
    Fresh,
    /// What calls before it leave, whose commit is under way or waits.
    Queued,
}

impl Basis {
    /// Its stable name, such as `cached`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cached => "cached",
            Self::Fresh => "fresh",
            Self::Queued => "queued",
        }
    }
}

/// What the rules have decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Decision {
    /// An answer that is given once a change is committed. A refusal too, where a receipt keeps it.
    Commit,
    /// An answer that changes nothing.
    Answer,
    /// Nothing yet: blobs are missing.
    Missing,
    /// There is no answer.
    Fail,
}

impl Decision {
    /// Its stable name, such as `commit`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Answer => "answer",
            Self::Missing => "missing",
            Self::Fail => "fail",
        }
    }
}

/// What a wait has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitEnd {
    /// What the call was decided on, and has changed, is stored.
    Stored,
    /// Others were faster, and it is decided again.
    Conflict,
    /// The store has failed for sure, with this code.
    Failed(&'static str),
    /// Nobody knows whether the commit was done.
    InDoubt,
    /// It is decided again, because there is room for it now, or because what it was decided upon was not sent or was too late.
    Again,
}

impl WaitEnd {
    /// Its stable name, such as `in_doubt`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Conflict => "conflict",
            Self::Failed(_) => "failed",
            Self::InDoubt => "in_doubt",
            Self::Again => "again",
        }
    }
}

/// What a commit of unknown fate was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Settlement {
    /// It was done: the call's receipt is in the head.
    Landed,
    /// The head has moved on, so that it will never arrive. Where it had arrived after all, the call ends as a replayed one.
    Barred,
}

impl Settlement {
    /// Its stable name, such as `landed`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Landed => "landed",
            Self::Barred => "barred",
        }
    }
}

/// What has become of a commit, or of a collection, at the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CommitEnd {
    /// It is stored; of a collection, what could go is gone.
    Done,
    /// Others were faster, and nothing was done.
    Conflict,
    /// Its time had passed, and nothing was written.
    Late,
    /// The store has failed, with this code: `STORE_INDETERMINATE` where it may have been done all the same.
    Failed(&'static str),
    /// All calls that waited for it were dropped, or the store or an observer has panicked: it may have been done.
    Abandoned,
}

impl CommitEnd {
    /// Its stable name, such as `conflict`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Conflict => "conflict",
            Self::Late => "late",
            Self::Failed(_) => "failed",
            Self::Abandoned => "abandoned",
        }
    }
}

/// What a call has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallEnd {
    /// It was done.
    Answered,
    /// The rules refuse it, with this code.
    Refused(&'static str),
    /// There is no answer, with this code.
    Failed(&'static str),
    /// Its future was dropped before it had ended.
    Abandoned,
}

impl CallEnd {
    /// Its stable name, such as `answered`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
            Self::Abandoned => "abandoned",
        }
    }

    /// The code of the refusal, or of the error.
    pub const fn code(self) -> Option<&'static str> {
        match self {
            Self::Refused(code) | Self::Failed(code) => Some(code),
            Self::Answered | Self::Abandoned => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What may be in an event: nothing that a canvas says. A field of another type does not compile below, and a text that
    /// is not part of the library neither.
    trait Plain {}
    impl Plain for u32 {}
    impl Plain for u64 {}
    impl Plain for usize {}
    impl Plain for bool {}
    impl Plain for Duration {}
    impl Plain for &'static str {}
    impl Plain for &CanvasId {}
    impl Plain for &OpKey {}
    impl Plain for CallNumber {}
    impl Plain for CommitNumber {}
    impl Plain for Basis {}
    impl Plain for Decision {}
    impl Plain for Settlement {}
    impl<T: Plain> Plain for Option<T> {}

    fn plain(_: &[&dyn Plain]) {}

    macro_rules! plain_ends {
        ($($end:ident: $($bare:ident)*;)*) => {
            $(impl Plain for $end {}
            const _: fn($end) = |end| match end {
                $end::Failed(code) => plain(&[&code]),
                $($end::$bare { .. } => {})*
            };)*
        };
    }

    plain_ends! {
        WaitEnd: Stored Conflict InDoubt Again;
        CommitEnd: Done Conflict Late Abandoned;
    }

    impl Plain for CallEnd {}
    const _: fn(CallEnd) = |end| match end {
        CallEnd::Refused(code) | CallEnd::Failed(code) => plain(&[&code]),
        CallEnd::Answered | CallEnd::Abandoned => {}
    };

    /// Every field of every event, by name.
    const _: fn(Event<'_>) = |Event { call, canvas, kind }| {
        plain(&[&call, &canvas]);
        match kind {
            EventKind::Began { name, operation } => plain(&[&name, &operation]),
            EventKind::Loaded { took, found, error } => plain(&[&took, &found, &error]),
            EventKind::Fetched { took, asked, found, bytes, error } => {
                plain(&[&took, &asked, &found, &bytes, &error]);
            }
            EventKind::Decided { took, basis, decision, code } => plain(&[&took, &basis, &decision, &code]),
            EventKind::Waited { took, commit, end } => plain(&[&took, &commit, &end]),
            EventKind::Settled { took, settlement } => plain(&[&took, &settlement]),
            EventKind::CommitBegan { commit, calls, blobs, bytes } => {
                plain(&[&commit, &calls, &blobs, &bytes])
            }
            EventKind::CommitEnded { commit, took, end } => plain(&[&commit, &took, &end]),
            EventKind::BackedOff { losses, pause } => plain(&[&losses, &pause]),
            EventKind::Collected { took, kept, blobs, bytes, end } => {
                plain(&[&took, &kept, &blobs, &bytes, &end]);
            }
            EventKind::Ended { name, took, end, replayed } => plain(&[&name, &took, &end, &replayed]),
        }
    };
}
