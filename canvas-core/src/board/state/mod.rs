//! A board in memory, with its changes and its stored form.
//!
//! * Each command is all or nothing, even a batch. Successive moves and resizes of a batch are judged after the last
//!   one, so that two components may change places.
//! * A patch holds records before and after rather than commands, so that its inverse keeps ids, order and times. It
//!   can be reverted from under later patches only if no record was touched twice and no component covers its place.
//! * Data states are not part of patches, revisions or the journal.
//! * Copies of a board share the pieces of its lists until one of them changes. A command on a canvas therefore costs
//!   its changes, a 64th of the components, and a word for each covered row.
//! * Equal boards have equal blobs, regardless of their history, so that undo is checked by the id that it leads back
//!   to. Up to 32 components are stored in the root itself, more in pages. A command writes the root and one or two
//!   pages.
//! * Each blob that a root names was named by the previous root or is stored with this one. A host may therefore drop
//!   all blobs that no root in use names.

pub(crate) mod apply;
mod apply_settings;
mod between;
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
