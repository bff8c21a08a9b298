//! Running futures concurrently on one thread, without a runtime.
//!
//! The suite has no clock to sleep by. To give other tasks time, it keeps a separate store of the same kind busy for a
//! while. If stores of this kind are slow, this takes longer too.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;

use super::{canvas, commit, done};
use crate::conformance::harness::Harness;

/// Yields once. A runtime's own tasks get their turn too.
pub(crate) async fn yield_now() {
    let mut yielded = false;
    poll_fn(|context| {
        if std::mem::replace(&mut yielded, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// A store that nobody else uses, to be kept busy.
pub(super) struct Elsewhere<S>(S);

impl<S: canvas_core::store::Store> Elsewhere<S> {
    pub(super) async fn of<H: Harness<Store = S>>(harness: &H) -> Self {
        Self(harness.fresh().await)
    }

    /// Takes as long as a few commits, so that operations of others get under way.
    pub(super) async fn be_busy(&self) -> Result<(), String> {
        let id = canvas("c");
        let mut expected = None;
        for _ in 0..10 {
            expected = Some(done(&self.0, commit(&id, expected, "busy\n")).await?.0);
            yield_now().await;
        }
        Ok(())
    }
}

/// Runs futures concurrently to completion. The first one is polled first.
pub(super) async fn join<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut futures: Vec<_> = futures.into_iter().map(Box::pin).collect();
    let mut outputs: Vec<Option<F::Output>> = futures.iter().map(|_| None).collect();
    poll_fn(|context| {
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(context)
            {
                *output = Some(value);
            }
        }
        if outputs.iter().all(Option::is_some) { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    outputs.into_iter().flatten().collect()
}

/// Runs two futures concurrently to completion. The first one is polled first.
pub(super) async fn both<A: Future, B: Future>(first: A, second: B) -> (A::Output, B::Output) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let (mut one, mut two) = (None, None);
    poll_fn(|context| {
        if one.is_none()
            && let Poll::Ready(value) = first.as_mut().poll(context)
        {
            one = Some(value);
        }
        if two.is_none()
            && let Poll::Ready(value) = second.as_mut().poll(context)
        {
            two = Some(value);
        }
        match (one.take(), two.take()) {
            (Some(one), Some(two)) => Poll::Ready((one, two)),
            partial => {
                (one, two) = partial;
                Poll::Pending
            }
        }
    })
    .await
}

/// Polls a future at most `polls` times, yielding after each poll, and then drops it. Returns `None` if it did not finish.
pub(super) async fn give_up_after<F: Future>(polls: usize, future: F) -> Option<F::Output> {
    let mut future = pin!(future);
    for _ in 0..polls {
        if let Poll::Ready(output) = poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await {
            return Some(output);
        }
        yield_now().await;
    }
    None
}
