//! The integration tests of `canvas-tools`, one module a subject.

#[cfg(feature = "board")]
mod board_tools;
mod directive;
mod document_tools;
#[cfg(feature = "surface")]
mod host_tools;
mod native;
#[cfg(feature = "recipe")]
mod recipe;
mod recorded;
mod repair;
#[cfg(feature = "surface")]
mod surface;
mod tools;
