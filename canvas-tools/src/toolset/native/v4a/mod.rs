//! V4A diffs, as of OpenAI's `apply_patch`: hunks of context, removed and added lines, placed by content and anchors.
//!
//! The two official appliers disagree on what has no context, and both take the first match. Here a hunk has one place:
//!
//! * Its context and removed lines occur, exactly, at one place of the text below its anchors. Where they occur at several,
//!   the anchors decide if just one of these lies in their scope: the section of a heading, or all that follows another
//!   line. An anchor is a whole line, exactly.
//! * `*** End of File` means what it says: the hunk ends where the text does. Only there may a hunk have nothing but added
//!   lines, which are appended.
//! * Hunks lie in the order of the text. The form has no way to say how the text ends, so that stays as it is.

pub(super) mod parse;
mod place;

use canvas_core::text::{Block, Reason, Repair, RepairKind, apply_blocks};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use self::parse::{Hunk, parse};
use self::place::{Misplaced, places};
use super::outcome::{Document, NativeConflict, NativeEdit, NativeError, NativeReason, of_apply_error};
use crate::arguments::arguments;
use crate::reply::shorten;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Call {
    #[serde(rename = "type")]
    operation: Operation,
    path: String,
    #[serde(default)]
    diff: Option<String>,
}

#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
enum Operation {
    CreateFile,
    UpdateFile,
    DeleteFile,
}

pub(super) fn apply(document: &Document<'_>, call: &Value) -> Result<NativeEdit, NativeError> {
    let Call { operation, path, diff } = arguments(call)?;
    check_path(document, &path)?;
    let diff = diff.as_deref().unwrap_or_default();
    match operation {
        Operation::UpdateFile => update(document, super::codex::unwrapped(document, diff)?, 1),
        Operation::CreateFile => create(document, diff, 1),
        Operation::DeleteFile => Err(unsupported("delete_file")),
    }
}

pub(super) fn unsupported(what: &str) -> NativeError {
    let sentence = format!("Error: {what} is not supported here.");
    NativeError::of(sentence, NativeReason::UnsupportedOp)
}

pub(super) fn check_path(document: &Document<'_>, path: &str) -> Result<(), NativeError> {
    if document.is_own(path) {
        return Ok(());
    }
    let (wanted, known) = (shorten(path), document.options.path);
    let sentence = format!("Failed to read file to update {wanted}: No such file.\nThe document is {known}.");
    Err(NativeError::of(sentence, NativeReason::FileNotFound))
}

/// The file that lines with `+` make.
pub(super) fn create(
    document: &Document<'_>,
    diff: &str,
    first_line: usize,
) -> Result<NativeEdit, NativeError> {
    let path = document.options.path;
    let mut text = String::with_capacity(diff.len());
    for (number, line) in (first_line..).zip(diff.lines()) {
        let Some(added) = line.strip_prefix('+') else {
            let sentence = format!(
                "invalid hunk at line {number}, '{}' is not an added line. Every line of a new file should start with '+'",
                shorten(line)
            );
            let conflict = NativeConflict::of_patch(0, Reason::BadLine).at_patch_line(number);
            return Err(NativeError::new(sentence, conflict));
        };
        text.push_str(added);
        text.push('\n');
    }
    if text.is_empty() {
        return Err(NativeError::of(
            format!("Add file hunk for path '{path}' is empty"),
            NativeReason::Empty,
        ));
    }
    let created = format!("Success. Updated the following files:\nA {path}");
    document.replace_whole(&text, created, || format!("Failed to create {path}: File already exists."))
}

/// Applies the hunks of a diff, whose first line is `first_line` of what was sent.
pub(super) fn update(
    document: &Document<'_>,
    diff: &str,
    first_line: usize,
) -> Result<NativeEdit, NativeError> {
    let path = document.options.path;
    let mut parsed = parse(diff, first_line).map_err(|fault| fault.into_error(path))?;
    let hunks = &mut parsed.hunks;
    if hunks.is_empty() {
        let sentence = format!("Update file hunk for path '{path}' is empty");
        return Err(NativeError::of(sentence, NativeReason::Empty));
    }
    let idle: Vec<NativeConflict> = (1..)
        .zip(&*hunks)
        .filter(|(_, hunk)| !hunk.has_change())
        .map(|(i, hunk)| NativeConflict::of_patch(i, Reason::NoEffect).at_patch_line(hunk.block.patch_line))
        .collect();
    if !idle.is_empty() {
        let sentence = "Update hunk changes nothing: it has neither added nor removed lines";
        return Err(NativeError::at(sentence, idle, document.text));
    }
    let mut repairs = parsed.repairs;
    let found =
        places(document, hunks, &mut repairs).map_err(|misplaced| explain(document, hunks, misplaced))?;
    let blocks: Vec<(Block<'_>, usize)> =
        std::mem::take(hunks).into_iter().map(|hunk| hunk.block).zip(found).collect();
    let applied = apply_blocks(document.text, &blocks, &document.options.limits)
        .map_err(|e| of_apply_error(format!("Failed to apply the hunks to {path}"), &e, document.text))?;
    repairs.extend(applied.repairs());
    repairs.sort_unstable();
    repairs.dedup();
    let delta = applied.delta();
    let message = format!("Success. Updated the following files:\nM {path}");
    Ok(NativeEdit { text: applied.into_text(), delta, repairs, message })
}

fn explain(document: &Document<'_>, hunks: &[Hunk<'_>], misplaced: Vec<Misplaced>) -> NativeError {
    let path = document.options.path;
    let sentence = match misplaced.first() {
        Some(Misplaced::Anchor { hunk, anchor, .. }) => {
            let anchor = hunks[*hunk].anchors[*anchor];
            format!("Failed to find context '{}' in {path}", shorten(anchor))
        }
        Some(Misplaced::NoAnchor { .. }) => {
            format!("Failed to find a place for added lines in {path}: the hunk quotes none of its lines")
        }
        Some(Misplaced::Nowhere { hunk, .. }) => {
            format!("Failed to find expected lines in {path}:\n{}", shorten(&hunks[*hunk].old_text()))
        }
        Some(Misplaced::NotAtEnd { hunk, .. }) => {
            let old = hunks[*hunk].old_text();
            format!("Failed to find expected lines at the end of {path}:\n{}", shorten(&old))
        }
        Some(Misplaced::Several { hunk, .. }) => {
            format!(
                "Failed to find a single place for expected lines in {path}:\n{}",
                shorten(&hunks[*hunk].old_text())
            )
        }
        None => format!("Failed to apply the hunks to {path}"),
    };
    let conflicts = misplaced.iter().map(|one| one.conflict(document, hunks)).collect();
    NativeError::at(sentence, conflicts, document.text)
}

/// Notes a repair of a hunk, from 0.
fn note(repairs: &mut Vec<Repair>, hunk: usize, kind: RepairKind) {
    repairs.push(Repair { hunk: hunk + 1, kind });
}
