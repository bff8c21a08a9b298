//! Unified diffs: reading, applying, building and inverting them.
//!
//! `options` and `parse` read a patch into `patch`. `edit` is an edit of a text, and `delta` one that needs no text beside it.
//! `locate` finds the places of lines. `conflict` is what a hunk is refused with, `mismatch` where its lines differ, by `words`; `slips`
//! is what copying does to lines.
//! `compare` finds what differs between two texts, and `unified` writes it as a patch, for `build` and for inverses.
//!
//! `explain` says why a hunk has no place; `apply` decides where hunks belong, and applies them.

pub(crate) mod alike;
pub(crate) mod apply;
pub(crate) mod build;
pub(crate) mod compare;
pub(crate) mod conflict;
pub(crate) mod delta;
pub(crate) mod edit;
pub(crate) mod explain;
pub(crate) mod locate;
pub(crate) mod mismatch;
pub(crate) mod options;
pub(crate) mod parse;
pub(crate) mod patch;
pub(crate) mod slips;
pub(crate) mod unified;
pub(crate) mod words;
