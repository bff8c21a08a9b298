//! Unified diffs: reading, applying, building and inverting them.
//!
//! `options` and `parse` read a patch into `patch`; `strict` and `anchored` find where it belongs, with `locate`; `edit`
//! makes the new text; `apply` is the door, `conflict` and `error` what it refuses with, and `suggestion` what the author
//! may do then. `delta` is an edit that needs no text beside it. `unified` writes patches for `build` and for inverses;
//! `excerpt` picks from them what a patch has to do with, `words` looks into changed lines.

pub(crate) mod anchored;
pub(crate) mod apply;
pub(crate) mod build;
pub(crate) mod conflict;
pub(crate) mod delta;
pub(crate) mod edit;
pub(crate) mod error;
pub(crate) mod excerpt;
pub(crate) mod locate;
pub(crate) mod options;
pub(crate) mod parse;
pub(crate) mod patch;
pub(crate) mod strict;
pub(crate) mod suggestion;
pub(crate) mod unified;
pub(crate) mod words;
