//! Answers and errors of the board, as JSON has them.

pub(crate) mod error;
pub(crate) mod history;
pub(crate) mod result;
