//! Answers and errors of the board, as JSON has them.

pub(crate) mod error;
pub(crate) mod history;
mod refusal;
pub(crate) mod result;
