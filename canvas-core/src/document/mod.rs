//! The document face: its outline, whole lines that are replaced by number, and what changed since a revision.

pub(crate) mod changes;
pub(crate) mod outline;
pub(crate) mod quoted;
pub(crate) mod range_hash;
pub(crate) mod replace;
pub(crate) mod shown;
pub(crate) mod step;
