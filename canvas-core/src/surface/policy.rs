//! Policies of surfaces, in which a spec requests permissions and the host sets their upper bound.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::json_pointer::join_pointer;
use crate::surface::contract::ToolContract;
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::name::{ActionId, AgentId, SessionKey, SurfaceActor, ToolName};

/// The permissions that a host gives to surfaces.
#[derive(Debug, Clone, Default)]
pub struct Ceiling {
    /// All tools of the host.
    pub tools: BTreeMap<ToolName, ToolContract>,
    /// Tools that specs may allow; `None` for all tools.
    pub allow: Option<BTreeSet<ToolName>>,
    /// Tools that run without a confirmation, unless an action always requires one.
    pub trust: BTreeSet<ToolName>,
    /// Sessions that any surface may send to, in addition to its owner's.
    pub sessions: BTreeSet<SessionKey>,
    /// For each agent, the other agents whose surfaces its sessions see.
    pub agents: BTreeMap<AgentId, BTreeSet<AgentId>>,
}

/// When an action asks a person.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Confirm {
    /// Not for tools that the host trusts. For others it is as `auto`.
    Never,
    /// Unless the tool is read-only or trusted.
    #[default]
    Auto,
    /// Each time.
    Always,
}

impl Ceiling {
    /// Returns the contract of a tool for an action. `allow` is the list of the action's spec.
    ///
    /// # Errors
    ///
    /// Returns `TOOL_NOT_ALLOWED` if the spec or the host does not allow the tool, and `TOOL_NOT_FOUND` if the host
    /// does not have it. These faults have no place.
    pub fn tool(&self, tool: &ToolName, allow: &BTreeSet<ToolName>) -> Result<&ToolContract, SurfaceFault> {
        let refused = |code, message| Err(SurfaceFault::new("", code, message));
        if !allow.contains(tool) {
            let message = format!(
                "toolPolicy.allow of the spec does not have {tool}: add it, or call one that is there"
            );
            return refused(SurfaceCode::ToolNotAllowed, message);
        }
        if self.allow.as_ref().is_some_and(|allowed| !allowed.contains(tool)) {
            let message = format!("this host does not let surfaces call {tool}: call another tool");
            return refused(SurfaceCode::ToolNotAllowed, message);
        }
        match self.tools.get(tool) {
            Some(contract) => Ok(contract),
            None => refused(
                SurfaceCode::ToolNotFound,
                format!("this host has no tool {tool}: call another one, or wait until it is there"),
            ),
        }
    }

    /// Returns whether a call of the tool requires a person's confirmation.
    pub fn asks(&self, contract: &ToolContract, confirm: Confirm) -> bool {
        let is_trusted = self.trust.contains(contract.name());
        match confirm {
            Confirm::Always => true,
            Confirm::Never | Confirm::Auto => !is_trusted && !contract.declaration().read_only,
        }
    }

    /// Checks the session that an action sends to. `owner` is the session that owns the surface.
    ///
    /// # Errors
    ///
    /// Returns `SESSION_NOT_ALLOWED`, without a place.
    pub fn session(&self, session: &SessionKey, owner: Option<&SessionKey>) -> Result<(), SurfaceFault> {
        if owner == Some(session) || self.sessions.contains(session) {
            return Ok(());
        }
        let message = format!(
            "a surface sends to its owner's session, and this host adds no {session}: leave sessionKey out"
        );
        Err(SurfaceFault::new("", SurfaceCode::SessionNotAllowed, message))
    }

    /// Returns whether the sessions of an agent see a surface of another agent. They always see their own agent's
    /// surfaces.
    pub fn sees(&self, agent: &AgentId, surface: &AgentId) -> bool {
        agent == surface || self.agents.get(agent).is_some_and(|others| others.contains(surface))
    }

    /// Returns whether the actor sees a surface of this agent. Clients see all surfaces, and a session sees those that
    /// its agent sees.
    pub fn shows(&self, by: &SurfaceActor, surface: &AgentId) -> bool {
        match by {
            SurfaceActor::ClientId(_) => true,
            SurfaceActor::SessionKey(key) => key.agent().is_some_and(|agent| self.sees(&agent, surface)),
        }
    }
}

/// The parts of a spec that determine its permissions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyView<'a> {
    /// The tools in `toolPolicy.allow`.
    pub allow: BTreeSet<&'a ToolName>,
    /// For each action, its reach beyond the surface and its confirmation setting. Actions that only change the state
    /// have no reach.
    pub calls: BTreeMap<&'a ActionId, (ActionReach<'a>, Confirm)>,
}

/// The reach of an action beyond its surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionReach<'a> {
    /// Calls this tool.
    Tool(&'a ToolName),
    /// Sends to this session. An action that names no session sends to the surface's owner.
    Session(&'a SessionKey),
}

/// Reports the points at which a new policy permits more than the old one, which a model may not do. Faults are in the
/// order of their places, which are JSON Pointers into the spec.
///
/// A policy permits more if it adds a tool to `allow` or if an existing action needs less confirmation. It also permits
/// more if an action that is new, or has another reach, needs less confirmation than all old actions with that reach;
/// without such actions, the comparison is with `auto`. A new name is therefore no way around an action that always
/// needs confirmation.
pub fn widens(old: &PolicyView<'_>, new: &PolicyView<'_>) -> Vec<SurfaceFault> {
    let fault = |place: String, message| SurfaceFault::new(place, SurfaceCode::PolicyWidening, message);
    let actions = new.calls.iter().filter_map(|(action, (reach, confirm))| {
        let before = old.calls.get(action);
        let of_same =
            old.calls.values().filter(|(other, _)| other == reach).map(|(_, confirm)| *confirm).min();
        let least = match before {
            Some((other, confirm)) if other == reach => *confirm,
            Some((_, confirm)) => (*confirm).max(of_same.unwrap_or_default()),
            None => of_same.unwrap_or_default(),
        };
        (*confirm < least).then(|| {
            let place = join_pointer(&join_pointer("/actions", action.as_str()), "confirm");
            fault(
                place,
                "a model may not make an action ask less: leave confirm as it was, or let a person change it"
                    .to_owned(),
            )
        })
    });
    let tools = new.allow.difference(&old.allow).map(|tool| {
        let message = format!(
            "a model may not add {tool} to the tools of a surface: leave it out, or let a person add it"
        );
        fault("/toolPolicy/allow".to_owned(), message)
    });
    actions.chain(tools).collect()
}
