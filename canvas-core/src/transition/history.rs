//! Undo and redo: changes that take other changes back, on every face by one journal.

use std::borrow::Cow;
use std::num::NonZeroU32;

use canvas_lease::{Epoch, PreemptionCause};
use canvas_patch::Delta;

use crate::board::{Board, CanvasEvent, StoredBoard};
use crate::history::journal::{ChangeNumber, Entry, EntryKind, EntryNumber, NewEntry, Step as Change};
use crate::model::author::{Actor, Author};
use crate::model::blob::{Blob, BlobId};
use crate::model::head::Head;
use crate::model::id::OpKey;
use crate::model::revision::{Revision, RevisionId};
use crate::transition::command::Undo;
use crate::transition::decide::{Step, Stop};
use crate::transition::outcome::{HistoryEntry, Outcome};
use crate::transition::refusal::{Counter, Refusal};

use crate::transition::revert::Selection;

/// A change that is about to be recorded.
pub(super) struct Record<'o> {
    pub(super) kind: EntryKind,
    pub(super) actor: Actor,
    pub(super) operation: &'o OpKey,
    pub(super) summary: String,
}

/// The faces that changes were taken back from, and the entries that tell of it.
pub(super) struct Walked {
    pub(super) document: Option<Blob>,
    pub(super) board: Option<StoredBoard>,
    pub(super) events: Vec<CanvasEvent>,
    pub(super) done: Vec<HistoryEntry>,
}

/// What an undo or a redo has come to.
struct Done {
    entries: Vec<HistoryEntry>,
    events: Vec<CanvasEvent>,
    epoch: Epoch,
    revision: RevisionId,
}

impl Step<'_> {
    /// Undoes the last changes, one change, or all of one author.
    pub(super) fn undo(&mut self, operation: &OpKey, by: Author, what: Undo) -> Result<Outcome, Stop> {
        self.may_walk(operation, by)?;
        let actor = by.actor();
        let walk = match what {
            Undo::Steps(steps) => {
                let entries = self.chain(self.head.journal.undo, steps)?;
                self.take_back(operation, by, Way::Back, entries)?
            }
            Undo::To(change) => {
                let entries = self.chain_to(change)?;
                self.take_back(operation, by, Way::Back, entries)?
            }
            Undo::Change(change) => self.revert(operation, by, Selection::Change(change))?,
            Undo::Author { author, since } => {
                let since = since.map_or(0, |revision| revision.get());
                self.revert(operation, by, Selection::Author { author, since })?
            }
        };
        let Done { entries, events, epoch, revision } = self.walked(actor, walk)?;
        Ok(Outcome::Undone { entries, events, epoch, revision })
    }

    /// Does again what was undone last.
    pub(super) fn redo(&mut self, operation: &OpKey, by: Author, steps: NonZeroU32) -> Result<Outcome, Stop> {
        self.may_walk(operation, by)?;
        let entries = self.chain(self.head.journal.redo, steps)?;
        let walk = self.take_back(operation, by, Way::Forth, entries)?;
        let Done { entries, events, epoch, revision } = self.walked(by.actor(), walk)?;
        Ok(Outcome::Redone { entries, events, epoch, revision })
    }

    /// Forgets the history; the document stays.
    pub(super) fn clear_history(&mut self) -> Outcome {
        let cleared = self.head.journal.last.is_some();
        self.head.journal = self.head.journal.cleared();
        Outcome::HistoryCleared { cleared, revision: self.head.revision_id() }
    }

    /// Puts a change into the journal. The head has what it led to and the revision already.
    pub(super) fn record(&mut self, record: Record<'_>, step: Change) -> Option<HistoryEntry> {
        let Record { kind, actor, operation, summary } = record;
        let (change, author, reverts) = (None, actor, None);
        let revisions = (self.view.head.revision, self.head.revision);
        let (operation, at) = (operation.clone(), self.view.clock);
        self.push(NewEntry { kind, change, actor, author, reverts, operation, at, summary, revisions, step })
    }

    pub(super) fn push(&mut self, entry: NewEntry) -> Option<HistoryEntry> {
        if self.policy.history == 0 {
            // A chain with a gap would lead to a text that never was.
            self.head.journal = self.head.journal.cleared();
            return None;
        }
        let (entry, blob) = self.head.journal.push(entry);
        self.blobs.push(blob);
        Some(HistoryEntry::from(&entry))
    }

    /// The step from the document of the view to that of the head.
    pub(super) fn document_step(&self, delta: Delta) -> Change {
        self.change(self.view.head.document(), self.head.document(), delta)
    }

    pub(super) fn change(&self, before: BlobId, after: BlobId, delta: Delta) -> Change {
        let delta = (delta.len_bytes() <= self.policy.history_entry_bytes).then_some(delta);
        Change::Document { before, after, delta }
    }

    /// The user must not have acted since a model's turn began; a lease that is named must be valid.
    fn may_walk(&mut self, operation: &OpKey, by: Author) -> Result<(), Stop> {
        let Author::Assistant { lease } = by else { return Ok(()) };
        if lease.is_some() {
            self.may_change(operation, lease)?;
            return self.user_has_not_acted();
        }
        self.is_its_turn(operation)
    }

    fn user_has_not_acted(&self) -> Result<(), Stop> {
        let Head { lock, turn_start, user_revision, .. } = &self.head;
        if lock.epoch() != turn_start.epoch || *user_revision > turn_start.revision {
            return Err(Refusal::UserActed.into());
        }
        Ok(())
    }

    /// A model takes document entries back only where it may write; those of the board need no lease.
    pub(super) fn may_take_back<'e>(
        &mut self,
        operation: &OpKey,
        by: Author,
        entries: impl IntoIterator<Item = &'e Entry>,
    ) -> Result<(), Stop> {
        let mut entries = entries.into_iter();
        let mut has_document = || entries.any(|entry| matches!(entry.step, Change::Document { .. }));
        match by {
            Author::User | Author::Assistant { lease: Some(_) } => Ok(()),
            Author::Assistant { lease: None } => {
                if has_document() {
                    self.may_change(operation, None)?;
                }
                self.user_has_not_acted()
            }
            Author::Host if has_document() => self.nobody_holds(),
            Author::Host => Ok(()),
        }
    }

    /// Makes what the walk has come to the canvas, in the name of whoever asked.
    fn walked(&mut self, by: Actor, walk: Walked) -> Result<Done, Stop> {
        if let Some(document) = walk.document {
            if by == Actor::User {
                self.preempt(PreemptionCause::UserEdit);
            }
            self.put(document);
            if by != Actor::User {
                self.sees(self.head.now())?;
            }
        }
        if let Some(board) = walk.board {
            self.put_board(board);
            if by == Actor::User {
                self.head.user_revision = self.head.revision;
            }
        }
        let (epoch, revision) = (self.head.lock.epoch(), self.head.revision_id());
        Ok(Done { entries: walk.done, events: walk.events, epoch, revision })
    }

    /// Takes back what the last changes, or the last undoings, did: each by an entry and a revision of its own, so that
    /// each can be taken back by itself.
    fn take_back(
        &mut self,
        operation: &OpKey,
        by: Author,
        way: Way,
        entries: Vec<Entry>,
    ) -> Result<Walked, Stop> {
        let kind = match way {
            Way::Back => EntryKind::Undo,
            Way::Forth => EntryKind::Redo,
        };
        self.may_take_back(operation, by, &entries)?;
        let last = self.head.revision.get().checked_add(entries.len() as u64).and_then(Revision::new);
        last.ok_or(Refusal::Exhausted { counter: Counter::Revision })?;
        let Played { document, board, events } = self.play(&entries)?;
        let below = entries.last().and_then(Entry::below);

        let mut done = Vec::with_capacity(entries.len());
        for entry in entries {
            let before = self.head.revision;
            self.head.revision = before.next().unwrap_or(before);
            done.extend(self.push(NewEntry {
                kind,
                change: Some(entry.change),
                actor: by.actor(),
                author: entry.author,
                step: entry.step.inverse(),
                reverts: entry.reverts,
                operation: operation.clone(),
                at: self.view.clock,
                summary: entry.summary,
                revisions: (before, self.head.revision),
            }));
        }
        match way {
            Way::Back => self.head.journal.undo = below,
            Way::Forth => self.head.journal.redo = below,
        }
        Ok(Walked { document, board, events, done })
    }

    /// The faces after the steps of some entries were taken back, one after the other.
    fn play(&self, entries: &[Entry]) -> Result<Played, Stop> {
        let mut text = Cow::Borrowed(self.view.text());
        let mut board: Option<Board> = None;
        // What each face is by what the entries say.
        let (mut document_id, mut board_id) = (None, None);
        let now = &self.view.head;
        let mut events = Vec::new();
        for entry in entries {
            match entry.step.inverse() {
                Change::Document { before, after, delta } => {
                    if before != document_id.unwrap_or_else(|| now.document()) {
                        return Err(damaged(entry).into());
                    }
                    let step = (after, delta);
                    text = Cow::Owned(self.walk(&text, &step).ok_or_else(|| damaged(entry))??);
                    document_id = Some(after);
                }
                Change::Board { before, after, patch, .. } => {
                    if Some(before) != board_id.or_else(|| now.board()) {
                        return Err(damaged(entry).into());
                    }
                    let live = match &mut board {
                        Some(board) => board,
                        none => none.insert(Board::clone(&*self.board_now()?)),
                    };
                    live.apply(&patch).map_err(|_| damaged(entry))?;
                    events.extend(live.events_of(&patch));
                    board_id = Some(after);
                }
            }
        }
        let document = document_id.map(|_| Blob::text(text.into_owned()));
        if let Some(document) = &document {
            self.fits(document.as_bytes().len())?;
        }
        let board = board.map(Board::encode);
        let is = (document.as_ref().map(Blob::id), board.as_ref().map(|board| board.root.id()));
        if is != (document_id, board_id) {
            return Err(Refusal::HistoryDamaged { entry: EntryNumber::new(self.head.journal.entries) }.into());
        }
        Ok(Played { document, board, events })
    }

    /// So many entries of a chain.
    fn chain(&self, start: Option<BlobId>, steps: NonZeroU32) -> Result<Vec<Entry>, Stop> {
        let limit = self.policy.history_reach;
        if usize::try_from(steps.get()).is_ok_and(|steps| steps > limit) {
            return Err(Refusal::HistoryTooDeep { limit }.into());
        }
        let (mut entries, mut next) = (Vec::new(), start);
        for available in 0..steps.get() {
            let Some(entry) = self.kept(next)? else {
                return Err(Refusal::HistoryEmpty { asked: steps.get(), available }.into());
            };
            next = entry.below();
            entries.push(entry);
        }
        Ok(entries)
    }

    /// The last changes down to one.
    fn chain_to(&self, change: ChangeNumber) -> Result<Vec<Entry>, Stop> {
        let limit = self.policy.history_reach;
        let (mut entries, mut next) = (Vec::new(), self.head.journal.undo);
        while let Some(entry) = self.kept(next)? {
            if entries.len() == limit {
                return Err(Refusal::HistoryTooDeep { limit }.into());
            }
            next = entry.below();
            let is_it = entry.change == change;
            entries.push(entry);
            if is_it {
                return Ok(entries);
            }
        }
        Err(Refusal::HistoryNotFound { change }.into())
    }

    /// The text after a step; `None` where it does not fit.
    fn walk(&self, text: &str, (after, delta): &(BlobId, Option<Delta>)) -> Option<Result<String, Stop>> {
        match delta {
            Some(delta) => delta.apply(text).ok().map(Ok),
            None => match self.view.blob(*after) {
                Ok(blob) => blob.as_text().map(|text| Ok(text.to_owned())),
                Err(missing) => Some(Err(missing.into())),
            },
        }
    }

    /// An entry that is still kept; `None` where the history ends.
    pub(super) fn kept(&self, id: Option<BlobId>) -> Result<Option<Entry>, Stop> {
        let Some(id) = id else { return Ok(None) };
        let blob = self.view.blob(id)?;
        let entries = self.head.journal.entries;
        let entry = Entry::read(blob).ok_or(Refusal::HistoryDamaged { entry: EntryNumber::new(entries) })?;
        Ok((entry.is_kept(self.policy.history, entries)).then_some(entry))
    }
}

/// The faces after a walk; what was not touched is not there.
struct Played {
    document: Option<Blob>,
    board: Option<StoredBoard>,
    events: Vec<CanvasEvent>,
}

#[derive(Debug, Clone, Copy)]
enum Way {
    Back,
    Forth,
}

pub(super) fn damaged(entry: &Entry) -> Refusal {
    Refusal::HistoryDamaged { entry: entry.number }
}
