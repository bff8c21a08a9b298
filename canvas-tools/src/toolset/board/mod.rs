//! The nine tools of specs 002 §9 and some more, from JSON arguments to JSON replies. They take no lease.

mod alias;
mod arguments;
mod checked;
mod dry_run;
mod map;
pub(crate) mod plan;
pub(crate) mod prompt;
mod reply;
mod schema;
mod tool;

use std::num::NonZeroU32;
use std::sync::Arc;

use canvas_core::board::{Aliases, Board, BoardResult, CanvasEvent, ComponentId, Registry};
use canvas_core::lease::Timestamp;
use canvas_core::{
    Author, BlobId, Call, CallId, Command, Engine, EngineError, Outcome, Policy, Refusal, Revision, Snapshot,
    Store, Undo,
};

use self::checked::{Change, CheckedCall, check};
use self::dry_run::DryRun;
use self::plan::Plans;
use self::tool::Tool;
use crate::reply::{ToolError, ToolReply};
use crate::session::Session;
use crate::toolset::call::ToolCall;
use crate::toolset::spec::ToolSpec;

/// Which tools a model has beside the nine of specs 002 §9. All are off unless the host says otherwise, and a call of one
/// that is off is answered as that of a tool that does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct BoardExtensions {
    /// `plan_canvas` and `commit_plan`: what some calls would do, and doing exactly these. They need [`BoardHost::plans`].
    pub plans: bool,
    /// `delete_view`: deletes a saved view.
    pub delete_view: bool,
    /// `clear_canvas`: takes all components away, or all that are not pinned.
    pub clear_canvas: bool,
    /// `label_component`: names a component, pins it or loosens it.
    pub label_component: bool,
}

impl BoardExtensions {
    /// All of them.
    pub const ALL: Self = Self { plans: true, delete_view: true, clear_canvas: true, label_component: true };
}

/// What a host knows beside a call. The default is what [`call_board_tool`] takes: the nine tools, and ids as they are.
#[derive(Debug, Default)]
pub struct BoardHost<'a> {
    /// Which tools the model has: those that it was told with [`board_tools_for`].
    pub extensions: BoardExtensions,
    /// What the model calls components by, such as `c1`, where its context has short names. They come before ids, and
    /// replies have them in place of ids.
    pub aliases: Option<&'a Aliases>,
    /// Where plans are kept between two calls: one value for each conversation.
    pub plans: Option<&'a mut Plans>,
}

/// What a call came to, for the model and for the host. A retry gives all of it again.
#[derive(Debug, Clone, PartialEq)]
pub struct BoardReply {
    /// What the model gets.
    pub reply: ToolReply,
    /// What happened on the board, in order.
    pub events: Vec<CanvasEvent>,
    /// Components whose data the host should fetch: new ones, those with another binding, and those to be refreshed.
    pub fetch: Vec<ComponentId>,
}

/// The nine tools of specs 002 §9, as they are told to a model.
///
/// `create_component` takes the config of each type that is registered, told apart by `type_id`. A registry without
/// types has no such tool.
///
/// ```
/// use canvas_core::board::Registry;
///
/// let tools = canvas_tools::board_tools(&Registry::built_in());
/// let create = &tools[0];
/// assert_eq!(create.name, "create_component");
/// assert_eq!(create.parameters["properties"]["type_id"]["enum"][2], "github.pr-list");
/// assert_eq!(create.parameters["anyOf"][2]["properties"]["config"]["required"][0], "repo");
/// ```
pub fn board_tools(registry: &Registry) -> Vec<ToolSpec> {
    board_tools_for(registry, &Policy::default(), BoardExtensions::default())
}

/// The board tools that an engine's policy opens to models, and some of those beyond. A call of one that is closed is
/// answered `TOOL_DISABLED` or `GIT_MODE_UNSUPPORTED`.
pub fn board_tools_for(registry: &Registry, policy: &Policy, extensions: BoardExtensions) -> Vec<ToolSpec> {
    let open = Tool::beside(extensions).filter(|tool| policy.permits(tool.access()).is_ok());
    open.filter_map(|tool| {
        let parameters = schema::parameters(tool, registry)?;
        Some(ToolSpec { name: tool.name().into(), description: tool.description().into(), parameters })
    })
    .collect()
}

/// Runs one call of a model on the board of the session's canvas and says what it gets back.
///
/// Every failure is a reply too: the model reads its code and what to do next, and often the same call put right, which
/// was tried and would be done. A retry is answered as the first call was.
pub async fn call_board_tool<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    call: &ToolCall,
    now: Timestamp,
) -> ToolReply {
    call_board_tool_with(engine, session, call, now, BoardHost::default()).await.reply
}

/// The same where the host gives more tools, has short names for components, or wants to know which data to fetch.
pub async fn call_board_tool_with<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    call: &ToolCall,
    now: Timestamp,
    host: BoardHost<'_>,
) -> BoardReply {
    let aliases = host.aliases;
    let mut answer = run(engine, session, call, now, host).await;
    if let Some(aliases) = aliases {
        answer.reply = ToolReply::new(alias::shorten_ids(answer.reply.body(), aliases));
    }
    answer
}

async fn run<S: Store>(
    engine: &Engine<S>,
    session: &Session,
    call: &ToolCall,
    now: Timestamp,
    host: BoardHost<'_>,
) -> BoardReply {
    let BoardHost { extensions, aliases, plans } = host;
    let checked = CallId::new(&call.id)
        .map_err(|e| ToolError::argument("", format!("the id of the call: {e}")))
        .and_then(|id| Ok((id, check(call, engine.policy(), extensions, aliases)?)));
    let (id, checked_call) = match checked {
        Ok(checked) => checked,
        Err(error) => {
            // The canvas is asked only for its revision; where it does not answer, the arguments are still wrong.
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            return BoardReply::without_effects(ToolReply::error(&error, snapshot.as_ref()));
        }
    };
    let context = BoardToolContext { engine, session, call, now, extensions, aliases };
    let answer = match checked_call {
        CheckedCall::Change(change) => context.change(id, &change, None).await,
        CheckedCall::Refresh(component) => context.refresh(&component).await,
        CheckedCall::Undo(steps) => context.step_history(id, steps, Direction::Undo).await,
        CheckedCall::Redo(steps) => context.step_history(id, steps, Direction::Redo).await,
        CheckedCall::Plan(change) => context.plan(&change, plans).await,
        CheckedCall::Commit(plan) => context.commit(id, &plan, plans).await,
    };
    match answer {
        Ok(reply) => reply,
        Err(e) => {
            let snapshot = engine.snapshot(&session.canvas, now).await.ok();
            BoardReply::without_effects(ToolReply::of_error(&e, snapshot.as_ref()))
        }
    }
}

/// A call and all that it is done with.
#[derive(Debug)]
struct BoardToolContext<'a, S> {
    engine: &'a Engine<S>,
    session: &'a Session,
    call: &'a ToolCall,
    now: Timestamp,
    extensions: BoardExtensions,
    aliases: Option<&'a Aliases>,
}

/// Undo or redo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Undo,
    Redo,
}

impl<S: Store> BoardToolContext<'_, S> {
    async fn change(
        &self,
        id: CallId,
        change: &Change,
        base: Option<Revision>,
    ) -> Result<BoardReply, EngineError> {
        let command = Box::new(change.command.clone());
        let command = Command::Board { by: Author::Assistant { lease: None }, command, base };
        let (outcome, snapshot) = self.run(id, command).await?;
        match outcome {
            Outcome::Board { result, events, revision } if result.success() => {
                let fetch = needing_data(&events);
                let body = reply::done(change, &result, &events, &fetch, revision);
                Ok(BoardReply { reply: ToolReply::new(body), events, fetch })
            }
            Outcome::Board { result, .. } => Ok(self.refused(change, &result, &snapshot).await),
            outcome => Ok(BoardReply::without_effects(reply::refusal(
                &outcome,
                &snapshot,
                Tool::named(&self.call.name),
            ))),
        }
    }

    /// A refusal by what stands on the board, with the same call put right where that is possible.
    async fn refused(&self, change: &Change, result: &BoardResult, snapshot: &Snapshot) -> BoardReply {
        // Where the store does not answer now, the refusal stands all the same.
        let mut board = None;
        if result.error().is_some_and(dry_run::is_repairable) {
            board = self.engine.board(&self.session.canvas, self.now).await.ok().and_then(|(board, _)| board);
        }
        let corrected = board.and_then(|board| self.dry_run(&board).correct(self.call));
        BoardReply::without_effects(reply::refused(change, result, corrected, snapshot))
    }

    /// What is to be fetched anew. It changes nothing, so it leaves no receipt and no entry of the history.
    async fn refresh(&self, component: &ComponentId) -> Result<BoardReply, EngineError> {
        let (board, snapshot) = match self.board().await? {
            Ok(found) => found,
            Err(reply) => return Ok(reply),
        };
        let Some(found) = board.component(component) else {
            let change = Change::removal(component.clone());
            let executed = self.dry_run(&board).run(&change.command);
            return Ok(BoardReply::without_effects(reply::refused(
                &change,
                &executed.result,
                None,
                &snapshot,
            )));
        };
        let lock = snapshot.head.lock();
        if self.session.turn != lock.turn() || !lock.turn_open() {
            let refused = Outcome::Refused(Refusal::UserActive);
            return Ok(BoardReply::without_effects(reply::refusal(&refused, &snapshot, Some(Tool::Refresh))));
        }
        let fetch = if found.data_binding.is_some() { vec![found.id.clone()] } else { Vec::new() };
        let body = reply::refreshed(&found, &fetch, snapshot.revision_id());
        Ok(BoardReply { reply: ToolReply::new(body), events: Vec::new(), fetch })
    }

    /// Takes so many changes back, or does them again; where there are fewer, those that there are.
    async fn step_history(
        &self,
        id: CallId,
        steps: NonZeroU32,
        direction: Direction,
    ) -> Result<BoardReply, EngineError> {
        let by = Author::Assistant { lease: None };
        let command = |steps| match direction {
            Direction::Undo => Command::Undo { by, what: Undo::Steps(steps) },
            Direction::Redo => Command::Redo { by, steps },
        };
        let (mut outcome, mut snapshot) = self.run(id.clone(), command(steps)).await?;
        if let Outcome::Refused(Refusal::HistoryEmpty { available, .. }) = outcome
            && let Some(available) = NonZeroU32::new(available)
        {
            // A second operation, named after the first: a retry walks the same way, because both have receipts.
            (outcome, snapshot) = self.run(second(&id), command(available)).await?;
        }
        match outcome {
            Outcome::Undone { entries, events, revision, .. }
            | Outcome::Redone { entries, events, revision, .. } => {
                let fetch = needing_data(&events);
                let body = reply::history_stepped(direction, steps, &entries, &events, &fetch, revision);
                Ok(BoardReply { reply: ToolReply::new(body), events, fetch })
            }
            outcome => Ok(BoardReply::without_effects(reply::refusal(
                &outcome,
                &snapshot,
                Tool::named(&self.call.name),
            ))),
        }
    }

    /// What a change would do. Nothing is done.
    async fn plan(&self, change: &Change, plans: Option<&mut Plans>) -> Result<BoardReply, EngineError> {
        let (board, snapshot) = match self.board().await? {
            Ok(found) => found,
            Err(reply) => return Ok(reply),
        };
        let dry_run = self.dry_run(&board);
        let mut after = Board::clone(&board);
        let executed = dry_run.run_on(&mut after, &change.command);
        if !executed.result.success() {
            let corrected = dry_run.correct(self.call);
            return Ok(BoardReply::without_effects(reply::refused(
                change,
                &executed.result,
                corrected,
                &snapshot,
            )));
        }
        let plan = plan::Plan::new(&self.session.canvas, &snapshot, change);
        let body = reply::planned(&plan, change, &executed.result, &after, &snapshot);
        if let Some(plans) = plans {
            plans.keep(plan);
        }
        Ok(BoardReply::without_effects(ToolReply::new(body)))
    }

    /// Does what was planned, where the board is still the one that it was planned for.
    async fn commit(
        &self,
        id: CallId,
        plan: &str,
        plans: Option<&mut Plans>,
    ) -> Result<BoardReply, EngineError> {
        let found = plans.as_deref().and_then(|plans| plans.find(&self.session.canvas, plan));
        match found {
            Some(plan) => self.change(id, &plan.change(), Some(plan.base)).await,
            None => {
                let error = plan::not_found();
                let snapshot = self.engine.snapshot(&self.session.canvas, self.now).await?;
                Ok(BoardReply::without_effects(ToolReply::error(&error, Some(&snapshot))))
            }
        }
    }

    async fn run(&self, id: CallId, command: Command) -> Result<(Outcome, Snapshot), EngineError> {
        let call = Call { operation: self.session.operation(id), command };
        let answered = self.engine.call(&self.session.canvas, &call, self.now).await?;
        Ok((answered.outcome, answered.snapshot))
    }

    /// The board, or the reply that there is none.
    async fn board(&self) -> Result<Result<(Arc<Board>, Snapshot), BoardReply>, EngineError> {
        let (board, snapshot) = self.engine.board(&self.session.canvas, self.now).await?;
        Ok(match board {
            Some(board) => Ok((board, snapshot)),
            None => {
                let refused = Outcome::Refused(Refusal::NoBoard);
                Err(BoardReply::without_effects(reply::refusal(&refused, &snapshot, None)))
            }
        })
    }

    fn dry_run<'b>(&'b self, board: &'b Board) -> DryRun<'b> {
        DryRun {
            board,
            registry: self.engine.registry(),
            policy: self.engine.policy(),
            now: self.now,
            extensions: self.extensions,
            aliases: self.aliases,
        }
    }
}

impl BoardReply {
    /// A reply to a call by which nothing happened.
    fn without_effects(reply: ToolReply) -> Self {
        Self { reply, events: Vec::new(), fetch: Vec::new() }
    }
}

/// The name of a second operation that a call makes. Hashed, because names have a longest length.
fn second(id: &CallId) -> CallId {
    let hash = BlobId::of(id.as_str().as_bytes());
    CallId::new(&format!("{hash}:available")).expect("a hash is a short name")
}

fn needing_data(events: &[CanvasEvent]) -> Vec<ComponentId> {
    let needing = |event: &CanvasEvent| match event {
        CanvasEvent::Added { component_id, needs_data: true }
        | CanvasEvent::Updated { component_id, needs_data: true } => Some(component_id.clone()),
        _ => None,
    };
    events.iter().filter_map(needing).collect()
}
