//! The view of a surface that [`Engine::surface`] returns.

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

/// A surface at one moment. Clones share the spec, the state and the assets.
#[derive(Debug, Clone)]
pub struct Surface {
    /// The surface's metadata, such as its agent.
    pub descriptor: Descriptor,
    /// The spec, compiled for this host; `None` for a surface without a spec.
    pub spec: Option<Arc<Spec>>,
    /// The live state at the moment of the read.
    pub state: SurfaceState,
    /// The assets by path. Their contents are in the store.
    pub assets: Arc<Assets>,
    spec_blob: Option<Blob>,
}

impl Surface {
    /// Returns the spec in the form in which it was sent, or `None` if the surface does not have one. It is linear in
    /// the spec.
    pub fn spec_json(&self) -> Option<Value> {
        serde_json::from_str(self.spec_blob.as_ref()?.as_text()?).ok()
    }

    /// Whether `by` sees the surface on this host. Clients see all surfaces. A session sees surfaces of its own agent
    /// and of agents that the ceiling adds.
    pub fn is_shown_to(&self, by: &SurfaceActor, ceiling: &Ceiling) -> bool {
        ceiling.shows(by, &self.descriptor.agent_id)
    }
}

impl<S: Store> Engine<S> {
    /// Returns the surface of a canvas together with the current canvas. The surface is `None` if the canvas does not
    /// have one.
    ///
    /// # Errors
    ///
    /// Returns the errors of [`Engine::snapshot`], and [`EngineError::Damaged`] if the surface cannot be read.
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

/// Reads the canvas and its surface.
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
