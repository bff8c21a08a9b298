//! What was done on a canvas, over all faces.

pub(crate) mod journal;
