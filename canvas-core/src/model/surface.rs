//! Names on a surface, which heads and records have too.

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
    /// Names a client: a person's window.
    ClientId
}

name! {
    /// Names one execution of an action. It is never used for another one.
    EventId
}

name! {
    /// Names whoever runs tools: one value for each engine that is started, from the host.
    RunnerId
}

/// Who asks something of a surface.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SurfaceActor {
    /// A person, who may confirm and delete.
    ClientId(ClientId),
    /// A session of an agent, which sees the surfaces of its agent only.
    SessionKey(SessionKey),
}
