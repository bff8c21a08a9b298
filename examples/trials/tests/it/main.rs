//! Trials through several crates: the bridge, corpora, stores beside a model, pages that must stay true, and the examples.

mod board_types;
mod bridge;
mod bridge_board;
mod bridge_history;
mod bridge_modes;
mod bridge_proposals;
mod bridge_recipe;
mod bridge_surface;
mod corpus;
mod dialects;
mod error_codes;
mod limits;
mod programs;
mod readmes;
mod shells;
mod stores;
mod tool_lists;
mod two_windows;
