//! How hosts learn of changes without a store of their own around the store.
//!
//! * Each watched canvas has one slot with the newest state, which all its watchers share; a watcher is a number and,
//!   while it waits, a waker. A slow watcher skips states and is answered how many: nothing queues.
//! * Each change in the state has a number in the slot. An event is what has a later number than the watcher's.
//! * Rows arrive in another order than they were read in. A row is newer than the kept one where it was asked for after
//!   that one was learnt, where it is a commit upon it, or where its revision or epoch is higher. Where nothing shows
//!   which is newer, the slot is stale.
//! * A stale slot is loaded by whoever polls first, once for all its watchers.
//! * A commit of several calls is learnt as one: each of its changes has its number, and the newest has its actor.
//! * A canvas without watchers costs a commit one atomic load.

mod event;
mod handle;
mod hub;
mod slot;
mod state;

pub use self::event::{CanvasStatus, HeadRevision, WatchEvent};
pub use self::handle::Watch;
pub(super) use self::hub::{Planned, Watches};
