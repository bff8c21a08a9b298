//! What was done on a canvas, over all faces.

#[cfg(feature = "board")]
pub(crate) mod board;
mod effect;
pub(crate) mod journal;
pub(crate) mod kept;
pub(crate) mod number;
pub(crate) mod reach;
pub(crate) mod revert;
pub(crate) mod step;
pub(crate) mod track;
