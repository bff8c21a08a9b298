//! Changes a proposal instead of the document.

use crate::face::contents::Contents;
use crate::model::blob::Blob;
use crate::model::face::{Face, TreeFile};
use crate::proposal::stored::Proposals;
use crate::proposal::told::{ProposedParts, RejectedLines};
use crate::transition::pending::InProposal;
use crate::transition::refusal::LimitRefusal;
use crate::transition::step::Transition;

/// Maximum number of rejected parts in a message to their owner.
const MAX_TOLD: usize = 16;

impl Transition<'_> {
    /// Returns the document whose blobs are stored.
    pub(in crate::transition) fn stored_document(&self) -> Option<&Blob> {
        self.proposing.as_ref().map_or(self.view, |proposing| proposing.real).contents.document()
    }

    /// Takes a new text into the proposal, if the command runs in one.
    pub(in crate::transition) fn change_proposal(&mut self, text: &str) -> Result<(), LimitRefusal> {
        let (revision, turn) = (self.head.revision, self.head.lock.turn());
        let Some(InProposal { real, proposals, owner, next, changed }) = &mut self.proposing else {
            return Ok(());
        };
        let mut after = next.take().unwrap_or_else(|| Proposals::clone(proposals));
        let parts = after.propose(owner, (real.text(), text), (revision, Some(turn)), None)?;
        let made = after.parts().filter(|(own, part)| own.owner == **owner && parts.contains(&part.id()));
        let rejected_before = made.filter_map(|(_, part)| {
            let (before, now) = part.replacement(real.text());
            Some((part.id(), after.rejected_before(owner, &before, &now)?))
        });
        *changed = Some(ProposedParts { rejected_before: rejected_before.collect(), parts });
        *next = Some(after);
        Ok(())
    }

    /// Returns the parts that the command made or changed, if it runs in a proposal.
    pub(in crate::transition) fn proposed(&self) -> Option<ProposedParts> {
        self.proposing.as_ref()?.changed.clone()
    }

    /// Takes the rejections of which the conversation does not know yet.
    pub(in crate::transition) fn tell_rejected(&mut self) -> Vec<RejectedLines> {
        let Some(InProposal { proposals, owner, next, .. }) = &mut self.proposing else { return Vec::new() };
        let mut after = next.clone().unwrap_or_else(|| Proposals::clone(proposals));
        let told = after.tell(owner, MAX_TOLD);
        if !told.is_empty() {
            *next = Some(after);
        }
        told
    }

    /// Puts the document back in place of the proposed text, and stores the proposal.
    pub(in crate::transition) fn put_proposal(&mut self) {
        let Some(InProposal { real, next, changed, .. }) = self.proposing.take() else { return };
        let now = real.head.document();
        // The conversation may know the text that the call began with, even if it was never stored.
        let knows = |blob: &&Blob| {
            let known = self.head.conversations.get(self.who);
            known.is_some_and(|known| known.points().any(|point| point.document == blob.id()))
        };
        let shown = self.view.contents.document().filter(|blob| blob.id() != now).filter(knows);
        self.blobs.extend(shown.into_iter().flat_map(|blob| blob.to_put(real.contents.document())));
        self.head.draft.insert(TreeFile::Document.tree_path(), now);
        self.head.faces[Face::Document] = real.head.faces[Face::Document];
        self.contents = Contents::default();
        if let Some(next) = next {
            self.put_proposals(next, changed.is_some());
        }
    }
}
