//! A spec that was compiled.

use std::collections::{BTreeMap, BTreeSet};

use crate::surface::name::{ActionId, SessionKey, ToolName};
use crate::surface::policy::{ActionReach, PolicyView};
use crate::surface::spec::action::{Action, ActionKind};
use crate::surface::spec::binding::BindingName;
use crate::surface::spec::refresh::RefreshJob;
use crate::surface::state::surface_state::SurfaceState;

/// A spec, compiled once for all that runs by it.
#[derive(Debug, Clone)]
pub struct Spec {
    /// In the order of the spec.
    pub(super) allow_list: Vec<ToolName>,
    pub(super) allow: BTreeSet<ToolName>,
    pub(super) state: SurfaceState,
    pub(super) actions: BTreeMap<ActionId, Action>,
    pub(super) bindings: BTreeMap<BindingName, ActionId>,
    pub(super) jobs: Vec<RefreshJob>,
}

impl Spec {
    /// The tools that its actions may call, as far as the host allows them too.
    pub fn allow(&self) -> &BTreeSet<ToolName> {
        &self.allow
    }

    /// The state of a surface that is made with it.
    pub fn state(&self) -> &SurfaceState {
        &self.state
    }

    /// Its actions.
    pub fn actions(&self) -> &BTreeMap<ActionId, Action> {
        &self.actions
    }

    /// An action.
    pub fn action(&self, id: &ActionId) -> Option<&Action> {
        self.actions.get(id)
    }

    /// Names on the screen, and the actions that they lead to.
    pub fn bindings(&self) -> &BTreeMap<BindingName, ActionId> {
        &self.bindings
    }

    /// What of it decides what may run on a surface of this owner.
    pub fn policy<'s>(&'s self, owner: &'s SessionKey) -> PolicyView<'s> {
        let reach = |action: &'s Action| match &action.kind {
            ActionKind::ToolCall { tool, .. } => Some(ActionReach::Tool(tool)),
            ActionKind::SessionSend { session_key, .. } => {
                Some(ActionReach::Session(session_key.as_ref().unwrap_or(owner)))
            }
            ActionKind::StatePatch(_) => None,
        };
        let calls =
            self.actions.iter().filter_map(|(id, action)| Some((id, (reach(action)?, action.confirm))));
        PolicyView { allow: self.allow.iter().collect(), calls: calls.collect() }
    }

    /// Its refresh jobs, those that are not enabled too.
    pub fn jobs(&self) -> &[RefreshJob] {
        &self.jobs
    }
}
