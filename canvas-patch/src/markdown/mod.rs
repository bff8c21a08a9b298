//! Support for Markdown, which covers headings and their lines, addresses, and the effect of an edit on them.

pub(crate) mod address;
pub(crate) mod outline;
pub(crate) mod structure;
