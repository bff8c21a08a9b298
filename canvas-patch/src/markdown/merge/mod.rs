//! Merges two edits of one text, by lines and, in prose, by words.
//!
//! `diff::weave` joins the edits and says which runs of lines it compared by words. `prose` finds the paragraphs and
//! headings in those runs with their markup, and `markup` checks that the result has no markup of its own.

mod markup;
mod prose;

use std::error::Error;
use std::fmt;
use std::ops::Range;

use crate::diff::delta::Delta;
use crate::diff::weave::{ComparedRun, Side, Woven, weave};
use crate::text::lines::{self, at_line_end};
use markup::differing_markup;
use prose::Prose;

/// Two edits of one text as one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The change from their text to the result.
    pub delta: Delta,
    /// The lines merged by words, in order.
    pub lines: Vec<MergedLine>,
}

/// A line that two people changed, each in other words. No text has its line end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MergedLine {
    /// The number of the line in the result, counted from 1.
    pub line: usize,
    /// The line in the text of the edit.
    pub mine: String,
    /// The line in the text into which the edit is merged.
    pub theirs: String,
    /// The line with both changes.
    pub now: String,
}

/// Error returned when two edits of one text cannot be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MergeConflict {
    /// The number of the line in the text before both edits, counted from 1.
    pub line: usize,
    /// The reason that both cannot be kept.
    pub cause: MergeCause,
}

/// The reason that two edits cannot both be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum MergeCause {
    /// They change the same words or neighbouring ones, or one changes the line breaks of lines that the other changes.
    Touching,
    /// They change the same lines outside of paragraphs, headings, list items and quotes, or the result would be
    /// another kind of block there than in both texts.
    Block,
    /// The result would open or close an emphasis, a code span, a link or an HTML tag in another way than both texts.
    Markup,
}

impl MergeConflict {
    /// Returns the stable error code.
    pub const fn code(&self) -> &'static str {
        "MERGE_CONFLICT"
    }
}

impl fmt::Display for MergeConflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let why = match self.cause {
            MergeCause::Touching => "both edits change the same place",
            MergeCause::Block => "both edits change lines that are not merged by words",
            MergeCause::Markup => "both edits together would change the markup",
        };
        write!(f, "{why}, at line {}: join both texts by hand", self.line)
    }
}

impl Error for MergeConflict {}

/// Merges two edits of one text, from `base` to `mine` and from `base` to `theirs`.
///
/// Edits of different lines are both kept. In paragraphs, headings, list items and quotes, two edits of one line are
/// compared by words, as [`word_changes`](crate::word_changes()) finds them. Both are kept if there is an unchanged word
/// between them. An identical edit is kept once. Lines are exact if an edit changes their line breaks, and in code, front
/// matter, HTML, tables and definitions.
///
/// Two edits may insert different lines at one place. Then `may_follow` gets theirs, as a byte range of `theirs`, and
/// decides whether mine follow. A text without a final line end is merged as if it had one.
///
/// Costs as much as comparing the lines of the texts. If both change a common line, it adds at most 2^24 comparisons of
/// words and a pass of the Markdown parser over each text.
///
/// ```
/// use canvas_patch::merge_words;
///
/// let base = "Buy milk and bread on Monday.\n";
/// let mine = "Buy oat milk and bread on Monday.\n";
/// let theirs = "Buy milk and bread on Tuesday.\n";
/// let merged = merge_words(base, mine, theirs, |_| false)?;
/// assert_eq!(merged.delta.apply(theirs)?, "Buy oat milk and bread on Tuesday.\n");
/// assert_eq!(merged.lines[0].line, 1);
///
/// // Neighbouring words.
/// let theirs = "Buy two milk and bread on Monday.\n";
/// assert_eq!(merge_words(base, mine, theirs, |_| false).unwrap_err().line, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`MergeConflict`] with the first place at which both cannot be kept.
pub fn merge_words(
    base: &str,
    mine: &str,
    theirs: &str,
    may_follow: impl FnMut(Range<usize>) -> bool,
) -> Result<Merged, MergeConflict> {
    match [base, mine, theirs].map(at_line_end) {
        [true, true, true] => merge_ended(base, mine, theirs, may_follow),
        [before, own, others] => {
            // The side that changes whether there is a final line end decides.
            let has_end = if own == before { others } else { own };
            merge_unended([base, mine, theirs], has_end, may_follow)
        }
    }
}

/// Merges texts of which some have no final line end, as if all had one.
fn merge_unended(
    [base, mine, theirs]: [&str; 3],
    has_end: bool,
    mut may_follow: impl FnMut(Range<usize>) -> bool,
) -> Result<Merged, MergeConflict> {
    let end = if [base, mine, theirs].iter().any(|text| text.contains("\r\n")) { "\r\n" } else { "\n" };
    let ended = |text: &str| text.to_owned() + if at_line_end(text) { "" } else { end };
    let all = [base, mine, theirs].map(ended);
    let longest = theirs.len();
    let may_follow = |range: Range<usize>| may_follow(range.start..range.end.min(longest));
    let Merged { delta, lines } = merge_ended(&all[0], &all[1], &all[2], may_follow)?;
    let mut text = delta.apply(&all[2]).expect("the delta is of their text");
    if !has_end {
        let last = lines::line_start(&text, text.len().saturating_sub(1));
        text.truncate(text.len() - lines::terminator(&text[last..]).len());
    }
    Ok(Merged { delta: Delta::between(theirs, &text), lines })
}

fn merge_ended(
    base: &str,
    mine: &str,
    theirs: &str,
    may_follow: impl FnMut(Range<usize>) -> bool,
) -> Result<Merged, MergeConflict> {
    let conflict =
        |at, cause| MergeConflict { line: 1 + lines::count(&base[..lines::line_start(base, at)]), cause };
    let woven = weave(base, mine, theirs, may_follow).map_err(|at| conflict(at, MergeCause::Touching))?;
    if let (Some(first), Some(last)) = (woven.runs.first(), woven.runs.last()) {
        let within = |range: fn(&ComparedRun) -> &Range<usize>| range(first).start..range(last).end;
        let texts = Texts {
            base: Prose::of(base, within(|run| &run.base)),
            mine: Prose::of(mine, within(|run| &run.mine)),
            theirs: Prose::of(theirs, within(|run| &run.theirs)),
            woven: Prose::of(&woven.text, within(|run| &run.woven)),
        };
        for run in &woven.runs {
            if !(run.is_insertion || texts.are_prose(run)) || !texts.keeps_blocks(run, &woven) {
                return Err(conflict(run.base.start, MergeCause::Block));
            }
        }
        if let Some(at) = differing_markup(&woven, &texts.woven, [&texts.mine, &texts.theirs]) {
            let run = woven.runs.iter().rfind(|run| run.woven.start <= at).unwrap_or(first);
            return Err(conflict(run.base.start, MergeCause::Markup));
        }
    }
    let lines = merged_lines(&woven, mine, theirs);
    Ok(Merged { delta: woven.delta, lines })
}

/// The prose of all texts of a merge.
struct Texts<'t> {
    base: Prose<'t>,
    mine: Prose<'t>,
    theirs: Prose<'t>,
    woven: Prose<'t>,
}

impl Texts<'_> {
    /// Whether all lines of a run are prose or blank, in the base and on both sides.
    fn are_prose(&self, run: &ComparedRun) -> bool {
        self.base.has_only_prose(&run.base)
            && self.mine.has_only_prose(&run.mine)
            && self.theirs.has_only_prose(&run.theirs)
    }

    /// Whether each line of a run in the result is the same kind of block as on one of the sides that have it.
    fn keeps_blocks(&self, run: &ComparedRun, woven: &Woven) -> bool {
        (run.is_insertion || self.woven.has_only_prose(&run.woven))
            && self.woven.lines(&run.woven).all(|line| {
                let mixed = run.mixed.get(run.mixed.partition_point(|word| *word < line.start));
                let at = match mixed {
                    Some(word) if line.contains(word) => *word,
                    _ => self.woven.first_char(&line),
                };
                let kind = self.woven.kind_at(at);
                kind.is_none()
                    || [(Side::Mine, &self.mine), (Side::Theirs, &self.theirs)].into_iter().any(
                        |(side, prose)| woven.origin(at, side).is_some_and(|at| prose.kind_at(at) == kind),
                    )
            })
    }
}

fn merged_lines(woven: &Woven, mine: &str, theirs: &str) -> Vec<MergedLine> {
    let line = |text: &str, at| {
        let start = lines::line_start(text, at);
        lines::content(&text[start..lines::line_end(text, start)]).to_owned()
    };
    let (mut number, mut counted) = (1, 0);
    let merged = woven.runs.iter().flat_map(|run| &run.mixed).filter_map(|&word| {
        number += lines::newlines_in(&woven.text.as_bytes()[counted..word]);
        counted = word;
        Some(MergedLine {
            line: number,
            mine: line(mine, woven.origin(word, Side::Mine)?),
            theirs: line(theirs, woven.origin(word, Side::Theirs)?),
            now: line(&woven.text, word),
        })
    });
    merged.collect()
}
