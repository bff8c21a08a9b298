//! State of a transition for proposals. It has the changes past which parts are yet to be moved, because they are moved
//! once a command is decided. It also has the canvas with the proposed text in place of the document.

use std::collections::HashMap;
use std::sync::Arc;

use canvas_patch::{Delta, PendingPart};

use crate::document::step::DocumentStep;
use crate::face::contents::Contents;
use crate::face::read_error::ReadError;
use crate::history::cause::Cause;
use crate::history::journal::NewEntry;
use crate::history::number::ChangeNumber;
use crate::model::blob::{Blob, BlobId, Missing};
use crate::model::face::Face;
use crate::model::head::Head;
use crate::model::tree::Tree;
use crate::proposal::decision::Decision;
use crate::proposal::limits::{MAX_BYTES, MAX_PARTS, MAX_PROPOSALS};
use crate::proposal::owner::Owner;
use crate::proposal::stored::{Exceeded, Proposals};
use crate::proposal::told::ProposedParts;
use crate::transition::refusal::{CallRefusal, LimitRefusal};
use crate::transition::view::View;

/// A change of the document past which parts are moved.
#[derive(Debug)]
pub(super) struct Move {
    /// `None` if the entry keeps both texts instead.
    pub(super) delta: Option<Delta>,
    pub(super) cause: Cause,
    /// The decisions that it makes again or takes back.
    pub(super) decisions: Vec<Decision>,
    /// Id of the resulting document.
    pub(super) after: BlobId,
}

impl Move {
    pub(super) fn of(entry: &NewEntry, next: ChangeNumber, step: &DocumentStep) -> Self {
        let cause = Cause::of(entry.kind, entry.change.unwrap_or(next), entry.reverts.as_ref());
        Self { delta: step.delta.clone(), cause, decisions: entry.decisions.clone(), after: step.after }
    }

    /// Takes out the parts in [`Decision::neighbours`], if they were only moved since. Returns them with their places
    /// before.
    pub(super) fn take_neighbours(&self, proposals: &mut Proposals) -> HashMap<Owner, Vec<PendingPart>> {
        let mut taken = HashMap::new();
        for decision in self.decisions.iter().filter(|decision| self.takes_back(decision)) {
            let own = proposals.owners.iter_mut().find(|own| own.owner == decision.owner);
            let Some(own) = own else { continue };
            let is_there =
                |part: &&PendingPart| own.parts.get(part.id()).is_some_and(|there| there.is_moved(part));
            let parts: Vec<PendingPart> = decision.neighbours.iter().filter(is_there).cloned().collect();
            own.parts.remove(&parts.iter().map(PendingPart::id).collect::<Vec<_>>());
            taken.insert(decision.owner.clone(), parts);
        }
        taken
    }

    /// Whether it takes back a decision on the parts of an owner, on the document of that decision.
    pub(super) fn takes_back_exactly(&self, owner: &Owner) -> bool {
        self.decisions.iter().any(|decision| decision.owner == *owner && self.takes_back(decision))
    }

    fn takes_back(&self, decision: &Decision) -> bool {
        decision.is_undone && decision.document == self.after
    }

    /// Joins several changes of one command, one of which keeps no edits.
    pub(super) fn join(moves: Vec<Self>, delta: Delta, after: BlobId) -> Self {
        let number = moves.last().map_or(0, |last| last.cause.number);
        let (mut undone, mut decisions) = (Vec::new(), Vec::new());
        for one in moves {
            undone.extend(one.cause.undone);
            decisions.extend(one.decisions);
        }
        Self { delta: Some(delta), cause: Cause { number, undone }, decisions, after }
    }
}

/// Returns the proposals of a canvas, or the damaged blob.
pub(super) fn proposals_of(view: &View<'_>) -> Result<Result<Arc<Proposals>, ReadError>, Missing> {
    let Some(id) = view.head.proposals else { return Ok(Ok(Arc::default())) };
    match view.contents.get::<Proposals>(id, ()).map(|stored| stored.moved(&view.head.moves)) {
        Err(ReadError::Missing(ids)) => Err(Missing::all(ids)),
        Ok(proposals) if !proposals.fit(view.text()) => Ok(Err(ReadError::Damaged(id))),
        read => Ok(read),
    }
}

/// The head and the contents with the proposed text.
pub(crate) struct ProposedView {
    pub(crate) head: Head,
    pub(crate) contents: Contents,
    proposals: Arc<Proposals>,
    owner: Owner,
}

/// State of a transition that changes a proposal instead of the document.
#[derive(Debug)]
pub(super) struct InProposal<'a> {
    /// The canvas without the proposal.
    pub(super) real: &'a View<'a>,
    pub(super) proposals: &'a Arc<Proposals>,
    pub(super) owner: &'a Owner,
    /// The proposals after the change, if there is one.
    pub(super) next: Option<Proposals>,
    /// The parts that the change made or changed.
    pub(super) changed: Option<ProposedParts>,
}

impl ProposedView {
    pub(crate) fn of(view: &View<'_>, owner: Owner) -> Result<Result<Self, CallRefusal>, Missing> {
        let Ok(proposals) = proposals_of(view)? else { return Ok(Err(CallRefusal::ProposalsDamaged)) };
        let (mut head, mut contents) = (view.head.clone(), view.contents.clone());
        if let Some(own) = proposals.of(&owner) {
            let change = own.parts.change();
            let text = change.apply(view.text()).ok().filter(|_| !change.is_empty());
            if let Some(text) = text {
                let document = Blob::document_after(view.contents.document(), text, change.edits());
                head.set_document(&document);
                contents.put_document(document, view.contents, change.edits());
            }
            head.faces[Face::Document] = head.faces[Face::Document].max(own.revision);
        }
        Ok(Ok(Self { head, contents, proposals, owner }))
    }

    pub(super) fn change<'a>(&'a self, real: &'a View<'a>) -> InProposal<'a> {
        let Self { proposals, owner, .. } = self;
        InProposal { real, proposals, owner, next: None, changed: None }
    }
}

impl InProposal<'_> {
    /// Returns the working tree without the proposal.
    pub(super) fn draft(&self) -> &Tree {
        &self.real.head.draft
    }
}

impl From<Exceeded> for LimitRefusal {
    fn from(exceeded: Exceeded) -> Self {
        match exceeded {
            Exceeded::Parts => Self::TooManyParts { limit: MAX_PARTS },
            Exceeded::Proposals => Self::TooManyProposals { limit: MAX_PROPOSALS },
            Exceeded::Bytes(bytes) => Self::ProposalsTooLarge { bytes, limit: MAX_BYTES },
        }
    }
}
