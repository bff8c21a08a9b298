//! One pure step: the canvas at one moment and a call in, a decision out.

mod access;
pub(crate) mod board;
pub(crate) mod command;
pub(crate) mod contents;
mod conversation;
pub(crate) mod decide;
pub(crate) mod document;
pub(crate) mod lease;
pub(crate) mod policy;
pub(crate) mod refusal;
mod revert;
pub(crate) mod rollout;
mod step;
pub(crate) mod turn;
pub(crate) mod undo;
pub(crate) mod view;
