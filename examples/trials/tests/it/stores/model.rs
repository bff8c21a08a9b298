//! What a canvas should do, written down a second time: small, pure, and without a line of the production code.
//!
//! One lease at a time, held by one operation: acts of the user end it and raise its epoch, calls of its holder extend
//! it, and a fence tells one lease from the next. Answers are short codes.

use std::time::Duration;

use super::row::{Receipt, Row};

pub(crate) type Millis = u64;

/// Who asks. Two conversations of models, the user, and the host that makes and deletes canvases.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Who {
    One,
    Two,
    User,
    Host,
}

impl Who {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Two => "two",
            Self::User => "user",
            Self::Host => "host",
        }
    }
}

/// The name of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Op {
    pub(crate) who: Who,
    pub(crate) turn: u64,
    pub(crate) call: u32,
}

/// Fence and epoch of a lease id; none where a model sent something else.
pub(crate) type Lease = Option<(u64, u64)>;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    Create,
    Delete,
    CheckOut,
    Renew(Lease),
    CheckIn(Lease),
    Read(Lease),
    /// Adds a line of its own after the first line; without a line, a patch that fits nowhere.
    Write {
        lease: Lease,
        base: Option<u64>,
        line: Option<u32>,
    },
    Edit(Vec<String>),
    Message,
    Cancel,
    /// Where the turn began: epoch and revision.
    EndTurn(u64, u64),
    /// Look at the canvas; the answer has the whole text.
    Look,
    /// What became of the operation?
    Resolve,
}

impl Command {
    /// Whether another command under the same key is a retry of this one. A host may learn late where a turn began.
    fn is_same(&self, other: &Self) -> bool {
        matches!((self, other), (Self::EndTurn(..), Self::EndTurn(..))) || self == other
    }
}

/// The document that every canvas is made with.
pub(crate) const FIRST: [&str; 2] = ["top", "end"];

pub(crate) fn line(number: u32) -> String {
    format!("line-{number}")
}

/// Time limits of a lease, in milliseconds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Terms {
    pub(crate) ttl: Millis,
    pub(crate) max_hold: Millis,
    pub(crate) tolerance: Millis,
}

impl Terms {
    pub(crate) fn policy(self) -> canvas_core::lease::LeasePolicy {
        let [ttl, max_hold, clock_tolerance] =
            [self.ttl, self.max_hold, self.tolerance].map(Duration::from_millis);
        canvas_core::lease::LeasePolicy { ttl, max_hold, clock_tolerance }
    }
}

/// A canvas, or none yet.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Model {
    pub(crate) row: Option<Row>,
}

/// What a command does.
#[derive(Debug, Clone)]
pub(crate) struct Decision {
    pub(crate) answer: String,
    /// An engine may answer so instead, from its memory: a retry gets its first answer, also where the canvas was
    /// deleted since.
    pub(crate) also: Option<String>,
    pub(crate) next: Model,
    /// It must not happen at or past this instant.
    pub(crate) limit: Option<Millis>,
    /// The answer was given before.
    pub(crate) replayed: bool,
}

impl Model {
    /// Decides a command at a clock. Errors in the order: no canvas, receipt, epoch, owner, expiry, base, patch.
    pub(crate) fn decide(&self, terms: Terms, clock: Millis, op: Op, command: &Command) -> Decision {
        let unchanged = |answer: &str| Decision {
            answer: answer.to_owned(),
            also: None,
            next: self.clone(),
            limit: None,
            replayed: false,
        };
        let receipt = self.row.as_ref().and_then(|row| row.receipts.get(&op));
        let live = self.row.as_ref().filter(|row| !row.deleted);
        match (command, live, receipt) {
            (Command::Look, Some(row), _) => {
                unchanged(&format!("OK-r{}: {}", row.revision, row.text().join("|")))
            }
            (Command::Look, None, _) => unchanged("CANVAS_NOT_FOUND"),
            (Command::Resolve, _, Some(Receipt::Void)) => unchanged("NEVER"),
            (Command::Resolve, _, Some(Receipt::Answered(_, answer))) => {
                unchanged(&format!("DONE: {answer}"))
            }
            (Command::Resolve, _, None) => {
                let mut row = self.row.clone().unwrap_or_else(Row::never);
                row.receipts.insert(op, Receipt::Void);
                Decision { next: Self { row: Some(row) }, ..unchanged("NEVER") }
            }
            (Command::Delete, _, _) if self.row.is_none() => unchanged("CANVAS_NOT_FOUND"),
            // A canvas that is gone has no answers, but an engine may remember.
            (command, None, receipt) if !matches!(command, Command::Create | Command::Delete) => {
                let kept = receipt.and_then(|receipt| receipt.kept(command)).filter(|a| a.starts_with("OK"));
                Decision { also: kept.map(str::to_owned), ..unchanged("CANVAS_NOT_FOUND") }
            }
            (Command::Read(lease), Some(row), _) => row.clone().read(terms, clock, op.who, *lease).or(self),
            (_, _, Some(Receipt::Void)) => unchanged("CALL_ABANDONED"),
            (command, live, Some(receipt)) => match receipt.kept(command) {
                None => unchanged("CALL_ID_REUSED"),
                Some(_) if *command == Command::Create && live.is_none() => unchanged("CANVAS_DELETED"),
                Some(answer) => Decision { replayed: true, ..unchanged(answer) },
            },
            (Command::Create, Some(_), None) => unchanged("CANVAS_EXISTS"),
            (Command::Delete, None, None) => unchanged("OK"),
            (command, _, None) => self.change(terms, clock, op, command),
        }
    }

    /// A command that leaves a receipt.
    fn change(&self, terms: Terms, clock: Millis, op: Op, command: &Command) -> Decision {
        let mut row = match (&self.row, command) {
            (None, _) => Row::first(1, &FIRST),
            (Some(row), Command::Create) => row.again(),
            (Some(row), _) => row.clone(),
        };
        let mut limit = None;
        let done = match command {
            Command::CheckOut => {
                let own = row.own_expiry(op.who);
                let done = row.check_out(terms, clock, op);
                limit = own.filter(|_| done == Err("LOCK_NOT_AVAILABLE/HELD"));
                done
            }
            Command::Renew(lease) => row.authorize(terms, clock, op.who, *lease).map(|expires| {
                limit = Some(expires);
                row.extend(terms, clock);
                format!("OK-r{}", row.revision)
            }),
            Command::CheckIn(lease) => row.check_in(terms, clock, op.who, *lease),
            Command::Write { lease, base, line } => match row.heartbeat(terms, clock, op.who, *lease) {
                Ok(expires) => {
                    limit = Some(expires);
                    row.write(op.who, *base, *line)
                }
                Err(code) => Err(code),
            },
            command => Ok(row.act(terms, clock, op, command)),
        };
        let answer = done.unwrap_or_else(str::to_owned);
        if answer == "STALE_EPOCH" {
            // The refusal shows what has changed.
            row.mark_seen(op.who);
        }
        row.receipts.insert(op, Receipt::Answered(command.clone(), answer.clone()));
        Decision { answer, also: None, next: Self { row: Some(row) }, limit, replayed: false }
    }
}

impl Receipt {
    fn kept(&self, command: &Command) -> Option<&str> {
        match self {
            Self::Answered(first, answer) if first.is_same(command) => Some(answer),
            Self::Answered(..) | Self::Void => None,
        }
    }
}
