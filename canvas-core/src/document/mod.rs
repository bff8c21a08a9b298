//! The document face: who may edit it, what an edit does, and what each conversation knows of it.

pub(crate) mod command;
pub(crate) mod decide;
pub(crate) mod outcome;
pub(crate) mod range_hash;
pub(crate) mod refusal;
pub(crate) mod replace;
pub(crate) mod sync;
