//! The journal: what happened on a canvas, as a chain of blobs that hangs on its head.
//!
//! * Each committed change is an entry that names the one before, with the way there and the way back. The head names
//!   three: the last, the next to undo, the next to redo. So an edit costs the same however long the chain is.
//! * Undo and redo are entries too. Nothing is taken out of the chain, and it replays to the first text and back.
//! * A redone change remains its author's. Undoing a change from under later ones is a change, which can be undone like
//!   any other.
//! * Of a board's blobs an entry needs none: it has the records before and after. Nor of a surface's states, nor of
//!   data: those of before a replay may be gone.
//! * An effect is an entry too, in the chain and on neither stack. → `history/effect.rs`
//! * Changes and effects are kept up to a limit each. → `history/kept.rs`

use canvas_lease::Timestamp;
use serde::{Deserialize, Serialize};

use crate::history::number::{ChangeNumber, EntryNumber};
use crate::history::step::Step;
use crate::model::author::Actor;
use crate::model::blob::{Blob, BlobId};
use crate::model::id::OpKey;
use crate::model::journal_slot::JournalSlot;
use crate::model::json_text::json_text;
use crate::model::links::{self, Linked};
use crate::model::receipt::is_zero;
use crate::model::revision::Revision;

impl JournalSlot {
    /// Appends an entry, as the one that undo takes back next where it is no undoing itself.
    pub(crate) fn push(&mut self, entry: NewEntry) -> (Entry, Blob) {
        let NewEntry { kind, change, actor, author, reverts, operation, at, summary, revisions, step, also } =
            entry;
        // At most the revision, which ends before: a head with more entries than revisions is not read.
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
            reverts,
            operation,
            at,
            summary,
            revision_before: revisions.0,
            revision_after: revisions.1,
            step,
            also,
            previous: self.last,
            below,
            effects_before: self.effects,
            previous_change: self.before_effects.filter(|_| kind != EntryKind::Effect),
            links: self.links.before(number.get()),
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
        match kind {
            EntryKind::Undo => self.redo = Some(blob.id()),
            EntryKind::Redo => self.undo = Some(blob.id()),
            EntryKind::Edit | EntryKind::Revert => {
                if self.undo.is_none() {
                    // Nothing older can be taken back any more.
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

/// What kind of doing it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EntryKind {
    /// A change of its own.
    Edit,
    /// The last change in effect was undone.
    Undo,
    /// What was undone last was done again.
    Redo,
    /// Changes were undone from under later ones, which stay. Undo treats it as an edit.
    Revert,
    /// A tool or a job has changed something. It is never undone nor redone.
    Effect,
}

/// One committed change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// Its number in the canvas.
    pub number: EntryNumber,
    /// The change that it makes: one of its own, but for [`EntryKind::Undo`] and [`EntryKind::Redo`].
    pub change: ChangeNumber,
    /// What kind of doing it is.
    pub kind: EntryKind,
    /// Who did it.
    pub actor: Actor,
    /// Who first made the change: whoever does it again, it stays the author's.
    pub author: Actor,
    /// What an [`EntryKind::Revert`] has undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reverts: Option<Reverts>,
    /// The call that did it.
    pub operation: OpKey,
    /// The store's clock.
    pub at: Timestamp,
    /// A short line for people.
    pub summary: String,
    /// The revision before.
    pub revision_before: Revision,
    /// The revision after.
    pub revision_after: Revision,
    /// What was changed, with the way there and the way back.
    pub step: Step,
    /// What an effect changed on another face besides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub also: Option<Step>,
    /// The entry before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous: Option<BlobId>,
    /// What undo, or of an undoing redo, takes back after this one.
    #[serde(default, skip_serializing_if = "Below::is_previous")]
    below: Below,
    /// Effects before it.
    #[serde(default, skip_serializing_if = "is_zero")]
    effects_before: u64,
    /// The last change before it with its number, where effects lie between; the first of those where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    previous_change: Option<(u64, BlobId)>,
    /// Links over many entries, by powers of 4.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<Option<BlobId>>,
    /// Links as they were before, by powers of 16.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    skips: Vec<BlobId>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Below {
    /// The entry before, as mostly.
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

/// Changes that were undone from under later ones.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reverts {
    /// Their numbers.
    pub changes: Vec<ChangeNumber>,
    /// Whose they are.
    pub author: Actor,
}

/// An entry of the journal, in short.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryEntry {
    /// Its number.
    pub number: EntryNumber,
    /// The change that it makes or takes back.
    pub change: ChangeNumber,
    /// What kind of entry it is.
    pub kind: EntryKind,
    /// Whose change it is.
    pub author: Actor,
    /// What the change did, in short.
    pub summary: String,
    /// The revision after it.
    pub revision: Revision,
}

impl From<&Entry> for HistoryEntry {
    fn from(entry: &Entry) -> Self {
        Self {
            number: entry.number,
            change: entry.change,
            kind: entry.kind,
            author: entry.author,
            summary: entry.summary.clone(),
            revision: entry.revision_after,
        }
    }
}

/// The input of [`JournalSlot::push`]; the rest of an entry follows from the slot.
#[derive(Debug)]
pub(crate) struct NewEntry {
    pub(crate) kind: EntryKind,
    /// `None` for a change of its own.
    pub(crate) change: Option<ChangeNumber>,
    pub(crate) actor: Actor,
    pub(crate) author: Actor,
    pub(crate) reverts: Option<Reverts>,
    pub(crate) operation: OpKey,
    pub(crate) at: Timestamp,
    pub(crate) summary: String,
    /// Before and after.
    pub(crate) revisions: (Revision, Revision),
    pub(crate) step: Step,
    /// Of an effect only.
    pub(crate) also: Option<Step>,
}

impl Entry {
    /// The entry before.
    pub(crate) fn previous(&self) -> Option<BlobId> {
        self.previous
    }

    /// The last entry before it that is no effect, or the first of all, with its number.
    pub(crate) fn previous_change(&self) -> Option<(u64, BlobId)> {
        self.previous_change.or_else(|| Some((self.number.get().checked_sub(1)?, self.previous?)))
    }

    pub(super) fn effects_before(&self) -> u64 {
        self.effects_before
    }

    pub(super) fn changes_before(&self) -> u64 {
        self.number.get().saturating_sub(1).saturating_sub(self.effects_before)
    }

    /// What undo, or of an undoing redo, takes back after this one.
    pub(crate) fn below(&self) -> Option<BlobId> {
        match self.below {
            Below::Previous => self.previous,
            Below::Entry(id) => Some(id),
            Below::Nothing => None,
        }
    }

    /// What it changed, face by face.
    pub(crate) fn steps(&self) -> impl DoubleEndedIterator<Item = &Step> {
        [&self.step].into_iter().chain(&self.also)
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
        previous.into_iter().chain(self.previous_change).chain(links)
    }
}
