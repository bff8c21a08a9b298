//! Builds the reply to a board call.

use std::borrow::Cow;

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use canvas_core::board::{
    Board, BoardResult, CanvasCommand, CanvasEvent, CommandError, CommandErrorCode, CommandResult,
    ComponentId, ComponentInstance, PlacementAdjustment, PlacementResult,
};
use canvas_core::history::{HistoryEntry, HistoryRefusal};
use canvas_core::lease::{LeaseRefusal, Lock};
use canvas_core::refusal::BoardRefusal;
use canvas_core::schema::ValidationError;
use canvas_core::{Refusal, Refused as _, RevisionId, Snapshot};
use serde_json::Value;

use super::check::{Change, number_in};
use super::execute::{BoardOutcome, Direction};
use super::fields::{
    AdjustmentFields, BoardDetail, ChangeFields, ConfigFault, LegendFields, PlacementFields, PlanFields,
    PlannedFields, RefreshFields, RequestFields, StepFields,
};
use super::map::draw;
use super::show::shown;
use super::tool::{BoardTools, Tool};
use crate::reply::{ActionRequest, BoardEffects, Failure, HeldDetail, ToolReply, shorten, success};
use crate::toolset::document::next::{Aftermath, CallKind, after_refusal};

/// Builds the reply to a call.
pub(super) fn reply(
    outcome: BoardOutcome,
    (snapshot, lock): (&Snapshot, &Lock),
    toolset: BoardTools,
    tool: Tool,
) -> ToolReply {
    match outcome {
        BoardOutcome::Changed { change, result, events, revision } => {
            let fetch = components_needing_data(&events);
            let body = changed(&change, &result, &events, &fetch, revision);
            ToolReply::new(body).with_board(BoardEffects { events, fetch, requested: None })
        }
        BoardOutcome::Stepped { direction, steps, entries, events, revision } => {
            let fetch = components_needing_data(&events);
            let body = stepped(direction, steps, &entries, &events, &fetch, revision);
            ToolReply::new(body).with_board(BoardEffects { events, fetch, requested: None })
        }
        BoardOutcome::Refreshed(component) => {
            let has_data = component.data_binding.is_some();
            let fetch = if has_data { vec![component.id.clone()] } else { Vec::new() };
            let body = refreshed(&component, &fetch, snapshot.revision_id());
            ToolReply::new(body).with_board(BoardEffects { fetch, ..BoardEffects::default() })
        }
        BoardOutcome::Requested { request, requires_selection } => {
            let explanation = if requires_selection {
                "The user is asked to select an item and run the action: go on without its result."
            } else {
                "The user is asked to run the action: go on without its result."
            };
            let ActionRequest { component_id, action_id, label, .. } = &request;
            let fields = RequestFields { explanation, component_id, action_id, label };
            let body = success(snapshot.revision_id(), &fields);
            ToolReply::new(body)
                .with_board(BoardEffects { requested: Some(request), ..BoardEffects::default() })
        }
        BoardOutcome::Planned { id, change, result, after } => {
            ToolReply::new(planned(&id, &change, &result, &after, snapshot.revision_id()))
        }
        BoardOutcome::Rejected { change, result, corrected } => match result.error() {
            Some(error) => ToolReply::failed(&rejected(&change, error, corrected, toolset), Some(snapshot)),
            // Only a damaged store can hold a rejection without its reason.
            None => ToolReply::failed(
                &refused(BoardRefusal::BoardDamaged.view(), (snapshot, lock), tool),
                Some(snapshot),
            ),
        },
        BoardOutcome::Shown { board, after } => {
            ToolReply::new(shown(&board, after.as_ref(), snapshot.revision_id()))
        }
        BoardOutcome::UserActed(acts) => ToolReply::failed(&user_acted(&acts), Some(snapshot)),
        BoardOutcome::Refused(refusal) => {
            ToolReply::failed(&refused(refusal.view(), (snapshot, lock), tool), Some(snapshot))
        }
    }
}

fn components_needing_data(events: &[CanvasEvent]) -> Vec<ComponentId> {
    let needing = events.iter().filter_map(|event| match event {
        CanvasEvent::Added { component_id, needs_data: true }
        | CanvasEvent::Updated { component_id, needs_data: true } => Some(component_id.clone()),
        _ => None,
    });
    needing.collect()
}

/// Reports a change that was made or was not necessary.
fn changed(
    change: &Change,
    result: &BoardResult,
    events: &[CanvasEvent],
    fetch: &[ComponentId],
    revision: RevisionId,
) -> Value {
    let parts = parts_of(result);
    let (undo_id, explanation) = match result {
        BoardResult::Batch(result) if result.undo_id.is_none() => {
            (None, "Nothing to do: everything is as asked for already.")
        }
        BoardResult::Batch(result) => (result.undo_id.as_ref(), result.explanation.as_str()),
        BoardResult::One(result) => (result.undo_id.as_ref(), result.explanation.as_str()),
    };
    let names = PlannedNames::default();
    let (component_id, placement, placements) = match result {
        BoardResult::One(result) => {
            let is_new = matches!(change.command, CanvasCommand::Create(_));
            let component = result.affected_component_ids.first().filter(|_| is_new);
            let placement = result.placement.as_ref().map(|place| placement_fields(place, &names));
            (component, placement, Vec::new())
        }
        BoardResult::Batch(result) => (None, None, places(&result.results, &names)),
    };
    let view_id = events.iter().find_map(|event| match event {
        CanvasEvent::ViewSaved { view_id, .. } => Some(view_id),
        _ => None,
    });
    let fields = ChangeFields {
        explanation,
        component_id,
        affected_component_ids: unique(parts.iter().flat_map(|part| &part.affected_component_ids)),
        view_id,
        placement,
        placements,
        warnings: parts.iter().flat_map(|part| &part.warnings).map(String::as_str).collect(),
        undo_id,
        needs_data: fetch,
    };
    success(revision, &fields)
}

fn refreshed(component: &ComponentInstance, fetch: &[ComponentId], revision: RevisionId) -> Value {
    let explanation = if fetch.is_empty() {
        "This component shows no data, so there is nothing to fetch."
    } else {
        "The data are being fetched; the context shows them once they are there."
    };
    success(revision, &RefreshFields { explanation, component_id: &component.id, needs_data: fetch })
}

fn stepped(
    direction: Direction,
    asked: NonZeroU32,
    entries: &[HistoryEntry],
    events: &[CanvasEvent],
    fetch: &[ComponentId],
    revision: RevisionId,
) -> Value {
    let done = entries.len();
    let (verb, count) = match (direction, done) {
        (Direction::Undo, 1) => ("Took back", "one change".to_owned()),
        (Direction::Undo, many) => ("Took back", format!("{many} changes")),
        (Direction::Redo, 1) => ("Did again", "one change".to_owned()),
        (Direction::Redo, many) => ("Did again", format!("{many} changes")),
    };
    let short = if done < asked.get() as usize { ", all that there were" } else { "" };
    let affected = events.iter().filter_map(|event| match event {
        CanvasEvent::Added { component_id, .. }
        | CanvasEvent::Updated { component_id, .. }
        | CanvasEvent::Removed { component_id }
        | CanvasEvent::LayoutChanged { component_id, .. } => Some(component_id),
        _ => None,
    });
    let fields = StepFields {
        explanation: format!("{verb} {count}{short}."),
        steps: done,
        changes: entries.iter().map(|entry| shorten(&entry.summary).into_owned()).collect(),
        affected_component_ids: unique(affected),
        needs_data: fetch,
    };
    success(revision, &fields)
}

/// Reports the effect of each command of a plan, and the grid after all of them. `after` is the resulting board.
fn planned(id: &str, change: &Change, result: &BoardResult, after: &Board, revision: RevisionId) -> Value {
    let parts = parts_of(result);
    // Components that do not exist yet will have other ids than in the trial.
    let made = parts.iter().enumerate().filter_map(|(number, part)| match change.part(number) {
        Some(CanvasCommand::Create(_)) => part.affected_component_ids.first().cloned(),
        _ => None,
    });
    let names = PlannedNames(made.enumerate().map(|(number, id)| (id, format!("${number}"))).collect());
    let results = parts.iter().zip(&change.origins).map(|(part, origin)| PlannedFields {
        command: origin.split('/').nth(2).and_then(|number| number.parse().ok()),
        explanation: &part.explanation,
        affected_component_ids: part.affected_component_ids.iter().map(|id| names.of(id)).collect(),
        placement: part.placement.as_ref().map(|placement| placement_fields(placement, &names)),
        warnings: &part.warnings,
    });
    let map = draw(after);
    let legend = map.legend.into_iter().map(|(mark, component)| LegendFields {
        mark,
        component_id: names.of(&component.id).to_owned(),
        type_id: component.type_id,
    });
    let fields = PlanFields {
        plan_id: id,
        explanation: "Nothing was changed yet: pass the plan_id to commit_plan to do this.",
        results: results.collect(),
        map: map.text,
        legend: legend.collect(),
        rows_left_out: Some(map.rows_left_out).filter(|rows| *rows > 0),
    };
    success(revision, &fields)
}

/// Builds the failure of a change that the board refused.
fn rejected(
    change: &Change,
    error: &CommandError,
    corrected: Option<Value>,
    toolset: BoardTools,
) -> Failure<BoardDetail> {
    let next = match error.code {
        _ if corrected.is_some() => {
            Some("Next: make corrected_call, if it still does what is wanted.".to_owned())
        }
        CommandErrorCode::ComponentNotFound if toolset.show_canvas && error.candidates.is_empty() => {
            Some(format!("Next: call {}, which shows them.", Tool::Show.name()))
        }
        _ => None,
    };
    let place = error.place.as_deref().and_then(|place| place_in_call(change, place));
    let detail = BoardDetail {
        component_id: error.component_id.clone(),
        errors: error.errors.iter().map(|fault| config_fault(change, error, fault)).collect(),
        colliding_ids: error.colliding_ids.clone(),
        free_positions: error.free_positions.clone(),
        candidates: error.candidates.clone(),
        corrected_call: corrected,
        ..BoardDetail::default()
    };
    let failure = Failure { place: place.map(Cow::from), ..Failure::new(error.code.code(), message(error)) };
    Failure { detail, ..failure }.with_next(next)
}

/// Builds the failure of a call that did not run any command.
fn refused(refusal: Refusal<'_>, (snapshot, lock): (&Snapshot, &Lock), tool: Tool) -> Failure<BoardDetail> {
    let after = Aftermath {
        kind: CallKind::Other,
        turn_open: lock.is_turn_open(),
        has_seen: true,
        revision: snapshot.revision_id(),
        clock: snapshot.clock,
    };
    let next = match refusal {
        Refusal::Board(BoardRefusal::NoBoard) => {
            Some("Next: stop and tell the user that this canvas has no board.".to_owned())
        }
        Refusal::Board(BoardRefusal::StaleBoard { .. }) if tool == Tool::Commit => {
            Some(format!("Next: call {} again.", Tool::Plan.name()))
        }
        Refusal::Board(BoardRefusal::BoardDamaged) => Some("Next: stop and tell the user.".to_owned()),
        Refusal::NotAvailable(_) | Refusal::Board(_) => None,
        _ => after_refusal(refusal, after).map(|next| next.to_string()),
    };
    let detail = BoardDetail { held: HeldDetail::of(refusal, snapshot.clock), ..BoardDetail::default() };
    let failure = Failure::of(refusal, detail).with_next(next);
    let (code, message) = match (refusal, tool) {
        (Refusal::History(HistoryRefusal::HistoryEmpty { .. }), Tool::Redo) => (
            CommandErrorCode::NothingToRedo.code(),
            "there is nothing to do again: nothing was undone since the last change",
        ),
        (Refusal::History(HistoryRefusal::HistoryEmpty { .. }), _) => (
            CommandErrorCode::NothingToUndo.code(),
            "there is nothing to undo: no change is left in the history",
        ),
        // The history covers the whole canvas, and changing its document needs the lease.
        (
            Refusal::Lease(
                LeaseRefusal::NotOwned { .. }
                | LeaseRefusal::Expired { .. }
                | LeaseRefusal::StaleEpoch { .. },
            ),
            Tool::Undo | Tool::Redo,
        ) => (
            failure.code,
            "the change to take is one of the document, which this tool leaves alone: edit the document instead, or ask the \
             user to undo it",
        ),
        _ => return failure,
    };
    Failure { code, message: message.to_owned(), ..failure }
}

/// Builds the failure of an undo after the user has acted.
fn user_acted(acts: &[HistoryEntry]) -> Failure<BoardDetail> {
    let changes = acts.iter().map(|entry| shorten(&entry.summary).into_owned()).collect();
    let detail = BoardDetail { changes, ..BoardDetail::default() };
    let failure = Failure::of(HistoryRefusal::UserActed.view(), detail);
    if acts.is_empty() {
        let message = "the user has acted since your turn began: edit instead of undoing".to_owned();
        return Failure { message, ..failure };
    }
    failure
}

/// Converts a place in a command to a place in the call's arguments. Returns `None` if the call does not contain it.
fn place_in_call(change: &Change, place: &str) -> Option<String> {
    let (number, within) = number_in(place);
    let origin = change.origins.get(number)?;
    let within = within.strip_prefix("payload/").unwrap_or("");
    let (field, rest) = match within.find('/') {
        Some(end) => within.split_at(end),
        None => (within, ""),
    };
    let field = match (field, change.part(number)) {
        ("", _) => return Some(origin.clone()),
        ("config", Some(CanvasCommand::Update(_))) => "config_updates",
        ("typeId", _) => "type_id",
        ("componentId", _) => "component_id",
        ("viewId", _) => "view_id",
        // A resize collides because of its size, even if the core names another place.
        ("position", Some(CanvasCommand::Resize(_))) => "size",
        (field, _) => field,
    };
    Some(format!("{origin}/{field}{rest}"))
}

fn config_fault(change: &Change, error: &CommandError, fault: &ValidationError) -> ConfigFault {
    let number = error.place.as_deref().map_or(0, |place| number_in(place).0);
    let config = match &change.command {
        CanvasCommand::Batch(_) => format!("/payload/commands/{number}/payload/config{}", fault.path),
        _ => format!("/payload/config{}", fault.path),
    };
    ConfigFault {
        place: place_in_call(change, &config),
        message: shorten(&fault.message).into_owned(),
        code: fault.code.clone(),
    }
}

/// Returns the core's message, or one that only mentions concepts of the tools.
fn message(error: &CommandError) -> String {
    if error.code != CommandErrorCode::CollisionDetected {
        return shorten(&error.message).into_owned();
    }
    const SHOWN: usize = 5;
    let mut ids: Vec<&str> = error.colliding_ids.iter().take(SHOWN).map(ComponentId::as_str).collect();
    if error.colliding_ids.len() > SHOWN {
        ids.push("others");
    }
    let next = match error.free_positions.first() {
        Some(first) => format!("choose a free place such as {first}, or move what is there first"),
        None => "there is no free place of this size: choose a smaller size or remove something".to_owned(),
    };
    match ids.as_slice() {
        [] => shorten(&error.message).into_owned(),
        ids => format!("{} covers that place: {next}", ids.join(", ")),
    }
}

/// The names of components that do not exist yet: `$0`, `$1` and so on.
#[derive(Default)]
struct PlannedNames(BTreeMap<ComponentId, String>);

impl PlannedNames {
    fn of<'a>(&'a self, id: &'a ComponentId) -> &'a str {
        self.0.get(id).map_or_else(|| id.as_str(), String::as_str)
    }
}

fn places<'a>(results: &'a [CommandResult], names: &'a PlannedNames) -> Vec<PlacementFields<'a>> {
    let placed = results.iter().filter_map(|result| {
        let component = names.of(result.affected_component_ids.first()?);
        let fields = placement_fields(result.placement.as_ref()?, names);
        Some(PlacementFields { component_id: Some(component), ..fields })
    });
    placed.collect()
}

fn placement_fields<'a>(placement: &'a PlacementResult, names: &'a PlannedNames) -> PlacementFields<'a> {
    let PlacementResult { position, reason, adjustments } = placement;
    let adjustments = adjustments.as_ref().map(|adjustments| {
        let moved = adjustments.iter().map(|PlacementAdjustment { component_id, from, to, reason }| {
            AdjustmentFields { component_id: names.of(component_id), from, to, reason }
        });
        moved.collect()
    });
    PlacementFields { component_id: None, position, reason: *reason, adjustments }
}

fn parts_of(result: &BoardResult) -> &[CommandResult] {
    match result {
        BoardResult::Batch(result) => &result.results,
        BoardResult::One(result) => std::slice::from_ref(result),
    }
}

/// Removes duplicates and keeps the order of first occurrence.
fn unique<'a>(ids: impl Iterator<Item = &'a ComponentId>) -> Vec<&'a ComponentId> {
    let mut seen = BTreeSet::new();
    ids.filter(|id| seen.insert(*id)).collect()
}
