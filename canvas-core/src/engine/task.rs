//! The operations on a canvas, each as a pure decision on its row.

use std::cell::Cell;
use std::fmt::Debug;
use std::sync::Arc;

use canvas_lease::PreemptionCause;
use serde::{Deserialize, Serialize};

use super::context::{CachedRow, RunContext};
use super::error::EngineError;
use crate::face::contents::Contents;
use crate::face::fetched::Fetched;
use crate::face::files::Files;
use crate::face::read_error::ReadError;
use crate::model::blob::Missing;
use crate::model::blob::{Blob, BlobId};
use crate::model::error::CodedError;
use crate::model::face::{Face, TreeFile};
use crate::model::head::Head;
use crate::model::op_key::OpKey;
use crate::model::receipt::{Answer, Digest, Recall, Receipt};
use crate::model::receipts::Occasion;
use crate::model::revision::{Revision, RevisionId};
use crate::proposal::stored::Proposals;
use crate::transition::command::{Command, Outcome, StoredAnswer, encode_answer};
use crate::transition::decide::{decide, recalled, stored_answer};
use crate::transition::refusal::{CallRefusal, Refused};
#[cfg(feature = "surface")]
use crate::transition::surface::ended::Ends;
use crate::transition::view::{Change, View};
use crate::version::stored::{Unread, VersionIndex};

/// An operation on a canvas.
pub(crate) trait Task: Send {
    type Answer: Debug + Send;

    /// Decides on the known row.
    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked>;

    /// The operation whose receipt shows that the task was done or never will be; `None` for tasks that do not change
    /// the canvas.
    fn operation(&self) -> Option<&OpKey> {
        None
    }

    /// Whether an answer must be decided again if the row comes from a cache.
    fn is_refusal(_answer: &Self::Answer) -> bool {
        false
    }

    /// Returns the code of an answer if it is a refusal by the rules.
    fn refusal(_answer: &Self::Answer) -> Option<&'static str> {
        None
    }
}

/// A task that keeps the answer of its last decision. A run sees only the [`Verdict`], so that all tasks share one
/// compiled [`Run`](super::run::Run).
pub(super) struct Keeping<T: Task> {
    task: T,
    answer: Cell<Option<T::Answer>>,
}

impl<T: Task> Keeping<T> {
    pub(super) const fn new(task: T) -> Self {
        Self { task, answer: Cell::new(None) }
    }

    /// Returns the answer of the last decision, which this verdict is about.
    pub(super) fn into_answer(self, _: Verdict) -> T::Answer {
        self.answer.into_inner().expect("a decision with a verdict has an answer")
    }
}

/// The properties of an answer that a run needs.
#[derive(Debug)]
pub(super) struct Verdict {
    /// Whether the answer must be decided again if the row comes from a cache.
    pub(super) is_refusal: bool,
    /// The code of a refusal by the rules.
    pub(super) refusal: Option<&'static str>,
}

/// A [`Keeping`] task of any type.
pub(super) trait Decide: Send {
    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Verdict>, Blocked>;
    fn operation(&self) -> Option<&OpKey>;
}

impl<T: Task> Decide for Keeping<T> {
    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Verdict>, Blocked> {
        let keep = |answer| {
            let verdict = Verdict { is_refusal: T::is_refusal(&answer), refusal: T::refusal(&answer) };
            self.answer.set(Some(answer));
            verdict
        };
        Ok(match self.task.decide(context)? {
            Decision::Answer(answer) => Decision::Answer(keep(answer)),
            Decision::Commit(change, answer) => Decision::Commit(change, keep(answer)),
        })
    }

    fn operation(&self) -> Option<&OpKey> {
        self.task.operation()
    }
}

/// The result of a task on one row.
#[derive(Debug)]
pub(crate) enum Decision<A> {
    /// An answer without a commit.
    Answer(A),
    /// An answer that is valid once the change is committed.
    Commit(Change, A),
}

/// The reason that a task cannot decide.
#[derive(Debug)]
pub(crate) enum Blocked {
    /// A blob must be loaded first.
    Missing(Missing),
    Fails(EngineError),
}

impl From<Missing> for Blocked {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

impl From<EngineError> for Blocked {
    fn from(e: EngineError) -> Self {
        Self::Fails(e)
    }
}

/// The input of a task's decision.
#[derive(Debug, Clone, Copy)]
pub(crate) struct DecisionContext<'a> {
    pub(crate) run: RunContext<'a>,
    /// The row; `None` if the canvas never had one.
    pub(crate) row: Option<&'a CachedRow>,
    pub(crate) blobs: &'a Fetched,
    /// Whether a commit of this run was of unknown fate and is settled by now.
    pub(crate) was_in_doubt: bool,
}

impl<'a> DecisionContext<'a> {
    /// Returns the row of a live canvas, with its document loaded.
    pub(super) fn live(&self) -> Result<&'a CachedRow, Blocked> {
        self.live_with(&[])
    }

    /// Like [`DecisionContext::live`], but also with other files, which are fetched together with the document.
    pub(super) fn live_with(&self, files: &[TreeFile]) -> Result<&'a CachedRow, Blocked> {
        let live = self.row.filter(|row| !row.head.is_deleted());
        let row = live.ok_or_else(|| self.run.not_found())?;
        let files = files.iter().copied().filter(|file| file.face().is_supported());
        let files = [TreeFile::Document].into_iter().chain(files);
        let named = files.filter_map(|file| Some((file, row.head.file(file)?)));
        let missing = named.filter(|(file, id)| row.contents.file(*file, *id).is_none());
        let missing: Vec<_> = missing.map(|(_, id)| id).collect();
        if !missing.is_empty() {
            // A call needs the indexes next.
            let likely = row.head.indexes().filter(|id| row.contents.blob(*id).is_none()).collect();
            return Err(Missing { needed: missing, likely }.into());
        }
        match row.contents.document().and_then(Blob::as_text) {
            Some(_) => Ok(row),
            None => Err(self.run.damaged(row.head.document()).into()),
        }
    }

    /// Returns the loaded files of a row.
    #[cfg_attr(
        not(any(feature = "board", feature = "surface")),
        expect(dead_code, reason = "a document is its text")
    )]
    pub(super) fn files(&self, row: &'a CachedRow) -> Files<'a> {
        Files { tree: row.head.draft(), contents: &row.contents, blobs: self.blobs }
    }

    /// Converts the error of reading a file.
    pub(super) fn unread(&self, error: ReadError) -> Blocked {
        match error.missing() {
            Ok(missing) => missing.into(),
            Err(id) => self.run.damaged(id).into(),
        }
    }

    fn blob(&self, id: BlobId) -> Result<&'a Blob, Missing> {
        let loaded = self.row.and_then(|row| row.contents.blob(id));
        loaded.or_else(|| self.blobs.get(id)).ok_or_else(|| Missing::all(vec![id]))
    }

    fn recall(&self, operation: &OpKey, digest: Digest) -> Result<Recall, Missing> {
        let receipts = self.row.map(|row| &row.head.receipts);
        receipts.map_or(Ok(Recall::New), |receipts| receipts.recall(operation, digest, |id| self.blob(id)))
    }

    /// Returns the earlier answer of an operation, or `None` if it is new.
    pub(super) fn answered(&self, operation: &OpKey, digest: Digest) -> Result<Option<Answer>, Blocked> {
        match self.recall(operation, digest)? {
            Recall::New => Ok(None),
            Recall::Answered(answer) => Ok(Some(answer)),
            Recall::Reused => Err(EngineError::KeyReused.into()),
            Recall::Abandoned => Err(EngineError::Abandoned.into()),
        }
    }

    fn stored_answer(&self, answer: &Answer) -> Result<Option<StoredAnswer>, Missing> {
        stored_answer(answer, |id| self.blob(id))
    }
}

/// Reads the canvas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SnapshotTask;

impl Task for SnapshotTask {
    type Answer = ();

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<()>, Blocked> {
        context.live()?;
        Ok(Decision::Answer(()))
    }
}

/// An answer, and whether it comes from a receipt.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Reply<A> {
    pub(crate) answer: A,
    pub(crate) replayed: bool,
}

impl<D, R: Refused> Reply<Result<D, R>> {
    pub(super) fn refusal(&self) -> Option<&'static str> {
        self.answer.as_ref().err().map(CodedError::code)
    }
}

/// Runs a command.
#[derive(Debug)]
pub(crate) struct Call<'a, C> {
    operation: &'a OpKey,
    command: &'a C,
    digest: Digest,
}

impl<'a, C: Command> Call<'a, C> {
    pub(crate) fn new(operation: &'a OpKey, command: &'a C) -> Self {
        // A call is decided again after each fetch of blobs, and a command may be as long as the document.
        Self { operation, command, digest: command.digest() }
    }

    pub(super) fn digest(&self) -> Digest {
        self.digest
    }

    /// Decides on this head with these loaded files, which include at least the document.
    pub(super) fn decide_on(
        &self,
        context: &DecisionContext<'_>,
        head: &Head,
        contents: &Contents,
    ) -> Result<Decision<Reply<Outcome<C>>>, Missing> {
        // Without a row, only the host's clock is known.
        let clock = context.row.map_or(context.run.now, |row| row.clock(context.run.now));
        let (blobs, types, was_in_doubt) = (context.blobs, context.run.types, context.was_in_doubt);
        let view = View { head, contents, clock, blobs, types, was_in_doubt };
        let decision = decide(&view, context.run.policy, (self.operation, self.digest), self.command)?;
        let reply = Reply { answer: decision.result, replayed: decision.replayed };
        Ok(match decision.change {
            Some(change) => Decision::Commit(change, reply),
            None => Decision::Answer(reply),
        })
    }
}

impl<C: Command> Task for Call<'_, C> {
    type Answer = Reply<Outcome<C>>;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        let row = context.live_with(C::FILES)?;
        Ok(self.decide_on(context, &row.head, &row.contents)?)
    }

    fn operation(&self) -> Option<&OpKey> {
        Some(self.operation)
    }

    fn is_refusal(reply: &Self::Answer) -> bool {
        C::is_refusal(&reply.answer)
    }

    fn refusal(reply: &Self::Answer) -> Option<&'static str> {
        reply.refusal()
    }
}

/// Reads the canvas, and the earlier answer to a call.
#[derive(Debug)]
pub(crate) struct RecallTask<'a, C>(pub(crate) Call<'a, C>);

impl<C: Command> Task for RecallTask<'_, C> {
    type Answer = Option<Outcome<C>>;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        context.live_with(C::FILES)?;
        let Call { operation, digest, .. } = &self.0;
        Ok(Decision::Answer(match context.recall(operation, *digest)? {
            Recall::New => None,
            Recall::Answered(answer) => Some(recalled::<C>(&answer, |id| context.blob(id))?),
            Recall::Reused => Some(Err(CallRefusal::CallIdReused.into())),
            Recall::Abandoned => Some(Err(CallRefusal::Abandoned.into())),
        }))
    }
}

/// Creates the canvas, or creates it again after its deletion.
#[derive(Debug, Clone)]
pub(crate) struct Create<'a> {
    pub(crate) document: Blob,
    pub(crate) operation: &'a OpKey,
}

impl Create<'_> {
    fn digest(&self) -> Digest {
        Digest::of(&[b"create", self.document.as_bytes()])
    }

    /// Returns the head of the new canvas.
    pub(super) fn head(&self, context: &DecisionContext<'_>) -> Result<Head, EngineError> {
        let canvas = || context.run.canvas.clone();
        match context.row {
            None => Ok(Head::create(canvas(), self.document.id())),
            Some(row) if row.head.is_deleted() => row
                .head
                .recreate(self.document.id())
                .ok_or_else(|| EngineError::RevisionsExhausted { canvas: canvas() }),
            Some(_) => Err(EngineError::Exists { canvas: canvas() }),
        }
    }
}

/// The content of the receipt of a creation.
#[derive(Serialize, Deserialize)]
struct Revised {
    revision: RevisionId,
}

/// The content of the receipts of deletions and erasures.
#[derive(Serialize)]
struct Nothing {}

impl Task for Create<'_> {
    type Answer = Reply<RevisionId>;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        let digest = self.digest();
        if let Some(answer) = context.answered(self.operation, digest)? {
            if context.row.is_some_and(|row| row.head.is_deleted()) {
                return Err(EngineError::Deleted { canvas: context.run.canvas.clone() }.into());
            }
            context.live()?;
            let stored = context.stored_answer(&answer)?;
            let made = stored.and_then(|stored| serde_json::from_str(stored.json()).ok());
            let Revised { revision } = made.ok_or(EngineError::KeyReused)?;
            return Ok(Decision::Answer(Reply { answer: revision, replayed: true }));
        }
        let mut head = self.head(context)?;
        head.set_document(&self.document);
        head.made_by = Some(self.operation.conversation.clone());
        let revision = head.revision_id();
        let mut blobs = self.document.to_put(None);
        let answer = Answer::of_json(encode_answer("created", &Revised { revision }), &mut blobs);
        let mut change = with_receipt(context, (self.operation, digest), answer, (head, blobs));
        change.contents.put_blob(TreeFile::Document, self.document.clone());
        Ok(Decision::Commit(change, Reply { answer: revision, replayed: false }))
    }

    fn operation(&self) -> Option<&OpKey> {
        Some(self.operation)
    }
}

/// Deletes the canvas. Its head stays as a tombstone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Delete<'a> {
    pub(crate) operation: &'a OpKey,
    /// Delete only if this face has not changed since this revision.
    pub(crate) base: Option<(Face, Revision)>,
}

impl Task for Delete<'_> {
    type Answer = ();

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<()>, Blocked> {
        let digest = match self.base {
            None => Digest::of(&[b"delete"]),
            Some((face, expected)) => {
                let expected = expected.get().to_string();
                Digest::of(&["delete", face.path().as_str(), &expected].map(str::as_bytes))
            }
        };
        let row = context.row.ok_or_else(|| context.run.not_found())?;
        // If it was done, the canvas may have been created again since, and that one stays.
        if context.answered(self.operation, digest)?.is_some() || row.head.is_deleted() {
            return Ok(Decision::Answer(()));
        }
        if let Some((_, expected)) = self.base.filter(|(face, base)| !row.head.is_current(*face, *base)) {
            let (canvas, current) = (context.run.canvas.clone(), row.head.revision);
            return Err(EngineError::RevisionConflict { canvas, expected, current }.into());
        }
        let policy = context.run.policy;
        let mut head = Head::clone(&row.head);
        head.end_turns();
        // Like a message, so that a turn is open if the canvas is created again.
        head.lock.preempt(&policy.lease, row.clock(context.run.now), PreemptionCause::UserMessage);
        let mut blobs = Vec::new();
        #[cfg(feature = "surface")]
        {
            let clock = row.clock(context.run.now);
            Ends { head: &mut head, blobs: &mut blobs, policy, clock }.lose(true);
        }
        head.tombstone();
        let answer = Answer::of_json(encode_answer("deleted", &Nothing {}), &mut blobs);
        let change = with_receipt(context, (self.operation, digest), answer, (head, blobs));
        Ok(Decision::Commit(change, ()))
    }

    fn operation(&self) -> Option<&OpKey> {
        Some(self.operation)
    }
}

/// Forgets every text except the current ones of the canvas.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Erase<'a> {
    pub(crate) operation: &'a OpKey,
}

impl Task for Erase<'_> {
    type Answer = ();

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<()>, Blocked> {
        let digest = Digest::of(&[b"erase"]);
        let row = context.row.ok_or_else(|| context.run.not_found())?;
        if context.answered(self.operation, digest)?.is_some() {
            return Ok(Decision::Answer(()));
        }
        // A face whose blobs cannot be dropped later is not forgotten either.
        let mut faces = row.head.files().map(|(file, _)| file.face());
        if let Some(face) = faces.find(|face| !face.is_supported()) {
            return Err(EngineError::FaceNotSupported { canvas: context.run.canvas.clone(), face }.into());
        }
        let (mut head, nothing) = (Head::clone(&row.head), Blob::text(String::new()));
        let mut blobs = Vec::new();
        head.receipts.erase(|id| context.blob(id), &mut blobs)?;
        head.forget_texts(nothing.id());
        if let Some(id) = head.proposals {
            let stored = row.contents.get::<Proposals>(id, ()).map_err(|error| context.unread(error))?;
            let blob = Proposals::clone(&stored).without_stale().to_blob();
            head.proposals = Some(blob.id());
            blobs.push(blob);
        }
        if head.versions.is_some() {
            let unread = |unread| match unread {
                Unread::Missing(missing) => Blocked::from(missing),
                Unread::Damaged(id) => context.run.damaged(id).into(),
            };
            let mut index = VersionIndex::read(head.versions, |id| context.blob(id)).map_err(unread)?;
            let live: Vec<_> = [Some(&head.draft), head.committed.as_ref()].into_iter().flatten().collect();
            index.erase(&live, |id| context.blob(id), &mut blobs).map_err(unread)?;
            head.versions = index.put_index(&mut blobs);
        }
        if head.is_deleted() {
            blobs.push(nothing);
        }
        let answer = Answer::of_json(encode_answer("texts_erased", &Nothing {}), &mut blobs);
        let change = with_receipt(context, (self.operation, digest), answer, (head, blobs));
        Ok(Decision::Commit(change, ()))
    }

    fn operation(&self) -> Option<&OpKey> {
        Some(self.operation)
    }
}

/// The fate of an operation whose answer was lost.
#[derive(Debug, Clone, PartialEq)]
pub enum Resolution {
    /// The operation was applied, and a retry gets the same answer. After [`Engine::erase`](crate::Engine::erase), only
    /// an answer of the kind `erased` is left, and a retry is refused.
    Done(StoredAnswer),
    /// The operation was not applied, as far as receipts go back, and never will be. The engine refuses any further try
    /// with this key.
    NeverDone,
}

/// Finds out the fate of an operation, and bars it if it was not done.
#[derive(Debug, Clone, Copy)]
#[cfg_attr(test, derive(PartialEq, Eq, Hash))]
pub(crate) struct Resolve<'a> {
    pub(crate) operation: &'a OpKey,
}

impl Task for Resolve<'_> {
    type Answer = Resolution;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Resolution>, Blocked> {
        let mut blobs = Vec::new();
        let head = match context.row.map(|row| &row.head) {
            Some(head) => match head.receipts.find(self.operation, |id| context.blob(id))? {
                Some(receipt) => {
                    let stored = context.stored_answer(&receipt.answer)?;
                    return Ok(Decision::Answer(stored.map_or(Resolution::NeverDone, Resolution::Done)));
                }
                None => Head::clone(head),
            },
            // A creation may be in flight, so a tombstone takes its place.
            None => {
                let nothing = Blob::text(String::new());
                let head = Head::absent(context.run.canvas.clone(), nothing.id());
                blobs.push(nothing);
                head
            }
        };
        let nothing = Digest::of(&[]);
        let change = with_receipt(context, (self.operation, nothing), Answer::Abandoned, (head, blobs));
        Ok(Decision::Commit(change, Resolution::NeverDone))
    }

    fn operation(&self) -> Option<&OpKey> {
        Some(self.operation)
    }
}

/// Builds a change from a new head and its blobs, with the receipt of an operation that needs no lease.
fn with_receipt(
    context: &DecisionContext<'_>,
    (operation, digest): (&OpKey, Digest),
    answer: Answer,
    (mut head, mut blobs): (Head, Vec<Blob>),
) -> Change {
    let live = head.lock.lease().map(|lease| lease.id.fence());
    // Without a row, only the host's clock is known.
    let clock = context.row.map(|row| row.clock(context.run.now));
    let receipt = Receipt { operation: operation.clone(), digest, fence: None, answer, at: 0 };
    let occasion = Occasion { is_refusal: false, live, clock };
    let bounds = context.run.policy.receipt_bounds();
    head.leave_receipt(receipt, occasion, &bounds, |id| context.blob(id), &mut blobs);
    Change { head: Arc::new(head), blobs, contents: Contents::default(), not_after: None, actor: None }
}
