//! Moves the parts of proposals past each change of the document, in the commit of the change. Otherwise a crash could lose
//! their places. If a change only moves them, the head gets the move, and the stored parts stay.

use std::borrow::Cow;
use std::sync::Arc;

use canvas_patch::{Delta, Moves, Parts, PendingPart};

use crate::history::cause::Cause;
use crate::history::journal::NewEntry;
use crate::history::number::ChangeNumber;
use crate::history::step::Step;
use crate::model::blob::{Blob, Missing};
use crate::model::face::Face;
use crate::model::revision::Base;
use crate::proposal::decision::Decision;
use crate::proposal::owner::Owner;
use crate::proposal::stored::Proposals;
use crate::transition::pending::{Move, proposals_of};
use crate::transition::step::Transition;

/// Number of changes after which parts are stored again, even if these only moved them.
const MAX_MOVES: u32 = 64;

/// Number of ranges that these changes may have replaced. Each takes some bytes of the head.
const MAX_RANGES: usize = 64;

impl Transition<'_> {
    /// Remembers a change about to be recorded, if there are proposals.
    pub(in crate::transition) fn gather(&mut self, entry: &NewEntry) {
        let mut steps = [&entry.step].into_iter().chain(&entry.also);
        let Some(step) = steps.find_map(Step::document) else { return };
        if self.head.proposals.is_some() || !entry.decisions.is_empty() {
            let next = ChangeNumber::new(self.head.journal.entries + 1);
            self.moves.push(Move::of(entry, next, step));
        }
    }

    /// Moves the parts past the changes of this command.
    pub(in crate::transition) fn follow(&mut self) -> Result<(), Missing> {
        let mut moves = std::mem::take(&mut self.moves);
        if moves.is_empty() {
            return Ok(());
        }
        // Nothing is moved in a file that cannot be read. It stays as it is.
        let Ok(before) = proposals_of(self.view)? else { return Ok(()) };
        let has_decisions = moves.iter().any(|one| !one.decisions.is_empty());
        if before.owners.is_empty() && !has_decisions {
            return Ok(());
        }
        let view = self.view;
        if moves.iter().any(|one| one.delta.is_none()) {
            let after = self.contents.document().and_then(Blob::as_text).unwrap_or_else(|| view.text());
            let delta = Delta::between(view.text(), after);
            moves = vec![Move::join(moves, delta, self.head.document())];
        }
        let was_stale = before.stale();
        let mut proposals = Arc::unwrap_or_clone(before);
        let mut text = Cow::Borrowed(view.text());
        for (nth, one) in moves.iter().enumerate() {
            let Some(delta) = &one.delta else { continue };
            let made = one.decisions.iter().filter(|decision| !decision.is_undone);
            let moved: Vec<&Owner> = made
                .filter(|decision| take_again(&mut proposals, decision, &text, delta))
                .map(|decision| &decision.owner)
                .collect();
            let mut neighbours = one.take_neighbours(&mut proposals);
            for own in proposals.owners.iter_mut().filter(|own| !moved.contains(&&own.owner)) {
                let Cause { number, undone } = &one.cause;
                match one.takes_back_exactly(&own.owner) {
                    true => own.parts.follow_own_undo(&text, delta, *number, undone),
                    false => own.parts.follow_undo(&text, delta, *number, undone),
                };
            }
            let is_last = nth + 1 == moves.len();
            if is_last && one.decisions.is_empty() {
                break;
            }
            let Ok(after) = delta.apply(&text) else { break };
            text = Cow::Owned(after);
            for decision in one.decisions.iter().filter(|decision| decision.is_undone) {
                let mut parts = self.parts_before(decision, &moves[..=nth])?;
                parts.append(&mut neighbours.remove(&decision.owner).unwrap_or_default());
                let revision = self.head.revision;
                let own = proposals.entry(&decision.owner, revision);
                own.parts.restore(&text, parts);
                own.revision = revision;
                proposals.forget(&decision.rejected);
            }
        }
        let is_listed = has_decisions || proposals.stale() != was_stale;
        match self.moves_past(&moves, &proposals).filter(|_| !is_listed) {
            Some(moves) => self.head.moves = moves,
            None => self.put_proposals(proposals, is_listed),
        }
        Ok(())
    }

    /// Returns the moves with which a reader makes the stored proposals these. Returns `None` if there are none, or too
    /// many.
    fn moves_past(&self, changes: &[Move], proposals: &Proposals) -> Option<Moves> {
        let stored = self.view.contents.get::<Proposals>(self.view.head.proposals?, ()).ok()?;
        let mut moves = self.view.head.moves.clone();
        for change in changes {
            moves.push(change.delta.as_ref()?);
        }
        let are_few = moves.changes() < MAX_MOVES && moves.ranges() <= MAX_RANGES;
        (are_few && stored.are_moved(&moves, proposals)).then_some(moves)
    }

    /// Returns the parts of an undone decision, moved past the later changes.
    fn parts_before(&self, decision: &Decision, moves: &[Move]) -> Result<Vec<PendingPart>, Missing> {
        let parts = || decision.accepted.iter().chain(&decision.rejected).cloned();
        if moves.last().is_some_and(|last| last.after == decision.document) {
            return Ok(parts().collect());
        }
        // The head before this command, whose journal ends with the document of the view.
        let before = Transition::new(self.view, self.policy, self.who, None);
        let Some(past) = before.past(Base::Number(decision.revision))? else {
            return Ok(parts().map(PendingPart::without_document).collect());
        };
        let mut moved = Parts::default();
        moved.restore(&past.text, parts());
        let own = moves.iter().filter_map(|one| Some((one.delta.as_ref()?, &one.cause)));
        let mut text = past.text.clone();
        for (delta, cause) in past.later().chain(own) {
            moved.follow_undo(&text, delta, cause.number, &cause.undone);
            let Ok(after) = delta.apply(&text) else { break };
            text = after;
        }
        Ok(moved.iter().cloned().collect())
    }

    /// Stores proposals next to the draft. `is_listed` tells whether people see another list.
    pub(super) fn put_proposals(&mut self, mut proposals: Proposals, is_listed: bool) {
        proposals.tidy();
        if is_listed {
            self.head.faces[Face::Proposals] = self.head.revision;
        }
        let blob = proposals.to_blob();
        (self.head.proposals, self.head.moves) = (Some(blob.id()), Moves::default());
        self.head.raise_to_shared();
        self.blobs.push(blob.clone());
        self.contents.put(blob, Arc::new(proposals));
    }
}

/// Takes the parts of a redone decision out of their proposal, if they were only moved. Returns whether the other parts of
/// the owner are thereby moved past the change.
fn take_again(proposals: &mut Proposals, decision: &Decision, document: &str, delta: &Delta) -> bool {
    let Some(own) = proposals.owners.iter_mut().find(|own| own.owner == decision.owner) else { return false };
    let ids = |parts: &[PendingPart]| {
        let is_same =
            |part: &&PendingPart| own.parts.get(part.id()).is_some_and(|there| there.is_moved(part));
        parts.iter().filter(is_same).map(PendingPart::id).collect::<Vec<_>>()
    };
    let (accepted, rejected) = (ids(&decision.accepted), ids(&decision.rejected));
    let rejected = own.parts.remove(&rejected);
    let mut parts = own.parts.clone();
    let is_moved = parts.accept(&accepted).0 == *delta;
    if is_moved {
        own.parts = parts;
    } else {
        own.parts.remove(&accepted);
    }
    proposals.remember(&decision.owner, &rejected, document, decision.note.as_ref());
    is_moved
}
