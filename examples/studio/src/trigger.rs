//! Triggers: a view is suggested or loaded when a person comes, or at a simulated time.

use std::collections::HashMap;
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};

use canvas_core::board::{
    CanvasCommand, DayParts, Due, DueAction, LoadView, Occasion, ProactiveMode, ProactiveTrigger,
    RunBoardCommand, SimulatedTime, SimulatedTimeError, TriggerId, TriggerMemory, ViewId, Workspace, due,
};
use canvas_core::lease::Timestamp;
use canvas_core::{Author, CanvasId, CodedError as _, OpKey};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::error::{Answer, Failure};
use crate::host::Host;

/// The zone of simulated times.
const ZONE: &str = "UTC";

/// A Monday at midnight, in milliseconds since 1970.
const MONDAY: u64 = 1_704_067_200_000;

/// What triggers have done already.
#[derive(Debug, Default)]
pub(crate) struct Triggers {
    memories: Mutex<HashMap<CanvasId, TriggerMemory>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct SimulateParams {
    canvas_id: CanvasId,
    simulated_time: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct AcceptParams {
    canvas_id: CanvasId,
    trigger_id: TriggerId,
}

/// A person opens the canvas. One client is one session.
pub(crate) async fn session_start(
    host: &Arc<Host>,
    canvas: &CanvasId,
    client: &Client,
) -> Result<(), Failure> {
    let Some(workspace) = host.workspace(canvas).await? else { return Ok(()) };
    // The suggestion goes into each conversation, and the person's own may be new.
    host.assistant.join(host, canvas, client.person()).await?;
    let occasion = Occasion::SessionStart { session: client.name() };
    let found = {
        let mut memories = host.triggers.memories.lock().unwrap_or_else(PoisonError::into_inner);
        let memory = memories.entry(canvas.clone()).or_default();
        due(&workspace.triggers, &workspace.views, workspace.settings.proactive_mode, occasion, memory)
    };
    // A session has no time zone that could be unknown.
    for one in found.unwrap_or_default() {
        activate(host, canvas, &workspace, one).await?;
    }
    Ok(())
}

/// A person says what time it is to be.
pub(crate) async fn simulate(host: &Arc<Host>, params: Value) -> Answer {
    let SimulateParams { canvas_id, simulated_time } = Failure::read(params)?;
    let Some(workspace) = host.workspace(&canvas_id).await? else {
        return Err(Failure::new("BOARD_NOT_FOUND", "the canvas has no board: create one first"));
    };
    let now = moment(&simulated_time)?;
    let mode = workspace.settings.proactive_mode;
    let occasion = Occasion::Time { now, zone: ZONE, parts: DayParts::default() };
    // Each time that it is simulated, it is as if it had come for the first time.
    let memory = &mut TriggerMemory::default();
    let found = due(&workspace.triggers, &workspace.views, mode, occasion, memory);
    let mut activated = Vec::new();
    for one in found.map_err(|error| Failure::new(error.code(), &error.to_string()))? {
        if matches!(one.action, DueAction::Nothing(_)) {
            continue;
        }
        activated.push(one.trigger.clone());
        activate(host, &canvas_id, &workspace, one).await?;
    }
    Ok(json!({"activated": activated}))
}

/// A moment that has the name of a simulated time.
fn moment(name: &str) -> Result<Timestamp, Failure> {
    let time: SimulatedTime = name.parse().map_err(|error: SimulatedTimeError| {
        let mut failure = Failure::new(error.code(), &error.to_string());
        failure.0["candidates"] = json!(error.candidates);
        failure
    })?;
    let probe: ProactiveTrigger = Failure::read(json!({
        "id": "probe", "name": "", "enabled": true, "type": "time_based", "simulatedTime": time.to_string(),
    }))?;
    let hours = (0..14 * 24).map(|hour| Timestamp::from_millis(MONDAY + hour * 3_600_000));
    let is_then = |now: &Timestamp| {
        let occasion = Occasion::Time { now: *now, zone: ZONE, parts: DayParts::default() };
        let memory = &mut TriggerMemory::default();
        due(slice::from_ref(&probe), &[], ProactiveMode::Suggest, occasion, memory)
            .is_ok_and(|due| !due.is_empty())
    };
    let mut hours = hours.filter(is_then);
    hours.next().ok_or_else(|| {
        Failure::new("UNKNOWN_SIMULATED_TIME", "no hour of a week has this name: use another one")
    })
}

/// A person takes what a trigger suggests.
pub(crate) async fn accept(host: &Arc<Host>, operation: &OpKey, params: Value) -> Answer {
    let AcceptParams { canvas_id, trigger_id } = Failure::read(params)?;
    let workspace = host.workspace(&canvas_id).await?;
    let view = workspace.and_then(|workspace| {
        workspace.triggers.into_iter().find(|one| one.id == trigger_id).and_then(|one| one.view_id)
    });
    let Some(view_id) = view else {
        return Err(Failure::new(
            "TRIGGER_NOT_FOUND",
            &format!("no trigger {trigger_id} has a view: ask for the canvas again"),
        ));
    };
    load(host, operation, &canvas_id, view_id).await
}

async fn load(host: &Host, operation: &OpKey, canvas: &CanvasId, view_id: ViewId) -> Answer {
    let command = Box::new(CanvasCommand::LoadView(LoadView { view_id }));
    let command = RunBoardCommand { by: Author::User, command, base: None, grid: None };
    let (run, _) = host.act(canvas, operation, command).await?;
    Ok(json!(run.result))
}

async fn activate(
    host: &Arc<Host>,
    canvas: &CanvasId,
    workspace: &Workspace,
    due: Due,
) -> Result<(), Failure> {
    let Due { trigger, action, message, event } = due;
    let name = workspace
        .triggers
        .iter()
        .find(|one| one.id == trigger)
        .map(|one| one.name.clone())
        .unwrap_or_default();
    let text = message.unwrap_or_else(|| name.clone());
    let view = match &action {
        DueAction::Suggest(view) | DueAction::Load(view) => Some(view.clone()),
        DueAction::Nothing(problem) => {
            crate::run::log(&format_args!("the trigger {trigger} does nothing: {problem}"));
            return Ok(());
        }
        _ => None,
    };
    if let DueAction::Load(view) = &action {
        load(host, &host.operation(), canvas, view.clone()).await?;
    }
    if let Some(event) = event {
        host.assistant.notice(canvas, [event]);
    }
    let mode = match workspace.settings.proactive_mode {
        ProactiveMode::Auto => "auto",
        _ => "suggest",
    };
    let payload = json!({"triggerId": trigger, "name": name, "message": text, "mode": mode, "viewId": view});
    host.publish(canvas, "canvas.trigger.activated", payload);
    if matches!(action, DueAction::Suggest(_)) {
        let view = view.map(|view| view.to_string());
        host.assistant.suggest(host, canvas, trigger.as_str(), &text, view.as_deref());
    }
    Ok(())
}
