//! A range of a text that follows edits.

use std::ops::Range;

use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;
use crate::diff::parts::words::Words;

/// A range of a text that follows edits, or is lost with its last text and place.
///
/// An edit before or after the range moves it. An edit whose words touch or border on it loses it, so a range is never
/// guessed into place.
///
/// ```
/// use canvas_patch::{Anchor, Delta};
///
/// let text = "- buy milk\n- call home\n";
/// let mut anchor = Anchor::new(text, 6..10).ok_or("not in the text")?;
/// let after = "# List\n- buy milk\n- call home\n";
/// anchor.follow(&Delta::between(text, after));
/// assert_eq!(anchor.range().map(|range| &after[range]), Some("milk"));
///
/// anchor.follow(&Delta::between(after, "# List\n- buy bread\n"));
/// assert_eq!((anchor.range(), anchor.last_text(), anchor.last_place()), (None, "milk", 13));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Anchor {
    at: usize,
    text: String,
    #[cfg_attr(feature = "serde", serde(default))]
    is_lost: bool,
}

impl Anchor {
    /// Anchors a range of bytes, which may be empty. Returns `None` if the text has no such range.
    pub fn new(text: &str, range: Range<usize>) -> Option<Self> {
        let anchored = text.get(range.clone())?.to_owned();
        Some(Self { at: range.start, text: anchored, is_lost: false })
    }

    /// Returns the range in the newest text, or `None` if it is lost.
    pub fn range(&self) -> Option<Range<usize>> {
        (!self.is_lost).then(|| self.at..self.at + self.text.len())
    }

    /// Returns the text of the range, or its last text if it is lost.
    pub fn last_text(&self) -> &str {
        &self.text
    }

    /// Returns the byte offset of the range. If it is lost, this is the offset in the newest text of the place at which
    /// it was.
    pub fn last_place(&self) -> usize {
        self.at
    }

    /// Follows a change of the text. Costs time in proportion to the change.
    pub fn follow(&mut self, change: &Delta) {
        let end = if self.is_lost { self.at } else { self.at + self.text.len() };
        let Words { edits, .. } = Words::of(change);
        self.is_lost |= edits.iter().any(|edit| edit.at <= end && self.at <= edit.range().end);
        self.at = place_after(self.at, &edits);
    }
}

/// Returns the offset of a place after a change. A place inside a replaced range goes to its start.
fn place_after(at: usize, edits: &[TextEdit]) -> usize {
    let (mut added, mut removed) = (0, 0);
    for edit in edits {
        if edit.range().end > at || edit.at == at {
            return edit.at.min(at) + added - removed;
        }
        (added, removed) = (added + edit.new.len(), removed + edit.old.len());
    }
    at + added - removed
}
