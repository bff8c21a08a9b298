//! The recipes of the bridge: its shapes, whole flows, and what is wrong.

mod bad_input;
mod flows;
mod tools;
mod world;
