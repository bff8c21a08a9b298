//! A change that waits for a decision, in parts.

mod anchor;
mod moves;
mod part;
mod words;

use std::collections::BTreeSet;
use std::ops::Range;

use self::part::Stale;
use self::words::{Words, word_edits};
use crate::diff::delta::Delta;
use crate::diff::edit::TextEdit;

pub(crate) use self::words::{after_within, lines_of};

pub use self::anchor::Anchor;
pub use self::moves::Moves;
pub use self::part::{PartId, PartIdError, PartState, PartView, PendingPart, part_views};

/// A change of a text that waits for a decision, in parts that can be accepted one at a time.
///
/// A part is one hunk, with an id that stays, and with edits of whole words inside. [`Parts::follow`] moves the parts past
/// any other change of the text. A part becomes stale if that change touches or borders on its words. It then leaves the
/// proposed text, and is still listed. Between changes in one line, at least one unchanged word must be left.
///
/// ```
/// use canvas_patch::{Delta, PartState, Parts};
///
/// let text = "Buy milk on Monday.\n\n- call home\n";
/// let proposed = "Buy oat milk on Monday.\n\n- call home\n- write\n";
/// let (mut parts, mut last) = (Parts::default(), 0);
/// parts.propose(text, proposed, &mut last, None);
/// assert_eq!(parts.proposed(text), proposed);
/// let ids: Vec<_> = parts.iter().map(|part| part.id()).collect();
///
/// // Somebody changes another word of the same line.
/// let now = "Buy milk on Tuesday.\n\n- call home\n";
/// assert_eq!(parts.follow(text, &Delta::between(text, now), 7), []);
/// assert_eq!(parts.proposed(now), "Buy oat milk on Tuesday.\n\n- call home\n- write\n");
///
/// // One part is accepted, and the other one rejected.
/// let (change, _) = parts.accept(&[ids[0]]);
/// assert_eq!(change.apply(now)?, "Buy oat milk on Tuesday.\n\n- call home\n");
/// assert!(parts.remove(&[ids[1]]).len() == 1 && parts.iter().next().is_none());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(transparent))]
pub struct Parts {
    // Invariant: pending parts are in the order of the text, and their edits do not overlap.
    parts: Vec<PendingPart>,
}

/// A run of lines that a new proposal changes, together with parts that it touches.
struct Group {
    /// Lines of the proposed text.
    lines: Range<usize>,
    parts: Vec<usize>,
    has_edits: bool,
}

impl Parts {
    /// Iterates over the parts, pending ones in the order of the text.
    pub fn iter(&self) -> impl Iterator<Item = &PendingPart> {
        self.parts.iter()
    }

    /// Returns the part with this id.
    pub fn get(&self, id: PartId) -> Option<&PendingPart> {
        self.parts.iter().find(|part| part.id == id)
    }

    /// Whether there is no part left, pending or stale.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// Returns the change from the document to the proposed text.
    pub fn change(&self) -> Delta {
        Delta::of_edits(in_order(&self.parts))
    }

    /// Returns the document with all pending parts.
    ///
    /// # Panics
    ///
    /// Panics if the parts belong to another document.
    pub fn proposed(&self, document: &str) -> String {
        self.change().apply(document).expect("the parts are of this document")
    }

    /// Takes a new proposed text, with what changed since the last one. Returns the parts that this made or changed.
    ///
    /// A change that touches or borders on the lines of pending parts joins them, and the oldest keeps its id. A part without
    /// effect goes. `last` is the number of the newest part, and rises with each new one. Costs as much as comparing both
    /// proposed texts, and at most 2^24 comparisons of words.
    ///
    /// # Panics
    ///
    /// Panics if the parts belong to another document.
    pub fn propose(
        &mut self,
        document: &str,
        proposed: &str,
        last: &mut u64,
        reason: Option<&str>,
    ) -> Vec<PartId> {
        let before = self.proposed(document);
        let delta = Delta::between(&before, proposed);
        let groups = self.groups(document, &before, &delta);
        let (mut changed, mut gone, mut made) = (Vec::new(), BTreeSet::new(), Vec::new());
        let (mut shift, mut left) = (0_isize, 1 << 24);
        for Group { lines, parts, has_edits } in groups {
            let from = lines.start.wrapping_add_signed(-shift);
            shift += parts.iter().map(|index| self.parts[*index].grows()).sum::<isize>();
            if !has_edits {
                continue;
            }
            let old = &document[from..lines.end.wrapping_add_signed(-shift)];
            let edits = word_edits(old, &after_within(&before, delta.edits(), lines), from, &mut left);
            let oldest = parts.iter().map(|index| &self.parts[*index]).min_by_key(|part| part.id);
            gone.extend(parts.iter().copied());
            if edits.is_empty() {
                continue;
            }
            let id = oldest.map_or_else(
                || {
                    *last += 1;
                    PartId::new(*last)
                },
                |part| part.id,
            );
            let reason = reason.map(str::to_owned).or_else(|| oldest.and_then(|part| part.reason.clone()));
            changed.push(id);
            made.push(PendingPart { id, reason, edits, stale: None });
        }
        let mut index = 0;
        self.parts.retain(|_| {
            index += 1;
            !gone.contains(&(index - 1))
        });
        self.parts.append(&mut made);
        self.sort();
        changed
    }

    /// Moves the parts past another change of the document, which has the number `cause`. Returns the parts that became
    /// stale. Costs time in proportion to the parts and to the change.
    pub fn follow(&mut self, before: &str, change: &Delta, cause: u64) -> Vec<PartId> {
        self.follow_undo(before, change, cause, &[])
    }

    /// Moves the parts past a change that takes back the changes with the numbers `undone`. A part that one of these made
    /// stale becomes pending again if its lines are back and no other change touched them since.
    pub fn follow_undo(&mut self, before: &str, change: &Delta, cause: u64, undone: &[u64]) -> Vec<PartId> {
        self.follow_with(before, change, (cause, undone), |words, edit| words.touching(before, edit))
    }

    /// Moves the parts past the undo of a change that [`Parts::accept`] took from them. Parts that border on it stay
    /// pending, because the change was their own.
    pub fn follow_own_undo(
        &mut self,
        before: &str,
        change: &Delta,
        cause: u64,
        undone: &[u64],
    ) -> Vec<PartId> {
        self.follow_with(before, change, (cause, undone), Words::overlapping)
    }

    fn follow_with(
        &mut self,
        before: &str,
        change: &Delta,
        (cause, undone): (u64, &[u64]),
        touching: impl Fn(&Words, &TextEdit) -> Range<usize>,
    ) -> Vec<PartId> {
        if change.is_empty() || self.parts.is_empty() {
            return Vec::new();
        }
        let words = Words::of(change);
        let mut stale = Vec::new();
        for part in &mut self.parts {
            match &mut part.stale {
                Some(place) => place.follow(&words, undone),
                None => {
                    let touching = part.edits.iter().map(|edit| touching(&words, edit));
                    let touching = touching.filter(|found| !found.is_empty());
                    let span = touching.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end));
                    match span {
                        Some(span) => {
                            part.lose(before, &words, span, cause);
                            stale.push(part.id);
                        }
                        None => {
                            for edit in &mut part.edits {
                                edit.at = words.moved(edit.at);
                            }
                        }
                    }
                }
            }
        }
        if !undone.is_empty() && self.parts.iter().any(|part| part.is_caused_by(undone)) {
            let after = change.apply(before).unwrap_or_default();
            self.revive(&after, undone);
        }
        self.sort();
        stale
    }

    /// Moves the parts past changes that neither touch nor border on them.
    pub fn shift(&mut self, moves: &Moves) {
        let steps = moves.steps();
        for part in &mut self.parts {
            part.shift(&steps);
        }
    }

    /// Whether [`Parts::shift`] makes these parts the other ones. Costs time in proportion to the parts.
    pub fn are_shifted(&self, moves: &Moves, others: &Self) -> bool {
        let steps = moves.steps();
        let pairs = self.parts.iter().zip(&others.parts);
        self.parts.len() == others.parts.len()
            && pairs.into_iter().all(|(one, other)| one.is_shifted(&steps, other))
    }

    /// Makes stale parts pending whose lines are back.
    fn revive(&mut self, document: &str, undone: &[u64]) {
        for index in 0..self.parts.len() {
            if !self.parts[index].is_caused_by(undone) {
                continue;
            }
            let Some(back) = self.parts[index].back_in(document) else { continue };
            if !self.shares_lines(document, &back) {
                self.parts[index] = back;
            }
        }
    }

    /// Takes pending parts out, and returns their change of the document and the parts. The other parts are moved past it.
    /// Ids of stale or unknown parts are ignored.
    pub fn accept(&mut self, ids: &[PartId]) -> (Delta, Vec<PendingPart>) {
        let taken = |part: &PendingPart| part.stale.is_none() && ids.contains(&part.id);
        let mut order = 0..;
        let all = std::mem::take(&mut self.parts).into_iter().zip(&mut order);
        let (accepted, kept): (Vec<_>, Vec<_>) = all.partition(|(part, _)| taken(part));
        let orders: Vec<usize> = accepted.iter().map(|(_, order)| *order).collect();
        let accepted: Vec<PendingPart> = accepted.into_iter().map(|(part, _)| part).collect();
        let words = Words::from(in_order(&accepted));
        // Of two insertions at one place, the one of the earlier part stays above.
        let is_above = |edit: &TextEdit, at: usize, order: usize| {
            let range = edit.range();
            let by = || accepted.iter().position(|part| part.edits.contains(edit)).map(|by| orders[by]);
            range.end < at || (range.end == at && (!edit.old.is_empty() || by() < Some(order)))
        };
        for (mut part, order) in kept {
            match &mut part.stale {
                Some(place) => place.follow(&words, &[]),
                // Parts of one proposal do not overlap.
                None => {
                    for edit in &mut part.edits {
                        let count = words.edits.partition_point(|taken| is_above(taken, edit.at, order));
                        let (added, removed) = words.sums_before(count);
                        edit.at = edit.at + added - removed;
                    }
                }
            }
            self.parts.push(part);
        }
        (Delta::of_edits(words.edits), accepted)
    }

    /// Whether the words that the pending parts replace are in a document, at their places.
    pub fn fit(&self, document: &str) -> bool {
        let mut done = 0;
        in_order(&self.parts).iter().all(|edit| {
            let fits = done <= edit.at && document.get(edit.range()) == Some(edit.old.as_str());
            done = edit.range().end;
            fits
        })
    }

    /// Gives a pending part other lines in place of those that its owner proposed. Returns `false` if there is no such part.
    /// Lines that need an end get one.
    ///
    /// # Panics
    ///
    /// Panics if the parts belong to another document.
    pub fn reword(&mut self, document: &str, id: PartId, after: &str) -> bool {
        let Some(part) = self.parts.iter_mut().find(|part| part.id == id && part.stale.is_none()) else {
            return false;
        };
        let lines = part.lines(document);
        let old = &document[lines.clone()];
        let needs_end = !after.is_empty()
            && !after.ends_with('\n')
            && (lines.end < document.len() || old.ends_with('\n'));
        let mut after = after.to_owned();
        if needs_end {
            after.push_str(if document.contains("\r\n") { "\r\n" } else { "\n" });
        }
        part.edits = word_edits(old, &after, lines.start, &mut (1 << 24));
        true
    }

    /// Takes parts out, pending or stale, and returns them.
    pub fn remove(&mut self, ids: &[PartId]) -> Vec<PendingPart> {
        let (gone, kept) =
            std::mem::take(&mut self.parts).into_iter().partition(|part| ids.contains(&part.id));
        self.parts = kept;
        gone
    }

    /// Puts parts back into the text from which they were taken, unless a part with the same id is there. If it shares
    /// lines with another pending part by now, a part becomes stale.
    ///
    /// # Panics
    ///
    /// Panics if the parts belong to another document.
    pub fn restore(&mut self, document: &str, parts: impl IntoIterator<Item = PendingPart>) {
        for mut part in parts {
            if self.get(part.id).is_some() {
                continue;
            }
            if part.stale.is_none() && self.shares_lines(document, &part) {
                part.set_aside(document);
            }
            self.parts.push(part);
        }
        self.sort();
    }

    /// Whether a pending part has lines of another one.
    fn shares_lines(&self, document: &str, part: &PendingPart) -> bool {
        let own = part.lines(document);
        let pending = self.parts.iter().filter(|other| other.stale.is_none());
        pending.map(|other| other.lines(document)).any(|other| own.start < other.end && other.start < own.end)
    }

    /// Pending parts in the order of the text, then stale ones by age.
    fn sort(&mut self) {
        self.parts.sort_by_key(|part| match &part.stale {
            None => (
                0,
                part.edits.first().map_or(0, |edit| edit.at),
                part.edits.last().map_or(0, |e| e.range().end),
                part.id,
            ),
            Some(_) => (1, 0, 0, part.id),
        });
    }

    /// Returns the lines of the proposed text that belong together, from parts and from the edits of a new proposal.
    fn groups(&self, document: &str, proposed: &str, delta: &Delta) -> Vec<Group> {
        let mut shift = 0_isize;
        let of_parts = self.parts.iter().enumerate().filter(|(_, part)| part.stale.is_none());
        let of_parts = of_parts.map(|(index, part)| {
            let lines = part.lines(document);
            let grows = part.grows();
            let moved = lines.start.wrapping_add_signed(shift)..lines.end.wrapping_add_signed(shift + grows);
            shift += grows;
            Group { lines: moved, parts: vec![index], has_edits: false }
        });
        let of_edits = delta.edits().iter().map(|edit| Group {
            lines: lines_of(proposed, edit),
            parts: Vec::new(),
            has_edits: true,
        });
        let mut all: Vec<Group> = of_parts.chain(of_edits).collect();
        all.sort_by_key(|group| (group.lines.start, group.lines.end));
        let mut groups: Vec<Group> = Vec::with_capacity(all.len());
        for next in all {
            groups.push(next);
            // A run grows to both sides.
            while let [.., above, last] = groups.as_mut_slice() {
                let touches = last.lines.start <= above.lines.end
                    && (last.has_edits || above.has_edits || last.lines.start < above.lines.end);
                if !touches {
                    break;
                }
                above.lines.end = above.lines.end.max(last.lines.end);
                above.has_edits |= last.has_edits;
                above.parts.append(&mut last.parts);
                groups.pop();
            }
        }
        groups
    }
}

/// Returns the edits of pending parts by place. A restored part may be between the edits of another one.
fn in_order(parts: &[PendingPart]) -> Vec<TextEdit> {
    let mut edits: Vec<TextEdit> = parts.iter().flat_map(PendingPart::edits).cloned().collect();
    edits.sort_by_key(|edit| (edit.at, edit.range().end));
    edits
}

impl PendingPart {
    fn grows(&self) -> isize {
        self.edits.iter().map(|edit| edit.new.len() as isize - edit.old.len() as isize).sum()
    }

    fn is_caused_by(&self, changes: &[u64]) -> bool {
        self.stale.as_ref().and_then(|stale| stale.cause).is_some_and(|cause| changes.contains(&cause))
    }

    /// Makes the part stale. It keeps its own lines, and the place of all lines that the words `span` of a change touch.
    fn lose(&mut self, before: &str, words: &Words, span: Range<usize>, cause: u64) {
        let mut lost = self.lines(before);
        for edit in &words.edits[span] {
            let lines = lines_of(before, edit);
            lost = lost.start.min(lines.start)..lost.end.max(lines.end);
        }
        // An edit at an end of the lines is inside, so that an undo of the change is too.
        let reaches_out = |edit: &&TextEdit, lost: &Range<usize>| {
            let range = edit.range();
            range.start <= lost.end
                && lost.start <= range.end
                && (range.start < lost.start || lost.end < range.end)
        };
        while let Some(edit) = words.edits.iter().find(|edit| reaches_out(edit, &lost)) {
            let lines = lines_of(before, edit);
            lost = lost.start.min(lines.start)..lost.end.max(lines.end);
        }
        let own = self.lines(before);
        for edit in &mut self.edits {
            edit.at -= own.start;
        }
        let first = words.edits.partition_point(|edit| edit.range().end < lost.start);
        let last = words.edits.partition_point(|edit| edit.at <= lost.end);
        let moved = |at: usize, count: usize| {
            let (added, removed) = words.sums_before(count);
            at + added - removed
        };
        self.stale = Some(Stale {
            own: before[own.clone()].to_owned(),
            is_end: own.end == before.len(),
            offset: own.start - lost.start,
            len: lost.len(),
            at: moved(lost.start, first)..moved(lost.end, last),
            cause: Some(cause),
        });
    }

    /// Makes the part stale for good, at its place.
    fn set_aside(&mut self, document: &str) {
        let lines = self.lines(document);
        for edit in &mut self.edits {
            edit.at -= lines.start;
        }
        self.stale = Some(Stale {
            own: document[lines.clone()].to_owned(),
            is_end: lines.end == document.len(),
            offset: 0,
            len: lines.len(),
            at: lines,
            cause: None,
        });
    }

    /// Returns the part as a pending one if its lines are in the document again.
    fn back_in(&self, document: &str) -> Option<Self> {
        let stale = self.stale.as_ref()?;
        let start = stale.at.start + stale.offset;
        let is_back = stale.at.len() == stale.len
            && document.get(start..start + stale.own.len()).is_some_and(|own| own == stale.own);
        is_back.then(|| {
            let edits = self.edits.iter().map(|edit| TextEdit { at: edit.at + start, ..edit.clone() });
            Self { id: self.id, reason: self.reason.clone(), edits: edits.collect(), stale: None }
        })
    }
}

impl Stale {
    /// Moves the place past a change. Only an undo of the change that made the part stale may touch it.
    fn follow(&mut self, words: &Words, undone: &[u64]) {
        let Range { start, end } = self.at;
        let is_undo = self.cause.is_some_and(|cause| undone.contains(&cause));
        let touches = |edit: &TextEdit| {
            let range = edit.range();
            let is_above = range.end <= start && (range.start < start || !is_undo);
            let is_below = range.start >= end && (range.end > end || !is_undo);
            !(is_above || is_below)
        };
        let crosses = |edit: &TextEdit| edit.at < start || edit.range().end > end;
        if words.edits.iter().any(|edit| touches(edit) && (!is_undo || crosses(edit))) {
            self.cause = None;
        }
        // A place inside a replaced text goes behind the new text, and an end of the place before it.
        let moved = |at: usize, is_end: bool| {
            let count = words.edits.partition_point(|edit| {
                let range = edit.range();
                if is_undo && range.start == range.end {
                    range.end < at || (is_end && range.end == at)
                } else {
                    range.end <= at
                }
            });
            let (added, removed) = words.sums_before(count);
            match words.edits.get(count).filter(|edit| edit.at < at) {
                Some(edit) => edit.at + added - removed + if is_end { 0 } else { edit.new.len() },
                None => at + added - removed,
            }
        };
        let start = moved(start, false);
        self.at = start..moved(end, true).max(start);
    }
}
