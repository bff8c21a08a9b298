//! Withdraws parts of a proposal.

use canvas_patch::PartId;
use serde::{Deserialize, Serialize};

use crate::model::actor::Actor;
use crate::model::face::TreeFile;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::proposal::owner::Owner;
use crate::proposal::stored::Proposals;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::pending::proposals_of;
use crate::transition::refusal::{CallRefusal, DecisionRefusal, ProposalRefusal};
use crate::transition::step::{Stop, Transition};

/// Withdraws parts of a proposal, pending or stale, on behalf of their owner. It is on no stack of undo, because the owner
/// can propose the parts again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Withdraw {
    /// The person or the conversation that proposed the parts.
    pub owner: Owner,
    /// The parts; `None` withdraws all of them.
    pub parts: Option<Vec<PartId>>,
}

/// The answer to [`Withdraw`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Withdrawn {
    /// Ids of the parts that are no longer proposed.
    pub parts: Vec<PartId>,
}

impl Command for Withdraw {
    type Done = Withdrawn;
    type Refusal = DecisionRefusal;
}

impl Decide for Withdraw {
    const NAME: &'static str = "withdraw";
    const KIND: &'static str = "withdrawn";
    const FILES: &'static [TreeFile] = &[TreeFile::Proposals];

    fn digest(&self) -> Digest {
        let parts = self.parts.as_ref().map_or_else(|| "all".to_owned(), |parts| list_text(parts));
        Digest::of(&["withdraw", &format!("{:?}", self.owner), &parts].map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Result<Withdrawn, Stop<DecisionRefusal>> {
        let is_own = |actor: Actor| match actor {
            Actor::Conversation { conversation, .. } => self.owner == Owner::Conversation(conversation),
            Actor::Person { .. } | Actor::Host => true,
        };
        if !is_own(operation.actor()) {
            return Err(Stop::refused(ProposalRefusal::DecisionByModel));
        }
        let Ok(stored) = proposals_of(at.view)? else {
            return Err(Stop::refused(CallRefusal::ProposalsDamaged));
        };
        let Some(own) = stored.of(&self.owner) else {
            return Err(Stop::refused(ProposalRefusal::ProposalNotFound { owner: self.owner.clone() }));
        };
        let ids = match &self.parts {
            None => own.parts.iter().map(|part| part.id()).collect(),
            Some(ids) => ids.clone(),
        };
        if let Some(part) = ids.iter().find(|id| own.parts.get(**id).is_none()) {
            return Err(Stop::refused(ProposalRefusal::PartNotFound { part: *part }));
        }
        at.next_revision::<DecisionRefusal>()?;
        let (mut next, revision) = (Proposals::clone(&stored), at.head.revision);
        let own = next.entry(&self.owner, revision);
        let parts = own.parts.remove(&ids).iter().map(|part| part.id()).collect();
        own.revision = revision;
        at.actor = Some(operation.actor());
        at.put_proposals(next, true);
        Ok(Withdrawn { parts })
    }
}

/// Returns a text that differs between lists of parts.
pub(super) fn list_text(parts: &[PartId]) -> String {
    parts.iter().map(PartId::to_string).collect::<Vec<_>>().join(" ")
}
