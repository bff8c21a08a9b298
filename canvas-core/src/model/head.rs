//! The head: everything about a canvas that moves, in one value that is compared and swapped whole.
//!
//! Engines of several versions may share a store while they are updated:
//!
//! * What an older library can leave alone is a new member of the head, its journal, a conversation, the receipts, a receipt
//!   or a page of them. It keeps members that it does not know, and writes them again as it has read them; with a
//!   conversation that is evicted its own go.
//! * What it must know is a new member of another part (the lock, a sync point, the turn's start) or a face: it refuses the
//!   head with `HEAD_TOO_NEW`, for reads and writes, since it could only break the rule or drop what it does not know.
//! * What changes the meaning of what is there is a higher format number, which is refused in the same way. A head has it
//!   only once it needs it.
//! * Entries of the journal are never written again, so nothing is dropped from them.

use std::collections::BTreeMap;

use canvas_lease::{Epoch, Lock, Timestamp};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::audit_slot::AuditSlot;
use crate::model::blob::{Blob, BlobId};
#[cfg(feature = "surface")]
use crate::model::claims::Claims;
#[cfg(feature = "surface")]
use crate::model::confirmed::Confirmed;
use crate::model::face::{Face, PerFace, TreeFile};
use crate::model::format::{AnyFormat, Format, HeadError};
use crate::model::id::{CanvasId, ConversationId};
use crate::model::journal_slot::JournalSlot;
use crate::model::path::TreePath;
use crate::model::receipts::Receipts;
use crate::model::revision::{Revision, RevisionId};
use crate::model::tree::Tree;
use crate::model::unknown::Unknown;

/// A text as somebody saw it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SyncPoint {
    pub(crate) revision: Revision,
    pub(crate) document: BlobId,
}

/// What a conversation knows of the document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Conversation {
    /// Snapshot plus hidden diffs have brought it here; `None` where it has forgotten, and needs a snapshot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) synced: Option<SyncPoint>,
    /// Its own calls have shown it this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) seen: Option<SyncPoint>,
    #[serde(flatten)]
    pub(crate) unknown: Unknown,
}

impl Conversation {
    /// It knows a text, by its context and by its calls.
    pub(crate) const fn knows(point: SyncPoint) -> Self {
        Self { synced: Some(point), seen: Some(point), unknown: Unknown::NONE }
    }

    /// It knows nothing.
    pub(crate) const NOTHING: Self = Self { synced: None, seen: None, unknown: Unknown::NONE };

    fn points(&self) -> impl Iterator<Item = SyncPoint> + use<> {
        [self.synced, self.seen].into_iter().flatten()
    }

    /// The newest revision that it knows something of.
    fn last(&self) -> Option<Revision> {
        self.points().map(|point| point.revision).max()
    }
}

/// Where the running turn began. Promotion names it, so that an interrupted turn promotes nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TurnStart {
    /// The epoch at the start.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
    /// The revision at the start.
    pub revision: Revision,
}

/// The one mutable value of a canvas. It moves only by compare-and-swap.
///
/// Its JSON is what stores keep, so names, order and defaults of the fields are those of formats 1 and 2. serde derives both
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
    /// The document that the canvas was made with.
    pub(crate) origin: SyncPoint,
    pub(crate) conversations: BTreeMap<ConversationId, Conversation>,
    /// The conversation that made the canvas, which knows its first document. `None` in heads of 0.1.0, where every
    /// conversation counts as knowing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) made_by: Option<ConversationId>,
    /// A conversation was evicted, so one that is not listed may have known a text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) gave_up: bool,
    pub(crate) turn_start: TurnStart,
    /// The last revision that a user made of the board, which raises no epoch.
    #[serde(default, skip_serializing_if = "Revision::is_zero")]
    pub(crate) user_revision: Revision,
    /// When the surface was last changed, by the store's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) surface_changed: Option<Timestamp>,
    /// Actions that are under way. A library without surfaces keeps them as it found them.
    #[cfg(feature = "surface")]
    #[serde(default, skip_serializing_if = "Claims::is_empty")]
    pub(crate) claims: Claims,
    /// Confirmations that were used; also of the canvas before it was deleted.
    #[cfg(feature = "surface")]
    #[serde(default, skip_serializing_if = "Confirmed::is_empty")]
    pub(crate) confirmed: Confirmed,
    /// Records of the actions that have ended. They outlive the surface, and the canvas too.
    #[serde(default, skip_serializing_if = "AuditSlot::is_empty")]
    pub(crate) audit: AuditSlot,
    pub(crate) deleted: bool,
    #[serde(flatten)]
    pub(crate) unknown: Unknown,
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
        let (receipts, journal, audit) = (self.receipts.clone(), self.journal.clone(), self.audit.clone());
        Some(Self {
            receipts,
            journal,
            audit,
            #[cfg(feature = "surface")]
            confirmed: self.confirmed.clone(),
            unknown: self.unknown.clone(),
            ..first
        })
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
        self.surface_changed = None;
        self.deleted = true;
    }

    /// Forgets every text but those of its trees: the history, records of actions, what conversations know, the first
    /// document. A tombstone, which has no tree, gets `nothing` for its last document.
    pub(crate) fn forget_texts(&mut self, nothing: BlobId) {
        self.journal = self.journal.cleared();
        self.audit = self.audit.cleared();
        self.conversations.clear();
        self.gave_up = true;
        self.origin = if self.deleted { SyncPoint { document: nothing, ..self.origin } } else { self.now() };
    }

    fn first(canvas: CanvasId, document: BlobId, revision: Revision, lock: Lock) -> Self {
        let mut draft = Tree::default();
        draft.insert(TreePath::document(), document);
        let turn_start = TurnStart { epoch: lock.epoch(), revision };
        let mut faces = PerFace::default();
        faces[Face::Document] = revision;
        Self {
            format: Format::Whole,
            canvas,
            revision,
            faces,
            lock,
            draft,
            committed: None,
            receipts: Receipts::default(),
            journal: JournalSlot::default(),
            origin: SyncPoint { revision, document },
            made_by: None,
            conversations: BTreeMap::new(),
            gave_up: false,
            turn_start,
            user_revision: Revision::ZERO,
            surface_changed: None,
            #[cfg(feature = "surface")]
            claims: Claims::default(),
            #[cfg(feature = "surface")]
            confirmed: Confirmed::default(),
            audit: AuditSlot::default(),
            deleted: false,
            unknown: Unknown::NONE,
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

    /// Whether a conversation has seen the document as it is.
    pub fn has_seen(&self, conversation: &ConversationId) -> bool {
        let seen = self.conversation(conversation).seen;
        seen.is_some_and(|seen| self.is_current(Face::Document, seen.revision))
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
    pub fn journal(&self) -> &JournalSlot {
        &self.journal
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

    /// Every blob that the head itself names. Entries of the journal and lists of chunks name others, which a store cannot see:
    /// [`Engine::blobs_in_use`](crate::Engine::blobs_in_use) tells of all of them.
    pub fn blobs(&self) -> impl Iterator<Item = BlobId> {
        let trees = self.draft.iter().chain(self.committed.iter().flat_map(Tree::iter)).map(|(_, blob)| blob);
        let last = self.journal.blobs().chain(self.audit.last);
        trees.chain(self.known_texts()).chain(last).chain(self.receipts.blobs())
    }

    /// The documents that it names, each of which may be a list of chunks.
    pub(crate) fn documents(&self) -> impl Iterator<Item = BlobId> {
        let trees = [Some(&self.draft), self.committed.as_ref()].into_iter().flatten();
        trees.filter_map(|tree| tree.file(TreeFile::Document)).chain(self.known_texts())
    }

    /// What conversations know, and the first document, which may be the one of a tombstone.
    fn known_texts(&self) -> impl Iterator<Item = BlobId> {
        let known = self.conversations.values().flat_map(|c| c.points());
        known.map(|point| point.document).chain([self.origin.document])
    }

    /// Roughly what it takes in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        /// A conversation with its name, a path or a link with a blob, a quarter of a claim.
        const ENTRY: usize = 256;
        #[cfg(feature = "surface")]
        let claims = 4 * self.claims.len();
        #[cfg(not(feature = "surface"))]
        let claims = 0;
        1024 + self.receipts.approximate_bytes()
            + ENTRY * (self.conversations.len() + self.draft.iter().count() + claims)
    }

    /// Makes a blob the document of the draft.
    pub(crate) fn set_document(&mut self, document: &Blob) {
        self.draft.insert(TreeFile::Document.tree_path(), document.id());
        if document.list().is_some() {
            self.format = Format::Chunked;
        }
    }

    /// The document's blob, also of a tombstone: its last one.
    pub fn document(&self) -> BlobId {
        self.draft.file(TreeFile::Document).unwrap_or(self.origin.document)
    }

    /// The board's root blob; `None` where the canvas has no board.
    pub fn board(&self) -> Option<BlobId> {
        self.draft.file(TreeFile::Board)
    }

    /// The blob of a file; `None` where the canvas does not have it. A tombstone still has its document.
    pub(crate) fn file(&self, file: TreeFile) -> Option<BlobId> {
        match file {
            TreeFile::Document => Some(self.document()),
            file => self.draft.file(file),
        }
    }

    /// The files of its trees: of the draft, and of what was committed.
    pub(crate) fn files(&self) -> impl Iterator<Item = (TreeFile, BlobId)> {
        [Some(&self.draft), self.committed.as_ref()]
            .into_iter()
            .flatten()
            .flat_map(|tree| TreeFile::ALL.into_iter().filter_map(|file| Some((file, tree.file(file)?))))
    }

    /// The document as it is now.
    pub(crate) fn now(&self) -> SyncPoint {
        SyncPoint { revision: self.faces[Face::Document], document: self.document() }
    }

    /// What a conversation knows.
    pub(crate) fn conversation(&self, id: &ConversationId) -> Conversation {
        let fresh = match &self.made_by {
            // Who is not known may be new, or one that was evicted.
            _ if self.gave_up => Conversation::NOTHING,
            // It has no text that a diff would fit; but its first patch may be for the first document, while that is there.
            Some(maker) if maker != id => Conversation { seen: Some(self.origin), ..Conversation::NOTHING },
            Some(_) | None => Conversation::knows(self.origin),
        };
        self.conversations.get(id).cloned().unwrap_or(fresh)
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
        // As long as that of a canvas which is written to often.
        let mut json = Vec::with_capacity(8 << 10);
        serde_json::to_writer(&mut json, self).expect("a head has only string keys");
        json
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
            Ok(AnyFormat { format }) if Format::try_from(format).is_err() => {
                HeadError::Format { found: format }
            }
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
            (self.journal.entries <= last.get(), "journal"),
            // One past the last entry keeps none.
            (self.journal.kept_from <= self.journal.entries + 1, "journal"),
            (self.audit.is_consistent(), "audit"),
            (self.journal.touched.newest() <= self.journal.entries, "journal"),
            (self.deleted || self.draft.file(TreeFile::Document).is_some(), "draft"),
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
