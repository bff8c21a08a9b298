//! Boards as a host meets them: commands, views, batches, undo, as tables and laws.

mod batches;
mod boards;
mod by_hand;
mod commands;
mod history;
mod large;
mod laws;
mod patches;
mod settings;
mod settings_history;
mod views;
mod world;
