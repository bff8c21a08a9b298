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

//!
//! `parse` reads hunks, `place` says where they belong, `update` applies them.

pub(super) mod parse;
mod place;
pub(super) mod update;
