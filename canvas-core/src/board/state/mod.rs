//! A board in memory: what stands where, how it is changed, and how it is stored.

pub(crate) mod apply;
pub(crate) mod board;
pub(crate) mod body;
pub(crate) mod codec;
mod events;
mod id_index;
mod pages;
pub(crate) mod patch;
pub(crate) mod placement;
pub(crate) mod revert;
pub(crate) mod saved_view;
pub(crate) mod transaction;
