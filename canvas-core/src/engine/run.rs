//! One task at a canvas, as a state machine without input or output: it gives the next request to the store and takes the
//! response, until it has an answer.

use std::sync::Arc;

use canvas_lease::Timestamp;

use super::context::{CachedRow, RunContext};
use super::error::EngineError;
use super::task::{Blocked, Decision, DecisionContext, Task};
use crate::model::author::Actor;
use crate::model::blob::Missing;
use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::id::OpKey;
use crate::store::contract::{Commit, Committed, Loaded, Version};
use crate::store::error::{StoreError, StoreErrorKind};
use crate::transition::contents::Contents;
use crate::transition::fetched::Fetched;
use crate::transition::view::Change;

/// How often a task is decided again because others were faster. Of eight servers that write to one canvas all the
/// time, one is faster than the others for dozens of rounds now and then.
const MAX_COMMITS: usize = 256;

/// How often the row is looked at to settle a commit of unknown fate.
const MAX_SETTLE_LOADS: usize = 4;

/// What a run needs of the store.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) enum Request {
    Load,
    Blobs(Vec<BlobId>),
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
    Done(Result<Done<A>, EngineError>),
}

#[derive(Debug)]
pub(crate) struct Done<A> {
    pub(crate) answer: A,
    /// The row after it; none where there is none.
    pub(crate) row: Option<CachedRow>,
}

/// A task on its way.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
pub(crate) struct Run<'a, T: Task> {
    context: RunContext<'a>,
    task: T,
    row: Option<CachedRow>,
    /// The row comes from the store and not from a cache.
    is_fresh: bool,
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

#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
enum Phase<A> {
    Loading,
    /// All that is missing, at once.
    Fetching(Missing),
    Committing {
        planned: Planned,
        answer: A,
    },
    /// A commit is of unknown fate, and the row is loaded to see it.
    Settling,
    /// It is not in the row, so the version moves on, and then it never will be.
    Bumping(Planned),
    Over,
}

/// What the row will be after a commit.
#[derive(Debug)]
#[cfg_attr(test, derive(Clone, PartialEq, Eq, Hash))]
struct Planned {
    expected: Option<Version>,
    head: Arc<Head>,
    contents: Contents,
    /// Who changes content by it.
    actor: Option<Actor>,
}

impl Planned {
    fn done(self, version: Version, clock: Timestamp, now: Timestamp) -> CachedRow {
        let Self { head, contents, .. } = self;
        CachedRow { head, version, contents, host_at: now, store_at: clock }
    }
}

impl<'a, T: Task> Run<'a, T> {
    /// Begins with the row that a cache has, if it has one. Where that is not `trusted` to be the current one, only its
    /// contents are used, once the row is loaded.
    pub(crate) fn start(
        context: RunContext<'a>,
        task: T,
        cached: Option<CachedRow>,
        trusted: bool,
    ) -> (Self, Next<T::Answer>) {
        let begin = trusted && cached.is_some();
        let mut run = Self {
            context,
            task,
            row: cached,
            is_fresh: false,
            blobs: Fetched::default(),
            commits: 0,
            settle_loads: 0,
            lacking: None,
            lost: None,
            was_in_doubt: false,
            has_landed: false,
            phase: Phase::Over,
        };
        let next = if begin { run.decide() } else { run.load() };
        (run, next)
    }

    /// Whose call it is; none for what changes nothing.
    pub(crate) fn operation(&self) -> Option<&OpKey> {
        self.task.operation()
    }

    /// Who changes content by the commit that was asked for; `None` where nobody does.
    pub(crate) fn actor(&self) -> Option<Actor> {
        match &self.phase {
            Phase::Committing { planned, .. } => planned.actor,
            _ => None,
        }
    }

    /// Takes the answer to what was asked last.
    pub(crate) fn handle_response(&mut self, response: Response) -> Next<T::Answer> {
        match (std::mem::replace(&mut self.phase, Phase::Over), response) {
            (Phase::Loading, Response::Row(Ok(row))) => {
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
            (Phase::Committing { planned, answer }, Response::Committed(committed)) => {
                self.committed(planned, answer, committed)
            }
            (Phase::Settling, Response::Row(Ok(row))) => {
                self.take_row(row);
                self.settle()
            }
            (Phase::Settling, Response::Row(Err(fault)))
            | (Phase::Bumping(_), Response::Committed(Err(fault))) => self.settle_again(Some(fault)),
            (Phase::Bumping(planned), Response::Committed(Ok(committed))) => self.bumped(planned, committed),
            (phase, response) => unreachable!("{response:?} is no answer to {phase:?}"),
        }
    }

    /// Whether what is asked is a commit of the task itself, and not a bump.
    #[cfg(all(test, feature = "surface"))]
    pub(super) fn is_committing(&self) -> bool {
        matches!(self.phase, Phase::Committing { .. })
    }

    fn load(&mut self) -> Next<T::Answer> {
        self.phase = Phase::Loading;
        Next::Request(Request::Load)
    }

    /// Takes the row as the store has given it.
    fn take_row(&mut self, row: Option<Loaded>) {
        let old = self.row.take().map(|known| known.contents).unwrap_or_default();
        // What has been the document may be a text that a conversation knows.
        old.blobs().for_each(|blob| self.blobs.insert(blob.id(), Some(blob.clone())));
        self.is_fresh = true;
        self.row = row.map(|Loaded { head, version, clock, document }| {
            let mut sent = Contents::default();
            document.into_iter().for_each(|document| sent.put_document(document, &old, &[]));
            let contents = sent.of(&head, Some(&old), &self.blobs);
            CachedRow { head, version, contents, host_at: self.context.now, store_at: clock }
        });
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
        if doubtful && !self.is_fresh {
            return self.load();
        }
        match decision {
            Ok(Decision::Answer(answer)) => self.done(answer),
            Ok(Decision::Commit(_, _)) if self.commits == MAX_COMMITS => self.stop_trying(),
            Ok(Decision::Commit(change, answer)) => {
                self.commits += 1;
                let (planned, request) = self.commit(change);
                self.phase = Phase::Committing { planned, answer };
                request
            }
            Err(Blocked::Missing(missing)) => self.fetch(missing),
            Err(Blocked::Fails(e)) => Next::Done(Err(e)),
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
                if let Some(row) = &mut self.row {
                    row.contents = std::mem::take(&mut row.contents).of(&row.head, None, &self.blobs);
                }
                self.decide()
            }
            // What a cached head needs may have been dropped since.
            Some(_) if !self.is_fresh => self.load(),
            // And what a loaded one needs, by a collection that came after a later head.
            Some(id) => {
                self.lacking = self.row.as_ref().map(|row| (row.version.clone(), id));
                match self.lacking {
                    Some(_) => self.load(),
                    None => Next::Done(Err(self.context.damaged(id))),
                }
            }
        }
    }

    fn commit(&self, change: Change) -> (Planned, Next<T::Answer>) {
        let Change { head, blobs, contents, not_after, actor } = change;
        let expected = self.row.as_ref().map(|row| row.version.clone());
        let contents = contents.of(&head, self.row.as_ref().map(|row| &row.contents), &self.blobs);
        let commit = Commit { expected: expected.clone(), head: Arc::clone(&head), blobs, not_after };
        (Planned { expected, head, contents, actor }, Next::Request(Request::Commit(commit)))
    }

    fn committed(
        &mut self,
        planned: Planned,
        answer: T::Answer,
        committed: Result<Committed, StoreError>,
    ) -> Next<T::Answer> {
        match committed {
            Ok(Committed::Done { version, clock }) => {
                self.row = Some(planned.done(version, clock, self.context.now));
                self.done(answer)
            }
            Ok(Committed::Conflict(row)) => {
                self.overtaken(row);
                self.decide()
            }
            Ok(Committed::Late { .. }) => self.load(),
            Err(error) if !error.is_definite() => {
                self.lost = Some(planned.expected);
                self.was_in_doubt = true;
                self.settle_loads = 0;
                self.load_to_settle()
            }
            Err(fault) => self.fail(fault),
        }
    }

    /// A conflict shows the row as it is beyond doubt: what expects another version can never arrive.
    fn overtaken(&mut self, row: Option<Loaded>) {
        let version = row.as_ref().map(|row| &row.version);
        if self.lost.as_ref().is_some_and(|lost| lost.as_ref() != version) {
            self.lost = None;
        }
        self.take_row(row);
    }

    fn load_to_settle(&mut self) -> Next<T::Answer> {
        self.phase = Phase::Settling;
        Next::Request(Request::Load)
    }

    fn settle_again(&mut self, fault: Option<StoreError>) -> Next<T::Answer> {
        self.settle_loads += 1;
        if self.settle_loads < MAX_SETTLE_LOADS {
            return self.load_to_settle();
        }
        fault.map_or_else(|| self.stop_trying(), |fault| self.fail(fault))
    }

    /// After a commit of unknown fate: where the row shows it, it got through. Where it does not, an empty bump of
    /// the version wins first, so that the late duplicate fails in any store; then the task may be decided anew.
    fn settle(&mut self) -> Next<T::Answer> {
        match &self.row {
            Some(row) if self.task.operation().is_some_and(|key| row.head.receipts.has_newly(key)) => {
                self.lost = None;
                self.has_landed = true;
                self.decide()
            }
            Some(row) => {
                let head = Arc::clone(&row.head);
                let (blobs, contents) = Default::default();
                let bump = Change { head, blobs, contents, not_after: None, actor: None };
                let (planned, request) = self.commit(bump);
                self.phase = Phase::Bumping(planned);
                request
            }
            // There is no version to move. What is committed next expects no row either: one of the two wins.
            None if self.lost == Some(None) => self.decide(),
            // A row never vanishes: this look was of the past.
            None => self.settle_again(None),
        }
    }

    fn bumped(&mut self, planned: Planned, committed: Committed) -> Next<T::Answer> {
        match committed {
            Committed::Done { version, clock } => {
                self.row = Some(planned.done(version, clock, self.context.now));
                self.lost = None;
                self.decide()
            }
            Committed::Conflict(row) => {
                self.overtaken(row);
                if self.lost.is_none() { self.decide() } else { self.settle_again(None) }
            }
            Committed::Late { .. } => self.settle_again(None),
        }
    }

    fn done(&mut self, answer: T::Answer) -> Next<T::Answer> {
        Next::Done(Ok(Done { answer, row: self.row.take() }))
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
