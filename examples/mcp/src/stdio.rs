//! Messages over standard input and output, a line each.
//!
//! * A line that is no message gets the protocol's error, with the id that it has: broken JSON, a batch, a line that is too
//!   long. The rest of the input is answered all the same.
//! * Before a client has begun, notifications mean nothing and are dropped.
//! * At the end of the input, requests that are on their way are answered first.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientRequest, ErrorCode, ErrorData, GetMeta as _, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader};
use tokio::sync::{Mutex, Notify};

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
}

/// Requests that are not answered yet.
#[derive(Debug, Default)]
struct Open {
    requests: AtomicUsize,
    is_at_end: AtomicBool,
    changed: Notify,
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
        }
    }

    /// The next line in `self.line`: `Some(true)` whole, `Some(false)` too long, `None` at the end. Nothing is lost where
    /// the future is dropped.
    async fn read(&mut self) -> io::Result<Option<bool>> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                return Ok(None);
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

    /// Whether the service may see a message. Until a client has begun, it takes a notification for the end.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        if let JsonRpcMessage::Request(request) = message {
            self.has_begun |= match &request.request {
                ClientRequest::InitializeRequest(_) => true,
                ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
                other => other.get_meta().protocol_version().is_some(),
            };
            return true;
        }
        self.has_begun
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
            let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
            let sent = write(&output, &message).await;
            if is_answer {
                open.close();
            }
            sent
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let Ok(Some(read)) = self.read().await else {
                self.open.drain().await;
                return None;
            };
            let line = std::mem::take(&mut self.line);
            let parsed = if read { parse(&line) } else { Err(too_long()) };
            // The room is used again, unless it was for a rare long line.
            if line.capacity() <= 1 << 20 {
                self.line = line;
                self.line.clear();
            }
            match parsed {
                Ok(Some(message)) => {
                    if !self.admits(&message) {
                        continue;
                    }
                    if matches!(message, JsonRpcMessage::Request(_)) {
                        self.open.requests.fetch_add(1, Ordering::AcqRel);
                    }
                    return Some(message);
                }
                Ok(None) => {}
                Err((error, id)) => {
                    let message = ServerJsonRpcMessage::error(error, id);
                    if write(&self.output, &message).await.is_err() {
                        return None;
                    }
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.output.lock().await.flush().await
    }
}

impl Open {
    fn close(&self) {
        let less = |count: usize| Some(count.saturating_sub(1));
        let _ = self.requests.fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
        if self.is_at_end.load(Ordering::Acquire) {
            self.changed.notify_one();
        }
    }

    /// Waits until all requests are answered. Those that are answered by whatever happens later end with the process.
    async fn drain(&self) {
        self.is_at_end.store(true, Ordering::Release);
        let answered = async {
            while self.requests.load(Ordering::Acquire) > 0 {
                self.changed.notified().await;
            }
        };
        drop(tokio::time::timeout(GRACE, answered).await);
    }
}

async fn write<W: AsyncWrite + Unpin>(
    output: &Mutex<W>,
    message: &TxJsonRpcMessage<RoleServer>,
) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    output.write_all(&line).await?;
    output.flush().await
}

type Fault = (ErrorData, Option<RequestId>);

/// Reads a line: `None` where it is empty, or a notification that nobody knows.
fn parse(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Fault> {
    let line = line.trim_ascii();
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    if line.is_empty() {
        return Ok(None);
    }
    if let Ok(message) = serde_json::from_slice(line) {
        return Ok(Some(message));
    }
    let value: Value = serde_json::from_slice(line).map_err(|error| {
        let message = format!("the line is no JSON ({error}): send one message a line");
        (ErrorData::new(ErrorCode::PARSE_ERROR, message, None), None)
    })?;
    let invalid = |message: &'static str, id| Err((ErrorData::invalid_request(message, None), id));
    let Value::Object(fields) = value else {
        return invalid("a line is one message, as an object: send the messages of a batch one by one", None);
    };
    let id = match fields.get("id") {
        Some(Value::String(id)) => Some(RequestId::String(id.as_str().into())),
        Some(Value::Number(id)) => id.as_i64().map(RequestId::Number),
        _ => None,
    };
    match (fields.get("method"), fields.contains_key("id")) {
        (Some(Value::String(_)), false) => Ok(None),
        _ => invalid("the message has not the shape of its method: see the protocol's schema", id),
    }
}

fn too_long() -> Fault {
    let message = format!("a line has {} MiB at most: send less at once", MAX_LINE >> 20);
    (ErrorData::invalid_request(message, None), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_no_messages() {
        for (line, code, id) in [
            ("{", ErrorCode::PARSE_ERROR, None),
            ("no JSON", ErrorCode::PARSE_ERROR, None),
            ("[]", ErrorCode::INVALID_REQUEST, None),
            (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, ErrorCode::INVALID_REQUEST, None),
            ("7", ErrorCode::INVALID_REQUEST, None),
            (
                r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
                ErrorCode::INVALID_REQUEST,
                Some(RequestId::Number(3)),
            ),
            (r#"{"id":"a"}"#, ErrorCode::INVALID_REQUEST, Some(RequestId::String("a".into()))),
        ] {
            let (error, told) = parse(line.as_bytes()).expect_err(line);
            assert_eq!((error.code, told), (code, id), "{line}");
        }
    }

    #[test]
    fn lines_that_mean_nothing() {
        for line in ["", " \r", "\u{feff}", r#"{"jsonrpc":"2.0","method":7.5,"params":[]}"#] {
            let parsed = parse(line.as_bytes());
            assert!(matches!(parsed, Ok(None)) || line.contains("7.5"), "{line:?}");
        }
    }

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
