//! What the host gives a turn: a connection, a clock and a little chance.

use std::time::Duration;

use canvas_tools::lease::Timestamp;

use crate::encoded::EncodedRequest;
use crate::frames::Framing;

/// Sends requests to one provider, and tells the time.
///
/// Clones share their connections, as those of HTTP clients do.
pub trait Transport: Clone + Send + Sync + 'static {
    /// A response as its bytes come.
    type Body: ResponseBody;

    /// Sends a request and waits for the head of the response. Address, keys and the wish for a stream, which some providers
    /// want in the body, are the host's to add.
    ///
    /// The future is dropped where the turn ends meanwhile, and may then close the connection.
    fn send(
        &self,
        request: &EncodedRequest,
    ) -> impl Future<Output = Result<Response<Self::Body>, SendError>> + Send;

    /// The time, by a clock that the store's is not far from.
    fn now(&self) -> Timestamp;

    /// Waits until this time, or a little longer.
    fn sleep_until(&self, until: Timestamp) -> impl Future<Output = ()> + Send;

    /// A number from 0 to 1, another one each time, by which clients that failed together do not try again together.
    fn jitter(&self) -> f64;
}

/// The bytes of a response.
pub trait ResponseBody: Send + 'static {
    /// Some of them.
    type Chunk: AsRef<[u8]> + Send;

    /// The next ones; `None` at the end.
    fn next(&mut self) -> impl Future<Output = Result<Option<Self::Chunk>, SendError>> + Send;
}

/// The head of a response, with what is to come.
#[derive(Debug)]
pub struct Response<B> {
    /// The status of HTTP. From 400 on, the body is an error.
    pub status: u16,
    /// How long the provider wants its client to wait, by its header `retry-after`.
    pub retry_after: Option<Duration>,
    /// How a stream is framed; `None` for a whole answer. The type of the content tells which.
    pub framing: Option<Framing>,
    /// The bytes.
    pub body: B,
}

/// A request that did not arrive, or a response that did not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "The provider was not reached: {message}; {}",
    if *retryable { "send the request again." } else { "check its address and the connection." }
)]
pub struct SendError {
    /// What the connection says, without a full stop.
    pub message: String,
    /// Whether trying again may help: a connection that was reset, but no unknown host.
    pub retryable: bool,
}

canvas_tools::coded_error!(SendError { Self { retryable, .. } => "TRANSPORT_FAILED", *retryable; });
