//! An outline that follows the edits of its text. After an edit, only the parts that it may affect are read again.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::found::{Block, ScanResult};
use super::index::{Index, Region};
use super::model::Outline;
use super::reparse::Plan;
use super::splice::Reparse;
use crate::diff::changed::{Changed, changes};
use crate::diff::edit::TextEdit;
use crate::text::lines;

/// A text with its outline, which an edit updates at the cost of the edit.
///
/// After [`LiveOutline::edit`], the outline always equals the [`outline`](super::outline()) of the new text. The parser
/// starts at the last restart point at least two lines above the change. Below the change, it stops at the first
/// restart point from which both text and parse are unchanged. Restart points are headings with `#`, items of outermost
/// lists, and text after a blank line outside of lists and quotes. Below the stop, line numbers are only shifted. In
/// addition, both texts are compared byte for byte.
///
/// Some edits cost a full outline. These are edits that change which link labels are defined, and all edits of texts
/// that nest so deeply, or may refer to links so often, that the parser's own limits could matter. If an edit opens a
/// fence, everything that the fence swallows is read. No edit costs more than a few full outlines.
///
/// The text is shared, so if you hold it in an [`Arc`] too, it is in memory only once. A clone copies the outline. A
/// cache should therefore hold the `LiveOutline` in an [`Arc`], so that it is copied only while another reader holds
/// it:
///
/// ```
/// use std::sync::Arc;
///
/// use canvas_patch::{Address, ApplyOptions, EditPolicy, LiveOutline, apply, outline};
///
/// let before = Arc::new("# A\n\ntext\n\n# B\n".to_owned());
/// let mut cached = Arc::new(LiveOutline::new(Arc::clone(&before)));
/// let reader = Arc::clone(&cached);
///
/// let applied = apply(&before, "@@ -3,1 +3,2 @@\n-text\n+## C\n+text\n", &ApplyOptions::default())?;
/// let (delta, after) = (applied.delta(), Arc::new(applied.into_text()));
/// let section = Address::Section { path: vec!["A".into()], ordinal: None, part: None };
/// let policy = EditPolicy { scope: Some(section), refuse_side_effects: true, ..EditPolicy::default() };
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
    /// Creates the outline of `text` in linear time.
    pub fn new(text: impl Into<Arc<String>>) -> Self {
        let text = text.into();
        let index = Index::new(&text);
        Self { text, index }
    }

    /// Returns the current text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the outline of [`LiveOutline::text`].
    pub fn outline(&self) -> &Outline {
        &self.index.outline
    }

    /// Returns roughly the number of bytes of memory that the outline takes, not counting the text. The result may be
    /// several times the size of the text. Use it to keep outlines within a memory bound. Takes constant time.
    pub fn approximate_bytes(&self) -> usize {
        /// Bytes assumed for a title or a label.
        const NAME: usize = 32;
        let Index { outline, blocks, points, definitions, .. } = &self.index;
        size_of_val(&**blocks)
            + size_of_val(&**points)
            + size_of_val(outline.sections())
            + size_of_val(outline.containers())
            + size_of_val(&**definitions)
            + NAME * (outline.sections().len() + definitions.len())
    }

    /// Returns the blocks of the text, in the order of their starts.
    pub(crate) fn blocks(&self) -> &[Block] {
        &self.index.blocks
    }

    /// Returns the start of the first definition of every link label, by the label in lower case.
    pub(crate) fn definitions(&self) -> BTreeMap<String, usize> {
        let mut firsts = BTreeMap::new();
        for definition in &self.index.definitions {
            firsts.entry(definition.label.to_lowercase()).or_insert(definition.byte);
        }
        firsts
    }

    /// Replaces the text with `after` and updates the outline.
    ///
    /// `edits` should turn the current text into `after`, like the edits of [`Applied::delta`](crate::Applied::delta).
    /// With them, changes that are far apart are read separately. The edits are checked. If the list is empty or leads
    /// to another text, the outline is still correct, but everything between the first and the last difference counts
    /// as changed.
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

    /// Returns the regions that an edit may affect, each in the old and in the new text. Text outside of them only
    /// moves.
    pub(crate) fn regions(&self, after: &str, changes: &[Changed]) -> Vec<(Region, Region)> {
        // No line starts right after a byte order mark. An edit there belongs to the first line, which may read the
        // same.
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

/// Whether `at` is inside or right after the byte order mark at the start of the text.
fn is_in_mark(text: &str, at: usize) -> bool {
    lines::mark(text) > 0 && at <= lines::mark(text)
}

#[cfg(test)]
pub(crate) mod tests;
