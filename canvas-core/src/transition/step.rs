//! A transition in progress, with the head as changed so far.

use std::borrow::Cow;
use std::sync::Arc;

use canvas_lease::{Fence, PreemptionCause, Timestamp};
use canvas_patch::{Delta, TextEdit};

use crate::document::step::DocumentStep;
use crate::face::contents::Contents;
use crate::history::blame::Blame;
use crate::history::journal::{Entry, EntryKind, HistoryEntry, NewEntry, made_by, written_by};
use crate::history::step::Step;
use crate::model::actor::Actor;
use crate::model::author::Role;
use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::conversation::RunningTurn;
use crate::model::face::Face;
use crate::model::format::Format;
use crate::model::head::Head;
use crate::model::id::ConversationId;
use crate::model::op_key::OpKey;
use crate::model::revision::Revision;
use crate::transition::pending::{InProposal, Move};
use crate::transition::policy::Policy;
use crate::transition::refusal::{Counter, LimitRefusal};
use crate::transition::view::View;

/// The reason why a command is not done, or not yet.
#[derive(Debug)]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
pub enum Stop<R> {
    /// A refusal. Boxed to keep the `Ok` path of functions small.
    Refused(Box<R>),
    /// These blobs must be loaded first.
    Missing(Missing),
}

impl<R> Stop<R> {
    pub(super) fn refused(refusal: impl Into<R>) -> Self {
        Self::Refused(Box::new(refusal.into()))
    }
}

impl<R> From<Missing> for Stop<R> {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

/// A change about to be recorded.
pub(super) struct Record<'o> {
    pub(super) actor: Role,
    pub(super) operation: &'o OpKey,
    pub(super) summary: String,
}

/// The head of a view with the changes of a command so far. A refusal drops all of them except the lock.
#[derive(Debug)]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
pub struct Transition<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) policy: &'a Policy,
    pub(super) who: &'a ConversationId,
    pub(super) head: Head,
    pub(super) blobs: Vec<Blob>,
    /// Faces with new roots.
    pub(super) contents: Contents,
    pub(super) not_after: Option<Timestamp>,
    /// The actor of the changes, if any.
    pub(super) actor: Option<Actor>,
    /// The revision after the last recorded entry.
    recorded: Revision,
    /// The fence of the lease that covers the call, once that is certain.
    pub(super) fence: Option<Fence>,
    /// The turn of the canvas, if the head has the conversation's own turn in its place.
    pub(super) shared: Option<RunningTurn>,
    /// The changes of the document past which the parts of proposals are yet to be moved.
    pub(super) moves: Vec<Move>,
    /// The entries recorded so far, with their ids.
    entries: Vec<(BlobId, Entry)>,
    /// Set if the command runs in the proposal of its conversation.
    pub(super) proposing: Option<InProposal<'a>>,
}

impl<'a> Transition<'a> {
    pub(super) fn new(
        view: &'a View<'a>,
        policy: &'a Policy,
        who: &'a ConversationId,
        shared: Option<RunningTurn>,
    ) -> Self {
        let (head, contents) = (view.head.clone(), Contents::default());
        Self {
            view,
            policy,
            who,
            head,
            blobs: Vec::new(),
            contents,
            not_after: None,
            actor: None,
            recorded: view.head.revision,
            fence: None,
            shared,
            moves: Vec::new(),
            entries: Vec::new(),
            proposing: None,
        }
    }

    /// Whether the conversation works in a turn of its own, in which writes need no lease.
    pub(super) fn has_own_turn(&self) -> bool {
        self.shared.is_some()
    }

    /// Puts the conversation's own turn back to the conversation, and the shared turn to the canvas.
    pub(super) fn put_turn(&mut self) {
        let Some(shared) = &self.shared else { return };
        let had_own = self.head.conversations.get(self.who).is_some_and(|known| known.turn.is_some());
        let has_own = had_own || !self.head.lock.is_same_state(&shared.lock);
        if has_own {
            self.make_room();
        }
        let Some(shared) = self.shared.take() else { return };
        let own = RunningTurn {
            lock: std::mem::replace(&mut self.head.lock, shared.lock),
            start: std::mem::replace(&mut self.head.turn_start, shared.start),
        };
        if has_own {
            let known = self.head.conversation(self.who);
            self.head.conversations.entry(self.who.clone()).or_insert(known).turn = Some(own);
        }
    }

    /// Ends the turns of all conversations.
    pub(super) fn end_turns(&mut self) {
        let Some(mut shared) = self.shared.take() else { return };
        // The conversation's own turn is in the head.
        shared.lock.close_after(&self.head.lock);
        if let Some(conversation) = self.head.conversations.get_mut(self.who) {
            conversation.turn = None;
        }
        (self.head.lock, self.head.turn_start) = (shared.lock, shared.start);
        self.head.end_turns();
    }

    /// Returns a blob of the canvas, even if this transition just made it.
    #[cfg(feature = "surface")]
    pub(super) fn blob(&self, id: BlobId) -> Result<&Blob, Missing> {
        self.blobs.iter().find(|blob| blob.id() == id).map_or_else(|| self.view.blob(id), Ok)
    }

    /// Whether a read must be stored. This is the case only if it changes the lease's holder or end, or the text seen
    /// by the conversation.
    pub(super) fn is_worth_a_commit(&self) -> bool {
        self.head.lock.lease() != self.view.head.lock.lease()
            || self.head.lock.epoch() != self.view.head.lock.epoch()
            || self.head.conversations != self.view.head.conversations
    }

    /// Records the time of a change of the surface, whichever command made it.
    pub(super) fn date_surface(&mut self) {
        if self.head.faces[Face::Surface] != self.view.head.faces[Face::Surface] {
            self.head.surface_changed = Some(self.view.clock);
        }
    }

    /// Ends the lease or the turn on behalf of a user. In a turn of its own, a conversation is interrupted only by its own
    /// messages and cancellations, or if somebody takes control of the canvas.
    pub(super) fn preempt(&mut self, cause: PreemptionCause) {
        match cause {
            PreemptionCause::UserEdit if self.has_own_turn() => {}
            PreemptionCause::TakeControl if self.has_own_turn() => self.end_turns(),
            _ => {
                self.head.lock.preempt(&self.policy.lease, self.view.clock, cause);
            }
        }
    }

    pub(super) fn next_revision<R: From<LimitRefusal>>(&mut self) -> Result<(), Stop<R>> {
        let next = self.head.revision.next();
        let exhausted = LimitRefusal::Exhausted { counter: Counter::Revision };
        self.head.revision = next.ok_or_else(|| Stop::refused(exhausted))?;
        Ok(())
    }

    pub(super) fn check_size<R: From<LimitRefusal>>(&self, bytes: usize) -> Result<(), Stop<R>> {
        let limit = self.policy.document.bytes;
        if bytes <= limit { Ok(()) } else { Err(Stop::refused(LimitRefusal::TooLarge { bytes, limit })) }
    }

    /// Makes a text the document of the next revision. `edits` lead from the current document to the text.
    pub(super) fn replace_document<R: From<LimitRefusal>>(
        &mut self,
        text: String,
        edits: &[TextEdit],
    ) -> Result<(), Stop<R>> {
        self.check_size(text.len())?;
        self.next_revision()?;
        self.change_proposal(&text).map_err(Stop::refused)?;
        let document = Blob::document_after(self.view.contents.document(), text, edits);
        self.put_document(document, edits);
        Ok(())
    }

    /// Makes a text the document of the head's current revision. `edits` lead to it, or are empty.
    pub(super) fn put_document(&mut self, blob: Blob, edits: &[TextEdit]) {
        self.head.set_document(&blob);
        self.head.faces[Face::Document] = self.head.revision;
        // The stored document stays, with its chunks.
        let blobs = blob.to_put(self.stored_document());
        self.blobs.extend(blobs);
        self.contents.put_document(blob, self.view.contents, edits);
    }

    /// Adds a change to the journal. The head already has the result and its revision.
    pub(super) fn record(&mut self, record: Record<'_>, step: Step) -> Option<HistoryEntry> {
        self.record_as(EntryKind::Edit, record, step, Vec::new())
    }

    /// Like [`Transition::record`], but for a change by a tool or a job, which cannot be undone.
    #[cfg(feature = "surface")]
    pub(super) fn record_effect(
        &mut self,
        record: Record<'_>,
        step: Step,
        also: Vec<Step>,
    ) -> Option<HistoryEntry> {
        self.record_as(EntryKind::Effect, record, step, also)
    }

    pub(super) fn record_as(
        &mut self,
        kind: EntryKind,
        record: Record<'_>,
        step: Step,
        also: Vec<Step>,
    ) -> Option<HistoryEntry> {
        let Record { actor, operation, summary } = record;
        let before = std::mem::replace(&mut self.recorded, self.head.revision);
        self.push(NewEntry {
            kind,
            change: None,
            actor,
            author: actor,
            written_by: written_by(operation, actor),
            first_made_by: None,
            reverts: None,
            operation: operation.clone(),
            at: self.view.clock,
            summary,
            revisions: (before, self.head.revision),
            step,
            also,
            decisions: Vec::new(),
        })
    }

    pub(super) fn push(&mut self, entry: NewEntry) -> Option<HistoryEntry> {
        self.actor = Some(made_by(&entry.operation, entry.actor));
        if self.proposing.is_some() {
            // A proposal has no history.
            return None;
        }
        self.gather(&entry);
        if self.policy.history.changes == 0 {
            // A chain with a gap would lead to a text that never existed.
            self.head.journal = self.head.journal.cleared();
            return None;
        }
        if self.head.format == Format::Shared {
            self.head.journal.near.get_or_insert_default();
        }
        let (entry, blob) = self.head.journal.push(entry);
        let summary = HistoryEntry::from(&entry).anonymous();
        self.entries.push((blob.id(), entry));
        self.blobs.push(blob);
        Some(summary)
    }

    /// Moves the blame past the recorded entries, if it is known, and stores it if that is due.
    pub(super) fn move_blame(&mut self) {
        if self.entries.is_empty() {
            return;
        }
        let Some(mut blame) = self.moved_blame() else { return };
        blame.trim();
        if self.head.journal.is_blame_due() {
            let blob = blame.to_blob();
            self.head.journal.name_blame(blob.id());
            self.blobs.push(blob);
        }
        Arc::new(blame).put(&mut self.contents);
    }

    fn moved_blame(&self) -> Option<Blame> {
        let mut blame = Blame::clone(&*Blame::of(self.view.contents, self.view.head)?);
        let mut text = Cow::Borrowed(self.view.text());
        for (id, entry) in &self.entries {
            let after = match (entry.document(), self.contents.document()) {
                (None, _) => text.clone(),
                (Some(step), Some(last)) if last.id() == step.after => Cow::Borrowed(last.as_text()?),
                (Some(step), _) => Cow::Owned(step.delta.as_ref()?.apply(&text).ok()?),
            };
            blame = blame.after((*id, entry), (&text, &after))?;
            text = after;
        }
        Some(blame)
    }

    /// Returns the step from the view's document to the head's.
    pub(super) fn document_step(&self, delta: Delta) -> Step {
        let ends = (self.view.head.document(), self.head.document());
        DocumentStep::new(ends, delta, self.policy.history.entry_bytes).into()
    }
}
