//! The open proposals of a canvas, as people see them.

use std::collections::BTreeMap;
use std::sync::Arc;

use canvas_patch::{
    PartId, PartView, Parts, PendingPart, RedlineSpan, SpanKind, critic_markup, part_views, redline,
    redline_html,
};
use serde::Serialize;

use super::owner::Owner;
use super::stored::{OwnParts, Proposals};
use super::told::RejectedBefore;
use crate::model::blob::Blob;
use crate::model::revision::{Revision, RevisionId};

/// All proposals of a canvas at one moment, with its document.
#[derive(Debug, Clone)]
pub struct OpenProposals {
    stored: Arc<Proposals>,
    document: Blob,
    revision_id: RevisionId,
    revision: Revision,
}

/// All parts that one owner proposes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Proposal {
    /// The person or the conversation that proposes.
    pub owner: Owner,
    /// Pending and stale parts by place. A stale part has the place of the lines that made it stale.
    pub parts: Vec<ProposedPart>,
}

/// A part of a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProposedPart {
    /// Its lines before and after, its place and its state.
    #[serde(flatten)]
    pub view: PartView,
    /// The earlier rejection of the same part, if the canvas remembers one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rejected_before: Option<RejectedBefore>,
}

/// A document with pending parts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProposalText {
    /// The document in Markdown, with the parts in it.
    pub markdown: String,
    /// Parts left out because they overlap with an older proposal.
    pub left_out: Vec<PartId>,
}

/// A piece of a redline with the owner of its part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OwnedSpan {
    /// A kept, inserted or deleted text.
    #[serde(flatten)]
    pub span: RedlineSpan,
    /// The owner of the part that inserts or deletes the text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owner: Option<Owner>,
}

impl OpenProposals {
    pub(crate) fn new(
        stored: Arc<Proposals>,
        document: Blob,
        (revision_id, revision): (RevisionId, Revision),
    ) -> Self {
        Self { stored, document, revision_id, revision }
    }

    fn document(&self) -> &str {
        self.document.as_text().unwrap_or_default()
    }

    /// Returns the id of the document, which proposals do not change.
    pub fn revision_id(&self) -> RevisionId {
        self.revision_id
    }

    /// Returns the revision that last changed the list of proposals.
    pub fn revision(&self) -> Revision {
        self.revision
    }

    /// Returns all proposals by their age, with their parts by place. Costs time in proportion to the parts and to the
    /// document.
    pub fn list(&self) -> Vec<Proposal> {
        self.stored.owners.iter().map(|own| self.proposal(own)).collect()
    }

    /// Returns the proposal of an owner, if there is one.
    pub fn of(&self, owner: &Owner) -> Option<Proposal> {
        self.stored.of(owner).map(|own| self.proposal(own))
    }

    /// Whether people rejected parts of an owner since its last message.
    pub fn has_untold(&self, owner: &Owner) -> bool {
        self.stored.rejected.iter().any(|one| one.owner == *owner && one.untold.is_some())
    }

    fn proposal(&self, own: &OwnParts) -> Proposal {
        let views = part_views(own.parts.iter(), self.document());
        let parts = views.into_iter().map(|view| self.part(&own.owner, view)).collect();
        Proposal { owner: own.owner.clone(), parts }
    }

    fn part(&self, owner: &Owner, view: PartView) -> ProposedPart {
        let rejected_before = self.stored.rejected_before(owner, &view.before, &view.after);
        ProposedPart { view, rejected_before }
    }

    /// Returns the document with the pending parts of an owner, or of all owners with `None`. Returns `None` if the owner
    /// has no proposal.
    pub fn text(&self, owner: Option<&Owner>) -> Option<ProposalText> {
        let (texts, left_out) = self.combined(owner)?;
        Some(ProposalText { markdown: texts, left_out })
    }

    /// Returns the document with the pending parts of an owner, or of all owners with `None`, as kept, inserted
    /// and deleted pieces. Returns `None` if the owner has no proposal.
    pub fn redline(&self, owner: Option<&Owner>) -> Option<Vec<OwnedSpan>> {
        let (_, left_out) = self.combined(owner)?;
        let owners: BTreeMap<PartId, &Owner> =
            self.stored.parts().map(|(own, part)| (part.id(), &own.owner)).collect();
        let is_shown = |part: &&PendingPart| {
            !part.edits().is_empty()
                && !left_out.contains(&part.id())
                && owner.is_none_or(|owner| owners.get(&part.id()) == Some(&owner))
        };
        let mut parts: Vec<&PendingPart> =
            self.stored.parts().map(|(_, part)| part).filter(is_shown).collect();
        parts.sort_by_key(|part| part.edits().first().map(|edit| (edit.at, edit.range().end)));
        let spans = redline(self.document(), parts.into_iter().map(|part| (part.id(), part.edits())));
        let owned = |span: RedlineSpan| {
            let owner = span.part.and_then(|part| owners.get(&part)).map(|owner| Owner::clone(owner));
            OwnedSpan { span, owner }
        };
        Some(spans.into_iter().map(owned).collect())
    }

    /// Returns a redline as CriticMarkup.
    pub fn critic_markup(&self, owner: Option<&Owner>) -> Option<String> {
        let spans: Vec<RedlineSpan> = self.redline(owner)?.into_iter().map(|owned| owned.span).collect();
        Some(critic_markup(&spans))
    }

    /// Returns a redline as HTML, see [`redline_html`](canvas_patch::redline_html).
    pub fn html(&self, owner: Option<&Owner>) -> Option<String> {
        let spans: Vec<RedlineSpan> = self.redline(owner)?.into_iter().map(|owned| owned.span).collect();
        Some(redline_html(&spans))
    }

    /// Returns the text with the parts of some owners, and the parts left out.
    fn combined(&self, owner: Option<&Owner>) -> Option<(String, Vec<PartId>)> {
        let document = self.document();
        if let Some(owner) = owner {
            return Some((self.stored.of(owner)?.parts.proposed(document), Vec::new()));
        }
        let mut waiting: Vec<Parts> = self.stored.owners.iter().map(|own| own.parts.clone()).collect();
        let (mut text, mut left_out) = (document.to_owned(), Vec::new());
        for at in 0..waiting.len() {
            let change = waiting[at].change();
            for later in &mut waiting[at + 1..] {
                left_out.extend(later.follow(&text, &change, 0));
            }
            text = change.apply(&text).expect("the parts were moved to this text");
        }
        left_out.sort_unstable();
        Some((text, left_out))
    }
}

impl OwnedSpan {
    /// Returns whether the text is kept, inserted or deleted.
    pub const fn kind(&self) -> SpanKind {
        self.span.kind
    }
}
