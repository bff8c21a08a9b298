//! Unified diffs: reading, applying, building and inverting them.
//!
//! `options` and `parse` read a patch into `patch`. `edit` is the applier of both modes; `strict` and `anchored` say where
//! hunks belong, with `locate`, and list every `conflict`, each with its `mismatch`; `missing` finds what a
//! hunk that is nowhere was meant for, `outdated` whether the lines that its author was shown have changed, and `slips` what
//! copying does to lines. `apply` is the entry point, `blocks`
//! that of hunks whose places somebody else decides, `error` what it refuses with, and
//! `suggestion` what the author may do then. `delta` is an edit that needs no text beside it. `compare` finds what differs
//! between two texts, `unified` writes it as a patch, for `build` and for inverses; `excerpt` picks the hunks that a patch
//! has to do with, `words` looks into changed lines.

pub(crate) mod ambiguous;
pub(crate) mod anchored;
pub(crate) mod apply;
pub(crate) mod blanks;
pub(crate) mod blocks;
pub(crate) mod build;
pub(crate) mod compare;
pub(crate) mod conflict;
pub(crate) mod delta;
pub(crate) mod edit;
pub(crate) mod error;
pub(crate) mod excerpt;
pub(crate) mod locate;
pub(crate) mod mismatch;
pub(crate) mod missing;
pub(crate) mod options;
pub(crate) mod outdated;
pub(crate) mod parse;
pub(crate) mod patch;
pub(crate) mod slips;
pub(crate) mod strict;
pub(crate) mod suggestion;
pub(crate) mod unified;
pub(crate) mod words;
