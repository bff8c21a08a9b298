//! What a conversation knows, and what must be told to it (specs 000 §12, §13).

use canvas_patch::{Excerpt, build, changes_near};
use serde::{Deserialize, Serialize};

use crate::ground::head::SyncPoint;
use crate::ground::revision::RevisionId;
use crate::policy::Policy;
use crate::view::{Missing, View};

/// What happened to a document between two revisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changes {
    /// The revision before; `None` where nothing was known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<RevisionId>,
    /// The revision after.
    pub to: RevisionId,
    /// The unified diff without file names, whole; `None` where it would be larger than the policy allows, or where a
    /// part of it is shown instead.
    pub diff: Option<String>,
    /// The whole text instead, for who knows nothing of it, or where the diff would be the longer of two long texts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
}

impl Changes {
    /// The whole text, unless it has more bytes than may be shown.
    pub(crate) fn whole(from: Option<RevisionId>, to: RevisionId, text: &str, most: usize) -> Self {
        Self { from, to, diff: None, whole: (text.len() <= most).then(|| text.to_owned()) }
    }

    /// A diff that is large, and larger than the text itself, makes way for the text.
    pub(crate) fn or_whole(self, text: &str, most: usize) -> Self {
        match &self.diff {
            Some(diff) if diff.len() > most && diff.len() > text.len() => {
                Self::whole(self.from, self.to, text, usize::MAX)
            }
            _ => self,
        }
    }

    /// Whether who has read this knows the document.
    pub(crate) fn is_shown(&self) -> bool {
        self.diff.is_some() || self.whole.is_some()
    }
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
        from: Some(RevisionId::new(known.revision, known.document)),
        to: RevisionId::new(now.revision, now.document),
        diff: (diff.len() <= diff_bytes).then_some(diff),
        whole: None,
    }))
}

/// What changed from a known text to the text now, for the author of a patch that was written for the known one.
///
/// The whole diff lets the conversation count as having seen the document. Who names a base need not: there the hunks
/// near the patch are enough, and no diff is given. So it is for others where the whole diff is too large.
pub(crate) fn changes_around(
    view: &View<'_>,
    known: SyncPoint,
    now: SyncPoint,
    patch: &str,
    named: bool,
    policy: &Policy,
) -> Result<(Option<Changes>, Option<Excerpt>), Missing> {
    let Some(mut changes) = changes_since(view, known, now, view.text(), usize::MAX)? else {
        return Ok((None, None));
    };
    let diff = changes.diff.take().unwrap_or_default();
    let limit = policy.refusal_diff_bytes;
    let fits = diff.len() <= limit;
    let mut near = None;
    if named || !fits {
        let before = view.blob(known.document)?.as_text().unwrap_or_default();
        near = changes_near(before, patch, &diff, &policy.patch);
        near = near.filter(|near| near.left_out > 0 && near.diff.len() <= limit);
    }
    changes.diff = (fits && near.is_none()).then_some(diff);
    Ok((Some(changes), near))
}
