//! One task at a canvas, as a state machine without input or output: it gives the next request to the store and takes the
//! response, until it has an answer. What it commits goes into the queue of its canvas, which says what has become of it.

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
use crate::model::id::OpKey;
use crate::store::contract::{Commit, Committed, Loaded, Version};
use crate::store::error::{StoreError, StoreErrorKind};
use crate::transition::view::Change;

/// How often a task is decided again because others were faster. Of eight servers that write to one canvas all the
/// time, one is faster than the others for dozens of rounds now and then.
const MAX_COMMITS: usize = 256;

/// What a run needs of the store.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) enum Request {
    Load,
    Blobs(Vec<BlobId>),
    /// An empty bump of the version: commits of calls go through the queue.
    Commit(Commit),
}

/// What the store has answered.
#[derive(Debug)]
pub(crate) enum Response {
    Row(Result<Option<Loaded>, StoreError>),
    Blobs(Result<Vec<Option<Blob>>, StoreError>),
    Committed(Result<Committed, StoreError>),
}

#[derive(Debug)]
pub(crate) enum Next<A> {
    Request(Request),
    /// It is to be decided on the newest row that the queue has.
    Decide,
    /// It is decided, and waits for its outcome. Where the row was not the queue's newest, it is decided again on that.
    Join(Prepared),
    Done(Result<Done<A>, EngineError>),
}

#[derive(Debug)]
pub(crate) struct Done<A> {
    pub(crate) answer: A,
    /// The row after it; none where there is none.
    pub(crate) row: Option<CachedRow>,
    /// A cache may keep that row. Of a commit of several calls, the queue keeps the last one's.
    pub(crate) is_newest: bool,
}

/// A task on its way.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct Run<'a, T: Task> {
    context: RunContext<'a>,
    task: T,
    row: Option<CachedRow>,
    basis: Basis,
    /// The row is one that a cache may keep.
    is_newest: bool,
    blobs: Fetched,
    commits: usize,
    settle_loads: usize,
    /// A blob that is not there, and the version of the row that needs it.
    lacking: Option<(Version, BlobId)>,
    /// What a commit of unknown fate expects: it may still arrive as long as the row has this version.
    lost: Option<Option<Version>>,
    /// Some commit was of unknown fate.
    was_in_doubt: bool,
    /// It is done, and only its answer must still be read.
    has_landed: bool,
    phase: Phase<T::Answer>,
}

/// Where the row comes from that a task is decided on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(Hash))]
enum Basis {
    /// None that may be decided on.
    Void,
    /// From a cache: what is refused on it is no refusal yet.
    Cached,
    /// From the store.
    Fresh,
    /// From the queue, and perhaps not stored yet: what is answered on it is no answer yet.
    Queued,
}

#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
enum Phase<A> {
    Loading,
    /// All that is missing, at once.
    Fetching(Missing),
    /// It is in a batch.
    Committing {
        planned: Planned,
        answer: A,
    },
    /// It commits nothing, and waits until the row that it was decided on is stored, by a commit that is sent after it came. Without an answer it is decided again
    /// then, to say why there is none.
    AwaitingCommit(Option<A>),
    /// A commit is of unknown fate, and the row is loaded to see it.
    Settling,
    /// The same, with the pages of receipts that it may be in.
    Searching(Missing),
    /// It is not in the row, so the version moves on, and then it never will be.
    Bumping(Planned),
    Over,
}

/// What the row will be after a commit.
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

    /// Begins with the row that a cache has, if it has one. Where that is not `trusted` to be the current one, only its
    /// contents are used, once the row is loaded.
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

    /// What it does.
    pub(super) const fn task(&self) -> &T {
        &self.task
    }

    /// What it was decided on last.
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

    /// What a commit was whose fate is known again.
    pub(super) const fn settlement(&self) -> observe::Settlement {
        if self.has_landed { observe::Settlement::Landed } else { observe::Settlement::Barred }
    }

    /// Whose call it is; none for what changes nothing.
    pub(crate) fn operation(&self) -> Option<&OpKey> {
        self.task.operation()
    }

    /// Decides on the row that it has from the store, else on that of a cache: nothing is in the queue before it.
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

    /// Decides on what the calls before it leave. Their blobs, which may not be stored yet, come from `pending`.
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

    /// Takes the answer to what was asked last.
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

    /// Takes what the queue says of it.
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

    /// What was decided last was not sent, and is decided again.
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

    /// Whether it is in a batch.
    #[cfg(all(test, feature = "surface"))]
    pub(super) fn is_committing(&self) -> bool {
        matches!(self.phase, Phase::Committing { .. })
    }

    /// Whether it waits for what it was decided on.
    #[cfg(all(test, feature = "surface"))]
    pub(super) fn is_standing(&self) -> bool {
        matches!(self.phase, Phase::AwaitingCommit(_))
    }

    /// Whether some commit of it was of unknown fate.
    #[cfg(all(test, feature = "surface"))]
    pub(super) fn was_sent(&self) -> bool {
        self.was_in_doubt
    }

    /// What it will answer once its batch is stored.
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

    /// Takes the row as the store has given it.
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

    /// Takes a row that this process knows, with what is known of its contents here.
    fn adopt(&mut self, mut row: CachedRow, basis: Basis) {
        if self.row.is_some() {
            let old = self.take_contents();
            row.contents = row.contents.of(&row.head, Some(&old), &self.blobs);
        }
        (self.row, self.basis, self.is_newest) = (Some(row), basis, false);
    }

    fn take_contents(&mut self) -> Contents {
        let old = self.row.take().map(|known| known.contents).unwrap_or_default();
        // What has been the document may be a text that a conversation knows.
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
        // What is refused on a cached row is no refusal yet.
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
        // A store that answers too few has none of those at the end.
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
                // The queue has gone on meanwhile.
                if self.basis == Basis::Queued { Next::Decide } else { self.decide() }
            }
            // And what a loaded one needs, by a collection that came after a later head.
            Some(id) if self.basis == Basis::Fresh => {
                self.lacking = self.row.as_ref().map(|row| (row.version.clone(), id));
                match self.lacking {
                    Some(_) => self.load(),
                    None => Next::Done(Err(self.context.damaged(id))),
                }
            }
            // What a cached head needs may have been dropped since.
            Some(_) => self.load(),
        }
    }

    /// Takes the files of the row from the blobs that are here by now.
    fn read_blobs(&mut self) {
        if let Some(row) = &mut self.row {
            row.contents = std::mem::take(&mut row.contents).of(&row.head, None, &self.blobs);
        }
    }

    fn join(&mut self, change: Change, answer: T::Answer) -> Next<T::Answer> {
        let Change { head, blobs, contents, not_after, actor } = change;
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

    /// Whatever failed last, the fate of an earlier commit may still be unknown, or it has landed.
    fn may_have_written(&self) -> bool {
        self.lost.is_some() || self.has_landed
    }

    fn fail(&self, fault: StoreError) -> Next<T::Answer> {
        let fault = if self.may_have_written() { fault.in_doubt() } else { fault };
        Next::Done(Err(EngineError::of(fault, self.context.canvas)))
    }

    fn stop_trying(&self) -> Next<T::Answer> {
        let contention = EngineError::Contention { canvas: self.context.canvas.clone() };
        Next::Done(Err(if self.may_have_written() {
            EngineError::Store(StoreError::new(StoreErrorKind::Indeterminate).caused(contention))
        } else {
            contention
        }))
    }
}
