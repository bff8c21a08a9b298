//! Widens context until the pre-image of each hunk occurs at one place only.

use std::cell::OnceCell;

use imara_diff::{Interner, Token};

use crate::diff::locate;
use crate::diff::unified::Frame;
use crate::text::lines::{Lines, boundaries, content};
use crate::text::span::Span;

/// Up to this many frames are searched for right away, because numbering all lines of a text costs as much as some
/// searches.
const FEW_FRAMES: usize = 8;

pub(super) struct Widened {
    pub(super) frames: Vec<Frame>,
    /// The frames, counted from 1, that are not unique even with the widest context.
    pub(super) ambiguous: Vec<usize>,
}

/// Gives each frame the least context, from `narrow` to `widest` lines, that makes its pre-image unique, and joins
/// frames that then touch. A frame that is never unique stays narrow, because a wider one would not help.
///
/// Lines that contain a unique pre-image are unique too. Therefore a binary search finds the least context, for all
/// frames at once, and joining never does harm.
pub(super) fn widen(
    before: &str,
    edits: &[Span],
    mut frames: Vec<Frame>,
    narrow: usize,
    widest: usize,
) -> Widened {
    let around = |frame: &Frame, context| Frame::around(before, edits, frame.edits.clone(), context);
    let text = Text { before, counted: OnceCell::new() };
    let mut ambiguous: Vec<bool> = text.are_unique(&frames).into_iter().map(|unique| !unique).collect();
    let mut open: Vec<Search> = Vec::new();
    if narrow < widest {
        let narrow_ones = || (0..frames.len()).filter(|&i| ambiguous[i]);
        let wide: Vec<_> = narrow_ones().map(|i| around(&frames[i], widest)).collect();
        let unique = text.are_unique(&wide);
        let found = narrow_ones().zip(unique).filter(|(_, unique)| *unique);
        open = found.map(|(frame, _)| Search { frame, too_narrow: narrow, enough: widest }).collect();
    }
    while !open.is_empty() {
        let tried: Vec<_> =
            open.iter().map(|search| around(&frames[search.frame], search.middle())).collect();
        for (search, unique) in open.iter_mut().zip(text.are_unique(&tried)) {
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
    join(before, edits, frames, &ambiguous)
}

struct Search {
    frame: usize,
    too_narrow: usize,
    enough: usize,
}

impl Search {
    /// Returns the middle of `too_narrow` and `enough`, or `enough` once they are neighbours.
    fn middle(&self) -> usize {
        self.too_narrow + (self.enough - self.too_narrow).div_ceil(2)
    }

    fn narrow_down(&mut self, unique: bool) {
        match self.middle() {
            // Neighbours are settled, and another search shows nothing new.
            middle if middle == self.enough => {}
            middle if unique => self.enough = middle,
            middle => self.too_narrow = middle,
        }
    }
}

struct Text<'t> {
    before: &'t str,
    counted: OnceCell<Counted>,
}

impl Text<'_> {
    /// Whether the pre-image of each frame occurs at one place only, without regard to terminators. An empty pre-image
    /// occurs nowhere, unless the text is empty too.
    ///
    /// A pre-image with a line that occurs nowhere else is unique, so only the others are searched for.
    fn are_unique(&self, frames: &[Frame]) -> Vec<bool> {
        let counted =
            (frames.len() > FEW_FRAMES).then(|| self.counted.get_or_init(|| Counted::of(self.before)));
        let mut unique: Vec<_> = frames
            .iter()
            .map(|frame| match frame.old.is_empty() {
                true => Some(self.before.is_empty()),
                false => counted.is_some_and(|counted| counted.has_single_line(frame)).then_some(true),
            })
            .collect();
        let side = |frame: &Frame| Lines::new(&self.before[frame.old.clone()]).collect::<Vec<_>>();
        let open = frames.iter().zip(&unique).filter(|(_, unique)| unique.is_none());
        let needles: Vec<_> = open.map(|(frame, _)| side(frame)).collect();
        let mut found =
            if needles.is_empty() { Vec::new() } else { locate::find(self.before, &needles, 2) }.into_iter();
        for unique in unique.iter_mut().filter(|unique| unique.is_none()) {
            *unique = found.next().map(|places| places.lines.len() == 1);
        }
        unique.into_iter().map(|unique| unique == Some(true)).collect()
    }
}

/// The lines of a text, and the number of times that each occurs, without regard to terminators.
struct Counted {
    boundaries: Vec<usize>,
    lines: Vec<Token>,
    counts: Vec<u32>,
}

impl Counted {
    fn of(text: &str) -> Self {
        let boundaries = boundaries(text);
        let mut distinct = Interner::new(boundaries.len());
        let number = |ends: &[usize]| distinct.intern(content(&text[ends[0]..ends[1]]).as_bytes());
        let lines: Vec<_> = boundaries.windows(2).map(number).collect();
        let mut counts = vec![0; distinct.num_tokens() as usize];
        for line in &lines {
            counts[line.0 as usize] += 1;
        }
        Self { boundaries, lines, counts }
    }

    /// Whether a line of the frame occurs nowhere else.
    fn has_single_line(&self, frame: &Frame) -> bool {
        let line = |byte: usize| self.boundaries.partition_point(|&boundary| boundary < byte);
        let lines = &self.lines[line(frame.old.start)..line(frame.old.end)];
        lines.iter().any(|line| self.counts[line.0 as usize] == 1)
    }
}

/// Joins frames that touch or overlap. A joined frame is unique if one of its parts is.
fn join(before: &str, edits: &[Span], frames: Vec<Frame>, ambiguous: &[bool]) -> Widened {
    let mut joined: Vec<(Frame, bool)> = Vec::with_capacity(frames.len());
    for (frame, &ambiguous) in frames.into_iter().zip(ambiguous) {
        match joined.last_mut() {
            Some((last, both)) if last.old.end >= frame.old.start => {
                last.join(before, edits, &frame);
                *both &= ambiguous;
            }
            _ => joined.push((frame, ambiguous)),
        }
    }
    let ambiguous = (1..).zip(&joined).filter(|(_, (_, ambiguous))| *ambiguous).map(|(i, _)| i).collect();
    Widened { frames: joined.into_iter().map(|(frame, _)| frame).collect(), ambiguous }
}
