//! The tools, by the face that they work on.

mod arguments;
pub(crate) mod document;
mod outline;
mod show;
