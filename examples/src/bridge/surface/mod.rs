//! Operations on surfaces.

mod host;
mod setup;

use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use canvas_core::json::canonical_json;
use canvas_core::lease::Timestamp;
use canvas_core::store::Store as _;
use canvas_core::surface::{
    ActionFailure, AuditRecord, Ceiling, DueJob, EventId, JobPolicy, RefreshJobs, RunnerId, Scope, Sink,
    Spec, StateValue, SurfaceActor, SurfaceEvent, SurfaceFault, Template, TemplateOptions, ToolContract,
    ToolDeclaration, ToolName, ValuePath,
};
use canvas_core::{BlobId, CallId, CanvasId, CodedError as _, ConversationId, OpKey};
use canvas_tools::action::{ActionOver, ActionRun, ActionStep, SessionHost as _, ToolHost as _};
use canvas_tools::surface::{
    AssetContent, SurfaceCaller, SurfaceDoor, SurfaceError, SurfaceReply, SurfaceRequest,
};
use serde_json::{Value, json};

pub(super) use self::host::{ScriptedError, ScriptedHost};
use super::documents::{Documents, canvas};
use super::request::{BridgeError, Request};

/// What the bridge keeps for surfaces.
#[derive(Debug)]
pub(super) struct Surfaces {
    door: Arc<SurfaceDoor>,
    host: Arc<ScriptedHost>,
    ceiling: Arc<Ceiling>,
    seed: u64,
    /// Calls that a tool holds, by execution.
    held: BTreeMap<EventId, Held>,
}

/// An execution that waits for its tool.
#[derive(Debug)]
struct Held {
    run: ActionRun,
    /// The job that it is of.
    job: Option<DueJob>,
    /// When the bridge gives up, as a host of real tools would.
    until: Timestamp,
}

impl Default for Surfaces {
    fn default() -> Self {
        let (host, ceiling) = Default::default();
        Self { door: door(0), host, ceiling, seed: 0, held: BTreeMap::new() }
    }
}

/// A door under the name of a new runner.
fn door(seed: u64) -> Arc<SurfaceDoor> {
    let name = format!("bridge-{:016x}", RandomState::new().hash_one(0));
    Arc::new(SurfaceDoor::new(RunnerId::new(&name).expect("it is short"), seed))
}

impl Surfaces {
    pub(super) fn door(&self) -> &Arc<SurfaceDoor> {
        &self.door
    }

    #[cfg(feature = "recipe")]
    pub(super) fn host(&self) -> Arc<ScriptedHost> {
        Arc::clone(&self.host)
    }

    pub(super) fn ceiling(&self) -> &Arc<Ceiling> {
        &self.ceiling
    }

    /// Spreads the jobs anew. What is under way for one goes on by itself.
    fn reseed(&mut self, seed: u64) {
        self.seed = seed;
        *self.door.jobs() = RefreshJobs::new(seed, JobPolicy::default());
        self.held.values_mut().for_each(|held| held.job = None);
    }

    /// As after a new start: views, jobs and calls under way are gone.
    pub(super) fn restart(&mut self) {
        self.door = door(self.seed);
        self.held.clear();
    }
}

/// What has happened in a request.
#[derive(Debug, Default)]
struct Happened {
    events: Vec<SurfaceEvent>,
    audit: Vec<AuditRecord>,
}

impl Happened {
    fn take(&mut self, reply: SurfaceReply) -> Result<Value, SurfaceError> {
        self.events.extend(reply.events);
        self.audit.extend(reply.audit);
        reply.result
    }
}

pub(super) async fn set_host(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let (host, ceiling) = setup::host(request)?;
    let seed = request.field::<Option<u64>>("seed")?;
    documents.faces.surfaces.host = Arc::new(host);
    documents.faces.surfaces.ceiling = ceiling;
    documents.renew_engine();
    documents.renew_tools();
    if let Some(seed) = seed.filter(|seed| *seed != documents.faces.surfaces.seed) {
        documents.faces.surfaces.reseed(seed);
        track_all(documents, documents.clock()).await?;
    }
    Ok(json!({}))
}

pub(super) async fn request(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let now = documents.now(request)?;
    let actor: SurfaceActor = request.field("actor")?;
    let (method, params) = (request.text("method")?, request.field::<Option<Value>>("params")?);
    let call = request.field::<Option<CallId>>("call_id")?;
    let params = params.unwrap_or(Value::Null);
    let mut happened = expire(documents, now).await?;
    let result = answer(documents, method, &params, (actor, call), now, &mut happened).await;
    rendered(documents, result?, &happened)
}

type Answer = Result<Result<Value, SurfaceError>, BridgeError>;

async fn answer(
    documents: &mut Documents,
    method: &str,
    params: &Value,
    (actor, call): (SurfaceActor, Option<CallId>),
    now: Timestamp,
    happened: &mut Happened,
) -> Answer {
    let parsed = match SurfaceRequest::parse(method, params) {
        Ok(parsed) => parsed,
        Err(error) => return Ok(Err(error.into())),
    };
    let operation = documents.surface_operation(&actor, call, parsed.canvas(), now).await?;
    let caller = SurfaceCaller { actor, operation };
    let door = Arc::clone(&documents.faces.surfaces.door);
    let SurfaceRequest::Action(params) = parsed else {
        let reply = door.answer(documents.engine(), &caller, parsed, now).await;
        return Ok(happened.take(reply));
    };
    match door.action(&caller, params, now) {
        Ok(run) => execute(documents, run, None, now, happened).await,
        Err(error) => Ok(Err(error)),
    }
}

/// Runs an action up to its end, or until a tool holds it.
async fn execute(
    documents: &mut Documents,
    mut run: ActionRun,
    job: Option<DueJob>,
    now: Timestamp,
    happened: &mut Happened,
) -> Answer {
    loop {
        match run.advance(documents.engine(), now).await {
            Ok(events) => happened.events.extend(events),
            Err(error) => return Ok(Err(error.into())),
        }
        let host = &documents.faces.surfaces.host;
        let outcome = match run.step() {
            ActionStep::Over(over) => {
                let over = over.clone();
                return Ok(ended(documents, &over, job.as_ref(), now, happened));
            }
            ActionStep::Call(invocation) if host.holds(&invocation.tool) => {
                host.record(&invocation);
                let (event, until) = (invocation.event_id, now.saturating_add(invocation.timeout));
                documents.faces.surfaces.held.insert(event.clone(), Held { run, job, until });
                return Ok(Ok(json!({"eventId": event, "pending": true})));
            }
            ActionStep::Call(invocation) => host.call(&invocation).await,
            ActionStep::Send(message) => host.send(&message).await,
            ActionStep::Begin(_) | ActionStep::Finish(_) => continue,
        };
        run.settle(outcome);
    }
}

fn ended(
    documents: &Documents,
    over: &ActionOver,
    job: Option<&DueJob>,
    now: Timestamp,
    happened: &mut Happened,
) -> Result<Value, SurfaceError> {
    if let Some(job) = job {
        documents.faces.surfaces.door.job_over(job, over, now);
    }
    happened.take(SurfaceReply::of_action(over, Vec::new()))
}

/// Ends what a tool has held for too long.
async fn expire(documents: &mut Documents, now: Timestamp) -> Result<Happened, BridgeError> {
    let held = &mut documents.faces.surfaces.held;
    let late: Vec<EventId> =
        held.iter().filter(|(_, held)| held.until <= now).map(|(event, _)| event.clone()).collect();
    let mut happened = Happened::default();
    for event in late {
        drop(settled(documents, &event, Err(ActionFailure::TimedOut), now, &mut happened).await?);
    }
    Ok(happened)
}

async fn settled(
    documents: &mut Documents,
    event: &EventId,
    outcome: Result<Value, ActionFailure>,
    now: Timestamp,
    happened: &mut Happened,
) -> Answer {
    let Some(Held { mut run, job, .. }) = documents.faces.surfaces.held.remove(event) else {
        let message = format!("nothing is under way as {event}: look at its audit record");
        return Err(BridgeError::new("ACTION_NOT_FOUND", message).with("place", "/eventId".into()));
    };
    run.settle(outcome);
    execute(documents, run, job, now, happened).await
}

pub(super) async fn settle(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let now = documents.now(request)?;
    let event: EventId = request.field("eventId")?;
    let outcome = match request.field::<Option<ScriptedError>>("error")? {
        Some(error) => Err(error.into()),
        None => Ok(request.field::<Option<Value>>("result")?.unwrap_or(Value::Null)),
    };
    let mut happened = Happened::default();
    // One that comes too late is for the engine to drop.
    let result = settled(documents, &event, outcome, now, &mut happened).await?;
    rendered(documents, result, &happened)
}

pub(super) async fn poll(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let now = documents.now(request)?;
    let mut happened = expire(documents, now).await?;
    track_all(documents, now).await?;
    let door = Arc::clone(&documents.faces.surfaces.door);
    let mut ran = Vec::new();
    for (job, run) in door.due(documents.engine(), now).await {
        let (key, action) = (job.key.clone(), job.action.clone());
        let outcome = match execute(documents, run, Some(job), now, &mut happened).await? {
            Ok(answer) if answer.get("pending").is_some() => "pending",
            Ok(_) => "finished",
            Err(error) => error.code(),
        };
        ran.push(json!({
            "canvasId": key.canvas, "jobId": key.job, "actionId": action, "outcome": outcome,
        }));
    }
    let calls = documents.faces.surfaces.host.take_calls();
    let next = door.jobs().next_due();
    let next = next.into_iter().chain(documents.faces.surfaces.held.values().map(|held| held.until)).min();
    Ok(
        json!({"ran": ran, "events": happened.events, "audit": happened.audit, "calls": calls, "nextDue": next}),
    )
}

/// Learns the jobs of all canvases, whatever has changed their specs.
async fn track_all(documents: &Documents, now: Timestamp) -> Result<(), BridgeError> {
    let (engine, door) = (documents.engine(), &documents.faces.surfaces.door);
    for canvas in engine.store().list(None, usize::MAX).await? {
        door.track(engine, &canvas, now).await?;
    }
    Ok(())
}

/// A reply with what has happened, in the error of one that failed too.
fn rendered(
    documents: &Documents,
    result: Result<Value, SurfaceError>,
    happened: &Happened,
) -> Result<Value, BridgeError> {
    let Happened { events, audit } = happened;
    let calls = documents.faces.surfaces.host.take_calls();
    match result {
        Ok(result) => Ok(json!({"result": result, "events": events, "audit": audit, "calls": calls})),
        Err(error) => {
            let mut json = error.to_json();
            // A wrong parameter is a wrong field of the request.
            if error.code() == "INVALID_ARGUMENTS" {
                json["code"] = "BAD_REQUEST".into();
            }
            Err(BridgeError::of(&json)
                .with("events", json!(events))
                .with("audit", json!(audit))
                .with("calls", calls.into()))
        }
    }
}

pub(super) fn check(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let spec: Value = request.field("spec")?;
    let (ceiling, limits) = (documents.faces.surfaces.ceiling(), &documents.engine().policy().surface);
    let (errors, warnings) = match Spec::compile(&spec, ceiling, limits) {
        Ok(spec) => (Vec::new(), spec.warnings(ceiling)),
        Err(faults) => (faults, Vec::new()),
    };
    Ok(json!({"errors": errors, "warnings": warnings}))
}

/// Resolves a template as the arguments of a tool that has the schema, and one sink for all of its text.
pub(super) fn template(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let template: Value = request.field("template")?;
    let state = StateValue::from(request.field::<Option<Value>>("state")?.unwrap_or_else(|| json!({})));
    let input = request.field::<Option<Value>>("input")?.unwrap_or_else(|| json!({}));
    let required = request.field::<Option<Vec<ValuePath>>>("required")?.unwrap_or_default();
    let sinks =
        request.field::<Option<Sink>>("sink")?.map(|sink| (String::new(), sink)).into_iter().collect();
    let input_schema = request.field::<Option<Value>>("schema")?.unwrap_or(Value::Null);
    let scope = Scope { state: &state, input: &input, now: request.now()? };

    let name = ToolName::new("template")?;
    let declaration = ToolDeclaration { input_schema, sinks, ..ToolDeclaration::default() };
    let contract = ToolContract::new(name.clone(), declaration)
        .map_err(|e| BridgeError::new(e.code(), e.to_string()))?;
    let limits = &documents.engine().policy().surface;
    let options = TemplateOptions { place: "", required: &required, limits };
    let template = Template::arguments(&template, &name, Some(&contract), &options).map_err(faults)?;
    let value = template.resolve(&scope).map_err(|fault| faults(vec![fault]))?;
    contract.check(&value, "").map_err(faults)?;
    Ok(json!({"value": value}))
}

fn faults(faults: Vec<SurfaceFault>) -> BridgeError {
    let first = faults.first().map_or_else(|| json!({}), |fault| json!(fault));
    BridgeError::of(&first).with("errors", json!(faults))
}

pub(super) async fn file(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let path = request.text("path")?;
    let found = documents
        .faces
        .surfaces
        .door
        .file(documents.engine(), &canvas(request)?, path, documents.clock())
        .await;
    let file = found.map_err(|error| BridgeError::of(&error.to_json()))?;
    let (bytes, media_type) = (file.content.len(), file.media_type);
    let mut json = match AssetContent::from(file.content) {
        AssetContent::Text(text) => json!({"text": text}),
        AssetContent::Bytes(encoded) => json!(encoded),
    };
    json["mediaType"] = media_type.into();
    json["bytes"] = bytes.into();
    Ok(json)
}

pub(super) async fn audit(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let limit = request.field::<Option<usize>>("limit")?.unwrap_or(100);
    let records = documents.engine().audit(&canvas(request)?, None, limit, documents.clock()).await?;
    Ok(json!({"records": records}))
}

impl Documents {
    /// The key of a request: a session acts in the turn that runs, a retry in that of the first try.
    async fn surface_operation(
        &mut self,
        actor: &SurfaceActor,
        call: Option<CallId>,
        canvas: Option<&CanvasId>,
        now: Timestamp,
    ) -> Result<OpKey, BridgeError> {
        let name = match actor {
            SurfaceActor::ClientId(client) => format!("\0client {client}"),
            SurfaceActor::SessionKey(session) => session.as_str().to_owned(),
        };
        let conversation = ConversationId::new(&name)?;
        let call = match call {
            Some(call) => call,
            None => self.call_id()?,
        };
        let (SurfaceActor::SessionKey(_), Some(canvas)) = (actor, canvas) else {
            return Ok(OpKey { person: self.person.clone(), ..OpKey::of(conversation, call) });
        };
        let turn = self.turn_of(canvas, &conversation, &call, now).await?;
        Ok(OpKey { conversation, turn, call, person: None })
    }
}

/// Canonical JSON, by which replies of tools are compared.
pub(super) fn canonical(request: &Request<'_>) -> Result<Value, BridgeError> {
    let value: Value = request.field("value")?;
    let text = canonical_json(&value).map_err(|error| {
        BridgeError::new(error.code(), error.to_string()).with("place", error.place.into())
    })?;
    let hash = BlobId::of(text.as_bytes()).to_string();
    Ok(json!({"text": text, "hash": hash}))
}
