//! The calls of the small world, with the request of each and its effect on the text.

use std::sync::{Arc, LazyLock};

use canvas_lease::{CheckOutRequest, LeaseId, Lock, Timestamp};
use canvas_patch::PartId;

use super::store::{START, first_parts};
use crate::engine::context::CachedRow;
use crate::engine::error::EngineError;
use crate::engine::task::{Blocked, Call, Decision, DecisionContext, Resolution, Resolve, Task};
use crate::model::actor::PersonId;
use crate::model::face::TreeFile;
use crate::model::id::{CallId, CanvasId, ConversationId};
use crate::model::op_key::OpKey;
use crate::model::revision::Revision;
use crate::model::work_mode::WorkMode;
use crate::surface::{ActionId, ClientId, EventId, RunnerId, SurfaceActor};
use crate::transition::command::{Command, StoredAnswer, encode};
use crate::transition::document::{ApplyPatch, Read};
use crate::transition::edit::Edit;
use crate::transition::lease::{CheckIn, CheckOut};
use crate::transition::policy::Policy;
use crate::transition::proposal::decide::DecideParts;
use crate::transition::surface::begin::BeginAction;
use crate::transition::surface::ended::{ActionBegun, RunningAction};
use crate::transition::surface::finish::FinishAction;
use crate::transition::surface::request::{ActionName, ActionRequest};
use crate::transition::turn::{Cancel, SendMessage, TakeControl};

/// Id of the only action of the surface.
pub(super) const ACTION: &str = "deploy";

/// The text that the world begins with.
pub(super) const TEXT: &str = "a\nb\n";

/// The line that the part adds, which waits when a world with decisions begins.
pub(super) const ADDED: &str = "q\n";

/// Id of the part that adds the line.
pub(super) const PART: PartId = PartId::new(1);

/// A call that somebody may make, and make again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Op {
    WriteA,
    WriteB,
    Edit,
    CheckOutOther,
    CheckIn,
    Read,
    /// The user's edit of the first text, wherever the canvas is by then.
    EditBase,
    /// The question what became of `WriteA`.
    AskA,
    /// The action of the surface, each time as the same call.
    Press,
    /// The outcome of the action's tool.
    Settle,
    /// A write of another conversation, which quotes the line that `WriteA` changes.
    WriteOther,
    /// A message to the model.
    Message,
    /// A message to the other conversation.
    MessageOther,
    /// Somebody cancels the answer to the other conversation.
    CancelOther,
    /// A person accepts the part that waits when the world begins.
    Accept,
    /// Another person does.
    AcceptOther,
    /// Somebody accepts it in the name of the model.
    AcceptByModel,
}

impl Op {
    pub(super) const ALL: [Self; 17] = [
        Self::WriteA,
        Self::WriteB,
        Self::Edit,
        Self::CheckOutOther,
        Self::CheckIn,
        Self::Read,
        Self::EditBase,
        Self::AskA,
        Self::Press,
        Self::Settle,
        Self::WriteOther,
        Self::Message,
        Self::MessageOther,
        Self::CancelOther,
        Self::Accept,
        Self::AcceptOther,
        Self::AcceptByModel,
    ];

    /// Returns the text after this call, if the call is done.
    pub(super) fn change(self, text: &str) -> String {
        match self {
            Self::WriteA => text.replace("a\n", "c\n"),
            Self::WriteB => text.replace("b\n", "d\n"),
            Self::Edit => "z\n".into(),
            // Where the line has changed since, it may not be done at all.
            Self::EditBase => text.replace("b\n", "x\n"),
            Self::WriteOther => text.replace("a\nb\n", "a\ne\n"),
            Self::CheckOutOther | Self::CheckIn | Self::Read | Self::AskA | Self::Press | Self::Settle => {
                text.into()
            }
            Self::Message | Self::MessageOther | Self::CancelOther | Self::AcceptByModel => text.into(),
            Self::Accept | Self::AcceptOther => format!("{text}{ADDED}"),
        }
    }

    /// The call whose receipt has this key.
    pub(super) fn of(operation: &OpKey) -> Option<Self> {
        if operation.conversation.as_str().starts_with(RUNNER) {
            return Some(Self::Settle);
        }
        Self::ALL.into_iter().find(|op| *op != Self::AskA && self::operation(*op) == operation)
    }

    pub(super) fn is_write(self) -> bool {
        matches!(self, Self::WriteA | Self::WriteB | Self::WriteOther)
    }

    /// The conversation whose turn this call may end, if each has a turn of its own.
    pub(super) fn ends_turn_of(self) -> Option<&'static ConversationId> {
        let is_end = matches!(self, Self::Message | Self::MessageOther | Self::CancelOther);
        is_end.then(|| self.conversation())
    }

    pub(super) fn conversation(self) -> &'static ConversationId {
        &operation(self).conversation
    }
}

fn key(who: &str, call: &str) -> OpKey {
    let conversation = ConversationId::new(who).expect("short");
    OpKey::of(conversation, CallId::new(call).expect("short"))
}

/// The lease that the model holds when the world begins.
pub(super) static LEASE: LazyLock<LeaseId> = LazyLock::new(|| "lease-1-0".parse().expect("a lease id"));

pub(super) static CANVAS: LazyLock<CanvasId> = LazyLock::new(|| CanvasId::new("c").expect("short"));

/// A canvas that nobody uses.
pub(super) static OTHER: LazyLock<CanvasId> = LazyLock::new(|| CanvasId::new("other").expect("short"));

/// The key of a call. The question uses the key of `WriteA`. The key of an action's end is in [`Running`].
fn operation(op: Op) -> &'static OpKey {
    static KEYS: LazyLock<[OpKey; Op::ALL.len()]> = LazyLock::new(|| {
        [
            key("model", "a"),
            key("model", "b"),
            key("user", "edit"),
            key("other", "out"),
            key("model", "in"),
            key("model", "read"),
            key("user", "save"),
            key("model", "a"),
            key("user", "press"),
            key(RUNNER, "any"),
            key("other", "write"),
            key("model", "message"),
            key("other", "message"),
            key("other", "cancel"),
            OpKey::person(PersonId::new("anna").expect("short"), CallId::new("accept").expect("short")),
            OpKey::person(PersonId::new("bert").expect("short"), CallId::new("accept").expect("short")),
            key("model", "accept"),
        ]
    });
    &KEYS[op as usize]
}

static CHECK_OUT: LazyLock<OpKey> = LazyLock::new(|| key("model", "out"));

/// Begins the names of those who run actions.
const RUNNER: &str = "runner";

/// A server since its last start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Runner {
    pub(super) server: usize,
    /// Number of restarts of the server.
    pub(super) starts: u8,
}

impl Runner {
    pub(super) fn name(self) -> RunnerId {
        RunnerId::new(&format!("{RUNNER} {} {}", self.server, self.starts)).expect("short")
    }
}

/// Returns the event id of an execution by its number.
pub(super) fn event(number: u8) -> EventId {
    EventId::new(&format!("event {number}")).expect("short")
}

/// An action that a server runs, and the key of its end.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Running {
    action: Arc<RunningAction>,
    operation: Arc<OpKey>,
}

impl Eq for Running {}

impl std::hash::Hash for Running {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.operation.hash(state);
    }
}

impl Running {
    /// Returns the action that an answer tells its receiver to run, if it does.
    pub(super) fn of(answer: &ClientAnswer, runner: Runner) -> Option<Self> {
        let ClientAnswer::Outcome(json) = answer else { return None };
        let Ok(ActionBegun::Run(action)) = StoredAnswer(json.clone()).answer::<BeginAction>()? else {
            return None;
        };
        let operation = key(runner.name().as_str(), action.event().as_str()).into();
        Some(Self { action: Arc::new(*action), operation })
    }
}

/// The work of a server for a call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Work {
    Call(Op),
    /// [`Op::Press`], as the execution of this number.
    Press {
        event: u8,
        runner: Runner,
    },
    /// [`Op::Settle`].
    Settle(Running),
    /// The question what became of `WriteA`.
    Question,
    /// The check-out that begins the world.
    Begin,
    /// [`Op::EditBase`] without its base.
    Overwrite,
    /// [`Op::WriteA`], done to the first text.
    Paste,
    /// [`Op::WriteA`], decided on the lock of the beginning.
    Seize,
    /// [`Op::AcceptOther`], decided on the parts of the beginning.
    AcceptOld,
    /// [`Op::MessageOther`], which ends all turns.
    EndAll,
    /// [`Op::WriteOther`] without its context.
    Uproot,
}

impl Work {
    pub(super) fn of(op: Op) -> Self {
        if op == Op::AskA { Self::Question } else { Self::Call(op) }
    }

    fn name(&self) -> &OpKey {
        match self {
            Self::Call(op) => operation(*op),
            Self::Press { .. } => operation(Op::Press),
            Self::Settle(running) => &running.operation,
            Self::Question => operation(Op::AskA),
            Self::Begin => &CHECK_OUT,
            Self::Overwrite => operation(Op::EditBase),
            Self::Paste | Self::Seize => operation(Op::WriteA),
            Self::AcceptOld => operation(Op::AcceptOther),
            Self::EndAll => operation(Op::MessageOther),
            Self::Uproot => operation(Op::WriteOther),
        }
    }

    fn run<C: Command>(
        &self,
        command: &C,
        context: &DecisionContext<'_>,
    ) -> Result<Decision<ClientAnswer>, Blocked> {
        let answer = |outcome| ClientAnswer::Outcome(encode::<C>(&outcome));
        Ok(match Call::new(self.name(), command).decide(context)? {
            Decision::Answer(reply) => Decision::Answer(answer(reply.answer)),
            Decision::Commit(change, reply) => Decision::Commit(change, answer(reply.answer)),
        })
    }
}

/// The answer to a client's call.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum ClientAnswer {
    /// An answer, as a receipt keeps it.
    Outcome(String),
    NeverDone,
}

impl Task for Work {
    type Answer = ClientAnswer;

    fn decide(&self, context: &DecisionContext<'_>) -> Result<Decision<ClientAnswer>, Blocked> {
        let (lease, first) = (Some(*LEASE), Revision::new(1).expect("one is a revision"));
        // Where a write needs no lease, it names none.
        let has_own_turn = context.row.is_some_and(|row| row.head.work_mode() == WorkMode::Collaborative);
        let lease = lease.filter(|_| !has_own_turn);
        let named = lease.filter(|_| !context.run.policy.writes.rebase);
        let write = |patch: &str| ApplyPatch {
            lease: named,
            patch: patch.into(),
            base: None,
            scope: None,
            shown: None,
        };
        let answer = |resolution| match resolution {
            Resolution::Done(answer) => ClientAnswer::Outcome(answer.json().to_owned()),
            Resolution::NeverDone => ClientAnswer::NeverDone,
        };
        match self {
            Self::Call(Op::WriteA) => self.run(&write("@@\n-a\n+c\n"), context),
            Self::Call(Op::WriteB) => self.run(&write("@@\n-b\n+d\n"), context),
            Self::Call(Op::Edit) => self.run(&Edit::overwrite("z\n"), context),
            Self::Call(Op::EditBase) => self.run(&Edit::on(first, Op::EditBase.change(TEXT)), context),
            Self::Paste => self.run(&Edit::overwrite(Op::WriteA.change(TEXT)), context),
            Self::Seize => {
                let row = context.row.map(|row| {
                    let mut row = row.clone();
                    Arc::make_mut(&mut row.head).lock = first_lock(context.run.policy);
                    row
                });
                let context = DecisionContext { row: row.as_ref(), ..*context };
                self.run(&write("@@\n-a\n+c\n"), &context)
            }
            Self::AcceptOld => {
                let row = context.row.map(|row| {
                    let (mut row, parts) = (row.clone(), first_parts());
                    Arc::make_mut(&mut row.head).proposals = Some(parts.id());
                    row.contents.put_blob(TreeFile::Proposals, parts);
                    row
                });
                let context = DecisionContext { row: row.as_ref(), ..*context };
                self.run(&DecideParts::accept([PART]), &context)
            }
            Self::EndAll => self.run(&TakeControl, context),
            Self::Uproot => self.run(&write("@@\n-b\n+e\n"), context),
            Self::Overwrite => self.run(&Edit::overwrite(Op::EditBase.change(TEXT)), context),
            Self::Call(Op::CheckIn) => self.run(&CheckIn { lease }, context),
            Self::Call(Op::Read) => self.run(&Read::new(lease), context),
            Self::Call(Op::CheckOutOther) | Self::Begin => self.run(&CheckOut, context),
            Self::Press { event, runner } => {
                let (event, runner) = (self::event(*event), runner.name());
                self.run(&BeginAction { request: request(), event, runner }, context)
            }
            Self::Settle(Running { action, .. }) => {
                let running = Box::new(RunningAction::clone(action));
                self.run(&FinishAction { running, outcome: Ok("done".into()) }, context)
            }
            Self::Call(Op::WriteOther) => self.run(&write("@@\n a\n-b\n+e\n"), context),
            Self::Call(Op::Message | Op::MessageOther) => self.run(&SendMessage, context),
            Self::Call(Op::CancelOther) => self.run(&Cancel, context),
            Self::Call(Op::Accept | Op::AcceptOther | Op::AcceptByModel) => {
                self.run(&DecideParts::accept([PART]), context)
            }
            Self::Call(Op::Press | Op::Settle) => unreachable!("they name who runs them"),
            Self::Call(Op::AskA) | Self::Question => {
                Ok(match (Resolve { operation: self.name() }).decide(context)? {
                    Decision::Answer(resolution) => Decision::Answer(answer(resolution)),
                    Decision::Commit(change, resolution) => Decision::Commit(change, answer(resolution)),
                })
            }
        }
    }

    fn operation(&self) -> Option<&OpKey> {
        Some(self.name())
    }

    fn is_refusal(answer: &ClientAnswer) -> bool {
        matches!(answer, ClientAnswer::Outcome(json) if json.contains("\"refused\""))
    }
}

/// The lock with which the world begins.
fn first_lock(policy: &Policy) -> Lock {
    let (clock, key) = (at(START), &*CHECK_OUT);
    let mut lock = Lock::new(clock);
    let (holder, operation) = (key.conversation.holder(), key.operation());
    let request = CheckOutRequest { holder, operation, turn: lock.turn() };
    lock.check_out(&policy.lease, clock, request).expect("nobody has it");
    lock
}

/// A person presses the button.
fn request() -> ActionRequest {
    ActionRequest {
        by: SurfaceActor::ClientId(ClientId::new("person").expect("short")),
        job: None,
        action: ActionName::Id(ActionId::new(ACTION).expect("short")),
        input: serde_json::json!({}),
        expected: None,
        confirmation: None,
    }
}

/// The result of a run for its client.
pub(super) type Ended = Result<ClientAnswer, EngineError>;

/// The clock of the world as a timestamp.
pub(super) fn at(clock: i64) -> Timestamp {
    Timestamp::from_millis(u64::try_from(clock).unwrap_or_default())
}

/// The version of a row, which is a number here, so that the newest row is known.
pub(super) fn version(known: &CachedRow) -> u64 {
    known.version.as_str().parse().unwrap_or_default()
}
