//! Whether a call arrived whole.

use canvas_tools::ToolCall;
use serde::de::IgnoredAny;
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

/// A decoder's judgement of one call. Only a complete call may run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Whole, and its arguments are a JSON object.
    Complete,
    /// Cut off by a limit, or never finished; the part that came may look plausible all the same.
    Truncated,
    /// Whole, but no call that can run: the arguments are no object, or it has no name.
    Malformed,
}

/// The arguments of a call, present only where the verdict is [`Verdict::Complete`].
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    /// The whole object.
    Complete(Map<String, Value>),
    /// The call was cut off. What came of it stays in the event's envelope.
    Truncated,
    /// The arguments were no JSON object.
    Malformed,
}

impl Arguments {
    /// Complete for an object, and for null, which hosts send for `{}`; malformed for anything else.
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::Object(map) => Self::Complete(map),
            Value::Null => Self::Complete(Map::new()),
            _ => Self::Malformed,
        }
    }

    /// The verdict on text that is no JSON object: truncated where only its end is missing.
    pub(crate) fn of_broken(text: &str) -> Self {
        match serde_json::from_str::<IgnoredAny>(text) {
            Err(error) if error.is_eof() => Self::Truncated,
            _ => Self::Malformed,
        }
    }
}

/// A tool call as one provider answered it. In JSON: `{id, name, arguments (or null), verdict}`.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedCall {
    /// The provider's id of the call; empty where it gave none.
    pub id: String,
    /// The tool's own name.
    pub name: String,
    /// The arguments, with the verdict on them.
    pub arguments: Arguments,
}

impl DecodedCall {
    /// Whether the call arrived whole.
    pub fn verdict(&self) -> Verdict {
        match self.arguments {
            Arguments::Complete(_) => Verdict::Complete,
            Arguments::Truncated => Verdict::Truncated,
            Arguments::Malformed => Verdict::Malformed,
        }
    }

    /// The call for the tools, where it is complete.
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
