//! Operations on the recipes of canvases.

use std::collections::BTreeMap;
use std::sync::Arc;

use canvas_core::board::{CanvasEvent, ComponentId};
use canvas_core::json::JsonHash;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{
    ComponentData, Recipe, RecipeCommandRefusal, RecipeLimits, RecipeRecorded, RecordRecipe, RunId, StepId,
};
use canvas_core::surface::{SurfaceEvent, SurfaceEventKind, ToolName};
use canvas_core::{Author, CanvasId, CodedError as _, ConversationId, OpKey, Refused as _, Zone};
use canvas_tools::action::ToolHost as _;
use canvas_tools::recipe::{
    RecipeDeclaration, RecordError, Refresher, Replay, ReplayError, ReplayReport, ReplayRequest, RerunError,
    RunRecord, turn_composition,
};
use canvas_tools::{ObservedCall, Recorder};
use serde::Deserialize;
use serde_json::{Value, json};

use super::refused;
use crate::bridge::documents::{Documents, canvas};
use crate::bridge::request::{BridgeError, Request};
use crate::bridge::surface::ScriptedError;

/// What the bridge keeps for recipes.
#[derive(Debug, Default)]
pub(in crate::bridge) struct Recipes {
    refresher: Arc<Refresher>,
    recorders: BTreeMap<(CanvasId, ConversationId), Recorder>,
    runs: BTreeMap<(CanvasId, RunId), RunRecord>,
    /// Replays that wait for tools.
    held: BTreeMap<CanvasId, Replay>,
    begun: u64,
}

impl Recipes {
    pub(in crate::bridge) fn refresher(&self) -> &Arc<Refresher> {
        &self.refresher
    }

    /// What a conversation was shown of its calls.
    pub(in crate::bridge) fn recorder(&self, canvas: &CanvasId, conversation: &ConversationId) -> Recorder {
        self.recorders.get(&(canvas.clone(), conversation.clone())).cloned().unwrap_or_default()
    }

    /// Another turn begins.
    pub(in crate::bridge) fn forget(&mut self, canvas: &CanvasId, conversation: &ConversationId) {
        self.recorders.remove(&(canvas.clone(), conversation.clone()));
    }

    /// As after a new start: calls under way are gone, and the pauses with them. The host keeps its records.
    pub(in crate::bridge) fn restart(&mut self) {
        self.refresher = Arc::default();
        self.recorders.clear();
        self.held.clear();
    }
}

pub(in crate::bridge) async fn record(
    documents: &mut Documents,
    request: &Request<'_>,
) -> Result<Value, BridgeError> {
    let now = documents.clock();
    let recipe = Some(request.field::<Value>("recipe")?);
    let command = RecordRecipe { by: Author::Host, recipe, expected: None, data: BTreeMap::new(), now };
    recorded(documents, &canvas(request)?, command).await
}

async fn recorded(
    documents: &mut Documents,
    canvas: &CanvasId,
    command: RecordRecipe,
) -> Result<Value, BridgeError> {
    let now = documents.clock();
    let RecipeRecorded { non_refreshable, .. } =
        documents.ask(canvas, command, now).await?.map_err(|refusal| of_refusal(&refusal))?;
    show(documents, canvas, now).await?;
    let (recipe, _) = documents.engine().recipe(canvas, now).await?;
    Ok(json!({"recipe": recipe.map(|recipe| recipe.to_json()), "nonRefreshable": non_refreshable}))
}

/// A call as the host has seen it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    id: StepId,
    name: ToolName,
    #[serde(default)]
    arguments: Value,
}

pub(in crate::bridge) fn observe(
    documents: &mut Documents,
    request: &Request<'_>,
) -> Result<Value, BridgeError> {
    let (now, key) = (documents.now(request)?, conversation(request)?);
    let Call { id, name: tool, arguments } = request.field("call")?;
    let arguments = if arguments.is_null() { json!({}) } else { arguments };
    let call = ObservedCall { id, tool, arguments, result: request.field("result")?, now };
    let (ceiling, limits) = (Arc::clone(documents.engine().ceiling()), documents.engine().policy().recipe);
    let recorder = documents.faces.recipes.recorders.entry(key).or_default();
    recorder
        .observe(call, &ceiling, &limits)
        .map_err(|drift| BridgeError::new(drift.code.code(), drift.message))?;
    Ok(json!({}))
}

pub(in crate::bridge) async fn declare(
    documents: &mut Documents,
    request: &Request<'_>,
) -> Result<Value, BridgeError> {
    let (now, key) = (documents.now(request)?, conversation(request)?);
    let declaration = RecipeDeclaration {
        mappings: request.field("mappings")?,
        params: request.field::<Option<_>>("params")?.unwrap_or_default(),
        timezone: request.field("timezone")?,
        shown: request.field::<Option<_>>("shown")?.unwrap_or_default(),
    };
    let session = documents.session(request, now).await?;
    let composition = turn_composition(documents.engine(), &session, now).await?;
    let recorder = documents.faces.recipes.recorder(&key.0, &key.1);
    let limits = documents.engine().policy().recipe;
    let turn =
        recorder.declare(&declaration, composition.as_ref(), &limits).map_err(|error| of_record(&error))?;
    recorded(documents, &key.0, turn.command(Author::Host)).await
}

fn conversation(request: &Request<'_>) -> Result<(CanvasId, ConversationId), BridgeError> {
    let session = request.field::<Option<&str>>("session")?.unwrap_or("main");
    Ok((canvas(request)?, ConversationId::new(session)?))
}

pub(in crate::bridge) async fn get(
    documents: &Documents,
    request: &Request<'_>,
) -> Result<Value, BridgeError> {
    let (recipe, _) = documents.engine().recipe(&canvas(request)?, documents.clock()).await?;
    let recipe = recipe.ok_or_else(no_recipe)?;
    Ok(json!({"recipe": recipe.to_json()}))
}

fn no_recipe() -> BridgeError {
    of_refusal(&canvas_core::recipe::RecipeRefusal::RecipeNotFound.into())
}

pub(in crate::bridge) async fn data(
    documents: &Documents,
    request: &Request<'_>,
) -> Result<Value, BridgeError> {
    let (data, _) = documents.engine().data(&canvas(request)?, documents.clock()).await?;
    let components: BTreeMap<_, _> = data.components.iter().map(|(id, data)| (id, data_json(data))).collect();
    Ok(json!({"components": components}))
}

/// With the code of the reason, and its words beside it.
fn data_json(data: &ComponentData) -> Value {
    let mut json = json!(data);
    if let Some(reason) = &data.reason {
        json["reason"] = json!(reason.code);
        json["message"] = reason.message.as_str().into();
    }
    json
}

pub(in crate::bridge) async fn replay(
    documents: &mut Documents,
    request: &Request<'_>,
) -> Result<Value, BridgeError> {
    let (now, canvas) = (documents.now(request)?, canvas(request)?);
    let zone = request.field::<Option<&str>>("timezone")?.map(Zone::new).transpose()?;
    let components = request.field::<Option<Vec<ComponentId>>>("components")?;
    let dry_run = request.field::<Option<bool>>("dryRun")?.unwrap_or(false);
    begin(documents, &canvas, ReplayRequest { by: Author::User, now, zone, components, dry_run }).await
}

/// Replays a component whose data a recipe makes. `None` where none does.
pub(in crate::bridge) async fn refresh(
    documents: &mut Documents,
    canvas: &CanvasId,
    component: &ComponentId,
    now: Timestamp,
) -> Result<Option<Value>, BridgeError> {
    let (recipe, _) = documents.engine().recipe(canvas, now).await?;
    let feeds = |recipe: Arc<canvas_core::recipe::StoredRecipe>| {
        recipe.targets().iter().any(|target| target.component() == Some(component))
    };
    if !recipe.is_some_and(feeds) {
        return Ok(None);
    }
    let components = Some(vec![component.clone()]);
    let request = ReplayRequest { by: Author::User, now, zone: None, components, dry_run: false };
    begin(documents, canvas, request).await.map(Some)
}

async fn begin(
    documents: &mut Documents,
    canvas: &CanvasId,
    request: ReplayRequest,
) -> Result<Value, BridgeError> {
    let (now, number) = (request.now, documents.faces.recipes.begun + 1);
    let run = RunId::new(&format!("run-{number}"))?;
    let refresher = Arc::clone(&documents.faces.recipes.refresher);
    let replay = refresher.begin(documents.engine(), canvas, run, request).await.map_err(of_replay)?;
    documents.faces.recipes.begun = number;
    // One that waits still is given up.
    documents.faces.recipes.held.remove(canvas);
    advance(documents, canvas, replay, now).await
}

pub(in crate::bridge) async fn settle(
    documents: &mut Documents,
    request: &Request<'_>,
) -> Result<Value, BridgeError> {
    let (now, canvas) = (documents.now(request)?, canvas(request)?);
    let step: StepId = request.field("step")?;
    let answer = match request.field::<Option<ScriptedError>>("error")? {
        Some(error) => Err(error.into()),
        None => Ok(request.field::<Option<Value>>("result")?.unwrap_or(Value::Null)),
    };
    let Some(mut replay) = documents.faces.recipes.held.remove(&canvas) else {
        return Err(of_replay(ReplayError::NotPending { step }));
    };
    if let Err(error) = replay.settle(&step, answer) {
        documents.faces.recipes.held.insert(canvas, replay);
        return Err(of_replay(error));
    }
    advance(documents, &canvas, replay, now).await
}

/// Calls what can be called, and ends the replay where no tool holds it.
async fn advance(
    documents: &mut Documents,
    canvas: &CanvasId,
    mut replay: Replay,
    now: Timestamp,
) -> Result<Value, BridgeError> {
    let host = documents.faces.surfaces.host();
    while let Some(call) = replay.next_call() {
        if !host.holds(&call.invocation.tool) {
            replay.settle(&call.step, host.call(&call.invocation).await).map_err(of_replay)?;
        }
    }
    // They are in the reply.
    host.take_calls();
    let Some(finish) = replay.finish() else {
        let reply = json!({
            "calls": calls_json(&replay.calls()), "pending": replay.pending(), "patch": [], "refreshed": [], "stale": [],
            "events": [], "escalation": null, "now": now, "runId": replay.run(),
        });
        documents.faces.recipes.held.insert(canvas.clone(), replay);
        return Ok(reply);
    };
    let operation: OpKey = documents.operation(canvas_core::lease::Turn::ZERO)?;
    let landed = replay.land(documents.engine(), (canvas, &operation), finish, now).await;
    let report = landed.map_err(of_replay)?;
    let events = events(documents, canvas, &report, now).await?;
    let mut reply = report.to_json();
    reply["calls"] = calls_json(&report.run.calls);
    reply["patch"] = json!(report.patch());
    reply["events"] = events.into();
    documents.faces.recipes.runs.insert((canvas.clone(), report.run.run_id.clone()), report.run);
    Ok(reply)
}

fn calls_json(calls: &[canvas_tools::recipe::RecordedCall]) -> Value {
    let calls = calls.iter().map(|call| json!({"step": call.step, "tool": call.tool, "params": call.params}));
    calls.collect()
}

/// What the windows are told: what components show, and where the state has changed.
async fn events(
    documents: &mut Documents,
    canvas: &CanvasId,
    report: &ReplayReport,
    now: Timestamp,
) -> Result<Vec<Value>, BridgeError> {
    let shown = show(documents, canvas, now).await?;
    let mut events: Vec<_> = shown.iter().map(|event| json!(event)).collect();
    let paths = report.changed_state();
    if report.run.finished.committed && !paths.is_empty() {
        let updated = SurfaceEvent::new(SurfaceEventKind::Updated, canvas.clone(), report.revision(), now);
        events.push(json!(updated.at_paths(paths)));
    }
    Ok(events)
}

/// Shows the data of the canvas among those of its board. What the board no longer has shows nothing.
async fn show(
    documents: &mut Documents,
    canvas: &CanvasId,
    now: Timestamp,
) -> Result<Vec<CanvasEvent>, BridgeError> {
    let (mut data, _) = documents.engine().data(canvas, now).await?;
    let (board, _) = documents.engine().board(canvas, now).await?;
    if let Some(board) = board {
        data.components.retain(|id, _| board.bounds(id).is_some());
    }
    Ok(documents.faces.data.show(canvas, &data, now))
}

pub(in crate::bridge) fn run(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let run: RunId = request.field("runId")?;
    let Some(record) = documents.faces.recipes.runs.get(&(canvas(request)?, run.clone())) else {
        let message = format!("there is no run {run} of this canvas: take the runId of a reply");
        return Err(BridgeError::new("RUN_NOT_FOUND", message));
    };
    Ok(json!({"run": record}))
}

pub(in crate::bridge) fn rerun(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let run: RunRecord = request.field("run")?;
    let responses: BTreeMap<JsonHash, Value> = request.field("responses")?;
    let recipe: Value = request.field("recipe")?;
    let limits: RecipeLimits = documents.engine().policy().recipe;
    let recipe = Recipe::compile(&recipe, &limits).map_err(|faults| refused(&faults))?;
    let rerun = run.rerun(recipe, &responses, limits).map_err(|error| of_rerun(&error))?;
    Ok(json!({"calls": calls_json(&rerun.calls), "patch": rerun.patch, "data": rerun.data}))
}

fn of_refusal(refusal: &RecipeCommandRefusal) -> BridgeError {
    let error = BridgeError::from(refusal.view());
    let RecipeCommandRefusal::Recipe(refusal) = refusal else { return error };
    let faults: Vec<_> = refusal.faults().collect();
    let error = match refusal.place() {
        Some(place) => error.with("place", place.into()),
        None => error,
    };
    if faults.is_empty() { error } else { error.with("errors", json!(faults)) }
}

fn of_replay(error: ReplayError) -> BridgeError {
    match error {
        ReplayError::Refused(refusal) => of_refusal(&refusal),
        ReplayError::Engine(error) => error.into(),
        error => {
            let json = BridgeError::new(error.code(), error.to_string())
                .with("retryable", error.is_retryable().into());
            match &error {
                ReplayError::RateLimited { until } => json.with("retryAt", json!(until)),
                error => error.place().map_or(json, |place| {
                    BridgeError::new(error.code(), error.to_string()).with("place", place.into())
                }),
            }
        }
    }
}

fn of_record(error: &RecordError) -> BridgeError {
    let json = BridgeError::new(error.code(), error.to_string());
    let json = match error.place() {
        Some(place) => json.with("place", place.into()),
        None => json,
    };
    if error.faults().is_empty() { json } else { json.with("errors", json!(error.faults())) }
}

fn of_rerun(error: &RerunError) -> BridgeError {
    let json = BridgeError::new(error.code(), error.to_string());
    match error {
        RerunError::ResponseMissing { step, hash } | RerunError::ResponseAltered { step, hash } => {
            json.with("step", json!(step)).with("hash", json!(hash))
        }
        RerunError::Mismatch { place, .. } => json.with("place", place.as_str().into()),
        RerunError::Zones { .. } => json.with("place", "/tzdbVersion".into()),
        _ => json,
    }
}
