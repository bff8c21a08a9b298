//! Notification of hosts about changes, without a wrapper around the store.
//!
//! * Each watched canvas has one slot with the newest state, which all its watchers share. A watcher is a number and,
//!   while it waits, a waker. A slow watcher skips states and gets the number of those that it skipped, so no queue
//!   builds up.
//! * Each change of the state has a number in the slot. An event consists of the changes with a later number than the
//!   watcher's.
//! * Rows may arrive in another order than they were read in. A row is newer than the kept row if it was requested
//!   after that row was learnt, if it is a commit upon that row, or if its revision or epoch is higher. If this does
//!   not show which row is newer, the slot is stale.
//! * The first watcher to be polled loads a stale slot, once for all watchers.
//! * A commit of several calls is learnt as one. Each of its changes has its own number, and the newest change sets the
//!   actor.
//! * A canvas without watchers costs a commit one atomic load.

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
