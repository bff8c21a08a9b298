//! Building a unified diff from a text before and a text after.

use canvas_patch::{ApplyOptions, BuildOptions};
use imara_diff::{Algorithm, Diff, InternedInput};

use crate::inputs::Edited;
use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

/// Measures the way back from `hunks` edits of a document of `size` bytes; no rows where they do not fit.
pub fn rows(work: &'static str, hunks: usize, size: usize, effort: Effort) -> Vec<Row> {
    let Some(input) = Edited::new(size, hunks) else { return Vec::new() };
    let (before, after) = (input.before.as_str(), input.after.as_str());
    let leads_there = |patch: &String| {
        let patched = canvas_patch::apply(before, patch, &ApplyOptions::default());
        patched.is_ok_and(|patched| patched.text() == after)
    };
    let subjects = [
        Subject::memcpy(before.as_bytes()),
        Subject::new("canvas", || fine(canvas_patch::build(before, after, 3)), leads_there),
        Subject::new("canvas-unique", || fine(unique(before, after)), leads_there),
        Subject::new("imara-myers", || fine(imara(before, after)), |found| follow(found) == after),
        Subject::new("similar", || fine(similar(before, after)), leads_there),
        Subject::new("diffy", || fine(diffy(before, after)), leads_there),
        Subject::new("flickzeug", || fine(flickzeug::create_patch(before, after).to_string()), leads_there),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}

fn unique(before: &str, after: &str) -> String {
    canvas_patch::build_unique(before, after, &BuildOptions::default()).patch
}

/// The diff alone, without a patch.
fn imara<'t>(before: &'t str, after: &'t str) -> (InternedInput<&'t str>, Diff) {
    let input = InternedInput::new(before, after);
    let diff = Diff::compute(Algorithm::Myers, &input);
    (input, diff)
}

/// The text after that a diff describes.
fn follow((input, diff): &(InternedInput<&str>, Diff)) -> String {
    let text =
        |lines: &[imara_diff::Token]| lines.iter().map(|&line| input.interner[line]).collect::<String>();
    let (mut after, mut at) = (String::new(), 0);
    for hunk in diff.hunks() {
        after += &text(&input.before[at..hunk.before.start as usize]);
        after += &text(&input.after[hunk.after.start as usize..hunk.after.end as usize]);
        at = hunk.before.end as usize;
    }
    after + &text(&input.before[at..])
}

fn diffy(before: &str, after: &str) -> String {
    let patch = diffy::create_patch(before, after);
    // By default it leaves the space of blank context lines out.
    diffy::PatchFormatter::new().suppress_blank_empty(false).fmt_patch(&patch).to_string()
}

fn similar(before: &str, after: &str) -> String {
    similar::TextDiff::from_lines(before, after).unified_diff().context_radius(3).to_string()
}
