//! The contract of a store: compare, swap, and say honestly what happened.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use canvas_lease::Timestamp;
use serde::Serialize;

use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::id::CanvasId;
use crate::store::error::StoreError;

/// Names one state of a canvas's row in its store. Opaque: an ETag, a counter, a generation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(with = "String"))]
pub struct Version(Arc<str>);

impl Version {
    /// A version that a store has made up.
    pub fn new(text: impl Into<Arc<str>>) -> Self {
        Self(text.into())
    }

    /// Its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A head as a store gave it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Loaded {
    /// The head.
    pub head: Arc<Head>,
    /// Names this state of the row: a later commit expects it.
    pub version: Version,
    /// The store's clock, read **after** the row.
    pub clock: Timestamp,
    /// The document, where the store can send it along with a conflict for little: whoever lost needs it next. The
    /// engine fetches it where it is not sent.
    pub document: Option<Blob>,
}

/// What a commit asks for, in one atomic step.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Commit {
    /// The version that the row must have; `None` where there must be no row.
    pub expected: Option<Version>,
    /// The head to put there.
    pub head: Arc<Head>,
    /// Blobs that the head needs and that the store may not have yet. Writers put theirs again rather than trust
    /// that an old one was kept, but for chunks of the document that the head before has: that head needs them, so
    /// [`Store::collect`] leaves them. A store keeps each blob under the hash of its bytes and knows nothing of chunks.
    pub blobs: Vec<Blob>,
    /// Do not commit at or past this instant of the store's clock. A store that cannot judge it says so in its
    /// [`Capabilities`] and relies on the version alone, which is safe.
    pub not_after: Option<Timestamp>,
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Committed {
    /// Head and blobs are stored.
    Done {
        /// The row's new version, never used before.
        version: Version,
        /// The store's clock at the commit.
        clock: Timestamp,
    },
    /// The row has another version, and nothing was written. `None` where there is no row.
    Conflict(Option<Loaded>),
    /// The store's clock has reached `not_after`, and nothing was written.
    Late {
        /// The store's clock.
        clock: Timestamp,
    },
}

/// What became of a collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Collected {
    /// What could go is gone.
    Done {
        /// How many blobs went.
        blobs: u64,
        /// Their bytes.
        bytes: u64,
    },
    /// The row has another version than that from which the host found out what is kept, or there is no row. Nothing
    /// was dropped.
    Conflict,
}

/// What a store can do beyond the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Capabilities {
    /// It keeps to [`Commit::not_after`].
    pub not_after: bool,
    /// It notifies the engine ([`Engine::forget`](crate::Engine::forget)) of every commit whose answer this engine does not
    /// get, that of another or its own, before anybody has the answer. So reads need not load the head.
    pub notify: bool,
}

/// Keeps heads and blobs. It compares and swaps and decides nothing else.
///
/// Any back end with a conditional write serves: a table with a version column, an object store that honours
/// `If-Match`, a key-value store with compare-and-swap. A back end that makes its caller wait implements
/// [`BlockingStore`](crate::store::BlockingStore) and becomes a `Store` by [`Blocking`](crate::store::Blocking); hosts that want
/// no generics put any store into a [`BoxStore`](crate::store::BoxStore). Whether it keeps what is promised here is tried by
/// the suite of the package `canvas-store-testing`.
///
/// # What it keeps
///
/// * One **row** for each canvas: the head ([`Head::to_json`], [`Head::from_json`]) and a version. A canvas id is any
///   text of 1 to 512 bytes, NUL included; ids are compared and ordered byte by byte and never folded.
/// * The **blobs** of each canvas by their hash. A blob of one canvas is never shown to another.
///
/// Sizes: a head has mostly some KiB, and about 1 MiB at most with the default [`Policy`](crate::Policy), with the worst
/// names for its conversations; a blob as much as [`Policy::document_bytes`](crate::Policy::document_bytes) allows. What
/// is too large for the back end is a [`StoreErrorKind::TooLarge`], never cut.
///
/// # What it promises
///
/// * **Atomic.** [`Store::commit`] is one step: head and blobs, all or nothing, judged on the row as it is at that
///   moment. Where it waits for the row, it judges after the wait. A reader never sees a head without its blobs.
/// * **Versions** are never used for two states of a row, so that A, B, A is seen, and a canvas that is deleted and made
///   again has none of its first life; not after a backup was put back either, by which a counter begins again at an earlier
///   number. So a counter has a random part beside it, or a hash of the row. Also a commit of the very head that is there
///   takes a new version: by such an empty bump an engine makes sure that a commit of unknown fate can never land.
/// * **Tombstones.** A row is never removed. A deleted canvas is a head like any other
///   ([`Head::is_deleted`]), listed like any other; its numbers go on when the canvas is made again.
/// * **Conflicts** carry the row as it is, not as some snapshot of an earlier moment had it.
/// * **Clock.** Each answer carries the store's clock, read after the row and, in a commit, after the wait for it. One
///   clock for all servers is best; where each server has its own, leases may end early, and nothing else goes wrong.
/// * **`not_after`**, where [`Capabilities::not_after`] says so: a commit at or past that instant writes nothing and
///   answers [`Committed::Late`]. The version is compared first.
/// * **Seen by all.** What a commit has answered is in every later `load`, `blob` and `blobs`, on every server: no replica that
///   lags behind.
/// * **Honest errors.** [`StoreErrorKind::Indeterminate`] says that nobody knows whether it was written; every other
///   kind says that nothing was and nothing will be. A serialization failure, a deadlock, a busy or full database are
///   definite; a connection lost during a commit is not. Bytes that are no head are [`StoreErrorKind::Unreadable`]. An
///   error names the operation and the canvas ([`StoreError::at`]).
/// * **No retries.** A store never tries a commit again by itself: the engine does, and settles what is in doubt.
///
/// # Blobs
///
/// A blob is immutable, and its name is the blake3 hash of its bytes: a name is never used again for other bytes. Every
/// blob that a canvas needs is found from its head, and nothing is found by listing. So how blobs lie in a back end is the
/// store's own affair: one by one, or many in a pack later, without another layout of heads or journals.
///
/// A commit brings every blob that its head needs and that may not be there yet; a blob that is there already is put
/// again, which makes it young. [`Store::collect`] drops blobs that are unreferenced *and* old; what the current head
/// needs stays whatever the host says. Blobs of a commit that lost may stay and do no harm.
///
/// A collection and a commit that puts the same blob again may come together, and the blob is there afterwards: a store
/// with transactions makes one wait for the other, and one without them gives a blob that is put again a place of its own,
/// which no collection that began before knows.
///
/// [`StoreErrorKind::Indeterminate`]: crate::store::StoreErrorKind::Indeterminate
/// [`StoreErrorKind::TooLarge`]: crate::store::StoreErrorKind::TooLarge
/// [`StoreErrorKind::Unreadable`]: crate::store::StoreErrorKind::Unreadable
pub trait Store: Send + Sync + 'static {
    /// What it can do beyond the contract.
    fn capabilities(&self) -> Capabilities;

    /// The row of a canvas; `None` where it never had one.
    ///
    /// # Errors
    ///
    /// See "Honest errors" above; so for the other methods.
    fn load(&self, canvas: &CanvasId) -> impl Future<Output = Result<Option<Loaded>, StoreError>> + Send;

    /// Compares the version and swaps head and blobs.
    fn commit(&self, commit: Commit) -> impl Future<Output = Result<Committed, StoreError>> + Send;

    /// A blob of a canvas; `None` where it is not there.
    fn blob(
        &self,
        canvas: &CanvasId,
        id: BlobId,
    ) -> impl Future<Output = Result<Option<Blob>, StoreError>> + Send;

    /// Blobs of a canvas, one answer for each id and in the order of the ids: `None` where one is not there. Ids may be
    /// none, may be thousands, and may come twice. Blobs that are dropped meanwhile may be there or not.
    ///
    /// A back end should answer in one round trip, or in few where there are thousands; this body makes one
    /// [`Store::blob`] after the other.
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

    /// Canvases after `after` in the order of their ids, byte by byte, at most `limit`, which may be `usize::MAX`;
    /// tombstones too.
    fn list(
        &self,
        after: Option<&CanvasId>,
        limit: usize,
    ) -> impl Future<Output = Result<Vec<CanvasId>, StoreError>> + Send;

    /// Drops, in one atomic step, every blob of the canvas that is not in `keep`, that the head does not name
    /// ([`Head::blobs`]), and that was put last at least `older_than` ago by the store's own clock: the host's has no say
    /// in it. `keep` was found from the row at the version `at`; where the row has another one, nothing is dropped.
    ///
    /// Zero for `older_than` drops blobs whatever their age, and is for what must be gone: the store then overwrites
    /// what it dropped, now or earlier, as far as it can, before it answers [`Collected::Done`]. If it cannot do so yet, it
    /// answers an indeterminate error, although the blobs are gone, and the same call again goes on, also where there is
    /// nothing left to drop. Its own docs say what remains after an answer, and how a host removes that. Else nobody may pass less than any reader or commit may
    /// take. Hosts mostly ask [`Engine::collect`](crate::Engine::collect), which knows what to keep.
    ///
    /// The head names a document of more than 64 KiB by the list of its chunks, and entries of the journal name others: these
    /// are in `keep` or they go. A store does not look for them, and a host that finds out by itself what is needed asks
    /// [`Engine::blobs_in_use`](crate::Engine::blobs_in_use), which has the chunks of every list that is kept. A commit relies
    /// on chunks that were needed at the version that it expects, and brings all others; so nothing may go by a `keep` of
    /// another version than `at`.
    ///
    /// Linear in the blobs of the canvas.
    ///
    /// # Errors
    ///
    /// See "Honest errors" above. After an indeterminate one some blobs may be gone that could go.
    fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> impl Future<Output = Result<Collected, StoreError>> + Send;
}
