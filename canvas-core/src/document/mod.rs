//! The document face: who may edit it, what an edit does, and what each conversation knows of it.

pub(crate) mod command;
pub(crate) mod decide;
pub(crate) mod outcome;
pub(crate) mod refusal;
pub(crate) mod sync;
