//! Boards as a host meets them: commands, views, batches, undo, as tables and laws.

mod commands;
mod laws;
mod world;
