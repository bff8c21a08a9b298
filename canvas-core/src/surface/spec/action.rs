//! Actions, which run when a button is pressed.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::model::json_pointer::join_pointer;
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::limits::SurfaceLimits;
use crate::surface::name::{ActionId, SessionKey, ToolName};
use crate::surface::policy::{Ceiling, Confirm};
use crate::surface::spec::fields::{Faults, Fields, decode};
use crate::surface::state::patch::StatePatch;
use crate::surface::state::path::StatePath;
use crate::surface::template::{Template, TemplateOptions, ValuePath, ValuePathError};

/// A compiled action.
#[derive(Debug, Clone)]
pub struct Action {
    /// Effect of a run.
    pub kind: ActionKind,
    /// The place in the state that receives the result; `None` if the result is not stored.
    pub save_as: Option<StatePath>,
    /// The setting for a person's confirmation.
    pub confirm: Confirm,
}

/// The kinds of actions, each with its parameters.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum ActionKind {
    /// Calls a tool.
    ToolCall {
        /// Name of the tool to call.
        tool: ToolName,
        /// Arguments of the call. They are a fault if the spec was saved when the host declared the tool differently.
        args: Result<Template, SurfaceFault>,
        /// Time limit of the tool, in milliseconds.
        timeout_ms: u32,
    },
    /// Sends a message to a session.
    SessionSend {
        /// Template of the message. It is a fault in the same case as the arguments of a call.
        message: Result<Template, SurfaceFault>,
        /// The session to send to; `None` for the owner's.
        session_key: Option<SessionKey>,
    },
    /// Changes the state.
    StatePatch(StatePatch),
}

impl Action {
    /// Default time limit of a tool, in milliseconds.
    pub const TIMEOUT_MS: u32 = 30_000;
    /// Maximum time limit of a tool, in milliseconds.
    pub const MAX_TIMEOUT_MS: u32 = 600_000;

    /// Returns the tool that the action calls.
    pub fn tool(&self) -> Option<&ToolName> {
        match &self.kind {
            ActionKind::ToolCall { tool, .. } => Some(tool),
            ActionKind::SessionSend { .. } | ActionKind::StatePatch(_) => None,
        }
    }

    /// Whether this host requires a person's confirmation before the action runs.
    pub(crate) fn asks(&self, ceiling: &Ceiling) -> bool {
        let Some(tool) = self.tool() else { return self.confirm == Confirm::Always };
        match ceiling.tools.get(tool) {
            Some(contract) => ceiling.asks(contract, self.confirm),
            // The effect of the tool is unknown.
            None => self.confirm == Confirm::Always || !ceiling.trust.contains(tool),
        }
    }
}

/// The actions of a spec during parsing.
#[derive(Debug)]
pub(super) struct ReadActions {
    /// Actions by id, without a value for those with faults.
    pub(super) by_id: BTreeMap<ActionId, Option<Action>>,
    /// Whether the list of actions itself could be read.
    pub(super) is_list: bool,
}

impl ReadActions {
    /// Whether an action does not exist. A reference to an action that has a fault is not another fault.
    pub(super) fn lacks(&self, id: &ActionId) -> bool {
        self.is_list && !self.by_id.contains_key(id)
    }

    pub(super) fn get(&self, id: &ActionId) -> Option<&Action> {
        self.by_id.get(id)?.as_ref()
    }
}

/// The context in which actions are read.
#[derive(Debug)]
pub(super) struct ActionScope<'a> {
    /// The tools that the spec allows.
    pub(super) allow: &'a BTreeSet<ToolName>,
    pub(super) ceiling: &'a Ceiling,
    pub(super) limits: &'a SurfaceLimits,
}

impl ActionScope<'_> {
    /// Reads an action. Returns `None` if it has a fault.
    pub(super) fn read(&self, value: &Value, place: &str, faults: &mut Faults) -> Option<Action> {
        let mut fields = Fields::open(value, place, faults)?;
        let kind: Option<&str> = fields.require("kind", faults);
        let action = match kind? {
            "tool.call" => self.tool_call(&mut fields, faults),
            "session.send" => self.session_send(&mut fields, faults),
            "state.patch" => state_patch(&mut fields, faults),
            _ => {
                let message = "the kind is not tool.call, session.send or state.patch: take one of these";
                faults.spec(&fields.at("kind"), message);
                return None;
            }
        };
        fields.finish(faults);
        action
    }

    fn tool_call(&self, fields: &mut Fields<'_>, faults: &mut Faults) -> Option<Action> {
        let tool: Option<ToolName> = fields.require("tool", faults);
        if let Some(tool) = &tool {
            self.check_tool(tool, &fields.at("tool"), faults);
        }
        let args = fields.entries("args", faults);
        let save_as = save_as(fields, faults);
        let confirm = fields.read("confirm", faults).unwrap_or_default();
        let timeout_ms = fields.read::<u64>("timeoutMs", faults);
        let timeout_ms = timeout_ms.map_or(Some(Action::TIMEOUT_MS), |timeout| {
            let timeout = u32::try_from(timeout).ok().filter(|t| (1..=Action::MAX_TIMEOUT_MS).contains(t));
            if timeout.is_none() {
                let message =
                    format!("the timeout is not 1 to {} ms: give one of these", Action::MAX_TIMEOUT_MS);
                faults.spec(&fields.at("timeoutMs"), message);
            }
            timeout
        });
        let required = required(fields, faults);
        let tool = tool?;
        let place = fields.at("args");
        let options = TemplateOptions { place: &place, required: &required, limits: self.limits };
        let args = self.arguments(args, &tool, &options, faults);
        Some(Action { kind: ActionKind::ToolCall { tool, args, timeout_ms: timeout_ms? }, save_as, confirm })
    }

    fn check_tool(&self, tool: &ToolName, place: &str, faults: &mut Faults) {
        if tool.as_str().contains("{{") {
            faults.spec(place, "a template names the tool: write an action for each tool");
        } else if !self.allow.contains(tool) {
            let message =
                format!("toolPolicy.allow has no {tool}: add it there, or take one that is allowed");
            faults.add(place, SurfaceCode::ToolNotAllowed, message);
        }
    }

    fn arguments(
        &self,
        args: Option<&Map<String, Value>>,
        tool: &ToolName,
        options: &TemplateOptions<'_>,
        faults: &mut Faults,
    ) -> Result<Template, SurfaceFault> {
        let args = Value::Object(args.cloned().unwrap_or_default());
        let contract = self.ceiling.tools.get(tool);
        first_fault(Template::arguments(&args, tool, contract, options), faults)
    }

    fn session_send(&self, fields: &mut Fields<'_>, faults: &mut Faults) -> Option<Action> {
        let message: Option<&str> = fields.require("message", faults);
        let session_key: Option<SessionKey> = fields.read("sessionKey", faults);
        if session_key.as_ref().is_some_and(|key| key.as_str().contains("{{")) {
            faults.spec(
                &fields.at("sessionKey"),
                "a template names the session: write an action for each session",
            );
        }
        let save_as = save_as(fields, faults);
        let confirm = fields.read("confirm", faults).unwrap_or_default();
        let required = required(fields, faults);
        let place = fields.at("message");
        let options = TemplateOptions { place: &place, required: &required, limits: self.limits };
        let message = first_fault(Template::message(message?, &options), faults);
        Some(Action { kind: ActionKind::SessionSend { message, session_key }, save_as, confirm })
    }
}

fn state_patch(fields: &mut Fields<'_>, faults: &mut Faults) -> Option<Action> {
    let Some(patch) = fields.value("patch") else {
        faults.spec(fields.place(), "patch is missing: add it");
        return None;
    };
    match StatePatch::parse(patch) {
        Ok(patch) => {
            Some(Action { kind: ActionKind::StatePatch(patch), save_as: None, confirm: Confirm::default() })
        }
        Err(found) => {
            let place = fields.at("patch");
            found.into_iter().for_each(|fault| faults.push(fault.under(&place)));
            None
        }
    }
}

/// Reads the place for the result.
fn save_as(fields: &mut Fields<'_>, faults: &mut Faults) -> Option<StatePath> {
    fields.read_as("saveAs", SurfaceCode::StatePath, faults)
}

/// Reads the values that must exist.
fn required(fields: &mut Fields<'_>, faults: &mut Faults) -> Vec<ValuePath> {
    let Some(list) = fields.read::<Vec<Value>>("required", faults) else { return Vec::new() };
    let place = fields.at("required");
    let mut paths = Vec::new();
    for (number, path) in list.iter().enumerate() {
        let here = join_pointer(&place, &number.to_string());
        let Some(text) = decode::<&str>(path, &here, SurfaceCode::SpecInvalid, faults) else { continue };
        match text.parse() {
            Ok(path) => paths.push(path),
            Err(error @ ValuePathError::Root) => faults.spec(&here, error.to_string()),
            Err(error @ ValuePathError::Path(_)) => {
                faults.add(&here, SurfaceCode::StatePath, error.to_string());
            }
        }
    }
    paths
}

/// Lists all faults of a template, and stores the first one instead of the template.
fn first_fault(
    template: Result<Template, Vec<SurfaceFault>>,
    faults: &mut Faults,
) -> Result<Template, SurfaceFault> {
    template.map_err(|found| {
        let first = found.first().cloned();
        found.into_iter().for_each(|fault| faults.push(fault));
        first.unwrap_or_else(|| {
            SurfaceFault::new("", SurfaceCode::TemplateInvalid, "the template cannot be read")
        })
    })
}
