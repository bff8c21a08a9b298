//! One pure step: the canvas at one moment and a call in, a decision out.

mod amend;
mod board;
pub(crate) mod command;
pub(crate) mod contents;
mod conversation;
pub(crate) mod decide;
mod history;
mod lease;
pub(crate) mod outcome;
pub(crate) mod policy;
pub(crate) mod refusal;
mod revert;
pub(crate) mod rollout;
pub(crate) mod view;
