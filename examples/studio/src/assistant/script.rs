//! Recorded answers of a model.
//!
//! A script is JSON: `{"provider": "anthropic", "turns": [{"when": "tidy", "edits": "tools", "answers": [{"pauseMs": 400,
//! "callPauseMs": 0, "body": {…}}]}]}`. A message takes the first turn whose `when` it contains, whatever the case; one without
//! `when` takes any. `edits` limits a turn to that setting of the chat. Each answer is a response body of the provider; it
//! comes after `pauseMs`, and each of its calls runs after `callPauseMs` more. A plain list of bodies is one turn for any message.
//!
//! What is not known beforehand stands in strings as `{{/POINTER}}`: the value at that JSON Pointer in the newest reply that has
//! one, such as `{{/lease_id}}`. `{{component}}` is the first id of a component in the message, `{{events}}` what the person did on
//! the board since the last one. A string that is one placeholder becomes the value itself.

use std::path::Path;

use canvas_providers::Provider;
use serde::Deserialize;
use serde_json::Value;

use super::chat::Edits;

/// The script that is played unless another one is named.
const BUILT_IN: &str = include_str!("../../scripts/demo.json");

/// The longest pause, in milliseconds.
const LONGEST: u64 = 60_000;

/// Recorded answers.
#[derive(Debug, Clone)]
pub struct Script {
    pub(super) provider: Provider,
    turns: Vec<RecordedTurn>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ScriptJson {
    #[serde(default = "anthropic")]
    provider: String,
    turns: Vec<RecordedTurn>,
}

fn anthropic() -> String {
    "anthropic".to_owned()
}

/// The answers to one message.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RecordedTurn {
    #[serde(default)]
    when: Option<String>,
    #[serde(default)]
    edits: Option<Edits>,
    answers: Vec<Answer>,
}

/// One answer.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct Answer {
    #[serde(default)]
    pub(super) pause_ms: u64,
    #[serde(default)]
    pub(super) call_pause_ms: u64,
    pub(super) body: Value,
}

impl Script {
    pub(super) fn built_in() -> Result<Self, String> {
        Self::parse(BUILT_IN).map_err(|why| format!("the built-in script is broken: {why}"))
    }

    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let name = path.display();
        let text = std::fs::read_to_string(path)
            .map_err(|e| format!("{name} cannot be read ({e}): name a script in JSON"))?;
        Self::parse(&text).map_err(|why| format!("{name} is no script ({why}): correct it"))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let json: Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let json = match json {
            Value::Array(bodies) => {
                let answers =
                    bodies.into_iter().map(|body| Answer { pause_ms: 0, call_pause_ms: 0, body }).collect();
                ScriptJson {
                    provider: anthropic(),
                    turns: vec![RecordedTurn { when: None, edits: None, answers }],
                }
            }
            json => serde_json::from_value(json).map_err(|e| e.to_string())?,
        };
        let provider = json.provider.parse().map_err(|e: canvas_providers::UnknownProvider| e.to_string())?;
        let mut turns = json.turns;
        for answer in turns.iter_mut().flat_map(|turn| &mut turn.answers) {
            answer.pause_ms = answer.pause_ms.min(LONGEST);
            answer.call_pause_ms = answer.call_pause_ms.min(LONGEST);
        }
        for turn in &mut turns {
            turn.when = turn.when.take().map(|when| when.to_lowercase());
        }
        Ok(Self { provider, turns })
    }

    /// The answers to a message; none where no turn takes it.
    pub(super) fn answers(&self, message: &str, edits: Edits) -> Vec<Answer> {
        let message = message.to_lowercase();
        let takes = |turn: &&RecordedTurn| {
            turn.when.as_ref().is_none_or(|when| message.contains(when.as_str()))
                && turn.edits.is_none_or(|only| only == edits)
        };
        self.turns.iter().find(takes).map(|turn| turn.answers.clone()).unwrap_or_default()
    }
}

/// What placeholders are filled from.
#[derive(Debug, Default)]
pub(super) struct Known {
    /// What the person has written.
    pub(super) message: String,
    /// What the person did on the board since the last message, a line each.
    pub(super) events: String,
    /// The replies of the turn, the newest last.
    pub(super) replies: Vec<Value>,
}

/// A body with its placeholders filled. One that nothing is known for stays.
pub(super) fn filled(body: &Value, known: &Known) -> Value {
    match body {
        Value::String(text) => fill(text, known),
        Value::Array(items) => items.iter().map(|item| filled(item, known)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), filled(value, known))).collect()
        }
        other => other.clone(),
    }
}

fn fill(text: &str, known: &Known) -> Value {
    let find = |name: &str| match name {
        "events" => Some(known.events.as_str().into()),
        "component" => component(&known.message).map(Value::from),
        pointer => known.replies.iter().rev().find_map(|reply| reply.pointer(pointer).cloned()),
    };
    let (mut out, mut rest) = (String::new(), text);
    while let Some(start) = rest.find("{{") {
        let Some(length) = rest[start + 2..].find("}}") else { break };
        let (name, after) = (&rest[start + 2..start + 2 + length], &rest[start + length + 4..]);
        out.push_str(&rest[..start]);
        match find(name) {
            Some(value) if start == 0 && after.is_empty() && out.is_empty() => return value,
            Some(Value::String(value)) => out.push_str(&value),
            Some(value) => out.push_str(&value.to_string()),
            None => out.push_str(&rest[start..start + length + 4]),
        }
        rest = after;
    }
    out.push_str(rest);
    Value::String(out)
}

/// The first word of a text that looks like the id of a component.
fn component(text: &str) -> Option<&str> {
    let mut words = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '-'));
    words.find(|word| word.starts_with("cmp_"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Edits, Known, Script, filled};

    #[test]
    fn the_first_turn_that_takes_a_message_answers() {
        let script = json!({"turns": [
            {"when": "Tidy", "edits": "patches", "answers": [{"body": 1}]},
            {"when": "tidy", "answers": [{"body": 2}, {"body": 3, "pauseMs": 999_999}]},
            {"answers": [{"body": 4}]},
        ]});
        let script = Script::parse(&script.to_string()).unwrap();
        let answers = |message, edits| {
            let answers = script.answers(message, edits);
            answers.into_iter().map(|answer| answer.body).collect::<Vec<_>>()
        };
        assert_eq!(answers("please TIDY it", Edits::Patches), [json!(1)]);
        assert_eq!(answers("please tidy it", Edits::Tools), [json!(2), json!(3)]);
        assert_eq!(answers("else", Edits::Legacy), [json!(4)]);
        assert_eq!(script.answers("tidy", Edits::Tools)[1].pause_ms, 60_000);
    }

    #[test]
    fn scripts_that_are_none() {
        for text in [
            "",
            "{}",
            "{\"turns\": [{}]}",
            "{\"turns\": [], \"more\": 1}",
            "{\"turns\": [], \"provider\": \"x\"}",
        ] {
            assert!(Script::parse(text).is_err(), "{text}");
        }
        assert_eq!(Script::parse("[1, 2]").unwrap().answers("any", Edits::Patches).len(), 2);
        assert!(Script::built_in().is_ok());
    }

    #[test]
    fn placeholders_are_filled_from_the_newest_reply_that_has_one() {
        let known = Known {
            message: "rebuild cmp_1.".to_owned(),
            events: "{{/a/b}}".to_owned(),
            replies: vec![json!({"a": {"b": 1}, "lease_id": "old"}), json!({"lease_id": "new"})],
        };
        let body = json!([
            "{{/lease_id}}",
            "{{/a/b}}",
            "x {{/a/b}} {{/none}}",
            "{{events}}",
            "{{",
            "{{component}}",
            7
        ]);
        let expected = json!(["new", 1, "x 1 {{/none}}", "{{/a/b}}", "{{", "cmp_1", 7]);
        assert_eq!(filled(&body, &known), expected);
    }
}
