//! A board in memory: what is where, how it is changed, and how it is stored.
//!
//! * A command is all or nothing, a batch too. Successive moves and resizes of a batch are judged when all are done, so
//!   two may change places.
//! * A patch holds records before and after, not commands, so its inverse keeps ids, order and times. It is undone from
//!   under later ones only where no record was touched twice and nothing covers its place.
//! * Data states are in no patch, no revision and no journal.
//! * Copies of a board share the pieces of its lists until one changes them: a command on a canvas costs what it
//!   changes, a 64th of the components, and a word for each covered row.
//! * Equal boards have equal blobs however they came about, so undo is checked by the id that it leads back to. Up to
//!   32 components lie in the root itself, more in pages; a command writes the root and a page or two.
//! * What a root names was in the root before or is put with it, so a host may drop what no root in use names.

pub(crate) mod apply;
mod apply_settings;
pub(crate) mod board;
pub(crate) mod body;
pub(crate) mod codec;
pub(crate) mod diff;
mod events;
mod id_index;
pub(crate) mod json;
mod pages;
pub(crate) mod patch;
pub(crate) mod placement;
pub(crate) mod revert;
pub(crate) mod saved_view;
pub(crate) mod settings;
pub(crate) mod transaction;
