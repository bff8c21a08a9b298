//! The tools, by the face that they work on.

pub(crate) mod arguments;
pub(crate) mod board;
pub(crate) mod document;
mod outline;
pub(crate) mod show;
