//! The same edit as a unified patch and as calls of native dialects, from text to text.

use canvas_patch::{ApplyOptions, Mode};
use canvas_tools::native::{Dialect, NativeOptions, RenderOptions, apply_native, render_native};
use serde::Serialize;
use serde_json::Value;

use crate::inputs::Edited;
use crate::measure::{Effort, Subject, side_by_side};
use crate::report::Row;

/// An edit as a V4A diff, with the texts around it.
#[derive(Debug, Serialize)]
pub struct V4aEdit {
    before: String,
    diff: String,
    after: String,
}

impl V4aEdit {
    /// The edit that [`rows`] measures at this size.
    pub fn new(size: usize) -> Option<Self> {
        let Edited { before, after, .. } = Edited::new(size, 1)?;
        let path = NativeOptions::default().path;
        let calls = render_native(&before, &after, Dialect::ApplyPatch, path, &RenderOptions::default());
        let diff = calls.ok()?.first()?["diff"].as_str()?.to_owned();
        Some(Self { before, diff, after })
    }
}

/// Measures an edit of one hunk on a document of `size` bytes, `canvas` being the unified patch of it and
/// `canvas-bare` the same without line numbers, which every other form has to find too; no rows where it does
/// not fit.
///
/// # Panics
///
/// Where a form cannot say the edit in one call: a defect of the generator.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let Some(input) = Edited::new(size, 1) else { return Vec::new() };
    let path = NativeOptions::default().path;
    let calls: Vec<(Dialect, Value)> = Dialect::ALL
        .into_iter()
        .map(|dialect| {
            let calls = render_native(&input.before, &input.after, dialect, path, &RenderOptions::default());
            let [call] = calls.expect("every form can say it").try_into().expect("one change is one call");
            (dialect, call)
        })
        .collect();
    let is_right = |text: &String| *text == input.after;
    let bare = input.bare_patch();
    let unified = [
        Subject::new("canvas", || unified(&input.before, &input.patch), is_right),
        Subject::new("canvas-bare", || unified(&input.before, &bare), is_right),
    ];
    let native = calls.iter().map(|(dialect, call)| {
        let (dialect, before) = (*dialect, &input.before);
        let apply = move || native(dialect, before, call);
        Subject::new(dialect.code(), apply, is_right)
    });
    let subjects: Vec<_> =
        [Subject::memcpy(input.before.as_bytes())].into_iter().chain(unified).chain(native).collect();
    Row::of(work, size, side_by_side(&subjects, effort))
}

fn unified(text: &str, patch: &str) -> Result<String, canvas_patch::ApplyError> {
    let options = ApplyOptions { mode: Mode::Anchored, ..ApplyOptions::default() };
    Ok(canvas_patch::apply(text, patch, &options)?.into_text())
}

fn native(dialect: Dialect, text: &str, call: &Value) -> Result<String, canvas_tools::native::NativeError> {
    Ok(apply_native(dialect, text, call, &NativeOptions::default())?.text)
}
