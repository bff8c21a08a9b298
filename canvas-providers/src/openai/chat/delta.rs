//! The chunks of a stream, borrowed. Unknown fields are skipped and not kept.

use std::borrow::Cow;
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor, value};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::text::{AnyText, Text};

#[derive(Debug, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, default)]
    pub(super) choices: Option<Vec<Choice<'a>>>,
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice<'a> {
    #[serde(default, deserialize_with = "crate::json::index_if_any")]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) delta: Option<Delta<'a>>,
    #[serde(borrow, default)]
    pub(super) finish_reason: AnyText<'a>,
    /// Some hosts report the usage here.
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Delta<'a> {
    #[serde(borrow, default)]
    pub(super) content: Option<Mixed<'a>>,
    #[serde(borrow, default)]
    pub(super) tool_calls: Option<Vec<CallDelta<'a>>>,
    /// The older form of a call, from before an answer could have several.
    #[serde(borrow, default)]
    pub(super) function_call: Option<FunctionDelta<'a>>,
    #[serde(borrow, default)]
    pub(super) reasoning_content: AnyText<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning: AnyText<'a>,
    #[serde(borrow, default)]
    pub(super) reasoning_details: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) refusal: AnyText<'a>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct CallDelta<'a> {
    #[serde(default, deserialize_with = "crate::json::index_if_any")]
    pub(super) index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) id: AnyText<'a>,
    #[serde(borrow, default, rename = "type")]
    pub(super) kind: AnyText<'a>,
    #[serde(borrow, default)]
    pub(super) function: Option<FunctionDelta<'a>>,
    #[serde(borrow, default)]
    pub(super) custom: Option<CustomDelta<'a>>,
    /// Gemini keeps the signature of a call here.
    #[serde(borrow, default)]
    pub(super) extra_content: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct FunctionDelta<'a> {
    #[serde(borrow, default)]
    pub(super) name: AnyText<'a>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<Mixed<'a>>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CustomDelta<'a> {
    #[serde(borrow, default)]
    pub(super) name: AnyText<'a>,
    #[serde(borrow, default)]
    pub(super) input: AnyText<'a>,
}

impl CallDelta<'_> {
    pub(super) fn name(&self) -> &str {
        match (&self.function, &self.custom) {
            (Some(function), _) => function.name.as_str(),
            (None, custom) => custom.as_ref().map_or("", |custom| custom.name.as_str()),
        }
    }

    pub(super) fn is_custom(&self) -> bool {
        self.function.is_none() && (self.custom.is_some() || self.kind.as_str() == "custom")
    }

    pub(super) fn id(&self) -> &str {
        self.id.as_str()
    }

    /// Returns the text to append to the arguments, or to the input of a custom tool.
    pub(super) fn arguments(&self) -> Cow<'_, str> {
        match (&self.function, &self.custom) {
            (Some(function), _) => match &function.arguments {
                Some(Mixed::Text(Text(text))) => Cow::Borrowed(text),
                Some(Mixed::Json(json)) => Cow::Owned(json.to_string()),
                None => Cow::Borrowed(""),
            },
            (None, custom) => Cow::Borrowed(custom.as_ref().map_or("", |custom| custom.input.as_str())),
        }
    }
}

/// A value that is usually text, and otherwise other JSON.
#[derive(Debug)]
pub(super) enum Mixed<'a> {
    Text(Text<'a>),
    Json(Value),
}

impl<'de: 'a, 'a> Deserialize<'de> for Mixed<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MixedVisitor)
    }
}

struct MixedVisitor;

impl<'de> Visitor<'de> for MixedVisitor {
    type Value = Mixed<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a list or an object")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Mixed::Text(Text(Cow::Borrowed(text))))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Mixed::Text(Text(Cow::Owned(text.to_owned()))))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(value::SeqAccessDeserializer::new(items)).map(Mixed::Json)
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Self::Value, A::Error> {
        Value::deserialize(value::MapAccessDeserializer::new(entries)).map(Mixed::Json)
    }
}
