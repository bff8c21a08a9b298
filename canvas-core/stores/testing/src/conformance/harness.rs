//! Access of the suite to a store.

use std::any::Any;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use canvas_core::CanvasId;
use canvas_core::store::Store;
use canvas_core::testing::block_on;

/// A guard that blocks commits until it is dropped.
pub type Stall = Box<dyn Any + Send>;

/// A future that restores a backup.
pub type Restore<'a> = Pin<Box<dyn Future<Output = ()> + Send + 'a>>;

/// A function that drives a future to its end on the calling thread.
pub type Driver = Arc<dyn Fn(Pin<Box<dyn Future<Output = ()> + Send>>) + Send + Sync>;

/// Creates stores of one kind for the suite, and moves their clock.
pub trait Harness: Send + Sync {
    /// The type of store under test.
    type Store: Store;

    /// Creates a store without canvases that is independent of other fresh stores.
    fn fresh(&self) -> impl Future<Output = Self::Store> + Send;

    /// Opens another connection to the same data, like a second server.
    fn peer(&self, store: &Self::Store) -> impl Future<Output = Self::Store> + Send;

    /// Advances the store's clock by at least this much. With a real clock, it sleeps.
    fn advance(&self, by: Duration) -> impl Future<Output = ()> + Send;

    /// Returns the function that drives futures on the threads that the suite starts for its races. The default is
    /// [`block_on`].
    ///
    /// If the store needs a runtime, pass that runtime on: with tokio `let runtime = Handle::current();` and then
    /// `Some(Arc::new(move |task| runtime.block_on(task)))`. Otherwise the store panics on a thread without the runtime, and the
    /// check fails. Return `None` if the store works on one thread only. The suite then skips its races on threads, and may
    /// miss a race of the store.
    fn driver(&self) -> Option<Driver> {
        Some(Arc::new(block_on))
    }

    /// Blocks every commit of a canvas until the returned value is dropped, like a slow writer that locked the row.
    /// Returns `None` if commits never wait for each other.
    ///
    /// It returns once the row is locked. Waiting commits must not block the thread that polls them. A store that blocks in
    /// place, such as [`Blocking`](canvas_core::store::Blocking) without `with_spawn`, must therefore return `None`,
    /// because it would wait forever. Reads may wait too. The suite keeps the value for about a second of the store's
    /// clock.
    fn stall(&self, _store: &Self::Store, _canvas: &CanvasId) -> impl Future<Output = Option<Stall>> + Send {
        async { None }
    }

    /// Takes a backup of all data of a store. The returned future restores it in place and under every connection, like the
    /// back end's own tools. Returns `None` if the harness has no way to do this.
    ///
    /// After the restore, a store that claims [`Capabilities::notify`](canvas_core::store::Capabilities::notify) must
    /// notify of every canvas that existed before it or exists after it.
    fn back_up<'a>(&'a self, _store: &'a Self::Store) -> impl Future<Output = Option<Restore<'a>>> + Send {
        async { None }
    }

    /// Returns the canvases that notifications to this connection named since the last call. For stores that claim
    /// [`Capabilities::notify`](canvas_core::store::Capabilities::notify). Each connection has its own notifications,
    /// so taking the notifications of one does not affect another.
    fn notified(&self, _store: &Self::Store) -> impl Future<Output = Vec<CanvasId>> + Send {
        async { Vec::new() }
    }
}
