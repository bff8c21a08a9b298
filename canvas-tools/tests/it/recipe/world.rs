//! A canvas in memory, a host of tools that answers by scripts and remembers its calls, and a clock.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use canvas_core::board::ComponentId;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{CanvasData, RecipeLimits, RecordRecipe, RunId, StoredRecipe};
use canvas_core::store::{Commit, Head, MemoryStore, Store as _};
use canvas_core::surface::{ActionFailure, Ceiling, ToolContract, ToolDeclaration, ToolName};
use canvas_core::testing::block_on;
use canvas_core::{Author, Blob, CallId, CanvasId, Command, ConversationId, Engine, OpKey, Policy};
use canvas_tools::action::{ToolHost, ToolInvocation};
use canvas_tools::recipe::{RecipeDeclaration, Refresher, ReplayError, ReplayReport, ReplayRequest};
use canvas_tools::{ObservedCall, Recorder};
use serde_json::{Value, json};

/// 2026-04-15T12:00:00Z.
pub(crate) const NOON: u64 = 1_776_254_400_000;
pub(crate) const DAY: u64 = 86_400_000;

type Script = Box<dyn Fn(&Value) -> Result<Value, ActionFailure> + Send + Sync>;

/// Answers by scripts.
#[derive(Default)]
pub(crate) struct Host {
    scripts: BTreeMap<String, Script>,
    calls: Mutex<Vec<(String, Value)>>,
}

impl Host {
    pub(crate) fn script(
        &mut self,
        tool: &str,
        script: impl Fn(&Value) -> Result<Value, ActionFailure> + Send + Sync + 'static,
    ) {
        self.scripts.insert(tool.to_owned(), Box::new(script));
    }

    /// The calls since the last time.
    pub(crate) fn take(&self) -> Vec<(String, Value)> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

impl ToolHost for Host {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        let (tool, arguments) = (invocation.tool.as_str(), &invocation.arguments);
        self.calls.lock().unwrap().push((tool.to_owned(), arguments.clone()));
        self.scripts[tool](arguments)
    }
}

pub(crate) struct World {
    pub(crate) engine: Engine<MemoryStore>,
    store: MemoryStore,
    pub(crate) host: Host,
    pub(crate) tools: BTreeMap<ToolName, ToolContract>,
    pub(crate) recorder: Recorder,
    refresher: Refresher,
    clock: Arc<AtomicU64>,
    calls: AtomicU64,
}

/// Orders by an id and an amount, those since a day.
pub(crate) fn orders(arguments: &Value) -> Value {
    let all =
        [("2026-04-03", "a", 35), ("2026-04-10", "b", 20), ("2026-04-13", "c", 5), ("2026-04-20", "d", 50)];
    let from = arguments["from"].as_str().unwrap_or_default().to_owned();
    let rows = all.iter().filter(|(day, ..)| **day >= *from);
    let rows: Vec<_> =
        rows.map(|(day, id, amount)| json!({"day": day, "id": id, "amount": amount})).collect();
    json!({"rows": rows})
}

impl World {
    /// With tools that read orders and customers, one that sends mails, and the canvas `c`.
    pub(crate) fn new() -> Self {
        let clock = Arc::new(AtomicU64::new(NOON));
        let shared = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
        let mut host = Host::default();
        host.script("orders", |arguments| Ok(orders(arguments)));
        host.script("customer", |arguments| {
            Ok(json!({"name": format!("customer of {}", arguments["order"].as_str().unwrap_or("none"))}))
        });
        host.script("mail", |_| Ok(json!({"sent": true})));
        let mut world = Self {
            engine: Engine::new(store.clone(), Policy::default()),
            store,
            host,
            tools: BTreeMap::new(),
            recorder: Recorder::default(),
            refresher: Refresher::default(),
            clock,
            calls: AtomicU64::new(0),
        };
        for (name, read_only) in [("orders", true), ("customer", true), ("mail", false)] {
            world.declare_tool(
                name,
                ToolDeclaration { read_only, version: Some("1.0".to_owned()), ..ToolDeclaration::default() },
            );
        }
        world.renew();
        block_on(world.engine.create(&canvas(), "", &world.key(), world.now())).unwrap();
        world
    }

    pub(crate) fn declare_tool(&mut self, name: &str, declaration: ToolDeclaration) {
        let name = ToolName::new(name).unwrap();
        self.tools.insert(name.clone(), ToolContract::new(name, declaration).unwrap());
    }

    /// A new engine over the same store, with the tools that there are now.
    pub(crate) fn renew(&mut self) {
        self.renew_with(None);
    }

    pub(crate) fn renew_with(&mut self, allow: Option<&[&str]>) {
        let allow = allow.map(|names| names.iter().map(|name| ToolName::new(name).unwrap()).collect());
        let ceiling = Ceiling { tools: self.tools.clone(), allow, ..Ceiling::default() };
        self.engine = Engine::new(self.store.clone(), Policy::default()).with_ceiling(Arc::new(ceiling));
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    pub(crate) fn wait(&self, ms: u64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    pub(crate) fn key(&self) -> OpKey {
        let call = format!("call-{}", self.calls.fetch_add(1, Ordering::Relaxed));
        let conversation = ConversationId::new("host").unwrap();
        OpKey::of(conversation, CallId::new(&call).unwrap())
    }

    #[track_caller]
    pub(crate) fn run<C: Command>(&self, command: C) -> Result<C::Done, C::Refusal> {
        block_on(self.engine.call(&canvas(), &self.key(), command, self.now())).unwrap().result
    }

    /// A call of the turn, shown to the recorder.
    pub(crate) fn turn_call(&mut self, id: &str, tool: &str, arguments: Value) -> Value {
        let result = self.host.scripts[tool](&arguments).unwrap();
        let call = ObservedCall {
            id: serde_json::from_value(json!(id)).unwrap(),
            tool: ToolName::new(tool).unwrap(),
            arguments,
            result: result.clone(),
            now: self.now(),
        };
        self.recorder.observe(call, &self.engine.ceiling().clone(), &RecipeLimits::default()).unwrap();
        // As a server reads it after a restart.
        self.recorder = serde_json::from_str(&serde_json::to_string(&self.recorder).unwrap()).unwrap();
        result
    }

    /// A turn that shows orders since a week, their sum, and the customer of the first.
    pub(crate) fn turn(&mut self) {
        let found = self.turn_call("c1", "orders", json!({"from": "2026-04-08"}));
        self.turn_call("c2", "customer", json!({"order": found["rows"][0]["id"]}));
    }

    #[track_caller]
    pub(crate) fn record(&self, declaration: Value) -> Vec<(String, String)> {
        let declaration: RecipeDeclaration = serde_json::from_value(declaration).unwrap();
        let turn = self.recorder.declare(&declaration, None, &RecipeLimits::default());
        let turn = turn.unwrap_or_else(|error| panic!("{error:?}"));
        let recorded = self.run(turn.command(Author::Host)).unwrap();
        let frozen = recorded.non_refreshable.into_iter();
        frozen.map(|one| (one.component.to_string(), one.reason)).collect()
    }

    /// A world whose turn was recorded.
    pub(crate) fn recorded() -> Self {
        let mut world = Self::new();
        world.turn();
        assert_eq!(world.record(declaration()), []);
        world.wait(60_000);
        world
    }

    pub(crate) fn put_recipe(&self, recipe: Value) {
        let (recipe, now) = (Some(recipe), self.now());
        let command = RecordRecipe { by: Author::Host, recipe, expected: None, data: BTreeMap::new(), now };
        self.run(command).unwrap();
    }

    /// As if another library had stored this as the recipe.
    pub(crate) fn store_recipe(&mut self, recipe: &Value) {
        let row = block_on(self.store.load(&canvas())).unwrap().unwrap();
        let blob = Blob::text(recipe.to_string());
        let mut json: Value = serde_json::from_slice(&row.head.to_json()).unwrap();
        json["draft"]["recipe.json"] = json!(blob.id());
        let head = Arc::new(Head::from_json(&canvas(), json.to_string().as_bytes()).unwrap());
        let commit = Commit { expected: Some(row.version), head, blobs: vec![blob], not_after: None };
        block_on(self.store.commit(commit)).unwrap();
        self.renew();
    }

    pub(crate) fn request(&self) -> ReplayRequest {
        ReplayRequest { by: Author::User, now: self.now(), zone: None, components: None, dry_run: false }
    }

    pub(crate) fn try_replay(&self, request: ReplayRequest) -> Result<ReplayReport, ReplayError> {
        let operation = self.key();
        let run = RunId::new(operation.call.as_str()).unwrap();
        let (canvas, host) = (canvas(), &self.host);
        block_on(self.refresher.refresh(&self.engine, host, (&canvas, &operation), run, request))
    }

    /// A replay of all, a minute after the last.
    #[track_caller]
    pub(crate) fn replay(&self) -> ReplayReport {
        self.wait(60_000);
        self.try_replay(self.request()).unwrap()
    }

    pub(crate) fn recipe(&self) -> Arc<StoredRecipe> {
        block_on(self.engine.recipe(&canvas(), self.now())).unwrap().0.expect("there is one")
    }

    pub(crate) fn data(&self) -> CanvasData {
        block_on(self.engine.data(&canvas(), self.now())).unwrap().0
    }

    /// What a component shows: its status and its data.
    pub(crate) fn shown(&self, component: &str) -> Value {
        let data = self.data();
        let data = &data.components[&ComponentId::new(component).unwrap()];
        json!([data.status, data.data])
    }
}

pub(crate) fn canvas() -> CanvasId {
    CanvasId::new("c").unwrap()
}

pub(crate) fn declaration() -> Value {
    json!({
        "mappings": [
            {"step": "c1", "path": "/rows", "component": "table", "ops": [
                {"op": "sort", "by": [{"path": "/amount", "dir": "desc"}]},
                {"op": "limit", "count": 2},
                {"op": "select", "fields": {"id": "/id", "amount": "/amount"}},
            ]},
            {"step": "c1", "path": "/rows", "component": "sum", "ops": [
                {"op": "aggregate", "by": {}, "values": {"sum": {"fn": "sum", "path": "/amount"}}},
            ]},
            {"step": "c2", "path": "/name", "component": "customer"},
        ],
        "params": {
            "c1": {"/from": {"$date": "now-7d/d", "as": "date"}},
            "c2": {"/order": {"$result": {"step": "c1", "path": "/rows/0/id"}}},
        },
    })
}

/// The statuses and codes of what a replay could not feed, by component.
pub(crate) fn stale(report: &ReplayReport) -> Vec<(String, String, &'static str)> {
    let stale = report.stale().iter().map(|one| {
        let target =
            one.target.component().map_or_else(|| json!(one.target).to_string(), ToString::to_string);
        (target, json!(one.status).as_str().unwrap().to_owned(), one.reason.code.code())
    });
    stale.collect()
}
