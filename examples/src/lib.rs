//! Hosts of the canvas engine.
