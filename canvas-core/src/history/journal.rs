//! The journal contains the changes of a canvas, as a chain of blobs, the newest of which the head names.
//!
//! * Each committed change is an entry that names the previous one and can be played in both directions. The head names
//!   three entries: the last, the next to undo, and the next to redo. An edit therefore costs the same however long the
//!   chain is.
//! * Undo and redo are entries too. No entry is ever taken out of the chain, so it replays to the first text and back.
//! * A redone change still belongs to its author. Undoing a change from under later ones is itself a change, and can be
//!   undone like any other.
//! * An entry needs no blobs of a board, because it has the records before and after. It needs no states of a surface
//!   and no data either, and older states and data may have been dropped.
//! * An effect is an entry in the chain too, but on neither stack. → `history/effect.rs`
//! * Changes and effects are kept, each up to a limit. → `history/kept.rs`

use canvas_lease::Timestamp;
use canvas_patch::Delta;
use serde::{Deserialize, Serialize};

#[cfg(feature = "board")]
use crate::board::BoardStep;
use crate::document::step::DocumentStep;
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::history::step::Step;
use crate::model::actor::{Actor, PersonId};
use crate::model::author::Role;
use crate::model::blob::{Blob, BlobId};
use crate::model::journal_slot::JournalSlot;
use crate::model::json_text::json_text;
use crate::model::links::{self, Linked};
use crate::model::op_key::OpKey;
use crate::model::receipt::is_zero;
use crate::model::revision::{Revision, RevisionId};
use crate::proposal::decision::Decision;

impl JournalSlot {
    /// Appends an entry. An undo becomes the next entry to redo, an effect goes on neither stack, and any other entry
    /// becomes the next to undo.
    pub(crate) fn push(&mut self, entry: NewEntry) -> (Entry, Blob) {
        let NewEntry { kind, change, actor, author, written_by, first_made_by, reverts, .. } = entry;
        let NewEntry { operation, at, summary, revisions, step, also, decisions, .. } = entry;
        // At most the revision, which runs out first, because a head with more entries than revisions is rejected.
        let number = EntryNumber::new(self.entries + 1);
        let below = match if kind == EntryKind::Undo { self.redo } else { self.undo } {
            id if id == self.last => Below::Previous,
            Some(id) => Below::Entry(id),
            None => Below::Nothing,
        };
        let entry = Entry {
            number,
            change: change.unwrap_or_else(|| ChangeNumber::new(number.get())),
            kind,
            actor,
            author,
            first_made_by: first_made_by.filter(|first| match is_of_earlier(kind) {
                true => written_by.as_ref() != Some(first),
                false => *first != made_by(&operation, actor),
            }),
            written_by: written_by
                .filter(|writer| is_of_earlier(kind) || *writer != made_by(&operation, actor)),
            reverts,
            operation,
            at,
            summary,
            revision_before: revisions.0,
            revision_after: revisions.1,
            step,
            also,
            decisions,
            previous: self.last,
            below,
            effects_before: self.effects,
            previous_change: self.before_effects.filter(|_| kind != EntryKind::Effect),
            links: self.links.before(number.get()),
            near: self.near.as_ref().map(|near| near.before(number.get())).unwrap_or_default(),
            skips: Vec::new(),
        };
        let blob = Blob::text(json_text(&entry, 1024));
        if kind == EntryKind::Effect {
            self.effects += 1;
            self.before_effects = self.before_effects.or_else(|| Some((self.entries, self.last?)));
        } else {
            self.before_effects = None;
        }
        self.entries = number.get();
        self.last = Some(blob.id());
        self.links.push(number.get(), blob.id());
        if let Some(near) = &mut self.near {
            near.push(number.get(), blob.id());
        }
        match kind {
            EntryKind::Undo => self.redo = Some(blob.id()),
            EntryKind::Redo => self.undo = Some(blob.id()),
            EntryKind::Edit | EntryKind::Revert => {
                if self.undo.is_none() {
                    // No older change can be undone any more.
                    self.touched.clear();
                }
                (self.undo, self.redo) = (Some(blob.id()), None);
            }
            EntryKind::Effect => entry.steps().for_each(|step| self.touch(step, number.get())),
        }
        self.touched.forget_up_to(self.kept_from);
        (entry, blob)
    }
}

/// Kind of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntryKind {
    /// An ordinary change.
    Edit,
    /// The last change in effect was undone.
    Undo,
    /// The change undone last was redone.
    Redo,
    /// Changes were undone from under later ones, which stay. Undo treats it as an edit.
    Revert,
    /// A tool or a job made a change. It is never undone or redone.
    Effect,
}

/// A committed change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The position in the canvas's journal, counted from 1.
    pub number: EntryNumber,
    /// The change that the entry makes. [`EntryKind::Undo`] and [`EntryKind::Redo`] name an earlier change, and all
    /// other entries name a new one.
    pub change: ChangeNumber,
    /// The kind of entry, such as an edit or an undo.
    pub kind: EntryKind,
    /// The actor who made this entry, for example by an undo.
    pub actor: Role,
    /// The original author of the change. A change that somebody else redoes still belongs to its author.
    pub author: Role,
    /// The author by name, if it may be another than the actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    written_by: Option<Actor>,
    /// The actor who first made the change that this entry undoes or redoes, if that is not the author.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    first_made_by: Option<Actor>,
    /// The changes that an [`EntryKind::Revert`] undid; `None` for other kinds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<Reverts>,
    /// The call that made the entry. A retry of the call does not add another.
    pub operation: OpKey,
    /// The time of the entry, by the store's clock.
    pub at: Timestamp,
    /// A short line for people.
    pub summary: String,
    /// The revision before the change.
    pub revision_before: Revision,
    /// The revision after the change.
    pub revision_after: Revision,
    /// The change of the face, which can be played forward and back. If there are several, this is the first in the order
    /// of [`Face::ALL`](crate::Face::ALL).
    pub step: Step,
    /// The changes of other faces, which are undone and redone together with the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty", with = "one_or_many")]
    pub also: Vec<Step>,
    /// The decisions on proposals that the entry makes or takes back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) decisions: Vec<Decision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<BlobId>,
    /// The entry that undo takes after this one or, if this one is an undo, the entry that redo takes after it.
    #[serde(default, skip_serializing_if = "Below::is_previous")]
    below: Below,
    /// Number of effects before this entry.
    #[serde(default, skip_serializing_if = "is_zero")]
    effects_before: u64,
    /// The last change before this entry with its number, if effects come between. If there is no such change, the
    /// first of those effects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous_change: Option<(u64, BlobId)>,
    /// Links over many entries, by powers of 4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<Option<BlobId>>,
    /// Links to more entries nearby.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    near: Vec<Option<BlobId>>,
    /// Links as older versions wrote them, by powers of 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skips: Vec<BlobId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Below {
    /// The previous entry, which is the usual case.
    #[default]
    Previous,
    Entry(BlobId),
    Nothing,
}

impl Below {
    fn is_previous(&self) -> bool {
        *self == Self::Previous
    }
}

/// Changes undone from under later ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reverts {
    /// The numbers of the undone changes.
    pub changes: Vec<ChangeNumber>,
    /// The author of the undone changes.
    pub author: Role,
    /// The undone edits of the change, counted from 0, if only these were undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edits: Option<Vec<u32>>,
    /// The number of all edits of the change, if only some were undone. Older libraries did not store it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_count: Option<u32>,
    /// Whether the undone changes are themselves undos, which a redo took back.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_redo: bool,
}

impl Reverts {
    pub(crate) const fn of(changes: Vec<ChangeNumber>, author: Role) -> Self {
        Self { changes, author, edits: None, edit_count: None, is_redo: false }
    }

    /// Returns the only undone change, if all of it was undone.
    pub(crate) fn whole(&self) -> Option<ChangeNumber> {
        match (self.changes.as_slice(), &self.edits) {
            ([change], None) => Some(*change),
            _ => None,
        }
    }
}

/// Summary of a journal entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryEntry {
    /// Number of the entry.
    pub number: EntryNumber,
    /// Change that the entry makes or undoes.
    pub change: ChangeNumber,
    /// Kind of the entry.
    pub kind: EntryKind,
    /// Author of the change.
    pub author: Role,
    /// Actor of the entry by name, as [`Entry::made_by`]. `None` in the answer to an undo or redo.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_by: Option<Actor>,
    /// Author by name, as [`Entry::written_by`], if that is not the actor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_by: Option<Actor>,
    /// Short description of the change.
    pub summary: String,
    /// Revision after the entry.
    pub revision: Revision,
    /// The changes that an [`EntryKind::Revert`] undid; empty for other kinds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reverts: Vec<ChangeNumber>,
    /// The change of the document as edits. It is left out if the document stays the same, and in the answer to an undo
    /// or redo. It is also left out if it exceeds the limit for an entry, and the client must then read the document again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<Vec<canvas_patch::TextEdit>>"))]
    pub delta: Option<Delta>,
}

impl HistoryEntry {
    /// Leaves out the names of people and conversations, and the edits, for example in a text for a model.
    #[must_use]
    pub fn anonymous(self) -> Self {
        Self { made_by: None, written_by: None, delta: None, ..self }
    }
}

impl From<&Entry> for HistoryEntry {
    fn from(entry: &Entry) -> Self {
        let made_by = entry.made_by();
        Self {
            number: entry.number,
            change: entry.change,
            kind: entry.kind,
            author: entry.author,
            written_by: entry.written_by().filter(|writer| *writer != made_by),
            made_by: Some(made_by),
            summary: entry.summary.clone(),
            revision: entry.revision_after,
            reverts: match (&entry.reverts, entry.kind) {
                (Some(reverts), EntryKind::Revert) => reverts.changes.clone(),
                _ => Vec::new(),
            },
            delta: entry.document().and_then(|step| step.delta.clone()),
        }
    }
}

/// The input of [`JournalSlot::push`]. The rest of an entry follows from the slot.
#[derive(Debug)]
pub(crate) struct NewEntry {
    pub(crate) kind: EntryKind,
    /// The earlier change of an undo or redo; `None` for a new change.
    pub(crate) change: Option<ChangeNumber>,
    pub(crate) actor: Role,
    pub(crate) author: Role,
    /// The author by name; `None` if it is the actor, or is not known.
    pub(crate) written_by: Option<Actor>,
    /// The first actor of an earlier change, if known.
    pub(crate) first_made_by: Option<Actor>,
    pub(crate) reverts: Option<Reverts>,
    pub(crate) operation: OpKey,
    pub(crate) at: Timestamp,
    pub(crate) summary: String,
    /// The revisions before and after.
    pub(crate) revisions: (Revision, Revision),
    pub(crate) step: Step,
    pub(crate) also: Vec<Step>,
    pub(crate) decisions: Vec<Decision>,
}

/// Whether entries of this kind undo or redo an earlier change, whose author may be anybody.
const fn is_of_earlier(kind: EntryKind) -> bool {
    matches!(kind, EntryKind::Undo | EntryKind::Redo)
}

/// Returns the actor of an operation that was recorded with this role.
pub(crate) fn made_by(operation: &OpKey, role: Role) -> Actor {
    match (operation.actor(), role) {
        // The key of a page, from a host that does not name people.
        (Actor::Conversation { .. } | Actor::Host, Role::User) => {
            Actor::Person { person: PersonId::default() }
        }
        (actor, _) => actor,
    }
}

/// Returns the author of an operation by name if a person made the edit of a conversation happen.
pub(crate) fn written_by(operation: &OpKey, role: Role) -> Option<Actor> {
    let is_of_both = role == Role::Assistant && operation.person.is_some();
    let writer = is_of_both.then(|| OpKey { person: None, ..operation.clone() }.actor());
    writer.filter(|writer| matches!(writer, Actor::Conversation { .. }))
}

impl Entry {
    /// Returns the actor of this entry, for example the person who undid a change.
    pub fn made_by(&self) -> Actor {
        made_by(&self.operation, self.actor)
    }

    /// Returns the author of the content, for example the conversation whose change was undone. Returns `None` if an
    /// earlier library recorded the undo or redo, because it did not store the author's name.
    pub fn written_by(&self) -> Option<Actor> {
        match &self.written_by {
            Some(writer) => Some(writer.clone()),
            None if is_of_earlier(self.kind) || self.actor != self.author => None,
            None => Some(self.made_by()),
        }
    }

    /// Returns the actor who first made the change. A redo keeps it. Returns `None` if an earlier library recorded the
    /// undo or redo of somebody else's change.
    pub fn first_made_by(&self) -> Option<Actor> {
        let first = self.first_made_by.clone();
        match is_of_earlier(self.kind) {
            true => first
                .or_else(|| self.written_by())
                .or_else(|| (self.actor == self.author).then(|| self.made_by())),
            false => Some(self.made_by()),
        }
    }

    /// Returns the actor of the change that this undo took back, if it was another than the actor of the undo.
    pub(crate) fn undoes_of(&self) -> Option<Actor> {
        match self.kind {
            EntryKind::Undo => self.first_made_by(),
            _ => self.first_made_by.clone(),
        }
    }

    /// Whether the entry decides on parts of proposals, or takes such a decision back. No model may undo it, because only
    /// people decide.
    pub fn is_decision(&self) -> bool {
        !self.decisions.is_empty()
    }

    /// Returns the number of edits that the entry made to the document, or `None` if it keeps both texts instead. A
    /// change of another face, or of several, is one edit.
    pub fn edits(&self) -> Option<usize> {
        match (&self.step, self.also.as_slice()) {
            (Step::Document(step), []) => step.delta.as_ref().map(|delta| delta.edits().len()),
            _ => Some(1),
        }
    }

    /// Returns the revision ids of the document before and after the entry, if it changes the document. The
    /// first id may have a higher number than the revision that wrote this document.
    pub fn document_ids(&self) -> Option<(RevisionId, RevisionId)> {
        let step = self.document()?;
        let before = RevisionId::new(self.revision_before, step.before);
        Some((before, RevisionId::new(self.revision_after, step.after)))
    }

    /// Returns the id of the previous entry.
    pub(crate) fn previous(&self) -> Option<BlobId> {
        self.previous
    }

    /// Returns the last entry before this one that is not an effect, or else the first entry, with its number.
    pub(crate) fn previous_change(&self) -> Option<(u64, BlobId)> {
        self.previous_change.or_else(|| Some((self.number.get().checked_sub(1)?, self.previous?)))
    }

    pub(super) const fn effects_before(&self) -> u64 {
        self.effects_before
    }

    /// Returns the entry that undo takes after this one or, if this one is an undo, the entry that redo takes after it.
    pub(crate) fn below(&self) -> Option<BlobId> {
        match self.below {
            Below::Previous => self.previous,
            Below::Entry(id) => Some(id),
            Below::Nothing => None,
        }
    }

    /// Returns the changes of the faces, at most one of each.
    pub fn steps(&self) -> impl DoubleEndedIterator<Item = &Step> {
        [&self.step].into_iter().chain(&self.also)
    }

    /// Returns the change of the document.
    pub fn document(&self) -> Option<&DocumentStep> {
        self.steps().find_map(Step::document)
    }

    /// Returns the change of the board.
    #[cfg(feature = "board")]
    pub fn board(&self) -> Option<&BoardStep> {
        self.steps().find_map(|step| match step {
            Step::Board(step) => Some(step),
            _ => None,
        })
    }
}

/// Writes one step without a list, because libraries before 0.2 know only this form, and several steps as a list.
mod one_or_many {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};
    use serde_json::value::RawValue;

    use super::Step;

    pub(super) fn serialize<S: Serializer>(steps: &[Step], serializer: S) -> Result<S::Ok, S::Error> {
        match steps {
            [step] => step.serialize(serializer),
            steps => steps.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Step>, D::Error> {
        let json = Box::<RawValue>::deserialize(deserializer)?;
        let steps = match json.get().starts_with('[') {
            true => serde_json::from_str(json.get()),
            false => serde_json::from_str(json.get()).map(|step| vec![step]),
        };
        steps.map_err(D::Error::custom)
    }
}

impl Linked for Entry {
    fn read(blob: &Blob) -> Option<Self> {
        serde_json::from_str(blob.as_text()?).ok()
    }

    fn number(&self) -> u64 {
        self.number.get()
    }

    fn named(&self) -> impl Iterator<Item = (u64, BlobId)> {
        let number = self.number.get();
        let previous = self.previous.and_then(|id| Some((number.checked_sub(1)?, id)));
        let links = links::ends(&self.links, number).chain(links::ends_of_sixteens(&self.skips, number));
        let links = links.chain(links::near_ends(&self.near, number));
        previous.into_iter().chain(self.previous_change).chain(links)
    }
}
