//! The order of the story: the coordinator lets one server take a step, waits for it, and lets the other take the next.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::check::FinalState;
use super::protocol::{CanvasState, Milestone, Refused, Written};
use super::{Host, Order, SCRIPTS, ServerEvent, StoryResult};

/// The coordinator's end of a server.
pub(crate) struct ServerHandle {
    pub(crate) orders: Box<dyn FnMut(Order) -> io::Result<()>>,
    /// What it reports, with the time at which that arrived.
    pub(crate) events: Receiver<(Instant, ServerEvent)>,
}

/// A story under way.
struct Story<'a, W> {
    servers: [ServerHandle; 2],
    out: &'a mut W,
    began: Instant,
    limit: Duration,
    written: Vec<(&'static str, Written)>,
    refused: Vec<(&'static str, Refused)>,
}

const ONE: usize = 0;
const TWO: usize = 1;

/// Runs the story, which may take `limit` from `began` on, prints it and checks its end.
///
/// # Errors
///
/// If a server fails or takes too long, or a check at the end fails.
pub(crate) fn run_story(
    host: &Host,
    servers: [ServerHandle; 2],
    (began, limit): (Instant, Duration),
    out: &mut impl Write,
) -> StoryResult {
    let mut story = Story { servers, out, began, limit, written: Vec::new(), refused: Vec::new() };

    let (version, schema, first) = (host.version(), &host.database().schema, host.first.clone());
    story.note(&format!("PostgreSQL {version}, schema {schema}"))?;
    story.note(&format!("canvas at {}, epoch {}", first.revision, first.epoch))?;
    first.text.lines().try_for_each(|line| story.note(&format!("    | {line}")))?;
    story.note("lease-2-3 is the second lease, issued in epoch 3; each act of a user raises the epoch")?;
    story.note(
        "each line has the time at which its server printed it, so times may be slightly out of order",
    )?;
    for server in [ONE, TWO] {
        story.until(server, Milestone::Ready)?;
    }

    story.title("A model works at server one")?;
    story.order(ONE, Order::Message, Milestone::TurnBegan)?;
    story.order(ONE, Order::Answer, Milestone::OnItsWay)?;

    story.title("A user at server two types, then sends a message")?;
    story.order(TWO, Order::Type, Milestone::Typed)?;
    story.until(ONE, Milestone::HeardTyping)?;
    story.order(TWO, Order::Message, Milestone::TurnBegan)?;
    story.until(ONE, Milestone::Stopped)?;
    story.order(ONE, Order::ReleaseCommit, Milestone::TurnEnded)?;

    story.title("The model of server two goes on from there")?;
    story.order(TWO, Order::Answer, Milestone::TurnEnded)?;

    story.title("What is left")?;
    let shown = [story.report(ONE)?, story.report(TWO)?];
    let Story { out, written, refused, .. } = story;
    FinalState { first, shown, stored: host.look()?, written, refused }.show_and_check(out)
}

impl<W: Write> Story<'_, W> {
    /// Lets a server take a step.
    fn order(&mut self, server: usize, order: Order, milestone: Milestone) -> StoryResult {
        self.send(server, order)?;
        self.until(server, milestone)
    }

    fn send(&mut self, server: usize, order: Order) -> StoryResult {
        (self.servers[server].orders)(order)
            .map_err(|e| format!("server {} takes no more orders ({e})", SCRIPTS[server].name).into())
    }

    /// Waits until a server has reached the milestone.
    fn until(&mut self, server: usize, milestone: Milestone) -> StoryResult {
        let waiting = format!("{milestone:?}");
        loop {
            match self.event(server, &waiting)? {
                ServerEvent::Reached(reached) if reached == milestone => return Ok(()),
                other => self.record(server, other)?,
            }
        }
    }

    fn report(&mut self, server: usize) -> StoryResult<CanvasState> {
        self.send(server, Order::Report)?;
        loop {
            match self.event(server, "its report")? {
                ServerEvent::CanvasState(canvas_state) => return Ok(canvas_state),
                other => self.record(server, other)?,
            }
        }
    }

    /// The next event of a server; a line is printed.
    fn event(&mut self, server: usize, waiting: &str) -> StoryResult<ServerEvent> {
        let name = SCRIPTS[server].name;
        let left = self.limit.saturating_sub(self.began.elapsed());
        let (at, event) = self.servers[server].events.recv_timeout(left).map_err(|e| match e {
            RecvTimeoutError::Timeout => {
                let limit = self.limit.as_secs();
                format!(
                    "server {name} has not reached {waiting} within {limit} s: connect to the database itself, \
                     for a proxy may pass no notices on, or try again on a machine that is less busy"
                )
            }
            RecvTimeoutError::Disconnected => {
                format!("server {name} has ended before {waiting}: look at what it wrote to its error output")
            }
        })?;
        if let ServerEvent::Line(line) = &event {
            self.line(at, name, line)?;
        }
        Ok(event)
    }

    fn record(&mut self, server: usize, event: ServerEvent) -> StoryResult {
        let name = SCRIPTS[server].name;
        match event {
            ServerEvent::Line(_) => {}
            ServerEvent::Written(written) => self.written.push((name, written)),
            ServerEvent::Refused(refused) => self.refused.push((name, refused)),
            ServerEvent::Failed(problem) => return Err(format!("server {name} has failed: {problem}").into()),
            ServerEvent::Reached(_) | ServerEvent::CanvasState(_) => {
                return Err(format!("server {name} is not where the script is ({event:?})").into());
            }
        }
        Ok(())
    }

    fn title(&mut self, title: &str) -> StoryResult {
        writeln!(self.out)?;
        self.note(&format!("== {title}"))
    }

    fn note(&mut self, text: &str) -> StoryResult {
        self.line(Instant::now(), "host", text)
    }

    fn line(&mut self, at: Instant, name: &str, text: &str) -> StoryResult {
        let millis = at.saturating_duration_since(self.began).as_millis();
        Ok(writeln!(self.out, "{millis:>5} ms  {name:<5}  {text}")?)
    }
}
