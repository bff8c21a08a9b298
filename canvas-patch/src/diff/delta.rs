//! An edit as a value of its own: what it took out, what it put in, and where.

use std::ops::Range;

use crate::diff::compare::changes;
use crate::text::span::Span;

/// An edit that needs no text beside it: it can be kept, taken back, and moved past later edits.
///
/// It fits exactly the texts that hold, at each of its places, what it takes out. Places are bytes, never searched for.
///
/// ```
/// use canvas_patch::Delta;
///
/// let (first, second, third) = ("- a\n- b\n", "- a\n- x\n- b\n", "- a\n- x\n- b\n- c\n");
/// let theirs = Delta::between(first, second);
/// let mine = Delta::between(second, third);
///
/// // Take their edit back and keep mine.
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

/// One stretch of a text that an edit replaces.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct TextEdit {
    /// Its first byte in the text before the edit.
    pub at: usize,
    /// What is taken out.
    pub old: String,
    /// What is put in.
    pub new: String,
}

impl TextEdit {
    /// The bytes of the text before that it takes out; empty where it only puts in.
    pub fn range(&self) -> Range<usize> {
        self.at..self.at.saturating_add(self.old.len())
    }
}

/// An edit does not fit a text: nothing was changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the text does not hold at byte {at} what the edit takes out: apply the edit to the text that it was made for"
)]
pub struct DeltaMismatch {
    /// The place of the first stretch that does not fit, in the text before.
    pub at: usize,
}

/// Two edits of one text change the same place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a later edit has changed the same place, at byte {at}: take the later edit back first")]
pub struct DeltaConflict {
    /// The place in the text that both edits start from.
    pub at: usize,
}

/// Stretches are out of order, touch one another, change nothing, or lie where no text reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stretch {index} is out of order or without effect: restore the edit from a backup")]
pub struct DeltaOrder {
    /// Its index, from 0.
    pub index: usize,
}

impl Delta {
    /// The edit that leads from one text to another, in whole lines. Costs what [`build`](crate::build()) costs.
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

    /// What it replaces, in order; their places count in the text before.
    pub fn edits(&self) -> &[TextEdit] {
        &self.edits
    }

    /// True where it changes nothing.
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// Bytes that it holds: all that it takes out and puts in.
    pub fn len_bytes(&self) -> usize {
        self.edits.iter().map(|one| one.old.len() + one.new.len()).sum()
    }

    /// The text after. One pass, one allocation.
    ///
    /// # Errors
    ///
    /// [`DeltaMismatch`] where the text does not hold what is taken out.
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

    /// The edit that leads back.
    pub fn inverse(&self) -> Self {
        let mut shift = 0_isize;
        let back = |one: &TextEdit| {
            let at = one.at.wrapping_add_signed(shift);
            shift += one.new.len() as isize - one.old.len() as isize;
            TextEdit { at, old: one.new.clone(), new: one.old.clone() }
        };
        Self { edits: self.edits.iter().map(back).collect() }
    }

    /// This edit, made to fit the text that `later` leads to. Both start from the same text.
    ///
    /// Two edits are in each other's way where they replace a common byte, where one puts something into what the other
    /// takes out, or where both put something at the same place and nobody can say which comes first. Edits that only
    /// border on each other are not.
    ///
    /// # Errors
    ///
    /// [`DeltaConflict`] where they are.
    pub fn transform(&self, later: &Self) -> Result<Self, DeltaConflict> {
        let mut others = later.edits.iter().peekable();
        let mut shift = 0_isize;
        let mut moved = Vec::with_capacity(self.edits.len());
        for one in &self.edits {
            let own = one.range();
            while let Some(other) = others.next_if(|other| is_before(&other.range(), &own)) {
                shift += other.new.len() as isize - other.old.len() as isize;
            }
            if let Some(other) = others.peek()
                && !is_before(&own, &other.range())
            {
                return Err(DeltaConflict { at: own.start.max(other.at) });
            }
            moved.push(TextEdit { at: one.at.wrapping_add_signed(shift), ..one.clone() });
        }
        // Two that bordered on something that is gone now may border on each other, and undo each other.
        Ok(Self { edits: joined(moved) })
    }
}

/// Whether all of `a` lies before `b`, and not both are empty at one place.
fn is_before(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.end <= b.start && a.start < b.end
}

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
