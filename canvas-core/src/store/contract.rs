//! The contract of stores, in which every write is a compare-and-swap that reports if it happened.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use canvas_lease::Timestamp;
use serde::Serialize;

use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::store::error::StoreError;

/// Names one state of a canvas's row in its store. It is opaque, for example an ETag, a counter or a generation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
pub struct Version(Arc<str>);

impl Version {
    /// Creates a version from the store's own text.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Returns the text of the version.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A head as loaded from a store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Loaded {
    /// The head in the row at the time of the load or conflict.
    pub head: Arc<Head>,
    /// The version of this state of the row, which a later commit expects.
    pub version: Version,
    /// The store's clock, read **after** the row.
    pub clock: Timestamp,
    /// The document, if the store can cheaply send it along with a conflict, because the losing call needs it next. If
    /// the store does not send it, the engine fetches it.
    pub document: Option<Blob>,
}

/// The input of a commit, which is one atomic step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Commit {
    /// The version that the row must have; `None` if the row must not exist.
    pub expected: Option<Version>,
    /// The head that replaces the one in the row.
    pub head: Arc<Head>,
    /// Blobs that the head needs and that the store may lack. Writers put blobs again rather than rely on old ones
    /// still being kept. Chunks of the document that the previous head also has are an exception, because that head
    /// needs them, so [`Store::collect`] does not drop them. A store keeps each blob under the hash of its bytes and is
    /// not aware of chunks.
    pub blobs: Vec<Blob>,
    /// The commit must not happen at or past this instant of the store's clock. A store that cannot check it says so in
    /// its [`Capabilities`] and relies on the version alone, which is safe.
    pub not_after: Option<Timestamp>,
}

/// The outcome of a commit, if the store itself did not fail.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Committed {
    /// The head and its blobs are stored.
    Done {
        /// The row's new version, never used before.
        version: Version,
        /// The store's clock at the commit.
        clock: Timestamp,
    },
    /// The row has another version, so the commit was not written. `None` if the row does not exist.
    Conflict(Option<Loaded>),
    /// The store's clock already reached `not_after`, so the commit was not written.
    Late {
        /// The store's clock at the attempt.
        clock: Timestamp,
    },
}

/// The outcome of a collection, if the store itself did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collected {
    /// Unreferenced blobs were dropped.
    Done {
        /// Number of dropped blobs.
        blobs: u64,
        /// Total bytes of the dropped blobs.
        bytes: u64,
    },
    /// The row does not exist, or changed after the host computed the blobs to keep. The store did not drop a blob.
    Conflict,
}

/// Optional guarantees of a store beyond the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// Whether it respects [`Commit::not_after`].
    pub not_after: bool,
    /// Whether the store notifies the engine ([`Engine::forget`](crate::Engine::forget)) of every commit whose answer
    /// this engine does not receive, whether another engine sent the commit or this one. The notification must come
    /// before anybody receives the answer. If so, reads need not load the head.
    pub notify: bool,
}

/// Storage for heads and blobs. A store only compares and swaps, and makes no other decision.
///
/// Any back end with a conditional write can serve as a store, for example a table with a version column, an object
/// store that honours `If-Match`, or a key-value store with compare-and-swap. If your back end blocks its caller,
/// implement [`BlockingStore`](crate::store::BlockingStore) and wrap it in [`Blocking`](crate::store::Blocking). Hosts
/// that want no generics put any store into a [`BoxStore`](crate::store::BoxStore). The suite in the package
/// `canvas-store-testing` tests whether a store fulfils this contract.
///
/// # What it keeps
///
/// * One **row** for each canvas, with the head ([`Head::to_json`], [`Head::from_json`]) and a version. A canvas id is
///   any text of 1 to 512 bytes, including NUL. Ids are compared and ordered byte by byte and never case-folded.
/// * The **blobs** of each canvas by their hash. A blob of one canvas is never visible to another.
///
/// A head usually has a few KiB. With the default [`Policy`](crate::Policy) and worst-case conversation names it has at
/// most about 1 MiB. A blob can be as large as [`DocumentLimits::bytes`](crate::policy::DocumentLimits::bytes) allows.
/// If a value is too large for the back end, the store returns [`StoreErrorKind::TooLarge`] and never truncates it.
///
/// # What it promises
///
/// * **Atomic.** [`Store::commit`] stores either both head and blobs or neither of them, in one step judged on the row
///   at that moment. If it waits for the row, it judges after the wait. A reader never sees a head without its blobs.
/// * **Versions** are never used for two states of a row. An A-B-A change is therefore visible, and a recreated canvas
///   has no version of its first life. This also holds after a backup is restored, when a counter starts again at an
///   earlier number. A counter therefore needs a random part, or a hash of the row. Even a commit of the identical head
///   takes a new version, because an engine uses such an empty bump to ensure that an indeterminate commit can never
///   land.
/// * **Tombstones.** A row is never removed. The head of a deleted canvas is a head like any other
///   ([`Head::is_deleted`]), and the canvas is still listed. If the canvas is recreated, its numbers continue.
/// * **Conflicts** carry the current row, not an earlier snapshot of it.
/// * **Clock.** Each answer carries the store's clock, read after the row and, in a commit, after the wait for the row.
///   A single clock for all servers is best. If each server has its own, leases may end early, but there is no other
///   harm.
/// * **`not_after`**, if [`Capabilities::not_after`] is set. A commit at or past that instant is not written, and the
///   store returns [`Committed::Late`]. The version is compared first.
/// * **Visible to all.** After a commit returns, every later `load`, `blob` and `blobs` on every server sees its
///   result. Lagging replicas are not allowed.
/// * **Honest errors.** [`StoreErrorKind::Indeterminate`] means that the write may be stored. Every other kind
///   guarantees that it is not stored and never will be. A serialization failure, a deadlock, and a busy or full
///   database are definite; a connection lost during a commit is not. If a head cannot be parsed, the error is
///   [`StoreErrorKind::Unreadable`]. An error names the operation and the canvas ([`StoreError::with_context`]).
/// * **No retries.** A store never retries a commit by itself. The engine does so, and settles indeterminate commits.
///
/// # Blobs
///
/// A blob is immutable, and its name is the blake3 hash of its bytes, so a name is never reused for other bytes. Every
/// blob that a canvas needs is reachable from its head, so blobs need not be listed. The layout of blobs is therefore
/// the back end's own choice. It can keep them one by one, or later many in a pack, without changing the layout of
/// heads or journals.
///
/// A commit brings every blob that its head needs and that may be missing. A blob that already exists is put again,
/// which resets its age. [`Store::collect`] drops blobs only if they are both unreferenced and old. It always keeps the
/// blobs of the current head, whatever the host passes. If a commit loses to another writer, its blobs may remain, and
/// do no harm.
///
/// If a collection races with a commit that puts the same blob again, the blob must exist afterwards. A store with
/// transactions makes one wait for the other. A store without them gives a blob a new place when it is put again, so
/// that a collection that began earlier does not drop it.
///
/// [`StoreErrorKind::Indeterminate`]: crate::store::StoreErrorKind::Indeterminate
/// [`StoreErrorKind::TooLarge`]: crate::store::StoreErrorKind::TooLarge
/// [`StoreErrorKind::Unreadable`]: crate::store::StoreErrorKind::Unreadable
pub trait Store: Send + Sync + 'static {
    /// Returns the optional guarantees that this store gives.
    fn capabilities(&self) -> Capabilities;

    /// Loads the row of a canvas. Returns `None` if the canvas never had one.
    ///
    /// # Errors
    ///
    /// See "Honest errors" above, also for the other methods.
    fn load(&self, canvas: &CanvasId) -> impl Future<Output = Result<Option<Loaded>, StoreError>> + Send;

    /// Compares the version, and stores the head and the blobs if it matches.
    fn commit(&self, commit: Commit) -> impl Future<Output = Result<Committed, StoreError>> + Send;

    /// Loads a blob of a canvas. Returns `None` if the store does not have it.
    fn blob(
        &self,
        canvas: &CanvasId,
        id: BlobId,
    ) -> impl Future<Output = Result<Option<Blob>, StoreError>> + Send;

    /// Loads blobs of a canvas. Returns one answer for each id, in the order of the ids, which is `None` if the blob is
    /// missing. The list of ids may be empty, may hold thousands, and may contain duplicates. Blobs dropped during the
    /// call may or may not be returned.
    ///
    /// A back end should answer in one round trip, or in a few if there are thousands of ids. The default
    /// implementation calls [`Store::blob`] for one id after the other.
    fn blobs(
        &self,
        canvas: &CanvasId,
        ids: &[BlobId],
    ) -> impl Future<Output = Result<Vec<Option<Blob>>, StoreError>> + Send {
        async move {
            let mut blobs = Vec::with_capacity(ids.len());
            for id in ids {
                blobs.push(self.blob(canvas, *id).await?);
            }
            Ok(blobs)
        }
    }

    /// Lists canvases after `after` in byte order of their ids, including tombstones. Returns at most `limit`, which
    /// may be `usize::MAX`.
    fn list(
        &self,
        after: Option<&CanvasId>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<CanvasId>, StoreError>> + Send;

    /// Drops unneeded blobs of the canvas in one atomic step. A blob is dropped if it is not in `keep`, is not named by
    /// the head ([`Head::blobs`]), and was last put at least `older_than` ago by the store's own clock; the host's
    /// clock does not count. `keep` was computed from the row at the version `at`. If the row has another version, no
    /// blob is dropped.
    ///
    /// With `older_than` zero, the store drops blobs regardless of their age. Use this for data that must be erased.
    /// The store then overwrites every blob that it ever dropped, as far as it can, before it returns
    /// [`Collected::Done`]. If it cannot do so yet, it returns an indeterminate error although the blobs are dropped.
    /// If you repeat the call, the store continues, even if there are no more blobs to drop. The documentation of each
    /// store says what remains after the call succeeds, and how a host removes it. If `older_than` is not zero, it must
    /// be longer than any read or commit may take. Hosts usually call [`Engine::collect`](crate::Engine::collect),
    /// which knows the blobs to keep.
    ///
    /// The head names a document of more than 64 KiB by its list of chunks, and journal entries name further blobs. All
    /// of these chunks and blobs must be in `keep`. Otherwise they are dropped, because a store does not follow such
    /// references. A host that computes `keep` by itself uses [`Engine::blobs_in_use`](crate::Engine::blobs_in_use),
    /// which includes the chunks of every kept list. A commit relies on chunks needed at the version that it expects,
    /// and brings all others. For this reason, a store must not drop blobs if the row no longer has the version `at`.
    ///
    /// Linear in the blobs of the canvas.
    ///
    /// # Errors
    ///
    /// See "Honest errors" above. After an indeterminate error some unneeded blobs may already be dropped.
    fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> impl Future<Output = Result<Collected, StoreError>> + Send;
}
