//! The protocol of a face, for reading its files and applying the journal's steps to them.

pub(crate) mod contents;
pub(crate) mod fetched;
pub(crate) mod files;
pub(crate) mod read_error;
pub(crate) mod step;
