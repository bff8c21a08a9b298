//! Accepts and rejects parts of proposals.

use std::collections::{BTreeMap, BTreeSet};

use canvas_lease::PreemptionCause;
use canvas_patch::{Delta, PartId, PartState, Parts, PendingPart};
use serde::{Deserialize, Serialize};

use crate::document::step::DocumentStep;
use crate::history::cause::Cause;
use crate::history::journal::{EntryKind, NewEntry};
use crate::history::number::ChangeNumber;
use crate::model::actor::Actor;
use crate::model::blob::Blob;
use crate::model::face::TreeFile;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::RevisionId;
use crate::proposal::decision::Decision;
use crate::proposal::limits::MAX_NOTE_BYTES;
use crate::proposal::owner::Owner;
use crate::proposal::stored::Proposals;
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::pending::proposals_of;
use crate::transition::proposal::withdraw::list_text;
use crate::transition::refusal::{CallRefusal, DecisionRefusal, ProposalRefusal};
use crate::transition::step::{Stop, Transition};

/// Accepts and rejects parts on behalf of a person or the host. A model is refused, because proposals wait for people.
///
/// The accepted parts change the document, as one change of the history for each owner. Its actor is the person, and its
/// author the owner. Either all of a decision is done or it is refused, and undo takes it back. An accepted change ends
/// the lease as a user's edit does.
///
/// In JSON, each field may be left out:
///
/// ```
/// use canvas_core::proposal::{DecideParts, PartId};
///
/// let decision: DecideParts = serde_json::from_str(r#"{"accept": ["p2"], "reject": "all", "note": "too long"}"#)?;
/// assert_eq!(decision.accept.ids(), [PartId::new(2)]);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DecideParts {
    /// Parts whose changes go into the document.
    pub accept: PartChoice,
    /// Parts that leave their proposals.
    pub reject: PartChoice,
    /// A part to accept with other wording.
    pub edit: Option<Reworded>,
    /// A note for the owners of the rejected parts, with at most [`MAX_NOTE_BYTES`](crate::proposal::MAX_NOTE_BYTES).
    pub note: Option<String>,
    /// The lines after each part that the page showed. If a part differs, the decision is refused, so that nobody accepts
    /// a text that they did not see.
    pub seen: BTreeMap<PartId, String>,
}

/// Selects parts for a decision. In JSON, this is a list of ids or `"all"`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "ChoiceForm")]
pub enum PartChoice {
    /// All pending parts of all owners.
    All,
    /// The parts in this list, which may be empty.
    Only(Vec<PartId>),
}

#[derive(Deserialize)]
#[serde(untagged, expecting = "a list of part ids, or \"all\"")]
enum ChoiceForm {
    Only(Vec<PartId>),
    All(AllParts),
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum AllParts {
    All,
}

impl From<ChoiceForm> for PartChoice {
    fn from(form: ChoiceForm) -> Self {
        match form {
            ChoiceForm::Only(parts) => Self::Only(parts),
            ChoiceForm::All(AllParts::All) => Self::All,
        }
    }
}

impl Default for PartChoice {
    fn default() -> Self {
        Self::Only(Vec::new())
    }
}

/// A part with the wording of the person who accepts it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reworded {
    /// Id of a pending part, called `id` in JSON.
    #[serde(rename = "id")]
    pub part: PartId,
    /// The lines in place of those that the owner proposed.
    pub after: String,
}

/// The answer to [`DecideParts`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PartsDecided {
    /// The accepted parts, whose changes are now in the document.
    pub accepted: Vec<PartId>,
    /// Parts that are no longer proposed.
    pub rejected: Vec<PartId>,
    /// The parts that the accepted changes made stale.
    pub stale: Vec<PartId>,
    /// Id of the document after the decision.
    pub revision: RevisionId,
}

impl DecideParts {
    /// Creates a decision that accepts these parts.
    pub fn accept(parts: impl IntoIterator<Item = PartId>) -> Self {
        Self { accept: PartChoice::Only(parts.into_iter().collect()), ..Self::default() }
    }

    /// Creates a decision that rejects these parts.
    pub fn reject(parts: impl IntoIterator<Item = PartId>) -> Self {
        Self::default().and_reject(parts)
    }

    /// Rejects these parts too.
    #[must_use]
    pub fn and_reject(self, parts: impl IntoIterator<Item = PartId>) -> Self {
        Self { reject: PartChoice::Only(parts.into_iter().collect()), ..self }
    }

    /// Creates a decision without a note, and without a check of the parts shown.
    pub fn of(accept: PartChoice, reject: PartChoice) -> Self {
        Self { accept, reject, ..Self::default() }
    }
}

impl PartChoice {
    fn to_text(&self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Only(parts) => list_text(parts),
        }
    }

    const fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Whether the choice has a part. `All` leaves out stale ones.
    fn has(&self, part: &PendingPart) -> bool {
        match self {
            Self::All => part.state() == PartState::Pending,
            Self::Only(parts) => parts.contains(&part.id()),
        }
    }

    /// Returns the parts of a list.
    pub fn ids(&self) -> &[PartId] {
        match self {
            Self::All => &[],
            Self::Only(parts) => parts,
        }
    }
}

impl Command for DecideParts {
    type Done = PartsDecided;
    type Refusal = DecisionRefusal;
}

impl Decide for DecideParts {
    const NAME: &'static str = "decide_parts";
    const KIND: &'static str = "parts_decided";
    const FILES: &'static [TreeFile] = &[TreeFile::Proposals];

    fn digest(&self) -> Digest {
        let edit = self.edit.as_ref().map(|edit| (edit.part.to_string(), edit.after.clone()));
        let (part, after) = edit.unwrap_or_default();
        let seen = self.seen.iter().flat_map(|(part, after)| [part.to_string(), after.clone()]);
        let mut parts = vec!["decide".to_owned(), self.accept.to_text(), self.reject.to_text(), part, after];
        parts.push(self.note.clone().unwrap_or_default());
        parts.extend(seen);
        Digest::of(&parts.iter().map(String::as_bytes).collect::<Vec<_>>())
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<PartsDecided, Stop<DecisionRefusal>> {
        if matches!(operation.actor(), Actor::Conversation { .. }) {
            return Err(Stop::refused(ProposalRefusal::DecisionByModel));
        }
        if let Some(note) = self.note.as_ref().filter(|note| note.len() > MAX_NOTE_BYTES) {
            let (bytes, limit) = (note.len(), MAX_NOTE_BYTES);
            return Err(Stop::refused(ProposalRefusal::NoteTooLong { bytes, limit }));
        }
        let Ok(stored) = proposals_of(at.view)? else {
            return Err(Stop::refused(CallRefusal::ProposalsDamaged));
        };
        self.check(&stored, at.view.text()).map_err(Stop::refused)?;
        let chosen = |has: &dyn Fn(&PendingPart) -> bool| {
            stored.parts().map(|(_, part)| part).filter(|part| has(part)).map(PendingPart::id).collect()
        };
        let reject: BTreeSet<PartId> = chosen(&|part| self.rejects(part));
        let accept = chosen(&|part| self.accepts(part) && !reject.contains(&part.id()));
        let mut deciding = Deciding {
            command: self,
            accept,
            reject,
            proposals: Proposals::clone(&stored),
            document: None,
            decided: PartsDecided {
                accepted: Vec::new(),
                rejected: Vec::new(),
                stale: Vec::new(),
                revision: at.head.revision_id(),
            },
        };
        let was_stale = deciding.proposals.stale();
        for owner in stored.owners.iter().map(|own| &own.owner) {
            deciding.decide_for(at, operation, owner)?;
        }
        let Deciding { proposals, document, mut decided, .. } = deciding;
        // The parts were moved here already.
        at.moves.clear();
        if decided.accepted.is_empty() && decided.rejected.is_empty() {
            return Ok(decided);
        }
        if let Some((document, delta)) = document {
            at.check_size::<DecisionRefusal>(document.as_text().unwrap_or_default().len())?;
            at.preempt(PreemptionCause::UserEdit);
            at.put_document(document, delta.edits());
        }
        decided.stale = proposals.stale().difference(&was_stale).copied().collect();
        at.put_proposals(proposals, true);
        decided.revision = at.head.revision_id();
        Ok(decided)
    }
}

impl DecideParts {
    /// An explicit choice goes before `All`.
    fn rejects(&self, part: &PendingPart) -> bool {
        self.reject.has(part) && !(self.reject.is_all() && self.accepts(part))
    }

    fn accepts(&self, part: &PendingPart) -> bool {
        self.accept.has(part) || self.edit.as_ref().is_some_and(|edit| edit.part == part.id())
    }

    /// Checks that all parts exist, equal those shown, and are decided once.
    fn check(&self, stored: &Proposals, document: &str) -> Result<(), ProposalRefusal> {
        let find = |id: PartId| {
            let found = stored.parts().map(|(_, part)| part).find(|part| part.id() == id);
            found.ok_or(ProposalRefusal::PartNotFound { part: id })
        };
        let edited = self.edit.as_ref().map(|edit| edit.part);
        for id in self.accept.ids().iter().copied().chain(edited) {
            let part = find(id)?;
            if self.reject.ids().contains(&id) {
                return Err(ProposalRefusal::DecidedTwice { part: id });
            }
            if part.state() == PartState::Stale {
                return Err(ProposalRefusal::PartStale { part: id });
            }
        }
        for id in self.reject.ids() {
            find(*id)?;
        }
        if self.accept.is_all() && self.reject.is_all() {
            let part = stored.parts().map(|(_, part)| part).find(|part| self.accept.has(part));
            return part.map_or(Ok(()), |part| Err(ProposalRefusal::DecidedTwice { part: part.id() }));
        }
        for (id, after) in &self.seen {
            if find(*id)?.replacement(document).1 != *after {
                return Err(ProposalRefusal::PartChanged { part: *id });
            }
        }
        Ok(())
    }
}

/// A decision in progress, owner by owner.
struct Deciding<'c> {
    command: &'c DecideParts,
    accept: BTreeSet<PartId>,
    reject: BTreeSet<PartId>,
    proposals: Proposals,
    /// The new document, with the edits that lead to it if they are of one owner.
    document: Option<(Blob, Delta)>,
    decided: PartsDecided,
}

impl Deciding<'_> {
    fn decide_for(
        &mut self,
        at: &mut Transition<'_>,
        operation: &OpKey,
        owner: &Owner,
    ) -> Result<(), Stop<DecisionRefusal>> {
        let Some(nth) = self.proposals.owners.iter().position(|own| own.owner == *owner) else {
            return Ok(());
        };
        let (command, old) = (self.command, self.document.clone());
        let stored = at.view.contents.document();
        let old_blob = old.as_ref().map(|(blob, _)| blob).or(stored);
        let text = old_blob.and_then(Blob::as_text).unwrap_or_default();
        let parts = &mut self.proposals.owners[nth].parts;
        let of = |ids: &BTreeSet<PartId>| {
            parts.iter().filter(|part| ids.contains(&part.id())).cloned().collect::<Vec<PendingPart>>()
        };
        let (mut accepted, rejected) = (of(&self.accept), of(&self.reject));
        // An accepted part of an older proposal may have touched it.
        let is_stale = |part: &PendingPart| part.state() == PartState::Stale;
        if let Some(part) = accepted.iter().find(|part| is_stale(part) && !command.accept.is_all()) {
            return Err(Stop::refused(ProposalRefusal::PartStale { part: part.id() }));
        }
        accepted.retain(|part| !is_stale(part));
        if accepted.is_empty() && rejected.is_empty() {
            return Ok(());
        }
        if let Some(edit) = &command.edit {
            parts.reword(text, edit.part, &edit.after);
        }
        let ids = |parts: &[PendingPart]| parts.iter().map(PendingPart::id).collect::<Vec<_>>();
        let (accepted_ids, rejected_ids) = (ids(&accepted), ids(&rejected));
        parts.remove(&rejected_ids);
        let before = parts.clone();
        let (delta, _) = parts.accept(&accepted_ids);
        let new = (!delta.is_empty()).then(|| {
            let after = delta.apply(text).expect("the parts are of this text");
            Blob::document_after(old_blob, after, delta.edits())
        });
        let after = new.as_ref().and_then(Blob::as_text).unwrap_or(text);
        let neighbours = neighbours(before, parts, after, &delta);
        self.proposals.remember(owner, &rejected, text, command.note.as_ref());
        let change = ChangeNumber::new(at.head.journal.entries + 1);
        for own in self.proposals.owners.iter_mut().filter(|own| own.owner != *owner) {
            own.parts.follow(text, &delta, Cause::number_of(change));
        }
        let revision = at.head.revision;
        at.next_revision::<DecisionRefusal>()?;
        self.proposals.owners[nth].revision = at.head.revision;
        let start = old.as_ref().map_or_else(|| at.view.head.document(), |(blob, _)| blob.id());
        let end = new.as_ref().map_or(start, Blob::id);
        let step = DocumentStep::new((start, end), delta.clone(), at.policy.history.entry_bytes);
        if step.delta.is_none()
            && let Some(blob) = &new
        {
            at.blobs.extend(blob.to_put(stored));
            at.blobs.extend(old.iter().flat_map(|(old, _)| old.to_put(stored)));
        }
        if let Some(blob) = new {
            self.document = Some((blob, if old.is_none() { delta } else { Delta::default() }));
        }
        let actor = operation.actor();
        let author = owner.to_actor(self.proposals.owners[nth].turn);
        at.push(NewEntry {
            kind: EntryKind::Edit,
            change: None,
            actor: actor.role(),
            author: author.role(),
            written_by: Some(author),
            first_made_by: None,
            reverts: None,
            operation: operation.clone(),
            at: at.view.clock,
            summary: summary(accepted.len(), rejected.len()),
            revisions: (revision, at.head.revision),
            step: step.into(),
            also: Vec::new(),
            decisions: vec![Decision {
                owner: owner.clone(),
                accepted,
                rejected,
                neighbours,
                note: command.note.clone(),
                revision,
                document: start,
                is_undone: false,
            }],
        });
        self.decided.accepted.extend(accepted_ids);
        self.decided.rejected.extend(rejected_ids);
        Ok(())
    }
}

/// Returns the parts of `before` that would not be where they were after an acceptance and its undo. `text` is the document
/// after the acceptance.
fn neighbours(before: Parts, after: &Parts, text: &str, delta: &Delta) -> Vec<PendingPart> {
    let mut back = after.clone();
    back.follow_own_undo(text, &delta.inverse(), 0, &[]);
    let moved = |part: &&PendingPart| {
        let is_kept = after.get(part.id()).is_some();
        is_kept && back.get(part.id()) != Some(part)
    };
    before.iter().filter(moved).cloned().collect()
}

fn summary(accepted: usize, rejected: usize) -> String {
    let count = |count: usize| format!("{count} part{}", if count == 1 { "" } else { "s" });
    match (accepted, rejected) {
        (accepted, 0) => format!("accepted {}", count(accepted)),
        (0, rejected) => format!("rejected {}", count(rejected)),
        (accepted, rejected) => format!("accepted {} and rejected {rejected}", count(accepted)),
    }
}
