//! Finds the changes since a stale version.

use canvas_core::document::{Changes, DocumentStep};
use canvas_core::lease::Timestamp;
use canvas_core::store::Store;
use canvas_core::text::build;
use canvas_core::{BlobId, CanvasId, Engine, RevisionId, Snapshot};

/// Maximum number of history entries read. Each costs one read of the store.
const REACH: usize = 64;

/// Returns the changes from a version to the current document. Returns `None` if the history does not reach back that
/// far, or if the version never existed.
pub(crate) async fn changes_since<S: Store>(
    engine: &Engine<S>,
    canvas: &CanvasId,
    version: RevisionId,
    snapshot: &Snapshot,
    now: Timestamp,
) -> Option<Changes> {
    let entries = engine.history(canvas, None, REACH, now).await.ok()?;
    let mut text = snapshot.text().to_owned();
    for entry in entries {
        // Others may have changed the document since the snapshot.
        if entry.revision_after > snapshot.head.revision() {
            continue;
        }
        if entry.revision_after <= version.revision() {
            break;
        }
        let Some(DocumentStep { delta, .. }) = entry.document() else { continue };
        text = delta.as_ref()?.inverse().apply(&text).ok()?;
    }
    // The version's hash shows whether this is its text, under the current naming or the one used before documents had
    // chunks.
    let names = [BlobId::of_document(&text), BlobId::of(text.as_bytes())];
    names.iter().any(|name| RevisionId::new(version.revision(), *name) == version).then(|| {
        let diff = build(&text, snapshot.text(), 3);
        let limit = engine.policy().sync.refusal_diff_bytes;
        let diff = (diff.len() <= limit).then_some(diff);
        Changes { from: Some(version), to: snapshot.revision_id(), diff, whole: None, headings: None }
    })
}
