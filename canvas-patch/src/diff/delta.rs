//! A change of a text as a value of its own: its edits, in order.

use std::error::Error;
use std::fmt;
use std::iter::Peekable;
use std::ops::Range;
use std::slice::Iter;

use crate::coded_error;
use crate::diff::compare::changes;
use crate::diff::edit::TextEdit;
use crate::text::span::Span;

/// A change that needs no text beside it: it can be stored, inverted, and transformed to fit after later changes.
///
/// It fits exactly the texts that hold, at each of its places, what it removes. Places are bytes, never searched for.
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
    // Invariant: in order, apart from one another, and none without effect.
    edits: Vec<TextEdit>,
}

/// A change does not fit a text: nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaMismatch {
    /// Where the first edit does not fit, in the text before.
    pub at: usize,
}

/// Two changes of one text touch the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaConflict {
    /// The place in the text that both start from.
    pub at: usize,
}

/// Edits are out of order, touch one another, change nothing, or lie where no text reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeltaOrder {
    /// Its index, from 0.
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

coded_error!(DeltaMismatch => "DELTA_MISMATCH");
coded_error!(DeltaConflict => "DELTA_CONFLICT");
coded_error!(DeltaOrder => "DELTA_ORDER");

impl Delta {
    /// The change that leads from one text to another, in whole lines. Costs what [`build`](crate::build()) costs.
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

    /// Its edits, in order; their places count in the text before.
    pub fn edits(&self) -> &[TextEdit] {
        &self.edits
    }

    /// True where it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Bytes that it holds: all that it removes and inserts.
    pub fn len_bytes(&self) -> usize {
        self.edits.iter().map(|one| one.old.len() + one.new.len()).sum()
    }

    /// The text after. One pass, one allocation.
    ///
    /// # Errors
    ///
    /// [`DeltaMismatch`] where the text does not hold what is removed.
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

    /// Takes the change out of the text that it has led to, in place: as the inverse applied, without a copy of the text
    /// where the edits are few.
    ///
    /// # Errors
    ///
    /// [`DeltaMismatch`] where the text does not hold what was inserted; it stays as it is.
    pub fn revert(&self, text: &mut String) -> Result<(), DeltaMismatch> {
        // Each edit of another length moves all that lies behind it.
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
            // What lies before it is as it was before the change.
            text.replace_range(one.at..one.at + one.new.len(), &one.old);
        }
        Ok(())
    }

    /// The change that leads back.
    pub fn inverse(&self) -> Self {
        let mut shift = 0_isize;
        let back = |one: &TextEdit| {
            let at = one.at.wrapping_add_signed(shift);
            shift += one.new.len() as isize - one.old.len() as isize;
            TextEdit { at, old: one.new.clone(), new: one.old.clone() }
        };
        Self { edits: self.edits.iter().map(back).collect() }
    }

    /// This change, made to fit the text that `later` leads to. Both start from the same text.
    ///
    /// Two changes conflict where they remove a common byte, where one inserts something into what the other removes, or
    /// where both insert at the same place and no order is right. Changes that only border on each other do not.
    ///
    /// ```
    /// use canvas_patch::Delta;
    ///
    /// let text = "one\ntwo\nthree\n";
    /// let (ours, theirs) = (Delta::between(text, "one\ntwo\n3\n"), Delta::between(text, "1\ntwo\nthree\n"));
    /// assert_eq!(ours.transform(&theirs)?.apply("1\ntwo\nthree\n")?, "1\ntwo\n3\n");
    ///
    /// // Both change one line.
    /// let other = Delta::between(text, "one\ntwo\nIII\n");
    /// assert_eq!(ours.transform(&other).unwrap_err().code(), "DELTA_CONFLICT");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`DeltaConflict`] where they conflict.
    pub fn transform(&self, later: &Self) -> Result<Self, DeltaConflict> {
        let mut past = Passing::new(later);
        let edits = self.edits.iter().map(|one| {
            let at = past.moved(&one.range(), is_before)?.start;
            Ok(TextEdit { at, ..one.clone() })
        });
        Ok(Self { edits: joined(edits.collect::<Result<_, _>>()?) })
    }
}

/// A change on its way past later ones, one after the other. The first of them starts from the same text.
///
/// It is [`Delta::transform`] past each, but what a later change does in exactly the same way is no conflict: it is done
/// already, and left out. A change after that one which touches or borders on such a place is a conflict, so that
/// nothing which was done so is lost unseen.
#[derive(Debug, Clone)]
pub struct Rebase {
    edits: Vec<TextEdit>,
    /// Where others have done the same, in order, in the text that the edits fit.
    done: Vec<Range<usize>>,
}

impl Rebase {
    /// Begins with the text that the change was made for.
    pub fn new(change: Delta) -> Self {
        Self { edits: change.edits, done: Vec::new() }
    }

    /// Makes it fit the text that `later` leads to.
    ///
    /// # Errors
    ///
    /// [`DeltaConflict`] where they conflict.
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

    /// What is left to do.
    pub fn into_delta(self) -> Delta {
        Delta { edits: self.edits }
    }
}

/// Places of a text, in order, on their way past a change of it.
struct Passing<'l> {
    others: Peekable<Iter<'l, TextEdit>>,
    /// Bytes that the change has added so far, less those that it has removed.
    shift: isize,
}

impl<'l> Passing<'l> {
    fn new(change: &'l Delta) -> Self {
        Self { others: change.edits.iter().peekable(), shift: 0 }
    }

    /// Where a place is after the change; a conflict where an edit of the change is neither before nor after it.
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

    /// The edit of the change that comes next.
    fn upcoming(&mut self) -> Option<&'l TextEdit> {
        self.others.peek().copied()
    }

    /// Where a byte is, which no edit that comes next changes.
    fn place(&self, at: usize) -> usize {
        at.wrapping_add_signed(self.shift)
    }
}

type IsBefore = fn(&Range<usize>, &Range<usize>) -> bool;

/// Whether all of `a` lies before `b`, and not both are empty at one place.
fn is_before(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end <= b.start && a.start < b.end
}

/// Whether `a` lies before `b`, with something between them.
fn is_apart(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end < b.start
}

/// Edits that bordered on something removed since may border on each other now, and cancel out.
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

    /// Takes edits in order, with at least one kept byte between neighbours, of texts that can be in memory.
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
