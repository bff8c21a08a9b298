//! A canvas with a surface, and two servers that run its actions.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use canvas_core::lease::Timestamp;
use canvas_core::store::{
    Commit, Committed, Head, Layer, MemoryStore, Store as _, StoreError, StoreErrorKind,
};
use canvas_core::surface::{
    ActionBegun, ActionEnded, ActionFailure, ActionId, ActionName, ActionRequest, BeginAction, Ceiling,
    ClientId, EventId, FinishAction, NumberedRecord, RunnerId, RunningAction, SessionKey, StateValue,
    SurfaceActor, SurfaceCommandRefusal, ToolContract, ToolDeclaration, ToolName,
};
use canvas_core::testing::block_on;
use canvas_core::{
    Blob, CallId, CanvasId, CodedError as _, Command, ConversationId, Engine, EngineError, OpKey, Policy,
};
use serde_json::{Value, json};

/// What becomes of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It is not done, and nobody knows.
    Lost,
    /// It is done, and nobody knows.
    Landed,
    /// It is not done.
    Definite,
    /// The other server makes the same call first. Then it is not done, and nobody knows.
    Overtaken,
    /// The other server is faster.
    Raced,
}

/// A store whose next commits go wrong.
pub(crate) struct Faulty {
    store: MemoryStore,
    script: Mutex<VecDeque<Fault>>,
    /// What another server does meanwhile.
    other: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Layer for Faulty {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let fault = self.script.lock().unwrap().pop_front();
        match fault {
            None => self.store.commit(commit).await,
            Some(Fault::Definite) => Err(StoreError::new(StoreErrorKind::Busy)),
            Some(Fault::Lost) => Err(StoreError::new(StoreErrorKind::Indeterminate)),
            Some(Fault::Raced) => {
                let other = self.other.lock().unwrap().take();
                other.expect("somebody is faster")();
                self.store.commit(commit).await
            }
            Some(Fault::Overtaken) => {
                let other = self.other.lock().unwrap().take();
                other.expect("somebody overtakes")();
                Err(StoreError::new(StoreErrorKind::Indeterminate))
            }
            Some(Fault::Landed) => {
                self.store.commit(commit).await?;
                Err(StoreError::new(StoreErrorKind::Indeterminate))
            }
        }
    }
}

/// A process that runs actions.
pub(crate) struct Server {
    pub(crate) engine: Engine<Faulty>,
    runner: RunnerId,
}

impl Server {
    pub(crate) fn expect(&self, faults: impl IntoIterator<Item = Fault>) {
        *self.engine.store().script.lock().unwrap() = faults.into_iter().collect();
    }

    /// What another server does before the next commit that is overtaken.
    pub(crate) fn overtake(&self, other: impl FnOnce() + Send + 'static) {
        *self.engine.store().other.lock().unwrap() = Some(Box::new(other));
    }
}

pub(crate) struct World {
    pub(crate) canvas: CanvasId,
    pub(crate) servers: Vec<Server>,
    store: MemoryStore,
    clock: Arc<AtomicU64>,
    events: AtomicU64,
    calls: AtomicU64,
    policy: Policy,
    ceiling: Arc<Ceiling>,
}

pub(crate) const START: u64 = 1_730_000_000_000;

pub(crate) type Begun = Result<ActionBegun, SurfaceCommandRefusal>;

fn tool(name: &str, read_only: bool) -> (ToolName, ToolContract) {
    let name = ToolName::new(name).unwrap();
    let declaration = ToolDeclaration { read_only, ..ToolDeclaration::default() };
    (name.clone(), ToolContract::new(name, declaration).unwrap())
}

pub(crate) fn spec() -> Value {
    json!({
        "version": 1,
        "mode": "html",
        "toolPolicy": {"allow": ["node__Deploy", "node__Danger", "node__Read"]},
        "actions": {
            "deploy": {
                "kind": "tool.call", "tool": "node__Deploy", "args": {"version": "{{state.version}}"},
                "saveAs": "last.deploy",
            },
            "drop": {"kind": "tool.call", "tool": "node__Danger", "args": {"at": "{{runtime.now}}"}, "timeoutMs": 1000},
            "read": {"kind": "tool.call", "tool": "node__Read", "args": {"of": "{{input.of}}"}, "saveAs": "log"},
            "ping": {"kind": "tool.call", "tool": "node__Deploy"},
            "shout": {"kind": "session.send", "message": "out", "confirm": "always"},
            "tell": {"kind": "session.send", "message": "{{state.version}} is out", "saveAs": "reply"},
            "mark": {
                "kind": "state.patch",
                "patch": [{"op": "replace", "path": "/status", "value": "marked"}],
            },
        },
        "bindings": {"buttons.go": "deploy"},
        "refresh": [
            {"id": "poll", "everyMs": 1000, "action": "read", "enabled": true},
            {"id": "idle", "everyMs": 1000, "action": "read", "enabled": false},
        ],
    })
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|_| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut Policy)) -> Self {
        let clock = Arc::new(AtomicU64::new(START));
        let reads = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(reads.load(Ordering::Relaxed)));
        let mut policy = Policy::default();
        change(&mut policy);
        let tools = [tool("node__Deploy", false), tool("node__Danger", false), tool("node__Read", true)];
        let ceiling = Ceiling {
            tools: tools.into_iter().collect(),
            trust: [ToolName::new("node__Deploy").unwrap()].into_iter().collect(),
            ..Ceiling::default()
        };
        let mut world = Self {
            canvas: CanvasId::new("deploy-prod").unwrap(),
            servers: Vec::new(),
            store,
            clock,
            events: AtomicU64::new(0),
            calls: AtomicU64::new(0),
            policy,
            ceiling: Arc::new(ceiling),
        };
        for _ in 0..2 {
            world.servers.push(world.start());
        }
        let engine = &world.servers[0].engine;
        block_on(engine.create(&world.canvas, "", &key("host", "create"), world.now())).unwrap();
        world.put_surface(&json!({"version": "1.2.7", "status": "new"}));
        world
    }

    /// A server with nothing in its memory, under a name of its own.
    pub(crate) fn start(&self) -> Server {
        let store = Faulty { store: self.store.clone(), script: Mutex::default(), other: Mutex::default() };
        let engine = Engine::new(store, self.policy).with_ceiling(Arc::clone(&self.ceiling));
        let number = self.events.fetch_add(1, Ordering::Relaxed);
        Server { engine, runner: RunnerId::new(&format!("runner {number}")).unwrap() }
    }

    /// Writes the files of a surface with this state.
    pub(crate) fn put_surface(&self, state: &Value) {
        let descriptor = json!({
            "agentId": "main", "title": "Deploy", "ownerSessionKey": "agent:main:main", "mode": "html",
            "createdAt": START,
        });
        let state = StateValue::from(state.clone()).to_json();
        let files = [
            ("descriptor.json", descriptor.to_string()),
            ("spec.json", spec().to_string()),
            ("state/latest.json", state),
        ];
        let blobs: Vec<_> = files.into_iter().map(|(path, text)| (path, Blob::text(text))).collect();
        self.change_head(blobs.iter().map(|(_, blob)| blob.clone()).collect(), |head| {
            let revision = head["revision"].as_u64().unwrap() + 1;
            head["revision"] = revision.into();
            head["faces"]["surface"] = revision.into();
            for (path, blob) in &blobs {
                head["draft"][*path] = json!(blob.id());
            }
        });
    }

    /// Commits a head that was changed as its JSON.
    pub(crate) fn change_head(&self, blobs: Vec<Blob>, change: impl FnOnce(&mut Value)) {
        let row = block_on(self.store.load(&self.canvas)).unwrap().unwrap();
        let mut json: Value = serde_json::from_slice(&row.head.to_json()).unwrap();
        change(&mut json);
        let head = Head::from_json(&self.canvas, json.to_string().as_bytes()).unwrap();
        let commit = Commit { expected: Some(row.version), head: Arc::new(head), blobs, not_after: None };
        assert!(matches!(block_on(self.store.commit(commit)), Ok(Committed::Done { .. })));
        self.servers.iter().for_each(|server| server.engine.forget(&self.canvas));
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    pub(crate) fn wait(&self, millis: u64) {
        self.clock.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn turn_back(&self, millis: u64) {
        self.clock.fetch_sub(millis, Ordering::Relaxed);
    }

    /// Sends a call, as a new attempt of it.
    pub(crate) fn try_begin(
        &self,
        server: usize,
        call: &str,
        request: ActionRequest,
    ) -> Result<Begun, EngineError> {
        let begin = self.attempt(server, request);
        self.send(server, call, begin)
    }

    /// A new attempt.
    pub(crate) fn attempt(&self, server: usize, request: ActionRequest) -> BeginAction {
        let event = self.events.fetch_add(1, Ordering::Relaxed);
        let event = EventId::new(&format!("event {event}")).unwrap();
        BeginAction { request, event, runner: self.servers[server].runner.clone() }
    }

    pub(crate) fn send(&self, server: usize, call: &str, begin: BeginAction) -> Result<Begun, EngineError> {
        let engine = &self.servers[server].engine;
        Ok(block_on(engine.call(&self.canvas, &key("host", call), begin, self.now()))?.result)
    }

    pub(crate) fn begin(&self, server: usize, call: &str, request: ActionRequest) -> Begun {
        self.try_begin(server, call, request).unwrap()
    }

    /// Begins an action that goes on outside.
    pub(crate) fn run(&self, server: usize, call: &str, action: &str) -> Box<RunningAction> {
        match self.begin(server, call, press(action)) {
            Ok(ActionBegun::Run(running)) => running,
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn try_finish(
        &self,
        server: usize,
        running: &RunningAction,
        outcome: Result<Value, ActionFailure>,
    ) -> Result<Result<ActionEnded, SurfaceCommandRefusal>, EngineError> {
        let finish = FinishAction { running: Box::new(running.clone()), outcome };
        self.ask(server, finish)
    }

    pub(crate) fn finish(
        &self,
        server: usize,
        running: &RunningAction,
        outcome: Result<Value, ActionFailure>,
    ) -> Result<ActionEnded, SurfaceCommandRefusal> {
        self.try_finish(server, running, outcome).unwrap()
    }

    /// Asks something that was not asked before.
    pub(crate) fn ask<C: Command>(
        &self,
        server: usize,
        command: C,
    ) -> Result<Result<C::Done, C::Refusal>, EngineError> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let engine = &self.servers[server].engine;
        let key = key("host", &format!("{call} of the world"));
        Ok(block_on(engine.call(&self.canvas, &key, command, self.now()))?.result)
    }

    /// Records, newest first.
    pub(crate) fn records(&self) -> Vec<NumberedRecord> {
        block_on(self.servers[0].engine.audit(&self.canvas, None, usize::MAX, self.now())).unwrap()
    }

    /// The head as JSON.
    pub(crate) fn head(&self) -> Value {
        let row = block_on(self.store.load(&self.canvas)).unwrap().unwrap();
        serde_json::from_slice(&row.head.to_json()).unwrap()
    }

    pub(crate) fn revision(&self) -> u64 {
        self.head()["revision"].as_u64().unwrap()
    }

    /// How many actions are under way.
    pub(crate) fn claims(&self) -> usize {
        self.head()["claims"].as_array().map_or(0, Vec::len)
    }

    pub(crate) fn state(&self) -> Value {
        let id = serde_json::from_value(self.head()["draft"]["state/latest.json"].clone()).unwrap();
        let blob = block_on(self.store.blob(&self.canvas, id)).unwrap().unwrap();
        serde_json::from_str(blob.as_text().unwrap()).unwrap()
    }
}

pub(crate) fn key(who: &str, call: &str) -> OpKey {
    let (conversation, call) = (ConversationId::new(who).unwrap(), CallId::new(call).unwrap());
    OpKey::of(conversation, call)
}

pub(crate) fn client() -> SurfaceActor {
    SurfaceActor::ClientId(ClientId::new("window").unwrap())
}

pub(crate) fn session(key: &str) -> SurfaceActor {
    SurfaceActor::SessionKey(SessionKey::new(key).unwrap())
}

/// A person presses a button.
pub(crate) fn press(action: &str) -> ActionRequest {
    ActionRequest {
        by: client(),
        job: None,
        action: ActionName::Id(ActionId::new(action).unwrap()),
        input: json!({}),
        expected: None,
        confirmation: None,
    }
}

/// What an answer comes to: `run`, or how it ended, or the code of a refusal.
pub(crate) fn word(begun: &Begun) -> &'static str {
    match begun {
        Ok(ActionBegun::Run(_)) => "run",
        Ok(ActionBegun::Ended { ended, .. }) => {
            ended.failure.as_ref().map_or("done", |fault| fault.code.code())
        }
        Err(refusal) => refusal.code(),
    }
}

/// Lists, each in the next.
pub(crate) fn nested(depth: usize) -> Value {
    (0..depth).fold(json!(1), |value, _| json!([value]))
}
