//! Events about an engine's work, for logs, metrics and traces.

use std::time::Duration;

use crate::model::id::CanvasId;
use crate::model::op_key::OpKey;

/// Receives the events of an engine, with durations by the host's clock. Set one with
/// [`Engine::with_observer`](crate::Engine::with_observer). Without an observer, each event costs the engine one
/// branch.
///
/// An observer runs inside the calls, possibly on several threads at once. While it handles an event, the call of this
/// event waits. If the event is about a commit, all calls that share the commit wait. So an observer must not wait for
/// the engine itself. If it panics, the call ends as if its caller had dropped it, and the canvas stays consistent. If
/// you repeat the call, it returns the answer that the first one returned or would have returned, and the calls that
/// shared its commit find out whether the commit was stored. A panic during the event of a dropped call does not reach
/// the host.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use std::time::{Duration, Instant};
///
/// use canvas_core::observe::{CommitEnd, EngineEvent, EventKind, Observer};
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
///     fn event(&self, event: &EngineEvent<'_>) {
///         if let EventKind::CommitEnded { end: CommitEnd::Conflict, .. } = event.kind {
///             self.count.fetch_add(1, Ordering::Relaxed);
///         }
///     }
/// }
///
/// # use canvas_core::document::Edit;
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::{CallId, CanvasId, Engine, OpKey, Policy};
/// # let now = Timestamp::from_millis(1_000);
/// # let key = |call: &str| OpKey::user(CallId::new(call).unwrap());
/// let (store, canvas) = (MemoryStore::new(move || now), CanvasId::new("plan")?);
/// let conflicts = Arc::new(Conflicts { start: Instant::now(), count: AtomicU64::new(0) });
/// let engine = Engine::new(store.clone(), Policy::default()).with_observer(conflicts.clone());
/// engine.create(&canvas, "# Plan\n", &key("create"), now).await?;
///
/// // Another server is faster.
/// let other = Engine::new(store, Policy::default());
/// other.call(&canvas, &key("1"), Edit::overwrite("# Our plan\n"), now).await?.result?;
/// engine.call(&canvas, &key("2"), Edit::overwrite("# My plan\n"), now).await?.result?;
/// assert_eq!(conflicts.count.load(Ordering::Relaxed), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
pub trait Observer: Send + Sync {
    /// Returns the time since a moment of the host's choice, by a clock that does not go back. The engine reads it at
    /// the start and the end of each duration, even under the lock of a canvas, so it must return at once and must not
    /// call an engine.
    fn now(&self) -> Duration;

    /// Handles an event. The events of each call arrive in the order in which they happened, and so do the events of
    /// each commit.
    fn event(&self, event: &EngineEvent<'_>);
}

/// An event of an engine. It holds ids, codes, sizes, counts and durations, and never a text or a value of a canvas.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct EngineEvent<'a> {
    /// The number of the call that caused this event. Its first event is [`EventKind::Began`] and its last is
    /// [`EventKind::Ended`]. Only a commit that this call sent, and that other calls wait for, may have events after
    /// that.
    pub call: CallNumber,
    /// The canvas that the call reads or changes.
    pub canvas: &'a CanvasId,
    /// The kind of the event, with its details.
    pub kind: EventKind<'a>,
}

/// Identifies a call of an engine. Each engine has its own numbers, so use one observer per engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallNumber(pub(super) u64);

impl CallNumber {
    /// Returns the number. Numbers start at 1.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// Identifies a commit of an engine. Numbers are unique within the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitNumber(pub(super) u64);

impl CommitNumber {
    /// Returns the number. Numbers start at 1.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// The kind of an [`EngineEvent`], with its details.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum EventKind<'a> {
    /// A call was polled for the first time.
    #[non_exhaustive]
    Began {
        /// The name of the command, such as `apply_patch` for [`ApplyPatch`](crate::document::ApplyPatch), or of the
        /// function of [`Engine`](crate::Engine), such as `snapshot`.
        name: &'static str,
        /// The key of the call; `None` for functions that take no key, such as `snapshot`.
        operation: Option<&'a OpKey>,
    },
    /// The engine loaded the head from the store.
    #[non_exhaustive]
    Loaded {
        /// Time from the request to the store's response.
        took: Duration,
        /// Whether the store has a head.
        found: bool,
        /// The code of the store's error; `None` if the load succeeded.
        error: Option<&'static str>,
    },
    /// The engine fetched blobs from the store, all in one request.
    #[non_exhaustive]
    Fetched {
        /// Time from the request to the store's response.
        took: Duration,
        /// The number of requested blobs.
        asked: usize,
        /// The number of blobs that the store returned.
        found: usize,
        /// The total size of the returned blobs, in bytes.
        bytes: usize,
        /// The code of the store's error; `None` if the request succeeded.
        error: Option<&'static str>,
    },
    /// The rules were applied to the known state of the canvas.
    #[non_exhaustive]
    Decided {
        /// Time that the rules took. If blobs were missing at first and the engine had them at hand, this includes
        /// every round.
        took: Duration,
        /// The state that the call was decided on.
        basis: Basis,
        /// Whether the rules reached an answer, and whether it changes the canvas.
        decision: Decision,
        /// The code of the refusal or the error; `None` if there is neither.
        code: Option<&'static str>,
    },
    /// A call waited for its own commit, for a commit of others that it was decided on, or for room in a commit.
    #[non_exhaustive]
    Waited {
        /// Time until the wait ended.
        took: Duration,
        /// The commit that ended the wait; `None` if it did not end by a commit.
        commit: Option<CommitNumber>,
        /// The reason that the wait ended.
        end: WaitEnd,
    },
    /// A call found out the fate of its commit, which was unknown, and goes on.
    #[non_exhaustive]
    Settled {
        /// The time during which the fate was unknown.
        took: Duration,
        /// Whether the commit was stored.
        settlement: Settlement,
    },
    /// This call sends a commit to the store, perhaps with changes of other calls too.
    #[non_exhaustive]
    CommitBegan {
        /// Identifies the commit. [`EventKind::CommitEnded`] repeats it.
        commit: CommitNumber,
        /// The number of calls that change the canvas by this commit. It is 0 for an empty commit that settles another
        /// one, and for a commit that cuts the history.
        calls: usize,
        /// The number of blobs that the commit stores.
        blobs: usize,
        /// The total size of these blobs, in bytes.
        bytes: usize,
    },
    /// The store answered a commit, or no call waits for it any more.
    #[non_exhaustive]
    CommitEnded {
        /// The number from [`EventKind::CommitBegan`].
        commit: CommitNumber,
        /// Time from sending the commit until this event.
        took: Duration,
        /// Whether the store applied the request, or the reason that it did not.
        end: CommitEnd,
    },
    /// Another writer was faster than a commit, and the next attempt is delayed.
    #[non_exhaustive]
    BackedOff {
        /// The number of consecutive losses.
        losses: u32,
        /// The pause before the next attempt.
        pause: Duration,
    },
    /// A collection requested the store to drop unneeded blobs.
    #[non_exhaustive]
    Collected {
        /// Time from the request to the store's response.
        took: Duration,
        /// The number of blobs that the canvas needs.
        kept: usize,
        /// The number of dropped blobs; 0 unless `end` is [`CommitEnd::Done`].
        blobs: u64,
        /// The total size of the dropped blobs, in bytes.
        bytes: u64,
        /// Whether the store applied the request, or the reason that it did not.
        end: CommitEnd,
    },
    /// A call ended.
    #[non_exhaustive]
    Ended {
        /// The name from [`EventKind::Began`].
        name: &'static str,
        /// The duration of the call since its first poll.
        took: Duration,
        /// Whether the call was answered, refused, failed or abandoned.
        end: CallEnd,
        /// Whether the call repeats an earlier one, so that it did not run a second time.
        replayed: bool,
    },
}

impl EventKind<'_> {
    /// Returns the stable name of the kind, such as `call_began`.
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

/// The state that a call is decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Basis {
    /// The head in the engine's cache. A refusal on this basis is decided again on a fresh head.
    Cached,
    /// The head that the store returned to this call.
    Fresh,
    /// The state after earlier calls, whose commit is in flight or waits to be sent.
    Queued,
}

impl Basis {
    /// Returns the stable name of the basis, such as `cached`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cached => "cached",
            Self::Fresh => "fresh",
            Self::Queued => "queued",
        }
    }
}

/// The result of applying the rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Decision {
    /// An answer, returned once a change is committed. It may be a refusal, if a receipt keeps it.
    Commit,
    /// An answer without a change.
    Answer,
    /// No result yet, because blobs are missing.
    Missing,
    /// An error instead of an answer.
    Fail,
}

impl Decision {
    /// Returns the stable name of the decision, such as `commit`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Commit => "commit",
            Self::Answer => "answer",
            Self::Missing => "missing",
            Self::Fail => "fail",
        }
    }
}

/// The reason that a call stopped waiting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WaitEnd {
    /// The state that the call was decided on, and its own changes, are stored.
    Stored,
    /// Another writer was faster, and the call is decided again.
    Conflict,
    /// The store failed with this code, and the commit was not stored.
    Failed(&'static str),
    /// It is unknown whether the commit was stored.
    InDoubt,
    /// The call is decided again, because there is room for it now, or because the state that it was decided on was not
    /// sent or was too late.
    Again,
}

impl WaitEnd {
    /// Returns the stable name of the reason, such as `in_doubt`.
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

/// The fate of a commit that was unknown at first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Settlement {
    /// The commit was stored, because the call's receipt is in the head.
    Landed,
    /// The head moved on, so that the commit can never arrive any more. If it did arrive before, the call ends as a
    /// replayed one.
    Barred,
}

impl Settlement {
    /// Returns the stable name of the settlement, such as `landed`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Landed => "landed",
            Self::Barred => "barred",
        }
    }
}

/// The outcome of a commit or a collection at the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CommitEnd {
    /// The commit is stored, or the collection dropped the unneeded blobs.
    Done,
    /// Another writer was faster, and the store did not change.
    Conflict,
    /// The commit missed its deadline and was not stored.
    Late,
    /// The store failed with this code. If the code is `STORE_INDETERMINATE`, the commit may have been stored anyway.
    Failed(&'static str),
    /// All calls that waited for the commit were dropped, or the store or an observer panicked. The commit may have
    /// been stored.
    Abandoned,
}

impl CommitEnd {
    /// Returns the stable name of the outcome, such as `conflict`.
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

/// The way in which a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CallEnd {
    /// The call succeeded.
    Answered,
    /// The rules refused the call, with this code.
    Refused(&'static str),
    /// The call has no answer, and its error has this code.
    Failed(&'static str),
    /// The future of the call was dropped before it ended.
    Abandoned,
}

impl CallEnd {
    /// Returns the stable name of the result, such as `answered`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Refused(_) => "refused",
            Self::Failed(_) => "failed",
            Self::Abandoned => "abandoned",
        }
    }

    /// Returns the code of the refusal or the error.
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

    /// The types that an event may hold, so that it never carries content of a canvas. A field of another type does not
    /// compile below, and neither does a text that is not part of the library.
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

    /// Lists every field of every event by name.
    const _: fn(EngineEvent<'_>) = |EngineEvent { call, canvas, kind }| {
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
