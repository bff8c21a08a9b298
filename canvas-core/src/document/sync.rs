//! What a conversation knows, and what must be told to it (specs 000 §12, §13).

use canvas_patch::build;
use serde::{Deserialize, Serialize};

use crate::ground::head::SyncPoint;
use crate::ground::revision::RevisionId;
use crate::view::{Missing, View};

/// What happened to a document between two revisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The revision before.
    pub from: RevisionId,
    /// The revision after.
    pub to: RevisionId,
    /// The unified diff without file names; `None` where it would be larger than the policy allows.
    pub diff: Option<String>,
}

/// What changed from a known text to the text now; `None` where the text is the same.
pub(crate) fn changes_since(
    view: &View<'_>,
    known: SyncPoint,
    now: SyncPoint,
    text_now: &str,
    diff_bytes: usize,
) -> Result<Option<Changes>, Missing> {
    if known.document == now.document {
        return Ok(None);
    }
    let before = view.blob(known.document)?.as_text().unwrap_or_default();
    let diff = build(before, text_now, 3);
    Ok(Some(Changes {
        from: RevisionId::new(known.revision, known.document),
        to: RevisionId::new(now.revision, now.document),
        diff: (diff.len() <= diff_bytes).then_some(diff),
    }))
}
