//! A surface as it is.

use std::sync::Arc;

use canvas_lease::Timestamp;
use serde_json::Value;

use super::error::EngineError;
use super::task::{Blocked, Decision, DecisionContext, Task};
use super::{Engine, Snapshot};
use crate::model::blob::Blob;
use crate::model::face::{Face, TreeFile};
use crate::model::id::CanvasId;
use crate::store::contract::Store;
use crate::surface::descriptor::StoredDescriptor;
use crate::surface::{Assets, Ceiling, Descriptor, Spec, SurfaceActor, SurfaceState};

/// A surface at one moment. Clones share it.
#[derive(Debug, Clone)]
pub struct Surface {
    /// What it is.
    pub descriptor: Descriptor,
    /// Its spec, compiled for this host; `None` where it has none.
    pub spec: Option<Arc<Spec>>,
    /// The live state.
    pub state: SurfaceState,
    /// Its assets, whose contents the store has.
    pub assets: Arc<Assets>,
    spec_blob: Option<Blob>,
}

impl Surface {
    /// The spec as it was sent; `None` where it has none. Linear in it.
    pub fn spec_json(&self) -> Option<Value> {
        serde_json::from_str(self.spec_blob.as_ref()?.as_text()?).ok()
    }

    /// Whether who asks sees it on this host: clients see all surfaces, a session those of its agent, and of agents that
    /// the ceiling adds.
    pub fn is_shown_to(&self, by: &SurfaceActor, ceiling: &Ceiling) -> bool {
        ceiling.shows(by, &self.descriptor.agent_id)
    }
}

impl<S: Store> Engine<S> {
    /// The canvas as it is, and its surface; `None` where it has none.
    ///
    /// # Errors
    ///
    /// As [`Engine::snapshot`]; [`EngineError::Damaged`] where the surface cannot be read.
    pub async fn surface(
        &self,
        canvas: &CanvasId,
        now: Timestamp,
    ) -> Result<(Option<Surface>, Snapshot), EngineError> {
        let call = self.tracer.begin(canvas, "surface", None);
        let read = self.read(call.trace(), SurfaceTask, now).await;
        call.end(read)
    }
}

/// See the canvas and its surface.
#[derive(Debug, Clone, Copy)]
struct SurfaceTask;

impl Task for SurfaceTask {
    type Answer = Option<Surface>;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<Self::Answer>, Blocked> {
        let files = [TreeFile::Descriptor, TreeFile::Spec, TreeFile::State, TreeFile::Assets];
        let row = context.live_with(&files)?;
        let (head, files) = (&row.head, context.files(row));
        let unread = |error| context.unread(error);
        let Some(stored) = files.get::<StoredDescriptor>(()).map_err(unread)? else {
            return Ok(Decision::Answer(None));
        };
        let state = files.get::<SurfaceState>(()).map_err(unread)?;
        let described = head.file(TreeFile::Descriptor).unwrap_or_else(|| head.document());
        let state = state.ok_or_else(|| context.run.damaged(described))?;
        let (ceiling, limits) = (&*context.run.types.ceiling, &context.run.policy.surface);
        let spec = files.get::<Spec>((ceiling, limits)).map_err(unread)?;
        let changed = head.surface_changed.unwrap_or(stored.created_at);
        Ok(Decision::Answer(Some(Surface {
            descriptor: stored.descriptor(head.canvas(), changed, head.face_revision(Face::Surface)),
            spec,
            state: SurfaceState::clone(&state),
            assets: files.get(()).map_err(unread)?.unwrap_or_default(),
            spec_blob: head.file(TreeFile::Spec).and_then(|id| files.blob(id).ok()).cloned(),
        })))
    }
}
