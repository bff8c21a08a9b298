//! A transition under way: the head as it will be.

use canvas_lease::{Fence, PreemptionCause, Timestamp};
use canvas_patch::{Delta, TextEdit};

use crate::document::step::DocumentStep;
use crate::face::contents::Contents;
use crate::history::journal::{EntryKind, HistoryEntry, NewEntry};
use crate::history::step::Step;
use crate::model::author::Actor;
use crate::model::blob::{Blob, Missing};
use crate::model::face::Face;
use crate::model::head::Head;
use crate::model::id::{ConversationId, OpKey};
use crate::model::revision::Revision;
use crate::transition::policy::Policy;
use crate::transition::refusal::{Counter, LimitRefusal};
use crate::transition::view::View;

/// Why a command is not done, or not yet.
#[derive(Debug)]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
pub enum Stop<R> {
    /// Boxed, so that functions which succeed do not carry the room for it.
    Refused(Box<R>),
    /// These blobs are needed first.
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

/// A change that is about to be recorded.
pub(super) struct Record<'o> {
    pub(super) actor: Actor,
    pub(super) operation: &'o OpKey,
    pub(super) summary: String,
}

/// The head of a view with what a command has changed so far. A refusal drops all of that but the lock.
#[derive(Debug)]
#[expect(unnameable_types, reason = "only the sealed part of `Command` speaks of it")]
pub struct Transition<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) policy: &'a Policy,
    /// The conversation that asks.
    pub(super) who: &'a ConversationId,
    pub(super) head: Head,
    pub(super) blobs: Vec<Blob>,
    /// The faces that have new roots.
    pub(super) contents: Contents,
    pub(super) not_after: Option<Timestamp>,
    /// Who has changed content.
    pub(super) actor: Option<Actor>,
    /// The revision after the last entry that was recorded.
    recorded: Revision,
    /// The lease under which the call is done, once that is sure.
    pub(super) fence: Option<Fence>,
}

impl<'a> Transition<'a> {
    pub(super) fn new(view: &'a View<'a>, policy: &'a Policy, who: &'a ConversationId) -> Self {
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
        }
    }

    /// A read is stored only where it changes who holds the lease, until when, or what the conversation has seen.
    pub(super) fn is_worth_a_commit(&self) -> bool {
        self.head.lock.lease() != self.view.head.lock.lease()
            || self.head.lock.epoch() != self.view.head.lock.epoch()
            || self.head.conversations != self.view.head.conversations
    }

    /// Keeps the time of a change of the surface, whatever has changed it.
    pub(super) fn date_surface(&mut self) {
        if self.head.faces[Face::Surface] != self.view.head.faces[Face::Surface] {
            self.head.surface_changed = Some(self.view.clock);
        }
    }

    pub(super) fn preempt(&mut self, cause: PreemptionCause) {
        self.head.lock.preempt(&self.policy.lease, self.view.clock, cause);
    }

    pub(super) fn next_revision<R: From<LimitRefusal>>(&mut self) -> Result<(), Stop<R>> {
        let next = self.head.revision.next();
        let exhausted = LimitRefusal::Exhausted { counter: Counter::Revision };
        self.head.revision = next.ok_or_else(|| Stop::refused(exhausted))?;
        Ok(())
    }

    pub(super) fn check_size<R: From<LimitRefusal>>(&self, bytes: usize) -> Result<(), Stop<R>> {
        let limit = self.policy.document_bytes;
        if bytes <= limit { Ok(()) } else { Err(Stop::refused(LimitRefusal::TooLarge { bytes, limit })) }
    }

    /// Makes a text, which some edits make of the document, the document of the next revision.
    pub(super) fn replace_document<R: From<LimitRefusal>>(
        &mut self,
        text: String,
        edits: &[TextEdit],
    ) -> Result<(), Stop<R>> {
        self.check_size(text.len())?;
        self.next_revision()?;
        let document = Blob::document_after(self.view.contents.document(), text, edits);
        self.put_document(document, edits);
        Ok(())
    }

    /// Makes a text the document of the revision that the head has. `edits` lead to it, or are left out.
    pub(super) fn put_document(&mut self, blob: Blob, edits: &[TextEdit]) {
        self.head.set_document(&blob);
        self.head.faces[Face::Document] = self.head.revision;
        // The document of the view is there, chunks and all, and stays.
        self.blobs.extend(blob.to_put(self.view.contents.document()));
        self.contents.put_document(blob, self.view.contents, edits);
    }

    /// Puts a change into the journal. The head has what it led to and the revision already.
    pub(super) fn record(&mut self, record: Record<'_>, step: Step) -> Option<HistoryEntry> {
        self.record_as(EntryKind::Edit, record, step, None)
    }

    /// As [`Transition::record`], for what a tool or a job has changed: nobody undoes it.
    #[cfg(feature = "surface")]
    pub(super) fn record_effect(
        &mut self,
        record: Record<'_>,
        step: Step,
        also: Option<Step>,
    ) -> Option<HistoryEntry> {
        self.record_as(EntryKind::Effect, record, step, also)
    }

    fn record_as(
        &mut self,
        kind: EntryKind,
        record: Record<'_>,
        step: Step,
        also: Option<Step>,
    ) -> Option<HistoryEntry> {
        let Record { actor, operation, summary } = record;
        let before = std::mem::replace(&mut self.recorded, self.head.revision);
        self.push(NewEntry {
            kind,
            change: None,
            actor,
            author: actor,
            reverts: None,
            operation: operation.clone(),
            at: self.view.clock,
            summary,
            revisions: (before, self.head.revision),
            step,
            also,
        })
    }

    pub(super) fn push(&mut self, entry: NewEntry) -> Option<HistoryEntry> {
        self.actor = Some(entry.actor);
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
    pub(super) fn document_step(&self, delta: Delta) -> Step {
        let ends = (self.view.head.document(), self.head.document());
        DocumentStep::new(ends, delta, self.policy.history_entry_bytes).into()
    }
}
