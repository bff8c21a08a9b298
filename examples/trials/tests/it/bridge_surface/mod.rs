//! Surfaces at the bridge.

mod bad_input;
mod flows;
mod shapes;
mod world;
