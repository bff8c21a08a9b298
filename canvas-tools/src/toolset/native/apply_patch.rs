//! The hosted tool `apply_patch`: a V4A diff of one file per call.

use serde::Deserialize;
use serde_json::Value;

use super::envelope::{Envelope, Header, unsupported, unwrapped};
use super::outcome::{Document, NativeEdit, NativeError};
use super::v4a::update::{check_path, create, update};
use crate::arguments::arguments;

#[derive(Debug, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    #[serde(rename = "type")]
    operation: Operation,
    path: String,
    #[serde(default)]
    diff: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(inline))]
enum Operation {
    #[serde(rename = "create_file")]
    Create,
    #[serde(rename = "update_file")]
    Update,
    #[serde(rename = "delete_file")]
    Delete,
}

pub(super) fn apply(document: &Document<'_>, call: &Value) -> Result<NativeEdit, NativeError> {
    let Call { operation, path, diff } = arguments(call)?;
    check_path(document, &path)?;
    let diff = diff.as_deref().unwrap_or_default();
    match operation {
        Operation::Update => {
            let Envelope { header, body, first_line } = unwrapped(diff)?;
            match header {
                Header::Own => {}
                Header::Update(path) => check_path(document, path)?,
                Header::Add(_) => return Err(unsupported("Add File within an update")),
            }
            update(document, body, first_line)
        }
        Operation::Create => create(document, diff, 1),
        Operation::Delete => Err(unsupported("delete_file")),
    }
}
