//! Diffs for those who would rather not write them by hand.

use canvas_core::text::{Limits, Mode, Options, apply, build};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::parse::MAX_CONTENT_BYTES;
use crate::reply::{ToolError, shorten};

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BuildDiff {
    /// The text as it is, copied exactly from a snapshot: whole lines, one part of the document or all of it.
    original: String,
    /// The text as it should be.
    updated: String,
}

impl BuildDiff {
    pub(super) fn check(&self) -> Result<(), ToolError> {
        for (place, text) in [("/original", &self.original), ("/updated", &self.updated)] {
            if text.len() > MAX_CONTENT_BYTES {
                let message =
                    format!("it has {} bytes, the limit is {MAX_CONTENT_BYTES}: pass a part", text.len());
                return Err(ToolError::argument(place, message));
            }
        }
        if self.original == self.updated {
            let message = "updated equals original: nothing would change, so send no patch";
            return Err(ToolError::argument("/updated", message).with_reason("NO_EFFECT"));
        }
        Ok(())
    }

    /// The fields of the reply.
    pub(super) fn fields(self, document: &str) -> Value {
        let built = diff_for(document, &self.original, &self.updated);
        let mut fields = json!({"diff": built.diff, "applies": built.applies});
        if !built.applies {
            let what = shorten(self.original.lines().next().unwrap_or_default());
            fields["advice"] = json!(format!(
                "original (\"{what}\") does not occur in the document exactly once: take a fresh document_snapshot and \
                 copy more lines of it"
            ));
        }
        fields
    }
}

/// A diff that leads from one text to another.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Built {
    diff: String,
    /// Whether it applies to the document and does there what was asked.
    applies: bool,
}

/// Makes the diff that turns `original`, a part of the document or all of it, into `updated`. Where `original` occurs in
/// the document once, the diff is one of the document.
fn diff_for(document: &str, original: &str, updated: &str) -> Built {
    let once = match document.find(original) {
        Some(at) if !original.is_empty() || document.is_empty() => {
            // The second place may overlap the first.
            let next = at + document[at..].chars().next().map_or(0, char::len_utf8);
            let is_once = original.is_empty() || !document[next..].contains(original);
            is_once.then_some(at)
        }
        _ => None,
    };
    let Some(at) = once else {
        return Built { diff: build(original, updated, 3), applies: false };
    };
    let after = [&document[..at], updated, &document[at + original.len()..]].concat();
    let diff = build(document, &after, 3);
    let options = Options { mode: Mode::Anchored, limits: Limits::default() };
    let applies = apply(document, &diff, &options).is_ok_and(|applied| applied.text() == after);
    Built { diff, applies }
}
