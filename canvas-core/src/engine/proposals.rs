//! Reads the proposals of a canvas.

use std::sync::Arc;

use canvas_lease::Timestamp;

use super::error::EngineError;
use super::task::{Blocked, Decision, DecisionContext, Task};
use super::{Engine, Snapshot};
use crate::model::face::{Face, TreeFile};
use crate::model::id::CanvasId;
use crate::proposal::OpenProposals;
use crate::proposal::owner::Owner;
use crate::proposal::stored::Proposals;
use crate::store::contract::Store;

impl<S: Store> Engine<S> {
    /// Returns the open proposals of a canvas, together with the current canvas. Takes time in proportion to the document
    /// and the parts.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::snapshot`], and [`EngineError::Damaged`] if the proposals cannot be read.
    pub async fn proposals(
        &self,
        canvas: &CanvasId,
        now: Timestamp,
    ) -> Result<(OpenProposals, Snapshot), EngineError> {
        let call = self.tracer.begin(canvas, "proposals", None);
        let read = self.read(call.trace(), ProposalsTask, now).await;
        call.end(read)
    }

    /// Returns the canvas as the owner of a proposal sees it, with the proposed text in place of the document. If the owner
    /// has no proposal, this equals [`Engine::snapshot`]. Costs as much as [`Engine::proposals`].
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::proposals`].
    pub async fn proposed_snapshot(
        &self,
        canvas: &CanvasId,
        owner: &Owner,
        now: Timestamp,
    ) -> Result<Snapshot, EngineError> {
        let call = self.tracer.begin(canvas, "proposed_snapshot", None);
        let read = self.read(call.trace(), ProposalsTask, now).await;
        call.end(read.map(|(_, snapshot)| snapshot.proposed_by(owner)))
    }
}

/// Reads the canvas and its proposals.
#[derive(Debug, Clone, Copy)]
struct ProposalsTask;

impl Task for ProposalsTask {
    type Answer = OpenProposals;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        let row = context.live_with(&[TreeFile::Proposals])?;
        let stored = row.head.proposals.map(|id| row.contents.get::<Proposals>(id, ())).transpose();
        let stored: Arc<Proposals> = stored.map_err(|error| context.unread(error))?.unwrap_or_default();
        let stored = stored.moved(&row.head.moves);
        let document = row.contents.document().cloned();
        let document = document.ok_or_else(|| context.run.damaged(row.head.document()))?;
        if let Some(id) = row.head.proposals.filter(|_| !stored.fit(document.as_text().unwrap_or_default())) {
            return Err(context.run.damaged(id).into());
        }
        let revisions = (row.head.revision_id(), row.head.face_revision(Face::Proposals));
        Ok(Decision::Answer(OpenProposals::new(stored, document, revisions)))
    }
}
