//! The servers as processes: this program again, with orders on their input and events on their output.

use std::env;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::mpsc::unbounded_channel;

use crate::story::{
    Database, Order, ServerEvent, ServerHandle, ServerScript, StoryResult, serve, with_causes,
};

/// The variable with a server's connection string, which may hold a password: other users may see arguments.
pub(crate) const CONNECTION: &str = "CANVAS_POSTGRES";

/// A server's process, which ends with the value.
pub(crate) struct Process(Child);

impl Process {
    /// Starts a server.
    pub(crate) fn start(
        script: &ServerScript,
        connection: &str,
        schema: &str,
    ) -> io::Result<(Self, ServerHandle)> {
        let mut child = Command::new(env::current_exe()?)
            .args(["--server", script.name, "--schema", schema])
            .env(CONNECTION, connection)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let process = Self(child);
        let (Some(mut input), Some(output)) = (input, output) else {
            return Err(io::Error::other("the server has no input or output"));
        };
        let (sender, events) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let at = Instant::now();
                let event = serde_json::from_str(&line)
                    .unwrap_or_else(|e| ServerEvent::Failed(format!("it wrote {line:?} ({e})")));
                if sender.send((at, event)).is_err() {
                    break;
                }
            }
        });
        let orders = Box::new(move |order| write_order(&mut input, order));
        Ok((process, ServerHandle { orders, events }))
    }
}

fn write_order(input: &mut ChildStdin, order: Order) -> io::Result<()> {
    let line = serde_json::to_string(&order)?;
    writeln!(input, "{line}")?;
    input.flush()
}

impl Drop for Process {
    /// Waits a minute for it to end, as it does at the end of its input, and kills it otherwise.
    fn drop(&mut self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while Instant::now() < deadline {
            if matches!(self.0.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs one server in this process until the input ends.
pub(crate) fn run_server(script: &'static ServerScript, database: &Database) -> StoryResult {
    let (order, orders) = unbounded_channel();
    thread::spawn(move || {
        for line in io::stdin().lines().map_while(Result::ok) {
            match serde_json::from_str(&line) {
                Ok(next) if order.send(next).is_ok() => {}
                _ => break,
            }
        }
    });
    let runtime = Runtime::new()?;
    let result = runtime.block_on(serve(script, database, orders, Box::new(write_event)));
    if let Err(problem) = &result {
        write_event(ServerEvent::Failed(with_causes(problem.as_ref())));
    }
    result
}

/// Failures to write are ignored: without a coordinator the input ends too.
fn write_event(event: ServerEvent) {
    let mut out = io::stdout().lock();
    if let Ok(line) = serde_json::to_string(&event) {
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }
}
