//! What is done at the servers, in words that do not depend on what the servers answer, and how it becomes commands.

use std::collections::BTreeMap;

use super::checker::Asked;
use super::faults::LoadFault;
use super::model::{Command, FIRST, Lease, Millis, Model, Op, Who, line};

/// One step: an act at a server, and what befalls the commits and loads that it makes.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) server: usize,
    pub(crate) act: Act,
    pub(crate) commits: Vec<Mishap>,
    pub(crate) loads: Vec<LoadFault>,
    /// What the host does where the answer leaves it in doubt.
    pub(crate) doubt: Doubt,
}

#[derive(Debug, Clone)]
pub(crate) enum Act {
    Create,
    Delete,
    /// Late: for the turn before.
    CheckOut {
        who: Who,
        late: bool,
    },
    Renew(Who, Which),
    CheckIn(Who, Which),
    Read(Who, Which),
    Write {
        who: Who,
        lease: Which,
        base: Base,
        fits: bool,
    },
    /// A line more, or the text as it is.
    Edit {
        changes: bool,
    },
    Message(Who),
    Cancel(Who),
    EndTurn {
        who: Who,
        late: bool,
    },
    Look,
    /// An earlier operation once more, counted from the newest.
    Again(usize),
    /// The key of an earlier operation for something else.
    Reuse(usize),
    /// What became of an earlier operation?
    Resolve(usize),
    /// What became of an operation that nobody has asked for, which is asked for afterwards?
    Forestall(Who),
    Wait(Millis),
    /// From now on this server gets a clock that is ahead by this number of milliseconds.
    Skew(i64),
    /// A commit that was on its way arrives, in any order; a copy stays.
    Arrives {
        place: usize,
        stays: bool,
    },
}

/// Which lease id a conversation brings.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Which {
    /// Its own, counted from the last it was given.
    Own(usize),
    /// The last one of the other conversation.
    Other,
    /// One that nobody was given yet.
    Never,
    /// Something that cannot be read.
    Unreadable,
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Base {
    Omitted,
    /// This number of revisions before the current one.
    Behind(u64),
    /// A revision that is still to come.
    Ahead,
}

/// What befalls a commit. Those that only happen first leave the next one of the list to the same commit.
#[derive(Debug, Clone)]
pub(crate) enum Mishap {
    Pass,
    Definite,
    AnswerLost,
    Lost,
    Twice,
    CrashBefore,
    CrashAfter,
    /// Time passes first.
    Delay(Millis),
    /// Somebody does something at the other server first.
    Meanwhile(Box<Act>),
    /// The oldest commit on its way arrives first.
    Arrival,
}

/// What a host does that does not know whether its operation was done.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Doubt {
    AskAgain,
    Resolve,
}

/// What the callers remember: what they asked, and the leases that they were given.
#[derive(Debug, Clone, Default)]
pub(crate) struct Story {
    pub(crate) asked: Vec<Asked>,
    leases: BTreeMap<Who, Vec<(u64, u64)>>,
    calls: u32,
    lines: u32,
}

impl Story {
    /// The command of an act on a canvas as its caller sees it; none where the act is no command.
    pub(crate) fn ask(&mut self, act: &Act, model: &Model) -> Option<Asked> {
        let row = model.row.as_ref();
        let (turn, start) = row.map_or((0, (0, 0)), |row| (row.turn, row.start));
        let mut late_by = 0;
        let (who, command) = match act {
            Act::Wait(_) | Act::Skew(_) | Act::Arrives { .. } => return None,
            Act::Look => (Who::Host, Command::Look),
            Act::Again(nth) => return self.earlier(*nth),
            Act::Reuse(nth) => {
                let Asked { op, command } = self.earlier(*nth)?;
                let command = if command == Command::Cancel { Command::Message } else { Command::Cancel };
                return Some(Asked { op, command });
            }
            Act::Resolve(nth) => return Some(Asked { command: Command::Resolve, ..self.earlier(*nth)? }),
            Act::Forestall(who) => {
                // It can be asked for again later.
                let asked = self.push(Op { who: *who, turn, call: 0 }, Command::CheckOut);
                return Some(Asked { command: Command::Resolve, ..asked });
            }
            Act::Create => (Who::Host, Command::Create),
            Act::Delete => (Who::Host, Command::Delete),
            Act::CheckOut { who, late } => {
                late_by = u64::from(*late);
                (*who, Command::CheckOut)
            }
            Act::Renew(who, which) => (*who, Command::Renew(self.lease(*who, *which))),
            Act::CheckIn(who, which) => (*who, Command::CheckIn(self.lease(*who, *which))),
            Act::Read(who, which) => (*who, Command::Read(self.lease(*who, *which))),
            Act::Write { who, lease, base, fits } => {
                let revision = row.map_or(0, |row| row.revision);
                let base = match base {
                    Base::Omitted => None,
                    Base::Behind(by) => Some(revision.saturating_sub(*by)),
                    Base::Ahead => Some(revision + 1),
                };
                let line = fits.then(|| self.line());
                (*who, Command::Write { lease: self.lease(*who, *lease), base, line })
            }
            Act::Edit { changes } => {
                let mut text = row.map(|row| row.text().to_vec()).unwrap_or_default();
                if text.is_empty() {
                    text = FIRST.map(str::to_owned).to_vec();
                }
                if *changes {
                    text.insert(1, line(self.line()));
                }
                (Who::User, Command::Edit(text))
            }
            Act::Message(who) => (*who, Command::Message),
            Act::Cancel(who) => (*who, Command::Cancel),
            Act::EndTurn { who, late } => {
                late_by = u64::from(*late);
                (*who, Command::EndTurn(start.0.saturating_sub(late_by), start.1))
            }
        };
        let op = Op { who, turn: turn.saturating_sub(late_by), call: 0 };
        Some(self.push(op, command))
    }

    /// A caller learns from an answer which lease it has.
    pub(crate) fn learn(&mut self, asked: &Asked, answer: &str) {
        let Some(lease) = answer.strip_prefix("OK-lease-") else { return };
        let mut numbers = lease.split('-').map(str::parse);
        if let (Some(Ok(fence)), Some(Ok(epoch))) = (numbers.next(), numbers.next()) {
            let leases = self.leases.entry(asked.op.who).or_default();
            if !leases.contains(&(fence, epoch)) {
                leases.push((fence, epoch));
            }
        }
    }

    fn push(&mut self, op: Op, command: Command) -> Asked {
        self.calls += 1;
        let asked = Asked { op: Op { call: self.calls, ..op }, command };
        if asked.command != Command::Look {
            self.asked.push(asked.clone());
        }
        asked
    }

    fn earlier(&self, nth: usize) -> Option<Asked> {
        self.asked.iter().rev().nth(nth).cloned()
    }

    fn line(&mut self) -> u32 {
        self.lines += 1;
        self.lines
    }

    fn lease(&self, who: Who, which: Which) -> Lease {
        let newest = |who: Who| self.leases.get(&who).into_iter().flatten().rev();
        let other = if who == Who::One { Who::Two } else { Who::One };
        let last = newest(who).chain(newest(other)).max().copied().unwrap_or((0, 0));
        match which {
            Which::Own(nth) => Some(newest(who).nth(nth).copied().unwrap_or((1, 0))),
            Which::Other => Some(newest(other).next().copied().unwrap_or((1, 0))),
            Which::Never => Some((last.0 + 7, last.1)),
            Which::Unreadable => None,
        }
    }
}
