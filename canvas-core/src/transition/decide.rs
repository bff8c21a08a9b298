//! The rules of the document, as one pure step: view and call in, decision out.

use std::sync::Arc;

use canvas_lease::{Fence, LeaseId, PreemptionCause, Timestamp, Turn};
use canvas_patch::{ApplyError, Delta, Mode, Options, Repair, RepairKind, Suggestion, Summary, apply};

use crate::document::replace::{Hunk, Replacement, hunk};
use crate::history::journal::EntryKind;
use crate::model::author::{Actor, Author};
use crate::model::blob::Missing;
use crate::model::blob::{Blob, BlobId};
use crate::model::face::Face;
use crate::model::head::{Conversation, Head, TurnStart};
use crate::model::id::{ConversationId, OpKey};
use crate::model::path::TreePath;
use crate::model::receipt::{Answer, Recall, Receipt};
use crate::model::revision::RevisionId;
use crate::transition::command::{Call, Command};
use crate::transition::contents::Contents;
use crate::transition::history::Record;
use crate::transition::outcome::{AppliedPatch, LineSpan, Outcome, Promotion};
use crate::transition::policy::Policy;
use crate::transition::refusal::{Counter, Refusal};
use crate::transition::view::{Change, Decision, View};

/// Decides a call. Errors of the model come in the order of specs 000 §7: receipt, epoch, owner, expiry, patch.
pub(crate) fn decide(view: &View<'_>, policy: &Policy, call: &Call) -> Result<Decision, Missing> {
    if let Some(Err(refusal)) = call.command.access().map(|access| policy.permits(access)) {
        return Ok(Decision::refused(*refusal));
    }
    let digest = call.command.digest();
    if !call.command.is_read() {
        match view.head.receipts.recall(&call.operation, digest, |id| view.blob(id))? {
            Recall::New => {}
            Recall::Answered(answer) => {
                let outcome = recalled(&answer, |id| view.blob(id))?;
                return Ok(Decision { outcome, replayed: true, change: None });
            }
            Recall::Reused => return Ok(Decision::refused(Refusal::CallIdReused)),
            Recall::Void => return Ok(Decision::refused(Refusal::Abandoned)),
        }
    }
    let mut step = Step::new(view, policy, &call.operation.conversation);
    let outcome = match step.run(call) {
        Ok(outcome) => outcome,
        Err(Stop::Missing(missing)) => return Err(missing),
        Err(Stop::Refused(refusal)) => {
            step.refuse(&refusal);
            Outcome::Refused(*refusal)
        }
    };
    let needed = if call.command.is_read() {
        step.is_worth_a_commit()
    } else {
        let answer = Answer::keep(&outcome, &mut step.blobs);
        let receipt = Receipt { operation: call.operation.clone(), digest, fence: step.fence, answer };
        let live = step.head.lock.lease().map(|lease| lease.id.fence());
        step.head.receipts.push(receipt, live, policy.receipts, &mut step.blobs);
        true
    };
    let change = needed.then_some(Change {
        head: Arc::new(step.head),
        blobs: step.blobs,
        contents: step.contents,
        not_after: step.not_after,
    });
    Ok(Decision { outcome, replayed: false, change })
}

/// The answer that a receipt keeps.
pub(crate) fn recalled<'a>(
    answer: &Answer,
    blob: impl FnOnce(BlobId) -> Result<&'a Blob, Missing>,
) -> Result<Outcome, Missing> {
    let json = match answer {
        Answer::Inline(json) => json.as_str(),
        Answer::Stored(id) => blob(*id)?.as_text().unwrap_or_default(),
        Answer::Void => return Ok(Outcome::Refused(Refusal::Abandoned)),
    };
    // An answer that a damaged store has made unreadable must not be given twice, so the call is not done again.
    Ok(serde_json::from_str(json).unwrap_or(Outcome::Refused(Refusal::CallIdReused)))
}

/// Lines added and removed, and the stretches that they are in.
fn summary(delta: &Delta) -> Summary {
    let lines = |text: &str| text.split_inclusive('\n').count();
    let stretches = delta.edits();
    Summary {
        added: stretches.iter().map(|one| lines(&one.new)).sum(),
        removed: stretches.iter().map(|one| lines(&one.old)).sum(),
        hunks: stretches.len(),
    }
}

pub(super) enum Stop {
    /// Boxed, so that steps which succeed do not carry the room for it.
    Refused(Box<Refusal>),
    Missing(Missing),
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(Box::new(refusal))
    }
}

impl From<Box<Refusal>> for Stop {
    fn from(refusal: Box<Refusal>) -> Self {
        Self::Refused(refusal)
    }
}

impl From<Missing> for Stop {
    fn from(missing: Missing) -> Self {
        Self::Missing(missing)
    }
}

/// A transition under way: the head as it will be.
pub(super) struct Step<'a> {
    pub(super) view: &'a View<'a>,
    pub(super) policy: &'a Policy,
    pub(super) who: &'a ConversationId,
    pub(super) head: Head,
    pub(super) blobs: Vec<Blob>,
    /// The faces that have new roots.
    pub(super) contents: Contents,
    pub(super) not_after: Option<Timestamp>,
    /// The lease under which the call is done, once that is sure.
    pub(super) fence: Option<Fence>,
}

impl<'a> Step<'a> {
    pub(super) fn new(view: &'a View<'a>, policy: &'a Policy, who: &'a ConversationId) -> Self {
        let head = view.head.clone();
        let (blobs, contents) = (Vec::new(), Contents::default());
        Self { view, policy, who, head, blobs, contents, not_after: None, fence: None }
    }

    pub(super) fn run(&mut self, call: &Call) -> Result<Outcome, Stop> {
        match &call.command {
            Command::CheckOut => self.check_out(call),
            Command::Renew { lease } => {
                self.enter(*lease)?;
                self.renew(*lease)
            }
            Command::CheckIn { lease } => self.check_in(*lease),
            Command::Read { lease } => {
                let expires_at = self.may_read(*lease)?;
                self.sees(self.head.now())?;
                Ok(Outcome::Readable { revision: self.head.revision_id(), expires_at })
            }
            Command::Apply { lease, patch, base } => {
                let expires_at = self.may_write(call, *lease, *base, patch)?;
                self.apply(&call.operation, patch, Mode::Anchored, expires_at).map(Outcome::Applied)
            }
            Command::Replace { lease, replacement, base } => {
                // Its patch is made from the text now, so of the changes since the base it tells nothing.
                let expires_at = self.may_write(call, *lease, *base, "")?;
                self.replace(&call.operation, replacement, expires_at).map(Outcome::Applied)
            }
            Command::Edit { markdown } => self.edit(&call.operation, markdown),
            Command::Message => self.message(),
            Command::Forget => {
                self.know(|conversation| *conversation = Conversation::NOTHING)?;
                Ok(Outcome::Forgotten)
            }
            Command::Cancel => Ok(self.interrupt(PreemptionCause::Cancel)),
            Command::TakeControl => Ok(self.interrupt(PreemptionCause::TakeControl)),
            Command::Amend { base, delta, summary, .. } => self.amend(call, *base, delta, summary),
            Command::Undo { by, what } => self.undo(&call.operation, *by, *what),
            Command::Redo { by, steps } => self.redo(&call.operation, *by, *steps),
            Command::ClearHistory => Ok(self.clear_history()),
            Command::CreateBoard { workspace } => self.create_board(workspace),
            Command::Board { by, command, base } => {
                if matches!(by, Author::Assistant { .. }) {
                    self.is_its_turn(&call.operation)?;
                }
                self.board_command(&call.operation, by.actor(), command, *base)
            }
            Command::EndTurn { start } => self.end_turn(call.operation.turn, *start),
        }
    }

    pub(super) fn apply(
        &mut self,
        operation: &OpKey,
        patch: &str,
        mode: Mode,
        expires_at: Option<Timestamp>,
    ) -> Result<AppliedPatch, Stop> {
        let options = Options { mode, limits: self.policy.patch };
        let applied = match apply(self.view.text(), patch, &options) {
            Ok(applied) => applied,
            Err(e) => return Err(Refusal::PatchRejected(self.cut(e)).into()),
        };
        let (summary, repairs) = (applied.summary(), applied.repairs().to_vec());
        let spans = applied.spans().iter().map(LineSpan::from).collect();
        let delta = applied.delta();
        self.replace_document(applied.into_text())?;
        let summary_line = summary.to_string();
        let (kind, actor) = (EntryKind::Edit, Actor::Assistant);
        let step = self.document_step(delta);
        self.record(Record { kind, actor, operation, summary: summary_line }, step);
        self.sees(self.head.now())?;
        Ok(AppliedPatch { revision: self.head.revision_id(), summary, repairs, spans, expires_at })
    }

    /// Lines that are replaced are a patch too, so that nothing else changes a document under a lease.
    pub(super) fn replace(
        &mut self,
        operation: &OpKey,
        replacement: &Replacement,
        expires_at: Option<Timestamp>,
    ) -> Result<AppliedPatch, Stop> {
        let Hunk { patch, adapted } =
            hunk(self.view.text(), replacement, self.policy.refusal_diff_bytes).map_err(Refusal::from)?;
        let mut applied = self.apply(operation, &patch, Mode::Strict, expires_at)?;
        if adapted {
            applied.repairs.push(Repair { hunk: 1, kind: RepairKind::EolAdapted });
        }
        Ok(applied)
    }

    pub(super) fn edit(&mut self, operation: &OpKey, markdown: &str) -> Result<Outcome, Stop> {
        // The user has acted, whatever becomes of the text.
        self.preempt(PreemptionCause::UserEdit);
        self.fits(markdown.len())?;
        if markdown != self.view.text() {
            self.replace_document(markdown.to_owned())?;
            let delta = Delta::between(self.view.text(), markdown);
            let (kind, actor, summary) = (EntryKind::Edit, Actor::User, summary(&delta).to_string());
            let step = self.document_step(delta);
            self.record(Record { kind, actor, operation, summary }, step);
        }
        Ok(Outcome::Edited { epoch: self.head.lock.epoch(), revision: self.head.revision_id() })
    }

    pub(super) fn message(&mut self) -> Result<Outcome, Stop> {
        self.preempt(PreemptionCause::UserMessage);
        let promotion = self.promote();
        let start = TurnStart { epoch: self.head.lock.epoch(), revision: self.head.revision };
        self.head.turn_start = start;
        let changes = self.sync()?;
        Ok(Outcome::TurnBegan { start, changes, promotion })
    }

    pub(super) fn interrupt(&mut self, cause: PreemptionCause) -> Outcome {
        self.preempt(cause);
        Outcome::Interrupted { epoch: self.head.lock.epoch() }
    }

    pub(super) fn end_turn(&mut self, turn: Turn, start: TurnStart) -> Result<Outcome, Stop> {
        let holder = self.who.holder();
        // The end of a turn may come late, when the next one holds a lease under the same name.
        let is_running = turn == self.head.lock.turn();
        let own = self.head.lock.lease().filter(|lease| is_running && lease.holder == holder);
        if let Some(lease) = own.map(|lease| lease.id) {
            // A refusal means that the lease has ended by itself, which is all that is wanted.
            let _ = self.head.lock.check_in(&self.policy.lease, self.view.clock, lease, &holder);
        }
        let changes = self.sync()?;
        let whole = start.epoch == self.head.lock.epoch() && start.revision <= self.head.revision;
        let promotion = if whole { self.promote() } else { Promotion::StaleEpoch };
        Ok(Outcome::TurnEnded { changes, promotion })
    }

    pub(super) fn preempt(&mut self, cause: PreemptionCause) {
        self.head.lock.preempt(&self.policy.lease, self.view.clock, cause);
    }

    /// Passes a writer who knows the text that is to be changed.
    pub(super) fn may_write(
        &mut self,
        call: &Call,
        lease: Option<LeaseId>,
        base: Option<RevisionId>,
        patch: &str,
    ) -> Result<Option<Timestamp>, Stop> {
        let expires_at = self.may_change(&call.operation, lease)?;
        self.base_holds(base, patch)?;
        Ok(expires_at)
    }

    /// A refusal carries no diff past the policy's size, its own remedy included.
    pub(super) fn cut(&self, error: ApplyError) -> ApplyError {
        match error.suggestion() {
            Some(Suggestion::Rebased(patch)) if patch.len() > self.policy.refusal_diff_bytes => {
                error.without_suggestion()
            }
            _ => error,
        }
    }

    /// Moves the artefact's pointer to the draft where they differ (specs 000 §8.1).
    pub(super) fn promote(&mut self) -> Promotion {
        if self.head.committed.as_ref() == Some(&self.head.draft) {
            return Promotion::Unchanged;
        }
        self.head.committed = Some(self.head.draft.clone());
        Promotion::Promoted
    }

    pub(super) fn fits(&self, bytes: usize) -> Result<(), Stop> {
        let limit = self.policy.document_bytes;
        if bytes <= limit { Ok(()) } else { Err(Refusal::TooLarge { bytes, limit }.into()) }
    }

    pub(super) fn replace_document(&mut self, text: String) -> Result<(), Stop> {
        self.fits(text.len())?;
        self.head.revision =
            self.head.revision.next().ok_or(Refusal::Exhausted { counter: Counter::Revision })?;
        self.put(Blob::text(text));
        Ok(())
    }

    /// Makes a text the document of the revision that the head has.
    pub(super) fn put(&mut self, blob: Blob) {
        self.head.draft.insert(TreePath::document(), blob.id());
        self.head.faces[Face::Document] = self.head.revision;
        self.blobs.push(blob.clone());
        self.contents.put(Face::Document, blob);
    }

    /// A read is stored only where it changes who holds the lease, until when, or what the conversation has seen.
    pub(super) fn is_worth_a_commit(&self) -> bool {
        self.head.lock.lease() != self.view.head.lock.lease()
            || self.head.lock.epoch() != self.view.head.lock.epoch()
            || self.head.conversations != self.view.head.conversations
    }
}
