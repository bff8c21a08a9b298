//! The values of a surface.

pub(crate) mod path;
pub(crate) mod value;
