//! Settling of commits of unknown fate. Each call of such a commit finds out its own result.
//!
//! * If the row has the receipt of the call, the commit landed.
//! * Otherwise an empty bump of the version is committed first, so that the late duplicate fails in any store. Then the
//!   call is decided again.

use std::sync::Arc;

use super::{Next, Phase, Planned, Request, Response, Run};
use crate::engine::task::Task;
use crate::model::blob::{Blob, Missing};
use crate::store::contract::{Commit, Committed, Loaded};
use crate::store::error::StoreError;

/// The maximum number of loads to settle a commit of unknown fate.
const MAX_SETTLE_LOADS: usize = 4;

impl<T: Task> Run<'_, T> {
    /// Takes a response while the run settles a commit.
    pub(super) fn settling(&mut self, phase: Phase<T::Answer>, response: Response) -> Next<T::Answer> {
        match (phase, response) {
            (Phase::Settling, Response::Row(Ok(row))) => {
                self.take_row(row);
                self.settle()
            }
            (Phase::Searching(missing), Response::Blobs(Ok(blobs))) => self.found(&missing, blobs),
            (Phase::Settling, Response::Row(Err(fault)))
            | (Phase::Searching(_), Response::Blobs(Err(fault)))
            | (Phase::Bumping(_), Response::Committed(Err(fault))) => self.settle_again(Some(fault)),
            (Phase::Bumping(planned), Response::Committed(Ok(committed))) => self.bumped(planned, committed),
            (phase, response) => unreachable!("{response:?} is no answer to {phase:?}"),
        }
    }

    pub(super) fn load_to_settle(&mut self) -> Next<T::Answer> {
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

    fn settle(&mut self) -> Next<T::Answer> {
        let Some(row) = &self.row else {
            // There is no version to bump. The next commit expects no row either, so only one of the two wins.
            let is_creation = self.lost == Some(None);
            // A row never vanishes, so this load saw the past.
            return if is_creation { self.decide() } else { self.settle_again(None) };
        };
        // The calls of one commit may have filled a page of receipts, which is then in a blob.
        let blob = |id| {
            let blob = row.contents.blob(id).or_else(|| self.blobs.get(id));
            blob.ok_or_else(|| Missing::all(vec![id]))
        };
        match self.task.operation().map(|key| row.head.receipts.find(key, blob)) {
            Some(Ok(Some(_))) => {
                self.lost = None;
                self.has_landed = true;
                self.decide()
            }
            Some(Err(missing)) => {
                let ids = missing.ids().collect();
                self.phase = Phase::Searching(missing);
                Next::Request(Request::Blobs(ids))
            }
            Some(Ok(None)) | None => {
                let (head, contents) = (Arc::clone(&row.head), row.contents.clone());
                let expected = Some(row.version.clone());
                let (blobs, not_after) = (Vec::new(), None);
                let bump = Commit { expected, head: Arc::clone(&head), blobs, not_after };
                self.phase = Phase::Bumping(Planned { head, contents });
                Next::Request(Request::Commit(bump))
            }
        }
    }

    fn found(&mut self, asked: &Missing, blobs: Vec<Option<Blob>>) -> Next<T::Answer> {
        let blobs = blobs.into_iter().chain(std::iter::repeat(None));
        let found: Vec<_> =
            asked.ids().zip(blobs).filter_map(|(id, blob)| blob.filter(|blob| blob.id() == id)).collect();
        if found.is_empty() {
            // A collection dropped it after a later head.
            return self.settle_again(None);
        }
        found.into_iter().for_each(|blob| self.blobs.insert(blob.id(), Some(blob)));
        self.settle()
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

    /// A conflict shows the current row for certain, so a commit that expects another version can never arrive.
    pub(super) fn overtaken(&mut self, row: Option<Loaded>) {
        let version = row.as_ref().map(|row| &row.version);
        if self.lost.as_ref().is_some_and(|lost| lost.as_ref() != version) {
            self.lost = None;
        }
        self.take_row(row);
    }
}
