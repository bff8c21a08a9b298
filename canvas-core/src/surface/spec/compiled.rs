//! A spec that was compiled.

use std::collections::{BTreeMap, BTreeSet};

use crate::surface::name::{ActionId, ToolName};
use crate::surface::policy::PolicyView;
use crate::surface::spec::action::Action;
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

    /// What of it decides what may run.
    pub fn policy(&self) -> PolicyView<'_> {
        let calls =
            self.actions.iter().filter_map(|(id, action)| Some((id, (action.tool()?, action.confirm))));
        PolicyView { allow: self.allow.iter().collect(), calls: calls.collect() }
    }

    /// Its refresh jobs, those that are not enabled too.
    pub fn jobs(&self) -> &[RefreshJob] {
        &self.jobs
    }
}
