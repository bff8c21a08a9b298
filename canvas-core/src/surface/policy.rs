//! What a surface may do: what its spec asks for, cut down to what the host allows.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::json_pointer::join_pointer;
use crate::surface::contract::ToolContract;
use crate::surface::error::{SurfaceCode, SurfaceFault};
use crate::surface::name::{ActionId, AgentId, SessionKey, SurfaceActor, ToolName};

/// What a host lets surfaces do.
#[derive(Debug, Clone, Default)]
pub struct Ceiling {
    /// The tools that there are.
    pub tools: BTreeMap<ToolName, ToolContract>,
    /// Those that specs may allow; `None` for all that there are.
    pub allow: Option<BTreeSet<ToolName>>,
    /// Those that run without being confirmed, unless an action always asks.
    pub trust: BTreeSet<ToolName>,
    /// Sessions that any surface may send to, beside its owner's.
    pub sessions: BTreeSet<SessionKey>,
    /// Whose surfaces the sessions of an agent see, beside its own.
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
    /// The contract of a tool that an action calls. `allow` is the list of its spec.
    ///
    /// # Errors
    ///
    /// `TOOL_NOT_ALLOWED` where the spec or the host does not allow it, `TOOL_NOT_FOUND` where the host has none. They have no
    /// place.
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

    /// Whether a call of a tool waits for a person.
    pub fn asks(&self, contract: &ToolContract, confirm: Confirm) -> bool {
        let is_trusted = self.trust.contains(contract.name());
        match confirm {
            Confirm::Always => true,
            Confirm::Never | Confirm::Auto => !is_trusted && !contract.declaration().read_only,
        }
    }

    /// Checks the session that an action sends to. `owner` is the one of the surface.
    ///
    /// # Errors
    ///
    /// `SESSION_NOT_ALLOWED`, without a place.
    pub fn session(&self, session: &SessionKey, owner: Option<&SessionKey>) -> Result<(), SurfaceFault> {
        if owner == Some(session) || self.sessions.contains(session) {
            return Ok(());
        }
        let message = format!(
            "a surface sends to its owner's session, and this host adds no {session}: leave sessionKey out"
        );
        Err(SurfaceFault::new("", SurfaceCode::SessionNotAllowed, message))
    }

    /// Whether the sessions of an agent see a surface of another one. Its own they always see.
    pub fn sees(&self, agent: &AgentId, surface: &AgentId) -> bool {
        agent == surface || self.agents.get(agent).is_some_and(|others| others.contains(surface))
    }

    /// Whether who asks sees a surface of this agent: clients see all, a session those that its agent sees.
    pub fn shows(&self, by: &SurfaceActor, surface: &AgentId) -> bool {
        match by {
            SurfaceActor::ClientId(_) => true,
            SurfaceActor::SessionKey(key) => key.agent().is_some_and(|agent| self.sees(&agent, surface)),
        }
    }
}

/// What of a spec decides what may run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PolicyView<'a> {
    /// Tools of `toolPolicy.allow`.
    pub allow: BTreeSet<&'a ToolName>,
    /// What each action reaches beyond the surface, and when it asks. Those that only change the state reach nothing.
    pub calls: BTreeMap<&'a ActionId, (ActionReach<'a>, Confirm)>,
}

/// What an action reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ActionReach<'a> {
    /// It calls a tool.
    Tool(&'a ToolName),
    /// It sends to a session; one that names none sends to the surface's owner.
    Session(&'a SessionKey),
}

/// Where a new policy lets run what the old one did not: a model may not go there. Faults are in the order of their places,
/// which are JSON Pointers into the spec.
///
/// A tool is added to `allow`; an action that was there asks less; or an action that is new, or reaches another tool or
/// session, asks less than every old action that reaches the same, `auto` where there is none. So an action that always asks
/// is not got round by a new name.
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
