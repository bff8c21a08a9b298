//! A client that can send what no browser does. The tests of the server use it too.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Bounds a hang. No result depends on it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The handshake of a WebSocket.
pub(crate) fn handshake(path: &str, host: &str, origin: Option<&str>) -> String {
    let origin = origin.map(|origin| format!("Origin: {origin}\r\n")).unwrap_or_default();
    format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\n{origin}Upgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
}

/// What comes from the other side.
#[derive(Debug, PartialEq)]
pub(crate) enum Frame {
    Text(String),
    Close(u16),
    Ping,
    Pong,
    /// The connection is over.
    End,
}

/// A client of the socket.
pub(crate) struct Client {
    stream: TcpStream,
    buffer: Vec<u8>,
    /// The pieces of a text that is not whole yet.
    pieces: Vec<u8>,
    sent: u64,
    /// Events that came while an answer was waited for.
    pub(crate) events: Vec<Value>,
}

impl Client {
    pub(crate) async fn connect(port: u16) -> Self {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
        let host = format!("127.0.0.1:{port}");
        let request = handshake("/ws", &host, Some(&format!("http://{host}")));
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut client = Self { stream, buffer: Vec::new(), pieces: Vec::new(), sent: 0, events: Vec::new() };
        let head = loop {
            if let Some(end) = client.buffer.windows(4).position(|four| four == b"\r\n\r\n") {
                break client.buffer.drain(..end + 4).collect::<Vec<u8>>();
            }
            assert!(client.fill().await, "the connection ends within the handshake");
        };
        let head = String::from_utf8(head).unwrap();
        assert!(head.starts_with("HTTP/1.1 101"), "{head}");
        client
    }

    async fn fill(&mut self) -> bool {
        let mut chunk = [0; 16 << 10];
        match timeout(PATIENCE, self.stream.read(&mut chunk)).await.expect("nothing comes") {
            Ok(0) | Err(_) => false,
            Ok(count) => {
                self.buffer.extend_from_slice(&chunk[..count]);
                true
            }
        }
    }

    /// Sends a frame: its first byte and its payload.
    pub(crate) async fn send(&mut self, first: u8, payload: &[u8]) -> std::io::Result<()> {
        let mut frame = vec![first];
        match payload.len() {
            length @ 0..126 => frame.push(0x80 | length as u8),
            length @ 126..65_536 => {
                frame.push(0x80 | 126);
                frame.extend((length as u16).to_be_bytes());
            }
            length => {
                frame.push(0x80 | 127);
                frame.extend((length as u64).to_be_bytes());
            }
        }
        let mask = [1, 2, 3, 4];
        frame.extend(mask);
        frame.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, mask)| byte ^ mask));
        self.stream.write_all(&frame).await
    }

    pub(crate) async fn text(&mut self, text: &str) {
        self.send(0x81, text.as_bytes()).await.unwrap();
    }

    pub(crate) async fn frame(&mut self) -> Frame {
        loop {
            if let Some((first, length, start)) = head(&self.buffer)
                && self.buffer.len() >= start + length
            {
                let frame: Vec<u8> = self.buffer.drain(..start + length).collect();
                let payload = &frame[start..];
                return match first & 0x0F {
                    0 | 1 => {
                        self.pieces.extend_from_slice(payload);
                        if first & 0x80 == 0 {
                            continue;
                        }
                        Frame::Text(String::from_utf8(std::mem::take(&mut self.pieces)).unwrap())
                    }
                    8 => Frame::Close(
                        payload.get(..2).map_or(1005, |code| u16::from_be_bytes(code.try_into().unwrap())),
                    ),
                    9 => {
                        let payload = payload.to_vec();
                        self.send(0x8A, &payload).await.ok();
                        Frame::Ping
                    }
                    10 => Frame::Pong,
                    other => panic!("a frame of kind {other}"),
                };
            }
            if !self.fill().await {
                return Frame::End;
            }
        }
    }

    /// The next message.
    pub(crate) async fn message(&mut self) -> Value {
        loop {
            match self.frame().await {
                Frame::Text(text) => return serde_json::from_str(&text).unwrap(),
                Frame::Ping | Frame::Pong => {}
                end => panic!("the connection ended: {end:?}"),
            }
        }
    }

    /// Sends a request under a name, and gives the answer.
    pub(crate) async fn ask_as(&mut self, id: &str, method: &str, mut params: Value) -> Value {
        if method != "hello" && method != "canvas.list" && params.get("canvasId").is_none() {
            params["canvasId"] = "studio".into();
        }
        self.text(&json!({"type": "req", "id": id, "method": method, "params": params}).to_string()).await;
        self.answer(id).await
    }

    /// The answer to a request.
    pub(crate) async fn answer(&mut self, id: &str) -> Value {
        loop {
            let message = self.message().await;
            if message["type"] == "res" && message["id"] == id {
                return message;
            }
            self.events.push(message);
        }
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.sent += 1;
        let id = format!("r{}", self.sent);
        self.ask_as(&id, method, params).await
    }

    /// The result of a request that must go well.
    pub(crate) async fn ok(&mut self, method: &str, params: Value) -> Value {
        let answer = self.ask(method, params).await;
        assert_eq!(answer["ok"], true, "{method}: {answer}");
        answer["result"].clone()
    }

    /// The code of a request that must fail.
    pub(crate) async fn code(&mut self, method: &str, params: Value) -> String {
        let answer = self.ask(method, params).await;
        assert_eq!(answer["ok"], false, "{method}: {answer}");
        answer["error"]["code"].as_str().unwrap().to_owned()
    }

    /// The next event of a name, among those that came already first.
    pub(crate) async fn event(&mut self, name: &str) -> Value {
        if let Some(at) = self.events.iter().position(|event| event["event"] == name) {
            return self.events.remove(at)["payload"].clone();
        }
        loop {
            let message = self.message().await;
            if message["event"] == name {
                return message["payload"].clone();
            }
            self.events.push(message);
        }
    }

    pub(crate) async fn text_of(&mut self) -> (String, String) {
        let document = self.ok("canvas.get", json!({})).await["document"].clone();
        let text = |name: &str| document[name].as_str().unwrap().to_owned();
        (text("markdown"), text("revisionId"))
    }
}

/// First byte, length and begin of the payload of a frame.
fn head(buffer: &[u8]) -> Option<(u8, usize, usize)> {
    let (&first, &second) = (buffer.first()?, buffer.get(1)?);
    Some(match second & 0x7F {
        126 => (first, u16::from_be_bytes(buffer.get(2..4)?.try_into().ok()?).into(), 4),
        127 => (first, u64::from_be_bytes(buffer.get(2..10)?.try_into().ok()?) as usize, 10),
        length => (first, length.into(), 2),
    })
}
