//! Surfaces, their actions and their tool.

mod acceptance;
mod actions;
mod hints;
mod requests;
mod sessions;
mod world;
