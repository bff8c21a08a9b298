//! The values of a surface, and how they change.
//!
//! Rooms, each knowing only those before it: `path`, `value`; `pointer`; `change`; `surface_state` (a value with the bytes of
//! its JSON) and `edit`; `patch`, `save` and `put`.

pub(crate) mod change;
mod edit;
pub(crate) mod patch;
pub(crate) mod path;
pub(crate) mod pointer;
#[cfg(feature = "recipe")]
pub(crate) mod put;
pub(crate) mod save;
pub(crate) mod surface_state;
pub(crate) mod value;
