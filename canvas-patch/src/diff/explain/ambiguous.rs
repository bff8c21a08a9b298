//! What is said of hunks whose pre-image occurs at several places.

use crate::diff::conflict::{Conflict, Place, QuotedLine, Reason};
use crate::diff::patch::{Hunk, Patch, Repair, RepairKind};
use crate::diff::unified::header;
use crate::text::lines;
use crate::text::numbered::NumberedLines;

/// Conflicts of one refusal whose places are shown; of more, their lines are.
const SHOWN: usize = 16;

/// The conflict of the hunk at index `i`, with the lines, from 0, where it may go.
pub(crate) fn ambiguous(i: usize, hunk: &Hunk, places: &[usize]) -> Conflict {
    Conflict {
        candidates: places.iter().map(|line| line + 1).collect(),
        ..Conflict::of_hunk(i + 1, Reason::Ambiguous, hunk.patch_line)
    }
}

/// Shows what stands at the first places of each `AMBIGUOUS`. Costs a pass over the text.
pub(crate) fn show_places(text: &str, patch: &Patch<'_>, conflicts: &mut [Conflict]) {
    let mut ambiguous =
        conflicts.iter_mut().filter(|conflict| conflict.reason == Reason::Ambiguous).peekable();
    if ambiguous.peek().is_none() {
        return;
    }
    let lines = NumberedLines::new(text);
    for conflict in ambiguous.take(SHOWN) {
        let i = conflict.hunk - 1;
        let place = |&line: &usize| Place {
            line,
            heading: None,
            nearby: QuotedLine::around(&lines, line - 1, 1),
            header: deciding_header(&lines, patch, i, line - 1),
        };
        conflict.places = conflict.candidates.iter().take(Conflict::PLACES).map(place).collect();
    }
}

/// The header with which the hunk at index `i`, alone in a patch, has exact arithmetic at the line `place`, from 0. There is
/// none where terminators or the end of the patch would have to be repaired.
fn deciding_header(lines: &NumberedLines<'_>, patch: &Patch<'_>, i: usize, place: usize) -> Option<String> {
    let hunk = &patch.hunks[i];
    let mut rest = lines.from(place)?;
    for line in patch.pre_image(hunk) {
        rest = rest.strip_prefix(line).filter(|_| !lines::terminator(line).is_empty())?;
    }
    let is_whole = patch.lines_of(hunk).iter().all(|line| line.text.ends_with('\n'));
    let marker = Repair { hunk: i + 1, kind: RepairKind::EofMarkerIgnored };
    (is_whole && !patch.repairs.contains(&marker)).then(|| {
        let mut stated = String::new();
        header(&mut stated, place, hunk.old_len, place, hunk.new_len);
        stated.trim_end().to_owned()
    })
}
