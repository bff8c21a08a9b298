//! Why a hunk has no place.
//!
//! `ambiguous` words a hunk that fits several places, `missing` finds what a hunk that is nowhere was meant for, and
//! `outdated` tells whether the lines that its author was shown have changed.

pub(crate) mod ambiguous;
pub(crate) mod inside;
pub(crate) mod missing;
pub(crate) mod outdated;
