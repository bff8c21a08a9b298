//! The tools that surfaces and recipes may call. They only pretend: nothing runs on this machine.

use std::collections::BTreeMap;
use std::sync::Weak;

use canvas_core::ActionFailure;
use canvas_core::board::DataQuery;
use canvas_core::surface::{Ceiling, ToolContract, ToolDeclaration, ToolName};
use canvas_tools::action::{SessionHost, SessionMessage, ToolHost, ToolInvocation};
use serde_json::{Value, json};

use crate::clock;
use crate::host::Host;

/// Runs the tools.
#[derive(Debug)]
pub(crate) struct StudioTools {
    host: Weak<Host>,
}

/// Name, description, schema, whether it changes nothing.
type Row = (&'static str, &'static str, fn() -> Value, bool);

const TOOLS: [Row; 4] = [
    ("server-a__Bash", "Runs a command on server-a: ./deploy SERVICE VERSION, or journalctl -u SERVICE -n LINES.", || {
        json!({"type": "object", "required": ["command"], "properties": {"command": {"type": "string"}}})
    }, false),
    ("server-a__Read", "Reads a file of server-a.", || {
        json!({"type": "object", "required": ["path"], "properties": {"path": {"type": "string"}}})
    }, true),
    ("gsv__LogsGet", "The last lines of a service's log.", || {
        json!({"type": "object", "required": ["service"], "properties": {"service": {"type": "string"}, "lines": {"type": "integer"}}})
    }, true),
    ("github__query", "Asks the repository host, as the board's components do: pull_requests, issues, stats or activity.", || {
        json!({
            "type": "object", "required": ["type", "params"],
            "properties": {"type": {"type": "string"}, "params": {"type": "object"}},
        })
    }, true),
];

/// What surfaces may do here: these tools, with a person's consent where they change something.
pub(crate) fn ceiling(version: u32) -> Ceiling {
    let mut tools = BTreeMap::new();
    for (name, description, schema, read_only) in TOOLS {
        let name = ToolName::new(name).expect("a short name");
        let mut declaration = ToolDeclaration {
            input_schema: schema(),
            description: Some(description.to_owned()),
            read_only,
            version: Some(version.to_string()),
            ..ToolDeclaration::default()
        };
        if name.as_str() == "github__query" {
            // Its words are looked up in a list; no database reads them.
            declaration.sinks.insert("type".to_owned(), canvas_core::surface::Sink::Text);
            declaration.sinks.insert("params".to_owned(), canvas_core::surface::Sink::Text);
        }
        let contract = ToolContract::new(name.clone(), declaration).expect("the schemas are sound");
        tools.insert(name, contract);
    }
    // The spec says itself when a person is asked.
    let trust = [ToolName::new("server-a__Bash").expect("a short name")].into();
    Ceiling { tools, trust, ..Ceiling::default() }
}

impl StudioTools {
    pub(crate) fn new(host: Weak<Host>) -> Self {
        Self { host }
    }

    fn query(&self, arguments: &Value) -> Result<Value, ActionFailure> {
        let host = self.host.upgrade().ok_or(ActionFailure::TimedOut)?;
        let query: DataQuery =
            serde_json::from_value(arguments.clone()).map_err(|e| failed(&format!("{e}: name a type and params")))?;
        let answer = host.data.ask(&host.data.source(), &query, clock::now());
        answer.map(|answer| json!({"data": answer.data})).map_err(|error| failed(&error.message))
    }
}

impl ToolHost for StudioTools {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        let text = |name: &str| invocation.arguments[name].as_str().unwrap_or_default();
        match invocation.tool.as_str() {
            "server-a__Bash" => bash(text("command")),
            "server-a__Read" => Ok(json!({"result": format!("{}: an empty file", text("path"))})),
            "gsv__LogsGet" => Ok(json!({"result": log(text("service"), 5)})),
            "github__query" => self.query(&invocation.arguments),
            other => Err(failed(&format!("there is no tool {other}"))),
        }
    }
}

/// Messages of surfaces go to the assistant of their canvas.
impl SessionHost for StudioTools {
    async fn send(&self, message: &SessionMessage) -> Result<Value, ActionFailure> {
        let host = self.host.upgrade().ok_or(ActionFailure::TimedOut)?;
        let canvas = host.first.clone();
        let answer = host.assistant.answer(&host, &canvas, message.text.clone());
        tokio::time::timeout(message.timeout, answer).await.unwrap_or(Err(ActionFailure::TimedOut))
    }
}

/// Two commands, whose words stand between blanks, in quotes where the engine has quoted them.
fn bash(command: &str) -> Result<Value, ActionFailure> {
    let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches('\'')).collect();
    match words[..] {
        ["./deploy", service, version] if version.chars().all(|c| c.is_ascii_digit() || c == '.') => {
            Ok(json!({"result": format!("{service} {version} is live")}))
        }
        ["./deploy", ..] => Err(failed("deploy: give a service and a version such as 1.2.7")),
        ["journalctl", "-u", service, "-n", _] => Ok(json!({"result": log(service, 4)})),
        _ => Err(failed("server-a knows ./deploy and journalctl alone")),
    }
}

fn log(service: &str, lines: u64) -> String {
    let second = clock::now().as_millis() / 1_000;
    let line = |back: u64| {
        let at = second.saturating_sub(back * 7);
        format!("{:02}:{:02}:{:02} {service}: {} requests", at / 3_600 % 24, at / 60 % 60, at % 60, at * 7_919 % 400)
    };
    (0..lines).rev().map(line).collect::<Vec<_>>().join("\n")
}

fn failed(message: &str) -> ActionFailure {
    ActionFailure::Failed { code: None, message: message.to_owned() }
}
