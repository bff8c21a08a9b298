//! Builds diffs for models that would rather not write them by hand.

use canvas_core::Snapshot;
use canvas_core::text::{ApplyOptions, BuildOptions, Mode, apply, build_unique};
use serde::Deserialize;

use super::fields::DiffFields;
use super::parse::MAX_CONTENT_BYTES;
use crate::reply::{ToolError, shorten};

/// The context may become wide, because models copy the lines of a diff more reliably than its line numbers.
const OPTIONS: BuildOptions = BuildOptions { context: 3, widest_context: 64 };

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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

    /// Returns the fields of the reply.
    pub(super) fn fields(self, snapshot: &Snapshot) -> DiffFields {
        let (document, document_version) = (snapshot.text(), snapshot.revision_id());
        let Some(after) = self.applied_to(document) else {
            let what = shorten(self.original.lines().next().unwrap_or_default());
            let advice = format!(
                "original (\"{what}\") does not occur in the document exactly once: take a fresh document_snapshot and \
                 copy more lines of it"
            );
            let diff = build_unique(&self.original, &self.updated, &OPTIONS).patch;
            return DiffFields { document_version, diff, applies: false, advice: Some(advice) };
        };
        let diff = build_unique(document, &after, &OPTIONS).patch;
        let options = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
        let applies = apply(document, &diff, &options).is_ok_and(|applied| applied.text() == after);
        let too_large = || "the diff is too large: make several of parts of the document".to_owned();
        DiffFields { document_version, diff, applies, advice: (!applies).then(too_large) }
    }

    /// Returns the document with `original` replaced by `updated`, or `None` if `original` does not occur exactly once.
    fn applied_to(&self, document: &str) -> Option<String> {
        let (original, updated) = (self.original.as_str(), self.updated.as_str());
        let at = document.find(original)?;
        let is_once = if original.is_empty() {
            document.is_empty()
        } else {
            // The second occurrence may overlap the first.
            let next = at + document[at..].chars().next().map_or(0, char::len_utf8);
            !document[next..].contains(original)
        };
        is_once.then(|| [&document[..at], updated, &document[at + original.len()..]].concat())
    }
}
