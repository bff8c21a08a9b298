//! Support for Markdown, which covers headings and their lines, addresses, the effect of an edit on them, and the merge of two
//! edits.

pub(crate) mod address;
pub(crate) mod anchor;
pub(crate) mod edit;
pub(crate) mod effects;
pub(crate) mod front_matter;
pub(crate) mod merge;
pub(crate) mod outline;
pub(crate) mod redline;
pub(crate) mod structure;
pub(crate) mod table;
