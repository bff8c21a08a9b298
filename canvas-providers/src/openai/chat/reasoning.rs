//! Assembles the reasoning outside the content of a stream from its deltas.

use std::borrow::Cow;

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::message::{REASONING_DETAILS, readable_detail};
use crate::pieces;

/// Reasoning fields so far. Hosts send the same text in several of them.
#[derive(Debug, Default)]
pub(super) struct Reasoning {
    content: Option<String>,
    plain: Option<String>,
    details: Vec<Map<String, Value>>,
    /// The first field with text, which is shown while it arrives.
    shown: Option<Field>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Content,
    Plain,
    Details,
}

impl Reasoning {
    /// Takes the reasoning fields of a delta, and returns the text to show. Returns `None` if the delta has no
    /// reasoning.
    pub(super) fn take<'d>(
        &mut self,
        content: Option<&'d str>,
        plain: Option<&'d str>,
        details: Option<&RawValue>,
    ) -> Result<Option<Cow<'d, str>>, serde_json::Error> {
        append(&mut self.content, content);
        append(&mut self.plain, plain);
        let mut readable = String::new();
        let mut has_details = false;
        if let Some(details) = details {
            let details: Value = serde_json::from_str(details.get())?;
            for detail in details.as_array().into_iter().flatten() {
                readable.push_str(readable_detail(detail));
                if let Value::Object(detail) = detail {
                    has_details = true;
                    self.add(detail.clone());
                }
            }
        }
        let (content, plain) = (content.unwrap_or_default(), plain.unwrap_or_default());
        let fields = [(Field::Content, content), (Field::Plain, plain), (Field::Details, readable.as_str())];
        let said = fields.iter().find(|(_, text)| !text.is_empty()).map(|(field, _)| *field);
        self.shown = self.shown.or(said);
        let is_said = said.is_some() || has_details;
        let words = match self.shown {
            Some(Field::Content) => Cow::Borrowed(content),
            Some(Field::Plain) => Cow::Borrowed(plain),
            Some(Field::Details) => Cow::Owned(readable),
            None => Cow::Borrowed(""),
        };
        Ok(is_said.then_some(words))
    }

    /// Adds a detail, or the continuation of a readable one.
    fn add(&mut self, detail: Map<String, Value>) {
        const GROWING: &[&str] = &["text", "summary"];
        let same = |last: &Map<String, Value>, field: &str| last.get(field) == detail.get(field);
        let last = self.details.last_mut().filter(|last| {
            let is_readable = detail
                .get("type")
                .is_some_and(|kind| kind == "reasoning.text" || kind == "reasoning.summary");
            is_readable && same(last, "type") && same(last, "index")
        });
        let Some(last) = last else {
            self.details.push(detail);
            return;
        };
        for (field, value) in detail {
            match (last.get_mut(&field), value) {
                (Some(Value::String(text)), Value::String(more)) if GROWING.contains(&field.as_str()) => {
                    text.push_str(&more);
                }
                (Some(_), Value::Null) => {}
                (_, value) => drop(last.insert(field, value)),
            }
        }
    }

    /// Returns the fields in the form of a complete answer.
    pub(super) fn into_fields(self) -> Map<String, Value> {
        let mut fields = Map::new();
        for (name, text) in [("reasoning_content", self.content), ("reasoning", self.plain)] {
            if let Some(text) = text {
                fields.insert(name.to_owned(), pieces::grown(text).into());
            }
        }
        if !self.details.is_empty() {
            let details = self.details.into_iter().map(Value::Object).collect();
            fields.insert(REASONING_DETAILS.to_owned(), Value::Array(details));
        }
        fields
    }
}

fn append(field: &mut Option<String>, more: Option<&str>) {
    if let Some(more) = more {
        field.get_or_insert_default().push_str(more);
    }
}
