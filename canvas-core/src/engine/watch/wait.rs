//! A wait that ends at a deadline. No clock is read here, because the host's runtime knows when time is up.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;

use futures_core::Stream;

use crate::engine::error::EngineError;

/// The outcome of a wait by [`Watch::next_until`](super::Watch::next_until) or
/// [`Follow::next_until`](crate::Follow::next_until).
#[derive(Debug)]
pub enum Waited<T> {
    /// The next item, or the error that `next` returns.
    Next(Result<T, EngineError>),
    /// The deadline came first, and a later call returns the item.
    Deadline,
    /// The stream is over, and `next` returns `None`.
    End,
}

/// Polls the stream, and then the deadline if the stream is pending. So an item wins over the deadline, and a deadline
/// that wins takes no item out of the stream.
pub(crate) async fn next_until<T>(
    stream: &mut (impl Stream<Item = Result<T, EngineError>> + Unpin),
    deadline: impl Future<Output = ()>,
) -> Waited<T> {
    let mut deadline = pin!(deadline);
    poll_fn(|context| match Pin::new(&mut *stream).poll_next(context) {
        Poll::Ready(next) => Poll::Ready(next.map_or(Waited::End, Waited::Next)),
        Poll::Pending => deadline.as_mut().poll(context).map(|()| Waited::Deadline),
    })
    .await
}
