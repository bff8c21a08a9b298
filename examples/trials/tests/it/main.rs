//! Trials through several crates, one module a subject.

mod board_types;
mod bridge_board;
mod shells;
mod stores;
mod two_windows;
