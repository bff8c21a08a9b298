//! Where a turn's requests go: to the script, or over the network.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_examples::live::Client;
use canvas_providers::{Body, EncodedRequest, Provider, Response, ResponseBody, Role, SendError, Transport};

use super::script::{Answer, Known, filled};
use super::seat::lock;
use crate::clock;

/// What the script knows of the turn, and what a model has said in the answer that came last.
#[derive(Debug, Default)]
pub(super) struct Seen {
    pub(super) known: Known,
    pub(super) call_pause: Duration,
    pub(super) said: String,
}

/// The way to a model.
#[derive(Debug, Clone)]
pub(super) enum Line {
    Script { provider: Provider, answers: Arc<Mutex<VecDeque<Answer>>>, seen: Arc<Mutex<Seen>> },
    Live(Client),
}

/// The bytes of an answer.
#[derive(Debug)]
pub(super) enum Bytes {
    Recorded(Option<Vec<u8>>),
    Live(<Client as Transport>::Body),
}

impl Transport for Line {
    type Body = Bytes;

    async fn send(&self, request: &EncodedRequest) -> Result<Response<Bytes>, SendError> {
        let (provider, answers, seen) = match self {
            Self::Script { provider, answers, seen } => (provider, answers, seen),
            Self::Live(client) => {
                let Response { status, retry_after, framing, body } = client.send(request).await?;
                return Ok(Response { status, retry_after, framing, body: Bytes::Live(body) });
            }
        };
        let Some(answer) = lock(answers).pop_front() else {
            let message = "the script has no further answer".to_owned();
            return Err(SendError { message, retryable: false });
        };
        tokio::time::sleep(Duration::from_millis(answer.pause_ms)).await;
        let mut seen = lock(seen);
        let body = filled(&answer.body, &seen.known);
        seen.call_pause = Duration::from_millis(answer.call_pause_ms);
        if let Ok(decoded) = provider.decode(&body, &request.context) {
            let texts = decoded.events.iter().filter(|event| event.role == Role::Assistant);
            for event in texts {
                if let Body::Text(text) = &event.body {
                    seen.said.push_str(text);
                }
            }
        }
        let body = Bytes::Recorded(Some(body.to_string().into_bytes()));
        Ok(Response { status: 200, retry_after: None, framing: None, body })
    }

    fn now(&self) -> Timestamp {
        clock::now()
    }

    async fn sleep_until(&self, until: Timestamp) {
        tokio::time::sleep(until.saturating_duration_since(clock::now())).await;
    }
}

impl ResponseBody for Bytes {
    type Chunk = Vec<u8>;

    async fn next(&mut self) -> Result<Option<Vec<u8>>, SendError> {
        match self {
            Self::Recorded(bytes) => Ok(bytes.take()),
            Self::Live(body) => body.next().await,
        }
    }
}
