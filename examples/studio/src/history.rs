//! The history of a canvas: its changes with who made them, and undo and redo of one's own.
//!
//! A named person undoes that person's changes. A window without a name is the person `user`, and also undoes the changes of
//! the assistant and of the host, but never those of a named person.

use std::num::NonZeroU32;

use canvas_core::history::{
    ChangeNumber, ChangeSelection, ChangesOf, ClearHistory, Entry, EntryKind, HistoryMove, RedoOf, Undo,
    UndoScope,
};
use canvas_core::{Actor, Author, CanvasId, EngineError, OpKey, PersonId, Snapshot};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::clock;
use crate::error::{Answer, Failure};
use crate::host::Host;

/// Entries of each list.
const ENTRIES: usize = 20;

/// Named people whose stacks are sent. The pages of others leave their buttons enabled.
const PEOPLE: usize = 16;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StepParams {
    canvas_id: CanvasId,
    #[serde(default)]
    steps: Option<NonZeroU32>,
    /// Undo this change alone, past later ones that do not touch it.
    #[serde(default)]
    change: Option<ChangeNumber>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CanvasParams {
    canvas_id: CanvasId,
}

pub(crate) async fn undo_some(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let StepParams { canvas_id, steps, change } = Failure::read(params)?;
    match (change, steps) {
        (Some(_), Some(_)) => Err(Failure::new("INVALID_ARGUMENTS", "name a change, or how many: not both")),
        (Some(change), None) => take_back(host, operation, &canvas_id, UndoScope::Change(change)).await,
        (None, steps) => undo(host, operation, &canvas_id, steps.unwrap_or(NonZeroU32::MIN)).await,
    }
}

pub(crate) async fn redo_some(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let StepParams { canvas_id, steps, change } = Failure::read(params)?;
    let refused = |message| Err(Failure::new("INVALID_ARGUMENTS", message));
    match (change, steps) {
        (Some(_), _) => refused("a change is undone by its number, and done again in order"),
        (None, Some(steps)) if steps.get() > 1 => refused("redo takes the last undo: leave steps out"),
        (None, _) => redo(host, operation, &canvas_id).await,
    }
}

pub(crate) async fn clear_history(host: &Host, operation: &OpKey, params: Value) -> Answer {
    let CanvasParams { canvas_id } = Failure::read(params)?;
    clear(host, operation, &canvas_id).await
}

pub(crate) async fn clear(host: &Host, operation: &OpKey, canvas: &CanvasId) -> Answer {
    let (done, snapshot) = host.act(canvas, operation, ClearHistory).await?;
    let revision = host.note_revision(canvas, snapshot.head.revision());
    Ok(json!({"cleared": done.cleared, "revision": revision}))
}

/// Undoes the last changes of the person in the key.
pub(crate) async fn undo(host: &Host, operation: &OpKey, canvas: &CanvasId, steps: NonZeroU32) -> Answer {
    let what = match &operation.person {
        Some(person) => UndoScope::Select(last_of(person.clone(), steps)),
        None => without_name(host, canvas, steps).await?,
    };
    take_back(host, operation, canvas, what).await
}

/// Redoes the last undo by the person in the key.
pub(crate) async fn redo(host: &Host, operation: &OpKey, canvas: &CanvasId) -> Answer {
    let person = operation.person.clone().unwrap_or_default();
    let moved = host.act(canvas, operation, RedoOf { by: Author::User, person }).await;
    moved_in_history(host, canvas, moved, "NOTHING_TO_REDO")
}

fn last_of(person: PersonId, steps: NonZeroU32) -> ChangeSelection {
    ChangeSelection { last: Some(steps), ..ChangesOf::Person(person).into() }
}

/// Selects what a window without a name undoes. One change is named by its number, because somebody may change the canvas
/// before the undo.
async fn without_name(host: &Host, canvas: &CanvasId, steps: NonZeroU32) -> Result<UndoScope, Failure> {
    let stacks = host.engine.stacks(canvas, None, ENTRIES, clock::now()).await?;
    Ok(match open_without_name(&stacks.undo).first() {
        Some(entry) if steps == NonZeroU32::MIN => UndoScope::Select(ChangesOf::Change(entry.change).into()),
        _ => UndoScope::Select(last_of(PersonId::default(), steps)),
    })
}

/// Returns the changes in effect that a window without a name undoes. From under changes of named people, an undo is a
/// revert. Redo takes that back, so that a second undo does not.
fn open_without_name(undo: &[Entry]) -> Vec<&Entry> {
    let is_shared = undo.iter().any(is_of_named);
    let is_open = |entry: &&Entry| !(is_of_named(entry) || is_shared && entry.kind == EntryKind::Revert);
    undo.iter().filter(is_open).collect()
}

async fn take_back(host: &Host, operation: &OpKey, canvas: &CanvasId, what: UndoScope) -> Answer {
    let moved = host.act(canvas, operation, Undo { by: Author::User, what }).await;
    moved_in_history(host, canvas, moved, "NOTHING_TO_UNDO")
}

fn moved_in_history(
    host: &Host,
    canvas: &CanvasId,
    moved: Result<(HistoryMove, Snapshot), Failure>,
    nothing: &str,
) -> Answer {
    let (moved, snapshot) = moved.map_err(|Failure(mut error)| {
        if error["code"] == "HISTORY_EMPTY" {
            error["code"] = nothing.into();
        }
        Failure(error)
    })?;
    host.assistant.notice(canvas, moved.events);
    let revision = host.note_revision(canvas, snapshot.head.revision());
    Ok(json!({"entries": moved.entries, "revision": revision}))
}

/// Whether a named person made the change, or undid somebody's.
fn is_of_named(entry: &Entry) -> bool {
    let is_named =
        |actor: &Actor| matches!(actor, Actor::Person { person } if *person != PersonId::default());
    is_named(&entry.made_by()) || entry.first_made_by().as_ref().is_some_and(is_named)
}

/// Returns the history as pages get it: the changes in effect, newest first, and what undo and redo take next, without a
/// name and by each named person who shows the canvas.
pub(crate) async fn shown(host: &Host, canvas: &CanvasId) -> Result<Value, EngineError> {
    let (engine, now) = (&host.engine, clock::now());
    let all = engine.stacks(canvas, None, ENTRIES, now).await?;
    let unnamed = engine.stacks_of(canvas, &PersonId::default(), ENTRIES, now).await?;
    let mut open = open_without_name(&all.undo);
    if open.is_empty() {
        open.extend(&unnamed.undo);
    }
    let mut of = Map::new();
    let is_named = |person: &PersonId| *person != PersonId::default();
    for person in host.people.on(canvas).into_iter().filter(is_named).take(PEOPLE) {
        let own = engine.stacks_of(canvas, &person, ENTRIES, now).await?;
        of.insert(person.to_string(), json!({"undo": lines(&own.undo), "redo": lines(&own.redo)}));
    }
    Ok(json!({"undo": lines(open), "redo": lines(&unnamed.redo), "of": of, "changes": lines(&all.undo)}))
}

fn lines<'e>(entries: impl IntoIterator<Item = &'e Entry>) -> Value {
    entries.into_iter().map(line).collect()
}

fn line(entry: &Entry) -> Value {
    // A revert is a change of whoever made it. A redone change still belongs to its first actor.
    let by = match entry.kind {
        EntryKind::Revert => entry.made_by(),
        _ => entry.first_made_by().unwrap_or_else(|| entry.made_by()),
    };
    json!({
        "change": entry.change, "kind": entry.kind, "summary": entry.summary, "actor": entry.author, "at": entry.at,
        "by": by, "revision": entry.revision_after,
    })
}
