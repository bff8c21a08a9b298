//! The tools, by the face that they work on.

pub(crate) mod board;
pub(crate) mod call;
pub(crate) mod directive;
pub(crate) mod document;
pub(crate) mod spec;
