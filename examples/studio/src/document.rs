//! Typing in the document.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

use canvas_core::document::{Base, Edit, Edited};
use canvas_core::turn::TakeControl;
use canvas_core::{BlobId, CanvasId, OpKey, RevisionId};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::error::{Answer, Failure};
use crate::host::Host;
use crate::splice::Splice;

/// Texts that are kept of a canvas.
const KEPT: usize = 128;

/// Bytes of texts that are kept of a canvas.
const KEPT_BYTES: usize = 16 << 20;

/// The last texts of each canvas, for edits that say only what they change.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    canvases: Mutex<HashMap<CanvasId, VecDeque<(BlobId, String)>>>,
}

impl Texts {
    pub(crate) fn keep(&self, canvas: &CanvasId, document: BlobId, text: &str) {
        let mut canvases = self.canvases.lock().unwrap_or_else(PoisonError::into_inner);
        let texts = canvases.entry(canvas.clone()).or_default();
        if texts.iter().any(|(known, _)| *known == document) {
            return;
        }
        texts.push_back((document, text.to_owned()));
        let bytes =
            |texts: &VecDeque<(BlobId, String)>| texts.iter().map(|(_, text)| text.len()).sum::<usize>();
        while texts.len() > KEPT || texts.len() > 1 && bytes(texts) > KEPT_BYTES {
            texts.pop_front();
        }
    }

    /// The text of a revision. Revisions that differ in other faces have the same.
    pub(crate) fn get(&self, canvas: &CanvasId, revision: RevisionId) -> Option<String> {
        let canvases = self.canvases.lock().unwrap_or_else(PoisonError::into_inner);
        let is_named = |document| RevisionId::new(revision.revision(), document) == revision;
        let found = canvases.get(canvas)?.iter().rev().find(|(document, _)| is_named(*document));
        found.map(|(_, text)| text.clone())
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct EditParams {
    canvas_id: CanvasId,
    base_revision_id: RevisionId,
    #[serde(default)]
    splice: Option<Splice>,
    #[serde(default)]
    markdown: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ControlParams {
    canvas_id: CanvasId,
}

/// A person takes the locked document over, and ends the turn of the assistant.
pub(crate) async fn take_control(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let ControlParams { canvas_id } = Failure::read(params)?;
    let (taken, _) = host.act(&canvas_id, operation, TakeControl).await?;
    host.assistant.interrupt(&canvas_id);
    Ok(json!({"epoch": taken.epoch}))
}

/// A person has typed.
pub(crate) async fn edit(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let params: EditParams = Failure::read(params)?;
    let EditParams { canvas_id, base_revision_id: base, splice, markdown } = params;
    let markdown = match (markdown, splice) {
        (Some(markdown), None) => markdown,
        (None, Some(splice)) => {
            let text = host.texts.get(&canvas_id, base).ok_or_else(|| {
                Failure::new(
                    "BASE_UNKNOWN",
                    &format!("the text of {base} is not kept any more: send the whole text as markdown"),
                )
            })?;
            splice.apply(&text).ok_or_else(|| {
                Failure::new(
                    "INVALID_ARGUMENTS",
                    "the splice does not lie in the text of its base: ask for the canvas again",
                )
            })?
        }
        _ => {
            return Err(Failure::new(
                "INVALID_ARGUMENTS",
                "an edit has a splice or markdown: send one of them",
            ));
        }
    };
    let edit = Edit { markdown: markdown.clone(), base: Some(Base::Id(base)) };
    let answered = host.engine.call(&canvas_id, operation, edit, clock::now()).await?;
    let snapshot = answered.snapshot;
    let Edited { epoch, revision, moved, merged } = answered.result.map_err(|refusal| {
        let Failure(mut error) = Failure::refused(&refusal);
        // With both texts: what was sent, and the one that is there.
        error["yours"] = markdown.into();
        error["markdown"] = snapshot.text().into();
        error["revisionId"] = json!(snapshot.revision_id());
        Failure(error)
    })?;
    host.texts.keep(&canvas_id, snapshot.document.id(), snapshot.text());
    host.note_revision(&canvas_id, snapshot.head.revision());
    Ok(json!({"revisionId": revision, "epoch": epoch, "moved": moved, "merged": merged}))
}
