//! Differences between a document and the text that a conversation knows.

use canvas_patch::{DiffExcerpt, Limits, Outline, build};
use serde::{Deserialize, Serialize};

use crate::model::conversation::SyncPoint;
use crate::model::revision::RevisionId;

/// Changes to a document between two revisions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Changes {
    /// Revision before the changes, or `None` if the reader knows no revision.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<RevisionId>,
    /// Revision after the changes.
    pub to: RevisionId,
    /// Complete unified diff without file names. `None` if it would be larger than the policy allows, or if only a part
    /// is shown.
    pub diff: Option<String>,
    /// Whole text instead of a diff. Present if the reader knows no revision, or if the diff would exceed both the
    /// policy's limit and the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole: Option<String>,
    /// Headings instead of the text. Present if the reader knows no revision and the text has more bytes than
    /// [`SyncLimits::snapshot_bytes`](crate::policy::SyncLimits::snapshot_bytes).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub headings: Option<Headings>,
}

/// Headings of a text, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Headings {
    /// Number of lines in the text.
    pub lines: usize,
    /// First headings, at most 200 with 16 KiB of titles in total.
    pub listed: Vec<Heading>,
    /// Number of headings omitted from `listed`.
    pub left_out: usize,
}

/// Heading of a text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Heading {
    /// Line of the heading, from 1.
    pub line: usize,
    /// Heading level, 1 to 6.
    pub level: u8,
    /// Text of the heading.
    pub title: String,
}

impl Headings {
    const COUNT: usize = 200;
    const TITLE_BYTES: usize = 16 << 10;

    pub(crate) fn of(text: &str, outline: &Outline) -> Self {
        let (mut listed, mut bytes) = (Vec::new(), 0);
        for section in outline.sections().iter().take(Self::COUNT) {
            bytes += section.title.len();
            if bytes > Self::TITLE_BYTES {
                break;
            }
            let (line, level, title) = (section.heading.start, section.level, section.title.to_string());
            listed.push(Heading { line, level, title });
        }
        let left_out = outline.sections().len() - listed.len();
        Self { lines: text.split_inclusive('\n').count(), listed, left_out }
    }
}

impl Changes {
    /// Creates changes with the whole text, or with neither text nor diff if the text has more than `most` bytes.
    pub(crate) fn whole(from: Option<RevisionId>, to: RevisionId, text: &str, most: usize) -> Self {
        Self { from, to, diff: None, whole: (text.len() <= most).then(|| text.to_owned()), headings: None }
    }

    pub(crate) fn headings(to: RevisionId, headings: Headings) -> Self {
        Self { from: None, to, diff: None, whole: None, headings: Some(headings) }
    }

    /// Replaces the diff with the whole text if the diff is larger than both `most` and the text.
    pub(crate) fn or_whole(self, text: &str, most: usize) -> Self {
        match &self.diff {
            Some(diff) if diff.len() > most && diff.len() > text.len() => {
                Self::whole(self.from, self.to, text, usize::MAX)
            }
            _ => self,
        }
    }

    /// Whether a reader of this value knows the document.
    pub fn is_shown(&self) -> bool {
        self.diff.is_some() || self.whole.is_some()
    }
}

/// Computes the diff from a known text to the current one, or `None` if both are the same. A diff of more than
/// `diff_bytes` bytes is left out. Takes as long as [`build`].
pub(crate) fn changes_since(
    (known, before): (SyncPoint, &str),
    (now, after): (SyncPoint, &str),
    diff_bytes: usize,
) -> Option<Changes> {
    // A text may have two names, one of them from versions that did not store chunks.
    if known.document == now.document || before == after {
        return None;
    }
    let diff = build(before, after, 3);
    Some(Changes {
        from: Some(RevisionId::new(known.revision, known.document)),
        to: RevisionId::new(now.revision, now.document),
        diff: (diff.len() <= diff_bytes).then_some(diff),
        whole: None,
        headings: None,
    })
}

/// Returns the changes from a known text to the current one, for the author of a patch for the known text.
///
/// If some hunks are not near the patch, only the near ones are returned. Otherwise, the result has the whole diff, and
/// the conversation counts as having seen the document. Hunks or a diff of more than `diff_bytes` bytes are left out.
pub(crate) fn changes_around(
    (known, before): (SyncPoint, &str),
    now: (SyncPoint, &str),
    patch: &str,
    (diff_bytes, limits): (usize, &Limits),
) -> (Option<Changes>, Option<DiffExcerpt>) {
    let Some(mut changes) = changes_since((known, before), now, usize::MAX) else {
        return (None, None);
    };
    let diff = changes.diff.take().unwrap_or_default();
    let fits = diff.len() <= diff_bytes;
    let near = DiffExcerpt::touching(before, patch, &diff, limits);
    let near = near.filter(|near| near.left_out > 0 && near.diff.len() <= diff_bytes);
    changes.diff = (fits && near.is_none()).then_some(diff);
    (Some(changes), near)
}
