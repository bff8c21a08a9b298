//! The head holds all mutable state of a canvas, in one value, compared and swapped as a whole.
//!
//! Engines of several versions may share a store during an update:
//!
//! * If an older library may ignore a part, it is a new member of the head, its journal, a conversation, the receipts,
//!   a receipt or a page of receipts. The older library keeps unknown members and writes them back as it read them. If
//!   a conversation is evicted, its unknown members are dropped with it.
//! * If an older library must know a part, it is a new member elsewhere (the lock, a sync point, the turn's start) or a
//!   new face. The older library then refuses the head with `HEAD_TOO_NEW`, for reads and writes, because otherwise it
//!   would break the rule or drop data that it does not know.
//! * If the meaning of existing data changes, the format number increases, which older libraries refuse in the same
//!   way. A head gets the higher number only once it contains such data.
//! * Entries of the journal are never rewritten, so they lose no members.

use std::collections::BTreeMap;

use canvas_lease::{Lock, Timestamp};
use canvas_patch::Moves;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::audit_slot::AuditSlot;
use crate::model::blob::{Blob, BlobId, Missing};
#[cfg(feature = "surface")]
use crate::model::claims::Claims;
#[cfg(feature = "surface")]
use crate::model::confirmed::Confirmed;
use crate::model::conversation::{Conversation, SyncPoint, TurnStart};
use crate::model::face::{Face, PerFace, TreeFile};
use crate::model::format::{AnyFormat, Format, HeadError};
use crate::model::id::{CanvasId, ConversationId};
use crate::model::journal_slot::JournalSlot;
use crate::model::path::TreePath;
use crate::model::protected::ProtectedPlaces;
use crate::model::receipt::Receipt;
use crate::model::receipts::{Bounds, Occasion, Receipts};
use crate::model::revision::{Revision, RevisionId};
use crate::model::tree::Tree;
use crate::model::unknown::Unknown;
use crate::model::work_mode::WorkMode;

/// The only mutable value of a canvas, changed only by compare-and-swap.
///
/// Stores keep its JSON, so names, order and defaults of the fields are part of its formats. serde derives both
/// directions as functions of `Head` itself (`remote`), and the traits below add a check of the values read.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(remote = "Self")]
pub struct Head {
    pub(crate) format: Format,
    pub(crate) canvas: CanvasId,
    pub(crate) revision: Revision,
    /// For each face, the revision that last changed it. A precondition conflicts only if its own face changes.
    pub(crate) faces: PerFace<Revision>,
    #[serde(rename = "lease")]
    pub(crate) lock: Lock,
    pub(crate) draft: Tree,
    pub(crate) committed: Option<Tree>,
    pub(crate) receipts: Receipts,
    pub(crate) journal: JournalSlot,
    /// The document with which the canvas was created.
    pub(crate) origin: SyncPoint,
    pub(crate) conversations: BTreeMap<ConversationId, Conversation>,
    /// The conversation that created the canvas and therefore knows its first document. `None` in heads of version
    /// 0.1.0, for which every conversation counts as knowing it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) made_by: Option<ConversationId>,
    /// Whether a conversation's knowledge was dropped, for example by eviction. If so, an unlisted conversation may
    /// have known a text.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) gave_up: bool,
    pub(crate) turn_start: TurnStart,
    /// Whether conversations share the lease and the turn.
    #[serde(default, skip_serializing_if = "WorkMode::is_exclusive")]
    pub(crate) work_mode: WorkMode,
    /// Places of the document that no model may change.
    #[serde(default, skip_serializing_if = "ProtectedPlaces::is_empty")]
    pub(crate) protected: ProtectedPlaces,
    /// Blob of all proposals, which no tree has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) proposals: Option<BlobId>,
    /// The changes of the document since this blob was stored, past which its parts are moved.
    #[serde(default, skip_serializing_if = "Moves::is_empty")]
    pub(crate) moves: Moves,
    /// Index of the named versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) versions: Option<BlobId>,
    /// The last revision in which a user changed the board, which does not raise the epoch.
    #[serde(default, skip_serializing_if = "Revision::is_zero")]
    pub(crate) user_revision: Revision,
    /// The time of the surface's last change, by the store's clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) surface_changed: Option<Timestamp>,
    /// Actions in progress. A library without surfaces keeps them unchanged.
    #[cfg(feature = "surface")]
    #[serde(default, skip_serializing_if = "Claims::is_empty")]
    pub(crate) claims: Claims,
    /// Used confirmations, including those from before a deletion of the canvas.
    #[cfg(feature = "surface")]
    #[serde(default, skip_serializing_if = "Confirmed::is_empty")]
    pub(crate) confirmed: Confirmed,
    /// Records of ended actions. They outlive the surface, and the canvas too.
    #[serde(default, skip_serializing_if = "AuditSlot::is_empty")]
    pub(crate) audit: AuditSlot,
    pub(crate) deleted: bool,
    #[serde(flatten)]
    pub(crate) unknown: Unknown,
}

impl Head {
    /// Creates a canvas with a first document, at revision 1.
    pub(crate) fn create(canvas: CanvasId, document: BlobId) -> Self {
        let revision = Revision::ZERO.next().expect("one is a revision");
        // The store's clock is not known yet, and the host's may be ahead of it.
        Self::first(canvas, document, revision, Lock::new(Timestamp::from_millis(0)))
    }

    /// Recreates the canvas after its deletion. Revision, epoch, fence and receipts continue.
    pub(crate) fn recreate(&self, document: BlobId) -> Option<Self> {
        let first = Self::first(self.canvas.clone(), document, self.revision.next()?, self.lock.clone());
        let (receipts, journal, audit) = (self.receipts.clone(), self.journal.clone(), self.audit.clone());
        Some(Self {
            format: self.format,
            receipts,
            journal,
            audit,
            #[cfg(feature = "surface")]
            confirmed: self.confirmed.clone(),
            unknown: self.unknown.clone(),
            ..first
        })
    }

    /// Creates the tombstone of a canvas that never existed.
    pub(crate) fn absent(canvas: CanvasId, nothing: BlobId) -> Self {
        let mut head = Self::first(canvas, nothing, Revision::ZERO, Lock::new(Timestamp::from_millis(0)));
        head.tombstone();
        head
    }

    /// Creates the tombstone under which an import puts the blobs of a large canvas before the head.
    pub(crate) fn placeholder(canvas: CanvasId) -> (Self, Blob) {
        let nothing = Blob::text(String::new());
        (Self::absent(canvas, nothing.id()), nothing)
    }

    /// Whether the canvas never existed, and no call about it left a receipt.
    pub(crate) fn is_placeholder(&self) -> bool {
        self.deleted && *self == Self::placeholder(self.canvas.clone()).0
    }

    /// Turns the head into a tombstone. Numbers and receipts stay.
    pub(crate) fn tombstone(&mut self) {
        self.origin = self.now();
        self.draft = Tree::default();
        self.committed = None;
        self.end_turns();
        self.work_mode = WorkMode::Exclusive;
        self.protected = ProtectedPlaces::default();
        (self.proposals, self.moves) = (None, Moves::default());
        self.versions = None;
        self.conversations.clear();
        self.gave_up = false;
        self.journal = self.journal.cleared();
        self.surface_changed = None;
        self.deleted = true;
    }

    /// Drops every text outside its trees. This clears the history, the records of actions, the knowledge of
    /// conversations, and the first document. A tombstone has an empty tree, so its last document becomes `nothing`.
    pub(crate) fn forget_texts(&mut self, nothing: BlobId) {
        self.journal = self.journal.cleared();
        self.audit = self.audit.cleared();
        self.end_turns();
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
            work_mode: WorkMode::default(),
            protected: ProtectedPlaces::default(),
            proposals: None,
            moves: Moves::default(),
            versions: None,
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

    /// Returns the canvas of the head.
    pub fn canvas(&self) -> &CanvasId {
        &self.canvas
    }

    /// Returns the number of content changes so far.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns the revision that last changed a face.
    pub fn face_revision(&self, face: Face) -> Revision {
        self.faces[face]
    }

    /// Whether `base` is at most the current revision and the face did not change after it.
    pub(crate) fn is_current(&self, face: Face, base: Revision) -> bool {
        (self.faces[face]..=self.revision).contains(&base)
    }

    /// Returns the places of the document that no model may change.
    pub fn protected(&self) -> &ProtectedPlaces {
        &self.protected
    }

    /// Whether a conversation saw the current document.
    pub fn has_seen(&self, conversation: &ConversationId) -> bool {
        let seen = self.conversation(conversation).seen;
        seen.is_some_and(|seen| self.is_current(Face::Document, seen.revision) && !self.is_of_proposal(seen))
    }

    /// Whether a point is of a proposed text, which is not the document.
    pub(crate) fn is_of_proposal(&self, point: SyncPoint) -> bool {
        let is_as_late = point.revision >= self.faces[Face::Document];
        self.proposals.is_some() && is_as_late && point.document != self.document()
    }

    /// Returns the lock of the canvas, which decides who may write, until when, and in whose turn. If conversations work
    /// in turns of their own, [`Head::lock_of`] returns the lock that decides.
    pub fn lock(&self) -> &Lock {
        &self.lock
    }

    /// Returns the working tree, which is the current content of all faces.
    pub fn draft(&self) -> &Tree {
        &self.draft
    }

    /// Returns the last promoted tree, which is the artefact. "Promoted" means that the pointer to the artefact was set
    /// to the draft of that moment, with all of its faces. [`SendMessage`](crate::turn::SendMessage) always does this, and
    /// [`EndTurn`](crate::turn::EndTurn) does it unless the epoch rose since the turn began. Edits, undo and commands on
    /// boards and surfaces do not.
    ///
    /// Returns `None` until the first promotion, so always if your host never runs one of these two commands. It also
    /// returns `None` if the canvas is deleted, and then again until the first promotion after it was recreated.
    pub fn committed(&self) -> Option<&Tree> {
        self.committed.as_ref()
    }

    /// Returns the start of the turn that all conversations share, see [`Head::turn_start_of`].
    pub fn turn_start(&self) -> TurnStart {
        self.turn_start
    }

    /// Returns the head's pointers into the journal.
    pub fn journal(&self) -> &JournalSlot {
        &self.journal
    }

    /// Whether the canvas is deleted. Its head remains, so that no number is ever used twice.
    pub fn is_deleted(&self) -> bool {
        self.deleted
    }

    /// Returns the id of the document in the form that models see. Its number is the revision that last changed the
    /// document, so a change of another face does not change the id. To notice any change, compare [`Head::revision`].
    pub fn revision_id(&self) -> RevisionId {
        RevisionId::new(self.faces[Face::Document], self.document())
    }

    /// Returns the hashes of draft and artefact. If they are equal, a promotion has no effect.
    pub fn hash_pair(&self) -> (BlobId, Option<BlobId>) {
        (self.draft.hash(), self.committed.as_ref().map(Tree::hash))
    }

    /// Returns every blob that the head itself names. Journal entries, lists of chunks and indexes of receipts name
    /// others, which a store cannot see. [`Engine::blobs_in_use`](crate::Engine::blobs_in_use) returns all of them.
    pub fn blobs(&self) -> impl Iterator<Item = BlobId> {
        let trees = self.draft.iter().chain(self.committed.iter().flat_map(Tree::iter)).map(|(_, blob)| blob);
        let last = self.journal.blobs().chain(self.audit.last);
        trees
            .chain(self.proposals)
            .chain(self.versions)
            .chain(self.known_texts())
            .chain(last)
            .chain(self.receipts.blobs())
    }

    /// Returns the documents that the head names, each of which may be a list of chunks.
    pub(crate) fn documents(&self) -> impl Iterator<Item = BlobId> {
        let trees = [Some(&self.draft), self.committed.as_ref()].into_iter().flatten();
        trees.filter_map(|tree| tree.file(TreeFile::Document)).chain(self.known_texts())
    }

    /// Returns the documents that conversations know, and the first document, which may belong to a tombstone.
    fn known_texts(&self) -> impl Iterator<Item = BlobId> {
        let known = self.conversations.values().flat_map(|c| c.points());
        known.map(|point| point.document).chain([self.origin.document])
    }

    /// Returns the approximate size in memory.
    pub(crate) fn approximate_bytes(&self) -> usize {
        /// Bytes assumed for a conversation with its name, a path or a link with a blob, or a quarter of a claim.
        const ENTRY: usize = 256;
        #[cfg(feature = "surface")]
        let claims = 4 * self.claims.len();
        #[cfg(not(feature = "surface"))]
        let claims = 0;
        1024 + self.receipts.approximate_bytes()
            + ENTRY * (self.conversations.len() + self.draft.iter().count() + claims)
    }

    /// Returns the indexes that each call needs in memory, in addition to the files.
    pub(crate) fn indexes(&self) -> impl Iterator<Item = BlobId> + use<> {
        self.receipts.indexes()
    }

    /// Adds the receipt of a call, see [`Receipts::push`].
    pub(crate) fn leave_receipt<'a>(
        &mut self,
        receipt: Receipt,
        occasion: Occasion,
        bounds: &Bounds,
        blob: impl Fn(BlobId) -> Result<&'a Blob, Missing>,
        blobs: &mut Vec<Blob>,
    ) {
        let is_of_person = receipt.operation.person.is_some();
        self.receipts.push(receipt, occasion, bounds, blob, blobs);
        if is_of_person || self.indexes().next().is_some() {
            self.raise_to_shared();
        }
    }

    /// Raises the format, because the journal has entries that an older library would misunderstand.
    pub(crate) fn raise_to_shared(&mut self) {
        self.format = self.format.max(Format::Shared);
    }

    /// Sets the document of the draft.
    pub(crate) fn set_document(&mut self, document: &Blob) {
        self.draft.insert(TreeFile::Document.tree_path(), document.id());
        if document.list().is_some() {
            self.format = self.format.max(Format::Chunked);
        }
    }

    /// Returns the blob of the document. A tombstone returns its last document.
    pub fn document(&self) -> BlobId {
        self.draft.file(TreeFile::Document).unwrap_or(self.origin.document)
    }

    /// Returns the board's root blob, or `None` if the canvas has no board.
    pub fn board(&self) -> Option<BlobId> {
        self.draft.file(TreeFile::Board)
    }

    /// Returns the blob of a file, or `None` if the canvas does not have it. A tombstone still has its document.
    pub(crate) fn file(&self, file: TreeFile) -> Option<BlobId> {
        match file {
            TreeFile::Document => Some(self.document()),
            TreeFile::Proposals => self.proposals,
            file => self.draft.file(file),
        }
    }

    /// Returns the files of the draft and of the artefact, and the proposals.
    pub(crate) fn files(&self) -> impl Iterator<Item = (TreeFile, BlobId)> {
        [Some(&self.draft), self.committed.as_ref()]
            .into_iter()
            .flatten()
            .flat_map(|tree| TreeFile::ALL.into_iter().filter_map(|file| Some((file, tree.file(file)?))))
            .chain(self.proposals.map(|id| (TreeFile::Proposals, id)))
    }

    /// Returns the current document with its revision.
    pub(crate) fn now(&self) -> SyncPoint {
        SyncPoint { revision: self.faces[Face::Document], document: self.document() }
    }
}

impl Head {
    /// Encodes the head in the form that stores keep: JSON with a format number.
    #[expect(clippy::missing_panics_doc, reason = "all keys are strings and no value can fail")]
    pub fn to_json(&self) -> Vec<u8> {
        // The usual length for a canvas with frequent writes.
        let mut json = Vec::with_capacity(8 << 10);
        serde_json::to_writer(&mut json, self).expect("a head has only string keys");
        json
    }

    /// Parses the output of [`Head::to_json`] as the head of this canvas.
    ///
    /// # Errors
    ///
    /// Returns a [`HeadError`] that names the fault and the remedy.
    pub fn from_json(canvas: &CanvasId, json: &[u8]) -> Result<Self, HeadError> {
        let mut reader = serde_json::Deserializer::from_slice(json);
        // The derived function does not check, because a contradiction has its own error.
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

    /// Checks that no number exceeds its bound, and that an existing canvas has a document.
    fn check(&self) -> Result<(), HeadError> {
        let last = self.revision;
        let known = self.conversations.values().filter_map(|c| c.last()).max();
        let mut turns = self.conversations.values().filter_map(|c| c.turn.as_ref());
        let rules = [
            (self.faces.iter().all(|(_, revision)| *revision <= last), "faces"),
            (self.origin.revision <= last, "origin"),
            (known.is_none_or(|revision| revision <= last), "conversations"),
            (self.turn_start.revision <= last, "turn_start"),
            (self.user_revision <= last, "user_revision"),
            (self.turn_start.epoch <= self.lock.epoch(), "turn_start"),
            (turns.all(|turn| turn.is_consistent(last)), "conversations"),
            (self.journal.entries <= last.get(), "journal"),
            // One past the last entry if no entry is kept.
            (self.journal.kept_from <= self.journal.entries + 1, "journal"),
            (self.journal.are_blames_consistent(), "journal"),
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
