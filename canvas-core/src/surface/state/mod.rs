//! The values of a surface, and their changes.
//!
//! Each group of modules uses only those before it:
//!
//! * `path` and `value`
//! * `pointer`
//! * `change`
//! * `surface_state`, which is a value with the size of its JSON, and `edit`
//! * `patch`, `save` and `put`

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
