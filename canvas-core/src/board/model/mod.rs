//! Data types of a board, as documents and bindings exchange them.

pub(crate) mod code;
pub(crate) mod data;
pub(crate) mod event;
pub(crate) mod grid;
pub(crate) mod id;
pub(crate) mod phrase;
pub(crate) mod placement;
pub(crate) mod settings;
pub(crate) mod trigger;
pub(crate) mod workspace;
