//! Proposes a person's change of the document.

use canvas_patch::{Applied, ApplyOptions, Delta, Mode, PartId, apply};
use serde::{Deserialize, Serialize};

use crate::model::actor::Actor;
use crate::model::face::TreeFile;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::proposal::limits::MAX_REASON_BYTES;
use crate::proposal::owner::Owner;
use crate::proposal::stored::Proposals;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::pending::proposals_of;
use crate::transition::refusal::{CallRefusal, LimitRefusal, PatchRefusal, ProposalRefusal, ProposeRefusal};
use crate::transition::step::{Stop, Transition};

/// Proposes a change of the document, or changes the open proposal of the same owner. The owner is the person or the
/// conversation of the [`OpKey`], and `user` for a key of the host.
///
/// If the change touches lines of own parts, it joins them, and the oldest part keeps its id. A part that no longer changes
/// anything goes. Costs as much as comparing the proposed texts, so a host that saves with each keystroke should wait for a
/// pause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Propose {
    /// A patch or a whole text.
    pub change: ProposedChange,
    /// A reason for the parts that this makes or changes, with at most
    /// [`MAX_REASON_BYTES`](crate::proposal::MAX_REASON_BYTES).
    pub reason: Option<String>,
}

/// A change of the text that its owner proposes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ProposedChange {
    /// A unified diff of the text that the owner proposed last.
    Patch(String),
    /// The complete proposed text in Markdown. Parts with the same lines before and after keep their ids.
    Text(String),
}

/// The answer to [`Propose`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proposed {
    /// The parts that this made or changed.
    pub parts: Vec<PartId>,
}

impl Command for Propose {
    type Done = Proposed;
    type Refusal = ProposeRefusal;
}

impl Decide for Propose {
    const NAME: &'static str = "propose";
    const KIND: &'static str = "proposed";
    const FILES: &'static [TreeFile] = &[TreeFile::Proposals];

    fn digest(&self) -> Digest {
        let (kind, text) = match &self.change {
            ProposedChange::Patch(patch) => ("patch", patch),
            ProposedChange::Text(text) => ("text", text),
        };
        let parts = ["propose", kind, text].into_iter().chain(self.reason.as_deref());
        Digest::of(&parts.map(str::as_bytes).collect::<Vec<_>>())
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Result<Proposed, Stop<ProposeRefusal>> {
        if let Some(reason) = self.reason.as_ref().filter(|reason| reason.len() > MAX_REASON_BYTES) {
            let (bytes, limit) = (reason.len(), MAX_REASON_BYTES);
            return Err(Stop::refused(ProposalRefusal::ReasonTooLong { bytes, limit }));
        }
        let Ok(stored) = proposals_of(at.view)? else {
            return Err(Stop::refused(CallRefusal::ProposalsDamaged));
        };
        let document = at.view.text();
        let owner = Owner::of(operation);
        let now = stored.of(&owner).map(|own| own.parts.proposed(document));
        let now = now.as_deref().unwrap_or(document);
        let text = match &self.change {
            ProposedChange::Text(text) => text.clone(),
            ProposedChange::Patch(patch) => {
                let limits = at.policy.document.patch;
                let options = ApplyOptions { mode: Mode::Anchored, limits, ..ApplyOptions::default() };
                let patched = apply(now, patch, &options).map(Applied::into_text);
                patched.map_err(|error| Stop::refused(PatchRefusal::PatchRejected(error)))?
            }
        };
        at.check_size::<ProposeRefusal>(text.len())?;
        if matches!(owner, Owner::Conversation(_)) {
            at.check_protected::<ProposeRefusal>(&text, &Delta::between(document, &text))?;
        }
        if text == now && self.reason.is_none() {
            return Ok(Proposed { parts: Vec::new() });
        }
        at.next_revision::<ProposeRefusal>()?;
        let turn = match operation.actor() {
            Actor::Conversation { turn, .. } => Some(turn),
            Actor::Person { .. } | Actor::Host => None,
        };
        let mut next = Proposals::clone(&stored);
        let parts = next.propose(&owner, (document, &text), (at.head.revision, turn), self.reason.as_deref());
        let parts = parts.map_err(|exceeded| Stop::refused(LimitRefusal::from(exceeded)))?;
        at.actor = Some(operation.actor());
        at.put_proposals(next, true);
        Ok(Proposed { parts })
    }
}
