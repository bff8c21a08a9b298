//! A canvas with a document from its creation to its deletion, as stories, tables and laws.

mod amend;
pub(crate) mod any;
mod base;
mod blame;
#[cfg(feature = "board")]
mod board;
#[cfg(feature = "board")]
mod board_pages;
mod cached_bytes;
mod call_or_create;
mod canvas;
mod chunks;
mod clock_units;
mod collaborative;
mod collect;
mod context;
mod cost;
mod counters;
mod edit_base;
mod history;
mod laws;
mod lease;
mod lock_view;
mod merge;
mod native;
mod near;
mod newer;
mod outline;
mod party;
mod past;
mod people;
mod proposals;
mod protected;
mod receipts;
mod replace;
mod retry;
mod rollout;
mod round_trips;
mod scope;
mod stored;
mod story;
mod structure;
mod turns;
mod undo_laws;
mod undo_of;
mod undo_sequences;
pub(crate) mod world;
