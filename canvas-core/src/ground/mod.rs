//! What every face of a canvas stands on: names, content, the head, and the contract of a store.

pub(crate) mod blob;
pub(crate) mod blocking;
pub(crate) mod head;
pub(crate) mod id;
pub(crate) mod journal;
pub(crate) mod memory;
pub(crate) mod path;
pub(crate) mod receipt;
pub(crate) mod revision;
pub(crate) mod store;
pub(crate) mod tree;
