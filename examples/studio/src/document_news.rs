//! What pages are sent of changes of the document.

use canvas_core::document::DocumentStep;
use canvas_core::history::{Entry, EntryNumber, Step};
use canvas_core::{BlobId, CanvasId, EngineError, RevisionId, Role, Snapshot};
use serde_json::{Value, json};

use crate::clock;
use crate::host::Host;
use crate::splice::{Splice, words};

/// Changes that are sent one by one; of more the sum is.
const ONE_BY_ONE: u64 = 64;

/// The document as pages know it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Before<'a> {
    pub(crate) text: &'a str,
    pub(crate) revision: RevisionId,
    /// Entries of the journal until then.
    pub(crate) entries: u64,
}

/// One change.
struct Change {
    after: RevisionId,
    text: String,
    actor: Role,
    /// The page and its request, where it is of one.
    origin: Option<(String, String)>,
}

/// Sends the changes since, each with whose it is. Gives the revision that the last of them has led to.
pub(crate) async fn bring(
    host: &Host,
    canvas: &CanvasId,
    before: Before<'_>,
    snapshot: &Snapshot,
) -> Result<RevisionId, EngineError> {
    let entries = snapshot.head.journal().entries;
    let count = entries.saturating_sub(before.entries);
    let read = match usize::try_from(count) {
        Ok(limit) if count <= ONE_BY_ONE => {
            let end = EntryNumber::new(entries.saturating_add(1));
            host.engine.history(canvas, Some(end), limit, clock::now()).await?
        }
        _ => Vec::new(),
    };
    let changes = replayed(before.text, &read)
        .filter(|changes| changes.last().is_some_and(|last| last.text == snapshot.text()));
    let changes = changes.unwrap_or_else(|| {
        let actor = read.first().map_or(Role::User, |entry| entry.actor);
        vec![Change { after: snapshot.revision_id(), text: snapshot.text().to_owned(), actor, origin: None }]
    });
    let (mut base, mut text) = (before.revision, before.text);
    for change in &changes {
        host.texts.keep(canvas, BlobId::of_document(&change.text), &change.text);
        host.publish(canvas, "canvas.document.updated", payload(base, text, change, snapshot));
        (base, text) = (change.after, &change.text);
    }
    Ok(base)
}

/// The texts that the entries, newest first, lead to; `None` where they do not say.
fn replayed(text: &str, entries: &[Entry]) -> Option<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    for entry in entries.iter().rev() {
        let Step::Document(DocumentStep { after, delta, .. }) = &entry.step else { continue };
        let text = changes.last().map_or(text, |change| &change.text);
        let text = delta.as_ref()?.apply(text).ok()?;
        let conversation = entry.operation.conversation.as_str();
        let client = conversation.strip_prefix("studio:").map(str::to_owned);
        let origin = client.map(|client| (client, entry.operation.call.to_string()));
        changes.push(Change {
            after: RevisionId::new(entry.revision_after, *after),
            text,
            actor: entry.actor,
            origin,
        });
    }
    Some(changes)
}

fn payload(base: RevisionId, before: &str, change: &Change, snapshot: &Snapshot) -> Value {
    let mut payload = json!({
        "revision": change.after.revision(),
        "revisionId": change.after,
        "baseRevisionId": base,
        "splice": Splice::between(before, &change.text),
        "actor": change.actor,
        "epoch": snapshot.head.lock().epoch(),
    });
    if change.actor == Role::Assistant {
        payload["words"] = words(before, &change.text);
    }
    if let Some((client, request)) = &change.origin {
        payload["clientId"] = client.as_str().into();
        payload["request"] = request.as_str().into();
    }
    payload
}
