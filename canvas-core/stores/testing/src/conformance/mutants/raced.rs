//! Commits and collections in two steps.

use std::collections::BTreeSet;
use std::time::Duration;

use canvas_core::store::{Collected, Commit, Committed, Loaded, Store, StoreError, Version};
use canvas_core::{BlobId, CanvasId};

use super::kind::CommitKind;
use super::race::{Effect, Race};
use super::store::Mutant;

impl<S: Store> Mutant<S> {
    /// Commits in two steps if the race covers this commit.
    pub(super) async fn commit_raced(
        &self,
        race: Race,
        kind: CommitKind,
        commit: Commit,
        current: Option<&Loaded>,
    ) -> Result<Committed, StoreError> {
        let number = {
            let mut own = self.own();
            own.commits += 1;
            own.commits
        };
        let is_meant = race.kind.is_none_or(|it| it == kind)
            && (commit.not_after.is_some() || !race.limited)
            && number.is_multiple_of(race.every);
        let expected = current.map(|row| &row.version);
        let is_late = || current.is_some_and(|row| commit.not_after.is_some_and(|limit| row.clock >= limit));
        if !is_meant || commit.expected.as_ref() != expected || is_late() {
            return self.store.commit(commit).await;
        }
        self.window.meet();
        let again = commit.clone();
        match (race.effect, self.store.commit(commit).await?) {
            (Effect::Overwrites, Committed::Conflict(Some(row))) => self.overwrite(again, row).await,
            (Effect::Loses, Committed::Conflict(Some(row))) => {
                Ok(Committed::Done { version: row.version, clock: row.clock })
            }
            (_, answer) => Ok(answer),
        }
    }

    /// Deletes, in a second step, the blobs that were unneeded in the first one.
    pub(super) async fn collect_raced(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        let collected = self.store.collect(canvas, keep, older_than, at).await?;
        if !older_than.is_zero() || collected == Collected::Conflict {
            return Ok(collected);
        }
        let needed: BTreeSet<_> = self.look(canvas).await?.iter().flat_map(|row| row.head.blobs()).collect();
        let put = self.shared().put.get(canvas).cloned().unwrap_or_default();
        let gone = put.difference(keep).filter(|id| !needed.contains(id)).map(|id| (canvas.clone(), *id));
        self.window.be_overtaken();
        self.shared().hidden.extend(gone);
        Ok(collected)
    }
}
