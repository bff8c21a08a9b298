//! The store itself: each call of the contract.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::{
    Capabilities, Collected, Commit, Committed, Head, Loaded, Store, StoreError, StoreErrorKind,
    StoreOperation as Operation, Version,
};
use canvas_core::{Blob, BlobId, CanvasId};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};

use super::error::{CallError, damaged, prefix_too_long, unordered, untagged};
use super::key::{Keys, Put};
use super::open::probe;
use super::row::{self, RowVersion, Tag};

/// Maximum concurrent puts of blobs of one commit.
const PUTS: usize = 8;

/// Maximum concurrent reads of blobs.
const GETS: usize = 16;

/// Maximum attempts to read a blob that was deleted between the list and the read.
const LOOKS: usize = 4;

/// A store that keeps canvases in an object store. Clones share the client.
///
/// The [module](super) describes its guarantees and requirements.
#[derive(Clone)]
pub struct ObjectCanvasStore {
    objects: Arc<dyn ObjectStore>,
    keys: Keys,
    tag: Tag,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl ObjectCanvasStore {
    /// Opens a store under a prefix of a bucket, or in the whole bucket with [`Path::ROOT`]. Do not let anything else
    /// write there. To test whether the server honours conditions, it puts, reads and deletes an object of its own, in
    /// six requests.
    ///
    /// Leases expire by `clock`. Servers that share the canvases should have clocks that agree.
    ///
    /// # Errors
    ///
    /// `STORE_UNFIT` if two servers could overwrite each other, if object states cannot be distinguished, or if the prefix
    /// is too long; errors of the server and of the network, after which you may try again.
    pub async fn open(
        objects: Arc<dyn ObjectStore>,
        prefix: Path,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        let bytes = prefix.as_ref().len();
        let failed = |CallError(error): CallError| error.with_context(Operation::Open, None);
        let keys = Keys::new(prefix).ok_or_else(|| failed(prefix_too_long(bytes)))?;
        let tag = probe(&objects, &keys).await.map_err(failed)?;
        Ok(Self { objects, keys, tag, clock: Arc::new(clock) })
    }

    /// Returns the prefix of all keys.
    pub fn prefix(&self) -> &Path {
        self.keys.prefix()
    }

    /// Returns the client, so that a host can maintain the bucket.
    pub fn objects(&self) -> &Arc<dyn ObjectStore> {
        &self.objects
    }

    async fn row(&self, canvas: &CanvasId) -> Result<Option<Loaded>, CallError> {
        let found = match self.objects.get(&self.keys.head(canvas)).await {
            Err(Error::NotFound { .. }) => return Ok(None),
            found => found?,
        };
        let tag = self.tag.of_meta(found.meta.clone()).ok_or_else(untagged)?;
        let object = found.bytes().await?;
        let (number, head) = row::decode(&object)
            .map_err(|kind| if kind == StoreErrorKind::Damaged { damaged() } else { kind.into() })?;
        let head = Arc::new(Head::from_json(canvas, head)?);
        let version = RowVersion { number, tag }.version();
        Ok(Some(Loaded { head, version, clock: (self.clock)(), document: None }))
    }

    async fn swap(&self, commit: &Commit) -> Result<Committed, CallError> {
        let Commit { expected, head, blobs, not_after } = commit;
        let canvas = head.canvas();
        let expected_version = match expected.as_ref().map(RowVersion::of) {
            // The version belongs to another store.
            Some(None) => return self.row(canvas).await.map(Committed::Conflict),
            Some(Some(version)) => Some(version),
            None => None,
        };
        let number = match &expected_version {
            Some(version) => version.number.checked_add(1).ok_or_else(damaged)?,
            None => 1,
        };
        self.put_blobs(canvas, blobs, number).await?;
        let object = row::encode(number, &head.to_json());
        if not_after.is_some_and(|limit| (self.clock)() >= limit) {
            return self.late(canvas, expected.as_ref()).await;
        }
        let mode = match expected_version {
            Some(version) => PutMode::Update(self.tag.condition(version.tag)),
            None => PutMode::Create,
        };
        match self.objects.put_opts(&self.keys.head(canvas), object.into(), PutOptions::from(mode)).await {
            Ok(put) => {
                // The next commit needs the tag, and a load may return it.
                let tag = self.tag.of_put(put).ok_or_else(|| untagged().into_indeterminate())?;
                Ok(Committed::Done { version: RowVersion { number, tag }.version(), clock: (self.clock)() })
            }
            Err(error) if is_conflict(&error, expected.as_ref()) => {
                self.lost(canvas, expected.as_ref(), error).await
            }
            Err(error) => Err(match &error {
                // The client detects these errors by itself, before it sends anything.
                Error::NotSupported { .. } | Error::NotImplemented { .. } | Error::InvalidPath { .. } => {
                    error.into()
                }
                // The client may have tried before, and this is the result of only its last attempt.
                _ => CallError::from(error).into_indeterminate(),
            }),
        }
    }

    /// Puts blobs under the number of the row that the commit creates. Only commits that create a row with this number
    /// put these objects, and no collection of an earlier row deletes them. Putting a blob again therefore heals it,
    /// renews its age, and protects it from every earlier collection.
    async fn put_blobs(&self, canvas: &CanvasId, blobs: &[Blob], number: u64) -> Result<(), CallError> {
        // Iterates by index, because with a closure that takes references the compiler cannot prove that the future is
        // `Send`.
        let puts = stream::iter(0..blobs.len()).map(|i| async move {
            let blob = &blobs[i];
            let payload = PutPayload::from(blob.as_bytes().to_vec());
            self.objects.put(&self.keys.put(canvas, blob.id(), number), payload).await
        });
        Ok(puts.buffer_unordered(PUTS).try_for_each(|_| async { Ok(()) }).await?)
    }

    /// Reads the last put of a blob.
    async fn get_blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, CallError> {
        for _ in 0..LOOKS {
            let puts = self.keys.puts(canvas, id);
            let puts: Vec<Path> =
                self.objects.list(Some(&puts)).map_ok(|object| object.location).try_collect().await?;
            let is_put = !puts.is_empty();
            let last = puts.into_iter().max_by(|a, b| a.as_ref().cmp(b.as_ref()));
            let key = last.unwrap_or_else(|| self.keys.unnumbered(canvas, id));
            match self.objects.get(&key).await {
                // The object was deleted after the list, perhaps because the blob was put again.
                Err(Error::NotFound { .. }) if is_put => {}
                Err(Error::NotFound { .. }) => return Ok(None),
                found => return Ok(Some(Blob::bytes(found?.bytes().await?.into()))),
            }
        }
        Ok(None)
    }

    async fn get_blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, CallError> {
        let named: BTreeSet<BlobId> = ids.iter().copied().collect();
        let gets = stream::iter(named)
            .map(|id| async move { self.get_blob(canvas, id).await.map(|blob| (id, blob)) });
        let found: BTreeMap<_, _> = gets.buffer_unordered(GETS).try_collect().await?;
        Ok(ids.iter().map(|id| found.get(id).cloned().flatten()).collect())
    }

    /// Returns a conflict if the version differs, and `Late` otherwise.
    async fn late(&self, canvas: &CanvasId, expected: Option<&Version>) -> Result<Committed, CallError> {
        let row = self.row(canvas).await?;
        Ok(if row.as_ref().map(|row| &row.version) == expected {
            Committed::Late { clock: (self.clock)() }
        } else {
            Committed::Conflict(row)
        })
    }

    /// Reads the current row after a failed condition. The row may be from this very commit, if the client sent it twice.
    async fn lost(
        &self,
        canvas: &CanvasId,
        expected: Option<&Version>,
        error: Error,
    ) -> Result<Committed, CallError> {
        let row = self.row(canvas).await.map_err(CallError::after_a_put)?;
        if row.as_ref().map(|row| &row.version) == expected {
            // Another put of this row is in progress at the server. It may be an earlier attempt of this one.
            return Err(CallError::from(error).into_indeterminate());
        }
        Ok(Committed::Conflict(row))
    }

    async fn listed(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, CallError> {
        let mut canvases: Vec<CanvasId> = Vec::new();
        if limit == 0 {
            return Ok(canvases);
        }
        let mut heads = match after {
            Some(after) => self.objects.list_with_offset(Some(self.keys.heads()), &self.keys.head(after)),
            None => self.objects.list(Some(self.keys.heads())),
        };
        while let Some(head) = heads.try_next().await? {
            let canvas = self.keys.canvas(&head.location).ok_or_else(damaged)?;
            // If a listing goes back, it may have omitted keys.
            if canvases.last().or(after).is_some_and(|last| *last >= canvas) {
                return Err(unordered());
            }
            canvases.push(canvas);
            if canvases.len() == limit {
                break;
            }
        }
        Ok(canvases)
    }

    /// Deletes unneeded blobs among the puts of commits up to this row. A later commit puts under a later number, so its
    /// puts stay, even for the same blob.
    async fn collect_old(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, CallError> {
        let Some(row) = self.row(canvas).await?.filter(|row| row.version == *at) else {
            return Ok(Collected::Conflict);
        };
        let Some(RowVersion { number, .. }) = RowVersion::of(at) else { return Ok(Collected::Conflict) };
        let needed: BTreeSet<BlobId> = keep.iter().copied().chain(row.head.blobs()).collect();
        let needed: BTreeSet<[u8; 32]> = needed.iter().map(|id| *id.as_bytes()).collect();
        let puts = self.puts(canvas).await?;
        // The list comes first, so every listed object is older than this time.
        let newest = match older_than {
            Duration::ZERO => None,
            older_than => Some(self.server_time().await?.saturating_sub(millis(older_than))),
        };
        let (mut keys, mut blobs, mut bytes) = (Vec::new(), 0, 0);
        for (hash, puts) in puts {
            let (mut puts, later): (Vec<_>, Vec<_>) = puts.into_iter().partition(|put| put.number <= number);
            puts.sort_unstable_by_key(|put| put.number);
            let Some(last) = puts.pop() else { continue };
            // Only the last put of a blob counts. A reader that has found an earlier one looks again.
            keys.extend(puts.into_iter().map(|put| put.key));
            let is_old = newest.is_none_or(|newest| last.at.saturating_add(GRAIN) <= newest);
            if is_old && !needed.contains(&hash) {
                keys.push(last.key);
                blobs += u64::from(later.is_empty());
                bytes += if later.is_empty() { last.bytes } else { 0 };
            }
        }
        // A restored backup has earlier numbers.
        if self.row(canvas).await?.is_none_or(|row| row.version != *at) {
            return Ok(Collected::Conflict);
        }
        let keys: Vec<_> = keys.into_iter().map(Ok).collect();
        let mut deleted = self.objects.delete_stream(stream::iter(keys).boxed());
        while let Some(deleted) = deleted.next().await {
            match deleted {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(CallError::from(error).into_indeterminate()),
            }
        }
        Ok(Collected::Done { blobs, bytes })
    }

    /// Lists all puts of a canvas's blobs, grouped by hash.
    async fn puts(&self, canvas: &CanvasId) -> Result<BTreeMap<[u8; 32], Vec<Listed>>, CallError> {
        let folder = self.keys.blobs(canvas);
        let mut listed = self.objects.list(Some(&folder));
        let mut puts: BTreeMap<_, Vec<_>> = BTreeMap::new();
        while let Some(object) = listed.try_next().await? {
            // Leave foreign objects alone.
            let Some(Put { hash, number }) = self.keys.read_put(&folder, &object.location) else { continue };
            let at = object.last_modified.timestamp_millis();
            puts.entry(hash).or_default().push(Listed {
                number,
                at,
                bytes: object.size,
                key: object.location,
            });
        }
        Ok(puts)
    }

    /// Reads the server's clock, which sets the time of each put.
    async fn server_time(&self) -> Result<i64, CallError> {
        let key = self.keys.clock();
        self.objects.put(&key, PutPayload::from_static(b"0")).await?;
        Ok(self.objects.head(&key).await?.last_modified.timestamp_millis())
    }
}

/// A put of a blob in a list.
struct Listed {
    number: u64,
    /// By the server's clock, in milliseconds.
    at: i64,
    bytes: u64,
    key: Path,
}

/// Milliseconds by which a time may be too early, because servers report whole seconds.
const GRAIN: i64 = 1_000;

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Whether a put failed because of the row's state. A server may report that the object to replace does not exist. For a
/// new row, the same error means that the bucket is missing.
fn is_conflict(error: &Error, expected: Option<&Version>) -> bool {
    match error {
        Error::AlreadyExists { .. } | Error::Precondition { .. } | Error::NotModified { .. } => true,
        Error::NotFound { .. } => expected.is_some(),
        _ => false,
    }
}

impl fmt::Debug for ObjectCanvasStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectCanvasStore({:?} of {})", self.prefix().as_ref(), self.objects)
    }
}

impl Store for ObjectCanvasStore {
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        self.row(canvas).await.map_err(|CallError(error)| error.with_context(Operation::Load, Some(canvas)))
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let failed =
            |CallError(error): CallError| error.with_context(Operation::Commit, Some(commit.head.canvas()));
        self.swap(&commit).await.map_err(failed)
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        let found = self.get_blob(canvas, id).await;
        found.map_err(|CallError(error)| error.with_context(Operation::Blob, Some(canvas)))
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let found = self.get_blobs(canvas, ids).await;
        found.map_err(|CallError(error)| error.with_context(Operation::Blob, Some(canvas)))
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        self.listed(after, limit).await.map_err(|CallError(error)| error.with_context(Operation::List, None))
    }

    async fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        self.collect_old(canvas, keep, older_than, at)
            .await
            .map_err(|CallError(error)| error.with_context(Operation::Collect, Some(canvas)))
    }
}
