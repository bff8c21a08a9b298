//! Edits that wait for a decision: what pages are shown of them, and what people decide.

use canvas_core::proposal::{DecideParts, OwnedSpan, PartsDecided, SpanKind};
use canvas_core::{CanvasId, EngineError, OpKey};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::error::{Answer, Failure};
use crate::host::Host;

/// A part in the document as its editor has it, without carriage returns: for `at`, `remove` code units go and `insert` comes.
#[derive(Debug, Default)]
struct Mark {
    at: usize,
    remove: usize,
    insert: String,
}

/// The parts of all owners, with their marks in the document of `revisionId`, which has `length` code units. `left_out` waits
/// as well, and has no marks because an older proposal has its place.
pub(crate) async fn shown(host: &Host, canvas: &CanvasId) -> Result<Value, EngineError> {
    let (open, _) = host.engine.proposals(canvas, clock::now()).await?;
    let list = open.list();
    if list.is_empty() {
        return Ok(json!({"list": [], "marks": []}));
    }
    let (marks, length) = marks(open.redline(None).unwrap_or_default());
    let marks: Vec<_> =
        marks.iter().map(|one| json!({"at": one.at, "remove": one.remove, "insert": one.insert})).collect();
    Ok(json!({"list": list, "marks": marks, "revisionId": open.revision_id(), "length": length}))
}

fn marks(spans: Vec<OwnedSpan>) -> (Vec<Mark>, usize) {
    let (mut marks, mut at): (Vec<Mark>, _) = (Vec::new(), 0);
    let mut is_open = false;
    for OwnedSpan { span, .. } in spans {
        let units = span.text.chars().filter(|c| *c != '\r').map(char::len_utf16).sum::<usize>();
        if span.kind == SpanKind::Keep {
            (at, is_open) = (at + units, false);
            continue;
        }
        if !is_open {
            marks.push(Mark { at, ..Mark::default() });
            is_open = true;
        }
        if let Some(mark) = marks.last_mut() {
            if span.kind == SpanKind::Delete {
                mark.remove += units;
                at += units;
            } else {
                mark.insert.extend(span.text.chars().filter(|c| *c != '\r'));
            }
        }
    }
    (marks, at)
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DecideParams {
    canvas_id: CanvasId,
    #[serde(flatten)]
    decision: Value,
}

/// A person accepts and rejects parts. A window without a name decides as the person `user`.
pub(crate) async fn decide(host: &Host, operation: OpKey, params: Value) -> Answer {
    let DecideParams { canvas_id, decision } = Failure::read(params)?;
    let decision: DecideParts = Failure::read(decision)?;
    let person = operation.person.clone().unwrap_or_default();
    let operation = OpKey { person: Some(person), ..operation };
    let (decided, snapshot) = host.act(&canvas_id, &operation, decision).await?;
    host.note_revision(&canvas_id, snapshot.head.revision());
    let PartsDecided { accepted, rejected, stale, revision } = decided;
    Ok(json!({"accepted": accepted, "rejected": rejected, "stale": stale, "revisionId": revision}))
}
