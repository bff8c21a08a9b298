//! Compiled specs.

use std::collections::{BTreeMap, BTreeSet};

use crate::surface::name::{ActionId, SessionKey, ToolName};
use crate::surface::policy::{ActionReach, PolicyView};
use crate::surface::spec::action::{Action, ActionKind};
use crate::surface::spec::binding::BindingName;
use crate::surface::spec::refresh::RefreshJob;
use crate::surface::state::surface_state::SurfaceState;

/// A spec that is compiled once for all runs.
#[derive(Debug, Clone)]
pub struct Spec {
    /// The allowed tools in the order of the spec.
    pub(super) allow_list: Vec<ToolName>,
    pub(super) allow: BTreeSet<ToolName>,
    pub(super) state: SurfaceState,
    pub(super) actions: BTreeMap<ActionId, Action>,
    pub(super) bindings: BTreeMap<BindingName, ActionId>,
    pub(super) jobs: Vec<RefreshJob>,
}

impl Spec {
    /// Returns the tools that its actions may call, if the host also allows them.
    pub fn allow(&self) -> &BTreeSet<ToolName> {
        &self.allow
    }

    /// Returns the initial state of a surface with this spec.
    pub fn state(&self) -> &SurfaceState {
        &self.state
    }

    /// Returns all actions by id.
    pub fn actions(&self) -> &BTreeMap<ActionId, Action> {
        &self.actions
    }

    /// Returns the action with this id.
    pub fn action(&self, id: &ActionId) -> Option<&Action> {
        self.actions.get(id)
    }

    /// Returns the names on the screen, with the actions that they trigger.
    pub fn bindings(&self) -> &BTreeMap<BindingName, ActionId> {
        &self.bindings
    }

    /// Returns the parts of the spec that determine the permissions of a surface of this owner.
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

    /// Returns the refresh jobs, including disabled ones.
    pub fn jobs(&self) -> &[RefreshJob] {
        &self.jobs
    }
}
