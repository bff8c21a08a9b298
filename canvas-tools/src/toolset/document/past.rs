//! Lines of an earlier revision. A read of the past leaves no trace, and the lines do not count as seen.

use canvas_core::history::PastDocument;
use canvas_core::store::Store;
use canvas_core::{EngineError, RevisionId};

use super::fields::PastFields;
use super::lines::{clipped, numbered};
use super::reading::{count_lines, in_range, line_offset};
use crate::reply::ToolError;
use crate::toolset::context::{READ_BYTES, ToolContext};

/// For the model, which might take any text that it reads for the current one.
const NOTE: &str = "past_lines are the lines of past_revision_id, which is no base for an edit: before you edit, read the \
                    current lines.";

/// Bytes that JSON adds to a line.
const QUOTES: usize = 3;

/// Reads lines of the document of a revision.
pub(super) async fn past_lines<S: Store>(
    context: &ToolContext<'_, S>,
    revision: RevisionId,
    ranges: &[(usize, usize)],
) -> Result<PastFields, ToolError> {
    let document = document(context, revision).await?;
    let (text, mut room) = (document.text(), READ_BYTES);
    let mut fields = PastFields {
        past_revision_id: document.revision_id,
        past_lines: Vec::new(),
        truncated: false,
        past_total_lines: count_lines(text),
        note: NOTE,
    };
    let offsets = ranges.iter().enumerate().map(|(i, (start, _))| in_range(i, line_offset(text, *start)));
    for (offset, (start, end)) in offsets.collect::<Result<Vec<_>, _>>()?.into_iter().zip(ranges) {
        for (number, line) in (*start..=*end).zip(text[offset..].lines()) {
            let shown = numbered(number, ':', line);
            if shown.len() + QUOTES > room {
                fields.truncated = true;
                if fields.past_lines.is_empty() {
                    fields.past_lines.push(clipped(&shown, READ_BYTES).into_owned());
                }
                return Ok(fields);
            }
            room -= shown.len() + QUOTES;
            fields.past_lines.push(shown);
        }
    }
    Ok(fields)
}

/// Returns the document that a revision id names. A named version has it even if the history no longer leads back to it.
async fn document<S: Store>(context: &ToolContext<'_, S>, id: RevisionId) -> Result<PastDocument, ToolError> {
    let ToolContext { engine, session, now, .. } = context;
    let oldest = match engine.document_at(&session.canvas, id.revision(), *now).await {
        Ok(document) if document.is_named_by(id) => return Ok(document),
        Ok(_) | Err(EngineError::RevisionNotFound { .. }) => {
            let message = format!(
                "the canvas never had a revision {id}: call canvas_history, and pass a revision_id that it lists"
            );
            return Err(ToolError::new("REVISION_NOT_FOUND", message).at("/revision_id"));
        }
        Err(EngineError::RevisionNotKept { oldest, .. }) => oldest,
        Err(error) => return Err(error.into()),
    };
    let versions = engine.versions(&session.canvas, *now).await?;
    if let Some(version) = versions.into_iter().find(|version| version.revision_id == id) {
        match engine.document_at(&session.canvas, version.label, *now).await {
            Err(EngineError::VersionNotFound { .. } | EngineError::VersionErased { .. }) => {}
            found => return Ok(found?),
        }
    }
    let oldest = engine.document_at(&session.canvas, oldest, *now).await?.revision_id;
    let message =
        format!("the canvas does not keep the text of {id}: pass {oldest} or a later one as revision_id");
    Err(ToolError::new("REVISION_NOT_KEPT", message).at("/revision_id"))
}
