//! Patches of a surface's state.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::face::TreeFile;
use crate::model::op_key::OpKey;
use crate::model::receipt::Digest;
use crate::model::revision::Revision;
use crate::surface::name::SurfaceActor;
use crate::surface::refusal::SurfaceRefusal;
use crate::surface::state::surface_state::ChangedState;
use crate::surface::{StateChange, StatePatch, StatePointer, SurfaceDiff, changed_paths};
use crate::transition::command::Command;
use crate::transition::command::sealed::Decide;
use crate::transition::refusal::SurfaceCommandRefusal;
use crate::transition::rollout::Access;
use crate::transition::step::{Record, Stop, Transition};
use crate::transition::surface::access::{access_of, actor_text, author};
use crate::transition::surface::create::refused;
use crate::transition::surface::files::Refused;

/// Changes the state of a surface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatchState {
    /// The actor that changes the state.
    pub by: SurfaceActor,
    /// The operations, which are applied together or not at all.
    pub patch: StatePatch,
    /// The revision that the caller knows. If the surface changed since then, the command is refused.
    pub expected: Option<Revision>,
}

/// The state is as the patch wants it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatePatched {
    /// The revision after the command. Unchanged if the state is unchanged.
    pub revision: Revision,
    /// The changed places, in order. They do not contain each other, and a list counts as a whole.
    pub changed_paths: Vec<StatePointer>,
}

impl Command for PatchState {
    type Done = StatePatched;
    type Refusal = SurfaceCommandRefusal;
}

impl Decide for PatchState {
    const NAME: &'static str = "patch_state";
    const KIND: &'static str = "state_patched";
    const FILES: &'static [TreeFile] = &[TreeFile::Descriptor, TreeFile::State];

    fn access(&self) -> Option<Access> {
        access_of(&self.by)
    }

    fn digest(&self) -> Digest {
        let patch = serde_json::to_string(&self.patch).expect("its members have names");
        let expected = self.expected.map_or_else(String::new, |revision| revision.get().to_string());
        let parts = ["patch_state", &actor_text(&self.by), &patch, &expected];
        Digest::of(&parts.map(str::as_bytes))
    }

    fn decide(&self, at: &mut Transition<'_>, operation: &OpKey) -> Refused<StatePatched> {
        at.descriptor_for(&self.by)?;
        at.check_actor(&self.by, operation)?;
        at.check_expected(self.expected)?;
        let state = at.state_now()?.ok_or_else(|| Stop::refused(SurfaceRefusal::SurfaceDamaged))?;
        let patched = self.patch.apply(&state, &at.policy.surface);
        let patched = patched.map_err(|fault| refused(fault.under("/patch")))?;
        let ChangedState { state, changes } = patched;
        let changed_paths = changed_paths(&changes);
        if !changes.is_empty() {
            at.next_revision::<SurfaceCommandRefusal>()?;
            at.put_state(state);
            at.changed_by(&self.by);
            let record = Record { actor: author(&self.by), operation, summary: summary(&changes) };
            at.record(record, SurfaceDiff { state: changes, files: Vec::new() }.into());
        }
        Ok(StatePatched { revision: at.head.revision, changed_paths })
    }
}

/// Names the first place, if its path is short.
fn summary(changes: &[StateChange]) -> String {
    let first = changes.first().map(|change| change.path.as_str()).filter(|path| path.len() <= 80);
    match (first, changes.len()) {
        (Some(""), _) => "changed the state as a whole".to_owned(),
        (Some(path), 1) => format!("changed {path} of the state"),
        (Some(path), count) => format!("changed {path} and {} more of the state", count - 1),
        (None, count) => format!("changed {count} of the state's places"),
    }
}
