//! The toolsets that a model can call, and the value that joins several of them and routes calls.

#[cfg(feature = "board")]
pub(crate) mod board;
pub(crate) mod call;
pub(crate) mod calls;
pub(crate) mod context;
pub(crate) mod directive;
pub(crate) mod document;
#[cfg(feature = "surface")]
pub(crate) mod host_tools;
mod names;
pub(crate) mod native;
#[cfg(feature = "recipe")]
pub(crate) mod recipe;
#[cfg(feature = "schema")]
pub(crate) mod reply_schema;
pub(crate) mod spec;
#[cfg(feature = "surface")]
pub(crate) mod surface;
pub(crate) mod tools;
pub(crate) mod undo_turn;
