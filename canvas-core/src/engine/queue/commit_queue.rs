//! The queue of one canvas, as a sans-IO state machine without wakers.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::turn::{Basis, Deciding, Turn, WaiterId};
use crate::engine::context::CachedRow;
use crate::engine::run::{CommitOutcome, Next, Prepared};
use crate::model::actor::Actor;
use crate::model::blob::{Blob, BlobId};
use crate::model::error::with_sources;
use crate::model::head::Head;
use crate::store::contract::{Commit, Committed, Version};
use crate::store::error::{StoreError, StoreErrorKind};

/// The maximum number of calls in a commit.
pub(super) const MAX_CALLS: usize = 32;

/// A commit whose calls bring this many bytes of blobs takes no further call.
const MAX_BYTES: usize = 4 << 20;

/// The calls of a canvas on their way to the store. At most one commit is in flight. Calls that arrive meanwhile are
/// decided on top of it.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct CommitQueue {
    last_id: u64,
    /// The version that the next commit expects, if no commit is in flight.
    expected: Option<Version>,
    sent: Option<InFlight>,
    /// The calls of the next commit. Each entry is decided on top of the one before, and the first on top of the
    /// in-flight commit.
    open: Vec<BatchEntry>,
    /// Waiters for which the next batch has no room.
    waiting: BTreeSet<WaiterId>,
    /// Waiters with [`CommitOutcome::Admitted`] that have not been decided yet.
    admitted: BTreeSet<WaiterId>,
    /// The number of next commits that take one call each, because the store refused a batch as too large.
    singles: usize,
    deciding: Option<Deciding>,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
struct InFlight {
    expected: Option<Version>,
    entries: Vec<BatchEntry>,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
struct BatchEntry {
    id: WaiterId,
    prepared: Prepared,
}

/// The outcomes of waiting calls.
pub(crate) type CommitOutcomes = Vec<(WaiterId, CommitOutcome)>;

impl CommitQueue {
    /// Registers a call.
    pub(crate) fn enter(&mut self) -> WaiterId {
        self.last_id += 1;
        WaiterId(self.last_id)
    }

    /// Gives a call its turn to decide, which lasts until [`end`](Self::end). Returns `None` if the call must wait,
    /// because another call has the turn or the next batch has no room.
    pub(crate) fn begin(&mut self, id: WaiterId) -> Option<Turn> {
        let was_admitted = self.admitted.remove(&id) | self.waiting.remove(&id);
        let turn = self.turn(was_admitted);
        if turn.is_some() {
            let is_upon_sent = self.open.iter().all(|entry| entry.prepared.change.is_none());
            self.deciding = Some(Deciding { id, is_upon_sent, basis: Basis::Unchanged });
        } else {
            self.waiting.insert(id);
        }
        turn
    }

    fn turn(&self, was_admitted: bool) -> Option<Turn> {
        if self.deciding.is_some() {
            return None;
        }
        let Some(newest) = self.newest() else { return Some(Turn::Alone) };
        let is_next = (was_admitted || self.waiting.is_empty()) && self.has_room();
        newest.row().filter(|_| is_next).map(|row| Turn::Upon(Box::new(row)))
    }

    /// Ends the turn of a call with its decision. If the decision waits for a commit, it joins the next batch. The step
    /// is `None` if the call waits for its outcome.
    pub(crate) fn end<A>(&mut self, id: WaiterId, next: Next<A>) -> (Option<Next<A>>, CommitOutcomes) {
        let deciding = self.deciding.take();
        let (next, own) = match (next, deciding) {
            (Next::Join(prepared), Some(deciding)) => (None, self.join(deciding, prepared)),
            (Next::Join(_), None) => (None, Some(CommitOutcome::Retry)),
            (next, _) => (Some(next), None),
        };
        let own = own.map(|outcome| (id, outcome));
        (next, own.into_iter().chain(self.admit()).collect())
    }

    /// Adds a decision to the next batch. If its outcome is already known, returns that instead.
    fn join(&mut self, deciding: Deciding, mut prepared: Prepared) -> Option<CommitOutcome> {
        let Deciding { id, is_upon_sent, basis } = deciding;
        let is_empty = self.entries().next().is_none();
        match basis {
            Basis::Unchanged => {}
            Basis::Lost => return Some(CommitOutcome::Retry),
            // See `done`.
            Basis::Stored { .. } if is_empty && prepared.change.is_none() && is_upon_sent => {
                return Some(CommitOutcome::Reload);
            }
            Basis::Stored { version, clock, host_at } if is_empty && prepared.change.is_none() => {
                return Some(CommitOutcome::Stored { version, clock, host_at });
            }
            Basis::Stored { version, clock, host_at } => {
                (prepared.expected, prepared.read_at) = (Some(version), Some((host_at, clock)));
            }
        }
        if is_empty {
            self.expected.clone_from(&prepared.expected);
        }
        self.open.push(BatchEntry { id, prepared });
        None
    }

    fn has_room(&self) -> bool {
        let calls = if self.singles > 0 { 1 } else { MAX_CALLS };
        let bytes: usize = self.open.iter().flat_map(|entry| entry.prepared.blobs()).map(size).sum();
        self.open.len() + self.admitted.len() < calls && bytes < MAX_BYTES
    }

    fn entries(&self) -> impl Iterator<Item = &BatchEntry> {
        self.sent.iter().flat_map(|sent| &sent.entries).chain(&self.open)
    }

    fn newest(&self) -> Option<&Prepared> {
        let last = self.open.last().or_else(|| self.sent.as_ref()?.entries.last());
        last.map(|entry| &entry.prepared)
    }

    /// Finds a blob of a call in the queue, which the store may not have yet.
    pub(crate) fn pending(&self, id: BlobId) -> Option<Blob> {
        let file = self.entries().find_map(|entry| entry.prepared.contents.blob(id));
        let all = || self.entries().flat_map(|entry| entry.prepared.blobs());
        file.or_else(|| all().find(|blob| blob.id() == id)).cloned()
    }

    /// Puts the next batch in flight, and returns its commit. Returns `None` if a commit is already in flight, or if no
    /// entry changes the canvas.
    pub(crate) fn take(&mut self) -> Option<(Commit, CommitOutcomes)> {
        if self.sent.is_some() {
            return None;
        }
        let head = Arc::clone(self.changes().last()?.0);
        let entries = std::mem::take(&mut self.open);
        let changes = || entries.iter().filter_map(|entry| entry.prepared.change.as_ref());
        let mut blobs = Vec::with_capacity(changes().map(|change| change.blobs.len()).sum());
        let mut known = BTreeSet::new();
        let is_shared = changes().nth(1).is_some();
        for blob in changes().flat_map(|change| &change.blobs) {
            // A store may refuse a blob that occurs twice.
            if !is_shared || known.insert(blob.id()) {
                blobs.push(blob.clone());
            }
        }
        // Each call must be in time.
        let not_after = changes().filter_map(|change| change.not_after).min();
        let expected = self.expected.take();
        self.sent = Some(InFlight { expected: expected.clone(), entries });
        self.singles = self.singles.saturating_sub(1);
        Some((Commit { expected, head, blobs, not_after }, self.admit()))
    }

    /// Returns the head after each change of the in-flight commit, or of the next one if none is in flight, and the
    /// actor of its content change.
    pub(crate) fn changes(&self) -> impl DoubleEndedIterator<Item = (&Arc<Head>, Option<&Actor>)> {
        let entries = self.sent.as_ref().map_or(&self.open, |sent| &sent.entries);
        entries.iter().filter_map(|BatchEntry { prepared, .. }| {
            Some((&prepared.head, prepared.change.as_ref()?.actor.as_ref()))
        })
    }

    /// The row after the in-flight commit.
    pub(crate) fn stored(&self, version: &Version, clock: canvas_lease::Timestamp) -> Option<CachedRow> {
        let InFlight { entries, .. } = self.sent.as_ref()?;
        let Prepared { head, contents, .. } = &entries.last()?.prepared;
        let (head, contents, version) = (Arc::clone(head), contents.clone(), version.clone());
        let host_at = host_at(entries)?;
        Some(CachedRow { head, version, contents, host_at, store_at: clock })
    }

    /// Ends the in-flight commit with the store's answer.
    pub(crate) fn complete(&mut self, committed: Result<Committed, StoreError>) -> CommitOutcomes {
        let Some(InFlight { expected, entries }) = self.sent.take() else { return Vec::new() };
        let mut outcomes = match committed {
            Ok(Committed::Done { version, clock }) => self.done(entries, &version, clock),
            Ok(Committed::Conflict(row)) => {
                self.lose_basis();
                let all = entries.into_iter().chain(std::mem::take(&mut self.open));
                all.map(|entry| (entry.id, CommitOutcome::Conflict(row.clone()))).collect()
            }
            Ok(Committed::Late { .. }) => self.fail(entries, || CommitOutcome::Reload),
            Err(fault) if !fault.is_definite() => {
                self.fail(entries, || CommitOutcome::Unknown { expected: expected.clone() })
            }
            // Each call alone may be small enough.
            Err(fault) if fault.kind == StoreErrorKind::TooLarge && entries.len() > 1 => {
                self.singles = entries.len();
                self.fail(entries, || CommitOutcome::Retry)
            }
            Err(fault) => {
                let copies = (1..entries.len()).map(|_| copy(&fault)).collect::<Vec<_>>();
                let mut faults = copies.into_iter().chain([fault]);
                self.fail(entries, || faults.next().map_or(CommitOutcome::Retry, CommitOutcome::Failed))
            }
        };
        outcomes.extend(self.admit());
        outcomes
    }

    fn done(
        &mut self,
        entries: Vec<BatchEntry>,
        version: &Version,
        clock: canvas_lease::Timestamp,
    ) -> CommitOutcomes {
        let Some(host_at) = host_at(&entries) else { return Vec::new() };
        // An entry that changes nothing, and was not decided on a change sent after its arrival, reloads. The commit
        // may have landed before that, and other commits after it.
        let unsent = self.open.iter().take_while(|entry| entry.prepared.change.is_none()).count();
        let unsent: Vec<_> =
            self.open.drain(..unsent).map(|entry| (entry.id, CommitOutcome::Reload)).collect();
        for BatchEntry { prepared, .. } in &mut self.open {
            (prepared.expected, prepared.read_at) = (Some(version.clone()), Some((host_at, clock)));
        }
        self.expected = (!self.open.is_empty()).then(|| version.clone());
        // A lost basis stays lost, because the entry that it depended on may have left.
        if let Some(Deciding { basis, .. }) = &mut self.deciding
            && *basis != Basis::Lost
        {
            *basis = Basis::Stored { version: version.clone(), clock, host_at };
        }
        let stored = || CommitOutcome::Stored { version: version.clone(), clock, host_at };
        entries.into_iter().map(|entry| (entry.id, stored())).chain(unsent).collect()
    }

    /// Gives an outcome to the entries that changed something; all others are decided again.
    fn fail(
        &mut self,
        entries: Vec<BatchEntry>,
        mut outcome: impl FnMut() -> CommitOutcome,
    ) -> CommitOutcomes {
        self.lose_basis();
        let sent = entries.into_iter().map(|BatchEntry { id, prepared }| match prepared.change {
            Some(_) => (id, outcome()),
            None => (id, CommitOutcome::Retry),
        });
        let sent: Vec<_> = sent.collect();
        let open = std::mem::take(&mut self.open).into_iter().map(|entry| (entry.id, CommitOutcome::Retry));
        sent.into_iter().chain(open).collect()
    }

    /// Makes the call with the turn, if there is one, decide again.
    fn lose_basis(&mut self) {
        if let Some(Deciding { basis, .. }) = &mut self.deciding {
            *basis = Basis::Lost;
        }
    }

    /// Removes a call. If its decision was not sent, it is dropped, and the entries on top of it are decided again.
    pub(crate) fn leave(&mut self, id: WaiterId) -> CommitOutcomes {
        self.waiting.remove(&id);
        self.admitted.remove(&id);
        // The call panicked while it decided.
        self.deciding.take_if(|deciding| deciding.id == id);
        let mut outcomes = CommitOutcomes::new();
        if let Some(i) = self.open.iter().position(|entry| entry.id == id)
            && self.open.remove(i).prepared.change.is_some()
        {
            outcomes.extend(self.open.drain(i..).map(|entry| (entry.id, CommitOutcome::Retry)));
            self.lose_basis();
        }
        outcomes.extend(self.admit());
        outcomes
    }

    /// Admits waiting calls in the order of their arrival, as long as there is room.
    fn admit(&mut self) -> CommitOutcomes {
        let mut outcomes = CommitOutcomes::new();
        let is_open =
            self.deciding.is_none() && self.newest().is_none_or(|prepared| prepared.row().is_some());
        while is_open && self.has_room() {
            let Some(id) = self.waiting.pop_first() else { break };
            self.admitted.insert(id);
            outcomes.push((id, CommitOutcome::Admitted));
        }
        outcomes
    }
}

#[cfg(all(test, feature = "surface"))]
impl CommitQueue {
    /// A batch waits to be sent.
    pub(crate) fn is_ready(&self) -> bool {
        self.sent.is_none() && !self.open.is_empty()
    }

    /// The call is the only entry of that batch.
    pub(crate) fn is_alone(&self, id: WaiterId) -> bool {
        self.is_ready() && self.open.len() == 1 && self.open[0].id == id
    }

    pub(crate) fn sent(&self) -> impl Iterator<Item = (WaiterId, &Prepared)> {
        let sent = self.sent.iter().flat_map(|sent| &sent.entries);
        sent.filter(|entry| entry.prepared.change.is_some()).map(|entry| (entry.id, &entry.prepared))
    }

    pub(crate) fn is_deciding_on_stored(&self) -> bool {
        matches!(self.deciding, Some(Deciding { basis: Basis::Stored { .. }, .. }))
    }

    pub(crate) fn is_deciding_on_lost(&self) -> bool {
        matches!(self.deciding, Some(Deciding { basis: Basis::Lost, .. }))
    }

    pub(crate) fn prepared(&self, id: WaiterId) -> Option<&Prepared> {
        self.open.iter().find(|entry| entry.id == id).map(|entry| &entry.prepared)
    }
}

/// The newest host clock of a batch; `None` if the batch is empty.
fn host_at(entries: &[BatchEntry]) -> Option<canvas_lease::Timestamp> {
    entries.iter().map(|entry| entry.prepared.now).max()
}

fn size(blob: &Blob) -> usize {
    blob.as_bytes().len()
}

/// Copies a fault for another call of the commit.
fn copy(fault: &StoreError) -> StoreError {
    let StoreError { kind, operation, canvas, message, source } = fault;
    let source = source.as_ref().map(|source| with_sources(source.to_string(), source.source()).into());
    StoreError {
        kind: kind.clone(),
        operation: *operation,
        canvas: canvas.clone(),
        message: message.clone(),
        source,
    }
}
