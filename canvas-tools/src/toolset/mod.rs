//! The tools, by the face that they work on.

pub(crate) mod document;
