//! The head: everything about a canvas that moves, in one value that is compared and swapped whole.

use std::collections::BTreeMap;

use canvas_lease::{Epoch, Lock, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::blob::BlobId;
use crate::model::face::{Face, PerFace};
use crate::model::id::{CanvasId, ConversationId};
use crate::model::path::TreePath;
use crate::model::receipt::Receipts;
use crate::model::revision::{Revision, RevisionId};
use crate::model::skips::Skips;
use crate::model::tree::Tree;

/// A text as somebody saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct SyncPoint {
    pub(crate) revision: Revision,
    pub(crate) document: BlobId,
}

/// What a conversation knows of the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Conversation {
    /// Snapshot plus hidden diffs have brought it here; `None` where it has forgotten, and needs a snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) synced: Option<SyncPoint>,
    /// Its own calls have shown it this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<SyncPoint>,
}

impl Conversation {
    /// It knows a text, by its context and by its calls.
    pub(crate) const fn knows(point: SyncPoint) -> Self {
        Self { synced: Some(point), seen: Some(point) }
    }

    /// It knows nothing.
    pub(crate) const NOTHING: Self = Self { synced: None, seen: None };

    fn points(self) -> impl Iterator<Item = SyncPoint> {
        [self.synced, self.seen].into_iter().flatten()
    }

    /// The newest revision that it knows something of.
    fn last(self) -> Option<Revision> {
        self.points().map(|point| point.revision).max()
    }
}

/// Where the running turn began. Promotion names it, so that an interrupted turn promotes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnStart {
    /// The epoch at the start.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
    /// The revision at the start.
    pub revision: Revision,
}

/// Where the journal hangs on the head. Each entry names the one before, so that a commit writes one entry and this
/// slot, however many there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct JournalSlot {
    /// The last entry; `None` before the first, and after the history was cleared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<BlobId>,
    /// The entry that undo takes back next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<BlobId>,
    /// The undoing that redo takes back next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub redo: Option<BlobId>,
    /// Entries that were ever made; the last one has this number.
    #[serde(default)]
    pub entries: u64,
    /// Links down to old entries.
    #[serde(default, skip_serializing_if = "Skips::is_empty")]
    pub(crate) skips: Skips,
}

impl JournalSlot {
    /// The blobs that it names.
    pub(crate) fn blobs(self) -> impl Iterator<Item = BlobId> {
        [self.last, self.undo, self.redo].into_iter().flatten()
    }

    /// Without history. Numbers go on.
    pub(crate) fn cleared(self) -> Self {
        Self { entries: self.entries, ..Self::default() }
    }
}

/// The one mutable value of a canvas. It moves only by compare-and-swap.
///
/// Its JSON is what stores keep, so names, order and defaults of the fields are those of format 1. serde derives both
/// ways as functions of `Head` itself (`remote`); the traits below add the check of what is read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Head {
    pub(crate) format: Format,
    pub(crate) canvas: CanvasId,
    pub(crate) revision: Revision,
    /// Per face, the revision that last changed it: a precondition conflicts only where its own face has changed.
    pub(crate) faces: PerFace<Revision>,
    #[serde(rename = "lease")]
    pub(crate) lock: Lock,
    pub(crate) draft: Tree,
    pub(crate) committed: Option<Tree>,
    pub(crate) receipts: Receipts,
    pub(crate) journal: JournalSlot,
    /// The document that the canvas was made with: what a conversation knows before anything else.
    pub(crate) origin: SyncPoint,
    pub(crate) conversations: BTreeMap<ConversationId, Conversation>,
    /// A conversation was evicted, so one that is not listed may have known a text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) gave_up: bool,
    pub(crate) turn_start: TurnStart,
    /// The last revision that a user made of the board, which raises no epoch.
    #[serde(default, skip_serializing_if = "Revision::is_zero")]
    pub(crate) user_revision: Revision,
    pub(crate) deleted: bool,
}

impl Head {
    /// A canvas with a first document, revision 1.
    pub(crate) fn create(canvas: CanvasId, document: BlobId) -> Self {
        let revision = Revision::ZERO.next().expect("one is a revision");
        // The store's clock is not known yet, and the host's may be ahead of it.
        Self::first(canvas, document, revision, Lock::new(Timestamp::from_millis(0)))
    }

    /// The canvas again after its deletion: revision, epoch, fence and receipts go on.
    pub(crate) fn recreate(&self, document: BlobId) -> Option<Self> {
        let first = Self::first(self.canvas.clone(), document, self.revision.next()?, self.lock.clone());
        Some(Self { receipts: self.receipts.clone(), journal: self.journal, ..first })
    }

    /// A canvas that never was, as a tombstone.
    pub(crate) fn absent(canvas: CanvasId, nothing: BlobId) -> Self {
        let mut head = Self::first(canvas, nothing, Revision::ZERO, Lock::new(Timestamp::from_millis(0)));
        head.tombstone();
        head
    }

    /// Makes a tombstone of it. Numbers and receipts stay.
    pub(crate) fn tombstone(&mut self) {
        self.origin = self.now();
        self.draft = Tree::default();
        self.committed = None;
        self.conversations.clear();
        self.gave_up = false;
        self.journal = self.journal.cleared();
        self.deleted = true;
    }

    fn first(canvas: CanvasId, document: BlobId, revision: Revision, lock: Lock) -> Self {
        let mut draft = Tree::default();
        draft.insert(TreePath::document(), document);
        let turn_start = TurnStart { epoch: lock.epoch(), revision };
        let mut faces = PerFace::default();
        faces[Face::Document] = revision;
        Self {
            format: Format,
            canvas,
            revision,
            faces,
            lock,
            draft,
            committed: None,
            receipts: Receipts::default(),
            journal: JournalSlot::default(),
            origin: SyncPoint { revision, document },
            conversations: BTreeMap::new(),
            gave_up: false,
            turn_start,
            user_revision: Revision::ZERO,
            deleted: false,
        }
    }

    /// The canvas it belongs to.
    pub fn canvas(&self) -> &CanvasId {
        &self.canvas
    }

    /// Number of committed content changes.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// The revision that last changed a face.
    pub fn face_revision(&self, face: Face) -> Revision {
        self.faces[face]
    }

    /// Whether a face has not changed since a revision, and the canvas has come so far.
    pub(crate) fn is_current(&self, face: Face, base: Revision) -> bool {
        (self.faces[face]..=self.revision).contains(&base)
    }

    /// Who may write, until when, and whose turn it is.
    pub fn lock(&self) -> &Lock {
        &self.lock
    }

    /// The working tree.
    pub fn draft(&self) -> &Tree {
        &self.draft
    }

    /// The tree that was promoted last: the artefact.
    pub fn committed(&self) -> Option<&Tree> {
        self.committed.as_ref()
    }

    /// Where the running turn began.
    pub fn turn_start(&self) -> TurnStart {
        self.turn_start
    }

    /// The journal's slot.
    pub fn journal(&self) -> JournalSlot {
        self.journal
    }

    /// True for a deleted canvas: the head stays, so that no number is ever used twice.
    pub fn is_deleted(&self) -> bool {
        self.deleted
    }

    /// The id of the current revision, as models see it.
    pub fn revision_id(&self) -> RevisionId {
        RevisionId::new(self.revision, self.document())
    }

    /// Hashes of draft and artefact: promotion has something to do where they differ.
    pub fn hash_pair(&self) -> (BlobId, Option<BlobId>) {
        (self.draft.hash(), self.committed.as_ref().map(Tree::hash))
    }

    /// Every blob that the head itself names. Entries of the journal name others, which a store cannot see:
    /// [`Engine::blobs_in_use`](crate::Engine::blobs_in_use) tells of all of them.
    pub fn blobs(&self) -> impl Iterator<Item = BlobId> {
        let trees = self.draft.iter().chain(self.committed.iter().flat_map(Tree::iter)).map(|(_, blob)| blob);
        let known = self.conversations.values().flat_map(|c| c.points()).map(|point| point.document);
        let origin = [self.origin.document];
        trees.chain(known).chain(origin).chain(self.journal.blobs()).chain(self.receipts.blobs())
    }

    /// The document's blob, also of a tombstone: its last one.
    pub fn document(&self) -> BlobId {
        self.draft.get(&TreePath::document()).unwrap_or(self.origin.document)
    }

    /// The board's root blob; `None` where the canvas has no board.
    pub fn board(&self) -> Option<BlobId> {
        self.draft.get(&TreePath::board())
    }

    /// The root blob of a face; `None` where the canvas does not have it. A tombstone still has its document.
    pub(crate) fn root(&self, face: Face) -> Option<BlobId> {
        match face {
            Face::Document => Some(self.document()),
            face => self.draft.get(&face.path()),
        }
    }

    /// The root blobs of the faces of its trees: of the draft, and of what was committed.
    pub(crate) fn roots(&self) -> impl Iterator<Item = (Face, BlobId)> {
        [Some(&self.draft), self.committed.as_ref()]
            .into_iter()
            .flatten()
            .flat_map(|tree| Face::ALL.into_iter().filter_map(|face| Some((face, tree.get(&face.path())?))))
    }

    /// The document as it is now.
    pub(crate) fn now(&self) -> SyncPoint {
        SyncPoint { revision: self.faces[Face::Document], document: self.document() }
    }

    /// What a conversation knows.
    pub(crate) fn conversation(&self, id: &ConversationId) -> Conversation {
        // Who is not known may be new, or one that was given up.
        let fresh = if self.gave_up { Conversation::NOTHING } else { Conversation::knows(self.origin) };
        self.conversations.get(id).copied().unwrap_or(fresh)
    }

    /// Stops following the conversation that has known nothing new for the longest time. Should it come back, it
    /// gets the whole document.
    pub(crate) fn evict_oldest(&mut self) {
        let holder = self.lock.lease().map(|lease| lease.holder.as_str());
        let spare = self.conversations.iter().filter(|(id, _)| Some(id.as_str()) != holder);
        let oldest = spare.min_by_key(|(_, conversation)| conversation.last()).map(|(id, _)| id.clone());
        if let Some(oldest) = oldest {
            self.conversations.remove(&oldest);
            self.gave_up = true;
        }
    }
}

impl Head {
    /// The form in which stores keep a head: JSON with a format number.
    #[expect(clippy::missing_panics_doc, reason = "all keys are strings and no value can fail")]
    pub fn to_json(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a head has only string keys")
    }

    /// Reads what [`Head::to_json`] wrote, as the head of this canvas.
    ///
    /// # Errors
    ///
    /// [`HeadError`] says what is wrong and what to do about it.
    pub fn from_json(canvas: &CanvasId, json: &[u8]) -> Result<Self, HeadError> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        // The derived function, which does not check: a contradiction has an error of its own.
        let read = Self::deserialize(&mut reader).and_then(|head| reader.end().map(|()| head));
        let head = read.map_err(|e| match serde_json::from_slice(json) {
            // A later format may have other fields.
            Ok(AnyFormat { format }) if format != FORMAT => HeadError::Format { found: format },
            _ => HeadError::unreadable(&e),
        })?;
        head.check()?;
        if head.canvas == *canvas { Ok(head) } else { Err(HeadError::Foreign { found: head.canvas }) }
    }

    /// Whether no number lies beyond the one that bounds it.
    fn check(&self) -> Result<(), HeadError> {
        let last = self.revision;
        let known = self.conversations.values().filter_map(|c| c.last()).max();
        let rules = [
            (self.faces.iter().all(|(_, revision)| *revision <= last), "faces"),
            (self.origin.revision <= last, "origin"),
            (known.is_none_or(|revision| revision <= last), "conversations"),
            (self.turn_start.revision <= last, "turn_start"),
            (self.user_revision <= last, "user_revision"),
            (self.turn_start.epoch <= self.lock.epoch(), "turn_start"),
            (self.deleted || self.draft.get(&TreePath::document()).is_some(), "draft"),
        ];
        match rules.into_iter().find(|(holds, _)| !holds) {
            Some((_, place)) => Err(HeadError::Inconsistent { place }),
            None => Ok(()),
        }
    }
}

impl Serialize for Head {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Self::serialize(self, serializer)
    }
}

impl<'de> Deserialize<'de> for Head {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let head = Self::deserialize(deserializer)?;
        head.check().map_err(D::Error::custom)?;
        Ok(head)
    }
}

const FORMAT: u32 = 1;

/// The format number, which every head of this library has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "u32", into = "u32")]
pub(crate) struct Format;

impl From<Format> for u32 {
    fn from(_: Format) -> Self {
        FORMAT
    }
}

impl TryFrom<u32> for Format {
    type Error = HeadError;

    fn try_from(format: u32) -> Result<Self, HeadError> {
        if format == FORMAT { Ok(Self) } else { Err(HeadError::Format { found: format }) }
    }
}

/// What tells a head of another format from bytes that are none.
#[derive(Deserialize)]
struct AnyFormat {
    format: u32,
}

/// Why stored bytes are no head.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum HeadError {
    /// A later version of this library wrote it.
    #[error("the head has format {found}, this library reads {FORMAT}: update the library")]
    Format {
        /// The format that it says.
        found: u32,
    },
    /// It is not the JSON of a head.
    #[error("the head cannot be read, {what} (line {line}, column {column}): restore it from a backup")]
    Unreadable {
        /// What was found, in the reader's words.
        what: String,
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// A face, a sync point or the turn's start lies behind the canvas's own revision or epoch.
    #[error("the head contradicts itself in {place}: restore it from a backup")]
    Inconsistent {
        /// The field.
        place: &'static str,
    },
    /// It belongs to another canvas.
    #[error("this is the head of canvas {found}: restore the right one from a backup")]
    Foreign {
        /// That canvas.
        found: CanvasId,
    },
}

canvas_patch::coded_error!(HeadError {
    Self::Format { .. } => "HEAD_TOO_NEW";
    Self::Unreadable { .. } | Self::Inconsistent { .. } | Self::Foreign { .. } => "HEAD_DAMAGED";
});

impl HeadError {
    fn unreadable(e: &serde_json::Error) -> Self {
        // The reader's text ends with the place, which has its own fields here.
        let text = e.to_string();
        let what = text.rsplit_once(" at line ").map_or(text.as_str(), |(what, _)| what).to_owned();
        Self::Unreadable { what, line: e.line(), column: e.column() }
    }
}
