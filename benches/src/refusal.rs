//! Refusing a patch, and saying where it was meant for.

use canvas_patch::{ApplyError, ApplyOptions, Mode, apply};

use crate::inputs::document;
use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

/// Measures the refusal of a hunk that misquotes one line of a document of `size` bytes, beside an outline of it.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let text = document(size);
    let half = text.lines().count() / 2;
    let prose = text.lines().enumerate().skip(half).find(|(_, line)| line.split(' ').count() > 6);
    let Some((at, line)) = prose else { return Vec::new() };
    let wrong = line.replacen(' ', " wrongly ", 1);
    let patch = format!("@@\n-{wrong}\n+{line}!\n");
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new("canvas", || refused(&text, &patch), |found| *found == Some(at + 1)),
        Subject::new("outline", || fine(canvas_patch::outline(&text)), |o| !o.sections().is_empty()),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}

/// The line that the refusal names.
fn refused(text: &str, patch: &str) -> Result<Option<usize>, &'static str> {
    let options = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
    let refused: ApplyError = apply(text, patch, &options).err().ok_or("the patch is not refused")?;
    Ok(refused.conflicts()[0].line)
}
