//! A layer around a store that adds one flaw.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::{
    Capabilities, Collected, Commit, Committed, Layer, Loaded, Store, StoreError, StoreErrorKind, Version,
};
use canvas_core::{Blob, BlobId, CanvasId};

use super::design::Design;
use super::flaw::Flaw;
use super::naming::Names;
use super::race::Window;
use crate::conformance::stored::renamed;
use crate::head::first;

/// One connection to a store with a flaw.
#[derive(Debug)]
pub(super) struct Mutant<S> {
    pub(super) store: S,
    pub(super) flaw: Flaw,
    /// Parameters of the flaw, for flaws that share code.
    pub(super) design: Design,
    /// Number of the connection, counted from 0.
    pub(super) number: u32,
    own: Mutex<Own>,
    shared: Arc<Mutex<Shared>>,
    /// The window between reading and writing, for races.
    pub(super) window: Arc<Window>,
}

/// State of one connection.
#[derive(Debug, Default)]
pub(super) struct Own {
    pub(super) first_seen: BTreeMap<CanvasId, Loaded>,
    pub(super) last_seen: BTreeMap<CanvasId, Loaded>,
    pub(super) first_clock: Option<Timestamp>,
    pub(super) last_clock: Option<Timestamp>,
    /// The canvases for which each version was issued.
    pub(super) given: BTreeMap<String, BTreeSet<CanvasId>>,
    /// Canvases with a version that a commit to another canvas has invalidated.
    pub(super) spoilt: BTreeSet<CanvasId>,
    pub(super) commits: u32,
    /// Whether a commit was dropped half way.
    pub(super) broken: bool,
    /// Notifications that are held back.
    delayed: Vec<CanvasId>,
}

/// State shared by all connections to the same data.
#[derive(Debug, Default)]
pub(super) struct Shared {
    connections: u32,
    /// Blobs by the canvas that put them.
    pub(super) put: BTreeMap<CanvasId, BTreeSet<BlobId>>,
    /// Blobs of each commit, by canvas.
    pub(super) commits: BTreeMap<CanvasId, Vec<BTreeSet<BlobId>>>,
    /// Number of commits up to a version.
    pub(super) numbers: BTreeMap<(CanvasId, String), u64>,
    /// Blobs that exist but are not shown.
    pub(super) hidden: BTreeSet<(CanvasId, BlobId)>,
    pub(super) names: Names,
    /// Canvases whose last commit is not notified.
    pub(super) silent: BTreeSet<CanvasId>,
}

impl<S> Mutant<S> {
    pub(super) fn new(store: S, flaw: Flaw, design: Design) -> Self {
        Self::connect(store, (flaw, design), Arc::default(), Arc::default())
    }

    pub(super) fn peer(&self, store: S) -> Self {
        let (shared, window) = (Arc::clone(&self.shared), Arc::clone(&self.window));
        Self::connect(store, (self.flaw, self.design), shared, window)
    }

    fn connect(
        store: S,
        (flaw, design): (Flaw, Design),
        shared: Arc<Mutex<Shared>>,
        window: Arc<Window>,
    ) -> Self {
        let number = {
            let mut shared = shared.lock().unwrap_or_else(PoisonError::into_inner);
            shared.connections += 1;
            shared.connections - 1
        };
        Self { store, flaw, design, number, own: Mutex::default(), shared, window }
    }

    pub(super) fn inner(&self) -> &S {
        &self.store
    }

    pub(super) fn own(&self) -> MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Passes notifications on, unless the flaw withholds them.
    pub(super) fn notify(&self, mut canvases: Vec<CanvasId>) -> Vec<CanvasId> {
        canvases.retain(|canvas| !self.shared().silent.contains(canvas));
        match self.flaw {
            Flaw::ClaimsToNotify => Vec::new(),
            Flaw::NotifiesLate => std::mem::replace(&mut self.own().delayed, canvases),
            _ => canvases,
        }
    }
}

impl<S: Store> Mutant<S> {
    /// Loads the row from the inner store.
    pub(super) async fn look(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        self.store.load(&self.key(canvas)).await
    }

    /// Returns the row that this store shows.
    pub(super) fn show(&self, canvas: &CanvasId, loaded: Loaded) -> Loaded {
        let loaded = self.note(canvas, loaded);
        if self.flaw == Flaw::ServesStaleHeads {
            return self.own().first_seen.entry(canvas.clone()).or_insert(loaded).clone();
        }
        loaded
    }

    /// Applies the flaw to a row, and remembers the changed row.
    pub(super) fn note(&self, canvas: &CanvasId, mut loaded: Loaded) -> Loaded {
        loaded.clock = self.clock(loaded.clock);
        loaded.version = self.named(&loaded.version, &loaded.head);
        if loaded.head.canvas() != canvas {
            loaded.head = renamed(&loaded.head, canvas);
        }
        let mut own = self.own();
        if self.flaw == Flaw::TakesAnyVersion {
            own.given.entry(loaded.version.as_str().to_owned()).or_default().insert(canvas.clone());
        }
        own.spoilt.remove(canvas);
        own.last_seen.insert(canvas.clone(), loaded.clone());
        loaded
    }
}

impl<S: Store> Mutant<S> {
    /// Returns the blob that this store shows.
    async fn show_blob(
        &self,
        canvas: &CanvasId,
        id: BlobId,
        found: Option<Blob>,
    ) -> Result<Option<Blob>, StoreError> {
        if self.shared().hidden.contains(&(canvas.clone(), id)) {
            return Ok(None);
        }
        match (self.flaw, found) {
            (Flaw::SharesBlobs, None) => self.blob_of_others(id).await,
            (Flaw::LosesEmptyBlobs, Some(blob)) if blob.as_bytes().is_empty() => Ok(None),
            (Flaw::CutsLargeBlobs, Some(blob)) => {
                let bytes = blob.as_bytes();
                Ok(Some(bytes.get(..1 << 20).map_or_else(|| blob.clone(), |cut| Blob::bytes(cut.to_vec()))))
            }
            (_, found) => Ok(found),
        }
    }

    /// Applies the flaw after a collection, commit by commit.
    async fn after_collection(
        &self,
        canvas: &CanvasId,
        mut collected: Collected,
    ) -> Result<Collected, StoreError> {
        let commits = self.shared().commits.get(canvas).cloned().unwrap_or_default();
        let Collected::Done { blobs: counted, .. } = &mut collected else { return Ok(collected) };
        let mut gone = BTreeMap::new();
        for commit in &commits {
            let ids: Vec<BlobId> = commit.iter().copied().collect();
            let found = self.store.blobs(canvas, &ids).await?;
            let there: Vec<BlobId> = found.into_iter().flatten().map(|blob| blob.id()).collect();
            let is_spoilt = match self.flaw {
                Flaw::DropsWholeCommits => there.len() < ids.len(),
                Flaw::LosesTheRest => there.len() < ids.len() / 2,
                _ => false,
            };
            if is_spoilt {
                self.shared().hidden.extend(there.iter().map(|id| (canvas.clone(), *id)));
            }
            for id in ids.iter().filter(|id| !there.contains(id)) {
                *gone.entry(*id).or_insert(0) += 1;
            }
        }
        if self.flaw == Flaw::CountsEachPut && *counted > 0 {
            *counted += gone.values().map(|puts: &u64| puts - 1).sum::<u64>();
        }
        Ok(collected)
    }

    async fn blob_of_others(&self, id: BlobId) -> Result<Option<Blob>, StoreError> {
        let others: Vec<_> = self.shared().put.keys().cloned().collect();
        for other in others {
            if let Some(blob) = self.store.blob(&other, id).await? {
                return Ok(Some(blob));
            }
        }
        Ok(None)
    }
}

impl<S: Store> Layer for Mutant<S> {
    type Inner = S;

    fn inner(&self) -> &S {
        &self.store
    }

    fn capabilities(&self) -> Capabilities {
        let capabilities = self.store.capabilities();
        match self.flaw {
            Flaw::IgnoresNotAfter => Capabilities { not_after: true, ..capabilities },
            Flaw::ClaimsToNotify | Flaw::NotifiesLate => Capabilities { notify: true, ..capabilities },
            _ => self.design.claims(capabilities),
        }
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        Ok(match self.look(canvas).await? {
            Some(loaded) if self.flaw == Flaw::FreesTombstones && loaded.head.is_deleted() => None,
            Some(loaded) => Some(self.show(canvas, loaded)),
            None if self.flaw == Flaw::InventsRows => {
                let head = first(canvas, BlobId::of(b""));
                let clock = self.own().last_clock.unwrap_or(Timestamp::from_millis(0));
                Some(Loaded { head, version: Version::new("invented"), clock, document: None })
            }
            None => None,
        })
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.commit_with_flaw(commit).await
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        let found = self.store.blob(&self.key(canvas), id).await?;
        self.show_blob(canvas, id, found).await
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        if self.flaw == Flaw::FailsOnNoIds && ids.is_empty() {
            return Err(StoreErrorKind::Failed.into());
        }
        let found = self.store.blobs(&self.key(canvas), ids).await?;
        let mut shown = Vec::with_capacity(found.len());
        for (id, found) in ids.iter().zip(found) {
            shown.push(self.show_blob(canvas, *id, found).await?);
        }
        match self.flaw {
            Flaw::ReordersBlobs => shown.sort_by_key(|blob| blob.as_ref().map(Blob::id)),
            Flaw::LeavesOutAbsent => shown.retain(Option::is_some),
            Flaw::AnswersOnce => {
                let mut seen = BTreeSet::new();
                shown.iter_mut().for_each(|blob| *blob = blob.take().filter(|blob| seen.insert(blob.id())));
            }
            Flaw::ReadsOnePage => shown.iter_mut().skip(100).for_each(|blob| *blob = None),
            Flaw::SharesBlobsAtOnce => {
                for (id, blob) in ids.iter().zip(&mut shown).filter(|(_, blob)| blob.is_none()) {
                    *blob = self.blob_of_others(*id).await?;
                }
            }
            _ => {}
        }
        Ok(shown)
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        match self.flaw {
            Flaw::ListsWithoutAfter => self.store.list(None, limit).await,
            Flaw::ListsWithoutLimit => self.store.list(after, 10_000).await,
            Flaw::ListsWithoutOrder => {
                let mut page = self.store.list(after, limit).await?;
                page.reverse();
                Ok(page)
            }
            Flaw::ListsByLocale => {
                let word = |id: &CanvasId| (id.as_str().to_lowercase(), id.as_str().to_owned());
                let mut all = self.store.list(None, 10_000).await?;
                all.retain(|id| after.is_none_or(|after| word(id) > word(after)));
                all.sort_by_key(word);
                all.truncate(limit);
                Ok(all)
            }
            Flaw::HidesTombstones => {
                let mut living = Vec::new();
                for id in self.store.list(after, limit).await? {
                    if self.look(&id).await?.is_some_and(|loaded| !loaded.head.is_deleted()) {
                        living.push(id);
                    }
                }
                Ok(living)
            }
            _ => self.store.list(after, limit).await,
        }
    }

    async fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        let put = || self.shared().put.get(canvas).cloned().unwrap_or_default();
        match self.flaw {
            Flaw::DropsNothing => Ok(Collected::Done { blobs: 0, bytes: 0 }),
            Flaw::DropsEverything => self.store.collect(canvas, &BTreeSet::new(), older_than, at).await,
            Flaw::DropsTheFirstOfMany => {
                let old: Vec<_> = put().difference(keep).copied().collect();
                let keep = keep.iter().chain(old.iter().skip(100)).copied().collect();
                self.store.collect(canvas, &keep, older_than, at).await
            }
            Flaw::DropsForAllCanvases => {
                let canvases: Vec<_> = self.shared().put.keys().cloned().collect();
                for other in canvases.iter().filter(|other| *other != canvas) {
                    if let Some(row) = self.look(other).await? {
                        self.store.collect(other, keep, older_than, &row.version).await?;
                    }
                }
                self.store.collect(canvas, keep, older_than, at).await
            }
            Flaw::DropsWhatTheHeadNeeds => {
                let hidden: Vec<_> = put().difference(keep).map(|id| (canvas.clone(), *id)).collect();
                self.shared().hidden.extend(hidden);
                self.store.collect(canvas, keep, older_than, at).await
            }
            Flaw::DropsWholeCommits | Flaw::LosesTheRest | Flaw::CountsEachPut => {
                let collected = self.store.collect(canvas, keep, older_than, at).await?;
                self.after_collection(canvas, collected).await
            }
            Flaw::DropsTheYoung => self.store.collect(canvas, keep, Duration::ZERO, at).await,
            Flaw::DropsAtAnyVersion => {
                let version = self.look(canvas).await?.map_or_else(|| at.clone(), |row| row.version);
                self.store.collect(canvas, keep, older_than, &version).await
            }
            Flaw::RacesCollections => self.collect_raced(canvas, keep, older_than, at).await,
            _ => self.store.collect(&self.key(canvas), keep, older_than, at).await,
        }
    }
}
