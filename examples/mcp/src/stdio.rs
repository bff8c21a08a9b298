//! Messages over standard input and output, a line each.
//!
//! * A line that is not a message gets the protocol's error, with the id if that can be read, and reading goes on. The last
//!   line needs no newline.
//! * Before `initialize`, requests are refused, and notifications are dropped.
//! * A request with the id of another one under way is refused. The id of a cancelled request stays taken, because its call
//!   may still end and be taken for the answer to the next request of that id.
//! * The answers to a batch are one line, written when the last of them is there.
//! * At the end of the input, requests that are on their way are answered first.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex as SyncMutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetMeta as _, JsonRpcMessage, ProtocolVersion,
    RequestId, ServerJsonRpcMessage, ServerResult,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde::Serialize;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;

use crate::message::{self, Fault, Incoming};

/// Bytes of the longest line: a document of 16 MiB, escaped.
pub const MAX_LINE: usize = 40 << 20;

/// How long requests are waited for at the end of the input.
const GRACE: Duration = Duration::from_secs(10);

/// Reads and writes lines.
#[derive(Debug)]
pub struct Lines<R, W> {
    input: BufReader<R>,
    line: Vec<u8>,
    /// The line is longer than it may be, and its rest is passed over.
    is_skipping: bool,
    output: Arc<Mutex<W>>,
    has_begun: bool,
    open: Arc<Open>,
    /// Messages of a batch that the service has not seen.
    batch: VecDeque<ClientJsonRpcMessage>,
    /// Lines to write before the next one is read.
    replies: VecDeque<Reply>,
    /// A task, because `receive` may be dropped in the middle of a write.
    writing: Option<JoinHandle<io::Result<()>>>,
}

/// A line of output.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Reply {
    One(Box<ServerJsonRpcMessage>),
    Batch(Vec<ServerJsonRpcMessage>),
}

/// Requests that are not answered yet.
#[derive(Debug, Default)]
struct Open {
    state: SyncMutex<State>,
    unwritten: AtomicUsize,
    is_at_end: AtomicBool,
    changed: Notify,
}

#[derive(Debug, Default)]
struct State {
    /// The version that the handshake agreed to.
    version: Option<ProtocolVersion>,
    requests: HashMap<RequestId, Request>,
    batches: HashMap<u64, Batch>,
    next_batch: u64,
}

/// A request whose answer has not come.
#[derive(Debug)]
enum Request {
    /// Under way, in the batch of this number.
    Open(Option<u64>),
    Cancelled,
}

/// A batch that is not answered yet.
#[derive(Debug, Default)]
struct Batch {
    waiting: usize,
    answers: Vec<ServerJsonRpcMessage>,
}

impl<R: AsyncRead + Unpin, W> Lines<R, W> {
    /// Messages of these streams.
    pub fn new(input: R, output: W) -> Self {
        Self {
            input: BufReader::with_capacity(64 << 10, input),
            line: Vec::new(),
            is_skipping: false,
            output: Arc::new(Mutex::new(output)),
            has_begun: false,
            open: Arc::default(),
            batch: VecDeque::new(),
            replies: VecDeque::new(),
            writing: None,
        }
    }

    /// The next line in `self.line`: `Some(true)` whole, `Some(false)` too long, `None` at the end. Nothing is lost where
    /// the future is dropped.
    async fn read(&mut self) -> io::Result<Option<bool>> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                let is_skipping = std::mem::take(&mut self.is_skipping);
                return Ok((is_skipping || !self.line.is_empty()).then_some(!is_skipping));
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(bytes.len(), |end| end + 1);
            if !self.is_skipping && self.line.len() + taken > MAX_LINE {
                self.line.clear();
                self.is_skipping = true;
            }
            if !self.is_skipping {
                self.line.extend_from_slice(&bytes[..taken]);
            }
            self.input.consume(taken);
            if end.is_some() {
                return Ok(Some(!std::mem::take(&mut self.is_skipping)));
            }
        }
    }

    /// Takes a whole line. Messages for the service go to `self.batch`, refusals to `self.replies`.
    fn take(&mut self, line: &[u8]) {
        let line = message::trim(line);
        if line.is_empty() {
            return;
        }
        let taken = match message::read(line) {
            Ok(Incoming::One(message)) => self.admit(*message, None),
            Ok(Incoming::Batch(messages)) => self.take_batch(&messages),
            Err(fault) => Err(fault),
        };
        if let Err(fault) = taken {
            self.refuse(fault);
        }
    }

    fn take_batch(&mut self, messages: &[Value]) -> Result<(), Fault> {
        message::check_batch(self.open.lock().version.as_ref(), messages.len())?;
        let number = self.open.begin_batch();
        for value in messages {
            if let Err(fault) =
                message::of_batch(value).and_then(|message| self.admit(*message, Some(number)))
            {
                self.open.lock().answer_batch(number, fault.into());
            }
        }
        let reply = self.open.lock().end_batch(number);
        self.replies.extend(reply);
        Ok(())
    }

    /// Passes a message to the service, unless the service would drop it or end because of it.
    fn admit(&mut self, message: ClientJsonRpcMessage, batch: Option<u64>) -> Result<(), Fault> {
        match &message {
            JsonRpcMessage::Request(request) => {
                if !self.has_begun {
                    let meta = request.request.get_meta();
                    let version = meta.protocol_version();
                    self.has_begun = match &request.request {
                        ClientRequest::InitializeRequest(_) => true,
                        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
                        _ if version.is_none() => return Err(Fault::not_begun(request.id.clone())),
                        // The service refuses other versions, and waits on.
                        _ => {
                            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                                && version
                                    .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
                        }
                    };
                }
                if !self.open.begin(&request.id, batch) {
                    return Err(Fault::same_id(request.id.clone()));
                }
            }
            _ if !self.has_begun => return Ok(()),
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) = &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.replies.extend(self.open.cancel(id));
                }
            }
            _ => {}
        }
        self.batch.push_back(message);
        Ok(())
    }

    fn refuse(&mut self, fault: Fault) {
        self.replies.push_back(Reply::One(Box::new(fault.into())));
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let (output, open) = (Arc::clone(&self.output), Arc::clone(&self.open));
        async move {
            let id = match &message {
                JsonRpcMessage::Response(response) => {
                    if let ServerResult::InitializeResult(begun) = &response.result {
                        open.lock().version = Some(begun.protocol_version.clone());
                    }
                    Some(response.id.clone())
                }
                JsonRpcMessage::Error(error) => error.id.clone(),
                _ => None,
            };
            let (was_open, reply) = match id {
                Some(id) => open.end(&id, message),
                None => (false, Some(Reply::One(Box::new(message)))),
            };
            let sent = match reply {
                Some(reply) => write(&output, &reply).await,
                None => Ok(()),
            };
            if was_open {
                open.close();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            if let Some(writing) = &mut self.writing {
                let written = writing.await;
                self.writing = None;
                written.ok()?.ok()?;
            }
            if let Some(reply) = self.replies.pop_front() {
                let output = Arc::clone(&self.output);
                self.writing = Some(tokio::spawn(async move { write(&output, &reply).await }));
                continue;
            }
            if let Some(message) = self.batch.pop_front() {
                return Some(message);
            }
            let Ok(Some(is_whole)) = self.read().await else {
                self.open.drain().await;
                return None;
            };
            let mut line = std::mem::take(&mut self.line);
            if is_whole {
                self.take(&line);
            } else {
                self.refuse(too_long());
            }
            // The room is used again, unless it was for a rare long line.
            if line.capacity() <= 1 << 20 {
                line.clear();
                self.line = line;
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}

impl Open {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a request. Returns false if another one under way has its id.
    fn begin(&self, id: &RequestId, batch: Option<u64>) -> bool {
        let mut state = self.lock();
        if state.requests.contains_key(id) {
            return false;
        }
        state.requests.insert(id.clone(), Request::Open(batch));
        if let Some(batch) = batch.and_then(|number| state.batches.get_mut(&number)) {
            batch.waiting += 1;
        }
        self.unwritten.fetch_add(1, Ordering::AcqRel);
        true
    }

    /// Ends a request. Returns whether it was under way, and the line to write.
    fn end(&self, id: &RequestId, answer: ServerJsonRpcMessage) -> (bool, Option<Reply>) {
        let mut state = self.lock();
        match state.requests.remove(id) {
            Some(Request::Open(Some(number))) => {
                state.answer_batch(number, answer);
                (true, state.end_batch(number))
            }
            ended => (matches!(ended, Some(Request::Open(_))), Some(Reply::One(Box::new(answer)))),
        }
    }

    /// Ends a request that the service will not answer. Returns the answers of its batch if it was the last to wait for.
    fn cancel(&self, id: &RequestId) -> Option<Reply> {
        let mut state = self.lock();
        let Request::Open(batch) = std::mem::replace(state.requests.get_mut(id)?, Request::Cancelled) else {
            return None;
        };
        self.close();
        state.end_batch(batch?)
    }

    /// Registers a batch, which waits until `end_batch`.
    fn begin_batch(&self) -> u64 {
        let mut state = self.lock();
        let number = state.next_batch;
        state.next_batch += 1;
        state.batches.insert(number, Batch { waiting: 1, answers: Vec::new() });
        number
    }

    /// Counts a request as answered, after the answer is written.
    fn close(&self) {
        let less = |count: usize| Some(count.saturating_sub(1));
        let _ = self.unwritten.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
        if self.is_at_end.load(Ordering::Acquire) {
            self.changed.notify_one();
        }
    }

    /// Waits until all requests are answered. Those that are answered by whatever happens later end with the process.
    async fn drain(&self) {
        self.is_at_end.store(true, Ordering::Release);
        let answered = async {
            while self.unwritten.load(Ordering::Acquire) > 0 {
                self.changed.notified().await;
            }
        };
        drop(tokio::time::timeout(GRACE, answered).await);
    }
}

impl State {
    fn answer_batch(&mut self, number: u64, answer: ServerJsonRpcMessage) {
        if let Some(batch) = self.batches.get_mut(&number) {
            batch.answers.push(answer);
        }
    }

    /// Waits for one answer less. Returns the answers if that was the last.
    fn end_batch(&mut self, number: u64) -> Option<Reply> {
        let batch = self.batches.get_mut(&number)?;
        batch.waiting -= 1;
        if batch.waiting > 0 {
            return None;
        }
        let answers = self.batches.remove(&number)?.answers;
        (!answers.is_empty()).then_some(Reply::Batch(answers))
    }
}

async fn write<W: AsyncWrite + Unpin>(output: &Mutex<W>, reply: &Reply) -> io::Result<()> {
    let mut line = serde_json::to_vec(reply)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

fn too_long() -> Fault {
    Fault::invalid(format!("a line has {} MiB at most: send less at once", MAX_LINE >> 20), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_refused_and_the_next_one_read() {
        let mut input = vec![b'x'; MAX_LINE + 1];
        input.extend_from_slice(b"\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
        let mut lines = Lines::new(io::Cursor::new(input), Vec::new());
        assert!(matches!(lines.receive().await, Some(JsonRpcMessage::Request(_))));
        let said = lines.output.lock().await.clone();
        assert!(String::from_utf8(said).unwrap().contains("send less at once"));
    }
}
