//! The tools that surfaces and recipes may call. They pretend: nothing is run on this machine.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use canvas_core::board::DataQuery;
use canvas_core::surface::{ActionFailure, Ceiling, Sink, ToolContract, ToolDeclaration, ToolName};
use canvas_mock_data::MockGithub;
use canvas_tools::action::{ToolHost, ToolInvocation};
use serde_json::{Value, json};

use crate::clock;

/// Runs commands on the server. The one tool that changes something.
const BASH: &str = "server-a__Bash";
const READ: &str = "server-a__Read";
const LOGS: &str = "gsv__LogsGet";
const GITHUB: &str = "github__query";

/// Lines that the log keeps.
const LINES: usize = 500;

/// Lines that are given where nobody says how many.
const USUAL: usize = 80;

/// A server with a log, and the built-in source of data.
#[derive(Debug)]
pub(crate) struct StudioTools {
    github: MockGithub,
    log: Mutex<VecDeque<String>>,
}

impl Default for StudioTools {
    fn default() -> Self {
        let log = VecDeque::from(["the server is up".to_owned()]);
        Self { github: MockGithub::new(), log: Mutex::new(log) }
    }
}

impl ToolHost for StudioTools {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        let arguments = &invocation.arguments;
        match invocation.tool.as_str() {
            BASH => self.shell(arguments["command"].as_str().unwrap_or_default()),
            READ => self.read(arguments["path"].as_str().unwrap_or_default()),
            LOGS => Ok(self.tail(arguments["lines"].as_u64())),
            GITHUB => self.query(arguments),
            tool => Err(failed("404", format!("there is no tool {tool}: use one of the host's"))),
        }
    }
}

impl StudioTools {
    /// A shell that knows two commands.
    fn shell(&self, command: &str) -> Result<Value, ActionFailure> {
        let words = words(command).ok_or_else(|| failed("2", "sh: a quote is left open".to_owned()))?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["./deploy", service, version] => {
                if version.is_empty() || !version.chars().all(|c| c.is_ascii_digit() || c == '.') {
                    self.note(format!("deploy: {version} is no version"));
                    return Err(failed("2", format!("deploy: {version} is no version")));
                }
                let live = format!("{service} {version} is live");
                self.note(live.clone());
                Ok(json!({"result": live}))
            }
            ["journalctl", "-u", _, "-n", lines] => Ok(self.tail(lines.parse().ok())),
            [name, ..] => Err(failed("127", format!("sh: {name}: not found"))),
            [] => Err(failed("2", "sh: there is no command".to_owned())),
        }
    }

    fn read(&self, path: &str) -> Result<Value, ActionFailure> {
        match path {
            "journal" => Ok(self.tail(None)),
            _ => Err(failed("404", format!("there is no file {path}: read journal"))),
        }
    }

    fn tail(&self, lines: Option<u64>) -> Value {
        let log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        let lines = lines.map_or(USUAL, |lines| usize::try_from(lines).unwrap_or(LINES));
        let tail: Vec<&str> = log.iter().skip(log.len().saturating_sub(lines)).map(String::as_str).collect();
        json!({"result": tail.join("\n")})
    }

    fn note(&self, line: String) {
        let mut log = self.log.lock().unwrap_or_else(PoisonError::into_inner);
        if log.len() == LINES {
            log.pop_front();
        }
        log.push_back(line);
    }

    fn query(&self, arguments: &Value) -> Result<Value, ActionFailure> {
        let query: DataQuery =
            serde_json::from_value(arguments.clone()).map_err(|e| failed("INVALID_QUERY", e.to_string()))?;
        match self.github.answer(&query, clock::now()) {
            Ok(result) => Ok(json!({"data": result.data})),
            Err(error) => Err(failed(error.code.code(), error.message)),
        }
    }
}

fn failed(code: &str, message: String) -> ActionFailure {
    ActionFailure::Failed { code: Some(code.to_owned()), message }
}

/// The words of a command, as a shell cuts it; `None` where a quote is left open.
fn words(command: &str) -> Option<Vec<String>> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut chars = command.chars();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None | Some('"'), '\\') => word.get_or_insert_default().push(chars.next()?),
            (None, c) if c.is_whitespace() => words.extend(word.take()),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    quote.is_none().then_some(words)
}

/// What surfaces may use. `version` is that of the source of data, which recipes hold on to.
pub(crate) fn ceiling(version: u32) -> Ceiling {
    let text = |field: &str| json!({"type": "object", "required": [field], "properties": {field: {"type": "string"}}});
    let declared = [
        (BASH, ToolDeclaration {
            input_schema: text("command"),
            description: Some("Runs a command on the server.".to_owned()),
            ..ToolDeclaration::default()
        }),
        (READ, ToolDeclaration {
            input_schema: text("path"),
            description: Some("Reads a file of the server; there is one, journal.".to_owned()),
            sinks: BTreeMap::from([("path".to_owned(), Sink::Path)]),
            read_only: true,
            ..ToolDeclaration::default()
        }),
        (LOGS, ToolDeclaration {
            input_schema: json!({"type": "object", "properties": {
                "service": {"type": "string"}, "lines": {"type": "integer", "minimum": 1, "maximum": LINES},
            }}),
            description: Some("The last lines of a service's log.".to_owned()),
            read_only: true,
            ..ToolDeclaration::default()
        }),
        (GITHUB, ToolDeclaration {
            input_schema: json!({
                "type": "object", "required": ["type", "params"], "additionalProperties": false,
                "properties": {
                    "type": {"type": "string", "enum": ["pull_requests", "issues", "stats", "activity"]},
                    "params": {"type": "object"},
                },
            }),
            description: Some(
                "Pull requests, issues, stats or activity of a repository, such as {\"type\": \"pull_requests\", \
                 \"params\": {\"repo\": \"acme/server\", \"state\": \"open\", \"limit\": 5}}. Answers {\"data\": ...}."
                    .to_owned(),
            ),
            sinks: BTreeMap::from([("type".to_owned(), Sink::Text), ("params".to_owned(), Sink::Text)]),
            read_only: true,
            version: Some(version.to_string()),
            ..ToolDeclaration::default()
        }),
    ];
    let tools = declared.into_iter().map(|(name, declaration)| {
        let name = ToolName::new(name).expect("a short name");
        let contract = ToolContract::new(name.clone(), declaration).expect("the schemas are constants");
        (name, contract)
    });
    let trust = [ToolName::new(BASH).expect("a short name")].into();
    Ceiling { tools: tools.collect(), trust, ..Ceiling::default() }
}

#[cfg(test)]
mod tests {
    use super::{StudioTools, words};

    #[test]
    fn a_shell_cuts_words_as_others_do() {
        for (command, expected) in [
            ("./deploy api 1.2.7", Some(&["./deploy", "api", "1.2.7"][..])),
            ("  a   b ", Some(&["a", "b"])),
            ("a '1; rm -rf .' ''", Some(&["a", "1; rm -rf .", ""])),
            (r#"a "b \" c"d \e"#, Some(&["a", "b \" cd", "e"])),
            ("'it'\\''s'", Some(&["it's"])),
            ("", Some(&[])),
            ("a 'b", None),
            ("a \\", None),
        ] {
            let found = words(command);
            assert_eq!(
                found.as_deref().map(|words| words.iter().map(String::as_str).collect::<Vec<_>>()),
                expected.map(<[_]>::to_vec),
                "{command}"
            );
        }
    }

    #[test]
    fn a_version_is_no_command() {
        let tools = StudioTools::default();
        assert_eq!(tools.shell("./deploy api 1.2.7").unwrap()["result"], "api 1.2.7 is live");
        assert!(tools.shell("./deploy api '1.2.8; rm -rf .'").is_err());
        assert!(tools.shell("rm -rf .").is_err());
        let log = tools.shell("journalctl -u api -n 2").unwrap();
        assert_eq!(log["result"], "api 1.2.7 is live\ndeploy: 1.2.8; rm -rf . is no version");
    }
}
