//! Hosts of the canvas engine, and what they share: the bridge that bindings wrap, and scripted worlds.

pub mod bridge;
