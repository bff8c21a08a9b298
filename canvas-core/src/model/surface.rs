//! Names on a surface, which heads and records use too.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::model::id::name;

name! {
    /// Names an action of a spec, such as `deploy`.
    ActionId
}

name! {
    /// Names a refresh job of a spec, such as `pollLogs`.
    JobId
}

name! {
    /// Names a tool of the host, such as `server-a__Bash`.
    ToolName
}

name! {
    /// Names an agent, whose surfaces its sessions see.
    AgentId
}

name! {
    /// Names a session of an agent, such as `agent:main:main`.
    SessionKey
}

name! {
    /// Names a client, which is a person's window.
    ClientId
}

name! {
    /// Names one execution of an action. It is never used for another one.
    EventId
}

name! {
    /// Names the runner of tools. The host passes one value for each engine that it starts.
    RunnerId
}

/// The author of a request to a surface.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SurfaceActor {
    /// A person, who may confirm and delete.
    ClientId(ClientId),
    /// A session of an agent, which sees the surfaces of its agent only.
    SessionKey(SessionKey),
}

impl SessionKey {
    /// Returns the session's agent, for example `main` for `agent:main:work`, or `None` if the key names no agent.
    pub fn agent(&self) -> Option<AgentId> {
        let (agent, session) = self.as_str().strip_prefix("agent:")?.split_once(':')?;
        if session.is_empty() { None } else { AgentId::new(agent).ok() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_name_their_agent() {
        for (key, expected) in [
            ("agent:main:main", Some("main")),
            ("agent:ops:a:b", Some("ops")),
            ("agent:main", None),
            ("agent:main:", None),
            ("agent::x", None),
            ("main:main", None),
        ] {
            let agent = SessionKey::new(key).unwrap().agent();
            assert_eq!(agent.as_ref().map(AgentId::as_str), expected, "{key}");
        }
    }
}
