//! Warnings about a spec, which are not faults.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::json_pointer::join_pointer;
use crate::surface::policy::{Ceiling, Confirm};
use crate::surface::spec::action::Action;
use crate::surface::spec::compiled::Spec;
use crate::surface::spec::fields::Faults;
use crate::surface::state::value::StateValue;

canvas_patch::coded! {
    /// A part of a spec that is valid but probably a mistake.
    #[derive(Serialize, Deserialize, JsonSchema)]
    #[serde(rename_all = "SCREAMING_SNAKE_CASE")]
    #[non_exhaustive]
    pub enum SpecWarningCode {
        /// The host has no such tool, so that its actions fail.
        ToolNotFound = "TOOL_NOT_FOUND",
        /// The host does not allow the tool, so that its actions fail.
        ToolNotAllowed = "TOOL_NOT_ALLOWED",
        /// No action calls the tool.
        ToolUnused = "TOOL_UNUSED",
        /// The host does not trust the tool, so a person must confirm the action anyway.
        ConfirmIgnored = "CONFIRM_IGNORED",
        /// No binding and no job leads to the action.
        ActionUnbound = "ACTION_UNBOUND",
        /// The job is disabled, so it never runs.
        JobDisabled = "JOB_DISABLED",
        /// The path begins with `state`, although it is one in the state.
        SavePrefixed = "SAVE_PREFIXED",
        /// The result does not fit into the first state.
        SaveUnreachable = "SAVE_UNREACHABLE",
        /// The first state has no members.
        StateNoObject = "STATE_NO_OBJECT",
    }
}

/// A warning about one place of a spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpecWarning {
    /// The place, as a JSON Pointer (RFC 6901) into the spec.
    pub place: String,
    /// The kind of warning.
    pub code: SpecWarningCode,
    /// One sentence on how to continue.
    pub message: String,
}

impl Spec {
    /// Returns the warnings for this host, in the order of the spec and at most 64.
    pub fn warnings(&self, ceiling: &Ceiling) -> Vec<SpecWarning> {
        let mut list = Warnings(Vec::new());
        list.tools(self, ceiling);
        if !matches!(self.state.value(), StateValue::Object(_)) {
            let message = "the state is not an object, into which paths could lead: make it one";
            list.add("/state".to_owned(), SpecWarningCode::StateNoObject, message.to_owned());
        }
        let jobs = self.jobs.iter().map(|job| &job.action);
        let bound: BTreeSet<_> = self.bindings.values().chain(jobs).collect();
        for (id, action) in &self.actions {
            let place = join_pointer("/actions", id.as_str());
            list.action(action, &place, self, ceiling);
            if !bound.contains(id) {
                let message =
                    "no binding and no job leads to this action: bind it, unless the page names it itself";
                list.add(place, SpecWarningCode::ActionUnbound, message.to_owned());
            }
        }
        for (number, job) in self.jobs.iter().enumerate().filter(|(_, job)| !job.enabled) {
            let message = format!("the job {} does not run: enable it, or remove it", job.id);
            list.add(format!("/refresh/{number}"), SpecWarningCode::JobDisabled, message);
        }
        list.0
    }
}

struct Warnings(Vec<SpecWarning>);

impl Warnings {
    fn add(&mut self, place: String, code: SpecWarningCode, message: String) {
        if self.0.len() < Faults::LISTED {
            self.0.push(SpecWarning { place, code, message });
        }
    }

    fn tools(&mut self, spec: &Spec, ceiling: &Ceiling) {
        let called: BTreeSet<_> = spec.actions.values().filter_map(Action::tool).collect();
        for (number, tool) in spec.allow_list.iter().enumerate() {
            let place = format!("/toolPolicy/allow/{number}");
            if !ceiling.tools.contains_key(tool) {
                let message = format!("the host has no tool {tool}: take one that it has");
                self.add(place, SpecWarningCode::ToolNotFound, message);
            } else if ceiling.allow.as_ref().is_some_and(|allow| !allow.contains(tool)) {
                let message =
                    format!("the host does not allow {tool} on surfaces: take another, or have it allowed");
                self.add(place, SpecWarningCode::ToolNotAllowed, message);
            } else if !called.contains(tool) {
                let message = format!("no action calls {tool}: remove it from the list");
                self.add(place, SpecWarningCode::ToolUnused, message);
            }
        }
    }

    fn action(&mut self, action: &Action, place: &str, spec: &Spec, ceiling: &Ceiling) {
        if action.confirm == Confirm::Never && action.asks(ceiling) {
            let message =
                "never counts for tools that the host trusts, and a person is asked: have it trusted";
            self.add(join_pointer(place, "confirm"), SpecWarningCode::ConfirmIgnored, message.to_owned());
        }
        let Some(path) = &action.save_as else { return };
        let here = join_pointer(place, "saveAs");
        if path.names().next() == Some("state") && path.names().count() > 1 {
            let message = "saveAs is a path in the state already: leave out its first name";
            self.add(here.clone(), SpecWarningCode::SavePrefixed, message.to_owned());
        }
        if let Err(fault) = spec.state.locate(path) {
            self.add(here, SpecWarningCode::SaveUnreachable, fault.message);
        }
    }
}
