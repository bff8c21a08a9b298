//! Surfaces in memory, a host of tools that answers by a script, and a clock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::surface::{
    ActionFailure, Ceiling, ClientId, RunnerId, SessionKey, SurfaceActor, SurfaceEvent, ToolContract,
    ToolDeclaration, ToolName,
};
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, CodedError as _, ConversationId, Engine, OpKey, Policy};
use canvas_tools::action::{SessionHost, SessionMessage, ToolHost, ToolInvocation};
use canvas_tools::surface::{SurfaceCaller, SurfaceDoor, SurfaceReply, SurfaceRequest};
use canvas_tools::{Session, SurfaceTools, ToolCall, ToolReply, Tools};
use serde_json::{Value, json};

/// The example of the source document, as written.
pub(crate) const SPEC: &str = include_str!("deploy.json");
pub(crate) const PAGE: &str = include_str!("index.html");

pub(crate) const BASH: &str = "server-a__Bash";

/// What a tool, or a session, answers.
type Script = dyn Fn(&Value) -> Result<Value, ActionFailure> + Send + Sync;

/// Answers by scripts, and remembers what it was asked.
pub(crate) struct Host {
    tools: BTreeMap<String, Box<Script>>,
    pub(crate) asked: Mutex<Vec<Value>>,
    /// Tools never answer.
    pub(crate) hangs: AtomicBool,
}

impl Host {
    fn new() -> Self {
        let mut host =
            Self { tools: BTreeMap::new(), asked: Mutex::default(), hangs: AtomicBool::new(false) };
        host.script(BASH, |args| Ok(json!({"result": format!("ran {}", args["command"].as_str().unwrap())})));
        host.script("agent:main:main", |_| Ok(json!("1. look")));
        host
    }

    pub(crate) fn script(
        &mut self,
        name: &str,
        script: impl Fn(&Value) -> Result<Value, ActionFailure> + Send + Sync + 'static,
    ) {
        self.tools.insert(name.to_owned(), Box::new(script));
    }

    /// What was asked since the last time.
    pub(crate) fn take(&self) -> Vec<Value> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    async fn answer(&self, name: &str, asked: Value) -> Result<Value, ActionFailure> {
        self.asked.lock().unwrap().push(asked.clone());
        if self.hangs.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
        self.tools[name](&asked)
    }
}

impl ToolHost for Host {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        self.answer(invocation.tool.as_str(), invocation.arguments.clone()).await
    }
}

impl SessionHost for Host {
    async fn send(&self, message: &SessionMessage) -> Result<Value, ActionFailure> {
        self.answer(message.session_key.as_str(), json!(message.text)).await
    }
}

pub(crate) struct World {
    pub(crate) engine: Engine<MemoryStore>,
    pub(crate) store: MemoryStore,
    pub(crate) door: Arc<SurfaceDoor>,
    pub(crate) host: Host,
    pub(crate) ceiling: Ceiling,
    pub(crate) policy: Policy,
    tools: Tools<MemoryStore>,
    clock: Arc<AtomicU64>,
    calls: AtomicU64,
    starts: u64,
}

impl World {
    /// A host with the tools of the example, of which it trusts the shell.
    pub(crate) fn new() -> Self {
        let mut ceiling = Ceiling { trust: [ToolName::new(BASH).unwrap()].into(), ..Ceiling::default() };
        for (name, read_only) in [(BASH, false), ("server-a__Read", true), ("gsv__LogsGet", true)] {
            let contract = contract(name, read_only);
            ceiling.tools.insert(contract.name().clone(), contract);
        }
        Self::with(ceiling, Policy::default())
    }

    pub(crate) fn with(ceiling: Ceiling, policy: Policy) -> Self {
        let clock = Arc::new(AtomicU64::new(1_730_000_000_000));
        let shared = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
        let (engine, door, tools) = start(&store, &ceiling, policy, 0);
        let (host, calls) = (Host::new(), AtomicU64::new(0));
        Self { engine, store, door, host, ceiling, policy, tools, clock, calls, starts: 0 }
    }

    /// The host goes down and comes up again: nothing is left but the store.
    pub(crate) fn restart(&mut self) {
        self.starts += 1;
        (self.engine, self.door, self.tools) = start(&self.store, &self.ceiling, self.policy, self.starts);
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    pub(crate) fn wait(&self, ms: u64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    pub(crate) fn fresh(&self) -> String {
        format!("call-{}", self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// A request under a call id; the same again is a retry.
    pub(crate) fn again(&self, id: &str, by: SurfaceActor, method: &str, params: Value) -> SurfaceReply {
        let conversation = match &by {
            SurfaceActor::ClientId(client) => ConversationId::new(client.as_str()),
            SurfaceActor::SessionKey(session) => ConversationId::new(session.as_str()),
        };
        let operation = OpKey::of(conversation.unwrap(), CallId::new(id).unwrap());
        let caller = SurfaceCaller { actor: by, operation };
        let request = SurfaceRequest::parse(method, &params).unwrap();
        block_on(self.door.request(&self.engine, &self.host, &caller, request, || self.now(), |_| {}))
    }

    /// A request of a person's window.
    pub(crate) fn window(&self, method: &str, params: Value) -> SurfaceReply {
        self.again(&self.fresh(), window("window"), method, params)
    }

    #[track_caller]
    pub(crate) fn ask(&self, method: &str, params: Value) -> Value {
        self.window(method, params).result.unwrap_or_else(|error| panic!("{method}: {}", error.to_json()))
    }

    /// The code of a request that is refused.
    #[track_caller]
    pub(crate) fn refused(&self, method: &str, params: Value) -> &'static str {
        let reply = self.window(method, params);
        assert_eq!((reply.events, reply.audit), (vec![], vec![]));
        reply.result.unwrap_err().code()
    }

    /// The surface of the example on the canvas `deploy-prod`.
    pub(crate) fn deploy_prod(&self) -> Value {
        self.ask("canvas.create", json!({
            "canvasId": "deploy-prod", "title": "Deploy Cockpit", "spec": spec(), "entryAsset": "assets/index.html",
            "assets": {"assets/index.html": PAGE},
        }))
    }

    pub(crate) fn state(&self) -> Value {
        self.ask("canvas.get", json!({"canvasId": "deploy-prod"}))["state"].clone()
    }

    /// Runs an action, confirming what is shown.
    #[track_caller]
    pub(crate) fn confirmed(&self, action: &str) -> SurfaceReply {
        let params = json!({"canvasId": "deploy-prod", "actionId": action});
        let asked = self.window("canvas.action", params.clone());
        let error = asked.result.unwrap_err();
        assert_eq!(error.code(), "CONFIRMATION_REQUIRED");
        let prompt = error.confirmation().unwrap();
        let mut params = params;
        params["confirmation"] = json!({"digest": prompt.digest, "plannedAt": prompt.planned_at});
        self.window("canvas.action", params)
    }

    /// A model's call of `gsv__Canvas` in a conversation, about the canvas `deploy-prod`.
    pub(crate) fn model(&self, conversation: &str, arguments: Value) -> ToolReply {
        let (canvas, who) = (deploy_id(), ConversationId::new(conversation).unwrap());
        let joined = block_on(Session::open(&self.engine, canvas.clone(), who.clone(), self.now()));
        let mut session = joined.unwrap_or_else(|_| Session::new(canvas, who));
        self.model_in(&mut session, &self.fresh(), arguments)
    }

    pub(crate) fn model_in(&self, session: &mut Session, id: &str, arguments: Value) -> ToolReply {
        let call = ToolCall { id: id.to_owned(), name: "gsv__Canvas".to_owned(), arguments };
        *session = crate::restored(session);
        let reply = block_on(self.tools.call(&self.engine, session, &call, self.now()));
        crate::recorded::judge(&call.name, &reply);
        reply
    }

    /// Runs the jobs that are due when the next one is. Gives actions and how they ended.
    pub(crate) fn poll(&self) -> Vec<(String, &'static str)> {
        let next = self.door.jobs().next_due().expect("there is a job");
        self.wait(next.as_millis().saturating_sub(self.now().as_millis()));
        let due = block_on(self.door.due(&self.engine, self.now()));
        let ran = due.into_iter().map(|(job, mut run)| {
            let over = block_on(run.drive(&self.engine, &self.host, || self.now(), |_| {})).unwrap();
            self.door.job_over(&job, &over, self.now());
            let code =
                SurfaceReply::of_action(&over, Vec::new()).result.err().map_or("OK", |error| error.code());
            (job.action.to_string(), code)
        });
        ran.collect()
    }

    pub(crate) fn audit(&self) -> Vec<Value> {
        let records = block_on(self.engine.audit(&deploy_id(), None, 100, self.now())).unwrap();
        records.into_iter().rev().map(|record| json!(record)).collect()
    }
}

fn start(
    store: &MemoryStore,
    ceiling: &Ceiling,
    policy: Policy,
    number: u64,
) -> (Engine<MemoryStore>, Arc<SurfaceDoor>, Tools<MemoryStore>) {
    let engine = Engine::new(store.clone(), policy).with_ceiling(Arc::new(ceiling.clone()));
    let door = Arc::new(SurfaceDoor::new(RunnerId::new(&format!("runner-{number}")).unwrap(), number));
    let tools = Tools::new(SurfaceTools::new(Arc::clone(&door))).unwrap();
    (engine, door, tools)
}

/// A tool that takes a command.
pub(crate) fn contract(name: &str, read_only: bool) -> ToolContract {
    let schema = json!({
        "type": "object", "required": ["command"], "additionalProperties": false,
        "properties": {"command": {"type": "string"}},
    });
    let declaration = ToolDeclaration { input_schema: schema, read_only, ..ToolDeclaration::default() };
    ToolContract::new(ToolName::new(name).unwrap(), declaration).unwrap()
}

pub(crate) fn spec() -> Value {
    serde_json::from_str(SPEC).unwrap()
}

pub(crate) fn deploy_id() -> CanvasId {
    CanvasId::new("deploy-prod").unwrap()
}

pub(crate) fn window(name: &str) -> SurfaceActor {
    SurfaceActor::ClientId(ClientId::new(name).unwrap())
}

pub(crate) fn session(key: &str) -> SurfaceActor {
    SurfaceActor::SessionKey(SessionKey::new(key).unwrap())
}

/// The kinds of events, and where the state has changed.
pub(crate) fn told(events: &[SurfaceEvent]) -> Vec<String> {
    let told = events.iter().map(|event| {
        let json = json!(event);
        let paths = json.get("changedPaths").map_or_else(String::new, Value::to_string);
        format!("{}{paths}", json["event"].as_str().unwrap())
    });
    told.collect()
}
