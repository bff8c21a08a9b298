//! The servers as processes: this program again, with orders on their input and words on their output.

use std::env;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::sync::mpsc::unbounded_channel;

use crate::story::{Order, Part, Place, Player, Told, Word, serve, with_causes};

/// Where a server finds the connection string: others may see its arguments, and it may hold a password.
pub(crate) const CONNECTION: &str = "CANVAS_POSTGRES";

/// A server's process. Whatever happens, it does not outlive this.
pub(crate) struct Process(Child);

impl Process {
    /// Starts a server.
    pub(crate) fn start(part: &Part, connection: &str, schema: &str) -> io::Result<(Self, Player)> {
        let mut child = Command::new(env::current_exe()?)
            .args(["--server", part.name, "--schema", schema])
            .env(CONNECTION, connection)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let process = Self(child);
        let (Some(mut input), Some(output)) = (input, output) else {
            return Err(io::Error::other("the server has no input or output"));
        };
        let (say, words) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                let at = Instant::now();
                let word = serde_json::from_str(&line)
                    .unwrap_or_else(|e| Word::Failed(format!("it says {line:?} ({e})")));
                if say.send((at, word)).is_err() {
                    break;
                }
            }
        });
        let orders = Box::new(move |order| write_order(&mut input, order));
        Ok((process, Player { orders, words }))
    }
}

fn write_order(input: &mut ChildStdin, order: Order) -> io::Result<()> {
    let line = serde_json::to_string(&order)?;
    writeln!(input, "{line}")?;
    input.flush()
}

impl Drop for Process {
    /// Lets it end by itself, which it does once its input has ended, and kills it if it does not.
    fn drop(&mut self) {
        let patience = Instant::now() + Duration::from_secs(1);
        while Instant::now() < patience {
            if matches!(self.0.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(5));
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Plays one server in this process, until the input ends.
pub(crate) fn play(part: &'static Part, place: &Place) -> Told {
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
    let played = runtime.block_on(serve(part, place, orders, Box::new(say)));
    if let Err(problem) = &played {
        say(Word::Failed(with_causes(problem.as_ref())));
    }
    played
}

/// A stage that is gone is noticed by the end of the input.
fn say(word: Word) {
    let mut out = io::stdout().lock();
    if let Ok(line) = serde_json::to_string(&word) {
        let _ = writeln!(out, "{line}").and_then(|()| out.flush());
    }
}
