//! An outline that is kept up to date: after an edit only what it may have changed is read again.

use std::sync::Arc;

use super::changed::{Changed, changes};
use super::found::{Block, ScanResult};
use super::index::{Index, Region};
use super::model::Outline;
use super::reparse::Plan;
use super::splice::Reparse;
use crate::diff::edit::TextEdit;
use crate::text::lines;

/// A text with its outline, which an edit brings up to date at the cost of the edit.
///
/// After [`LiveOutline::edit`] the outline equals [`outline`](super::outline()) of the new text, always. The parser reads
/// from the last restart point two lines above the change to the first one below it at which text and parse are as before.
/// Restart points are headings with `#`, items of outermost lists, and text after a blank line outside of lists and quotes.
/// Line numbers after it are moved, and both texts are compared byte for byte.
///
/// Some edits cost a full outline: those that change which link labels are defined, and all edits of texts that nest
/// so deeply, or may refer to links so often, that the parser's own limits could matter. An edit that opens a fence
/// reads what the fence swallows. A few full outlines are the most that an edit can cost.
///
/// The text is shared: whoever holds it in an [`Arc`] keeps it once. A clone copies the outline, so a cache holds it in
/// an [`Arc`] too, and copies it only while somebody else reads it:
///
/// ```
/// use std::sync::Arc;
///
/// use canvas_patch::{Address, EditPolicy, LiveOutline, Options, apply, outline};
///
/// let before = Arc::new("# A\n\ntext\n\n# B\n".to_owned());
/// let mut cached = Arc::new(LiveOutline::new(Arc::clone(&before)));
/// let reader = Arc::clone(&cached);
///
/// let applied = apply(&before, "@@ -3,1 +3,2 @@\n-text\n+## C\n+text\n", &Options::default())?;
/// let (delta, after) = (applied.delta(), Arc::new(applied.into_text()));
/// let section = Address::Section { path: vec!["A".into()], ordinal: None, part: None };
/// let policy = EditPolicy { scope: Some(section), refuse_side_effects: true };
/// assert_eq!(cached.check_edit(&after, delta.edits(), &policy)?.headings_gained[0].title, "C");
///
/// Arc::make_mut(&mut cached).edit(Arc::clone(&after), delta.edits());
/// assert_eq!(cached.outline().path(1), ["A", "C"]);
/// assert_eq!((cached.outline(), reader.outline()), (&outline(&after), &outline(&before)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct LiveOutline {
    text: Arc<String>,
    index: Index,
}

impl LiveOutline {
    /// Outlines `text`; takes linear time.
    pub fn new(text: impl Into<Arc<String>>) -> Self {
        let text = text.into();
        let index = Index::new(&text);
        Self { text, index }
    }

    /// The text as it is now.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The outline of [`LiveOutline::text`].
    pub fn outline(&self) -> &Outline {
        &self.index.outline
    }

    /// Roughly the bytes of memory that the outline takes besides the text, which may be several times as many. For who
    /// keeps outlines within a bound; takes constant time.
    pub fn approximate_bytes(&self) -> usize {
        /// A title, a label.
        const NAME: usize = 32;
        let Index { outline, blocks, points, definitions, .. } = &self.index;
        size_of_val(&**blocks)
            + size_of_val(&**points)
            + size_of_val(outline.sections())
            + size_of_val(outline.containers())
            + size_of_val(&**definitions)
            + NAME * (outline.sections().len() + definitions.len())
    }

    /// The blocks of the text, in the order of their starts.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.index.blocks
    }

    /// Takes `after` for the text, and brings the outline up to date.
    ///
    /// `edits` make `after` of the text, as those of [`Applied::delta`](crate::Applied::delta) do. They let edits that
    /// lie far apart be read apart, and are checked: where there are none, or they make something else, the outline is
    /// right all the same, and everything between the first and the last difference counts as changed.
    pub fn edit(&mut self, after: impl Into<Arc<String>>, edits: &[TextEdit]) {
        let after = after.into();
        let changes = changes(&self.text, &after, edits);
        match self.index.plan(&self.text, &after, &changes) {
            _ if changes.is_empty() => {}
            Some(Plan { lead, reparses, limits }) => {
                self.index.lead = lead;
                self.index.limits = limits;
                self.index.outline.front_matter = lead.front_matter;
                self.index.splice(&after, reparses);
            }
            None => self.index = Index::new(&after),
        }
        self.text = after;
    }

    /// The regions that an edit may have changed, before and after; all the rest is the same but for its place.
    pub(crate) fn regions(&self, after: &str, changes: &[Changed]) -> Vec<(Region, Region)> {
        // Behind a byte order mark no line starts: an edit there is one of the first line, which may read the same.
        let at_mark = changes.first().is_some_and(|first| {
            is_in_mark(&self.text, first.old.start) || is_in_mark(after, first.new.start)
        });
        let plan = if at_mark { None } else { self.index.plan(&self.text, after, changes) };
        let Some(Plan { reparses, .. }) = plan else {
            return vec![(self.index.whole(), Index::new(after).whole())];
        };
        let regions = reparses.into_iter().map(|Reparse { old, found, end, .. }| {
            let ScanResult { mut sections, mut blocks, points, .. } = found;
            sections.truncate(end.sections);
            blocks.retain(|block| block.bytes.start < end.byte);
            let start = (points[0].byte, points[0].line);
            (self.index.region(old), Region { start, sections, blocks })
        });
        regions.collect()
    }
}

/// Whether a place is in the byte order mark that a text begins with, or right after it.
fn is_in_mark(text: &str, at: usize) -> bool {
    lines::mark(text) > 0 && at <= lines::mark(text)
}

#[cfg(test)]
pub(crate) mod tests;
