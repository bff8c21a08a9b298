//! Triggers: a view is suggested or loaded when a person comes, or at a simulated time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use canvas_core::board::{
    CanvasCommand, Due, DueAction, LoadView, Occasion, ProactiveMode, TriggerId, TriggerMemory, TriggerType,
    Workspace, due,
};
use canvas_core::{Author, CanvasId, OpKey, RunBoardCommand};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Client;
use crate::error::{Answer, Failure};
use crate::host::Host;

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
    // Those of that very time, as if it were a new session in which it comes.
    let simulated: Vec<_> = workspace
        .triggers
        .iter()
        .filter(|one| {
            one.kind == TriggerType::TimeBased && one.simulated_time.as_deref() == Some(&simulated_time)
        })
        .map(|one| {
            let mut one = one.clone();
            one.kind = TriggerType::SessionStart;
            one.simulated_time = None;
            one
        })
        .collect();
    let occasion = Occasion::SessionStart { session: &simulated_time };
    let mode = workspace.settings.proactive_mode;
    let found = due(&simulated, &workspace.views, mode, occasion, &mut TriggerMemory::default());
    let mut activated = Vec::new();
    for one in found.unwrap_or_default() {
        activated.push(one.trigger.clone());
        activate(host, &canvas_id, &workspace, one).await?;
    }
    Ok(json!({"activated": activated}))
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

async fn load(
    host: &Host,
    operation: &OpKey,
    canvas: &CanvasId,
    view_id: canvas_core::board::ViewId,
) -> Answer {
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
        DueAction::Tell => None,
        DueAction::Nothing(problem) => {
            crate::run::log(&format_args!("the trigger {trigger} does nothing: {problem}"));
            return Ok(());
        }
    };
    if let DueAction::Load(view) = &action {
        load(host, &host.operation(), canvas, view.clone()).await?;
    }
    if let Some(event) = event {
        host.assistant.notice_event(canvas, event);
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
