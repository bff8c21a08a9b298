//! Reading a unified diff and applying it, from text to text.

use std::error::Error;

use flickzeug::{ApplyConfig, FuzzyConfig};
use mpatch::ApplyOptions;

use crate::inputs::Edited;
use crate::measure::{Effort, Subject, side_by_side};
use crate::report::Row;

/// Measures a patch of `hunks` hunks on a document of `size` bytes; no rows where they do not fit.
pub fn rows(work: &'static str, hunks: usize, size: usize, effort: Effort) -> Vec<Row> {
    let Some(input) = Edited::new(size, hunks) else { return Vec::new() };
    Row::of(work, size, side_by_side(&subjects(&input), effort))
}

/// Our strict apply. Public so that a test can count what it allocates.
///
/// # Errors
///
/// Those of [`canvas_patch::apply`].
pub fn canvas(input: &Edited) -> Result<String, canvas_patch::ApplyError> {
    Ok(canvas_patch::apply(&input.before, &input.patch, &canvas_patch::ApplyOptions::default())?.into_text())
}

fn subjects(input: &Edited) -> [Subject<'_>; 6] {
    let is_right = |text: &String| *text == input.after;
    [
        Subject::memcpy(input.before.as_bytes()),
        Subject::new("canvas", || canvas(input), is_right),
        Subject::new("diffy", || diffy(input), is_right),
        Subject::new("flickzeug", || flickzeug(input, &ApplyConfig::default()), is_right),
        Subject::new("flickzeug-strict", || flickzeug(input, &strict()), is_right),
        Subject::new("mpatch", || mpatch(input), is_right),
    ]
}

fn diffy(input: &Edited) -> Result<String, Box<dyn Error>> {
    let patch = diffy::Patch::from_str(&input.patch)?;
    Ok(diffy::apply(&input.before, &patch)?)
}

fn flickzeug(input: &Edited, config: &ApplyConfig) -> Result<String, Box<dyn Error>> {
    let patch = flickzeug::Diff::from_str(&input.patch)?;
    let (text, _) = flickzeug::apply_with_config(&input.before, &patch, config)?;
    Ok(text)
}

/// The options of flickzeug that come nearest to exact.
fn strict() -> ApplyConfig {
    let fuzzy_config = FuzzyConfig { max_fuzz: 0, similarity_threshold: 1.0, ..FuzzyConfig::default() };
    ApplyConfig { fuzzy_config, ..ApplyConfig::default() }
}

fn mpatch(input: &Edited) -> Result<String, Box<dyn Error>> {
    // The reader that takes the text for a diff: the guessing one looks for code fences, which documents hold too.
    let patches = mpatch::parse_patches(&input.patch)?;
    let [patch] = &patches[..] else { return Err("one file was expected".into()) };
    let applied = mpatch::try_apply_patch_to_content(patch, Some(&input.before), &ApplyOptions::exact())?;
    Ok(applied.new_content)
}
