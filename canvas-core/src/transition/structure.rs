//! Edits of the structure of the document, by a model under its lease, by a person, or by the host.

use std::borrow::Cow;

use canvas_lease::PreemptionCause;
use canvas_patch::{Address, Delta, Edited, Merged, StructureEdit, edit_structure};

use crate::document::quoted::lines_of;
use crate::model::author::Author;
use crate::model::face::Face;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::Base;
use crate::transition::access::{Permit, access_of, author_text};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::document::{AppliedPatch, base_text, summary};
use crate::transition::native::spans;
use crate::transition::refusal::{EditStructureRefusal, StructureRefusal};
use crate::transition::rollout::Access;
use crate::transition::stale::{StaleCause, StaleEdit};
use crate::transition::step::{Record, Stop, Transition};

/// Edits the structure of the document, for example moves a section or sets a cell of a table.
///
/// A model needs the lease if the [`Rollout`](crate::rollout::Rollout) requires it, and must know the current document.
/// A person's edit ends the lease. If the document changed since the person's base, the edit is made on the text at the
/// base and rebased by the rules of [`Edit`](crate::document::Edit). The host can edit in a model's name if nobody holds
/// the lease.
///
/// ```
/// # canvas_core::testing::block_on(async {
/// # use canvas_core::document::EditStructure;
/// # use canvas_core::lease::Timestamp;
/// # use canvas_core::store::MemoryStore;
/// # use canvas_core::text::{ItemChange, StructureEdit};
/// # use canvas_core::{CanvasId, Engine, OpKey, Policy};
/// # let now = Timestamp::from_millis(1_000);
/// # let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
/// # let plan = CanvasId::new("plan")?;
/// # engine.create(&plan, "# Plan\n\n- [ ] one\n", &OpKey::host("create".parse()?), now).await?;
/// let check = StructureEdit::Item { section: None, item: vec![1], change: ItemChange::Check(true) };
/// let command = EditStructure::by_user(check);
/// engine.call(&plan, &OpKey::user("check".parse()?), command, now).await?.result?;
/// assert_eq!(engine.snapshot(&plan, now).await?.text(), "# Plan\n\n- [x] one\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # }).unwrap();
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct EditStructure {
    /// Author, which decides about lease and turn.
    pub by: Author,
    /// Edit of the document's structure.
    pub edit: StructureEdit,
    /// The revision that the edit was made for, or `None` for the text that the conversation saw last, and in a person's
    /// edit for the current text.
    pub base: Option<Base>,
    /// The only place that the edit may change, or `None` for the whole document.
    pub scope: Option<Address>,
}

impl EditStructure {
    /// Creates a person's edit of the current document.
    pub const fn by_user(edit: StructureEdit) -> Self {
        Self { by: Author::User, edit, base: None, scope: None }
    }
}

impl Command for EditStructure {
    type Done = AppliedPatch;
    type Refusal = EditStructureRefusal;
}

impl Decide for EditStructure {
    const NAME: &'static str = "edit_structure";
    const KIND: &'static str = "applied";
    const IS_OF_TEXT: bool = true;

    fn access(&self) -> Option<Access> {
        access_of(self.by)
    }

    fn digest(&self) -> Digest {
        let edit = serde_json::to_string(&self.edit).expect("an edit is JSON");
        let scope =
            self.scope.as_ref().map(|scope| serde_json::to_string(scope).expect("an address is JSON"));
        let scope = scope.unwrap_or_default();
        let (by, base) = (author_text(self.by), base_text(self.base));
        Digest::of(&["structure", &by, &edit, &base, &scope].map(str::as_bytes))
    }

    fn decide(
        &self,
        at: &mut Transition<'_>,
        operation: &OpKey,
    ) -> Result<AppliedPatch, Stop<EditStructureRefusal>> {
        let permit = match self.by {
            Author::Assistant { lease } => Some(at.authorize_write(operation, lease)?),
            Author::User => {
                // The user has acted even if the edit is refused below.
                at.preempt(PreemptionCause::UserEdit);
                None
            }
            Author::Host => {
                at.check_turn::<EditStructureRefusal>(operation)?;
                at.check_free::<EditStructureRefusal>()?;
                None
            }
        };
        let (text, delta) = match (self.by, self.base) {
            (Author::User, Some(base)) => at.edit_past(base, &self.edit)?,
            (Author::User, None) => at.edit_now(&self.edit)?,
            (_, base) => {
                at.check_base::<EditStructureRefusal>(base, None)?;
                at.edit_now(&self.edit)?
            }
        };
        at.check_size::<EditStructureRefusal>(text.len())?;
        if self.by != Author::User || self.scope.is_some() {
            at.check_edit::<EditStructureRefusal>(&text, &delta, self.scope.as_ref())?;
        }
        let (summary, spans) = (summary(&delta), spans(&text, &delta));
        let places: Vec<_> = spans.iter().map(|span| (span.start_line, span.end_line)).collect();
        let lines = lines_of(&text, &places);
        // Somebody else may have made the same change since the base.
        if !delta.is_empty() {
            at.replace_document::<EditStructureRefusal>(text, delta.edits())?;
            let record = Record { actor: self.by.actor(), operation, summary: summary.to_string() };
            at.record(record, at.document_step(delta));
        }
        if self.by != Author::User {
            at.mark_written(None);
        }
        let mut applied = AppliedPatch {
            revision: at.head.revision_id(),
            summary,
            repairs: Vec::new(),
            spans,
            lines,
            expires_at: None,
            changes: None,
            proposed: at.proposed(),
            retaken: None,
        };
        at.complete_write(operation, permit.unwrap_or(Permit::Until(None)), &mut applied)?;
        Ok(applied)
    }
}

impl Transition<'_> {
    /// Makes an edit of the current document.
    fn edit_now(&self, edit: &StructureEdit) -> Result<(String, Delta), Stop<EditStructureRefusal>> {
        let outline = self.view.contents.outline().expect("a view has the document at least");
        let edited = outline.live().edit_structure(edit);
        let Edited { text, delta } =
            edited.map_err(|error| Stop::refused(StructureRefusal::StructureRejected { error }))?;
        Ok((text, delta))
    }

    /// Makes an edit of the text at a revision, and moves it past later changes.
    fn edit_past(
        &self,
        base: Base,
        edit: &StructureEdit,
    ) -> Result<(String, Delta), Stop<EditStructureRefusal>> {
        let is_current = self.head.is_current(Face::Document, base.revision());
        let text = match if is_current { None } else { self.past(base)? } {
            Some(past) => Cow::Owned(past.text),
            None => Cow::Borrowed(self.view.text()),
        };
        if !is_current && matches!(text, Cow::Borrowed(_)) {
            // Says why the base is out of reach.
            self.rebase_edit::<EditStructureRefusal>(base, &text)?;
        }
        let edited = edit_structure(&text, edit)
            .map_err(|error| Stop::refused(StructureRefusal::StructureRejected { error }))?;
        let (Merged { delta, lines }, _) = self.rebase_edit::<EditStructureRefusal>(base, &edited.text)?;
        let text = delta.apply(self.view.text()).map_err(|_| {
            let (current, markdown) = (self.head.revision_id(), edited.text);
            Stop::refused(StaleEdit { base, current, cause: StaleCause::OutOfReach, changes: None, markdown })
        })?;
        // Later edits are compared with whole lines, so that none lands within a merged line.
        let delta = if lines.is_empty() { delta } else { Delta::between(self.view.text(), &text) };
        Ok((text, delta))
    }
}
