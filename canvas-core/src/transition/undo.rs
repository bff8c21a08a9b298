//! Undo and redo on every face, with one journal.

use std::num::NonZeroU32;

use canvas_lease::{Epoch, PreemptionCause};
use canvas_patch::Delta;
use serde::{Deserialize, Serialize};

#[cfg(feature = "board")]
use crate::board::CanvasEvent;
use crate::document::step::DocumentAt;
use crate::face::files::Draft;
use crate::face::read_error::ReadError;
use crate::face::step::{Mismatch, Way};
use crate::history::journal::{Entry, EntryKind, HistoryEntry, NewEntry};
use crate::history::number::{ChangeNumber, EntryNumber};
use crate::history::revert::{ChangeSelection, ChangesOf, Selection, Wanted};
use crate::history::step::{Faces, Step};
use crate::model::actor::PersonId;
use crate::model::author::{Author, Role};
use crate::model::blob::{BlobId, Missing};
use crate::model::error::CodedError as _;
use crate::model::face::{Face, PerFace};
use crate::model::head::Head;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::{Revision, RevisionId};
use crate::proposal::decision::Decision;
use crate::transition::access::{access_of, author_text};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::{
    BoardRefusal, CallRefusal, Counter, HistoryRefusal, LimitRefusal, ProposalRefusal, UndoRefusal,
};
use crate::transition::rollout::Access;
use crate::transition::step::{Stop, Transition};

/// Undoes changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undo {
    /// The author in whose name the changes are undone. To undo changes of the document, a model needs the same
    /// permission as for a write.
    pub by: Author,
    /// The changes to undo, which can be one, several, or all of an author.
    pub what: UndoScope,
}

/// Selection of the changes to undo. Either all the selected changes are undone, or the undo is refused.
///
/// `Steps` and `To` undo the newest changes, and [`Redo`] makes these changes again. The other scopes can revert older
/// changes while later ones stay. This is recorded as new changes, one for each reverted change with `Select`. To
/// restore the reverted changes, undo these, or redo the whole command with [`RedoOf`].
/// [`Engine::stacks`](crate::Engine::stacks) lists the changes that undo and redo would take next.
///
/// A later change is not in the way if it was itself undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoScope {
    /// The given number of changes, newest first.
    Steps(NonZeroU32),
    /// All changes from the newest down to this one, inclusive.
    To(ChangeNumber),
    /// One change, even if it is not the newest. Later changes stay.
    Change(ChangeNumber),
    /// All changes of one author that are in effect. The other author's changes stay, even later ones.
    Author {
        /// The author whose changes are undone.
        author: Role,
        /// Selects only changes after this revision; `None` selects all.
        since: Option<Revision>,
    },
    /// Changes of one person, conversation or turn, or some edits of one change. A model may undo only its own, and
    /// not if somebody's later change touches them.
    Select(ChangeSelection),
}

/// Redoes the newest undo by a person: everything that one command undid. Works also if others made changes since, but
/// not if the person did. If one of its changes cannot be redone, the whole redo is refused. It skips undos whose redo
/// would have no effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedoOf {
    /// The author in whose name the changes are redone.
    pub by: Author,
    /// The person whose undo is redone. The [`OpKey`] names the person who redoes it.
    pub person: PersonId,
}

/// Redoes the most recently undone changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Redo {
    /// The author in whose name the changes are redone. To redo changes of the document, a model needs the same
    /// permission as for a write.
    pub by: Author,
    /// The number of undos to reverse, newest first.
    pub steps: NonZeroU32,
}

/// The answer to [`Undo`] and [`Redo`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryMove {
    /// The new entries of the journal, in their order.
    pub entries: Vec<HistoryEntry>,
    /// The selected changes that stay, because they cannot be undone.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kept: Vec<KeptChange>,
    /// The resulting events of the board.
    #[cfg(feature = "board")]
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<CanvasEvent>,
    /// The epoch after the undo or redo.
    #[cfg_attr(feature = "schema", schemars(with = "u64"))]
    pub epoch: Epoch,
    /// Id of the document after the undo or redo.
    pub revision: RevisionId,
}

/// A selected change that stays in effect.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KeptChange {
    /// Number of the change.
    pub change: ChangeNumber,
    /// The code of the error that its undo alone would return.
    pub reason: String,
    /// The later change that touches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<ChangeNumber>,
}

impl KeptChange {
    /// Returns `None` if an undo stops for a reason that concerns more than this change.
    pub(super) fn of(change: ChangeNumber, stop: &Stop<UndoRefusal>) -> Option<Self> {
        let Stop::Refused(refusal) = stop else { return None };
        let with = match **refusal {
            UndoRefusal::History(HistoryRefusal::HistoryConflict { with, .. }) => Some(with),
            UndoRefusal::History(HistoryRefusal::EffectConflict { .. }) => None,
            _ => return None,
        };
        Some(Self { change, reason: refusal.code().to_owned(), with })
    }
}

/// Clears the history of the canvas. Its faces stay, but no earlier change can be undone any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClearHistory;

/// The answer to [`ClearHistory`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HistoryCleared {
    /// Whether there were entries to clear.
    pub cleared: bool,
    /// The current revision.
    pub revision: RevisionId,
}

impl Command for Undo {
    type Done = HistoryMove;
    type Refusal = UndoRefusal;
}

impl Decide for Undo {
    const NAME: &'static str = "undo";
    const KIND: &'static str = "undone";

    fn access(&self) -> Option<Access> {
        access_of(self.by)
    }

    fn digest(&self) -> Digest {
        let (scope, value, since) = match &self.what {
            UndoScope::Steps(steps) => ("steps", steps.to_string(), None),
            UndoScope::To(change) => ("to", change.to_string(), None),
            UndoScope::Change(change) => ("change", change.to_string(), None),
            UndoScope::Author { author: Role::User, since } => ("author", "user".to_owned(), *since),
            UndoScope::Author { author: Role::Assistant, since } => {
                ("author", "assistant".to_owned(), *since)
            }
            UndoScope::Select(selection) => ("select", selection.to_text(), selection.since),
        };
        let since = since.map_or_else(String::new, |revision| revision.get().to_string());
        Digest::of(&["undo", &author_text(self.by), scope, &value, &since].map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Result<HistoryMove, Stop<UndoRefusal>> {
        let by = self.by;
        match self.what {
            UndoScope::Select(_) => {}
            UndoScope::Steps(steps) => {
                at.check_no_decision(by, at.head.journal.undo, steps)?;
                at.authorize_undo(operation, by)?;
            }
            _ => at.authorize_undo(operation, by)?,
        }
        let undone = match &self.what {
            UndoScope::Select(selection) => at.undo_selected(operation, by, selection)?,
            &UndoScope::Steps(steps) => {
                let entries = at.chain(at.head.journal.undo, steps)?;
                at.authorize_entries(operation, by, entries.iter().copied())?;
                at.undo_entries(operation, by, Direction::Undo, entries)?
            }
            &UndoScope::To(change) => {
                let entries = at.chain_to(change)?;
                at.authorize_entries(operation, by, entries.iter().copied())?;
                at.undo_entries(operation, by, Direction::Undo, entries)?
            }
            &UndoScope::Change(change) => {
                at.revert(operation, by, Selection::all(Wanted::Of(&ChangesOf::Change(change))))?
            }
            &UndoScope::Author { author, since } => {
                let since = since.map_or(0, Revision::get);
                at.revert(operation, by, Selection { of: Wanted::Role(author), last: None, since })?
            }
        };
        at.put_undone(by, undone)
    }
}

impl Command for Redo {
    type Done = HistoryMove;
    type Refusal = UndoRefusal;
}

impl Decide for Redo {
    const NAME: &'static str = "redo";
    const KIND: &'static str = "redone";

    fn access(&self) -> Option<Access> {
        access_of(self.by)
    }

    fn digest(&self) -> Digest {
        Digest::of(&["redo", &author_text(self.by), &self.steps.to_string()].map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Result<HistoryMove, Stop<UndoRefusal>> {
        at.check_no_decision(self.by, at.head.journal.redo, self.steps)?;
        at.authorize_undo(operation, self.by)?;
        let entries = at.chain(at.head.journal.redo, self.steps)?;
        at.authorize_entries(operation, self.by, entries.iter().copied())?;
        let undone = at.undo_entries(operation, self.by, Direction::Redo, entries)?;
        at.put_undone(self.by, undone)
    }
}

impl Command for ClearHistory {
    type Done = HistoryCleared;
    type Refusal = CallRefusal;
}

impl Decide for ClearHistory {
    const NAME: &'static str = "clear_history";
    const KIND: &'static str = "history_cleared";

    fn digest(&self) -> Digest {
        Digest::of(&[b"clear_history", b""])
    }

    fn decide(&self, at: &mut Transition<'_>, _: &OpKey) -> Result<HistoryCleared, Stop<CallRefusal>> {
        let cleared = at.head.journal.last.is_some();
        at.head.journal = at.head.journal.cleared();
        Ok(HistoryCleared { cleared, revision: at.head.revision_id() })
    }
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Direction {
    Undo,
    Redo,
}

/// The canvas after an undo or a redo.
pub(super) struct Undone {
    pub(super) faces: Faces,
    /// The revision of the last entry of each face.
    pub(super) revisions: PerFace<Revision>,
    #[cfg(feature = "board")]
    pub(super) events: Vec<CanvasEvent>,
    /// The journal entries that record it.
    pub(super) done: Vec<HistoryEntry>,
    pub(super) kept: Vec<KeptChange>,
}

impl Transition<'_> {
    /// Checks the turn of a model that names no lease. If the model names one, checks that the lease is valid and that
    /// the user did not act after the turn began.
    pub(super) fn authorize_undo(&mut self, operation: &OpKey, by: Author) -> Result<(), Stop<UndoRefusal>> {
        match by {
            Author::User | Author::Host => Ok(()),
            Author::Assistant { lease: None } => self.check_turn(operation),
            Author::Assistant { lease } => {
                self.authorize_change::<UndoRefusal>(operation, lease)?;
                self.check_user_has_not_acted()
            }
        }
    }

    /// Refuses a model's undo or redo of a decision on proposals, before anything else is checked.
    fn check_no_decision(
        &self,
        by: Author,
        start: Option<BlobId>,
        steps: NonZeroU32,
    ) -> Result<(), Stop<UndoRefusal>> {
        if !matches!(by, Author::Assistant { .. }) {
            return Ok(());
        }
        match self.chain(start, steps) {
            Ok(entries) if entries.iter().any(|entry| entry.is_decision()) => {
                Err(Stop::refused(ProposalRefusal::DecisionByModel))
            }
            Err(Stop::Missing(missing)) => Err(missing.into()),
            Ok(_) | Err(Stop::Refused(_)) => Ok(()),
        }
    }

    /// In a turn of its own, a conversation undoes only its own changes, which [`Transition::authorize_entries`] checks.
    fn check_user_has_not_acted(&self) -> Result<(), Stop<UndoRefusal>> {
        if self.has_own_turn() {
            return Ok(());
        }
        let Head { lock, turn_start, user_revision, .. } = &self.head;
        if lock.epoch() != turn_start.epoch || *user_revision > turn_start.revision {
            return Err(Stop::refused(HistoryRefusal::UserActed));
        }
        Ok(())
    }

    /// Like [`Transition::authorize_faces`]. If a model names no lease, also checks that the user did not act after the
    /// turn began.
    pub(super) fn authorize_entries<'e>(
        &mut self,
        operation: &OpKey,
        by: Author,
        entries: impl IntoIterator<Item = &'e Entry>,
    ) -> Result<(), Stop<UndoRefusal>> {
        self.authorize_faces(operation, by, entries)?;
        match by {
            Author::Assistant { lease: None } => self.check_user_has_not_acted(),
            _ => Ok(()),
        }
    }

    /// Checks that a model may write the document before it undoes document entries; entries of other faces need no
    /// lease. An undo by a model never widens the policy of a surface.
    pub(super) fn authorize_faces<'e>(
        &mut self,
        operation: &OpKey,
        by: Author,
        entries: impl IntoIterator<Item = &'e Entry>,
    ) -> Result<(), Stop<UndoRefusal>> {
        let entries: Vec<_> = entries.into_iter().collect();
        if matches!(by, Author::Assistant { .. }) && entries.iter().any(|entry| entry.is_decision()) {
            return Err(Stop::refused(ProposalRefusal::DecisionByModel));
        }
        let has_document = || entries.iter().any(|entry| entry.document().is_some());
        #[cfg(feature = "surface")]
        if matches!(by, Author::Assistant { .. }) {
            entries.iter().try_for_each(|entry| self.check_widening(entry))?;
        }
        if matches!(by, Author::Assistant { .. }) && self.has_own_turn() {
            let is_own = |entry: &&Entry| entry.made_by().is_of(self.who, None);
            if !entries.iter().all(is_own) {
                return Err(Stop::refused(HistoryRefusal::UserActed));
            }
        }
        match by {
            Author::User | Author::Assistant { lease: Some(_) } => Ok(()),
            Author::Assistant { lease: None } if has_document() => {
                self.authorize_change::<UndoRefusal>(operation, None).map(drop)
            }
            Author::Assistant { lease: None } => Ok(()),
            Author::Host if has_document() => self.check_free(),
            Author::Host => Ok(()),
        }
    }

    /// Replaces the canvas by the result of an undo, on behalf of its author.
    pub(super) fn put_undone(
        &mut self,
        by: Author,
        undone: Undone,
    ) -> Result<HistoryMove, Stop<UndoRefusal>> {
        // A partial undo may leave everything in place.
        let faces = if undone.done.is_empty() { Faces::default() } else { undone.faces };
        if let Some(at) = self.changed_document(&faces)
            && by != Author::User
            && !self.head.protected.is_empty()
        {
            let delta = Delta::between(self.view.text(), at.text());
            self.check_protected::<UndoRefusal>(at.text(), &delta)?;
        }
        self.put_faces(by, faces, &undone.revisions);
        Ok(HistoryMove {
            entries: undone.done,
            kept: undone.kept,
            #[cfg(feature = "board")]
            events: undone.events,
            epoch: self.head.lock.epoch(),
            revision: self.head.revision_id(),
        })
    }

    /// Returns the document unless it is the current one. A decision that only rejects leaves it as it was.
    fn changed_document<'f>(&self, faces: &'f Faces) -> Option<&'f DocumentAt> {
        faces.document.at.as_ref().filter(|at| at.blob.id() != self.view.head.document())
    }

    /// Replaces faces of the canvas, on behalf of an author. `revisions` has the one that changed each face.
    pub(super) fn put_faces(&mut self, by: Author, mut faces: Faces, revisions: &PerFace<Revision>) {
        let document = self.changed_document(&faces).map(|at| at.blob.clone());
        if document.is_some() && by == Author::User {
            self.preempt(PreemptionCause::UserEdit);
        }
        document.iter().for_each(|document| self.head.set_document(document));
        for face in Face::ALL {
            let (blobs, contents) = (&mut self.blobs, &mut self.contents);
            let mut draft = Draft { tree: &mut self.head.draft, blobs, contents, older: self.view.contents };
            if faces.put(face, &mut draft) && (face != Face::Document || document.is_some()) {
                self.head.faces[face] = revisions[face].max(self.head.faces[face]);
                // A user's edit of the document has already preempted.
                if face != Face::Document && by == Author::User {
                    self.head.user_revision = self.head.revision;
                }
            }
        }
        if document.is_some() && by != Author::User {
            self.mark_written(None);
        }
    }

    /// Inverts the last changes, or the last undos. Each gets its own entry and revision, so that each can be undone
    /// separately.
    pub(super) fn undo_entries(
        &mut self,
        operation: &OpKey,
        by: Author,
        direction: Direction,
        entries: Vec<&Entry>,
    ) -> Result<Undone, Stop<UndoRefusal>> {
        let kind = match direction {
            Direction::Undo => EntryKind::Undo,
            Direction::Redo => EntryKind::Redo,
        };
        let last = self
            .head
            .revision
            .get()
            .checked_add(entries.len() as u64)
            .and_then(|last| Revision::new(last).ok());
        if last.is_none() {
            return Err(Stop::refused(LimitRefusal::Exhausted { counter: Counter::Revision }));
        }
        let mut undone = self.invert(&entries)?;
        let below = entries.last().and_then(|entry| entry.below());
        for entry in entries {
            let before = self.head.revision;
            self.next_revision::<UndoRefusal>()?;
            for step in entry.steps() {
                undone.revisions[step.face()] = self.head.revision;
            }
            let inverse =
                |step: &Step| step.inverse().expect("a face that is not supported was refused above");
            undone.done.extend(self.push(NewEntry {
                kind,
                change: Some(entry.change),
                actor: by.actor(),
                author: entry.author,
                written_by: entry.written_by(),
                first_made_by: entry.first_made_by(),
                step: inverse(&entry.step),
                also: entry.also.iter().map(inverse).collect(),
                decisions: Decision::inverse(&entry.decisions),
                reverts: entry.reverts.clone(),
                operation: operation.clone(),
                at: self.view.clock,
                summary: entry.summary.clone(),
                revisions: (before, self.head.revision),
            }));
        }
        match direction {
            Direction::Undo => self.head.journal.undo = below,
            Direction::Redo => self.head.journal.redo = below,
        }
        Ok(undone)
    }

    /// Returns the faces after inverting the steps of some entries, one after the other.
    fn invert(&self, entries: &[&Entry]) -> Result<Undone, Stop<UndoRefusal>> {
        let files = self.view.files();
        let mut faces = self.faces_for(entries.iter().copied())?;
        #[cfg(feature = "board")]
        let mut events = Vec::new();
        for entry in entries {
            self.check_effects(entry)?;
            for step in entry.steps() {
                faces.play(Way::Back, step, &files).map_err(|Mismatch| self.unplayed(entry, step))?;
                #[cfg(feature = "board")]
                events.extend(faces.events(step.face()));
            }
        }
        faces.document.at.iter().try_for_each(|at| self.check_size::<UndoRefusal>(at.text().len()))?;
        let last = EntryNumber::new(self.head.journal.entries);
        for face in Face::ALL {
            faces.seal(face).map_err(|Mismatch| damaged(last))?;
        }
        #[cfg(feature = "surface")]
        self.check_state::<UndoRefusal>(&faces)?;
        Ok(Undone {
            faces,
            revisions: PerFace::default(),
            #[cfg(feature = "board")]
            events,
            done: Vec::with_capacity(entries.len()),
            kept: Vec::new(),
        })
    }

    /// Returns the current state of the faces that these entries changed. Requests everything not yet loaded at once.
    pub(super) fn faces_for<'e>(&self, entries: impl Iterator<Item = &'e Entry>) -> Result<Faces, Missing> {
        let mut faces = Faces::default();
        self.read_faces(&mut faces, entries).map(|()| faces)
    }

    /// Like [`Transition::faces_for`], but does not read a face again if steps acted on it.
    pub(super) fn read_faces<'e>(
        &self,
        faces: &mut Faces,
        entries: impl Iterator<Item = &'e Entry>,
    ) -> Result<(), Missing> {
        let missing = faces.read_all(Way::Back, entries.flat_map(Entry::steps), &self.view.files());
        if missing.is_empty() { Ok(()) } else { Err(Missing::all(missing)) }
    }

    /// Refuses an entry if a later effect touched the same place.
    pub(super) fn check_effects(&self, entry: &Entry) -> Result<(), Stop<UndoRefusal>> {
        let journal = &self.view.head.journal;
        match entry.steps().find_map(|step| journal.effect_on(step, entry.number.get())) {
            None => Ok(()),
            Some((path, effect)) => Err(Stop::refused(HistoryRefusal::EffectConflict {
                change: entry.change,
                path: path.to_owned(),
                effect: EntryNumber::new(effect),
            })),
        }
    }

    /// Returns the reason why a step of an entry does not apply to the canvas.
    pub(super) fn unplayed(&self, entry: &Entry, step: &Step) -> Stop<UndoRefusal> {
        if let &Step::Unsupported { face, .. } = step {
            return Stop::refused(HistoryRefusal::FaceNotSupported { face });
        }
        // `faces_for` leaves out a face that it cannot read.
        let read = Faces::default().read(Way::Back, step, &self.view.files());
        match read {
            Err(ReadError::Damaged(_)) if step.face() == Face::Board => {
                Stop::refused(BoardRefusal::BoardDamaged)
            }
            _ => damaged(entry.number),
        }
    }
}

fn damaged(entry: EntryNumber) -> Stop<UndoRefusal> {
    Stop::refused(HistoryRefusal::HistoryDamaged { entry })
}
