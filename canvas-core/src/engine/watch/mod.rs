//! Notifies hosts of changes, without a wrapper around the store.
//!
//! * Each watched canvas has one slot with the newest state, which all its watchers share. A watcher is a number and,
//!   while it waits, a waker. A slow watcher skips states and gets the number of those that it skipped, so no queue
//!   builds up.
//! * Each change of the state has a number in the slot. An event consists of the changes with higher numbers than the
//!   watcher's.
//! * Rows may not arrive in the order in which the store read them. A row is newer than the kept row if it was
//!   requested after that row was learnt, if it is the result of a commit on top of that row, or if its revision or
//!   epoch is higher. If this does not show which row is newer, the slot is stale.
//! * If a slot is stale, the first watcher to be polled loads the head, once for all watchers.
//! * A commit of several calls is learnt as one. Each of its changes has its own number, and the newest change sets the
//!   actor.
//! * While no canvas is watched, a commit pays only for atomic loads.

mod event;
mod handle;
mod hub;
mod slot;
mod state;
mod wait;

pub use self::event::{CanvasStatus, HeadRevision, WatchEvent};
pub use self::handle::Watch;
pub(super) use self::hub::{Planned, Watches};
pub use self::wait::Waited;
pub(super) use self::wait::next_until;
