//! Tasks on threads of their own, begun together: what is never polled on one thread at once may still race.
//!
//! The suite waits for its threads without holding up the one that polls it, so a runtime of one thread may drive it.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::task::{Poll, Waker};
use std::thread;

use canvas_core::store::{Commit, Committed, Store, StoreError};

use crate::conformance::harness::Driver;

/// How many threads race.
pub(super) const THREADS: usize = 3;

/// Commits after which a race is over that was never close.
const MOST: usize = 12_000;

/// Commits during which another was done, after which a race was close often enough.
const ENOUGH: usize = 250;

/// Turns that a thread gives away at most while it waits for the others.
const TURNS: usize = 2_000;

/// Runs each task on a thread of its own. `None` if no thread can be started here.
///
/// # Errors
///
/// A task that panicked, or that its driver left before its end.
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
            // What a task holds, such as connections, is gone before the suite goes on.
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
    // Nothing that holds one of these can panic.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps threads until all of them were started, or one could not be.
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

/// Where threads leave what their tasks gave.
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

/// How far a race has come. No clock bounds it: it is over as soon as enough commits were close, or after many.
///
/// A slow store, or one on several cores, is close each time and soon done. One in memory on a single core is close only if
/// a thread is interrupted within a commit.
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

    /// Ends the race for all when it is dropped, however its thread ends.
    pub(super) fn runner(self: &Arc<Self>) -> Runner {
        Runner(Arc::clone(self))
    }

    /// Commits, and takes note of whether that was close.
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

    /// Something was done that others must not disturb.
    pub(super) fn happened(&self) {
        self.done.fetch_add(1, Ordering::AcqRel);
    }
}

/// One thread of a race.
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

/// Lets threads begin each round together, as nearly as the machine has it. Who waits in vain goes on.
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
    use canvas_core::block_on;

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
                // None gets past this alone.
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
