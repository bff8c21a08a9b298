//! Reads, applies, builds and inverts unified diffs.
//!
//! `options` and `parse` read a patch into `patch`. `edit` is an edit of a text, and `delta` is a change that can be
//! stored without the text. `locate` finds the places of lines. `conflict` is the reason why a hunk is refused, and
//! `mismatch` describes the first line that differs. It uses `alike` for characters that look alike, and `slips` for
//! slips of copying. `words` compares changed lines word by word, and `weave` joins two
//! changes of one text by lines and words. `compare` finds the changes between two texts, and
//! `unified` writes them as a patch, for `build` and for inverses.
//!
//! `changed` finds the bytes that edits change, and `position` counts positions in several units.
//!
//! `parts` keeps a change that waits for a decision.
//!
//! `explain` finds the reason why a hunk has no place. `apply` decides where hunks belong, and applies them.

pub(crate) mod alike;
pub(crate) mod apply;
pub(crate) mod build;
pub(crate) mod changed;
pub(crate) mod compare;
pub(crate) mod conflict;
pub(crate) mod delta;
pub(crate) mod edit;
pub(crate) mod explain;
pub(crate) mod locate;
pub(crate) mod mismatch;
pub(crate) mod options;
pub(crate) mod parse;
pub(crate) mod parts;
pub(crate) mod patch;
pub(crate) mod position;
pub(crate) mod slips;
pub(crate) mod unified;
pub(crate) mod weave;
pub(crate) mod words;
