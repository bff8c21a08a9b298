//! What was done on a canvas, over all faces.

#[cfg(feature = "board")]
pub(crate) mod board;
#[cfg(feature = "board")]
pub(crate) mod board_revert;
mod effect;
pub(crate) mod journal;
pub(crate) mod kept;
pub(crate) mod reach;
pub(crate) mod revert;
pub(crate) mod step;
#[cfg(feature = "surface")]
pub(crate) mod surface_revert;
