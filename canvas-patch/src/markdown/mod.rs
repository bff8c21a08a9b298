//! Markdown: headings and their lines, addresses, and what an edit does to them.

pub(crate) mod address;
pub(crate) mod outline;
pub(crate) mod structure;
