//! The host's side of a turn, which provides a connection and a clock.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::Duration;

use canvas_tools::CodedError;
use canvas_tools::lease::Timestamp;

use crate::encoded::EncodedRequest;
use crate::frames::Framing;

/// Sends requests to one provider, and tells the time.
///
/// Clones share their connections, as clones of HTTP clients do.
pub trait Transport: Clone + Send + Sync + 'static {
    /// The response body, read in chunks as they arrive.
    type Body: ResponseBody;

    /// Sends a request and waits for the head of the response. The host adds the address and the keys. It also asks for
    /// a stream, which some providers expect as a field of the body.
    ///
    /// If the turn ends meanwhile, this future is dropped. Dropping it may close the connection.
    fn send(
        &self,
        request: &EncodedRequest,
    ) -> impl Future<Output = Result<Response<Self::Body>, SendError>> + Send;

    /// Returns the current time, by a clock that is close to the store's.
    fn now(&self) -> Timestamp;

    /// Waits until this time, or a little longer.
    fn sleep_until(&self, until: Timestamp) -> impl Future<Output = ()> + Send;

    /// Returns a random number from 0 to 1, a new one for each call, so that clients that failed together do not retry
    /// together. Override it for waits that a test can repeat.
    fn jitter(&self) -> f64 {
        // Every `RandomState` has other keys, so the hash of nothing differs from call to call.
        RandomState::new().build_hasher().finish() as f64 / u64::MAX as f64
    }
}

/// The bytes of a response, read as they arrive.
pub trait ResponseBody: Send + 'static {
    /// A piece of the body. It may have any length.
    type Chunk: AsRef<[u8]> + Send;

    /// Returns the next chunk, or `None` at the end of the body.
    fn next(&mut self) -> impl Future<Output = Result<Option<Self::Chunk>, SendError>> + Send;
}

/// The head of a response, and its body, which is still to be read.
#[derive(Debug)]
pub struct Response<B> {
    /// The HTTP status code. If it is 400 or more, the body is an error.
    pub status: u16,
    /// The wait that the provider asks for in its `retry-after` header; `None` if it does not ask for one.
    pub retry_after: Option<Duration>,
    /// The framing of a streamed answer, or `None` for a whole answer. The content type of the response tells which it
    /// is.
    pub framing: Option<Framing>,
    /// The body, still to be read.
    pub body: B,
}

/// Error returned when a request or its response did not arrive.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the provider was not reached: {message}; {}",
    if *retryable { "send the request again" } else { "check its address and the connection" }
)]
pub struct SendError {
    /// The error of the connection, without a full stop.
    pub message: String,
    /// Whether another attempt may succeed, for example after a connection reset, but not for an unknown host.
    pub retryable: bool,
}

impl CodedError for SendError {
    fn code(&self) -> &'static str {
        "TRANSPORT_FAILED"
    }

    fn is_retryable(&self) -> bool {
        self.retryable
    }
}
