//! V4A diffs, the format of OpenAI's `apply_patch`: hunks of context, removed and added lines, placed by content and
//! anchors.
//!
//! The two official appliers disagree on hunks without context, and both take the first match. Here a hunk has exactly
//! one place:
//!
//! * Its context and removed lines occur, exactly, at one place of the text below its anchors. If they occur at several
//!   places, the anchors decide, provided that exactly one of the places is in their scope, which is the section of a
//!   heading or everything after any other line. An anchor is an exact whole line.
//! * `*** End of File` is literal, so the hunk ends where the text ends. Only such a hunk may consist entirely of added
//!   lines, which are then appended.
//! * Hunks are in the order of the text. The format cannot express how the text ends, so the end stays unchanged.

//!
//! `parse` reads hunks, `place` locates them, and `update` applies them.

pub(super) mod parse;
mod place;
pub(super) mod update;
