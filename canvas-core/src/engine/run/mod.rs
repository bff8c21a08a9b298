//! One task on a canvas, as a sans-IO state machine. It returns the next request to the store and takes the response,
//! until it has an answer. Its commits go into the queue of the canvas, which reports their outcomes.

mod prepared;
mod settle;

use std::sync::Arc;

pub(crate) use self::prepared::{CommitOutcome, Prepared, PreparedChange};

use canvas_lease::Timestamp;

use super::context::{CachedRow, RunContext};
use super::error::EngineError;
use super::observe;
use super::task::{Blocked, Decision, DecisionContext, Task};
use crate::face::contents::Contents;
use crate::face::fetched::Fetched;
use crate::model::blob::Missing;
use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::op_key::OpKey;
use crate::store::contract::{Commit, Committed, Loaded, Version};
use crate::store::error::{StoreError, StoreErrorKind};
use crate::transition::view::Change;

/// The maximum number of attempts to commit a task while other writers are faster. It is high because, if eight servers
/// write to one canvas all the time, one of them sometimes wins dozens of rounds in a row.
const MAX_COMMITS: usize = 256;

/// A request of a run to the store.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) enum Request {
    Load,
    Blobs(Vec<BlobId>),
    /// An empty bump of the version. Commits of calls go through the queue instead.
    Commit(Commit),
}

/// The store's response to a [`Request`].
#[derive(Debug)]
pub(crate) enum Response {
    Row(Result<Option<Loaded>, StoreError>),
    Blobs(Result<Vec<Option<Blob>>, StoreError>),
    Committed(Result<Committed, StoreError>),
}

#[derive(Debug)]
pub(crate) enum Next<A> {
    Request(Request),
    /// The task must be decided on the newest row of the queue.
    Decide,
    /// The task is decided and waits for its outcome. If its row was not the newest of the queue, the task is decided
    /// again on the newest.
    Join(Prepared),
    Done(Result<Done<A>, EngineError>),
}

#[derive(Debug)]
pub(crate) struct Done<A> {
    pub(crate) answer: A,
    /// The row after the task; `None` if the canvas has no row.
    pub(crate) row: Option<CachedRow>,
    /// Whether a cache may keep the row. After a commit of the queue, the cache gets the row of its last call from the
    /// queue instead.
    pub(crate) is_newest: bool,
}

/// A task in progress.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct Run<'a, T: Task> {
    context: RunContext<'a>,
    task: T,
    row: Option<CachedRow>,
    basis: Basis,
    /// Whether a cache may keep the row.
    is_newest: bool,
    blobs: Fetched,
    commits: usize,
    settle_loads: usize,
    /// A missing blob, and the version of the row that needs it.
    lacking: Option<(Version, BlobId)>,
    /// The version that a commit of unknown fate expects. The commit may still arrive as long as the row has this
    /// version.
    lost: Option<Option<Version>>,
    /// Whether a commit of this run was ever of unknown fate.
    was_in_doubt: bool,
    /// Whether the task is done, so that only its answer must still be read.
    has_landed: bool,
    phase: Phase<T::Answer>,
}

/// The source of the row that a task is decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
enum Basis {
    /// No row to decide on.
    Void,
    /// From a cache. A refusal on this row is not final.
    Cached,
    /// From the store.
    Fresh,
    /// From the queue, and perhaps not stored yet. An answer on this row is not final.
    Queued,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
enum Phase<A> {
    Loading,
    /// Fetches all missing blobs in one request.
    Fetching(Missing),
    /// The task is an entry of a batch.
    Committing {
        planned: Planned,
        answer: A,
    },
    /// The task is decided without a change. It waits until the row that it was decided on is stored, by a commit sent
    /// after the task arrived. If it has no answer, it is then decided again to find the reason.
    AwaitingCommit(Option<A>),
    /// A commit is of unknown fate, and the row is loaded to find out.
    Settling,
    /// Like `Settling`, but loads the pages of receipts that may hold the call's receipt.
    Searching(Missing),
    /// The row does not have the call's receipt, so an empty commit changes the version, after which the lost commit
    /// can never arrive.
    Bumping(Planned),
    Over,
}

/// The contents of the row after a commit.
#[derive(Debug, Clone)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
struct Planned {
    head: Arc<Head>,
    contents: Contents,
}

impl Planned {
    fn done(self, version: Version, clock: Timestamp, host_at: Timestamp) -> CachedRow {
        let Self { head, contents } = self;
        CachedRow { head, version, contents, host_at, store_at: clock }
    }
}

impl<'a, T: Task> Run<'a, T> {
    pub(crate) fn new(context: RunContext<'a>, task: T) -> Self {
        Self {
            context,
            task,
            row: None,
            basis: Basis::Void,
            is_newest: true,
            blobs: Fetched::default(),
            commits: 0,
            settle_loads: 0,
            lacking: None,
            lost: None,
            was_in_doubt: false,
            has_landed: false,
            phase: Phase::Over,
        }
    }

    /// Starts with the row from a cache, if there is one. If it is not `trusted` to be current, only its contents are
    /// used, once the current row is loaded.
    pub(crate) fn start(&mut self, cached: Option<CachedRow>, trusted: bool) -> Next<T::Answer> {
        let begin = trusted && cached.is_some();
        if let Some(row) = cached {
            if let Err(error) = self.context.check_units(&row.head, row.store_at) {
                return Next::Done(Err(error));
            }
            self.adopt(row, Basis::Cached);
            self.is_newest = true;
        }
        if begin { self.decide() } else { self.load() }
    }

    pub(super) const fn task(&self) -> &T {
        &self.task
    }

    pub(super) const fn decided_on(&self) -> observe::Basis {
        match self.basis {
            Basis::Cached => observe::Basis::Cached,
            Basis::Fresh | Basis::Void => observe::Basis::Fresh,
            Basis::Queued => observe::Basis::Queued,
        }
    }

    /// Whether the fate of a commit is unknown.
    pub(super) const fn is_in_doubt(&self) -> bool {
        self.lost.is_some()
    }

    /// Returns the fate of a commit that was unknown at first.
    pub(super) const fn settlement(&self) -> observe::Settlement {
        if self.has_landed { observe::Settlement::Landed } else { observe::Settlement::Barred }
    }

    /// The operation of the task; `None` if it does not change the canvas.
    pub(crate) fn operation(&self) -> Option<&OpKey> {
        self.task.operation()
    }

    /// Decides on its own row from the store, or else on a cached one, because no earlier call is in the queue.
    pub(super) fn decide_newest(
        &mut self,
        cached: impl FnOnce() -> (Option<CachedRow>, bool),
    ) -> Next<T::Answer> {
        if self.basis == Basis::Fresh {
            return self.decide();
        }
        let (cached, trusted) = cached();
        self.start(cached, trusted)
    }

    /// Decides on the row after earlier calls. Their blobs, which may not be stored yet, come from `pending`.
    pub(super) fn decide_on(
        &mut self,
        newest: CachedRow,
        pending: impl Fn(BlobId) -> Option<Blob>,
    ) -> Next<T::Answer> {
        self.take_back();
        self.adopt(newest, Basis::Queued);
        loop {
            let next = self.decide();
            let Phase::Fetching(missing) = &self.phase else { return next };
            let unknown = missing.ids().filter(|id| self.blobs.get(*id).is_none());
            let found: Vec<_> = unknown.filter_map(&pending).collect();
            if found.is_empty() {
                return next;
            }
            found.into_iter().for_each(|blob| self.blobs.insert(blob.id(), Some(blob)));
            self.read_blobs();
        }
    }

    /// Takes the response to the last request.
    pub(crate) fn handle_response(&mut self, response: Response) -> Next<T::Answer> {
        match (std::mem::replace(&mut self.phase, Phase::Over), response) {
            (Phase::Loading, Response::Row(Ok(row))) => {
                let units = row.as_ref().map(|row| self.context.check_units(&row.head, row.clock));
                if let Some(Err(error)) = units {
                    return Next::Done(Err(error));
                }
                self.take_row(row);
                match (&self.row, self.lacking.take()) {
                    (Some(row), Some((version, id))) if row.version == version => {
                        Next::Done(Err(self.context.damaged(id)))
                    }
                    _ => self.decide(),
                }
            }
            (Phase::Loading, Response::Row(Err(fault))) => self.fail(fault),
            (Phase::Fetching(missing), Response::Blobs(Ok(blobs))) => self.fetched(&missing, blobs),
            (Phase::Fetching(_), Response::Blobs(Err(fault))) => self.fail(fault),
            (phase, response) => self.settling(phase, response),
        }
    }

    /// Takes the outcome from the queue.
    pub(crate) fn handle_outcome(&mut self, outcome: CommitOutcome) -> Next<T::Answer> {
        match outcome {
            CommitOutcome::Stored { version, clock, host_at } => self.stored(version, clock, host_at),
            CommitOutcome::Conflict(row) => {
                self.overtaken(row);
                Next::Decide
            }
            CommitOutcome::Reload => self.load(),
            CommitOutcome::Failed(fault) => self.fail(fault),
            CommitOutcome::Unknown { expected } => {
                self.lost = Some(expected);
                self.was_in_doubt = true;
                self.settle_loads = 0;
                self.load_to_settle()
            }
            CommitOutcome::Retry | CommitOutcome::Admitted => {
                self.take_back();
                self.basis = Basis::Void;
                Next::Decide
            }
        }
    }

    /// Takes back the last decision, which was not stored and is made again.
    fn take_back(&mut self) {
        if let Phase::Committing { .. } = std::mem::replace(&mut self.phase, Phase::Over) {
            self.commits -= 1;
        }
    }

    fn stored(&mut self, version: Version, clock: Timestamp, host_at: Timestamp) -> Next<T::Answer> {
        (self.basis, self.is_newest) = (Basis::Fresh, false);
        match std::mem::replace(&mut self.phase, Phase::Over) {
            Phase::Committing { planned, answer } => {
                self.row = Some(planned.done(version, clock, host_at));
                self.done(answer)
            }
            Phase::AwaitingCommit(answer) => {
                let row = self.row.take();
                self.row = row.map(|row| CachedRow { version, host_at, store_at: clock, ..row });
                match answer {
                    Some(answer) => self.done(answer),
                    None => self.decide(),
                }
            }
            phase => unreachable!("{phase:?} waits for no commit"),
        }
    }

    /// Whether the task is in a batch.
    #[cfg(all(test, feature = "surface"))]
    pub(super) fn is_committing(&self) -> bool {
        matches!(self.phase, Phase::Committing { .. })
    }

    /// Whether the task waits for the state that it was decided on.
    #[cfg(all(test, feature = "surface"))]
    pub(super) fn is_standing(&self) -> bool {
        matches!(self.phase, Phase::AwaitingCommit(_))
    }

    /// Whether a commit of this run was ever of unknown fate.
    #[cfg(all(test, feature = "surface"))]
    pub(super) fn was_sent(&self) -> bool {
        self.was_in_doubt
    }

    /// The answer once the batch is stored.
    #[cfg(all(test, feature = "surface"))]
    pub(super) fn planned_answer(&self) -> Option<&T::Answer> {
        match &self.phase {
            Phase::Committing { answer, .. } | Phase::AwaitingCommit(Some(answer)) => Some(answer),
            _ => None,
        }
    }

    fn load(&mut self) -> Next<T::Answer> {
        self.phase = Phase::Loading;
        Next::Request(Request::Load)
    }

    /// Takes a row from the store.
    fn take_row(&mut self, row: Option<Loaded>) {
        let old = self.take_contents();
        (self.basis, self.is_newest) = (Basis::Fresh, true);
        self.row = row.map(|Loaded { head, version, clock, document }| {
            let mut sent = Contents::default();
            document.into_iter().for_each(|document| sent.put_document(document, &old, &[]));
            let contents = sent.of(&head, Some(&old), &self.blobs);
            CachedRow { head, version, contents, host_at: self.context.now, store_at: clock }
        });
    }

    /// Takes a row known to this process, together with its known contents.
    fn adopt(&mut self, mut row: CachedRow, basis: Basis) {
        if self.row.is_some() {
            let old = self.take_contents();
            row.contents = row.contents.of(&row.head, Some(&old), &self.blobs);
        }
        (self.row, self.basis, self.is_newest) = (Some(row), basis, false);
    }

    fn take_contents(&mut self) -> Contents {
        let old = self.row.take().map(|known| known.contents).unwrap_or_default();
        // An earlier document may be a text that a conversation knows.
        old.blobs().for_each(|blob| self.blobs.insert(blob.id(), Some(blob.clone())));
        old
    }

    fn decide(&mut self) -> Next<T::Answer> {
        let (row, was_in_doubt) = (self.row.as_ref(), self.was_in_doubt);
        let context = DecisionContext { run: self.context, row, blobs: &self.blobs, was_in_doubt };
        let decision = self.task.decide(&context);
        let doubtful = match &decision {
            Ok(Decision::Answer(answer) | Decision::Commit(_, answer)) => T::is_refusal(answer),
            Err(Blocked::Fails(_)) => true,
            Err(Blocked::Missing(_)) => false,
        };
        // A refusal on a cached row is not final.
        if doubtful && self.basis == Basis::Cached {
            return self.load();
        }
        match (decision, self.basis) {
            (Ok(Decision::Answer(answer)), Basis::Queued) => self.stand(Some(answer)),
            (Err(Blocked::Fails(_)), Basis::Queued) => self.stand(None),
            (Ok(Decision::Answer(answer)), _) => self.done(answer),
            (Err(Blocked::Fails(e)), _) => Next::Done(Err(e)),
            (Ok(Decision::Commit(_, _)), _) if self.commits == MAX_COMMITS => self.stop_trying(),
            (Ok(Decision::Commit(change, answer)), _) => {
                self.commits += 1;
                self.join(change, answer)
            }
            (Err(Blocked::Missing(missing)), _) => self.fetch(missing),
        }
    }

    fn fetch(&mut self, missing: Missing) -> Next<T::Answer> {
        let ids = missing.ids().collect();
        self.phase = Phase::Fetching(missing);
        Next::Request(Request::Blobs(ids))
    }

    fn fetched(&mut self, asked: &Missing, blobs: Vec<Option<Blob>>) -> Next<T::Answer> {
        // If a store returns too few blobs, the last ones count as missing.
        let mut blobs = blobs.into_iter().chain(std::iter::repeat(None));
        let mut missing = None;
        for (place, id) in asked.ids().enumerate() {
            let blob = blobs.next().flatten().filter(|blob| blob.id() == id);
            if blob.is_none() && place < asked.needed.len() {
                missing = missing.or(Some(id));
            }
            self.blobs.insert(id, blob);
        }
        match missing {
            None => {
                self.read_blobs();
                // The queue has moved on meanwhile.
                if self.basis == Basis::Queued { Next::Decide } else { self.decide() }
            }
            // A blob of a loaded row may have been dropped too, by a collection that came after a later head.
            Some(id) if self.basis == Basis::Fresh => {
                self.lacking = self.row.as_ref().map(|row| (row.version.clone(), id));
                match self.lacking {
                    Some(_) => self.load(),
                    None => Next::Done(Err(self.context.damaged(id))),
                }
            }
            // A blob of a cached head may have been dropped since.
            Some(_) => self.load(),
        }
    }

    /// Reads the files of the row from the blobs at hand.
    fn read_blobs(&mut self) {
        if let Some(row) = &mut self.row {
            row.contents = std::mem::take(&mut row.contents).of(&row.head, None, &self.blobs);
        }
    }

    fn join(&mut self, change: Change, answer: T::Answer) -> Next<T::Answer> {
        let Change { head, blobs, contents, not_after, actor } = change;
        let contents = contents.with_indexes(&head, &blobs);
        let contents = contents.of(&head, self.row.as_ref().map(|row| &row.contents), &self.blobs);
        let (planned, change) = (Planned { head, contents }, PreparedChange { blobs, not_after, actor });
        let prepared = self.prepared(planned.clone(), Some(change));
        self.phase = Phase::Committing { planned, answer };
        Next::Join(prepared)
    }

    fn stand(&mut self, answer: Option<T::Answer>) -> Next<T::Answer> {
        let row = self.row.as_ref().expect("the queue's newest is a row");
        let prepared =
            self.prepared(Planned { head: Arc::clone(&row.head), contents: row.contents.clone() }, None);
        self.phase = Phase::AwaitingCommit(answer);
        Next::Join(prepared)
    }

    fn prepared(&self, Planned { head, contents }: Planned, change: Option<PreparedChange>) -> Prepared {
        let (row, now) = (self.row.as_ref(), self.context.now);
        let expected = row.map(|row| row.version.clone());
        let read_at = row.map(|row| (row.host_at, row.store_at));
        Prepared { expected, head, contents, read_at, now, change }
    }

    fn done(&mut self, answer: T::Answer) -> Next<T::Answer> {
        Next::Done(Ok(Done { answer, row: self.row.take(), is_newest: self.is_newest }))
    }

    /// Whether an earlier commit landed, or its fate is still unknown. This holds whatever failed last.
    fn may_have_written(&self) -> bool {
        self.lost.is_some() || self.has_landed
    }

    fn fail(&self, fault: StoreError) -> Next<T::Answer> {
        let fault = if self.may_have_written() { fault.into_indeterminate() } else { fault };
        Next::Done(Err(EngineError::of(fault, self.context.canvas)))
    }

    fn stop_trying(&self) -> Next<T::Answer> {
        let contention = EngineError::Contention { canvas: self.context.canvas.clone() };
        Next::Done(Err(if self.may_have_written() {
            EngineError::Store(StoreError::new(StoreErrorKind::Indeterminate).with_source(contention))
        } else {
            contention
        }))
    }
}
