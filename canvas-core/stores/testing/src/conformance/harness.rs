//! How the suite gets at a store.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::store::Store;
use canvas_core::{CanvasId, block_on};

/// Holds up commits while it lives.
pub type Stall = Box<dyn Any + Send>;

/// Puts a backup back when it is awaited.
pub type Restore<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// Drives a future to its end on the thread that calls it.
pub type Driver = Arc<dyn Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync>;

/// How the suite makes stores of one kind and moves their clock.
pub trait Harness: Send + Sync {
    /// The kind.
    type Store: Store;

    /// A store without any canvas.
    fn fresh(&self) -> impl Future<Output = Self::Store> + Send;

    /// Another connection to the same data, as a second server has it.
    fn peer(&self, store: &Self::Store) -> impl Future<Output = Self::Store> + Send;

    /// Lets the store's clock go on by at least this much. A store on a real clock waits.
    fn advance(&self, by: Duration) -> impl Future<Output = ()> + Send;

    /// Drives futures on threads that the suite starts for its races: [`block_on`], unless it is overridden.
    ///
    /// If the store needs a runtime, pass that runtime on: with tokio `let runtime = Handle::current();` and then
    /// `Some(Arc::new(move |task| runtime.block_on(task)))`. Otherwise the store panics on a thread without the runtime, and the
    /// check fails. Return `None` if the store works on one thread only. The suite then skips its races on threads, and may
    /// miss a race of the store.
    fn driver(&self) -> Option<Driver> {
        Some(Arc::new(block_on))
    }

    /// Keeps every commit of a canvas waiting until what it returns is dropped, as a slow writer that has the row
    /// does. `None` where commits never wait for one another.
    ///
    /// It returns once the row is held, and commits that wait must leave the thread that polls them to others: a
    /// store that waits in place (such as [`Blocking::in_place`](canvas_core::store::Blocking::in_place)) gives `None`, or would
    /// wait for ever. Reads may wait too. It lives for about a second of the store's clock.
    fn stall(&self, _store: &Self::Store, _canvas: &CanvasId) -> impl Future<Output = Option<Stall>> + Send {
        async { None }
    }

    /// Takes a backup of all that a store keeps; what it returns puts it back, in place and under every connection, as the
    /// back end's own tools do. `None` where the harness has no way to.
    ///
    /// A store that claims [`Capabilities::notify`](canvas_core::store::Capabilities::notify) notifies of every canvas that was there
    /// before or is there after.
    fn back_up<'a>(&'a self, _store: &'a Self::Store) -> impl Future<Output = Option<Restore<'a>>> + Send {
        async { None }
    }

    /// The canvases that the store has notified its host of since the last call, for a store that claims
    /// [`Capabilities::notify`](canvas_core::store::Capabilities::notify). Each connection has notifications of
    /// its own: to take those of one takes nothing from another.
    fn notified(&self, _store: &Self::Store) -> impl Future<Output = Vec<CanvasId>> + Send {
        async { Vec::new() }
    }
}
