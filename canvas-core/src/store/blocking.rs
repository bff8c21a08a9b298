//! Stores that block the calling thread, and their adapter to [`Store`].

use std::collections::BTreeSet;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::time::Duration;

use crate::model::blob::{Blob, BlobId};
use crate::model::id::CanvasId;
use crate::store::contract::{Capabilities, Collected, Commit, Committed, Loaded, Store, Version};
use crate::store::error::{StoreError, StoreErrorKind};

/// The contract of [`Store`] for a back end that blocks its caller, such as an embedded database. [`Blocking`] turns it
/// into a [`Store`]. Each method has the contract of the [`Store`] method with the same name.
pub trait BlockingStore: Send + Sync {
    /// Like [`Store::capabilities`].
    fn capabilities(&self) -> Capabilities;

    /// Like [`Store::load`], but blocks.
    ///
    /// # Errors
    ///
    /// Returns the store's own error.
    fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError>;

    /// Like [`Store::commit`], but blocks.
    ///
    /// # Errors
    ///
    /// Returns the store's own error.
    fn commit(&self, commit: Commit) -> Result<Committed, StoreError>;

    /// Like [`Store::blob`], but blocks.
    ///
    /// # Errors
    ///
    /// Returns the store's own error.
    fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError>;

    /// Like [`Store::blobs`], but blocks. The default implementation calls [`BlockingStore::blob`] for one id after the
    /// other.
    ///
    /// # Errors
    ///
    /// Returns the store's own error.
    fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        ids.iter().map(|id| self.blob(canvas, *id)).collect()
    }

    /// Like [`Store::list`], but blocks.
    ///
    /// # Errors
    ///
    /// Returns the store's own error.
    fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError>;

    /// Like [`Store::collect`], but blocks.
    ///
    /// # Errors
    ///
    /// Returns the store's own error.
    fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError>;
}

/// One call of a [`BlockingStore`], to run on a thread that may block.
pub type Job = Box<dyn FnOnce() + Send>;

/// An adapter that makes a [`BlockingStore`] a [`Store`]. Clones share the store.
///
/// [`Blocking::new`] alone is suitable for tests and for hosts without an async runtime. If your host has one, its
/// reactor must not wait for a disk, so add a function that runs jobs on threads for blocking work:
///
/// ```
/// # use std::sync::Arc;
/// # use canvas_core::lease::Timestamp;
/// use canvas_core::store::{Blocking, BlockingStore};
/// use canvas_core::{Engine, Policy};
///
/// # fn host<S: BlockingStore + 'static>(store: S) {
/// // With tokio: `|job| drop(tokio::task::spawn_blocking(job))`.
/// let store = Blocking::new(store).with_spawn(|job| drop(std::thread::spawn(job)));
/// let engine = Engine::new(store, Policy::default());
/// # }
/// ```
///
/// If the future of a call is dropped after its first poll, the call still runs to its end.
pub struct Blocking<S> {
    store: Arc<S>,
    /// Runs a job elsewhere. With `None`, calls run on the polling thread.
    spawn: Option<Arc<dyn Fn(Job) + Send + Sync>>,
}

impl<S: BlockingStore + 'static> Blocking<S> {
    /// Creates an adapter that runs each call on the thread that polls it.
    pub fn new(store: S) -> Self {
        Self { store: Arc::new(store), spawn: None }
    }

    /// Sets the function that runs each call as a job elsewhere. If `spawn` drops a job unrun, or the job panics, the
    /// call returns [`StoreErrorKind::Indeterminate`].
    #[must_use]
    pub fn with_spawn(self, spawn: impl Fn(Job) + Send + Sync + 'static) -> Self {
        Self { spawn: Some(Arc::new(spawn)), ..self }
    }

    /// Returns the wrapped store.
    pub fn inner(&self) -> &S {
        &self.store
    }

    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&S) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Some(spawn) = &self.spawn else { return job(&self.store) };
        let (store, slot) = (Arc::clone(&self.store), Arc::new(Slot::default()));
        let guard = Guard(Arc::clone(&slot));
        spawn(Box::new(move || guard.0.fill(job(&store))));
        poll_fn(|context| slot.take(context.waker())).await
    }
}

impl<S> Clone for Blocking<S> {
    fn clone(&self) -> Self {
        Self { store: Arc::clone(&self.store), spawn: self.spawn.clone() }
    }
}

impl<S: fmt::Debug> fmt::Debug for Blocking<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Blocking").field(&self.store).finish()
    }
}

/// The place for the answer of a job.
struct Slot<T>(Mutex<Waiting<T>>);

struct Waiting<T> {
    answer: Option<Result<T, StoreError>>,
    waker: Option<Waker>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self(Mutex::new(Waiting { answer: None, waker: None }))
    }
}

impl<T> Slot<T> {
    fn waiting(&self) -> MutexGuard<'_, Waiting<T>> {
        // No code that holds the lock can panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores the first answer and ignores later ones.
    fn fill(&self, answer: Result<T, StoreError>) {
        let waker = {
            let mut waiting = self.waiting();
            waiting.answer.get_or_insert(answer);
            waiting.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn take(&self, waker: &Waker) -> Poll<Result<T, StoreError>> {
        let mut waiting = self.waiting();
        match waiting.answer.take() {
            Some(answer) => Poll::Ready(answer),
            None => {
                waiting.waker = Some(waker.clone());
                Poll::Pending
            }
        }
    }
}

/// Supplies an answer if a job ends without its own.
struct Guard<T>(Arc<Slot<T>>);

impl<T> Drop for Guard<T> {
    fn drop(&mut self) {
        self.0.fill(Err(StoreError::new(StoreErrorKind::Indeterminate)
            .with_source("the thread of the store ended without an answer")));
    }
}

impl<S: BlockingStore + 'static> Store for Blocking<S> {
    fn capabilities(&self) -> Capabilities {
        self.store.capabilities()
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        let canvas = canvas.clone();
        self.run(move |store| store.load(&canvas)).await
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.run(move |store| store.commit(commit)).await
    }

    async fn blob(&self, canvas: &CanvasId, id: BlobId) -> Result<Option<Blob>, StoreError> {
        let canvas = canvas.clone();
        self.run(move |store| store.blob(&canvas, id)).await
    }

    async fn blobs(&self, canvas: &CanvasId, ids: &[BlobId]) -> Result<Vec<Option<Blob>>, StoreError> {
        let (canvas, ids) = (canvas.clone(), ids.to_vec());
        self.run(move |store| store.blobs(&canvas, &ids)).await
    }

    async fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
        let after = after.cloned();
        self.run(move |store| store.list(after.as_ref(), limit)).await
    }

    async fn collect(
        &self,
        canvas: &CanvasId,
        keep: &BTreeSet<BlobId>,
        older_than: Duration,
        at: &Version,
    ) -> Result<Collected, StoreError> {
        let (canvas, keep, at) = (canvas.clone(), keep.clone(), at.clone());
        self.run(move |store| store.collect(&canvas, &keep, older_than, &at)).await
    }
}

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::sync::mpsc;
    use std::task::Context;

    use super::*;
    use crate::CodedError as _;
    use crate::testing::block_on;

    /// A store for tests of `list`, `blob` and `collect`.
    #[derive(Debug)]
    struct Lists;

    impl BlockingStore for Lists {
        fn capabilities(&self) -> Capabilities {
            Capabilities { not_after: true, notify: false }
        }

        fn load(&self, _: &CanvasId) -> Result<Option<Loaded>, StoreError> {
            panic!("nobody loads")
        }

        fn commit(&self, _: Commit) -> Result<Committed, StoreError> {
            unreachable!("nobody commits")
        }

        fn blob(&self, _: &CanvasId, _: BlobId) -> Result<Option<Blob>, StoreError> {
            Ok(None)
        }

        fn list(&self, after: Option<&CanvasId>, limit: usize) -> Result<Vec<CanvasId>, StoreError> {
            Ok(after.into_iter().cycle().take(limit).cloned().collect())
        }

        fn collect(
            &self,
            _: &CanvasId,
            keep: &BTreeSet<BlobId>,
            _: Duration,
            _: &Version,
        ) -> Result<Collected, StoreError> {
            Err(StoreError::failed(format!("{} blobs stay", keep.len())))
        }
    }

    #[test]
    fn each_way_gives_the_answers_of_the_store() {
        let id = CanvasId::new("c").unwrap();
        for store in [Blocking::new(Lists), Blocking::new(Lists).with_spawn(|job| job())] {
            assert_eq!(block_on(store.list(Some(&id), 2)).unwrap(), [id.clone(), id.clone()]);
            assert!(block_on(store.blob(&id, BlobId::of(b""))).unwrap().is_none());
            let fault = {
                let keep = BTreeSet::from([BlobId::of(b"")]);
                block_on(store.collect(&id, &keep, Duration::ZERO, &Version::new("1"))).unwrap_err()
            };
            assert_eq!(fault.code(), "STORE_FAILED");
            assert!(fault.message().ends_with(" (1 blobs stay)"), "{}", fault.message());
            assert_eq!(store.clone().capabilities(), BlockingStore::capabilities(store.inner()));
        }
    }

    #[test]
    fn the_poller_is_woken_by_the_other_thread() {
        let (jobs, queue) = mpsc::channel::<Job>();
        let worker = std::thread::scope(|scope| {
            let store = Blocking::new(Lists).with_spawn(move |job| jobs.send(job).unwrap());
            let id = CanvasId::new("c").unwrap();
            let mut list = pin!(store.list(Some(&id), 1));
            assert!(list.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
            let job = queue.recv().unwrap();
            scope.spawn(job);
            block_on(list)
        });
        assert_eq!(worker.unwrap().len(), 1);
    }

    #[test]
    fn a_job_without_an_answer_is_a_fault() {
        let id = CanvasId::new("c").unwrap();
        let dropped = Blocking::new(Lists).with_spawn(drop);
        assert!(!block_on(dropped.list(None, 1)).unwrap_err().is_definite());
        let panicking = Blocking::new(Lists).with_spawn(|job| {
            let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(job));
        });
        assert!(!block_on(panicking.load(&id)).unwrap_err().is_definite());
    }
}
