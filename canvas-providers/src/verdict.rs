//! Verdicts on calls. Only a complete call can run.

use canvas_tools::ToolCall;
use serde::de::IgnoredAny;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// A decoder's judgement of one call. Only a complete call may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The call is complete, and its arguments are a JSON object.
    Complete,
    /// The call was cut off by a limit, or never finished. The part that arrived may still look plausible.
    Truncated,
    /// The call is complete but cannot run, because its arguments are not an object or its name is missing.
    Malformed,
}

/// The arguments of a call, present only if the verdict is [`Verdict::Complete`].
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// The complete object of the call.
    Complete(Map<String, Value>),
    /// The call was cut off, and the part that arrived stays in the event's envelope.
    Truncated,
    /// The arguments were not a JSON object.
    Malformed,
}

impl Arguments {
    /// Returns `Complete` for an object and for null, which hosts send for `{}`, and `Malformed` for anything else.
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::Object(map) => Self::Complete(map),
            Value::Null => Self::Complete(Map::new()),
            _ => Self::Malformed,
        }
    }

    /// Judges text that is not a JSON object. The text counts as truncated if only its end is missing.
    pub(crate) fn of_broken(text: &str) -> Self {
        match serde_json::from_str::<IgnoredAny>(text) {
            Err(error) if error.is_eof() => Self::Truncated,
            _ => Self::Malformed,
        }
    }
}

/// A tool call, as a provider sent it. In JSON: `{id, name, arguments (or null), verdict}`.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedCall {
    /// The provider's id of the call; empty if it gave none.
    pub id: String,
    /// The tool's own name, not the one on the wire.
    pub name: String,
    /// The arguments, which determine the verdict.
    pub arguments: Arguments,
}

impl DecodedCall {
    /// Returns the verdict on the call. Only [`Verdict::Complete`] may run.
    pub fn verdict(&self) -> Verdict {
        match self.arguments {
            Arguments::Complete(_) => Verdict::Complete,
            Arguments::Truncated => Verdict::Truncated,
            Arguments::Malformed => Verdict::Malformed,
        }
    }

    /// Returns the call for the tools if it is complete.
    pub fn to_call(&self) -> Option<ToolCall> {
        match &self.arguments {
            Arguments::Complete(map) => Some(ToolCall {
                id: self.id.clone(),
                name: self.name.clone(),
                arguments: Value::Object(map.clone()),
            }),
            Arguments::Truncated | Arguments::Malformed => None,
        }
    }
}

impl Serialize for DecodedCall {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let arguments = match &self.arguments {
            Arguments::Complete(map) => Some(map),
            Arguments::Truncated | Arguments::Malformed => None,
        };
        let mut out = serializer.serialize_struct("DecodedCall", 4)?;
        out.serialize_field("id", &self.id)?;
        out.serialize_field("name", &self.name)?;
        out.serialize_field("arguments", &arguments)?;
        out.serialize_field("verdict", &self.verdict())?;
        out.end()
    }
}
