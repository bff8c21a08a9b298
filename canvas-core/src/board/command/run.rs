//! Execution of commands. Named items are looked up first; the type, the config, the size, the place and collisions
//! follow. A command is done completely or not at all.

use super::env::BoardEnv;
use super::refusal::{RefusalCause, Refused, nearest};
use super::{Batch, CanvasCommand, UpdateComponent, UserAction};
use super::{MoveComponent, PartialMeta, RemoveComponent, ResizeComponent};
use crate::board::model::event::CanvasEvent;
use crate::board::model::grid::Position;
use crate::board::model::id::{ComponentId, UndoId};
use crate::board::model::placement::{OnCollision, PlacementReason, PlacementResult};
use crate::board::state::board::Board;
use crate::board::state::body::ComponentBody;
use crate::board::state::patch::{BoardPatch, PlacedComponent};
use crate::board::state::transaction::Transaction;
use crate::model::author::Role;
use canvas_lease::Timestamp;

/// A change of a board, as a history keeps it.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BoardChange {
    /// Id of the change, given as `undo_id` in the answer.
    pub id: UndoId,
    /// Time at which the change was made.
    pub at: Timestamp,
    /// The person or model that made the change.
    pub source: Role,
    /// Description of the change for people.
    pub description: String,
    /// The command with place and size settled.
    pub forward: Box<CanvasCommand>,
    /// The patch that the change applied.
    pub patch: BoardPatch,
}

/// The result of one command, within a batch or alone.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) explanation: String,
    pub(crate) affected: Vec<ComponentId>,
    pub(crate) placement: Option<PlacementResult>,
    pub(crate) warnings: Vec<String>,
    /// The command with place and size settled, if they were open.
    pub(crate) settled: Option<CanvasCommand>,
}

impl Done {
    pub(super) fn new(explanation: String, affected: Vec<ComponentId>) -> Self {
        Self { explanation, affected, placement: None, warnings: Vec::new(), settled: None }
    }
}

/// Answer, change and events of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    /// The result of the command, unless it is a batch.
    pub(crate) one: Option<Done>,
    /// The results of a batch's commands, up to the first refusal.
    pub(crate) done: Vec<Done>,
    pub(crate) refusal: Option<Refused>,
    /// Explanation of a whole batch, for people.
    pub(crate) explanation: String,
    pub(crate) change: Option<BoardChange>,
    pub(crate) events: Vec<CanvasEvent>,
}

impl Board {
    pub(crate) fn run(&mut self, command: &CanvasCommand, source: Role, env: &mut BoardEnv<'_>) -> Ran {
        let is_batch = matches!(command, CanvasCommand::Batch(_));
        let transaction = Transaction::new(self);
        let mut run = Execution { transaction, env, source, is_batch, created: Vec::new() };
        let mut ran = Ran {
            one: None,
            done: Vec::new(),
            refusal: None,
            explanation: String::new(),
            change: None,
            events: Vec::new(),
        };
        match command {
            CanvasCommand::Batch(batch) => (ran.done, ran.refusal) = run.batch(batch),
            command => match run.one(command) {
                Ok(done) => ran.one = Some(done),
                Err(refusal) => ran.refusal = Some(refusal),
            },
        }
        if ran.refusal.is_some() {
            run.transaction.undo();
            return ran;
        }
        let (settled, description) = match (command, &mut ran.one) {
            (_, Some(done)) => (done.settled.take(), done.explanation.clone()),
            (CanvasCommand::Batch(batch), None) => {
                ran.explanation = explanation(batch, &ran.done);
                (settled(batch, &mut ran.done), ran.explanation.clone())
            }
            _ => unreachable!("a command that is not refused has done something"),
        };
        let forward = settled.unwrap_or_else(|| command.clone());
        (ran.change, ran.events) = run.commit(forward, description);
        ran
    }
}

impl UserAction {
    /// Returns the equivalent command, or `None` for undo and redo, which belong to the history, and for a refresh,
    /// which belongs to the data.
    pub fn command(&self) -> Option<CanvasCommand> {
        Some(match self.clone() {
            Self::Move { component_id, position } => CanvasCommand::Move(MoveComponent {
                component_id,
                position,
                on_collision: OnCollision::Reject,
            }),
            Self::Resize { component_id, size } => CanvasCommand::Resize(ResizeComponent {
                component_id,
                size,
                on_collision: OnCollision::Reject,
            }),
            Self::Dismiss { component_id } => CanvasCommand::Remove(RemoveComponent { component_id }),
            Self::Pin { component_id, pinned } => {
                let meta = Some(PartialMeta { pinned: Some(pinned), label: None });
                CanvasCommand::Update(Box::new(UpdateComponent {
                    component_id,
                    config: None,
                    data_binding: None,
                    meta,
                }))
            }
            Self::Refresh { .. } | Self::Undo | Self::Redo => return None,
        })
    }
}

/// A place for a component, with the moves that it requires.
pub(super) struct Placement {
    pub(super) position: Position,
    pub(super) reason: PlacementReason,
    /// Slots, each with its new position.
    pub(super) moved: Vec<(u32, Position)>,
}

/// A command in execution.
pub(super) struct Execution<'r, 'e> {
    pub(super) transaction: Transaction<'r>,
    pub(super) env: &'r mut BoardEnv<'e>,
    pub(super) source: Role,
    pub(super) is_batch: bool,
    /// Components that the batch created so far, in commands called `$0`, `$1` and so on.
    pub(super) created: Vec<ComponentId>,
}

impl Execution<'_, '_> {
    fn one(&mut self, command: &CanvasCommand) -> Result<Done, Refused> {
        match command {
            CanvasCommand::Create(create) => self.create(create),
            CanvasCommand::Update(update) => self.update(update),
            CanvasCommand::Remove(remove) => self.remove(remove),
            CanvasCommand::Move(_) | CanvasCommand::Resize(_) => {
                let mut done = self.arrange(std::slice::from_ref(&command)).map_err(|(_, error)| error)?;
                Ok(done.remove(0))
            }
            CanvasCommand::SaveView(save) => self.save_view(save),
            CanvasCommand::LoadView(load) => self.load_view(load),
            CanvasCommand::DeleteView(delete) => self.delete_view(delete),
            CanvasCommand::Clear(clear) => Ok(self.clear(clear)),
            CanvasCommand::UpdateSettings(update) => self.update_settings(update),
            CanvasCommand::SetTrigger(set) => self.set_trigger(set),
            CanvasCommand::RemoveTrigger(remove) => self.remove_trigger(remove),
            CanvasCommand::Batch(_) => unreachable!("batches are flattened"),
        }
    }

    /// Returns the result of each command, up to the first refusal.
    fn batch(&mut self, batch: &Batch) -> (Vec<Done>, Option<Refused>) {
        let mut commands = Vec::new();
        if !flatten(batch, self.env.rules.batch, &mut commands) {
            let limit = self.env.rules.batch;
            return (Vec::new(), Some(RefusalCause::BatchTooLarge { limit }.refused()));
        }
        let mut all = Vec::with_capacity(commands.len());
        let mut rest = commands.as_slice();
        while let Some(first) = rest.first() {
            let reported = if is_deferred(first) {
                let run = rest.iter().take_while(|command| is_deferred(command)).count();
                let (run, after) = rest.split_at(run);
                rest = after;
                self.arrange(run)
            } else {
                rest = &rest[1..];
                self.one(first).map(|done| vec![done]).map_err(|error| (Vec::new(), error))
            };
            match reported {
                Ok(done) => all.extend(done),
                Err((done, error)) => {
                    all.extend(done);
                    return (all, Some(error));
                }
            }
        }
        (all, None)
    }

    fn commit(self, forward: CanvasCommand, description: String) -> (Option<BoardChange>, Vec<CanvasEvent>) {
        let now = self.env.now;
        let Self { transaction, env, source, .. } = self;
        let (patch, board) = transaction.finish(now);
        if patch.is_empty() {
            return (None, Vec::new());
        }
        let events = board.events_of(&patch);
        let forward = Box::new(forward);
        (Some(BoardChange { id: env.ids.undo(), at: now, source, description, forward, patch }), events)
    }

    /// Returns the slot of a component that a command names. This is the only lookup of it.
    pub(super) fn find(&self, id: &ComponentId) -> Result<u32, Refused> {
        let (id, board) = (self.meant(id), &*self.transaction.board);
        board.number_of(id).ok_or_else(|| {
            let mut candidates = self.called(id.as_str());
            if candidates.is_empty() {
                candidates = nearest(id.as_str(), board.records().map(|placed| placed.body.id.as_str()));
            }
            RefusalCause::ComponentNotFound { id: id.clone(), candidates }.refused()
        })
    }

    /// Returns up to five components that have this name as type, title or label.
    fn called(&self, name: &str) -> Vec<String> {
        const SHOWN: usize = 5;
        let is_name = |other: &str| other.eq_ignore_ascii_case(name);
        let is_called = |body: &ComponentBody| {
            let type_id = body.type_id.as_str();
            let title = self.env.registry.get(&body.type_id).map(|definition| definition.name.as_str());
            is_name(type_id)
                || type_id.rsplit('.').next().is_some_and(is_name)
                || title.is_some_and(is_name)
                || body.meta.label.as_deref().is_some_and(is_name)
        };
        let called = self.transaction.board.records().filter(|placed| is_called(&placed.body));
        called.take(SHOWN).map(|placed| placed.body.id.to_string()).collect()
    }

    /// Returns the component of a slot that [`find`](Self::find) returned.
    pub(super) fn placed(&self, number: u32) -> &PlacedComponent {
        self.transaction.board.slot(number).expect("what was found is there")
    }

    /// Resolves the component that a command names; for example, `$0` is the first that the batch created.
    fn meant<'c>(&'c self, id: &'c ComponentId) -> &'c ComponentId {
        let number = id.as_str().strip_prefix('$').and_then(|digits| digits.parse::<usize>().ok());
        number.and_then(|number| self.created.get(number)).unwrap_or(id)
    }
}

/// Whether a command moves or resizes without pushing. Such commands are judged together, so that two components may
/// change places.
const fn is_deferred(command: &CanvasCommand) -> bool {
    match command {
        CanvasCommand::Move(one) => one.on_collision.is_reject(),
        CanvasCommand::Resize(one) => one.on_collision.is_reject(),
        _ => false,
    }
}

/// Collects the commands of a batch and of nested batches. Returns false if there are too many.
fn flatten<'c>(batch: &'c Batch, limit: usize, into: &mut Vec<&'c CanvasCommand>) -> bool {
    batch.commands.iter().all(|command| match command {
        CanvasCommand::Batch(inner) => flatten(inner, limit, into),
        command => {
            into.push(command);
            into.len() <= limit
        }
    })
}

pub(crate) fn leaves(batch: &Batch) -> Vec<&CanvasCommand> {
    let mut all = Vec::new();
    flatten(batch, usize::MAX, &mut all);
    all
}

/// Returns the batch with every place and size chosen for its commands, or `None` if it has no commands.
fn settled(batch: &Batch, done: &mut [Done]) -> Option<CanvasCommand> {
    if done.is_empty() {
        return None;
    }
    let commands = done.iter_mut().zip(leaves(batch));
    let commands =
        commands.map(|(done, command)| done.settled.take().unwrap_or_else(|| command.clone())).collect();
    Some(CanvasCommand::Batch(Batch { commands, description: batch.description.clone() }))
}

fn explanation(batch: &Batch, done: &[Done]) -> String {
    match (batch.description.trim(), done) {
        ("", []) => "Nothing to do.".to_owned(),
        ("", [one]) => one.explanation.clone(),
        ("", many) => format!("Did {} things.", many.len()),
        (description, _) => description.to_owned(),
    }
}
