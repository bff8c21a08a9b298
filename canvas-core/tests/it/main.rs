//! The integration tests of `canvas-core`, one module a subject.

#[cfg(feature = "board")]
mod board;
mod document;
mod engine_faults;
mod faces;
mod notify;
mod queue;
#[cfg(feature = "recipe")]
mod recipe;
#[cfg(feature = "board")]
mod stored_fixture;
#[cfg(feature = "surface")]
mod surface;
#[cfg(feature = "surface")]
mod surface_actions;
#[cfg(feature = "surface")]
mod surface_commands;
mod watch;
