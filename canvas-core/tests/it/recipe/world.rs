//! A canvas with a board and a surface, a host with tools that read, and a store that counts what is written.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use canvas_core::board::{BoardResult, ComponentId, CreateBoard, RunBoardCommand, Workspace};
use canvas_core::history::{Redo, Undo, UndoScope};
use canvas_core::json::JsonPatchOperation;
use canvas_core::lease::{Timestamp, Turn};
use canvas_core::recipe::{
    CanvasData, Datum, Drift, DriftCode, FinishReplay, RecipeCommandRefusal, RecipeRecorded, RecordRecipe,
    ReplayFinished, ReplayOutcome, RunId, StoredRecipe, Target,
};
use canvas_core::store::{Commit, Committed, Head, Layer, MemoryStore, Store, StoreError};
use canvas_core::surface::{
    Ceiling, ClientId, CreateSurface, PatchState, StatePatch, StatePointer, SurfaceActor, ToolContract,
    ToolDeclaration, ToolName,
};
use canvas_core::testing::block_on;
use canvas_core::turn::SendMessage;
use canvas_core::{
    Author, CallId, CanvasId, CodedError as _, Command, ConversationId, Engine, OpKey, Policy,
};
use serde_json::{Value, json};

pub(crate) const START: u64 = 1_730_000_000_000;

/// Counts commits and the bytes of their blobs.
pub(crate) struct Counting {
    store: MemoryStore,
    commits: AtomicUsize,
    bytes: AtomicUsize,
}

impl Layer for Counting {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        self.commits.fetch_add(1, Ordering::Relaxed);
        let bytes: usize = commit.blobs.iter().map(|blob| blob.as_bytes().len()).sum();
        self.bytes.fetch_add(bytes, Ordering::Relaxed);
        self.store.commit(commit).await
    }
}

pub(crate) struct World {
    pub(crate) engine: Engine<Counting>,
    pub(crate) canvas: CanvasId,
    /// Of the board, in the order in which they were made.
    pub(crate) components: Vec<ComponentId>,
    pub(crate) turn: Turn,
    clock: Arc<AtomicU64>,
    calls: AtomicU64,
}

/// An answer, or the code and the place of a refusal.
pub(crate) type Told<T> = Result<T, (&'static str, String)>;

fn tool(name: &str, read_only: bool) -> (ToolName, ToolContract) {
    let name = ToolName::new(name).unwrap();
    let version = Some("1.0".to_owned());
    let declaration = ToolDeclaration { read_only, version, ..ToolDeclaration::default() };
    (name.clone(), ToolContract::new(name, declaration).unwrap())
}

fn workspace() -> Workspace {
    let grid = json!({"columns": 12, "rows": 400, "gap": 8, "cellWidth": 80, "cellHeight": 60});
    serde_json::from_value(json!({
        "id": "ws_1", "name": "Board", "canvas": {"grid": grid, "components": []}, "threadId": "thread", "views": [],
        "triggers": [], "createdAt": 1, "updatedAt": 1,
        "settings": {
            "theme": "system", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid, "proactiveMode": "off",
        },
    }))
    .unwrap()
}

impl World {
    /// A canvas with nothing but a document.
    pub(crate) fn bare(change: impl FnOnce(&mut Policy)) -> Self {
        let clock = Arc::new(AtomicU64::new(START));
        let reads = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(reads.load(Ordering::Relaxed)));
        let store = Counting { store, commits: AtomicUsize::new(0), bytes: AtomicUsize::new(0) };
        let tools = [tool("t0", true), tool("t1", true), tool("t2", true), tool("send", false)];
        let ceiling = Ceiling { tools: tools.into(), ..Ceiling::default() };
        let mut policy = Policy::default();
        change(&mut policy);
        let engine = Engine::new(store, policy).with_ceiling(Arc::new(ceiling));
        let canvas = CanvasId::new("sales").unwrap();
        let world = Self {
            engine,
            canvas,
            components: Vec::new(),
            turn: Turn::ZERO,
            clock,
            calls: AtomicU64::new(0),
        };
        block_on(world.engine.create(&world.canvas, "# Sales\n", &world.key(), world.now())).unwrap();
        world
    }

    /// With so many components and the state `{"title": "Sales"}`.
    pub(crate) fn new(components: u32) -> Self {
        Self::with(components, |_| ())
    }

    pub(crate) fn with(components: u32, change: impl FnOnce(&mut Policy)) -> Self {
        let mut world = Self::bare(change);
        world.told(CreateBoard { workspace: Box::new(workspace()) });
        for number in 0..components {
            let id = world.create(number);
            world.components.push(id);
        }
        world.told(CreateSurface {
            by: client(),
            agent_id: None,
            title: None,
            owner_session_key: None,
            entry_asset: None,
            spec: json!({"version": 1, "mode": "html", "state": {"title": "Sales"}}),
            assets: BTreeMap::new(),
        });
        world
    }

    fn create(&self, number: u32) -> ComponentId {
        let payload = json!({
            "typeId": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
            "position": {"col": number % 12, "row": number / 12}, "size": {"cols": 1, "rows": 1},
        });
        self.board(&json!({"type": "component.create", "payload": payload}))
    }

    /// Runs a command on the board; gives the first component that it concerns.
    pub(crate) fn board(&self, command: &Value) -> ComponentId {
        let command = Box::new(serde_json::from_value(command.clone()).unwrap());
        let run = self.told(RunBoardCommand { by: Author::User, command, base: None, grid: None });
        match *run.result {
            BoardResult::One(result) if result.success => result.affected_component_ids[0].clone(),
            other => panic!("{other:?}"),
        }
    }

    /// As [`World::board`], where it may be refused.
    pub(crate) fn try_board(&self, command: &Value) {
        let command = Box::new(serde_json::from_value(command.clone()).unwrap());
        self.told(RunBoardCommand { by: Author::User, command, base: None, grid: None });
    }

    pub(crate) fn delete(&self, component: usize) {
        let id = &self.components[component];
        self.board(&json!({"type": "component.remove", "payload": {"componentId": id}}));
    }

    pub(crate) fn set(&self, operations: &Value) {
        self.told(PatchState { by: client(), patch: StatePatch::parse(operations).unwrap(), expected: None });
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

    fn told<C: Command>(&self, command: C) -> C::Done {
        block_on(self.engine.call(&self.canvas, &self.key(), command, self.now())).unwrap().result.unwrap()
    }

    /// `OK`, or the code of the refusal.
    pub(crate) fn code<C: Command>(&self, command: C) -> &'static str {
        let answered = block_on(self.engine.call(&self.canvas, &self.key(), command, self.now())).unwrap();
        answered.result.map_or_else(|refusal| refusal.code(), |_| "OK")
    }

    pub(crate) fn ask<C: Command<Refusal = RecipeCommandRefusal>>(&self, command: C) -> Told<C::Done> {
        self.ask_as(&self.key(), command)
    }

    pub(crate) fn ask_as<C: Command<Refusal = RecipeCommandRefusal>>(
        &self,
        key: &OpKey,
        command: C,
    ) -> Told<C::Done> {
        let answered = block_on(self.engine.call(&self.canvas, key, command, self.now())).unwrap();
        answered.result.map_err(|refusal| {
            let place = match &refusal {
                RecipeCommandRefusal::Recipe(refusal) => refusal.place().unwrap_or_default().into_owned(),
                _ => String::new(),
            };
            // A receipt keeps it, and reads it as what it was.
            let json = serde_json::to_value(&refusal).unwrap();
            assert_eq!(serde_json::from_value::<RecipeCommandRefusal>(json).unwrap(), refusal);
            (refusal.code(), place)
        })
    }

    pub(crate) fn record(&self, recipe: Value, data: &[(usize, Value)]) -> Told<RecipeRecorded> {
        let data = data.iter().map(|(component, value)| (self.components[*component].clone(), value.clone()));
        self.ask(RecordRecipe { data: data.collect(), ..recording(self, recipe) })
    }

    /// A replay of the recipe that the canvas has.
    pub(crate) fn replay(&self, outcomes: Vec<ReplayOutcome>) -> FinishReplay {
        let recipe = self.recipe().unwrap().id();
        let run = RunId::new("run").unwrap();
        FinishReplay { by: Author::User, recipe, run, now: self.now(), outcomes, dry_run: false }
    }

    /// Finishes a replay; gives its answer and its patch.
    pub(crate) fn finish(&self, outcomes: Vec<ReplayOutcome>) -> (ReplayFinished, Vec<JsonPatchOperation>) {
        let replay = self.replay(outcomes);
        let finished = self.ask(replay.clone()).unwrap();
        let patch = replay.patch(&finished);
        (finished, patch)
    }

    pub(crate) fn to(&self, component: usize) -> Target {
        Target::Component(self.components[component].clone())
    }

    pub(crate) fn made(&self, component: usize, value: Value) -> ReplayOutcome {
        ReplayOutcome { target: self.to(component), result: Ok(datum(value)) }
    }

    pub(crate) fn failed(&self, component: usize, code: DriftCode) -> ReplayOutcome {
        ReplayOutcome {
            target: self.to(component),
            result: Err(Drift::new(code, "it failed: refresh again")),
        }
    }

    pub(crate) fn recipe(&self) -> Option<Arc<StoredRecipe>> {
        self.engine.forget(&self.canvas);
        block_on(self.engine.recipe(&self.canvas, self.now())).unwrap().0
    }

    pub(crate) fn data(&self) -> CanvasData {
        self.engine.forget(&self.canvas);
        block_on(self.engine.data(&self.canvas, self.now())).unwrap().0
    }

    /// `ready 1 @5`, with the time after the beginning, or `stale 1 @5 CALL_FAILED`; `-` where there is nothing.
    pub(crate) fn shown(&self, component: usize) -> String {
        let data = self.data();
        let Some(component) = data.components.get(&self.components[component]) else { return "-".to_owned() };
        let mut shown = serde_json::to_value(component.status).unwrap().as_str().unwrap().to_owned();
        if let (Some(data), Some(as_of)) = (&component.data, component.as_of) {
            shown.push_str(&format!(" {data} @{}", as_of.as_millis() - START));
        }
        if let Some(reason) = &component.reason {
            shown.push_str(&format!(" {}", reason.code));
        }
        shown
    }

    pub(crate) fn state(&self) -> Value {
        self.engine.forget(&self.canvas);
        let (surface, _) = block_on(self.engine.surface(&self.canvas, self.now())).unwrap();
        surface.unwrap().state.value().to_value()
    }

    pub(crate) fn head(&self) -> Arc<Head> {
        block_on(Store::load(self.engine.store(), &self.canvas)).unwrap().unwrap().head
    }

    pub(crate) fn revision(&self) -> u64 {
        self.head().revision().get()
    }

    /// Entries of the journal so far.
    pub(crate) fn entries(&self) -> u64 {
        let newest = block_on(self.engine.history(&self.canvas, None, 1, self.now())).unwrap();
        newest.first().map_or(0, |entry| entry.number.get())
    }

    pub(crate) fn written(&self) -> (usize, usize) {
        let Counting { commits, bytes, .. } = self.engine.store();
        (commits.load(Ordering::Relaxed), bytes.load(Ordering::Relaxed))
    }

    pub(crate) fn undo(&self, steps: u32) -> &'static str {
        self.code(Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::new(steps).unwrap()) })
    }

    pub(crate) fn redo(&self, steps: u32) -> &'static str {
        self.code(Redo { by: Author::User, steps: NonZeroU32::new(steps).unwrap() })
    }

    /// The user sends a message, and the model's calls are of the turn that begins.
    pub(crate) fn next_turn(&mut self) {
        self.told(SendMessage);
        self.turn = self.head().lock().turn();
    }

    /// The journal plays back and forth to the canvas as it is.
    pub(crate) fn replays(&self) {
        self.engine.forget(&self.canvas);
        let replay = block_on(self.engine.replay(&self.canvas, self.now())).unwrap();
        assert_eq!(replay.tree, self.head().draft().hash());
    }
}

pub(crate) fn client() -> SurfaceActor {
    SurfaceActor::ClientId(ClientId::new("window").unwrap())
}

pub(crate) fn datum(value: Value) -> Datum {
    Datum::new(value, &Policy::default().recipe).unwrap()
}

pub(crate) fn at(place: &str) -> Target {
    Target::State(StatePointer::new(place).unwrap())
}

pub(crate) fn put(place: &str, value: Value) -> ReplayOutcome {
    ReplayOutcome { target: at(place), result: Ok(datum(value)) }
}

pub(crate) fn recording(world: &World, recipe: Value) -> RecordRecipe {
    RecordRecipe {
        by: Author::User,
        recipe: Some(recipe),
        expected: None,
        data: BTreeMap::new(),
        now: world.now(),
    }
}

/// A recipe of one step that feeds components and places of the state.
pub(crate) fn recipe(world: &World, components: &[usize], places: &[&str]) -> Value {
    recipe_of(
        json!({"id": "s", "tool": "t0", "params": {"day": {"$date": "now/d"}}}),
        world,
        components,
        places,
    )
}

pub(crate) fn recipe_of(step: Value, world: &World, components: &[usize], places: &[&str]) -> Value {
    let components =
        components.iter().map(|number| json!({"step": "s", "component": world.components[*number]}));
    let places = places.iter().map(|place| json!({"step": "s", "state": place}));
    let mappings: Vec<_> = components.chain(places).collect();
    json!({"version": 1, "catalogue": 1, "steps": [step], "mappings": mappings})
}

pub(crate) fn refused<T>(code: &'static str, place: &str) -> Told<T> {
    Err((code, place.to_owned()))
}
