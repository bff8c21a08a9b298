//! A change of a text as a value of its own, made of edits in order.

use std::error::Error;
use std::fmt;
use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use crate::diff::compare::changes;
use crate::diff::edit::TextEdit;
use crate::text::span::Span;

/// A change of a text that you can store, invert and transform to fit after later changes, without the text itself.
///
/// It fits exactly those texts that hold, at each of its places, the bytes that it removes there. Places are byte
/// offsets and are never searched for.
///
/// ```
/// use canvas_patch::Delta;
///
/// let (first, second, third) = ("- a\n- b\n", "- a\n- x\n- b\n", "- a\n- x\n- b\n- c\n");
/// let theirs = Delta::between(first, second);
/// let mine = Delta::between(second, third);
///
/// // Revert their change and keep mine.
/// let back = theirs.inverse().transform(&mine)?;
/// assert_eq!(back.apply(third)?, "- a\n- b\n- c\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<TextEdit>", into = "Vec<TextEdit>"))]
pub struct Delta {
    // Invariant: edits are in order and apart from one another, and each has an effect.
    edits: Vec<TextEdit>,
}

/// Error returned when a change does not fit a text. The text is unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaMismatch {
    /// Byte offset in the given text at which the first edit fails to fit.
    pub at: usize,
}

/// Error returned when two changes of one text touch the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaConflict {
    /// The byte offset of that place in the text that both changes start from.
    pub at: usize,
}

/// Error returned when edits are out of order, touch one another, have no effect, or reach beyond the longest text that
/// fits in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaOrder {
    /// Index of the first such edit, counted from 0.
    pub index: usize,
}

impl fmt::Display for DeltaMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the text does not hold at byte {} what the edit removes: apply the edit to the text that it was made for",
            self.at
        )
    }
}

impl Error for DeltaMismatch {}

impl fmt::Display for DeltaConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a later edit has changed the same place, at byte {}: revert the later edit first", self.at)
    }
}

impl Error for DeltaConflict {}

impl fmt::Display for DeltaOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "edit {} is out of order or without effect: restore the change from a backup", self.index)
    }
}

impl Error for DeltaOrder {}

impl DeltaMismatch {
    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        "DELTA_MISMATCH"
    }
}

impl DeltaConflict {
    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        "DELTA_CONFLICT"
    }
}

impl DeltaOrder {
    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        "DELTA_ORDER"
    }
}

impl Delta {
    /// Returns the change from one text to another, in whole lines. Costs as much as [`build`](crate::build()).
    ///
    /// ```
    /// use canvas_patch::Delta;
    ///
    /// let delta = Delta::between("a\nb\n", "a\nc\n");
    /// assert_eq!(delta.apply("a\nb\n")?, "a\nc\n");
    /// let mut text = "a\nc\n".to_owned();
    /// delta.revert(&mut text)?;
    /// assert_eq!(text, "a\nb\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn between(before: &str, after: &str) -> Self {
        Self::of(before, after, &changes(before, after))
    }

    pub(crate) fn of(before: &str, after: &str, spans: &[Span]) -> Self {
        let mut edits: Vec<TextEdit> = Vec::with_capacity(spans.len());
        for span in spans {
            let (old, new) = (&before[span.old_bytes.clone()], &after[span.new_bytes.clone()]);
            if old == new {
                continue;
            }
            match edits.last_mut() {
                Some(last) if last.range().end == span.old_bytes.start => {
                    last.old.push_str(old);
                    last.new.push_str(new);
                }
                _ => edits.push(TextEdit { at: span.old_bytes.start, old: old.into(), new: new.into() }),
            }
        }
        Self { edits }
    }

    /// Creates a change of edits that are in order and do not overlap.
    pub(crate) fn of_edits(edits: Vec<TextEdit>) -> Self {
        Self { edits: joined(edits) }
    }

    /// Returns the edits in order, with places in the original text.
    pub fn edits(&self) -> &[TextEdit] {
        &self.edits
    }

    /// Returns whether the change has no edits, and so no effect.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Returns the total number of bytes that the change removes and inserts.
    pub fn len_bytes(&self) -> usize {
        self.edits.iter().map(|one| one.old.len() + one.new.len()).sum()
    }

    /// Returns the text after the change, in one pass and one allocation.
    ///
    /// # Errors
    ///
    /// [`DeltaMismatch`] if the text does not hold the bytes that the change removes.
    pub fn apply(&self, text: &str) -> Result<String, DeltaMismatch> {
        let grown: usize = self.edits.iter().map(|one| one.new.len()).sum();
        let mut out = String::with_capacity(text.len().saturating_add(grown));
        let mut done = 0;
        for one in &self.edits {
            let fits = text.get(one.range()) == Some(&one.old);
            let kept = text.get(done..one.at).filter(|_| fits).ok_or(DeltaMismatch { at: one.at })?;
            out.push_str(kept);
            out.push_str(&one.new);
            done = one.range().end;
        }
        out.push_str(&text[done..]);
        Ok(out)
    }

    /// Undoes the change in place, in a text that contains it. It gives the same result as the inverse, but does not
    /// copy the text if the edits are few.
    ///
    /// # Errors
    ///
    /// [`DeltaMismatch`] if the text does not hold the bytes that the change inserts. The text is then unchanged.
    pub fn revert(&self, text: &mut String) -> Result<(), DeltaMismatch> {
        // Each edit that changes the length moves all of the text after it.
        const FEW: usize = 4;
        if self.edits.len() > FEW {
            *text = self.inverse().apply(text)?;
            return Ok(());
        }
        let mut shift = 0_isize;
        for one in &self.edits {
            let at = one.at.wrapping_add_signed(shift);
            if text.get(at..at.saturating_add(one.new.len())) != Some(&one.new) {
                return Err(DeltaMismatch { at });
            }
            shift += one.new.len() as isize - one.old.len() as isize;
        }
        for one in &self.edits {
            // The text before this edit is restored already.
            text.replace_range(one.at..one.at + one.new.len(), &one.old);
        }
        Ok(())
    }

    /// Returns the change that undoes this one.
    pub fn inverse(&self) -> Self {
        let mut shift = 0_isize;
        let back = |one: &TextEdit| {
            let at = one.at.wrapping_add_signed(shift);
            shift += one.new.len() as isize - one.old.len() as isize;
            TextEdit { at, old: one.new.clone(), new: one.old.clone() }
        };
        Self { edits: self.edits.iter().map(back).collect() }
    }

    /// Returns this change, made to fit the text after `later`. Both changes start from the same text.
    ///
    /// Two changes conflict if they remove a common byte, if one inserts into text that the other removes, or if both
    /// insert at the same place, because then no order of the insertions is right. Changes that only border on each
    /// other do not conflict.
    ///
    /// ```
    /// use canvas_patch::Delta;
    ///
    /// let text = "one\ntwo\nthree\n";
    /// let (ours, theirs) = (Delta::between(text, "one\ntwo\n3\n"), Delta::between(text, "1\ntwo\nthree\n"));
    /// assert_eq!(ours.transform(&theirs)?.apply("1\ntwo\nthree\n")?, "1\ntwo\n3\n");
    ///
    /// // Both change the same line.
    /// let other = Delta::between(text, "one\ntwo\nIII\n");
    /// assert_eq!(ours.transform(&other).unwrap_err().code(), "DELTA_CONFLICT");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DeltaConflict`] if the two changes conflict.
    pub fn transform(&self, later: &Self) -> Result<Self, DeltaConflict> {
        let mut past = Passing::new(later);
        let edits = self.edits.iter().map(|one| {
            let at = past.moved(&one.range(), is_before)?.start;
            Ok(TextEdit { at, ..one.clone() })
        });
        Ok(Self::of_edits(edits.collect::<Result<_, _>>()?))
    }
}

/// A change moved past later changes, one after another. The first of them starts from the same text as this change.
///
/// Each step works like [`Delta::transform`], with one exception. If the later change contains exactly the same edit,
/// this is not a conflict. Instead, the edit is left out because it is already done. However, a still later change that
/// touches or borders on the place of an omitted edit is a conflict, so that the omission never goes unnoticed.
#[derive(Debug, Clone)]
pub struct Rebase {
    edits: Vec<TextEdit>,
    /// The places of omitted edits, which later changes contain, in order, in the text that the other edits fit.
    done: Vec<Range<usize>>,
}

impl Rebase {
    /// Starts from `change`, before any later change.
    pub fn new(change: Delta) -> Self {
        Self { edits: change.edits, done: Vec::new() }
    }

    /// Makes the change fit the text after `later`.
    ///
    /// # Errors
    ///
    /// [`DeltaConflict`] if the two changes conflict.
    pub fn past(self, later: &Delta) -> Result<Self, DeltaConflict> {
        let mut past = Passing::new(later);
        let done = self.done.iter().map(|place| past.moved(place, is_apart));
        let mut done: Vec<_> = done.collect::<Result<_, _>>()?;
        let (mut past, mut edits) = (Passing::new(later), Vec::with_capacity(self.edits.len()));
        for one in self.edits {
            match past.moved(&one.range(), is_before) {
                Ok(range) => edits.push(TextEdit { at: range.start, ..one }),
                Err(_) if past.upcoming() == Some(&one) => {
                    let at = past.place(one.at);
                    done.push(at..at + one.new.len());
                }
                Err(conflict) => return Err(conflict),
            }
        }
        done.sort_unstable_by_key(|place| place.start);
        Ok(Self { edits: joined(edits), done })
    }

    /// Returns the edits that are still to be done.
    pub fn into_delta(self) -> Delta {
        Delta { edits: self.edits }
    }
}

/// Moves places of a text past a change of that text. The places must be in ascending order.
struct Passing<'l> {
    others: Peekable<Iter<'l, TextEdit>>,
    /// Bytes that the change added so far, minus those that it removed.
    shift: isize,
}

impl<'l> Passing<'l> {
    fn new(change: &'l Delta) -> Self {
        Self { others: change.edits.iter().peekable(), shift: 0 }
    }

    /// Returns the place in the text after the change, or a conflict if an edit of the change is neither before nor
    /// after the place.
    fn moved(&mut self, own: &Range<usize>, is_before: IsBefore) -> Result<Range<usize>, DeltaConflict> {
        while let Some(other) = self.others.next_if(|other| is_before(&other.range(), own)) {
            self.shift += other.new.len() as isize - other.old.len() as isize;
        }
        match self.upcoming() {
            Some(other) if !is_before(own, &other.range()) => {
                Err(DeltaConflict { at: own.start.max(other.at) })
            }
            _ => Ok(self.place(own.start)..self.place(own.end)),
        }
    }

    fn upcoming(&mut self) -> Option<&'l TextEdit> {
        self.others.peek().copied()
    }

    /// Returns the new offset of a byte that precedes all remaining edits.
    fn place(&self, at: usize) -> usize {
        at.wrapping_add_signed(self.shift)
    }
}

type IsBefore = fn(&Range<usize>, &Range<usize>) -> bool;

/// Whether all of `a` is before `b`, and they are not both empty at one place.
pub(crate) fn is_before(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end <= b.start && a.start < b.end
}

/// Whether `a` is before `b`, with at least one byte between them.
fn is_apart(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end < b.start
}

/// Joins edits that border on each other because the text between them is gone, and drops those that cancel out.
fn joined(edits: Vec<TextEdit>) -> Vec<TextEdit> {
    let mut joined: Vec<TextEdit> = Vec::with_capacity(edits.len());
    for one in edits {
        match joined.last_mut() {
            Some(last) if last.range().end == one.at => {
                last.old.push_str(&one.old);
                last.new.push_str(&one.new);
            }
            _ => joined.push(one),
        }
    }
    joined.retain(|one| one.old != one.new);
    joined
}

impl TryFrom<Vec<TextEdit>> for Delta {
    type Error = DeltaOrder;

    /// Accepts edits of texts that fit in memory. The edits must be in order, have an effect, and have at least one
    /// kept byte between neighbours.
    fn try_from(edits: Vec<TextEdit>) -> Result<Self, DeltaOrder> {
        const LONGEST: usize = isize::MAX as usize;
        let (mut kept_from, mut shift) = (0, 0_isize);
        for (index, one) in edits.iter().enumerate() {
            let end = one.range().end;
            shift += one.new.len() as isize - one.old.len() as isize;
            let is_right = one.old != one.new
                && (index == 0 || kept_from < one.at)
                && end <= LONGEST
                && end.saturating_add_signed(shift) <= LONGEST;
            if !is_right {
                return Err(DeltaOrder { index });
            }
            kept_from = end;
        }
        Ok(Self { edits })
    }
}

impl From<Delta> for Vec<TextEdit> {
    fn from(delta: Delta) -> Self {
        delta.edits
    }
}
