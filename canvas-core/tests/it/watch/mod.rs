//! Watching canvases: what is shown, when, and what it costs.

mod crowd;
mod deadlines;
mod events;
mod follow;
#[cfg(feature = "board")]
mod json;
mod laws;
mod races;
mod servers;
mod world;
