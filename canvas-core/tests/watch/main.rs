//! Watching canvases: what is shown, when, and what it costs.

mod events;
mod world;
