//! What `surface.host` sets up, read from the request.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use canvas_core::CodedError as _;
use canvas_core::surface::{Ceiling, SessionKey, Sink, ToolContract, ToolDeclaration, ToolName};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::host::{Script, ScriptedError, ScriptedHost};
use crate::bridge::request::{BridgeError, Request};

/// A tool of the host.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Tool {
    #[serde(default)]
    schema: Value,
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    sinks: BTreeMap<String, Sink>,
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    version: Option<String>,
    #[serde(default, deserialize_with = "present")]
    result: Option<Value>,
    #[serde(default)]
    error: Option<ScriptedError>,
    #[serde(default)]
    hold: bool,
}

/// `null` is a result, too.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

/// What surfaces may use; left out, all tools that are given, none of them trusted.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Limits {
    #[serde(default)]
    allow: Option<BTreeSet<ToolName>>,
    #[serde(default)]
    trust: BTreeSet<ToolName>,
    #[serde(default)]
    sessions: BTreeSet<SessionKey>,
}

/// The host of a request, and what it lets surfaces do.
pub(super) fn host(request: &Request<'_>) -> Result<(ScriptedHost, Arc<Ceiling>), BridgeError> {
    let tools = request.field::<Option<BTreeMap<ToolName, Tool>>>("tools")?.unwrap_or_default();
    let sessions = request.field::<Option<BTreeMap<SessionKey, Value>>>("sessions")?.unwrap_or_default();
    let limits = request.field::<Option<Limits>>("ceiling")?.unwrap_or_default();
    let (mut contracts, mut scripts) = (BTreeMap::new(), BTreeMap::new());
    for (name, tool) in tools {
        let Tool { schema, description, sinks, read_only, version, result, error, hold } = tool;
        let script = match (result, error, hold) {
            (_, _, true) => Script::Hold,
            (_, Some(error), _) => Script::Error(error),
            (Some(result), ..) => Script::Result(result),
            (None, None, false) => Script::Silent,
        };
        let declaration = ToolDeclaration {
            input_schema: schema,
            output_schema: None,
            description,
            sinks,
            read_only,
            version,
        };
        let contract = ToolContract::new(name.clone(), declaration)
            .map_err(|e| BridgeError::new(e.code(), format!("the tool {name}: {e}")))?;
        contracts.insert(name.clone(), contract);
        scripts.insert(name, script);
    }
    let Limits { allow, trust, sessions: reachable } = limits;
    let ceiling = Ceiling { tools: contracts, allow, trust, sessions: reachable, agents: BTreeMap::new() };
    Ok((ScriptedHost::new(scripts, sessions), Arc::new(ceiling)))
}
