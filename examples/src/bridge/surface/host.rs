//! A host of tools and sessions by a script: what each answers is in the request that sets it up.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use canvas_core::surface::{ActionFailure, SessionKey, ToolName};
use canvas_tools::action::{SessionHost, SessionMessage, ToolHost, ToolInvocation};
use serde::Deserialize;
use serde_json::{Value, json};

/// What tools and sessions answer, and what has reached them.
#[derive(Debug, Default)]
pub(in crate::bridge) struct ScriptedHost {
    tools: BTreeMap<ToolName, Script>,
    sessions: BTreeMap<SessionKey, Value>,
    calls: Mutex<Vec<Value>>,
}

/// What a tool does when it is called.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) enum Script {
    /// It answers nothing.
    #[default]
    Silent,
    /// It answers this.
    Result(Value),
    /// It fails.
    Error(ScriptedError),
    /// It answers when the host settles the call.
    Hold,
}

/// The error of a tool.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(in crate::bridge) struct ScriptedError {
    #[serde(default)]
    code: Option<String>,
    #[serde(default)]
    message: String,
}

impl From<ScriptedError> for ActionFailure {
    fn from(ScriptedError { code, message }: ScriptedError) -> Self {
        Self::Failed { code, message }
    }
}

impl ScriptedHost {
    pub(super) fn new(tools: BTreeMap<ToolName, Script>, sessions: BTreeMap<SessionKey, Value>) -> Self {
        Self { tools, sessions, calls: Mutex::default() }
    }

    /// Whether a tool answers only when it is settled.
    pub(in crate::bridge) fn holds(&self, tool: &ToolName) -> bool {
        self.tools.get(tool) == Some(&Script::Hold)
    }

    /// The calls that have come since this was asked last.
    pub(in crate::bridge) fn take_calls(&self) -> Vec<Value> {
        std::mem::take(&mut *self.calls.lock().unwrap_or_else(PoisonError::into_inner))
    }

    pub(super) fn record(&self, invocation: &ToolInvocation) {
        self.push(json!({"tool": invocation.tool, "args": invocation.arguments}));
    }

    fn push(&self, call: Value) {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner).push(call);
    }
}

impl ToolHost for ScriptedHost {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        self.record(invocation);
        match self.tools.get(&invocation.tool) {
            None => {
                let message = format!("there is no tool {}: set it up in the host", invocation.tool);
                Err(ActionFailure::Failed { code: None, message })
            }
            Some(Script::Silent | Script::Hold) => Ok(Value::Null),
            Some(Script::Result(value)) => Ok(value.clone()),
            Some(Script::Error(error)) => Err(error.clone().into()),
        }
    }
}

impl SessionHost for ScriptedHost {
    async fn send(&self, message: &SessionMessage) -> Result<Value, ActionFailure> {
        let args = json!({"sessionKey": message.session_key, "message": message.text});
        self.push(json!({"tool": "session.send", "args": args}));
        self.sessions.get(&message.session_key).cloned().ok_or_else(|| {
            let message = format!("no session {} answers: set it up in the host", message.session_key);
            ActionFailure::Failed { code: None, message }
        })
    }
}
