//! What every face and every store speaks of: names, content, the head.

pub(crate) mod author;
pub(crate) mod blob;
#[cfg(any(feature = "board", feature = "surface"))]
pub(crate) mod canonical;
pub(crate) mod face;
pub(crate) mod file;
pub(crate) mod format;
pub(crate) mod head;
pub(crate) mod id;
pub(crate) mod journal_slot;
pub(crate) mod links;
pub(crate) mod path;
pub(crate) mod receipt;
pub(crate) mod receipts;
pub(crate) mod revision;
pub(crate) mod shelf;
pub(crate) mod tree;
pub(crate) mod unknown;
#[cfg(feature = "zone")]
pub(crate) mod wording;
