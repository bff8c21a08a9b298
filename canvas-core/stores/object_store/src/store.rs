//! The contract, call by call.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use canvas_core::lease::Timestamp;
use canvas_core::{
    Blob, BlobId, CanvasId, Capabilities, Commit, Committed, Head, Loaded, Store, StoreError, StoreErrorKind,
    StoreOperation as Operation, Version,
};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use object_store::path::Path;
use object_store::{Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, PutPayload};

use super::error::{CallError, damaged, prefix_too_long, unordered, untagged};
use super::key::Keys;
use super::open::probe;
use super::row::{self, RowVersion, Tag};

/// Blobs of one commit that are on their way at a time.
const PUTS: usize = 8;

/// Blobs that are read at a time.
const GETS: usize = 16;

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
        self.put_blobs(canvas, blobs).await?;
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

    /// Always overwrites, whatever is there: it heals what was damaged and makes the blob new again.
    async fn put_blobs(&self, canvas: &CanvasId, blobs: &[Blob]) -> Result<(), CallError> {
        // By their places: a closure that takes references makes a future that the compiler cannot call `Send`.
        let puts = stream::iter(0..blobs.len()).map(|i| async move {
            let blob = &blobs[i];
            let payload = PutPayload::from(blob.as_bytes().to_vec());
            self.objects.put(&self.keys.blob(canvas, blob.id()), payload).await
        });
        Ok(puts.buffer_unordered(PUTS).try_for_each(|_| async { Ok(()) }).await?)
    }

    async fn get_blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, CallError> {
        match self.objects.get(&self.keys.blob(canvas, id)).await {
            Err(Error::NotFound { .. }) => Ok(None),
            found => Ok(Some(Blob::bytes(found?.bytes().await?.into()))),
        }
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

    async fn drop_blobs(&self, canvas: &CanvasId, blobs: &[BlobId]) -> Result<(), CallError> {
        let row = self.row(canvas).await?;
        let needed: BTreeSet<BlobId> = row.iter().flat_map(|row| row.head.blobs()).collect();
        let named: BTreeSet<BlobId> = blobs.iter().copied().collect();
        let keys: Vec<_> = named.difference(&needed).map(|id| Ok(self.keys.blob(canvas, *id))).collect();
        let mut deleted = self.objects.delete_stream(stream::iter(keys).boxed());
        while let Some(deleted) = deleted.next().await {
            match deleted {
                Ok(_) | Err(Error::NotFound { .. }) => {}
                Err(error) => return Err(CallError::from(error).in_doubt()),
            }
        }
        Ok(())
    }
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

    async fn delete(&self, canvas: &CanvasId, blobs: &[BlobId]) -> Result<(), StoreError> {
        self.drop_blobs(canvas, blobs)
            .await
            .map_err(|CallError(error)| error.at(Operation::Delete, Some(canvas)))
    }
}
