//! What was done on a canvas, over all faces.

pub(crate) mod board;
pub(crate) mod board_revert;
pub(crate) mod journal;
pub(crate) mod revert;
pub(crate) mod step;
