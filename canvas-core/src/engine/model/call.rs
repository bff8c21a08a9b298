//! The calls of the small world: what each asks, and what it does to the text.

use std::sync::LazyLock;

use canvas_lease::{LeaseId, Timestamp, Turn};

use crate::engine::context::Known;
use crate::engine::error::EngineError;
use crate::engine::task::{Halt, Reply, Resolution, Resolve, Scene, Task, Verdict};
use crate::model::id::{CallId, CanvasId, ConversationId, OpKey};
use crate::transition::command::{Call, Command};

/// The text that the world begins with.
pub(super) const TEXT: &str = "a\nb\n";

/// A call that somebody may make, and make again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Op {
    WriteA,
    WriteB,
    Edit,
    CheckOutOther,
    CheckIn,
    Read,
    /// The question what became of `WriteA`.
    AskA,
}

impl Op {
    pub(super) const ALL: [Self; 7] =
        [Self::WriteA, Self::WriteB, Self::Edit, Self::CheckOutOther, Self::CheckIn, Self::Read, Self::AskA];

    /// What the text becomes where it is done.
    pub(super) fn change(self, text: &str) -> String {
        match self {
            Self::WriteA => text.replace("a\n", "c\n"),
            Self::WriteB => text.replace("b\n", "d\n"),
            Self::Edit => "z\n".into(),
            Self::CheckOutOther | Self::CheckIn | Self::Read | Self::AskA => text.into(),
        }
    }

    /// The call whose receipt has this key.
    pub(super) fn of(operation: &OpKey) -> Option<Self> {
        Self::ALL.into_iter().find(|op| *op != Self::AskA && call(*op).operation == *operation)
    }

    pub(super) fn is_write(self) -> bool {
        matches!(self, Self::WriteA | Self::WriteB)
    }
}

fn key(who: &str, call: &str) -> OpKey {
    let conversation = ConversationId::new(who).expect("short");
    OpKey { conversation, turn: Turn::ZERO, call: CallId::new(call).expect("short") }
}

/// The lease that the model holds when the world begins.
pub(super) static LEASE: LazyLock<LeaseId> = LazyLock::new(|| "lease-1-0".parse().expect("a lease id"));

pub(super) static CANVAS: LazyLock<CanvasId> = LazyLock::new(|| CanvasId::new("c").expect("short"));

/// A canvas that nobody uses.
pub(super) static OTHER: LazyLock<CanvasId> = LazyLock::new(|| CanvasId::new("other").expect("short"));

/// The check-out that begins the world.
pub(super) static CHECK_OUT: LazyLock<Call> =
    LazyLock::new(|| Call { operation: key("model", "out"), command: Command::CheckOut });

static CALLS: LazyLock<[Call; 6]> = LazyLock::new(|| {
    let lease = Some(*LEASE);
    let write = |patch: &str| Command::Apply { lease, patch: patch.into(), base: None };
    [
        Call { operation: key("model", "a"), command: write("@@\n-a\n+c\n") },
        Call { operation: key("model", "b"), command: write("@@\n-b\n+d\n") },
        Call { operation: key("user", "edit"), command: Command::Edit { markdown: "z\n".into() } },
        Call { operation: key("other", "out"), command: Command::CheckOut },
        Call { operation: key("model", "in"), command: Command::CheckIn { lease } },
        Call { operation: key("model", "read"), command: Command::Read { lease } },
    ]
});

/// The call itself; the question has that of `WriteA`.
pub(super) fn call(op: Op) -> &'static Call {
    match op {
        Op::AskA => &CALLS[Op::WriteA as usize],
        op => &CALLS[op as usize],
    }
}

/// What a server does for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Work {
    Call(Op),
    /// The question what became of `WriteA`.
    Ask,
    /// The check-out that begins the world.
    Begin,
}

impl Work {
    pub(super) fn of(op: Op) -> Self {
        if op == Op::AskA { Self::Ask } else { Self::Call(op) }
    }

    fn call(self) -> &'static Call {
        match self {
            Self::Call(op) => call(op),
            Self::Ask => call(Op::AskA),
            Self::Begin => &CHECK_OUT,
        }
    }
}

/// What a client is told.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Said {
    /// An outcome, as JSON.
    Outcome(String),
    NeverDone,
}

impl From<Reply> for Said {
    fn from(reply: Reply) -> Self {
        Self::Outcome(serde_json::to_string(&reply.outcome).expect("an outcome has only string keys"))
    }
}

impl Task for Work {
    type Answer = Said;

    fn decide(&self, scene: &Scene<'_>) -> Result<Verdict<Said>, Halt> {
        if *self == Self::Ask {
            let asked = Resolve { operation: &self.call().operation }.decide(scene)?;
            let said = |resolution| match resolution {
                Resolution::Done(outcome) => Reply { outcome, replayed: true }.into(),
                Resolution::NeverDone => Said::NeverDone,
            };
            return Ok(match asked {
                Verdict::Stands(resolution) => Verdict::Stands(said(resolution)),
                Verdict::Commit(change, resolution) => Verdict::Commit(change, said(resolution)),
            });
        }
        Ok(match self.call().decide(scene)? {
            Verdict::Stands(reply) => Verdict::Stands(reply.into()),
            Verdict::Commit(change, reply) => Verdict::Commit(change, reply.into()),
        })
    }

    fn operation(&self) -> Option<&OpKey> {
        Some(&self.call().operation)
    }

    fn is_refusal(said: &Said) -> bool {
        matches!(said, Said::Outcome(json) if json.contains("\"refused\""))
    }
}

/// What became of a run, as its client sees it.
pub(super) type Ended = Result<Said, EngineError>;

/// The clock of the world as a timestamp.
pub(super) fn at(clock: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(clock).unwrap_or_default())
}

/// The version of a row, which is a number here, so that the newest row is known.
pub(super) fn version(known: &Known) -> u64 {
    known.version.as_str().parse().unwrap_or_default()
}
