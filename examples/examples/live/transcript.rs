//! What happens in a turn, a line at a time.

use std::io::{self, Write};
use std::time::Instant;

use canvas_providers::{LogEvent, StreamEvent, TurnEvent};

/// Maximum characters of a line that come from a model or a reply.
const WIDTH: usize = 96;

/// Prints what happens.
#[derive(Debug)]
pub(crate) struct Transcript<W> {
    out: W,
    began: Instant,
    /// What the answer that is coming has said so far.
    said: String,
    thought: usize,
    /// The first write that failed. The turn goes on.
    failure: Option<io::Error>,
}

impl<W: Write> Transcript<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, began: Instant::now(), said: String::new(), thought: 0, failure: None }
    }

    pub(crate) fn line(&mut self, who: &str, text: &str) {
        let seconds = self.began.elapsed().as_secs_f64();
        let text = text.replace('\n', " ");
        let shown: String = text.chars().take(WIDTH).filter(|c| !c.is_control()).collect();
        let more = if text.chars().count() > WIDTH { "…" } else { "" };
        self.write(&format!("{seconds:>7.2} s  {who:<9} {shown}{more}\n"));
    }

    /// A text as it is, indented.
    pub(crate) fn block(&mut self, text: &str) {
        for line in text.lines() {
            self.write(&format!("           | {line}\n"));
        }
    }

    pub(crate) fn take(&mut self, event: &TurnEvent<'_>) {
        match event {
            TurnEvent::Stream(StreamEvent::Text { delta, .. }) => self.said.push_str(delta),
            TurnEvent::Stream(StreamEvent::Thinking { delta, .. }) => self.thought += delta.chars().count(),
            TurnEvent::Stream(_) => {}
            TurnEvent::Retry { code, message, after } => {
                if !std::mem::take(&mut self.said).is_empty() {
                    self.line("model", "(what came of the answer is void)");
                }
                self.line("retry", &format!("after {} ms: {code}: {message}", after.as_millis()));
            }
            TurnEvent::Reply(call, reply) => {
                let ended = reply.code().map_or_else(|| "ok".to_owned(), |code| format!("refused: {code}"));
                self.line("call", &format!("{} {} -> {ended}", call.name, call.arguments));
            }
            TurnEvent::Log(entry) => match &entry.event {
                LogEvent::Request => self.line("request", &format!("number {}", entry.step)),
                LogEvent::Response { raw_stop_reason, calls, usage, failure } => {
                    let (said, thought) = (std::mem::take(&mut self.said), std::mem::take(&mut self.thought));
                    if thought > 0 {
                        self.line("model", &format!("(thought {thought} characters)"));
                    }
                    if !said.trim().is_empty() {
                        self.line("model", said.trim());
                    }
                    let finish = raw_stop_reason.as_deref().unwrap_or("none");
                    let broken = failure.map(|code| format!(", {code}")).unwrap_or_default();
                    let tokens = format!("{} + {} tokens", usage.input_tokens, usage.output_tokens);
                    self.line("answer", &format!("{calls} calls, finish {finish}, {tokens}{broken}"));
                }
                LogEvent::NotExecuted { call_id, code } => {
                    self.line("call", &format!("{call_id} did not run: {code}"))
                }
                LogEvent::Renew { lease_id } => self.line("lease", &format!("{lease_id} renewed")),
                LogEvent::Release { lease_id } => self.line("lease", &format!("{lease_id} released")),
                _ => {}
            },
            _ => {}
        }
    }

    /// The end of the output.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        match self.failure.take() {
            Some(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(e),
            _ => Ok(()),
        }
    }

    fn write(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = self.out.write_all(text.as_bytes()).and_then(|()| self.out.flush()).err();
        }
    }
}
