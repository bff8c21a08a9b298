//! Reports events to the observer of an engine, about each call from its first poll to its end, and about each commit.
//!
//! * Events are not sent under the lock of a queue or a cache. So a slow observer delays only the call of the event and
//!   the calls that share its commit.
//! * If a call or commit is dropped, its last event is sent from `Drop`, which catches a panic of the observer, because
//!   another panic may be unwinding.
//! * Without an observer, the engine reads no clock, and numbers are 0.

use std::cell::Cell;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::observe::{
    Basis, CallEnd, CallNumber, CommitEnd, CommitNumber, Decision, EngineEvent, EventKind, Observer,
    Settlement, WaitEnd,
};
use super::run::CommitOutcome;
use super::task::{self, Blocked, Decide, DecisionContext, Task, Verdict};
use crate::model::blob::Blob;
use crate::model::error::CodedError;
use crate::model::id::CanvasId;
use crate::model::op_key::OpKey;
use crate::store::contract::{Collected, Commit, Committed, Loaded};
use crate::store::error::StoreError;

/// The observer of an engine, if it has one.
#[derive(Clone, Default)]
pub(super) struct Tracer(Option<Arc<Observed>>);

struct Observed {
    observer: Arc<dyn Observer>,
    numbers: AtomicU64,
}

impl Tracer {
    pub(super) fn by(observer: Arc<dyn Observer>) -> Self {
        Self(Some(Arc::new(Observed { observer, numbers: AtomicU64::new(0) })))
    }

    pub(super) fn begin<'a>(
        &'a self,
        canvas: &'a CanvasId,
        name: &'static str,
        operation: Option<&OpKey>,
    ) -> CallTrace<'a> {
        let call = CallNumber(self.number());
        let trace = Trace { tracer: self, call, canvas };
        let mut begun = CallTrace { trace, name, began: Duration::ZERO, is_over: true };
        begun.began = trace.now();
        trace.tell(EventKind::Began { name, operation });
        begun.is_over = false;
        begun
    }

    /// Returns a number that no other call or commit of the engine has, or 0 without an observer.
    pub(super) fn number(&self) -> u64 {
        self.0.as_ref().map_or(0, |observed| observed.numbers.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Returns the trace of a call by its number, for a commit that the call sent and that may outlive the call.
    pub(super) fn of<'a>(&'a self, call: CallNumber, canvas: &'a CanvasId) -> Trace<'a> {
        Trace { tracer: self, call, canvas }
    }
}

impl fmt::Debug for Tracer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "the host's" } else { "none" })
    }
}

/// Reports the events of one call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trace<'a> {
    tracer: &'a Tracer,
    pub(super) call: CallNumber,
    canvas: &'a CanvasId,
}

impl<'a> Trace<'a> {
    pub(super) const fn tracer(&self) -> &'a Tracer {
        self.tracer
    }

    pub(super) const fn canvas(&self) -> &'a CanvasId {
        self.canvas
    }

    /// The host's clock, or zero without an observer.
    pub(super) fn now(&self) -> Duration {
        self.tracer.0.as_ref().map_or(Duration::ZERO, |observed| observed.observer.now())
    }

    fn tell(&self, kind: EventKind<'_>) {
        self.tell_with(|_| kind);
    }

    /// Sends an event. It is computed, with the current clock, only if there is an observer.
    fn tell_with<'e>(&self, kind: impl FnOnce(&Clock<'_>) -> EventKind<'e>) {
        if let Some(observed) = &self.tracer.0 {
            let kind = kind(&Clock(&*observed.observer));
            observed.observer.event(&EngineEvent { call: self.call, canvas: self.canvas, kind });
        }
    }

    pub(super) fn loaded(&self, began: Duration, loaded: &Result<Option<Loaded>, StoreError>) {
        self.tell_with(|clock| EventKind::Loaded {
            took: clock.since(began),
            found: matches!(loaded, Ok(Some(_))),
            error: loaded.as_ref().err().map(StoreError::code),
        });
    }

    pub(super) fn fetched(
        &self,
        began: Duration,
        asked: usize,
        fetched: &Result<Vec<Option<Blob>>, StoreError>,
    ) {
        self.tell_with(|clock| {
            let found = || fetched.iter().flatten().flatten();
            EventKind::Fetched {
                took: clock.since(began),
                asked,
                found: found().count(),
                bytes: found().map(|blob| blob.as_bytes().len()).sum(),
                error: fetched.as_ref().err().map(StoreError::code),
            }
        });
    }

    /// Reports the last decision of a task, with the total time of its decisions since the last report.
    pub(super) fn decided(&self, basis: Basis, decided: Option<Decided>) {
        if let Some(Decided { took, decision, code }) = decided {
            self.tell(EventKind::Decided { took, basis, decision, code });
        }
    }

    pub(super) fn waited(&self, began: Duration, commit: Option<CommitNumber>, outcome: &CommitOutcome) {
        self.tell_with(|clock| {
            let end = match outcome {
                CommitOutcome::Stored { .. } => WaitEnd::Stored,
                CommitOutcome::Conflict(_) => WaitEnd::Conflict,
                CommitOutcome::Failed(fault) => WaitEnd::Failed(fault.code()),
                CommitOutcome::Unknown { .. } => WaitEnd::InDoubt,
                CommitOutcome::Reload | CommitOutcome::Retry | CommitOutcome::Admitted => WaitEnd::Again,
            };
            EventKind::Waited { took: clock.since(began), commit, end }
        });
    }

    pub(super) fn settled(&self, began: Duration, settlement: Settlement) {
        self.tell_with(|clock| EventKind::Settled { took: clock.since(began), settlement });
    }

    pub(super) fn backed_off(&self, losses: u32, pause: Duration) {
        self.tell(EventKind::BackedOff { losses, pause });
    }

    pub(super) fn collected(&self, began: Duration, kept: usize, collected: &Result<Collected, StoreError>) {
        self.tell_with(|clock| {
            let (blobs, bytes, end) = match collected {
                Ok(Collected::Done { blobs, bytes }) => (*blobs, *bytes, CommitEnd::Done),
                Ok(Collected::Conflict) => (0, 0, CommitEnd::Conflict),
                Err(fault) => (0, 0, CommitEnd::Failed(fault.code())),
            };
            EventKind::Collected { took: clock.since(began), kept, blobs, bytes, end }
        });
    }

    /// Reports the start of a commit that this call sends for `calls` calls.
    pub(super) fn commit(&self, number: CommitNumber, calls: usize, commit: &Commit) -> CommitTrace<'a> {
        let mut begun = CommitTrace { trace: *self, number, began: Duration::ZERO, is_over: true };
        self.tell_with(|_| {
            let (blobs, bytes) =
                (commit.blobs.len(), commit.blobs.iter().map(|blob| blob.as_bytes().len()).sum());
            EventKind::CommitBegan { commit: number, calls, blobs, bytes }
        });
        begun.began = self.now();
        begun.is_over = false;
        begun
    }
}

struct Clock<'a>(&'a dyn Observer);

impl Clock<'_> {
    fn since(&self, began: Duration) -> Duration {
        self.0.now().saturating_sub(began)
    }
}

/// A call since its first poll. If it is dropped before its end, it counts as abandoned.
#[derive(Debug)]
pub(super) struct CallTrace<'a> {
    trace: Trace<'a>,
    name: &'static str,
    began: Duration,
    is_over: bool,
}

impl<'a> CallTrace<'a> {
    pub(super) const fn trace(&self) -> Trace<'a> {
        self.trace
    }

    /// Reports the end of the call, and returns its result.
    pub(super) fn end<T, E: CodedError>(self, ended: Result<T, E>) -> Result<T, E> {
        self.end_as(ended, |_| (None, false))
    }

    /// Like [`CallTrace::end`]. `said` returns the code of a refusal, and whether the answer is replayed.
    pub(super) fn end_as<T, E: CodedError>(
        mut self,
        ended: Result<T, E>,
        said: impl FnOnce(&T) -> (Option<&'static str>, bool),
    ) -> Result<T, E> {
        self.is_over = true;
        let (trace, name, began) = (self.trace, self.name, self.began);
        trace.tell_with(|clock| {
            let (end, replayed) = match &ended {
                Ok(answer) => {
                    let (refusal, replayed) = said(answer);
                    (refusal.map_or(CallEnd::Answered, CallEnd::Refused), replayed)
                }
                Err(error) => (CallEnd::Failed(error.code()), false),
            };
            EventKind::Ended { name, took: clock.since(began), end, replayed }
        });
        ended
    }
}

impl Drop for CallTrace<'_> {
    fn drop(&mut self) {
        if self.is_over {
            return;
        }
        let (trace, name, began) = (self.trace, self.name, self.began);
        unheard(|| {
            trace.tell_with(|clock| EventKind::Ended {
                name,
                took: clock.since(began),
                end: CallEnd::Abandoned,
                replayed: false,
            });
        });
    }
}

/// A commit in flight. If it is dropped before there is an answer, it counts as abandoned.
#[derive(Debug)]
pub(super) struct CommitTrace<'a> {
    trace: Trace<'a>,
    number: CommitNumber,
    began: Duration,
    is_over: bool,
}

impl CommitTrace<'_> {
    pub(super) fn end(mut self, committed: &Result<Committed, StoreError>) {
        self.is_over = true;
        self.tell(match committed {
            Ok(Committed::Done { .. }) => CommitEnd::Done,
            Ok(Committed::Conflict(_)) => CommitEnd::Conflict,
            Ok(Committed::Late { .. }) => CommitEnd::Late,
            Err(fault) => CommitEnd::Failed(fault.code()),
        });
    }

    fn tell(&self, end: CommitEnd) {
        let (commit, began) = (self.number, self.began);
        self.trace.tell_with(|clock| EventKind::CommitEnded { commit, took: clock.since(began), end });
    }
}

impl Drop for CommitTrace<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            unheard(|| self.tell(CommitEnd::Abandoned));
        }
    }
}

/// Sends an event in a `Drop`, and catches a panic of the observer, because a panic that leaves a `Drop` aborts the
/// process if another one is unwinding.
fn unheard(tell: impl FnOnce()) {
    drop(catch_unwind(AssertUnwindSafe(tell)));
}

/// A task whose last decision is kept until it can be reported without a lock.
pub(super) struct Traced<'a> {
    task: &'a mut dyn Decide,
    trace: Trace<'a>,
    decided: Cell<Option<Decided>>,
}

/// The last decision of a task, and the total duration since the last report.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decided {
    took: Duration,
    decision: Decision,
    code: Option<&'static str>,
}

impl<'a> Traced<'a> {
    pub(super) fn new(task: &'a mut dyn Decide, trace: Trace<'a>) -> Self {
        Self { task, trace, decided: Cell::new(None) }
    }

    pub(super) fn take(&self) -> Option<Decided> {
        self.decided.take()
    }
}

impl Task for Traced<'_> {
    type Answer = Verdict;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<task::Decision<Verdict>, Blocked> {
        let Some(observed) = &self.trace.tracer.0 else { return self.task.decide(context) };
        let began = observed.observer.now();
        let decided = self.task.decide(context);
        let before = self.decided.take().map_or(Duration::ZERO, |decided| decided.took);
        let took = before + Clock(&*observed.observer).since(began);
        let (decision, code) = match &decided {
            Ok(task::Decision::Commit(_, verdict)) => (Decision::Commit, verdict.refusal),
            Ok(task::Decision::Answer(verdict)) => (Decision::Answer, verdict.refusal),
            Err(Blocked::Missing(_)) => (Decision::Missing, None),
            Err(Blocked::Fails(error)) => (Decision::Fail, Some(error.code())),
        };
        self.decided.set(Some(Decided { took, decision, code }));
        decided
    }

    fn operation(&self) -> Option<&OpKey> {
        self.task.operation()
    }

    fn is_refusal(verdict: &Verdict) -> bool {
        verdict.is_refusal
    }
}
