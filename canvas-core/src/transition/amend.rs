//! An edit that a host makes on a model's behalf, without a lease (specs 003).

use canvas_patch::Delta;

use crate::history::journal::EntryKind;
use crate::model::author::Actor;
use crate::model::revision::RevisionId;
use crate::transition::command::Call;
use crate::transition::decide::{Step, Stop};
use crate::transition::history::Record;
use crate::transition::outcome::Outcome;
use crate::transition::refusal::Refusal;

impl Step<'_> {
    /// Makes an edit of the very text that it was made for, while nobody holds the lease.
    pub(super) fn amend(
        &mut self,
        call: &Call,
        base: RevisionId,
        delta: &Delta,
        summary: &str,
    ) -> Result<Outcome, Stop> {
        self.nobody_writes(&call.operation)?;
        // Nobody has written a patch that could be shown again.
        self.base_holds(Some(base), "")?;
        let Ok(text) = delta.apply(self.view.text()) else {
            return Err(
                Refusal::StaleBase { base: Some(base), changes: None, near: None, rebased: None }.into()
            );
        };
        let (mut change, previous) = (None, self.head.revision_id());
        if !delta.is_empty() {
            self.replace_document(text)?;
            let (kind, actor, summary) = (EntryKind::Edit, Actor::Assistant, summary.to_owned());
            let record = Record { kind, actor, operation: &call.operation, summary };
            let step = self.document_step(delta.clone());
            change = self.record(record, step).map(|entry| entry.change);
        }
        let (revision, summary) = (self.head.revision_id(), summary.to_owned());
        Ok(Outcome::Amended { revision, previous, change, summary })
    }
}
