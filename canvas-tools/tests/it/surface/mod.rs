//! Surfaces, their actions and their tool.

mod acceptance;
mod actions;
mod hints;
#[path = "../recorded/mod.rs"]
mod recorded;
mod requests;
mod sessions;
mod world;
