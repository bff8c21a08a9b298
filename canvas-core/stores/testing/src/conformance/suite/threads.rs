//! Tasks that start together, each on a thread of its own. Tasks that never overlap on one thread may still race on
//! several.
//!
//! The suite waits for its threads without blocking the thread that polls it, so it also works on a single-threaded
//! runtime.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread;

use canvas_core::store::{Commit, Committed, Store, StoreError};

use crate::conformance::harness::Driver;

pub(super) const THREADS: usize = 3;

/// Number of commits after which a race ends even if it was never close.
const MOST: usize = 12_000;

/// Number of close commits after which a race ends. A commit is close if another one succeeded during it.
const ENOUGH: usize = 250;

/// Maximum times that a thread yields while it waits for the others.
const TURNS: usize = 2_000;

/// Runs each task on a thread of its own. Returns `None` if a thread cannot be started.
///
/// # Errors
///
/// If a task panicked, or if its driver returned before the task's end.
pub(super) async fn on_threads<F>(driver: &Driver, tasks: Vec<F>) -> Result<Option<Vec<F::Output>>, String>
where
    F: Future<Output: Send> + Send + 'static,
{
    let (gate, finish) = (Arc::new(Gate::default()), Arc::new(Finish::new(tasks.len())));
    let mut is_started = true;
    for (number, task) in tasks.into_iter().enumerate() {
        let (gate, finish, driver) = (Arc::clone(&gate), Arc::clone(&finish), Arc::clone(driver));
        let run = move || {
            let output =
                if gate.pass() { drive(&driver, task) } else { Err("it was not started".to_owned()) };
            // Drop the task's resources, such as connections, before the suite continues.
            drop(driver);
            finish.put(number, output);
        };
        is_started &= thread::Builder::new().spawn(run).is_ok();
    }
    gate.open(is_started);
    if !is_started {
        return Ok(None);
    }
    let outputs = poll_fn(|context| finish.take(context.waker())).await;
    let output = |output: Result<_, String>| output.map_err(|how| format!("on a thread of the suite {how}"));
    outputs.into_iter().map(output).collect::<Result<_, _>>().map(Some)
}

/// Drives a task to its end on this thread.
fn drive<F>(driver: &Driver, task: F) -> Result<F::Output, String>
where
    F: Future<Output: Send> + Send + 'static,
{
    let output = Arc::new(Mutex::new(None));
    let slot = Arc::clone(&output);
    let task = Box::pin(async move {
        let output = task.await;
        *lock(&slot) = Some(output);
    });
    catch_unwind(AssertUnwindSafe(|| driver(task))).map_err(|panic| {
        format!(
            "the store panicked ({}); one that needs a runtime takes a `Harness::driver`",
            message(&*panic)
        )
    })?;
    lock(&output).take().ok_or_else(|| "the harness's driver left a future before its end".to_owned())
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Code that holds this lock cannot panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Holds threads until all of them have started, or one could not.
#[derive(Default)]
struct Gate {
    go_on: Mutex<Option<bool>>,
    opened: Condvar,
}

impl Gate {
    fn open(&self, go_on: bool) {
        *lock(&self.go_on) = Some(go_on);
        self.opened.notify_all();
    }

    fn pass(&self) -> bool {
        let mut go_on = lock(&self.go_on);
        loop {
            if let Some(go_on) = *go_on {
                return go_on;
            }
            go_on = self.opened.wait(go_on).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Collects the outputs of the threads.
struct Finish<T>(Mutex<Outputs<T>>);

struct Outputs<T> {
    outputs: Vec<Option<Result<T, String>>>,
    waker: Option<Waker>,
}

impl<T> Finish<T> {
    fn new(threads: usize) -> Self {
        Self(Mutex::new(Outputs { outputs: (0..threads).map(|_| None).collect(), waker: None }))
    }

    fn put(&self, number: usize, output: Result<T, String>) {
        let waker = {
            let mut finish = lock(&self.0);
            finish.outputs[number] = Some(output);
            finish.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    fn take(&self, waker: &Waker) -> Poll<Vec<Result<T, String>>> {
        let mut finish = lock(&self.0);
        if finish.outputs.iter().any(Option::is_none) {
            finish.waker = Some(waker.clone());
            return Poll::Pending;
        }
        Poll::Ready(finish.outputs.drain(..).flatten().collect())
    }
}

/// The progress of a race. A race is not bounded by time. It ends after enough close commits, or after many commits.
///
/// On a slow store, or with several cores, every commit is close and the race ends soon. In memory on a single core, a
/// commit is close only if a thread is interrupted during it.
#[derive(Debug, Default)]
pub(super) struct Contest {
    tries: AtomicUsize,
    done: AtomicUsize,
    close: AtomicUsize,
    is_over: AtomicBool,
}

impl Contest {
    pub(super) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }

    /// Returns a guard that ends the race for all threads when it is dropped, however its thread ends.
    pub(super) fn runner(self: &Arc<Self>) -> Runner {
        Runner(Arc::clone(self))
    }

    /// Commits, and records whether the commit was close.
    pub(super) async fn commit<S: Store>(&self, store: &S, commit: Commit) -> Result<Committed, StoreError> {
        let before = self.done.load(Ordering::Acquire);
        let answer = store.commit(commit).await;
        if self.done.load(Ordering::Acquire) != before {
            self.close.fetch_add(1, Ordering::AcqRel);
        }
        if matches!(answer, Ok(Committed::Done { .. })) {
            self.happened();
        }
        let tries = self.tries.fetch_add(1, Ordering::AcqRel) + 1;
        if tries >= MOST || self.close.load(Ordering::Acquire) >= ENOUGH {
            self.is_over.store(true, Ordering::Release);
        }
        answer
    }

    /// Counts a success. A commit of another thread during it counts as close.
    pub(super) fn happened(&self) {
        self.done.fetch_add(1, Ordering::AcqRel);
    }
}

#[derive(Debug)]
pub(super) struct Runner(Arc<Contest>);

impl std::ops::Deref for Runner {
    type Target = Contest;

    fn deref(&self) -> &Contest {
        &self.0
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Release);
    }
}

/// Lets threads begin each round as close together as the machine allows. A thread that waits too long continues alone.
#[derive(Debug, Default)]
pub(super) struct Line(AtomicUsize);

impl Line {
    pub(super) fn wait(&self, round: usize, contest: &Contest) {
        self.0.fetch_add(1, Ordering::AcqRel);
        for _ in 0..TURNS {
            if self.0.load(Ordering::Acquire) >= (round + 1) * THREADS || contest.is_over() {
                return;
            }
            thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use canvas_core::testing::block_on;

    use super::*;

    fn driver() -> Driver {
        Arc::new(block_on)
    }

    #[test]
    fn tasks_run_at_once_and_their_outputs_come_in_order() {
        let line = Arc::new(std::sync::Barrier::new(THREADS));
        let task = |number: usize| {
            let line = Arc::clone(&line);
            async move {
                // Each task waits here for all others.
                line.wait();
                number
            }
        };
        let outputs = block_on(on_threads(&driver(), (0..THREADS).map(task).collect()));
        assert_eq!(outputs, Ok(Some((0..THREADS).collect())));
    }

    #[test]
    fn a_panic_and_a_driver_that_leaves_are_told() {
        let panics = async { panic!("there is no reactor running") };
        let how = block_on(on_threads::<std::pin::Pin<Box<dyn Future<Output = ()> + Send>>>(
            &driver(),
            vec![Box::pin(panics)],
        ))
        .unwrap_err();
        assert!(how.contains("there is no reactor running") && how.contains("Harness::driver"), "{how}");
        let leaves: Driver = Arc::new(drop);
        let how = block_on(on_threads(&leaves, vec![async {}])).unwrap_err();
        assert!(how.contains("before its end"), "{how}");
    }

    #[test]
    fn a_race_is_over_when_one_of_its_threads_ends() {
        let contest = Arc::new(Contest::default());
        let runner = contest.runner();
        assert!(!runner.is_over());
        drop(runner);
        assert!(contest.is_over());
    }
}
