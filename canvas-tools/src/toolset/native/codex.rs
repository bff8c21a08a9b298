//! The custom tool of Codex: a V4A patch in its envelope.

use canvas_core::text::Reason;
use serde::Deserialize;
use serde_json::Value;

use super::envelope::{BEGIN, Envelope, Header, malformed, open};
use super::outcome::{Document, NativeEdit, NativeError};
use super::v4a::update::{check_path, create, update};
use crate::arguments::arguments;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    /// The patch, from *** Begin Patch to *** End Patch.
    input: String,
}

pub(super) fn apply(document: &Document<'_>, call: &Value) -> Result<NativeEdit, NativeError> {
    let Call { input } = arguments(call)?;
    let first = input.trim_start();
    if !first.starts_with(BEGIN) {
        let sentence = format!("The first line of the patch must be '{BEGIN}'");
        return Err(malformed(sentence, Reason::UnexpectedText, 1));
    }
    let Envelope { header, body, first_line } = open(&input)?;
    match header {
        Header::Own => update(document, body, first_line),
        Header::Update(path) => {
            check_path(document, path)?;
            update(document, body, first_line)
        }
        Header::Add(path) => {
            check_path(document, path)?;
            create(document, body, first_line)
        }
    }
}
