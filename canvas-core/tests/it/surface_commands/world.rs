//! A store that counts commits, an engine with a host's tools, and who asks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use canvas_core::lease::{Timestamp, Turn};
use canvas_core::rollout::Rollout;
use canvas_core::store::{Commit, Committed, Layer, MemoryStore, Store as _, StoreError};
use canvas_core::surface::{
    AgentId, Ceiling, ClientId, CreateSurface, Descriptor, PatchState, SessionKey, StatePatch, Surface,
    SurfaceActor, SurfaceCommandRefusal, SurfaceRefusal, ToolContract, ToolDeclaration, ToolName,
    UpsertSurface,
};
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{
    Blob, CallId, CanvasId, CodedError as _, Command, ConversationId, Engine, OpKey, Policy, Revision,
};
use serde_json::{Value, json};

pub(crate) const START: u64 = 1_730_000_000_000;

/// Counts commits.
pub(crate) struct Counting {
    store: MemoryStore,
    commits: AtomicUsize,
}

impl Layer for Counting {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.commits.fetch_add(1, Ordering::Relaxed);
        self.store.commit(commit).await
    }
}

pub(crate) struct World {
    pub(crate) engine: Engine<Counting>,
    pub(crate) canvas: CanvasId,
    pub(crate) turn: Turn,
    clock: Arc<AtomicU64>,
    calls: AtomicU64,
}

/// An answer, or the code and the place of a refusal.
pub(crate) type Told<T> = Result<T, (&'static str, String)>;

fn tool(name: &str, read_only: bool) -> (ToolName, ToolContract) {
    let name = ToolName::new(name).unwrap();
    let declaration = ToolDeclaration { read_only, ..ToolDeclaration::default() };
    (name.clone(), ToolContract::new(name, declaration).unwrap())
}

pub(crate) fn client() -> SurfaceActor {
    SurfaceActor::ClientId(ClientId::new("window").unwrap())
}

pub(crate) fn session(key: &str) -> SurfaceActor {
    SurfaceActor::SessionKey(session_key(key))
}

pub(crate) fn session_key(key: &str) -> SessionKey {
    SessionKey::new(key).unwrap()
}

pub(crate) fn agent(name: &str) -> AgentId {
    AgentId::new(name).unwrap()
}

/// A spec with an action that deploys, and asks each time.
pub(crate) fn spec(state: Value) -> Value {
    json!({
        "version": 1, "mode": "html", "state": state, "toolPolicy": {"allow": ["node__Deploy"]},
        "actions": {"deploy": {"kind": "tool.call", "tool": "node__Deploy", "confirm": "always"}},
        "bindings": {"go": "deploy"},
    })
}

pub(crate) fn assets(list: &[(&str, &str)]) -> BTreeMap<String, Blob> {
    list.iter().map(|(path, text)| ((*path).to_owned(), Blob::text((*text).to_owned()))).collect()
}

pub(crate) fn create(by: SurfaceActor) -> CreateSurface {
    CreateSurface {
        by,
        agent_id: None,
        title: None,
        owner_session_key: None,
        entry_asset: None,
        spec: spec(json!({"service": "api"})),
        assets: BTreeMap::new(),
    }
}

pub(crate) fn upsert(by: SurfaceActor) -> UpsertSurface {
    UpsertSurface { by, title: None, spec: None, assets: BTreeMap::new(), expected: None }
}

pub(crate) fn patch(by: SurfaceActor, operations: Value) -> PatchState {
    PatchState { by, patch: StatePatch::parse(&operations).unwrap(), expected: None }
}

impl World {
    pub(crate) fn new() -> Self {
        Self::with(|_, _| ())
    }

    pub(crate) fn with(change: impl FnOnce(&mut Policy, &mut Ceiling)) -> Self {
        let clock = Arc::new(AtomicU64::new(START));
        let reads = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(reads.load(Ordering::Relaxed)));
        let tools = [tool("node__Deploy", false), tool("node__Read", true)];
        let mut ceiling = Ceiling { tools: tools.into(), ..Ceiling::default() };
        let mut policy = Policy::default();
        change(&mut policy, &mut ceiling);
        let store = Counting { store, commits: AtomicUsize::new(0) };
        let engine = Engine::new(store, policy).with_ceiling(Arc::new(ceiling));
        let canvas = CanvasId::new("deploy-prod").unwrap();
        Self { engine, canvas, turn: Turn::ZERO, clock, calls: AtomicU64::new(0) }
    }

    /// With a surface of the agent `main`.
    pub(crate) fn with_surface() -> Self {
        let world = Self::new();
        world.ask(create(client())).unwrap();
        world
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    pub(crate) fn wait(&self, millis: u64) {
        self.clock.fetch_add(millis, Ordering::Relaxed);
    }

    pub(crate) fn key(&self) -> OpKey {
        let call = CallId::new(&self.calls.fetch_add(1, Ordering::Relaxed).to_string()).unwrap();
        OpKey { conversation: ConversationId::new("somebody").unwrap(), turn: self.turn, call, person: None }
    }

    pub(crate) fn commits(&self) -> usize {
        self.engine.store().commits.load(Ordering::Relaxed)
    }

    /// Runs a command, on a new canvas where there is none.
    pub(crate) fn ask<C: Command<Refusal = SurfaceCommandRefusal>>(&self, command: C) -> Told<C::Done> {
        self.ask_as(&self.key(), command)
    }

    pub(crate) fn ask_as<C: Command<Refusal = SurfaceCommandRefusal>>(
        &self,
        key: &OpKey,
        command: C,
    ) -> Told<C::Done> {
        let answered = block_on(self.engine.call_or_create(&self.canvas, key, command, self.now())).unwrap();
        answered.and_then(|answered| answered.result).map_err(|refusal| {
            let place = match &refusal {
                SurfaceCommandRefusal::Surface(refusal) => refusal.place().unwrap_or_default().into_owned(),
                _ => String::new(),
            };
            assert!(!refusal.to_string().is_empty());
            (refusal.code(), place)
        })
    }

    /// The user sends a message, and the model's calls are of the turn that begins.
    pub(crate) fn next_turn(&mut self) {
        block_on(self.engine.call(&self.canvas, &self.key(), SendMessage, self.now()))
            .unwrap()
            .result
            .unwrap();
        self.turn = block_on(self.engine.snapshot(&self.canvas, self.now())).unwrap().head.lock().turn();
    }

    pub(crate) fn surface(&self) -> Surface {
        self.engine.forget(&self.canvas);
        block_on(self.engine.surface(&self.canvas, self.now())).unwrap().0.unwrap()
    }

    pub(crate) fn descriptor(&self) -> Descriptor {
        self.surface().descriptor
    }

    pub(crate) fn state(&self) -> Value {
        self.surface().state.value().to_value()
    }

    pub(crate) fn revision(&self) -> u64 {
        block_on(self.engine.snapshot(&self.canvas, self.now())).unwrap().head.revision().get()
    }

    /// The journal plays back and forth to the canvas as it is.
    pub(crate) fn replays(&self) {
        let replay = block_on(self.engine.replay(&self.canvas, self.now())).unwrap();
        let head = block_on(self.engine.snapshot(&self.canvas, self.now())).unwrap().head;
        assert_eq!(replay.tree, head.draft().hash());
    }
}

pub(crate) fn refused<T>(code: &'static str, place: &str) -> Told<T> {
    Err((code, place.to_owned()))
}

pub(crate) fn revision(number: u64) -> Option<Revision> {
    Some(Revision::new(number).unwrap())
}

/// Every fault of a spec that was refused.
pub(crate) fn faults(world: &World, command: impl Command<Refusal = SurfaceCommandRefusal>) -> Vec<String> {
    let key = world.key();
    let answered = world.engine.call_or_create(&world.canvas, &key, command, world.now());
    let refusal = block_on(answered).unwrap().map(|answered| answered.result.map(drop));
    match refusal {
        Err(SurfaceCommandRefusal::Surface(SurfaceRefusal::SpecInvalid { faults }))
        | Ok(Err(SurfaceCommandRefusal::Surface(SurfaceRefusal::SpecInvalid { faults }))) => {
            faults.into_iter().map(|fault| format!("{} {}", fault.code, fault.place)).collect()
        }
        other => panic!("{other:?}"),
    }
}

pub(crate) fn read_only(policy: &mut Policy) {
    policy.rollout = Rollout::ReadOnly;
}
