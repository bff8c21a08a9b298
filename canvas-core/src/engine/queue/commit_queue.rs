//! The queue of one canvas, as a state machine without input or output, and without wakers.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::context::CachedRow;
use crate::engine::run::{CommitOutcome, Next, Prepared, Run};
use crate::engine::task::Task;
use crate::model::author::Actor;
use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::store::contract::{Commit, Committed, Version};
use crate::store::error::{StoreError, StoreErrorKind};

/// Calls that one commit takes.
pub(super) const MAX_CALLS: usize = 32;

/// A commit whose calls bring so many bytes of blobs takes no further call.
const MAX_BYTES: usize = 4 << 20;

/// Identifies a waiting call. Later calls have higher numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct WaiterId(u64);

/// Calls on their way to the store. At most one commit is in flight; calls that arrive meanwhile are decided on top of it.
#[derive(Debug, Default)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct CommitQueue {
    last_id: u64,
    /// The version that the next commit expects, if none is in flight.
    expected: Option<Version>,
    sent: Option<InFlight>,
    /// The next batch: each entry is decided on top of the one before, and the first on top of the in-flight commit.
    open: Vec<BatchEntry>,
    /// Waiters for which the next batch has no room.
    waiting: BTreeSet<WaiterId>,
    /// Waiters with [`CommitOutcome::Admitted`] that have not been decided yet.
    admitted: BTreeSet<WaiterId>,
    /// This many commits take one call each, because the store refused a batch as too large.
    singles: usize,
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

/// The row that a call is decided on.
#[derive(Debug)]
enum Place {
    /// A row of its own: the queue is empty.
    First,
    /// The row after the newest entry.
    Upon(Box<CachedRow>),
    /// None until there is room.
    None,
}

/// The outcome for each waiter.
pub(crate) type CommitOutcomes = Vec<(WaiterId, CommitOutcome)>;

impl CommitQueue {
    /// Registers a call.
    pub(crate) fn enter(&mut self) -> WaiterId {
        self.last_id += 1;
        WaiterId(self.last_id)
    }

    /// Decides a call on the newest row, and adds it to the next batch if it waits for a commit. `prepared` is its decision on a
    /// row of its own, `cached` the row of a cache. `None` if the call waits for its outcome.
    pub(crate) fn decide<T: Task>(
        &mut self,
        id: WaiterId,
        run: &mut Run<'_, T>,
        prepared: Option<Prepared>,
        cached: impl FnOnce() -> (Option<CachedRow>, bool),
    ) -> Option<Next<T::Answer>> {
        let next = match (self.place(id), prepared) {
            (Place::None, _) => return None,
            (Place::First, Some(prepared)) => Next::Join(prepared),
            (Place::First, None) => run.decide_newest(cached),
            (Place::Upon(row), _) => run.decide_on(*row, |id| self.pending(id)),
        };
        match next {
            Next::Join(prepared) => {
                self.join(id, prepared);
                None
            }
            next => Some(next),
        }
    }

    fn place(&mut self, id: WaiterId) -> Place {
        let was_admitted = self.admitted.remove(&id) | self.waiting.remove(&id);
        if self.entries().next().is_none() {
            return Place::First;
        }
        if (was_admitted || self.waiting.is_empty())
            && self.has_room()
            && let Some(row) = self.newest().and_then(Prepared::row)
        {
            return Place::Upon(Box::new(row));
        }
        self.waiting.insert(id);
        Place::None
    }

    fn has_room(&self) -> bool {
        let calls = if self.singles > 0 { 1 } else { MAX_CALLS };
        let bytes: usize = self.open.iter().flat_map(|entry| entry.prepared.blobs()).map(size).sum();
        self.open.len() + self.admitted.len() < calls && bytes < MAX_BYTES
    }

    fn entries(&self) -> impl Iterator<Item = &BatchEntry> {
        self.sent.iter().flat_map(|sent| &sent.entries).chain(&self.open)
    }

    /// The newest entry.
    fn newest(&self) -> Option<&Prepared> {
        let last = self.open.last().or_else(|| self.sent.as_ref()?.entries.last());
        last.map(|entry| &entry.prepared)
    }

    /// A blob that is not stored yet.
    fn pending(&self, id: BlobId) -> Option<Blob> {
        let file = self.entries().find_map(|entry| entry.prepared.contents.blob(id));
        let all = || self.entries().flat_map(|entry| entry.prepared.blobs());
        file.or_else(|| all().find(|blob| blob.id() == id)).cloned()
    }

    fn join(&mut self, id: WaiterId, prepared: Prepared) {
        if self.entries().next().is_none() {
            self.expected.clone_from(&prepared.expected);
        }
        self.open.push(BatchEntry { id, prepared });
    }

    /// Puts the next batch in flight, and returns its commit. `None` if one is in flight, or if no entry changes the canvas.
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
            // A store may refuse one that comes twice.
            if !is_shared || known.insert(blob.id()) {
                blobs.push(blob.clone());
            }
        }
        // Each of them must be in time.
        let not_after = changes().filter_map(|change| change.not_after).min();
        let expected = self.expected.take();
        self.sent = Some(InFlight { expected: expected.clone(), entries });
        self.singles = self.singles.saturating_sub(1);
        Some((Commit { expected, head, blobs, not_after }, self.admit()))
    }

    /// The heads that the calls of the next commit lead to, or of the one under way, and who changes content by each.
    pub(crate) fn changes(&self) -> impl DoubleEndedIterator<Item = (&Arc<Head>, Option<Actor>)> {
        let entries = self.sent.as_ref().map_or(&self.open, |sent| &sent.entries);
        entries
            .iter()
            .filter_map(|BatchEntry { prepared, .. }| Some((&prepared.head, prepared.change.as_ref()?.actor)))
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
                let all = entries.into_iter().chain(std::mem::take(&mut self.open));
                all.map(|entry| (entry.id, CommitOutcome::Conflict(row.clone()))).collect()
            }
            Ok(Committed::Late { .. }) => self.fail(entries, || CommitOutcome::Reload),
            Err(fault) if !fault.is_definite() => {
                self.fail(entries, || CommitOutcome::Unknown { expected: expected.clone() })
            }
            // Each alone may be small enough.
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
        // Who changes nothing, and was decided upon nothing that is sent after it came: the commit may have landed before that,
        // and others after it.
        let unsent = self.open.iter().take_while(|entry| entry.prepared.change.is_none()).count();
        let unsent: Vec<_> =
            self.open.drain(..unsent).map(|entry| (entry.id, CommitOutcome::Reload)).collect();
        for BatchEntry { prepared, .. } in &mut self.open {
            (prepared.expected, prepared.read_at) = (Some(version.clone()), Some((host_at, clock)));
        }
        self.expected = (!self.open.is_empty()).then(|| version.clone());
        let stored = || CommitOutcome::Stored { version: version.clone(), clock, host_at };
        entries.into_iter().map(|entry| (entry.id, stored())).chain(unsent).collect()
    }

    /// Gives an outcome to the entries that changed something; all others are decided again.
    fn fail(
        &mut self,
        entries: Vec<BatchEntry>,
        mut outcome: impl FnMut() -> CommitOutcome,
    ) -> CommitOutcomes {
        let sent = entries.into_iter().map(|BatchEntry { id, prepared }| match prepared.change {
            Some(_) => (id, outcome()),
            None => (id, CommitOutcome::Retry),
        });
        let sent: Vec<_> = sent.collect();
        let open = std::mem::take(&mut self.open).into_iter().map(|entry| (entry.id, CommitOutcome::Retry));
        sent.into_iter().chain(open).collect()
    }

    /// Removes a call. Its decision is dropped if it was not sent, and the entries on top of that are decided again.
    pub(crate) fn leave(&mut self, id: WaiterId) -> CommitOutcomes {
        self.waiting.remove(&id);
        self.admitted.remove(&id);
        let mut outcomes = CommitOutcomes::new();
        if let Some(i) = self.open.iter().position(|entry| entry.id == id)
            && self.open.remove(i).prepared.change.is_some()
        {
            outcomes.extend(self.open.drain(i..).map(|entry| (entry.id, CommitOutcome::Retry)));
        }
        outcomes.extend(self.admit());
        outcomes
    }

    /// Tells waiters of room, the first ones first.
    fn admit(&mut self) -> CommitOutcomes {
        let mut outcomes = CommitOutcomes::new();
        let is_open = self.newest().is_none_or(|prepared| prepared.row().is_some());
        while is_open && self.has_room() {
            let Some(id) = self.waiting.pop_first() else { break };
            self.admitted.insert(id);
            outcomes.push((id, CommitOutcome::Admitted));
        }
        outcomes
    }
}

#[cfg(all(test, feature = "surface"))]
impl WaiterId {
    pub(crate) fn numbered(number: u8) -> Self {
        Self(number.into())
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

    /// The waiting decision of a call.
    pub(crate) fn prepared(&self, id: WaiterId) -> Option<&Prepared> {
        self.open.iter().find(|entry| entry.id == id).map(|entry| &entry.prepared)
    }
}

/// The newest host clock of a batch.
fn host_at(entries: &[BatchEntry]) -> Option<canvas_lease::Timestamp> {
    entries.iter().map(|entry| entry.prepared.now).max()
}

fn size(blob: &Blob) -> usize {
    blob.as_bytes().len()
}

/// The same fault for another call of the commit.
fn copy(fault: &StoreError) -> StoreError {
    let StoreError { kind, operation, canvas, message, source } = fault;
    let source = source.as_ref().map(|source| source.to_string().into());
    StoreError {
        kind: kind.clone(),
        operation: *operation,
        canvas: canvas.clone(),
        message: message.clone(),
        source,
    }
}
