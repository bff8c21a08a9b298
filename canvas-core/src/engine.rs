//! The engine: load, decide, commit, and again until an answer stands.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use canvas_lease::{Cause, Timestamp};

use crate::document::command::{Call, Command};
use crate::document::decide::decide;
use crate::document::outcome::Outcome;
use crate::ground::blob::{Blob, BlobId};
use crate::ground::head::Head;
use crate::ground::id::{CanvasId, OpKey};
use crate::ground::receipt::{Answer, Digest, Recall, Receipt};
use crate::ground::revision::RevisionId;
use crate::ground::store::{BoxStore, Commit, Committed, Fault, Loaded, Store, Version};
use crate::policy::Policy;
use crate::view::{Change, Decision, Missing, View};

/// How often a call is decided again because others were faster.
const ATTEMPTS: usize = 32;

/// Canvases whose heads are kept in memory.
const CACHED: usize = 1024;

/// Runs calls on the canvases of a store.
///
/// A steady writer costs one round trip: the engine decides on the head that it knows and learns from the conflict
/// if it was wrong. What it refuses on a cached head it decides again on a fresh one before it says so. A read loads
/// the head first, unless the store tells of changes.
///
/// Every call brings the host's `now`; expiry is judged by the store's clock, which the engine carries forward by
/// the time that has passed at the host.
#[derive(Debug)]
pub struct Engine<S = BoxStore> {
    store: S,
    policy: Policy,
    cache: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    canvases: HashMap<CanvasId, Known>,
    /// Counts uses, to find what was not used for long.
    uses: u64,
    /// Counts questions to the store, to find what was asked before what.
    questions: u64,
    /// When a canvas was forgotten last: what was asked before may be older than the news.
    forgot: u64,
}

/// A head as it was last seen.
#[derive(Debug, Clone)]
struct Known {
    head: Arc<Head>,
    version: Version,
    document: Blob,
    /// The host's clock when the store's was asked for.
    host_at: Timestamp,
    /// The store's clock in the answer.
    store_at: Timestamp,
    /// When the store was asked, counted in questions.
    asked: u64,
    /// From when on this is at least as new as any load: the question of a load, the answer of a commit.
    settled: u64,
    used: u64,
}

impl Known {
    /// Something learnt from the store: when by both clocks, and between which questions.
    fn new(
        head: Arc<Head>,
        version: Version,
        document: Blob,
        (host_at, store_at): (Timestamp, Timestamp),
        (asked, settled): (u64, u64),
    ) -> Self {
        Self { head, version, document, host_at, store_at, asked, settled, used: 0 }
    }

    /// The store's clock now, as far as can be told. It may run ahead by one round trip, never behind.
    fn clock(&self, now: Timestamp) -> Timestamp {
        self.store_at.saturating_add(now.saturating_since(self.host_at))
    }
}

/// A canvas as an answer left it.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// The head.
    pub head: Arc<Head>,
    /// The document.
    pub document: Blob,
    /// The store's clock.
    pub clock: Timestamp,
}

impl Snapshot {
    /// The document's text.
    pub fn text(&self) -> &str {
        self.document.as_text().unwrap_or_default()
    }

    /// The revision, as models see it.
    pub fn revision_id(&self) -> RevisionId {
        self.head.revision_id()
    }
}

/// The answer to a call.
#[derive(Debug, Clone)]
pub struct Answered {
    /// What became of it.
    pub outcome: Outcome,
    /// It had been asked before, and this is the first answer again.
    pub replayed: bool,
    /// The canvas after it.
    pub snapshot: Snapshot,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// There is no such canvas.
    #[error("there is no canvas {canvas}: create it first")]
    NotFound {
        /// The canvas.
        canvas: CanvasId,
    },
    /// There is such a canvas already.
    #[error("the canvas {canvas} exists already: use it, or choose another id")]
    Exists {
        /// The canvas.
        canvas: CanvasId,
    },
    /// A blob that the head names is not in the store, or is not what it should be.
    #[error("the blob {blob} of canvas {canvas} is missing or damaged: restore the store from a backup")]
    Damaged {
        /// The canvas.
        canvas: CanvasId,
        /// The blob.
        blob: BlobId,
    },
    /// Others changed the canvas each time.
    #[error("the canvas {canvas} is changed by others all the time: try again later")]
    Contention {
        /// The canvas.
        canvas: CanvasId,
    },
    /// The first document is larger than the policy allows.
    #[error("the document has {bytes} bytes, the limit is {limit}: shorten it")]
    TooLarge {
        /// Its bytes.
        bytes: usize,
        /// The limit.
        limit: usize,
    },
    /// The canvas has no more revisions.
    #[error("the canvas {canvas} has used up its revisions: go on in a new canvas")]
    RevisionsExhausted {
        /// The canvas.
        canvas: CanvasId,
    },
    /// The key was used for another operation.
    #[error("this operation key was used before with other arguments: use a new key")]
    KeyReused,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] Fault),
}

impl EngineError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::NotFound { .. } => "CANVAS_NOT_FOUND",
            Self::Exists { .. } => "CANVAS_EXISTS",
            Self::Damaged { .. } => "CANVAS_DAMAGED",
            Self::Contention { .. } => "CONTENTION",
            Self::TooLarge { .. } => "DOCUMENT_TOO_LARGE",
            Self::RevisionsExhausted { .. } => "REVISION_EXHAUSTED",
            Self::KeyReused => "CALL_ID_REUSED",
            Self::Store(Fault::Definite(_)) => "STORE_FAILED",
            Self::Store(Fault::Indeterminate(_)) => "STORE_INDETERMINATE",
        }
    }

    /// Whether the same call, with the same key, can succeed later.
    pub const fn retryable(&self) -> bool {
        matches!(self, Self::Contention { .. } | Self::Store(_))
    }
}

impl<S: Store> Engine<S> {
    /// An engine on a store.
    pub fn new(store: S, policy: Policy) -> Self {
        Self { store, policy, cache: Mutex::default() }
    }

    /// The store.
    pub fn store(&self) -> &S {
        &self.store
    }

    /// What the host decided.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Makes a canvas with a first document. After a deletion its numbers go on.
    ///
    /// # Errors
    ///
    /// [`EngineError::Exists`], unless the same operation made it; [`EngineError::KeyReused`];
    /// [`EngineError::TooLarge`]; faults of the store.
    pub async fn create(
        &self,
        canvas: &CanvasId,
        markdown: &str,
        operation: &OpKey,
        now: Timestamp,
    ) -> Result<Answered, EngineError> {
        let (bytes, limit) = (markdown.len(), self.policy.document_bytes);
        if bytes > limit {
            return Err(EngineError::TooLarge { bytes, limit });
        }
        let document = Blob::text(markdown.to_owned());
        let digest = Digest::of(&[b"create", markdown.as_bytes()]);
        let asked = self.ticket();
        let mut row = self.store.load(canvas).await?;
        let mut doubt = None;
        for _ in 0..ATTEMPTS {
            let (mut head, expected) = match &row {
                Some(Loaded { head, version, .. }) if head.is_deleted() => {
                    let again = head.recreate(document.id());
                    let exhausted = || EngineError::RevisionsExhausted { canvas: canvas.clone() };
                    (again.ok_or_else(exhausted)?, Some(version.clone()))
                }
                Some(loaded) => {
                    return self
                        .created_before(canvas, loaded.clone(), operation, digest, (asked, now))
                        .await;
                }
                None => (Head::create(canvas.clone(), document.id()), None),
            };
            let outcome = Outcome::Created { revision: head.revision_id() };
            let mut blobs = vec![document.clone()];
            let answer = Answer::keep(&outcome, &mut blobs);
            let receipt = Receipt { operation: operation.clone(), digest, fence: None, answer };
            head.receipts.push(receipt, None, self.policy.receipts);
            let head = Arc::new(head);
            match self
                .store
                .commit(Commit { expected, head: Arc::clone(&head), blobs, not_after: None })
                .await
            {
                Ok(Committed::Done { version, clock }) => {
                    let settled = self.ticket();
                    let known = Known::new(head, version, document, (now, clock), (asked, settled));
                    let snapshot = self.remember(canvas, known, now);
                    return Ok(Answered { outcome, replayed: false, snapshot });
                }
                Ok(Committed::Conflict(current)) => row = current,
                Ok(Committed::Late { .. }) => row = self.store.load(canvas).await?,
                Err(Fault::Indeterminate(e)) => {
                    // The row tells whether this very operation got through.
                    row = self.store.load(canvas).await.map_err(in_doubt)?;
                    doubt = Some(e);
                }
                Err(fault) => return Err(if doubt.is_some() { in_doubt(fault) } else { fault }.into()),
            }
        }
        Err(doubt.map_or_else(|| contention(canvas), |e| Fault::Indeterminate(e).into()))
    }

    async fn created_before(
        &self,
        canvas: &CanvasId,
        loaded: Loaded,
        operation: &OpKey,
        digest: Digest,
        (asked, now): (u64, Timestamp),
    ) -> Result<Answered, EngineError> {
        // The answer to a creation is short, so it lies in the head.
        let answered = match loaded.head.receipts.recall(operation, digest) {
            Recall::Answered(Answer::Inline(json)) => serde_json::from_str(json).ok(),
            Recall::Reused => return Err(EngineError::KeyReused),
            _ => None,
        };
        let outcome = answered.ok_or_else(|| EngineError::Exists { canvas: canvas.clone() })?;
        let known = self.learn(canvas, loaded, asked, now).await?;
        Ok(Answered { outcome, replayed: true, snapshot: self.remember(canvas, known, now) })
    }

    /// Deletes a canvas. The head stays as a tombstone, so that revision, epoch and fence are never used twice.
    /// Doing it twice is fine.
    ///
    /// # Errors
    ///
    /// [`EngineError::NotFound`] where there never was one; faults of the store.
    pub async fn delete(&self, canvas: &CanvasId) -> Result<(), EngineError> {
        let mut doubt = None;
        for _ in 0..ATTEMPTS {
            let loaded = match self.store.load(canvas).await {
                Err(fault) if doubt.is_some() => return Err(in_doubt(fault).into()),
                loaded => loaded?.ok_or_else(|| not_found(canvas))?,
            };
            self.forget(canvas);
            if loaded.head.is_deleted() {
                return Ok(());
            }
            let mut head = Head::clone(&loaded.head);
            // As a message does: should the canvas be made again, a turn is open.
            head.lease.preempt(&self.policy.lease, loaded.clock, Cause::UserMessage);
            head.origin = head.now();
            head.draft = Default::default();
            head.committed = None;
            head.receipts = Default::default();
            head.conversations.clear();
            head.deleted = true;
            let head = Arc::new(head);
            let expected = Some(loaded.version);
            match self.store.commit(Commit { expected, head, blobs: Vec::new(), not_after: None }).await {
                Ok(Committed::Done { .. }) => return Ok(()),
                Ok(Committed::Conflict(_) | Committed::Late { .. }) => {}
                Err(Fault::Indeterminate(e)) => doubt = Some(e),
                Err(fault) => return Err(if doubt.is_some() { in_doubt(fault) } else { fault }.into()),
            }
        }
        Err(doubt.map_or_else(|| contention(canvas), |e| Fault::Indeterminate(e).into()))
    }

    /// The canvas as it is.
    ///
    /// # Errors
    ///
    /// [`EngineError::NotFound`]; faults of the store.
    pub async fn snapshot(&self, canvas: &CanvasId, now: Timestamp) -> Result<Snapshot, EngineError> {
        let known = self.fresh(canvas, now).await?;
        Ok(self.remember(canvas, known, now))
    }

    /// Runs a call. The same key with the same arguments answers the same again, also after the lease has ended.
    ///
    /// # Errors
    ///
    /// Only where no answer stands: an unknown canvas, faults of the store, contention. What the rules refuse is
    /// an [`Outcome::Refused`].
    pub async fn call(
        &self,
        canvas: &CanvasId,
        call: &Call,
        now: Timestamp,
    ) -> Result<Answered, EngineError> {
        let read = matches!(call.command, Command::Read { .. }) && !self.store.capabilities().notify;
        let cached = if read { None } else { self.cached(canvas, now) };
        let mut is_fresh = cached.is_none();
        let mut known = match cached {
            Some(known) => known,
            None => self.fresh(canvas, now).await?,
        };
        for _ in 0..ATTEMPTS {
            let decided = self.decide(canvas, &known, call, now).await;
            // What a cached head needs may have been dropped since.
            let doubtful = match &decided {
                Ok(decision) => matches!(decision.outcome, Outcome::Refused(_)),
                Err(e) => matches!(e, EngineError::Damaged { .. }),
            };
            if !is_fresh && doubtful {
                known = self.fresh(canvas, now).await?;
                is_fresh = true;
                continue;
            }
            let Decision { outcome, replayed, change } = decided?;
            let Some(change) = change else {
                let snapshot = self.remember(canvas, known, now);
                return Ok(Answered { outcome, replayed, snapshot });
            };
            let asked = self.ticket();
            match self.swap(&known, change, asked, now).await {
                Ok(Swapped::Done(next)) => {
                    let snapshot = self.remember(canvas, next, now);
                    return Ok(Answered { outcome, replayed, snapshot });
                }
                Ok(Swapped::Conflict(current)) => {
                    known = self.learn(canvas, current.ok_or_else(|| not_found(canvas))?, asked, now).await?;
                }
                Ok(Swapped::Late) => known = self.fresh(canvas, now).await?,
                Err(Fault::Indeterminate(_)) => {
                    self.forget(canvas);
                    known = self.settle(canvas, call, now).await?;
                }
                Err(fault) => {
                    self.forget(canvas);
                    return Err(fault.into());
                }
            }
            is_fresh = true;
        }
        Err(contention(canvas))
    }

    /// Drops what is known of a canvas: a store that tells of changes calls for this.
    pub fn forget(&self, canvas: &CanvasId) {
        let mut cache = self.cache();
        cache.canvases.remove(canvas);
        cache.questions += 1;
        cache.forgot = cache.questions;
    }

    /// Counts a question to the store before it is asked.
    fn ticket(&self) -> u64 {
        let mut cache = self.cache();
        cache.questions += 1;
        cache.questions
    }

    /// After a commit of unknown fate: where its receipt is there, it got through. Where it is not, an empty bump of
    /// the version wins first, so that the late duplicate fails in any store; then the call may be decided anew.
    async fn settle(&self, canvas: &CanvasId, call: &Call, now: Timestamp) -> Result<Known, EngineError> {
        let mut last = None;
        for _ in 0..4 {
            let known = match self.fresh(canvas, now).await {
                Ok(known) => known,
                Err(EngineError::Store(fault)) => {
                    last = Some(fault);
                    continue;
                }
                Err(e) => return Err(e),
            };
            let digest = call.command.digest();
            if known.head.receipts.recall(&call.operation, digest) != Recall::New {
                return Ok(known);
            }
            let head = Head::clone(&known.head);
            let bump = Change { head, blobs: Vec::new(), document: None, not_after: None };
            match self.swap(&known, bump, self.ticket(), now).await {
                Ok(Swapped::Done(known)) => return Ok(known),
                Ok(Swapped::Conflict(_) | Swapped::Late) => {}
                Err(fault) => last = Some(fault),
            }
        }
        Err(last.map_or_else(|| contention(canvas), |fault| in_doubt(fault).into()))
    }

    /// Decides, and fetches the blobs that the decision needs.
    async fn decide(
        &self,
        canvas: &CanvasId,
        known: &Known,
        call: &Call,
        now: Timestamp,
    ) -> Result<Decision, EngineError> {
        let mut blobs = BTreeMap::new();
        loop {
            let view =
                View { head: &known.head, document: &known.document, clock: known.clock(now), blobs: &blobs };
            match decide(&view, &self.policy, call) {
                Ok(decision) => return Ok(decision),
                Err(Missing(id)) => {
                    blobs.insert(id, self.fetch(canvas, id).await?);
                }
            }
        }
    }

    async fn swap(
        &self,
        known: &Known,
        change: Change,
        asked: u64,
        now: Timestamp,
    ) -> Result<Swapped, Fault> {
        let head = Arc::new(change.head);
        let commit = Commit {
            expected: Some(known.version.clone()),
            head: Arc::clone(&head),
            blobs: change.blobs,
            not_after: change.not_after,
        };
        Ok(match self.store.commit(commit).await? {
            Committed::Done { version, clock } => {
                let settled = self.ticket();
                let document = change.document.unwrap_or_else(|| known.document.clone());
                Swapped::Done(Known::new(head, version, document, (now, clock), (asked, settled)))
            }
            Committed::Conflict(current) => Swapped::Conflict(current),
            Committed::Late { .. } => Swapped::Late,
        })
    }

    async fn fresh(&self, canvas: &CanvasId, now: Timestamp) -> Result<Known, EngineError> {
        let asked = self.ticket();
        match self.store.load(canvas).await? {
            Some(loaded) => self.learn(canvas, loaded, asked, now).await,
            None => Err(not_found(canvas)),
        }
    }

    /// Completes a loaded head with its document, which is fetched only where the engine does not have it.
    async fn learn(
        &self,
        canvas: &CanvasId,
        loaded: Loaded,
        asked: u64,
        now: Timestamp,
    ) -> Result<Known, EngineError> {
        let Loaded { head, version, clock } = loaded;
        if head.is_deleted() {
            self.forget(canvas);
            return Err(not_found(canvas));
        }
        let id = head.document();
        let cached = self.cache().canvases.get(canvas).map(|known| known.document.clone());
        let document = match cached.filter(|document| document.id() == id) {
            Some(document) => document,
            None => self.fetch(canvas, id).await?,
        };
        if document.as_text().is_none() {
            return Err(EngineError::Damaged { canvas: canvas.clone(), blob: id });
        }
        Ok(Known::new(head, version, document, (now, clock), (asked, asked)))
    }

    async fn fetch(&self, canvas: &CanvasId, id: BlobId) -> Result<Blob, EngineError> {
        let blob = self.store.blob(canvas, id).await?;
        let damaged = || EngineError::Damaged { canvas: canvas.clone(), blob: id };
        blob.filter(|blob| blob.id() == id).ok_or_else(damaged)
    }

    /// The cached head; none where the host's clock has gone back, because the store must say whether its own has.
    fn cached(&self, canvas: &CanvasId, now: Timestamp) -> Option<Known> {
        self.cache().canvases.get(canvas).filter(|known| now >= known.host_at).cloned()
    }

    fn remember(&self, canvas: &CanvasId, known: Known, now: Timestamp) -> Snapshot {
        let snapshot = Snapshot {
            head: Arc::clone(&known.head),
            document: known.document.clone(),
            clock: known.clock(now),
        };
        let mut cache = self.cache();
        cache.uses += 1;
        let used = cache.uses;
        // What somebody else has asked later, or been told since, is newer.
        let newer = cache.canvases.get(canvas).is_some_and(|cached| cached.settled > known.settled);
        if !newer && known.asked >= cache.forgot {
            cache.canvases.insert(canvas.clone(), Known { used, ..known });
        }
        if cache.canvases.len() > CACHED {
            // Half at once, so that the search for the oldest is paid rarely.
            let limit = used - (CACHED / 2) as u64;
            cache.canvases.retain(|_, known| known.used > limit);
        }
        snapshot
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        // The cache holds values that are replaced whole; a panic elsewhere leaves none half written.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

enum Swapped {
    Done(Known),
    Conflict(Option<Loaded>),
    Late,
}

/// Whatever failed last, the fate of an earlier commit is still unknown.
fn in_doubt(fault: Fault) -> Fault {
    let (Fault::Definite(e) | Fault::Indeterminate(e)) = fault;
    Fault::Indeterminate(e)
}

fn contention(canvas: &CanvasId) -> EngineError {
    EngineError::Contention { canvas: canvas.clone() }
}

fn not_found(canvas: &CanvasId) -> EngineError {
    EngineError::NotFound { canvas: canvas.clone() }
}
