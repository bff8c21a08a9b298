//! The protocol of a face: how its files are read, and how the steps of the journal act on them.

pub(crate) mod contents;
pub(crate) mod fetched;
pub(crate) mod files;
pub(crate) mod read_error;
pub(crate) mod step;
