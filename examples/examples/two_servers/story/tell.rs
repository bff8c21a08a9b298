//! The story in its order. The stage lets one server take a step, waits for it, and lets the other take the next.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use super::check::Ending;
use super::words::{Mark, Refused, Stands, Wrote};
use super::{Order, PARTS, Stage, Told, Word};

/// A server as the stage sees it.
pub(crate) struct Player {
    pub(crate) orders: Box<dyn FnMut(Order) -> io::Result<()>>,
    /// What it says, and when that came.
    pub(crate) words: Receiver<(Instant, Word)>,
}

/// The stage with its two players.
struct Story<'a, W> {
    players: [Player; 2],
    out: &'a mut W,
    began: Instant,
    limit: Duration,
    wrote: Vec<(&'static str, Wrote)>,
    refused: Vec<(&'static str, Refused)>,
}

const ONE: usize = 0;
const TWO: usize = 1;

/// Tells the story, which may take so long from its beginning, and checks its end.
///
/// # Errors
///
/// Where a server fails or is silent for too long, and where the end is not what it must be.
pub(crate) fn tell(
    stage: &Stage,
    players: [Player; 2],
    (began, limit): (Instant, Duration),
    out: &mut impl Write,
) -> Told {
    let mut story = Story { players, out, began, limit, wrote: Vec::new(), refused: Vec::new() };

    let (version, schema, first) = (stage.version(), &stage.place().schema, stage.first.clone());
    story.note(&format!("PostgreSQL {version}, schema {schema}"))?;
    story.note(&format!("canvas at {}, epoch {}", first.revision, first.epoch))?;
    first.text.lines().try_for_each(|line| story.note(&format!("    | {line}")))?;
    story.note("lease-2-3 is the second lease, given in epoch 3; whoever steps in raises the epoch")?;
    story.note("each line has the time at which its server said it, so times may cross by a little")?;
    for server in [ONE, TWO] {
        story.until(server, Mark::Ready)?;
    }

    story.title("A model works at server one")?;
    story.order(ONE, Order::Message, Mark::TurnBegan)?;
    story.order(ONE, Order::Answer, Mark::OnItsWay)?;

    story.title("A user at server two types, then sends a message")?;
    story.order(TWO, Order::Type, Mark::Typed)?;
    story.until(ONE, Mark::HeardTyping)?;
    story.order(TWO, Order::Message, Mark::TurnBegan)?;
    story.until(ONE, Mark::Stopped)?;
    story.order(ONE, Order::LetGo, Mark::TurnEnded)?;

    story.title("The model of server two goes on from there")?;
    story.order(TWO, Order::Answer, Mark::TurnEnded)?;

    story.title("What is left")?;
    let shown = [story.report(ONE)?, story.report(TWO)?];
    let Story { out, wrote, refused, .. } = story;
    Ending { first, shown, stored: stage.look()?, wrote, refused }.show_and_check(out)
}

impl<W: Write> Story<'_, W> {
    /// Lets a server take a step.
    fn order(&mut self, server: usize, order: Order, mark: Mark) -> Told {
        self.send(server, order)?;
        self.until(server, mark)
    }

    fn send(&mut self, server: usize, order: Order) -> Told {
        (self.players[server].orders)(order)
            .map_err(|e| format!("server {} takes no more orders ({e})", PARTS[server].name).into())
    }

    /// Passes on what a server says until it has taken the step.
    fn until(&mut self, server: usize, mark: Mark) -> Told {
        let waiting = format!("{mark:?}");
        loop {
            match self.word(server, &waiting)? {
                Word::Reached(reached) if reached == mark => return Ok(()),
                other => self.keep(server, other)?,
            }
        }
    }

    fn report(&mut self, server: usize) -> Told<Stands> {
        self.send(server, Order::Report)?;
        loop {
            match self.word(server, "its report")? {
                Word::Stands(stands) => return Ok(stands),
                other => self.keep(server, other)?,
            }
        }
    }

    /// The next word, shown where it is a line.
    fn word(&mut self, server: usize, waiting: &str) -> Told<Word> {
        let name = PARTS[server].name;
        let left = self.limit.saturating_sub(self.began.elapsed());
        let (at, word) = self.players[server].words.recv_timeout(left).map_err(|e| match e {
            RecvTimeoutError::Timeout => {
                let limit = self.limit.as_secs();
                format!(
                    "server {name} has not come to {waiting} within {limit} s: connect to the database itself, \
                     for a proxy may pass no notices on, or try again on a machine that is less busy"
                )
            }
            RecvTimeoutError::Disconnected => {
                format!("server {name} has ended before {waiting}: look at what it wrote to its error output")
            }
        })?;
        if let Word::Line(line) = &word {
            self.line(at, name, line)?;
        }
        Ok(word)
    }

    fn keep(&mut self, server: usize, word: Word) -> Told {
        let name = PARTS[server].name;
        match word {
            Word::Line(_) => {}
            Word::Wrote(wrote) => self.wrote.push((name, wrote)),
            Word::Refused(refused) => self.refused.push((name, refused)),
            Word::Failed(problem) => return Err(format!("server {name} has failed: {problem}").into()),
            Word::Reached(_) | Word::Stands(_) => {
                return Err(format!("server {name} is not where the script is ({word:?})").into());
            }
        }
        Ok(())
    }

    fn title(&mut self, title: &str) -> Told {
        writeln!(self.out)?;
        self.note(&format!("== {title}"))
    }

    fn note(&mut self, text: &str) -> Told {
        self.line(Instant::now(), "stage", text)
    }

    fn line(&mut self, at: Instant, name: &str, text: &str) -> Told {
        let millis = at.saturating_duration_since(self.began).as_millis();
        Ok(writeln!(self.out, "{millis:>5} ms  {name:<5}  {text}")?)
    }
}
