//! Explanations for hunks that have no place.
//!
//! `ambiguous` describes a hunk that matches several places, and `missing` finds the probable place of a hunk that
//! matches none. `outdated` checks whether the lines that the author of a hunk saw have changed. `inside` finds the
//! part of a document that a text nearly matches.

pub(crate) mod ambiguous;
pub(crate) mod inside;
pub(crate) mod missing;
pub(crate) mod outdated;
