//! A store in memory: the reference implementation of the contract, and the store for tests.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use canvas_lease::Timestamp;

use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::store::contract::{Capabilities, Collected, Commit, Committed, Loaded, Store, Version};
use crate::store::error::StoreError;

/// An in-memory store, which keeps canvases only as long as it lives. Clones share the canvases, like a second
/// connection to a database. The blobs of old revisions stay until the host drops them with [`Store::collect`].
#[derive(Clone)]
pub struct MemoryStore {
    rows: Arc<Mutex<Rows>>,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

#[derive(Default)]
struct Rows {
    by_id: BTreeMap<CanvasId, Row>,
    /// Number of commits to any row. It only grows, even if a backup of the rows is restored.
    commits: u64,
    /// The hash of all committed documents in their order. Different histories therefore get different versions, and
    /// equal histories get equal ones.
    history: Option<BlobId>,
}

/// A blob with the time of its last put.
#[derive(Clone)]
struct Kept {
    blob: Blob,
    put: Timestamp,
}

#[derive(Default, Clone)]
struct Row {
    /// The head and its version; `None` if the row has no commit yet.
    state: Option<(Arc<Head>, Version)>,
    blobs: HashMap<BlobId, Kept>,
}

impl Row {
    fn version(&self) -> Option<&Version> {
        self.state.as_ref().map(|(_, version)| version)
    }
}

impl MemoryStore {
    /// Creates a store that reads the given clock.
    ///
    /// ```
    /// use canvas_core::lease::Timestamp;
    /// use canvas_core::store::MemoryStore;
    /// use canvas_core::{Engine, Policy};
    ///
    /// let store = MemoryStore::new(|| Timestamp::from(std::time::SystemTime::now()));
    /// // Clones share the canvases, so two engines act like two servers.
    /// let servers = [store.clone(), store].map(|store| Engine::new(store, Policy::default()));
    /// ```
    pub fn new(clock: impl Fn() -> Timestamp + Send + Sync + 'static) -> Self {
        Self { rows: Arc::default(), clock: Arc::new(clock) }
    }

    /// Returns the number of blobs of a canvas, and their total bytes.
    pub fn blob_stats(&self, canvas: &CanvasId) -> (usize, usize) {
        let rows = self.rows();
        let blobs = || rows.by_id.get(canvas).into_iter().flat_map(|row| row.blobs.values());
        (blobs().count(), blobs().map(|kept| kept.blob.as_bytes().len()).sum())
    }

    /// Copies all rows. The returned function puts them back for every clone, like a restore from a backup. Costs a
    /// copy of the rows, but not of their blobs.
    pub fn back_up(&self) -> impl FnOnce() + Send + use<> {
        let (store, rows) = (self.clone(), self.rows().by_id.clone());
        move || store.rows().by_id = rows
    }

    fn rows(&self) -> MutexGuard<'_, Rows> {
        // A panic elsewhere cannot leave a row half written, because each row is changed by moves that do not panic.
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn loaded(&self, row: &Row) -> Option<Loaded> {
        let (head, version) = row.state.clone()?;
        Some(Loaded { head, version, clock: (self.clock)(), document: None })
    }
}

impl fmt::Debug for MemoryStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemoryStore({} canvases)", self.rows().by_id.len())
    }
}

impl Store for MemoryStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities { not_after: true, notify: false }
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        Ok(self.rows().by_id.get(canvas).and_then(|row| self.loaded(row)))
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let mut rows = self.rows();
        let Rows { by_id, commits, history } = &mut *rows;
        let row = by_id.entry(commit.head.canvas().clone()).or_default();
        if row.version() != commit.expected.as_ref() {
            let document =
                |loaded: &Loaded| row.blobs.get(&loaded.head.document()).map(|kept| kept.blob.clone());
            let current = self.loaded(row).map(|row| Loaded { document: document(&row), ..row });
            return Ok(Committed::Conflict(current));
        }
        let clock = (self.clock)();
        if commit.not_after.is_some_and(|limit| clock >= limit) {
            return Ok(Committed::Late { clock });
        }
        let put = |blob: Blob| (blob.id(), Kept { blob, put: clock });
        row.blobs.extend(commit.blobs.into_iter().map(put));
        *commits += 1;
        let before = history.map(|id| id.to_string()).unwrap_or_default();
        let digits = BlobId::of(format!("{before}{}", commit.head.document()).as_bytes());
        *history = Some(digits);
        let [a, b, c, d, ..] = *digits.as_bytes();
        let version = Version::new(format!("{commits}-{:08x}", u32::from_be_bytes([a, b, c, d])));
        row.state = Some((commit.head, version.clone()));
        Ok(Committed::Done { version, clock })
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        Ok(self.rows().by_id.get(canvas).and_then(|row| Some(row.blobs.get(&id)?.blob.clone())))
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let rows = self.rows();
        let blobs = rows.by_id.get(canvas).map(|row| &row.blobs);
        Ok(ids.iter().map(|id| Some(blobs?.get(id)?.blob.clone())).collect())
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        let rows = self.rows();
        let stored = rows.by_id.iter().filter(|(_, row)| row.state.is_some()).map(|(id, _)| id);
        Ok(stored.filter(|id| after.is_none_or(|after| *id > after)).take(limit).cloned().collect())
    }

    async fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        let mut rows = self.rows();
        let row = rows.by_id.get_mut(canvas).filter(|row| row.version() == Some(at));
        let Some(row) = row else { return Ok(Collected::Conflict) };
        let clock = (self.clock)();
        let needed: BTreeSet<BlobId> = row.state.iter().flat_map(|(head, _)| head.blobs()).collect();
        let (mut blobs, mut bytes) = (0, 0);
        row.blobs.retain(|id, kept| {
            let is_old = older_than.is_zero() || kept.put.saturating_add(older_than) <= clock;
            let stays = !is_old || keep.contains(id) || needed.contains(id);
            if !stays {
                blobs += 1;
                bytes += kept.blob.as_bytes().len() as u64;
            }
            stays
        });
        Ok(Collected::Done { blobs, bytes })
    }
}
