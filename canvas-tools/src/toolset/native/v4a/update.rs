//! Applies a V4A diff to a document.

use canvas_core::text::{Block, Reason, apply_blocks};

use super::parse::{Hunk, parse};
use super::place::{Misplaced, places};
use crate::reply::shorten;
use crate::toolset::native::outcome::{Document, NativeConflict, NativeEdit, NativeError, of_apply_error};
use crate::toolset::native::reason::NativeReason;

pub(in crate::toolset::native) fn check_path(document: &Document<'_>, path: &str) -> Result<(), NativeError> {
    if document.is_own(path) {
        return Ok(());
    }
    let (wanted, known) = (shorten(path), document.options.path);
    let sentence = format!("Failed to read file to update {wanted}: No such file.\nThe document is {known}.");
    Err(NativeError::of(sentence, NativeReason::FileNotFound))
}

/// Creates the document from lines that begin with `+`.
pub(in crate::toolset::native) fn create(
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

/// Applies the hunks of a diff. Its first line is line `first_line` of the call's input.
pub(in crate::toolset::native) fn update(
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
        places(document, hunks, &mut repairs).map_err(|misplaced| explain(document, hunks, &misplaced))?;
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

fn explain(document: &Document<'_>, hunks: &[Hunk<'_>], misplaced: &[Misplaced]) -> NativeError {
    let path = document.options.path;
    let sentence = match misplaced.first() {
        Some(Misplaced::Anchor { hunk, anchor, .. }) => {
            let anchor = hunks[*hunk].anchors[*anchor];
            format!("Failed to find context '{}' in {path}", shorten(anchor))
        }
        Some(Misplaced::NoAnchor { .. }) => {
            format!("Failed to find a place for added lines in {path}: the hunk quotes none of its lines")
        }
        Some(Misplaced::Nowhere { hunk, above: Some(place) }) => {
            let (line, anchors) = (place + 1, hunks[*hunk].anchors.join(" @@ "));
            format!(
                "Failed to find expected lines in {path} below '{}': they stand at line {line}",
                shorten(&anchors)
            )
        }
        Some(Misplaced::Nowhere { hunk, above: None }) => {
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
    let mut conflicts: Vec<NativeConflict> = misplaced.iter().map(|one| one.conflict(hunks)).collect();
    let wanted: Vec<_> = misplaced.iter().filter_map(|one| one.wanted(hunks)).collect();
    NativeConflict::locate(&mut conflicts, document.text, &wanted, &document.options.limits);
    NativeError::at(sentence, conflicts, document.text)
}
