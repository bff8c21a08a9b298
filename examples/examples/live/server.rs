//! A server on this machine that answers as a script says: with delays, cuts, errors and resets.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What one connection gets.
#[derive(Debug, Clone)]
pub(crate) enum Scripted {
    /// A whole response: status, further header lines, body.
    Whole(u16, &'static str, String),
    /// A stream in pieces, each after a delay in milliseconds.
    Stream(Vec<(u64, String)>),
    /// A stream whose connection is closed after these pieces.
    Cut(Vec<(u64, String)>),
    /// The same, and the connection is reset.
    Reset(Vec<(u64, String)>),
}

/// A request as the server has got it.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) at: Duration,
    pub(crate) head: String,
    /// `Null` where the server did not read it.
    pub(crate) body: Value,
}

#[derive(Debug)]
pub(crate) struct Server {
    pub(crate) url: String,
    thread: JoinHandle<Vec<Heard>>,
}

impl Server {
    /// Answers one connection for each line of the script.
    pub(crate) fn start(script: Vec<Scripted>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let url = format!("http://{}", listener.local_addr().expect("the listener has one"));
        let thread = thread::spawn(move || {
            let began = Instant::now();
            script.into_iter().map(|scripted| serve(accept(&listener), scripted, began)).collect()
        });
        Self { url, thread }
    }

    /// The requests, once all of the script was asked for.
    pub(crate) fn heard(self) -> Vec<Heard> {
        self.thread.join().expect("the script was served")
    }
}

/// The next connection. Nobody waits for one that never comes.
fn accept(listener: &TcpListener) -> TcpStream {
    listener.set_nonblocking(true).expect("the listener is open");
    for _ in 0..12_000 {
        match listener.accept() {
            Ok((stream, _)) => {
                stream.set_nonblocking(false).expect("the socket is open");
                return stream;
            }
            Err(_) => thread::sleep(Duration::from_millis(10)),
        }
    }
    panic!("the client asks less often than the script says")
}

fn serve(mut stream: TcpStream, scripted: Scripted, began: Instant) -> Heard {
    stream.set_nodelay(true).expect("the socket is open");
    // A socket that is closed with bytes unread is reset.
    let (head, body) = read(&mut stream, !matches!(scripted, Scripted::Reset(_)));
    let heard = Heard { at: began.elapsed(), head, body };
    // A client that goes away first is as good as one that has read all.
    let _ = answer(&mut stream, scripted);
    heard
}

fn answer(stream: &mut TcpStream, scripted: Scripted) -> std::io::Result<()> {
    let head =
        |status: u16, more: &str| format!("HTTP/1.1 {status} Scripted\r\nconnection: close\r\n{more}\r\n");
    let events = "content-type: text/event-stream; charset=utf-8\r\ntransfer-encoding: chunked\r\n";
    let (pieces, is_whole) = match scripted {
        Scripted::Whole(status, more, body) => {
            let more = format!("content-type: application/json\r\ncontent-length: {}\r\n{more}", body.len());
            return stream.write_all((head(status, &more) + &body).as_bytes());
        }
        Scripted::Stream(pieces) => (pieces, true),
        Scripted::Cut(pieces) | Scripted::Reset(pieces) => (pieces, false),
    };
    stream.write_all(head(200, events).as_bytes())?;
    for (delay, piece) in pieces {
        thread::sleep(Duration::from_millis(delay));
        stream.write_all(format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes())?;
    }
    if is_whole { stream.write_all(b"0\r\n\r\n") } else { Ok(()) }
}

/// The head, and the body if that is wanted.
fn read(stream: &mut TcpStream, whole: bool) -> (String, Value) {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).expect("a whole head");
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("a head is text").to_lowercase();
    if !whole {
        return (head, Value::Null);
    }
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.expect("a length").parse().expect("a number")];
    stream.read_exact(&mut body).expect("a whole body");
    (head, serde_json::from_slice(&body).expect("JSON"))
}

/// An answer as Anthropic streams it, in pieces.
pub(crate) fn stream(stop_reason: &str, blocks: &[Value], delay: u64) -> Vec<(u64, String)> {
    let mut frames = vec![json!({"type": "message_start", "message": {"usage": {"input_tokens": 100}}})];
    for (index, block) in blocks.iter().enumerate() {
        let (mut start, delta) = (
            block.clone(),
            match block["type"].as_str() {
                Some("text") => json!({"type": "text_delta", "text": block["text"]}),
                _ => json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}),
            },
        );
        let (field, empty) = if block["type"] == "text" { ("text", json!("")) } else { ("input", json!({})) };
        start[field] = empty;
        frames.extend([
            json!({"type": "content_block_start", "index": index, "content_block": start}),
            json!({"type": "content_block_delta", "index": index, "delta": delta}),
            json!({"type": "content_block_stop", "index": index}),
        ]);
    }
    let usage = json!({"output_tokens": 20});
    frames.push(json!({"type": "message_delta", "delta": {"stop_reason": stop_reason}, "usage": usage}));
    frames.push(json!({"type": "message_stop"}));
    let text: String = frames
        .iter()
        .map(|frame| format!("event: {}\ndata: {frame}\n\n", frame["type"].as_str().unwrap_or_default()))
        .collect();
    pieces(&text, delay)
}

/// Bytes of a stream in pieces that end anywhere between two characters.
pub(crate) fn pieces(text: &str, delay: u64) -> Vec<(u64, String)> {
    let characters: Vec<char> = text.chars().collect();
    characters.chunks(97).map(|piece| (delay, piece.iter().collect())).collect()
}
