//! Checks that the author of a patch looked at the changed lines in the same turn.

use std::ops::Range;

use canvas_patch::{Delta, LineRange, Span};

use crate::document::replace::bytes_of;
use crate::document::shown::{ShownLines, ShownText};
use crate::model::revision::Base;
use crate::transition::refusal::PatchRefusal;
use crate::transition::step::{Stop, Transition};

/// Maximum distance, in lines, at which a located line also locates a change. A hunk usually quotes as many lines
/// around a change.
const CONTEXT: usize = 3;

impl Transition<'_> {
    /// Checks that the changed lines, or lines around them, were located in this turn. This is free unless the policy
    /// requires located lines. Otherwise it costs at most as much as restoring each earlier text of the turn.
    pub(super) fn check_located<R: From<PatchRefusal>>(
        &self,
        shown: Option<&ShownLines>,
        changed: &[Span],
    ) -> Result<(), Stop<R>> {
        let now = self.view.text();
        let Some(shown) = shown.filter(|_| self.policy.writes.require_located && !now.is_empty()) else {
            return Ok(());
        };
        let mut open: Vec<_> = changed.iter().map(|span| around(&span.old_lines)).collect();
        for located in shown.located() {
            self.retain_elsewhere(&mut open, located)?;
            if open.is_empty() {
                return Ok(());
            }
        }
        let total = now.split_inclusive('\n').count();
        let lines = LineRange { start: open[0].start + 1, end: open[0].end.min(total) };
        Err(Stop::refused(PatchRefusal::NotLocated { lines }))
    }

    /// Drops those current lines that were located in a text, which may be an earlier one.
    fn retain_elsewhere<R>(&self, open: &mut Vec<Range<usize>>, located: &ShownText) -> Result<(), Stop<R>> {
        let is_located = |lines: &Range<usize>| {
            located.ranges.iter().any(|known| known.start < lines.end && lines.start < known.end)
        };
        if located.document == self.head.document() {
            open.retain(|lines| !is_located(lines));
            return Ok(());
        }
        let past = self.past(Base::Id(located.revision))?.filter(|past| past.document == located.document);
        let Some(past) = past else { return Ok(()) };
        let since = past.since();
        open.retain(|lines| {
            let bytes = bytes_of(self.view.text(), LineRange { start: lines.start + 1, end: lines.end });
            let bytes = since.iter().rev().fold(bytes, before);
            let start = past.text[..bytes.start].matches('\n').count();
            !is_located(&(start..past.text[..bytes.end].split_inclusive('\n').count()))
        });
        Ok(())
    }
}

fn around(lines: &Range<usize>) -> Range<usize> {
    lines.start.saturating_sub(CONTEXT)..lines.end + CONTEXT
}

/// Maps a range of bytes to the text before a change. If an edit touches the range, all the text that it replaced is
/// included.
fn before(bytes: Range<usize>, delta: &Delta) -> Range<usize> {
    let (mut start, mut end, mut grown) = (bytes.start, bytes.end, 0_isize);
    for edit in delta.edits() {
        let at = edit.at.saturating_add_signed(grown);
        let after = at + edit.new.len();
        let growth = edit.new.len() as isize - edit.old.len() as isize;
        if after <= bytes.start {
            start = start.saturating_add_signed(-growth);
        } else if at < bytes.start {
            start = edit.at;
        }
        if after <= bytes.end {
            end = end.saturating_add_signed(-growth);
        } else if at < bytes.end {
            end = edit.at + edit.old.len();
        }
        grown += growth;
    }
    start..end.max(start)
}
