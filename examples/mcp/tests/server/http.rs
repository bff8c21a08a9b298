//! Streamable HTTP: who may ask, how much, and in whose name.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{LONG_LEASE, PATIENCE};

pub(crate) struct Server {
    child: Child,
    pub(crate) address: String,
}

pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) session: Option<String>,
    /// The media type.
    pub(crate) media: String,
    pub(crate) body: String,
}

impl Answer {
    /// The messages, whether they came as JSON or as events.
    pub(crate) fn messages(&self) -> Vec<Value> {
        let json = self.body.lines().map(|line| line.strip_prefix("data:").unwrap_or(line));
        let parsed = json.filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok());
        parsed.filter(|message| message.is_object() || message.is_array()).collect()
    }
}

impl Server {
    pub(crate) fn start() -> Self {
        Self::start_with(&[])
    }

    pub(crate) fn start_with(arguments: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_canvas-mcp"))
            .args(LONG_LEASE)
            .args(["--http", "127.0.0.1:0"])
            .args(arguments)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp")).unwrap();
        Self { address: address.to_owned(), child }
    }

    /// Sends a request with these headers, and reads until the end of the answer or of a first event.
    pub(crate) fn post(&self, headers: &[(&str, &str)], body: &str) -> Answer {
        self.send("POST", headers, body)
    }

    pub(crate) fn send(&self, method: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = self.open(method, headers, body);
        let mut text = Vec::new();
        drop(stream.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text).into_owned();
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
        let header = |wanted: &str| {
            head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case(wanted).then(|| value.trim().to_owned())
            })
        };
        let media = header("content-type").unwrap_or_default();
        Answer { status, session: header("mcp-session-id"), media, body: body.to_owned() }
    }

    /// Sends a request and reads nothing. A header takes the place of the usual one of its name, which an empty value leaves
    /// out.
    pub(crate) fn open(&self, method: &str, headers: &[(&str, &str)], body: &str) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let usual = [
            ("Host", self.address.as_str()),
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
        ];
        let is_usual = |name: &str| !headers.iter().any(|(given, _)| *given == name);
        let usual = usual.into_iter().filter(|(name, _)| is_usual(name));
        let mut head = format!("{method} /mcp HTTP/1.1\r\n");
        for (name, value) in usual.chain(headers.iter().copied()).filter(|(_, value)| !value.is_empty()) {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Connection: close\r\nContent-Length: {}\r\n\r\n", body.len()));
        // Sent at once, so that a server which refuses by the head has the body too. One that refuses the body may close
        // before it has read all of it.
        drop(stream.write_all((head + body).as_bytes()));
        stream
    }

    fn initialize(&self, headers: &[(&str, &str)]) -> Answer {
        self.initialize_as("2025-11-25", headers)
    }

    pub(crate) fn initialize_as(&self, version: &str, headers: &[(&str, &str)]) -> Answer {
        let params = json!({
            "protocolVersion": version, "capabilities": {"sampling": {}},
            "clientInfo": {"name": "test", "version": "1"},
        });
        self.post(headers, &request("initialize", params))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

fn request(method: &str, params: Value) -> String {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).to_string()
}

#[test]
fn foreign_hosts_and_origins_are_refused() {
    let server = Server::start();
    for (headers, status) in [
        (&[][..], 200),
        (&[("Origin", "http://localhost:3000")], 200),
        (&[("Origin", "http://127.0.0.1")], 200),
        (&[("Origin", "https://evil.example")], 403),
        (&[("Origin", "http://localhost.evil.example")], 403),
        (&[("Origin", "null")], 403),
        (&[("Host", "evil.example")], 403),
        (&[("Host", "localhost")], 200),
    ] {
        assert_eq!(server.initialize(headers).status, status, "{headers:?}");
    }
}

#[test]
fn bodies_that_are_too_large_or_no_messages_are_refused() {
    let server = Server::start();
    let body = request("ping", json!({"x": "x".repeat(100 << 20)}));
    assert!(matches!(server.post(&[], &body).status, 413 | 0), "100 MB");
    for body in ["", "{", "[]", "7", r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#] {
        let status = server.post(&[], body).status;
        assert!((400..500).contains(&status), "{body:?}: {status}");
    }
    assert_eq!(server.initialize(&[]).status, 200, "the server goes on");
}

#[test]
fn a_session_is_its_clients_alone() {
    let server = Server::start();
    let session = server.initialize(&[]).session.expect("a session");
    let listed = server.post(&[("Mcp-Session-Id", &session)], &request("tools/list", json!({})));
    assert!(listed.status == 200 && listed.body.contains("canvas_check_out"));
    for id in ["nothing", "00000000-0000-0000-0000-000000000000", &session[1..]] {
        let status = server.post(&[("Mcp-Session-Id", id)], &request("tools/list", json!({}))).status;
        assert_eq!(status, 404, "{id}");
    }
}

#[test]
fn a_session_that_ends_gives_its_lease_back() {
    let server = Server::start();
    let call = |session: &str| {
        let params = json!({"name": "canvas_check_out", "arguments": {}});
        server.post(&[("Mcp-Session-Id", session)], &request("tools/call", params)).body
    };
    let one = server.initialize(&[]).session.expect("a session");
    let two = server.initialize(&[]).session.expect("a session");
    assert!(call(&one).contains("lease-1-0"));
    assert!(call(&two).contains("LOCK_NOT_AVAILABLE"));
    assert_eq!(server.send("DELETE", &[("Mcp-Session-Id", &one)], "").status, 204);
    // By itself the lease would live for a day.
    let end = Instant::now() + PATIENCE;
    while call(&two).contains("LOCK_NOT_AVAILABLE") {
        assert!(Instant::now() < end, "the lease lives on");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn there_are_no_more_sessions_than_a_number() {
    let server = Server::start();
    let opened = (0..256).filter(|_| server.initialize(&[]).session.is_some()).count();
    assert_eq!(opened, 256);
    let refused = server.initialize(&[]);
    assert!(refused.status >= 500 && refused.session.is_none(), "{}", refused.status);
}

#[test]
fn two_clients_without_a_session_are_two() {
    let server = Server::start();
    let call = |name: &str, arguments: Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "same", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({"name": name, "arguments": arguments, "_meta": meta});
        let headers =
            [("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", "tools/call"), ("Mcp-Name", name)];
        let answer = server.post(&headers, &request("tools/call", params));
        let json = answer.body.lines().filter_map(|line| line.strip_prefix("data:").or(Some(line)));
        let mut parsed = json.filter_map(|line| serde_json::from_str::<Value>(line.trim()).ok());
        let found = parsed.rfind(|message| message.get("result").is_some());
        found.unwrap_or_else(|| panic!("{} {}", answer.status, answer.body))["result"]["structuredContent"]
            .clone()
    };
    let taken = call("canvas_check_out", json!({}));
    let lease = &taken["lease_id"];
    let refused = call("canvas_check_out", json!({}));
    assert_eq!(refused["error"]["code"], "LOCK_NOT_AVAILABLE", "{refused}");
    assert!(refused["error"].get("lease_id").is_none(), "nobody is given another's lease: {refused}");
    let patched =
        call("canvas_apply_patch", json!({"lease_id": lease, "patch": "@@\n # Notes\n+\n+- one\n"}));
    assert_eq!(patched["ok"], true, "{patched}");
    assert_eq!(call("canvas_check_in", json!({"lease_id": lease}))["ok"], true);
    assert_eq!(call("canvas_check_out", json!({}))["ok"], true);
}
