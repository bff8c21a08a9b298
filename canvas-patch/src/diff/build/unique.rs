//! Widening context until the pre-image of each hunk occurs at one place only.

use crate::diff::locate;
use crate::diff::unified::Frame;
use crate::text::lines::Lines;
use crate::text::span::Span;

pub(super) struct Widened {
    pub(super) frames: Vec<Frame>,
    /// Frames, from 1, that are not unique even with the widest context.
    pub(super) ambiguous: Vec<usize>,
}

/// Gives each frame the least context, from `narrow` to `widest` lines, that makes its pre-image unique, and joins
/// frames that come to touch. One that is never unique stays narrow, since a wider one would not help.
///
/// What holds a unique pre-image is unique. So the least context is found by halving, for all frames at once, and
/// joining never does harm.
pub(super) fn widen(
    before: &str,
    edits: &[Span],
    mut frames: Vec<Frame>,
    narrow: usize,
    widest: usize,
) -> Widened {
    let around = |frame: &Frame, context| Frame::around(before, edits, frame.edits.clone(), context);
    let mut ambiguous: Vec<bool> = are_unique(before, &frames).into_iter().map(|unique| !unique).collect();
    let mut open: Vec<Search> = Vec::new();
    if narrow < widest {
        let narrow_ones = || (0..frames.len()).filter(|&i| ambiguous[i]);
        let wide: Vec<_> = narrow_ones().map(|i| around(&frames[i], widest)).collect();
        let unique = are_unique(before, &wide);
        let found = narrow_ones().zip(unique).filter(|(_, unique)| *unique);
        open = found.map(|(frame, _)| Search { frame, too_narrow: narrow, enough: widest }).collect();
    }
    while !open.is_empty() {
        let tried: Vec<_> =
            open.iter().map(|search| around(&frames[search.frame], search.middle())).collect();
        for (search, unique) in open.iter_mut().zip(are_unique(before, &tried)) {
            search.narrow_down(unique);
        }
        open.retain(|search| {
            let done = search.too_narrow + 1 == search.enough;
            if done {
                frames[search.frame] = around(&frames[search.frame], search.enough);
                ambiguous[search.frame] = false;
            }
            !done
        });
    }
    join(frames, &ambiguous)
}

/// The search for the least context of one frame.
struct Search {
    frame: usize,
    too_narrow: usize,
    enough: usize,
}

impl Search {
    /// Between the two; `enough` once they are neighbours.
    fn middle(&self) -> usize {
        self.too_narrow + (self.enough - self.too_narrow).div_ceil(2)
    }

    fn narrow_down(&mut self, unique: bool) {
        match self.middle() {
            // Neighbours are settled, and asking again shows nothing new.
            middle if middle == self.enough => {}
            middle if unique => self.enough = middle,
            middle => self.too_narrow = middle,
        }
    }
}

/// Whether the pre-image of each frame occurs at one place only, without regard to terminators. An empty one occurs
/// nowhere, unless the text is empty too.
fn are_unique(before: &str, frames: &[Frame]) -> Vec<bool> {
    let side = |frame: &Frame| Lines::new(&before[frame.old.clone()]).collect::<Vec<_>>();
    let needles: Vec<_> = frames.iter().map(side).filter(|needle| !needle.is_empty()).collect();
    let mut found = locate::find(before, &needles, 2).into_iter();
    let mut unique = |frame: &Frame| match frame.old.is_empty() {
        true => before.is_empty(),
        false => found.next().is_some_and(|places| places.lines.len() == 1),
    };
    frames.iter().map(&mut unique).collect()
}

/// Joins frames that touch or overlap. They are unique where one of them was.
fn join(frames: Vec<Frame>, ambiguous: &[bool]) -> Widened {
    let mut joined: Vec<(Frame, bool)> = Vec::with_capacity(frames.len());
    for (frame, &ambiguous) in frames.into_iter().zip(ambiguous) {
        match joined.last_mut() {
            Some((last, both)) if last.old.end >= frame.old.start => {
                last.edits.end = frame.edits.end;
                last.old.end = last.old.end.max(frame.old.end);
                *both &= ambiguous;
            }
            _ => joined.push((frame, ambiguous)),
        }
    }
    let ambiguous = (1..).zip(&joined).filter(|(_, (_, ambiguous))| *ambiguous).map(|(i, _)| i).collect();
    Widened { frames: joined.into_iter().map(|(frame, _)| frame).collect(), ambiguous }
}
