//! Undo and redo: changes that take other changes back.

use std::borrow::Cow;
use std::num::NonZeroU32;

use canvas_lease::{Cause, Epoch};
use canvas_patch::Delta;

use super::{Step, Stop};
use crate::document::command::{Party, Undo};
use crate::document::outcome::{HistoryEntry, Outcome};
use crate::document::refusal::{Counter, Refusal};
use crate::ground::blob::{Blob, BlobId};
use crate::ground::id::OpKey;
use crate::ground::journal::{Actor, Entry, EntryKind, NewEntry, Reverts, Step as Change};
use crate::ground::revision::{Revision, RevisionId};

/// A change that is about to be recorded.
pub(super) struct Record<'o> {
    pub(super) kind: EntryKind,
    pub(super) actor: Actor,
    pub(super) operation: &'o OpKey,
    pub(super) summary: String,
}

/// The document that changes were taken back from, and the entries that tell of it.
struct Walked {
    document: Blob,
    done: Vec<HistoryEntry>,
}

impl Step<'_> {
    /// Undoes the last changes, one change, or all of one author.
    pub(super) fn undo(&mut self, operation: &OpKey, by: Party, what: Undo) -> Result<Outcome, Stop> {
        self.may_walk(operation, by)?;
        let actor = by.actor();
        let walk = match what {
            Undo::Steps(steps) => self.steps(operation, actor, Way::Back, steps)?,
            Undo::Change(change) => self.revert(operation, actor, Selection::Change(change))?,
            Undo::Author { author, since } => {
                let since = since.map_or(0, |revision| revision.get());
                self.revert(operation, actor, Selection::Author { author, since })?
            }
        };
        self.walked(by, walk).map(|(entries, epoch, revision)| Outcome::Undone { entries, epoch, revision })
    }

    /// Does again what was undone last.
    pub(super) fn redo(&mut self, operation: &OpKey, by: Party, steps: NonZeroU32) -> Result<Outcome, Stop> {
        self.may_walk(operation, by)?;
        let walk = self.steps(operation, by.actor(), Way::Forth, steps)?;
        self.walked(by, walk).map(|(entries, epoch, revision)| Outcome::Redone { entries, epoch, revision })
    }

    /// Forgets the history; the document stays.
    pub(super) fn clear_history(&mut self) -> Outcome {
        let cleared = self.head.journal.last.is_some();
        self.head.journal = self.head.journal.cleared();
        Outcome::HistoryCleared { cleared, revision: self.head.revision_id() }
    }

    /// Puts a change into the journal. The head has the new document and revision already.
    pub(super) fn record(&mut self, record: Record<'_>, delta: Delta) -> Option<HistoryEntry> {
        let step = self.change(self.view.document.id(), self.head.document(), delta);
        let Record { kind, actor, operation, summary } = record;
        let (change, author, reverts) = (None, actor, None);
        let revisions = (self.view.head.revision, self.head.revision);
        let (operation, at) = (operation.clone(), self.view.clock);
        self.push(NewEntry { kind, change, actor, author, reverts, operation, at, summary, revisions, step })
    }

    fn push(&mut self, entry: NewEntry) -> Option<HistoryEntry> {
        if self.policy.history == 0 {
            // A chain with a gap would lead to a text that never was.
            self.head.journal = self.head.journal.cleared();
            return None;
        }
        let (entry, blob) = self.head.journal.push(entry);
        self.blobs.push(blob);
        Some(HistoryEntry::from(&entry))
    }

    fn change(&self, before: BlobId, after: BlobId, delta: Delta) -> Change {
        let delta = (delta.len_bytes() <= self.policy.history_entry_bytes).then_some(delta);
        Change::Document { before, after, delta }
    }

    /// A model must be allowed to write, and the user must not have acted since its turn began.
    fn may_walk(&mut self, operation: &OpKey, by: Party) -> Result<(), Stop> {
        let Party::Assistant { lease } = by else { return Ok(()) };
        self.may_change(operation, lease)?;
        if self.head.lease.epoch() != self.head.turn_start.epoch {
            return Err(Refusal::UserActed.into());
        }
        Ok(())
    }

    /// Makes the text the document, in the name of whoever asked.
    fn walked(&mut self, by: Party, walk: Walked) -> Result<(Vec<HistoryEntry>, Epoch, RevisionId), Stop> {
        if by == Party::User {
            self.preempt(Cause::UserEdit);
        }
        self.put(walk.document);
        if by != Party::User {
            self.sees(self.head.now())?;
        }
        Ok((walk.done, self.head.lease.epoch(), self.head.revision_id()))
    }

    /// Takes back what the last changes, or the last undoings, did: each by an entry and a revision of its own, so that
    /// each can be taken back by itself.
    fn steps(
        &mut self,
        operation: &OpKey,
        actor: Actor,
        way: Way,
        steps: NonZeroU32,
    ) -> Result<Walked, Stop> {
        let slot = self.head.journal;
        let (kind, start) = match way {
            Way::Back => (EntryKind::Undo, slot.undo),
            Way::Forth => (EntryKind::Redo, slot.redo),
        };
        let entries = self.chain(start, steps)?;
        let last = self.head.revision.get().checked_add(entries.len() as u64).and_then(Revision::new);
        last.ok_or(Refusal::Exhausted { counter: Counter::Revision })?;
        let mut text = Cow::Borrowed(self.view.text());
        for entry in &entries {
            text = Cow::Owned(self.walk(&text, &entry.step.inverse()).ok_or_else(|| damaged(entry))??);
        }
        self.fits(text.len())?;
        let document = Blob::text(text.into_owned());
        let Some(below) = entries.last().filter(|last| last.step.before() == document.id()).map(Entry::below)
        else {
            return Err(Refusal::HistoryDamaged { entry: slot.entries }.into());
        };

        let mut done = Vec::with_capacity(entries.len());
        for entry in entries {
            let before = self.head.revision;
            self.head.revision = before.next().unwrap_or(before);
            done.extend(self.push(NewEntry {
                kind,
                change: Some(entry.change),
                actor,
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
        Ok(Walked { document, done })
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

    /// The text after a step; `None` where it does not fit.
    fn walk(&self, text: &str, step: &Change) -> Option<Result<String, Stop>> {
        match step {
            Change::Document { delta: Some(delta), .. } => delta.apply(text).ok().map(Ok),
            Change::Document { after, delta: None, .. } => match self.view.blob(*after) {
                Ok(blob) => blob.as_text().map(|text| Ok(text.to_owned())),
                Err(missing) => Some(Err(missing.into())),
            },
        }
    }

    /// Takes changes back from under later ones, which are moved and stay. One that meets a later one refuses all.
    fn revert(&mut self, operation: &OpKey, actor: Actor, selection: Selection) -> Result<Walked, Stop> {
        let chosen = self.choose(selection)?;
        let mut text = Cow::Borrowed(self.view.text());
        let mut changes = Vec::new();
        let mut author = actor;
        // What stands after the entry that is looked at, oldest first, as if the chosen ones had never been.
        let mut later: Vec<(u64, Delta)> = Vec::new();
        for (entry, is_chosen) in chosen {
            let Change::Document { delta, .. } = &entry.step;
            let met = |with| Refusal::HistoryConflict { change: entry.change, with };
            let Some(delta) = delta else {
                return Err(met(later.first().map_or(entry.change, |(with, _)| *with)).into());
            };
            if !is_chosen {
                later.insert(0, (entry.change, delta.clone()));
                continue;
            }
            let mut back = delta.inverse();
            for (with, delta) in &mut later {
                let moved = delta.past(&back).map_err(|_| met(*with))?;
                back = back.past(delta).map_err(|_| met(*with))?;
                *delta = moved;
            }
            text = Cow::Owned(back.apply(&text).map_err(|_| damaged(&entry))?);
            changes.push(entry.change);
            author = entry.author;
        }
        let delta = Delta::between(self.view.text(), &text);
        let Some(count) = changes.len().checked_sub(1).filter(|_| !delta.is_empty()) else {
            return Err(Refusal::HistoryEmpty { asked: 1, available: 0 }.into());
        };
        self.fits(text.len())?;
        let document = Blob::text(text.into_owned());
        let s = if count == 0 { "" } else { "s" };
        let before = self.head.revision;
        self.head.revision = before.next().ok_or(Refusal::Exhausted { counter: Counter::Revision })?;
        let pushed = self.push(NewEntry {
            kind: EntryKind::Revert,
            change: None,
            actor,
            author: actor,
            reverts: Some(Reverts { changes, author }),
            operation: operation.clone(),
            at: self.view.clock,
            summary: format!("took back {} change{s}", count + 1),
            revisions: (before, self.head.revision),
            step: self.change(self.view.document.id(), document.id(), delta),
        });
        Ok(Walked { document, done: pushed.into_iter().collect() })
    }

    /// The changes that stand, newest first, down to the last that is chosen.
    fn choose(&self, selection: Selection) -> Result<Vec<(Entry, bool)>, Stop> {
        let mut entries: Vec<(Entry, bool)> = Vec::new();
        let mut taken_back: Vec<u64> = Vec::new();
        let mut next = self.head.journal.undo;
        while let Some(entry) = self.kept(next)? {
            if selection.ends_before(&entry) {
                break;
            }
            if entries.len() == self.policy.history_reach {
                return Err(Refusal::HistoryTooDeep { limit: self.policy.history_reach }.into());
            }
            next = entry.below();
            let stands = !taken_back.contains(&entry.change);
            let is_chosen = stands && selection.takes(&entry);
            // What took something back and was itself taken back did nothing.
            let reverts = entry.reverts.iter().filter(|_| stands);
            taken_back.extend(reverts.flat_map(|reverts| &reverts.changes));
            entries.push((entry, is_chosen));
            if is_chosen && matches!(selection, Selection::Change(_)) {
                break;
            }
        }
        match entries.iter().rposition(|(_, is_chosen)| *is_chosen) {
            Some(last) => entries.truncate(last + 1),
            None => return Err(selection.nothing().into()),
        }
        Ok(entries)
    }

    /// An entry that is still kept; `None` where the history ends.
    fn kept(&self, id: Option<BlobId>) -> Result<Option<Entry>, Stop> {
        let Some(id) = id else { return Ok(None) };
        let blob = self.view.blob(id)?;
        let entries = self.head.journal.entries;
        let entry = Entry::read(blob).ok_or(Refusal::HistoryDamaged { entry: entries })?;
        Ok((entry.number.saturating_add(self.policy.history) > entries).then_some(entry))
    }
}

#[derive(Debug, Clone, Copy)]
enum Way {
    Back,
    Forth,
}

fn damaged(entry: &Entry) -> Refusal {
    Refusal::HistoryDamaged { entry: entry.number }
}

/// Which of the changes that stand are taken back.
#[derive(Debug, Clone, Copy)]
enum Selection {
    Change(u64),
    /// All of an author that were made after a revision.
    Author {
        author: Actor,
        since: u64,
    },
}

impl Selection {
    fn takes(self, entry: &Entry) -> bool {
        match self {
            Self::Change(change) => entry.change == change,
            // Who took an own change back has nothing of it in the text any more.
            Self::Author { author, .. } => {
                entry.author == author
                    && entry.reverts.as_ref().is_none_or(|reverts| reverts.author != author)
            }
        }
    }

    /// Whether nothing older can be chosen.
    fn ends_before(self, entry: &Entry) -> bool {
        match self {
            // Done again, a change has a later number than its own, never an earlier one.
            Self::Change(change) => entry.number < change,
            Self::Author { since, .. } => entry.revision_after.get() <= since,
        }
    }

    fn nothing(self) -> Refusal {
        match self {
            Self::Change(change) => Refusal::HistoryNotFound { change },
            Self::Author { .. } => Refusal::HistoryEmpty { asked: 1, available: 0 },
        }
    }
}
