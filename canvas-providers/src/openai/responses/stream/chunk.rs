//! Parses the events of a stream.

use serde::Deserialize;
use serde::de::{Error as _, MapAccess};
use serde_json::Value;
use serde_json::value::RawValue;

use super::super::wire::IncompleteDetails;
use crate::decoded::DecodeError;
use crate::fields::{self, Fields};
use crate::text::{AnyText, Text};

/// The most common event of a stream, which only adds text.
#[derive(Debug, Default)]
pub(super) struct Saying<'a> {
    pub(super) kind: Text<'a>,
    pub(super) output_index: Option<u64>,
    pub(super) content_index: Option<u64>,
    pub(super) summary_index: Option<u64>,
    pub(super) delta: Option<Text<'a>>,
}

impl<'de> Fields<'de> for Saying<'de> {
    fn field<A: MapAccess<'de>>(&mut self, key: &str, map: &mut A) -> Result<(), A::Error> {
        match key {
            "type" => self.kind = map.next_value()?,
            "output_index" => self.output_index = map.next_value()?,
            "content_index" => self.content_index = map.next_value()?,
            "summary_index" => self.summary_index = map.next_value()?,
            "delta" => self.delta = map.next_value()?,
            // Deltas do not have these fields, which are long.
            "item" | "response" => return Err(A::Error::custom("no delta")),
            _ => fields::skip(map)?,
        }
        Ok(())
    }
}

/// Any event. Unknown fields are skipped and not kept.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk<'a> {
    #[serde(borrow, rename = "type", default)]
    pub(super) kind: Text<'a>,
    #[serde(default, deserialize_with = "crate::json::index_if_any")]
    pub(super) output_index: Option<u64>,
    #[serde(default, deserialize_with = "crate::json::index_if_any")]
    pub(super) content_index: Option<u64>,
    #[serde(default, deserialize_with = "crate::json::index_if_any")]
    pub(super) summary_index: Option<u64>,
    #[serde(borrow, default)]
    pub(super) item_id: AnyText<'a>,
    #[serde(borrow, default)]
    pub(super) delta: AnyText<'a>,
    /// The complete text of the deltas, under the name that it has in its item. It is used only if no delta arrived.
    #[serde(borrow, default)]
    pub(super) text: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) refusal: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) diff: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) item: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) response: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Response<'a> {
    #[serde(borrow, default)]
    pub(super) status: AnyText<'a>,
    #[serde(borrow, default)]
    pub(super) output: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    pub(super) error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) usage: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) incomplete_details: Option<IncompleteDetails>,
}

/// The fields that identify an item.
#[derive(Debug, Deserialize)]
pub(super) struct Known<'a> {
    #[serde(borrow, rename = "type", default)]
    pub(super) kind: AnyText<'a>,
    #[serde(borrow, default)]
    pub(super) id: AnyText<'a>,
    #[serde(borrow, default)]
    pub(super) call_id: AnyText<'a>,
}

/// The section of an item that a piece of text belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Summary,
    Reasoning,
    Text,
    Refusal,
    /// Arguments, input or diff of a call.
    Call,
}

/// An event with text, either a delta or the complete text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece {
    Delta(Section),
    Done(Section),
}

impl Piece {
    pub(super) fn of(kind: &str) -> Option<Self> {
        Some(match kind {
            "response.output_text.delta" => Self::Delta(Section::Text),
            "response.function_call_arguments.delta"
            | "response.custom_tool_call_input.delta"
            | "response.apply_patch_call_operation_diff.delta" => Self::Delta(Section::Call),
            "response.reasoning_summary_text.delta" => Self::Delta(Section::Summary),
            "response.reasoning_text.delta" => Self::Delta(Section::Reasoning),
            "response.refusal.delta" => Self::Delta(Section::Refusal),
            "response.output_text.done" => Self::Done(Section::Text),
            "response.function_call_arguments.done"
            | "response.custom_tool_call_input.done"
            | "response.apply_patch_call_operation_diff.done" => Self::Done(Section::Call),
            "response.reasoning_summary_text.done" => Self::Done(Section::Summary),
            "response.reasoning_text.done" => Self::Done(Section::Reasoning),
            "response.refusal.done" => Self::Done(Section::Refusal),
            _ => return None,
        })
    }
}

impl Section {
    /// Returns the index of the item's part that an event belongs to, or `None` if the event does not tell.
    pub(super) fn index(self, of_summary: Option<u64>, of_content: Option<u64>) -> Option<u64> {
        match self {
            Self::Summary => of_summary,
            Self::Reasoning | Self::Text | Self::Refusal => of_content,
            Self::Call => Some(0),
        }
    }
}

impl Chunk<'_> {
    /// Returns the complete text.
    pub(super) fn whole(&self) -> Result<Option<String>, DecodeError> {
        let raw =
            [self.text, self.refusal, self.arguments, self.input, self.diff].into_iter().flatten().next();
        Ok(match raw.map(value).transpose()? {
            Some(Value::String(text)) => Some(text),
            _ => None,
        })
    }
}

pub(super) fn value(raw: &RawValue) -> Result<Value, DecodeError> {
    read(raw)
}

pub(super) fn read<'a, T: Deserialize<'a>>(raw: &'a RawValue) -> Result<T, DecodeError> {
    serde_json::from_str(raw.get()).map_err(|error| DecodeError::not_json(String::new(), &error))
}
