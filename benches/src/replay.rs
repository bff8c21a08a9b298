//! Replays of recipes: one that feeds four components from a response of 400 KB, and the end of one that feeds one component
//! of a thousand.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use canvas_core::board::ComponentId;
use canvas_core::lease::Timestamp;
use canvas_core::recipe::{
    Datum, FinishReplay, Recipe, RecipeLimits, RecordRecipe, ReplayOutcome, RunId, StoredRecipe, Target,
};
use canvas_core::store::{Commit, Committed, Layer, MemoryStore, Store as _, StoreError};
use canvas_core::surface::{Ceiling, ToolContract, ToolDeclaration, ToolName};
use canvas_core::testing::block_on;
use canvas_core::{Author, BlobId, CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
use canvas_tools::recipe::{Replay, ReplayRequest};
use serde_json::{Value, json};

use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

const NOW: Timestamp = Timestamp::from_millis(1_776_254_400_000);
/// The only size at which these works, which have sizes of their own, are in the table.
const SIZE: usize = 100_000;
/// Rows of the response, of some 400 bytes each.
const ROWS: usize = 1_000;
/// Components of the canvas of which one is refreshed.
const COMPONENTS: usize = 1_000;

/// Measures a replay from the bytes of the response to the command that ends it, beside reading the bytes.
///
/// # Panics
///
/// Where the recipe cannot be read: a defect.
pub fn rows_replayed(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    if size != SIZE {
        return Vec::new();
    }
    let text = json!({"rows": (0..ROWS).map(row).collect::<Vec<_>>()}).to_string();
    let (recipe, ceiling) = (Arc::new(StoredRecipe::from(recipe())), Arc::new(ceiling()));
    let read = || serde_json::from_str::<Value>(&text);
    let replay = || {
        let response = read()?;
        let (recipe, ceiling) = (Arc::clone(&recipe), Arc::clone(&ceiling));
        let run = RunId::new("run").expect("short");
        let request =
            ReplayRequest { by: Author::User, now: NOW, zone: None, components: None, dry_run: false };
        let mut replay = Replay::begin(recipe, ceiling, RecipeLimits::default(), run, request, |_| true)
            .expect("all are fed");
        let call = replay.next_call().expect("one call");
        replay.settle(&call.step, Ok(response)).expect("it is pending");
        let finish = replay.finish().expect("all is answered");
        Ok::<_, serde_json::Error>(finish.outcomes.iter().filter(|outcome| outcome.result.is_ok()).count())
    };
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new("serde_json", read, |value| {
            value["rows"].as_array().is_some_and(|rows| rows.len() == ROWS)
        }),
        Subject::new("canvas", replay, |fed| *fed == 4),
    ];
    Row::of(work, text.len(), side_by_side(&subjects, effort))
}

fn row(number: usize) -> Value {
    // Spread without a generator of random numbers.
    let spread = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    json!({
        "id": format!("order-{number:06}"), "city": format!("city {:02}", spread >> 58), "amount": spread >> 44,
        "price": (spread >> 50) as f64 / 100.0, "open": spread & 1 == 1,
        "customer": {"name": format!("customer {:08x}", spread >> 32), "since": "2024-03-01T00:00:00Z", "tags": ["a", "b", "c"]},
        "note": "something that is carried along, and that nobody looks at meanwhile; ".repeat(3),
    })
}

/// The dearest orders, sums by city, all in all, and the first ones that are open.
fn recipe() -> Recipe {
    let json = json!({
        "version": 1, "catalogue": 1, "timezone": "Europe/Berlin",
        "steps": [{"id": "s", "tool": "orders", "params": {"from": {"$date": "now-7d/d"}}}],
        "mappings": [
            {"step": "s", "path": "/rows", "component": "dearest", "ops": [
                {"op": "sort", "by": [{"path": "/amount", "dir": "desc"}]}, {"op": "limit", "count": 10},
                {"op": "select", "fields": {"id": "/id", "amount": "/amount", "who": "/customer/name"}},
            ]},
            {"step": "s", "path": "/rows", "component": "cities", "ops": [
                {"op": "aggregate", "by": {"city": "/city"}, "values": {"sum": {"fn": "sum", "path": "/amount"}}},
            ]},
            {"step": "s", "path": "/rows", "component": "total", "ops": [
                {"op": "aggregate", "by": {}, "values": {"n": {"fn": "count"}, "sum": {"fn": "sum", "path": "/amount"}}},
            ]},
            {"step": "s", "path": "/rows", "component": "open", "ops": [
                {"op": "filter", "path": "/open", "cmp": "eq", "value": true}, {"op": "limit", "count": 20},
                {"op": "select", "fields": {"id": "/id", "price": "/price"}},
            ]},
        ],
    });
    let recipe =
        Recipe::compile(&json, &RecipeLimits::default()).unwrap_or_else(|faults| panic!("{faults:?}"));
    recipe.pinned(&ceiling())
}

fn ceiling() -> Ceiling {
    let name = ToolName::new("orders").expect("short");
    let declaration = ToolDeclaration { read_only: true, ..ToolDeclaration::default() };
    let tool = ToolContract::new(name.clone(), declaration).expect("it takes anything");
    Ceiling { tools: BTreeMap::from([(name, tool)]), ..Ceiling::default() }
}

/// A store that counts the bytes which commits write.
struct Counted {
    store: MemoryStore,
    written: Arc<AtomicUsize>,
}

impl Layer for Counted {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        let blobs: usize = commit.blobs.iter().map(|blob| blob.as_bytes().len()).sum();
        self.written.fetch_add(blobs + commit.head.to_json().len(), Ordering::Relaxed);
        self.store.commit(commit).await
    }
}

/// A canvas with data of a thousand components.
struct Host {
    engine: Engine<Counted>,
    canvas: CanvasId,
    recipe: BlobId,
    written: Arc<AtomicUsize>,
    refreshed: u64,
}

impl Host {
    fn new() -> Self {
        let written = Arc::new(AtomicUsize::new(0));
        let store = Counted { store: MemoryStore::new(|| NOW), written: Arc::clone(&written) };
        let recipe = RecipeLimits { mappings: COMPONENTS, ..RecipeLimits::default() };
        let policy = Policy { recipe, ..Policy::default() };
        let engine = Engine::new(store, policy).with_ceiling(Arc::new(ceiling()));
        let canvas = CanvasId::new("bench").expect("short");
        block_on(engine.create(&canvas, "", &key(0), NOW)).expect("it is new");
        let ids: Vec<_> = (0..COMPONENTS).map(|number| format!("component-{number:04}")).collect();
        let mapping = |id: &String| json!({"step": "s", "path": "", "component": id});
        let recipe = json!({
            "version": 1, "catalogue": 1, "steps": [{"id": "s", "tool": "orders"}],
            "mappings": ids.iter().map(mapping).collect::<Vec<_>>(),
        });
        let data = ids.iter().map(|id| (component(id), data(0))).collect();
        let command = RecordRecipe { by: Author::User, recipe: Some(recipe), expected: None, data, now: NOW };
        let answered = block_on(engine.call(&canvas, &key(1), command, NOW)).expect("memory");
        let recipe = answered.result.expect("it is right").recipe.expect("it was kept");
        Self { engine, canvas, recipe, written, refreshed: 1 }
    }

    /// Ends a replay that has fed one component. Gives the bytes that were written.
    fn refresh(&mut self) -> usize {
        self.refreshed += 1;
        let before = self.written.load(Ordering::Relaxed);
        let datum = Datum::new(data(self.refreshed), &RecipeLimits::default()).expect("it is small");
        let target = Target::Component(component("component-0500"));
        let finish = FinishReplay {
            by: Author::User,
            recipe: self.recipe,
            run: RunId::new(&self.refreshed.to_string()).expect("short"),
            now: NOW,
            outcomes: vec![ReplayOutcome { target, result: Ok(datum) }],
            dry_run: false,
        };
        let answered = block_on(self.engine.call(&self.canvas, &key(self.refreshed), finish, NOW));
        let finished = answered.expect("memory").result.expect("the recipe is there");
        assert!(finished.committed, "the data are new");
        self.written.load(Ordering::Relaxed) - before
    }
}

fn key(call: u64) -> OpKey {
    let conversation = ConversationId::new("host").expect("short");
    OpKey::of(conversation, CallId::new(&call.to_string()).expect("short"))
}

fn component(id: &str) -> ComponentId {
    ComponentId::new(id).expect("short")
}

/// Some 2 KB.
fn data(number: u64) -> Value {
    (0..20).map(|row| json!({"id": row, "amount": number, "note": "something that is shown beside the amount, always"})).collect()
}

/// Measures the end of a replay that has new data for one component of a thousand. The bytes in the table are those that are
/// written: its data, the manifest, the entry of the journal and the head.
///
/// # Panics
///
/// Where the engine refuses it: a defect.
pub fn rows_refreshed(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    if size != SIZE {
        return Vec::new();
    }
    let mut host = Host::new();
    let written = host.refresh();
    let text = vec![b'a'; written];
    let host = RefCell::new(host);
    let subjects = [
        Subject::memcpy(&text),
        Subject::new(
            "canvas",
            || fine(host.borrow_mut().refresh()),
            move |bytes| bytes.abs_diff(written) < 1_024,
        ),
    ];
    Row::of(work, written, side_by_side(&subjects, effort))
}
