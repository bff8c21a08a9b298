//! Sessions of HTTP, no more than a number.
//!
//! * A request with the id of another one under way is refused, because the first one's stream would never end.
//! * An id stays taken if its answer was not sent, because a cancelled call may still end and be taken for the answer to the
//!   next request of that id.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{Either, ready};
use futures_util::stream::once;
use futures_util::{Stream, StreamExt as _};
use rmcp::model::{
    ClientJsonRpcMessage, JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{RestoreOutcome, SessionManager};

use crate::message::Fault;

/// Sessions that there are at once. Of more the newest is refused until one ends.
pub(crate) const MOST: usize = 256;

/// How long a session lives without a request.
const IDLE: Duration = Duration::from_secs(15 * 60);

/// The sessions of a server.
#[derive(Debug)]
pub(crate) struct Sessions {
    inner: LocalSessionManager,
    most: usize,
    lines: Lines,
}

/// Sessions after their handshake.
type Lines = Arc<Mutex<HashMap<SessionId, Line>>>;

#[derive(Debug)]
struct Line {
    version: ProtocolVersion,
    /// Requests that are not answered.
    requests: HashSet<RequestId>,
}

/// Why there is no session.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SessionsError {
    /// There are as many as there may be.
    #[error("there are {most} sessions already: end one, or come again later")]
    TooMany {
        /// How many there may be.
        most: usize,
    },
    /// The session itself.
    #[error(transparent)]
    Local(#[from] LocalSessionManagerError),
}

impl Sessions {
    pub(crate) fn new(most: usize) -> Arc<Self> {
        let mut inner = LocalSessionManager::default();
        inner.session_config.keep_alive = Some(IDLE);
        Arc::new(Self { inner, most, lines: Lines::default() })
    }

    /// Returns the version that a session has agreed to.
    pub(crate) fn version(&self, session: &str) -> Option<ProtocolVersion> {
        lock(&self.lines).get(session).map(|line| line.version.clone())
    }
}

fn lock(lines: &Lines) -> MutexGuard<'_, HashMap<SessionId, Line>> {
    lines.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Frees the id of a request.
fn end(lines: &Lines, session: &SessionId, request: &RequestId) {
    if let Some(line) = lock(lines).get_mut(session) {
        line.requests.remove(request);
    }
}

impl SessionManager for Sessions {
    type Error = SessionsError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        if self.inner.sessions.read().await.len() >= self.most {
            return Err(SessionsError::TooMany { most: self.most });
        }
        Ok(self.inner.create_session().await?)
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        let answer = self.inner.initialize_session(id, message).await?;
        if let JsonRpcMessage::Response(response) = &answer
            && let ServerResult::InitializeResult(begun) = &response.result
        {
            let version = begun.protocol_version.clone();
            lock(&self.lines).insert(id.clone(), Line { version, requests: HashSet::new() });
        }
        Ok(answer)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        Ok(self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        lock(&self.lines).remove(id);
        Ok(self.inner.close_session(id).await?)
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let request = match &message {
            JsonRpcMessage::Request(request) => request.id.clone(),
            _ => return Ok(Either::Left(self.inner.create_stream(id, message).await?)),
        };
        let is_first = lock(&self.lines).get_mut(id).is_none_or(|line| line.requests.insert(request.clone()));
        if !is_first {
            let refused = ServerSseMessage::from_message(Fault::same_id(request).into());
            return Ok(Either::Right(Either::Left(once(ready(refused)))));
        }
        let stream = match self.inner.create_stream(id, message).await {
            Ok(stream) => stream,
            Err(error) => {
                end(&self.lines, id, &request);
                return Err(error.into());
            }
        };
        let (lines, session) = (Arc::clone(&self.lines), id.clone());
        Ok(Either::Right(Either::Right(stream.inspect(move |told| {
            if let Some(JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_)) = told.message.as_deref() {
                end(&lines, &session, &request);
            }
        }))))
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        Ok(self.inner.accept_message(id, message).await?)
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.inner.create_standalone_stream(id).await?)
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        Ok(self.inner.resume(id, last_event_id).await?)
    }

    async fn restore_session(&self, id: SessionId) -> Result<RestoreOutcome<Self::Transport>, Self::Error> {
        Ok(self.inner.restore_session(id).await?)
    }
}
