//! JSON answers and errors of the board.

pub(crate) mod error;
pub(crate) mod history;
mod refusal;
pub(crate) mod result;
