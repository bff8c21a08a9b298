//! Watching canvases: what is shown, when, and what it costs.

mod crowd;
mod events;
mod laws;
mod races;
mod servers;
mod world;
