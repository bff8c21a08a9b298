//! The past of the document: what changed since a revision or version, who wrote which lines, and named versions.

use canvas_core::history::At;
use canvas_core::text::{LineRange, RedlineSpan, SpanKind};
use canvas_core::version::{NameVersion, NamedVersion, RemoveVersion, Restore, VersionLabel};
use canvas_core::{CanvasId, EngineError, OpKey, Revision};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::error::{Answer, Failure};
use crate::host::Host;

/// Versions that pages are sent, the newest first.
const VERSIONS: usize = 200;

/// Changes by words that a page is sent. Of more, it is only sent how many there are.
const CHANGES: usize = 2_000;

/// Bytes of the changed words that a page is sent.
const BYTES: usize = 256 << 10;

/// Lines whose writers a page may ask for at once.
const LINES: usize = 1_000;

/// A revision or a version.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
enum Point {
    Revision(Revision),
    Version(VersionLabel),
}

impl From<Point> for At {
    fn from(point: Point) -> Self {
        match point {
            Point::Revision(revision) => revision.into(),
            Point::Version(label) => label.into(),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DiffParams {
    canvas_id: CanvasId,
    from: Point,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct BlameParams {
    canvas_id: CanvasId,
    /// Counted from 1.
    start_line: usize,
    end_line: usize,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NameParams {
    canvas_id: CanvasId,
    label: VersionLabel,
    #[serde(default)]
    note: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RemoveParams {
    canvas_id: CanvasId,
    label: VersionLabel,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RestoreParams {
    canvas_id: CanvasId,
    to: Point,
}

/// Compares the document with an earlier one.
pub(crate) async fn diff(host: &Host, params: Value) -> Answer {
    let DiffParams { canvas_id, from } = Failure::read(params)?;
    let now = host.engine.revision_of(&canvas_id).await?.revision;
    let diff = host.engine.diff(&canvas_id, from, now, clock::now()).await?;
    let changes = changes(&diff.words);
    let mut answer = json!({
        "fromRevisionId": diff.from.revision_id,
        "revisionId": diff.to.revision_id,
        "changes": changes.len(),
        "actors": diff.actors,
    });
    let bytes: usize = changes.iter().map(|change| change.deleted.len() + change.inserted.len()).sum();
    if changes.len() <= CHANGES && bytes <= BYTES {
        let word = |change: &Change| json!({"at": change.at, "del": change.deleted, "ins": change.inserted});
        answer["words"] = changes.iter().map(word).collect();
    }
    Ok(answer)
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Change {
    /// In the new text, in UTF-16 code units.
    at: usize,
    deleted: String,
    inserted: String,
}

/// Joins the spans between two kept ones.
fn changes(spans: &[RedlineSpan]) -> Vec<Change> {
    let (mut changes, mut at, mut is_open) = (Vec::new(), 0, false);
    for span in spans {
        if span.kind != SpanKind::Keep && !is_open {
            changes.push(Change { at, ..Change::default() });
        }
        is_open = span.kind != SpanKind::Keep;
        if let (Some(last), true) = (changes.last_mut(), is_open) {
            match span.kind {
                SpanKind::Delete => last.deleted += &span.text,
                SpanKind::Insert | SpanKind::Keep => last.inserted += &span.text,
            }
        }
        if span.kind != SpanKind::Delete {
            at += span.text.encode_utf16().count();
        }
    }
    changes
}

/// Returns who wrote which lines.
pub(crate) async fn blame(host: &Host, params: Value) -> Answer {
    let BlameParams { canvas_id, start_line, end_line } = Failure::read(params)?;
    if start_line == 0 || end_line < start_line || end_line - start_line >= LINES {
        let message = format!("the lines are counted from 1, and at most {LINES} at once: correct them");
        return Err(Failure::new("INVALID_ARGUMENTS", &message));
    }
    let lines = LineRange { start: start_line, end: end_line };
    let (before, blamed) = (
        host.engine.snapshot(&canvas_id, clock::now()).await?.revision_id(),
        host.engine.blame(&canvas_id, Some(lines), clock::now()).await?,
    );
    let after = host.engine.snapshot(&canvas_id, clock::now()).await?.revision_id();
    if before != after {
        return Err(Failure::retryable("CONTENT_CHANGED", "the document changed meanwhile: ask again"));
    }
    let lines = blamed.into_iter();
    let lines = lines.map(|lines| {
        let writer = lines.writer.map(|writer| {
            json!({"change": writer.change, "at": writer.at, "by": writer.actor, "author": writer.author})
        });
        json!({"startLine": lines.start_line, "endLine": lines.end_line, "writer": writer})
    });
    Ok(json!({"revisionId": after, "lines": lines.collect::<Value>()}))
}

/// Returns the versions as pages get them.
pub(crate) async fn shown(host: &Host, canvas: &CanvasId) -> Result<Value, EngineError> {
    let versions = host.engine.versions(canvas, clock::now()).await?;
    let newest = versions.iter().rev().take(VERSIONS).map(row);
    Ok(json!({"count": versions.len(), "list": newest.collect::<Value>()}))
}

fn row(version: &NamedVersion) -> Value {
    json!({
        "label": version.label, "revisionId": version.revision_id, "at": version.at, "by": version.actor,
        "note": version.note, "isErased": version.is_erased(),
    })
}

/// Gives the present document a label.
pub(crate) async fn name(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let NameParams { canvas_id, label, note } = Failure::read(params)?;
    let (version, _) = host.act(&canvas_id, operation, NameVersion { label, note, of: None }).await?;
    Ok(json!({"version": row(&version)}))
}

pub(crate) async fn remove(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let RemoveParams { canvas_id, label } = Failure::read(params)?;
    host.act(&canvas_id, operation, RemoveVersion { label }).await?;
    Ok(json!({}))
}

/// Makes an earlier document the present one. Like typing, this ends the lock of the assistant.
pub(crate) async fn restore(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let RestoreParams { canvas_id, to } = Failure::read(params)?;
    let document = host.engine.document_at(&canvas_id, to, clock::now()).await?;
    let (restored, snapshot) = host.act(&canvas_id, operation, Restore { faces: document.into() }).await?;
    host.texts.keep(&canvas_id, snapshot.document.id(), snapshot.text());
    host.note_revision(&canvas_id, snapshot.head.revision());
    Ok(json!({"revisionId": restored.revision, "epoch": restored.epoch}))
}

#[cfg(test)]
mod tests {
    use canvas_core::text::{RedlineSpan, SpanKind};

    use super::{Change, changes};

    #[test]
    fn words_between_kept_ones_are_one_change() {
        use SpanKind::{Delete, Insert, Keep};
        for (spans, expected) in [
            (vec![], vec![]),
            (vec![(Keep, "one")], vec![]),
            (vec![(Insert, "one")], vec![(0, "", "one")]),
            (vec![(Keep, "𝄞 "), (Delete, "a"), (Insert, "ä"), (Keep, " b")], vec![(3, "a", "ä")]),
            (
                vec![(Delete, "a"), (Keep, "b"), (Insert, "c"), (Insert, "d"), (Keep, "e"), (Delete, "f")],
                vec![(0, "a", ""), (1, "", "cd"), (4, "f", "")],
            ),
        ] {
            let span = |(kind, text): (_, &str)| RedlineSpan { kind, text: text.to_owned(), part: None };
            let spans: Vec<_> = spans.into_iter().map(span).collect();
            let expected: Vec<_> = expected
                .into_iter()
                .map(|(at, deleted, inserted)| Change {
                    at,
                    deleted: String::from(deleted),
                    inserted: String::from(inserted),
                })
                .collect();
            assert_eq!(changes(&spans), expected);
        }
    }
}
