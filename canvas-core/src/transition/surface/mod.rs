//! Commands on surfaces.

pub(crate) mod refusal;
