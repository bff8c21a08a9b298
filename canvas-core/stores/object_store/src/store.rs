//! The contract, call by call.

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

/// Blobs of one commit that are on their way at a time.
const PUTS: usize = 8;

/// Blobs that are read at a time.
const GETS: usize = 16;

/// How often a blob is looked for that was dropped between a list and a read.
const LOOKS: usize = 4;

/// Keeps canvases in an object store. A copy shares its client.
///
/// See the [module](super) for what it promises and needs.
#[derive(Clone)]
pub struct ObjectCanvasStore {
    objects: Arc<dyn ObjectStore>,
    keys: Keys,
    tag: Tag,
    clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
}

impl ObjectCanvasStore {
    /// A store under a prefix of a bucket; [`Path::ROOT`] for all of it. Nothing else may write there. It puts, reads
    /// and deletes an object of its own, to see that the server keeps to conditions: six requests.
    ///
    /// Leases end by `clock`. Servers that share the canvases should have clocks that agree.
    ///
    /// # Errors
    ///
    /// `STORE_UNFIT` where two servers could overwrite each other, states of objects cannot be distinguished, or the prefix
    /// is too long; errors of the server and of the network, after which it may be opened again.
    pub async fn open(
        objects: Arc<dyn ObjectStore>,
        prefix: Path,
        clock: impl Fn() -> Timestamp + Send + Sync + 'static,
    ) -> Result<Self, StoreError> {
        let bytes = prefix.as_ref().len();
        let failed = |CallError(error): CallError| error.at(Operation::Open, None);
        let keys = Keys::new(prefix).ok_or_else(|| failed(prefix_too_long(bytes)))?;
        let tag = probe(&objects, &keys).await.map_err(failed)?;
        Ok(Self { objects, keys, tag, clock: Arc::new(clock) })
    }

    /// The prefix.
    pub fn prefix(&self) -> &Path {
        self.keys.prefix()
    }

    /// The client, for a host that looks after the bucket.
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
            // A version of another store.
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
                // Without it nobody can go on from here. A load may tell it.
                let tag = self.tag.of_put(put).ok_or_else(|| untagged().in_doubt())?;
                Ok(Committed::Done { version: RowVersion { number, tag }.version(), clock: (self.clock)() })
            }
            Err(error) if is_conflict(&error, expected.as_ref()) => {
                self.lost(canvas, expected.as_ref(), error).await
            }
            Err(error) => Err(match &error {
                // The client knows these by itself, before it sends anything.
                Error::NotSupported { .. } | Error::NotImplemented { .. } | Error::InvalidPath { .. } => {
                    error.into()
                }
                // It may have tried before, and this is the answer to the last try only.
                _ => CallError::from(error).in_doubt(),
            }),
        }
    }

    /// Under the number of the row that is to be: nobody else ever puts or drops these objects but who commits to the same
    /// number, so a blob that is put again heals what was damaged, is new, and is no collection's.
    async fn put_blobs(&self, canvas: &CanvasId, blobs: &[Blob], number: u64) -> Result<(), CallError> {
        // By their places: a closure that takes references makes a future that the compiler cannot call `Send`.
        let puts = stream::iter(0..blobs.len()).map(|i| async move {
            let blob = &blobs[i];
            let payload = PutPayload::from(blob.as_bytes().to_vec());
            self.objects.put(&self.keys.put(canvas, blob.id(), number), payload).await
        });
        Ok(puts.buffer_unordered(PUTS).try_for_each(|_| async { Ok(()) }).await?)
    }

    /// The last put of a blob.
    async fn get_blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, CallError> {
        for _ in 0..LOOKS {
            let puts = self.keys.puts(canvas, id);
            let puts: Vec<Path> =
                self.objects.list(Some(&puts)).map_ok(|object| object.location).try_collect().await?;
            let is_put = !puts.is_empty();
            let last = puts.into_iter().max_by(|a, b| a.as_ref().cmp(b.as_ref()));
            let key = last.unwrap_or_else(|| self.keys.unnumbered(canvas, id));
            match self.objects.get(&key).await {
                // It was dropped since it was listed, perhaps because it was put again.
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

    /// The version is compared first.
    async fn late(&self, canvas: &CanvasId, expected: Option<&Version>) -> Result<Committed, CallError> {
        let row = self.row(canvas).await?;
        Ok(if row.as_ref().map(|row| &row.version) == expected {
            Committed::Late { clock: (self.clock)() }
        } else {
            Committed::Conflict(row)
        })
    }

    /// The condition did not hold: what is there now? It may be this very commit, where the client has sent it twice.
    async fn lost(
        &self,
        canvas: &CanvasId,
        expected: Option<&Version>,
        error: Error,
    ) -> Result<Committed, CallError> {
        let row = self.row(canvas).await.map_err(CallError::after_a_put)?;
        if row.as_ref().map(|row| &row.version) == expected {
            // The server had another put of this row in hand. It may be this one, sent before.
            return Err(CallError::from(error).in_doubt());
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
            // A listing that goes back may have left out what belongs before its end.
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

    /// Drops what nothing needs of what commits up to this row have put. What a later commit puts has a later number, so
    /// it stays, also where it is a blob that goes here.
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
        // All that is listed here is older than that.
        let newest = match older_than {
            Duration::ZERO => None,
            older_than => Some(self.server_time().await?.saturating_sub(millis(older_than))),
        };
        let (mut keys, mut blobs, mut bytes) = (Vec::new(), 0, 0);
        for (hash, puts) in puts {
            let (mut puts, later): (Vec<_>, Vec<_>) = puts.into_iter().partition(|put| put.number <= number);
            puts.sort_unstable_by_key(|put| put.number);
            let Some(last) = puts.pop() else { continue };
            // Of puts of the same blob the last one counts. A reader that has found another looks again.
            keys.extend(puts.into_iter().map(|put| put.key));
            let is_old = newest.is_none_or(|newest| last.at.saturating_add(GRAIN) <= newest);
            if is_old && !needed.contains(&hash) {
                keys.push(last.key);
                blobs += u64::from(later.is_empty());
                bytes += if later.is_empty() { last.bytes } else { 0 };
            }
        }
        // A backup that was put back has numbers of before.
        if self.row(canvas).await?.is_none_or(|row| row.version != *at) {
            return Ok(Collected::Conflict);
        }
        let keys: Vec<_> = keys.into_iter().map(Ok).collect();
        let mut deleted = self.objects.delete_stream(stream::iter(keys).boxed());
        while let Some(deleted) = deleted.next().await {
            match deleted {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(CallError::from(error).in_doubt()),
            }
        }
        Ok(Collected::Done { blobs, bytes })
    }

    /// All puts of a canvas's blobs, by their hashes.
    async fn puts(&self, canvas: &CanvasId) -> Result<BTreeMap<[u8; 32], Vec<Listed>>, CallError> {
        let folder = self.keys.blobs(canvas);
        let mut listed = self.objects.list(Some(&folder));
        let mut puts: BTreeMap<_, Vec<_>> = BTreeMap::new();
        while let Some(object) = listed.try_next().await? {
            // What is none of ours is left alone.
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

    /// The server's clock, by which it says when objects were put.
    async fn server_time(&self) -> Result<i64, CallError> {
        let key = self.keys.clock();
        self.objects.put(&key, PutPayload::from_static(b"0")).await?;
        Ok(self.objects.head(&key).await?.last_modified.timestamp_millis())
    }
}

/// A put of a blob, as a list shows it.
struct Listed {
    number: u64,
    /// By the server's clock, in milliseconds.
    at: i64,
    bytes: u64,
    key: Path,
}

/// Servers give times in whole seconds.
const GRAIN: i64 = 1_000;

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// Whether a put was refused for what the row is. A server may say that there is nothing to be replaced; for a row that
/// is to be made the same words mean that the bucket is missing.
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
        self.row(canvas).await.map_err(|CallError(error)| error.at(Operation::Load, Some(canvas)))
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let failed = |CallError(error): CallError| error.at(Operation::Commit, Some(commit.head.canvas()));
        self.swap(&commit).await.map_err(failed)
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        let found = self.get_blob(canvas, id).await;
        found.map_err(|CallError(error)| error.at(Operation::Blob, Some(canvas)))
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let found = self.get_blobs(canvas, ids).await;
        found.map_err(|CallError(error)| error.at(Operation::Blob, Some(canvas)))
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        self.listed(after, limit).await.map_err(|CallError(error)| error.at(Operation::List, None))
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
            .map_err(|CallError(error)| error.at(Operation::Collect, Some(canvas)))
    }
}
