//! Types shared by every face and every store: names, content, and the head.

pub(crate) mod actor;
pub(crate) mod audit_slot;
pub(crate) mod author;
pub(crate) mod blob;
pub(crate) mod blob_id;
#[cfg(any(feature = "board", feature = "surface"))]
pub(crate) mod canonical;
pub(crate) mod chunk_list;
#[cfg(feature = "surface")]
pub(crate) mod claims;
#[cfg(feature = "surface")]
pub(crate) mod confirmed;
pub(crate) mod conversation;
pub(crate) mod error;
pub(crate) mod exact_json;
pub(crate) mod face;
pub(crate) mod format;
pub(crate) mod head;
pub(crate) mod id;
pub(crate) mod journal_slot;
#[cfg(feature = "surface")]
pub(crate) mod json_hash;
#[cfg(feature = "schema")]
pub(crate) mod json_pointer;
pub(crate) mod json_text;
pub(crate) mod links;
pub(crate) mod op_key;
pub(crate) mod path;
pub(crate) mod protected;
pub(crate) mod receipt;
pub(crate) mod receipts;
pub(crate) mod revision;
pub(crate) mod shelf;
#[cfg(feature = "surface")]
pub(crate) mod surface;
pub(crate) mod touched;
pub(crate) mod tree;
pub(crate) mod turns;
pub(crate) mod unknown;
#[cfg(any(feature = "surface", feature = "zone"))]
pub(crate) mod wording;
pub(crate) mod work_mode;
