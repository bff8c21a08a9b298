//! A client that speaks lines, and folders that vanish.

use std::ffi::OsStr;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Bounds a hang. No result depends on it.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Makes a lease outlive its test, however slow the machine is. A test may give another one after it.
pub(crate) const LONG_LEASE: [&str; 2] = ["--ttl", "86400"];

/// The built server.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_canvas-mcp");

/// What shows pages.
pub(crate) fn pages() -> Value {
    json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}})
}

/// A server and the pipe to it.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    /// Messages that have come, and that nobody has looked at.
    pub(crate) told: Vec<Value>,
    next: i64,
    /// How a model uses the tools.
    pub(crate) instructions: String,
}

impl Client {
    /// A server that has been asked nothing yet.
    pub(crate) fn spawn(arguments: &[&str]) -> Self {
        Self::spawn_program(Path::new(PROGRAM), arguments)
    }

    fn spawn_program(program: &Path, arguments: &[impl AsRef<OsStr>]) -> Self {
        let mut child = Command::new(program)
            .args(LONG_LEASE)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), child.stdout.take().unwrap());
        let (send, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, input, lines, told: Vec::new(), next: 1, instructions: String::new() }
    }

    /// A server with a client of 2025-11-25.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        Self::start_as("test", json!({}), arguments)
    }

    /// The same for a client of this name, which can do this.
    pub(crate) fn start_as(name: &str, capabilities: Value, arguments: &[&str]) -> Self {
        Self::spawn(arguments).greet(name, capabilities)
    }

    /// The same for another program, which starts the server.
    pub(crate) fn start_program(program: &Path, arguments: &[impl AsRef<OsStr>]) -> Self {
        Self::spawn_program(program, arguments).greet("test", json!({}))
    }

    fn greet(self, name: &str, capabilities: Value) -> Self {
        let mut client = self;
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": capabilities,
            "clientInfo": {"name": name, "version": "1"},
        });
        let told = client.ask("initialize", params).unwrap();
        client.instructions = told["instructions"].as_str().unwrap().to_owned();
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    /// Sends a line as it is. A server that has gone hears nothing.
    pub(crate) fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        drop(
            input
                .write_all(line.as_bytes())
                .and_then(|()| input.write_all(b"\n"))
                .and_then(|()| input.flush()),
        );
    }

    /// Sends a text that no newline ends, and closes the pipe.
    pub(crate) fn send_bare(&mut self, text: &str) {
        let input = self.input.as_mut().unwrap();
        drop(input.write_all(text.as_bytes()).and_then(|()| input.flush()));
        self.end_input();
    }

    /// The next message.
    pub(crate) fn message(&mut self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("the server says something");
        serde_json::from_str(&line).expect("a line is JSON")
    }

    /// Sends a request, and gives its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        id
    }

    /// The answer to a request: its result, or its error. Notifications before it are kept.
    pub(crate) fn answer(&mut self, id: i64) -> Result<Value, Value> {
        let mut message = self.hear(|message| message["id"] == id && message.get("method").is_none());
        match message.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(message["result"].take()),
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Calls a tool, and gives the result.
    pub(crate) fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": name, "arguments": arguments})).unwrap()
    }

    /// Calls a tool that has to succeed, and gives its structured content.
    pub(crate) fn done(&mut self, name: &str, arguments: Value) -> Value {
        let mut result = self.call(name, arguments);
        assert_eq!(result["isError"], false, "{name}: {result}");
        result["structuredContent"].take()
    }

    /// Calls a tool that has to be refused, and gives the code.
    pub(crate) fn refused(&mut self, name: &str, arguments: Value) -> String {
        let result = self.call(name, arguments);
        assert_eq!(result["isError"], true, "{name}: {result}");
        result["structuredContent"]["error"]["code"].as_str().unwrap().to_owned()
    }

    /// Checks out, and gives the lease.
    pub(crate) fn check_out(&mut self) -> Value {
        self.done("canvas_check_out", json!({}))["lease_id"].take()
    }

    /// What a resource reads.
    pub(crate) fn read(&mut self, uri: &str) -> String {
        let read = self.ask("resources/read", json!({"uri": uri})).unwrap();
        read["contents"][0]["text"].as_str().unwrap().to_owned()
    }

    /// The text of a resource, if there is one.
    pub(crate) fn try_read(&mut self, uri: &str) -> Option<String> {
        let read = self.ask("resources/read", json!({"uri": uri})).ok()?;
        read["contents"][0]["text"].as_str().map(str::to_owned)
    }

    /// Waits for a message, among those that nobody has looked at first. The others are kept.
    pub(crate) fn hear(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        loop {
            if let Some(place) = self.told.iter().position(&is_it) {
                return self.told.remove(place);
            }
            let message = self.message();
            self.told.push(message);
        }
    }

    /// Waits for the notification that a resource has changed.
    pub(crate) fn hear_update(&mut self, uri: &str) {
        self.hear(|told| told["method"] == "notifications/resources/updated" && told["params"]["uri"] == uri);
    }

    /// Closes the pipe.
    pub(crate) fn end_input(&mut self) {
        self.input = None;
    }

    /// Closes the pipe, and gives all that the server says until it ends.
    pub(crate) fn rest(&mut self) -> Vec<Value> {
        self.end_input();
        let mut rest = std::mem::take(&mut self.told);
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => rest.push(serde_json::from_str(&line).expect("a line is JSON")),
                Err(RecvTimeoutError::Disconnected) => return rest,
                Err(RecvTimeoutError::Timeout) => panic!("the server does not end"),
            }
        }
    }

    /// Closes the pipe, and waits for the end of the server.
    pub(crate) fn close(mut self) -> ExitStatus {
        self.input = None;
        self.wait()
    }

    /// Tells the server to end, and waits.
    pub(crate) fn terminate(mut self) -> ExitStatus {
        let told = Command::new("kill").arg(self.child.id().to_string()).status().unwrap();
        assert!(told.success());
        self.wait()
    }

    /// Kills the server without a word.
    pub(crate) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn wait(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "the server does not end");
            thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A test that fails leaves no server behind.
impl Drop for Client {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A folder of a test.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("canvas-mcp-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The path of a file in it, as an argument.
    pub(crate) fn file(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).unwrap()
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(std::fs::remove_dir_all(&self.0));
    }
}
