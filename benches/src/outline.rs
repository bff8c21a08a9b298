//! Finding the headings of a document: all of them, and again after an edit.

use std::cell::RefCell;

use canvas_patch::{ApplyOptions, Delta, LiveOutline};
use pulldown_cmark::Parser;

use crate::inputs::{Edited, document};
use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

/// What our outline is read with.
const OPTIONS: pulldown_cmark::Options = pulldown_cmark::Options::ENABLE_TABLES
    .union(pulldown_cmark::Options::ENABLE_STRIKETHROUGH)
    .union(pulldown_cmark::Options::ENABLE_FOOTNOTES);

/// Measures the outline of a document of `size` bytes.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let text = document(size);
    let headings = text.lines().filter(|line| line.starts_with('#')).count();
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new("canvas", || fine(canvas_patch::outline(&text)), |o| o.sections().len() == headings),
        Subject::new(
            "pulldown-cmark",
            || fine(Parser::new_ext(&text, OPTIONS).into_offset_iter().count()),
            |n| *n > 0,
        ),
        Subject::new("comrak", || fine(comrak(&text)), |found| *found == headings),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}

/// Measures the outline of a document of `size` bytes after one line of it has changed.
///
/// # Panics
///
/// Where a patch does not fit the text that it was made for: a defect of the generator.
pub fn rows_after_edit(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    let Some(Edited { before, after, patch }) = Edited::new(size, 1) else { return Vec::new() };
    let applied = canvas_patch::apply(&before, &patch, &ApplyOptions::default());
    let there = applied.expect("the patch was made for the text").delta();
    let back = there.inverse();
    // There and back, so that each call finds what the one before has left.
    let live = RefCell::new((LiveOutline::new(before.clone()), false));
    let edit = || {
        let (live, edited) = &mut *live.borrow_mut();
        let (text, delta): (_, &Delta) = if *edited { (&before, &back) } else { (&after, &there) };
        live.edit(text.clone(), delta.edits());
        *edited = !*edited;
        fine(live.outline().sections().len())
    };
    let sections = canvas_patch::outline(&after).sections().len();
    let subjects = [
        Subject::memcpy(before.as_bytes()),
        Subject::new("canvas", edit, |found| *found == sections),
        Subject::new(
            "full outline",
            || fine(canvas_patch::outline(&after)),
            |o| o.sections().len() == sections,
        ),
    ];
    Row::of(work, size, side_by_side(&subjects, effort))
}

fn comrak(text: &str) -> usize {
    let arena = comrak::Arena::new();
    let mut options = comrak::Options::default();
    (options.extension.table, options.extension.strikethrough) = (true, true);
    let root = comrak::parse_document(&arena, text, &options);
    let is_heading = |value: &comrak::nodes::NodeValue| matches!(value, comrak::nodes::NodeValue::Heading(_));
    root.descendants().filter(|node| is_heading(&node.data.borrow().value)).count()
}
