//! Flaws in a commit: its comparison, its timing, and its result.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::store::{Commit, Committed, Head, Loaded, Store, StoreError, Version};
use canvas_core::{Blob, BlobId, CanvasId};

use super::design::Claim;
use super::flaw::Flaw;
use super::kind::CommitKind;
use super::store::Mutant;
use crate::conformance::suite::tasks::yield_now;

/// The flaw in large commits begins after this many blobs.
const MANY: usize = 16;

impl<S: Store> Mutant<S> {
    pub(super) async fn commit_with_flaw(&self, commit: Commit) -> Result<Committed, StoreError> {
        let canvas = commit.head.canvas().clone();
        let half_way = HalfWay::enter(self)?;
        if self.flaw == Flaw::BreaksWhenGivenUp {
            yield_now().await;
        }
        let late_at = commit.not_after;
        let mut commit = self.take(commit)?;
        if self.flaw == Flaw::CountsFromTheFirstPut {
            let mut new = Vec::new();
            for blob in std::mem::take(&mut commit.blobs) {
                if self.store.blob(&canvas, blob.id()).await?.is_none() {
                    new.push(blob);
                }
            }
            commit.blobs = new;
        }
        let head = Arc::clone(&commit.head);
        let current = self.current(&canvas).await?;
        let kind = CommitKind::of(&commit, current.as_ref());
        let answer = match (self.refuse(&canvas, &commit, current.as_ref()), self.design.race) {
            (Some(answer), _) => answer,
            (None, Some(race)) => self.commit_raced(race, kind, commit, current.as_ref()).await?,
            (None, None) => {
                let commit = self.condition(&canvas, commit, current.as_ref()).await?;
                self.write(&canvas, commit, current).await?
            }
        };
        half_way.leave();
        if matches!(answer, Committed::Done { .. }) {
            self.window.has_committed();
            self.be_silent(&canvas, kind);
        }
        Ok(match self.give(&canvas, head, answer) {
            Committed::Done { clock, .. }
                if self.flaw == Flaw::SaysLateAfterWriting && late_at.is_some_and(|limit| clock >= limit) =>
            {
                Committed::Late { clock }
            }
            answer => answer,
        })
    }

    /// Applies the flaw to the commit's blobs, head and limit.
    fn take(&self, mut commit: Commit) -> Result<Commit, StoreError> {
        let canvas = commit.head.canvas().clone();
        let ids: BTreeSet<_> = commit.blobs.iter().map(Blob::id).collect();
        let mut shared = self.shared();
        shared.hidden.retain(|(of, id)| *of != canvas || !ids.contains(id));
        if matches!(self.flaw, Flaw::DropsWholeCommits | Flaw::LosesTheRest | Flaw::CountsEachPut) {
            shared.commits.entry(canvas.clone()).or_default().push(ids.clone());
        }
        let put = shared.put.entry(canvas).or_default();
        match self.flaw {
            Flaw::LosesBlobs => commit.blobs.clear(),
            Flaw::DropsManyBlobs => commit.blobs.truncate(MANY),
            Flaw::CutsLongCommits => {
                let mut room = 1_usize << 20;
                commit.blobs.retain(|blob| {
                    room = room.saturating_sub(blob.as_bytes().len());
                    room > 0
                });
            }
            Flaw::RemembersBlobs => commit.blobs.retain(|blob| !put.contains(&blob.id())),
            Flaw::FailsOnRepeatedBlobs if ids.len() < commit.blobs.len() => {
                return Err(StoreError::failed("a blob came twice"));
            }
            _ => {}
        }
        put.extend(ids);
        drop(shared);
        commit.not_after = self.limit(&commit);
        commit.head = self.kept(&commit.head);
        Ok(commit)
    }

    /// Loads the row, if the flaw needs it before the commit.
    async fn current(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        match self.flaw {
            Flaw::IgnoresCondition
            | Flaw::Upserts
            | Flaw::ShowsTheRowBeforeTheWait
            | Flaw::ConflictsAcrossCanvases
            | Flaw::NamesVersionsByContent
            | Flaw::CountsVersions
            | Flaw::TakesAnyVersion
            | Flaw::SkipsEmptyBumps
            | Flaw::ChecksThenWrites
            | Flaw::OverwritesAtCreation
            | Flaw::CollectsTooEarly
            | Flaw::JudgesTimeFirst
            | Flaw::ReadsItsClockBeforeTheWait
            | Flaw::FreesTombstones => self.look(canvas).await,
            _ if self.design.looks() => self.look(canvas).await,
            _ => Ok(None),
        }
    }

    /// Returns a result that the flaw gives without calling the store.
    fn refuse(&self, canvas: &CanvasId, commit: &Commit, current: Option<&Loaded>) -> Option<Committed> {
        let current = current?;
        let (version, clock) = (current.version.clone(), current.clock);
        match self.flaw {
            Flaw::SkipsEmptyBumps
                if commit.expected.as_ref() == Some(&version) && commit.head == current.head =>
            {
                Some(Committed::Done { version, clock })
            }
            Flaw::JudgesTimeFirst if commit.not_after.is_some_and(|limit| clock >= limit) => {
                Some(Committed::Late { clock })
            }
            Flaw::ConflictsAcrossCanvases if self.own().spoilt.contains(canvas) => {
                Some(Committed::Conflict(Some(current.clone())))
            }
            Flaw::ChecksThenWrites if commit.expected.as_ref() != Some(&version) => {
                Some(Committed::Conflict(Some(current.clone())))
            }
            _ => None,
        }
    }

    /// Changes the condition that is passed to the store.
    async fn condition(
        &self,
        canvas: &CanvasId,
        mut commit: Commit,
        current: Option<&Loaded>,
    ) -> Result<Commit, StoreError> {
        let version = current.map(|row| row.version.clone());
        if self.design.claim.is_some_and(|claim| claim.ignores_limit(CommitKind::of(&commit, current))) {
            commit.not_after = None;
        }
        match self.flaw {
            Flaw::IgnoresCondition => commit.expected = version,
            Flaw::Upserts if version.is_none() => commit.expected = None,
            Flaw::ChecksThenWrites => {
                self.dawdle(canvas).await?;
                commit.expected = self.look(canvas).await?.map(|row| row.version);
            }
            Flaw::OverwritesAtCreation if current.is_none() && commit.expected.is_none() => {
                self.dawdle(canvas).await?;
                commit.expected = self.look(canvas).await?.map(|row| row.version);
            }
            Flaw::NamesVersionsByContent | Flaw::CountsVersions => {
                if let Some(row) = current {
                    let named = self.named(&row.version, &row.head);
                    commit.expected =
                        commit.expected.map(|it| if it == named { row.version.clone() } else { it });
                }
            }
            _ if self.design.naming.is_some() => commit.expected = self.meant(commit.expected, current),
            Flaw::NamesVersionsByConnection => {
                let own = format!("{}:", self.number);
                commit.expected = commit.expected.map(|it| {
                    it.as_str().strip_prefix(&own).map_or_else(|| Version::new("unknown"), Version::new)
                });
            }
            Flaw::TakesAnyVersion => {
                let own = self.own();
                let given = commit.expected.as_ref().and_then(|it| own.given.get(it.as_str()));
                if given.is_some_and(|to| !to.contains(canvas)) {
                    commit.expected = version;
                }
            }
            Flaw::ReadsItsClockBeforeTheWait => {
                let early =
                    current.is_some_and(|row| commit.not_after.is_some_and(|limit| row.clock < limit));
                commit.not_after = if early { None } else { commit.not_after };
            }
            Flaw::FreesTombstones if current.is_some_and(|row| row.head.is_deleted()) => {
                commit.expected = if commit.expected.is_none() { version } else { commit.expected };
            }
            _ => {}
        }
        Ok(commit)
    }

    /// Lets others go first for as long as a few round trips take, which suits a store of any speed.
    async fn dawdle(&self, canvas: &CanvasId) -> Result<(), StoreError> {
        for _ in 0..10 {
            self.look(canvas).await?;
            yield_now().await;
        }
        Ok(())
    }

    /// Commits, and changes the result as the flaw requires.
    async fn write(
        &self,
        canvas: &CanvasId,
        commit: Commit,
        before: Option<Loaded>,
    ) -> Result<Committed, StoreError> {
        let again = commit.clone();
        let answer = self.store.commit(commit).await?;
        if let (Some(naming), Committed::Done { version, clock }) = (self.design.naming, &answer) {
            self.name(naming, &again, (version, *clock), before.as_ref());
        }
        match (self.flaw, answer) {
            (Flaw::ZeroRowsAreSuccess, Committed::Conflict(Some(row))) => {
                Ok(Committed::Done { version: row.version, clock: row.clock })
            }
            (Flaw::FailsInsteadOfConflict, Committed::Conflict(_)) => {
                Err(StoreError::failed("could not serialise access"))
            }
            (Flaw::RetriesInside, Committed::Conflict(Some(row))) => {
                self.store.commit(Commit { expected: Some(row.version), ..again }).await
            }
            (Flaw::ChecksThenWrites, Committed::Conflict(Some(row))) => self.overwrite(again, row).await,
            (Flaw::OverwritesAtCreation, Committed::Conflict(Some(row))) if before.is_none() => {
                self.overwrite(again, row).await
            }
            (Flaw::WritesWhatItRefuses, Committed::Conflict(Some(row))) => {
                self.store.commit(Commit { expected: Some(row.version.clone()), ..again }).await?;
                Ok(Committed::Conflict(Some(row)))
            }
            (Flaw::CommitsTwice, Committed::Done { version, clock }) => {
                self.store.commit(Commit { expected: Some(version.clone()), ..again }).await?;
                Ok(Committed::Done { version, clock })
            }
            (Flaw::ConflictsWithItself, Committed::Done { version, clock }) => {
                let commits = {
                    let mut own = self.own();
                    own.commits += 1;
                    own.commits
                };
                if commits % 3 == 0 {
                    return Ok(Committed::Conflict(self.look(canvas).await?));
                }
                Ok(Committed::Done { version, clock })
            }
            (Flaw::HidesTheRow, Committed::Conflict(_)) => Ok(Committed::Conflict(None)),
            (Flaw::ShowsWhatItSawLast, Committed::Conflict(row)) => {
                Ok(Committed::Conflict(self.own().last_seen.get(canvas).cloned().or(row)))
            }
            (Flaw::ShowsTheRowBeforeTheWait, Committed::Conflict(_)) => Ok(Committed::Conflict(before)),
            (Flaw::CountsVersions, Committed::Done { version, clock }) => {
                let key = |version: &Version| (canvas.clone(), version.as_str().to_owned());
                let mut shared = self.shared();
                let last = again.expected.as_ref().and_then(|old| shared.numbers.get(&key(old)).copied());
                shared.numbers.insert(key(&version), last.unwrap_or(0) + 1);
                Ok(Committed::Done { version, clock })
            }
            (Flaw::CollectsTooEarly, Committed::Done { version, clock }) => {
                let old: BTreeSet<BlobId> = before.iter().flat_map(|row| row.head.blobs()).collect();
                let put = self.shared().put.get(canvas).cloned().unwrap_or_default();
                let keep = put.difference(&old).copied().collect();
                self.store.collect(canvas, &keep, Duration::ZERO, &version).await?;
                Ok(Committed::Done { version, clock })
            }
            (Flaw::BlobsAfterHead, Committed::Done { version, clock }) => {
                let late: Vec<_> = again.blobs.iter().map(|blob| (canvas.clone(), blob.id())).collect();
                self.shared().hidden.extend(late.iter().cloned());
                self.dawdle(canvas).await?;
                self.shared().hidden.retain(|blob| !late.contains(blob));
                Ok(Committed::Done { version, clock })
            }
            (_, answer) => Ok(answer),
        }
    }

    /// Overwrites the row, whichever version it has.
    pub(super) async fn overwrite(&self, commit: Commit, mut row: Loaded) -> Result<Committed, StoreError> {
        loop {
            let again = Commit { expected: Some(row.version), ..commit.clone() };
            match self.store.commit(again).await? {
                Committed::Conflict(Some(next)) => row = next,
                answer => return Ok(answer),
            }
        }
    }

    /// Applies this store's version names and clock to a result.
    fn give(&self, canvas: &CanvasId, head: Arc<Head>, answer: Committed) -> Committed {
        match answer {
            Committed::Done { version, clock } => {
                if self.flaw == Flaw::ConflictsAcrossCanvases {
                    let put: Vec<_> = self.shared().put.keys().cloned().collect();
                    self.own().spoilt.extend(put.into_iter().filter(|it| it != canvas));
                }
                let row = self.note(canvas, Loaded { head, version, clock, document: None });
                Committed::Done { version: row.version, clock: row.clock }
            }
            Committed::Conflict(row) => Committed::Conflict(row.map(|row| self.show(canvas, row))),
            Committed::Late { clock } => Committed::Late { clock: self.clock(clock) },
        }
    }
}

/// A commit in progress. If it is dropped and the flaw says so, this breaks the connection.
struct HalfWay<'a, S> {
    mutant: &'a Mutant<S>,
    over: bool,
}

impl<'a, S> HalfWay<'a, S> {
    fn enter(mutant: &'a Mutant<S>) -> Result<Self, StoreError> {
        if mutant.own().broken {
            return Err(StoreError::failed("the connection is in a transaction"));
        }
        Ok(Self { mutant, over: false })
    }

    fn leave(mut self) {
        self.over = true;
    }
}

impl<S> Drop for HalfWay<'_, S> {
    fn drop(&mut self) {
        if !self.over && self.mutant.flaw == Flaw::BreaksWhenGivenUp {
            self.mutant.own().broken = true;
        }
    }
}

impl<S> Mutant<S> {
    /// Records whether a commit of this kind is left without a notification.
    pub(super) fn be_silent(&self, canvas: &CanvasId, kind: CommitKind) {
        let mut shared = self.shared();
        if self.design.claim == Some(Claim::Notify { but: kind }) {
            shared.silent.insert(canvas.clone());
        } else {
            shared.silent.remove(canvas);
        }
    }
}
