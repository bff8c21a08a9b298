//! One request under way, from its first byte to the end of the answer.

use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::Kept;
use super::transport::{Response, ResponseBody, SendError, Transport};
use crate::context::AnswerContext;
use crate::decoded::{DecodeError, Decoded, MAX_BODY_BYTES};
use crate::encoded::EncodedRequest;
use crate::provider::Provider;
use crate::stream::StreamDecoder;
use crate::stream_event::StreamEvent;

/// Maximum bytes read from an error body.
const MAX_ERROR_BYTES: usize = 64 << 10;
/// Maximum characters kept of an error that is not the provider's own JSON.
const MAX_ERROR_CHARS: usize = 300;
/// Provider errors that waiting does not fix, although their status suggests that it would.
const FINAL: &[&str] = &["insufficient_quota", "billing_not_active", "billing_error", "access_terminated"];

pub(super) struct Attempt<T: Transport> {
    provider: Provider,
    context: AnswerContext,
    stage: Stage<T::Body>,
}

type Incoming<B> = Kept<(B, Result<Option<<B as ResponseBody>::Chunk>, SendError>)>;

enum Stage<B: ResponseBody> {
    Sending(Kept<Result<Response<B>, SendError>>),
    Reading(Incoming<B>, Reader),
    Over,
}

enum Reader {
    Stream(Box<StreamDecoder>),
    Whole(Vec<u8>),
    Error { status: u16, retry_after: Option<Duration>, bytes: Vec<u8> },
}

#[derive(Debug)]
pub(super) enum Attempted {
    /// An answer, which may be incomplete.
    Answer(Decoded),
    /// A response that is not an answer, with the wait that the provider asks for.
    Unusable(DecodeError, Option<Duration>),
    Unsent(SendError),
}

impl<T: Transport> Attempt<T> {
    pub(super) fn new(transport: &T, provider: Provider, request: EncodedRequest) -> Self {
        let (context, transport) = (request.context.clone(), transport.clone());
        let sending = Box::pin(async move { transport.send(&request).await });
        Self { provider, context, stage: Stage::Sending(sending) }
    }

    /// Reads until the body is pending or the attempt ends, and passes the events of a stream to `on_event`. Must not
    /// be polled after it was ready.
    pub(super) fn poll(
        &mut self,
        cx: &mut Context<'_>,
        on_event: &mut dyn FnMut(StreamEvent<'_>),
    ) -> Poll<Attempted> {
        loop {
            match &mut self.stage {
                Stage::Sending(sending) => match ready!(sending.as_mut().poll(cx)) {
                    Ok(response) => self.begin_reading(response),
                    Err(error) => return self.end(Attempted::Unsent(error)),
                },
                Stage::Reading(incoming, _) => {
                    let (body, chunk) = ready!(incoming.as_mut().poll(cx));
                    if let Some(attempted) = self.read(body, chunk, on_event) {
                        return self.end(attempted);
                    }
                }
                Stage::Over => unreachable!("an attempt is dropped at its end"),
            }
        }
    }

    fn end(&mut self, attempted: Attempted) -> Poll<Attempted> {
        self.stage = Stage::Over;
        Poll::Ready(attempted)
    }

    fn begin_reading(&mut self, response: Response<T::Body>) {
        let Response { status, retry_after, framing, body } = response;
        let reader = match framing {
            _ if status >= 400 => Reader::Error { status, retry_after, bytes: Vec::new() },
            Some(framing) => {
                Reader::Stream(Box::new(self.provider.stream_framed(framing, self.context.clone())))
            }
            None => Reader::Whole(Vec::new()),
        };
        self.stage = Stage::Reading(incoming(body), reader);
    }

    /// Takes the next chunk, or the end of the body. Returns `None` if there is more to come.
    fn read(
        &mut self,
        body: T::Body,
        chunk: Result<Option<<T::Body as ResponseBody>::Chunk>, SendError>,
        on_event: &mut dyn FnMut(StreamEvent<'_>),
    ) -> Option<Attempted> {
        let Stage::Reading(_, mut reader) = std::mem::replace(&mut self.stage, Stage::Over) else {
            return None;
        };
        let is_read = match (&chunk, &mut reader) {
            (Ok(None) | Err(_), _) => true,
            (Ok(Some(chunk)), Reader::Stream(stream)) => {
                stream.feed(chunk.as_ref(), on_event);
                stream.is_over()
            }
            (Ok(Some(chunk)), Reader::Whole(bytes)) => {
                bytes.extend_from_slice(chunk.as_ref());
                // `decode_slice` refuses the oversized body.
                bytes.len() > MAX_BODY_BYTES
            }
            (Ok(Some(chunk)), Reader::Error { bytes, .. }) => {
                let left = MAX_ERROR_BYTES - bytes.len();
                bytes.extend(chunk.as_ref().iter().take(left));
                bytes.len() == MAX_ERROR_BYTES
            }
        };
        if !is_read {
            self.stage = Stage::Reading(incoming(body), reader);
            return None;
        }
        Some(match (reader, chunk) {
            // The answer is whatever arrived before the connection was lost, and its `failure` says that it is
            // incomplete.
            (Reader::Stream(stream), _) => Attempted::Answer(stream.finish()),
            (Reader::Whole(_), Err(error)) => Attempted::Unsent(error),
            (Reader::Whole(bytes), Ok(_)) => match self.provider.decode_slice(&bytes, &self.context) {
                Ok(decoded) => Attempted::Answer(decoded),
                Err(error) => Attempted::Unusable(error, None),
            },
            (Reader::Error { status, retry_after, bytes }, _) => {
                Attempted::Unusable(self.error(status, &bytes), retry_after)
            }
        })
    }

    /// Builds the error of a response with this status, whatever its body contains.
    fn error(&self, status: u16, bytes: &[u8]) -> DecodeError {
        let (kind, message, known) = match self.provider.decode_slice(bytes, &self.context) {
            Err(DecodeError::Provider { kind, message, retryable }) => (kind, message, retryable),
            _ => {
                let text = String::from_utf8_lossy(bytes);
                let message = text.trim().chars().take(MAX_ERROR_CHARS).collect();
                (format!("HTTP {status}"), message, false)
            }
        };
        let passes = matches!(status, 408 | 409 | 425 | 429 | 500 | 502..=504 | 506..) || known;
        DecodeError::Provider { retryable: passes && !FINAL.contains(&kind.as_str()), kind, message }
    }
}

fn incoming<B: ResponseBody>(mut body: B) -> Incoming<B> {
    Box::pin(async move {
        let chunk = body.next().await;
        (body, chunk)
    })
}
