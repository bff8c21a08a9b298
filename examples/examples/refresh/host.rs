//! The host of the story: an engine in memory, a shop with two tools, and a clock.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::lease::Timestamp;
use canvas_core::recipe::{CanvasData, RunId, StepId};
use canvas_core::store::MemoryStore;
use canvas_core::surface::{ActionFailure, Ceiling, ToolContract, ToolDeclaration, ToolName};
use canvas_core::testing::block_on;
use canvas_core::{Author, CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
use canvas_tools::action::{ToolHost, ToolInvocation};
use canvas_tools::recipe::{Refresher, ReplayReport, ReplayRequest};
use canvas_tools::{ObservedCall, RecipeTools, Session, ToolCall, Tools};
use serde::Deserialize as _;
use serde_json::{Value, json};

pub(crate) const DAY: u64 = 86_400_000;

/// 2026-04-15T12:00:00Z.
const BEGIN: u64 = 1_776_254_400_000;

/// Day, city and cents of each order of the shop.
const ORDERS: [(&str, &str, u64); 8] = [
    ("2026-04-03", "Bonn", 3_500),
    ("2026-04-09", "Rome", 8_000),
    ("2026-04-11", "Bonn", 2_050),
    ("2026-04-14", "Rome", 500),
    ("2026-04-15", "Oslo", 9_900),
    ("2026-04-22", "Oslo", 1_200),
    ("2026-04-25", "Bonn", 6_000),
    ("2026-04-28", "Oslo", 800),
];

/// The tools of the shop: orders of some days, the dearest first, and the customer of one.
#[derive(Debug)]
struct Shop;

impl ToolHost for Shop {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        answer(invocation.tool.as_str(), &invocation.arguments)
    }
}

fn answer(tool: &str, arguments: &Value) -> Result<Value, ActionFailure> {
    let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
    match tool {
        "shop__Orders" => {
            let (from, to) = (text("from"), text("to"));
            let days = ORDERS.iter().filter(|(day, ..)| (from.as_str()..to.as_str()).contains(day));
            let mut rows: Vec<_> = days.collect();
            rows.sort_by_key(|(.., amount)| std::cmp::Reverse(*amount));
            let row = |(day, city, amount): &&(&str, &str, u64)| json!({"id": format!("{city} {day}"), "day": day, "city": city, "amount": amount});
            Ok(json!({"rows": rows.iter().map(row).collect::<Vec<_>>()}))
        }
        "shop__Customer" => Ok(json!({"name": format!("who ordered in {}", text("order"))})),
        other => Err(ActionFailure::Failed { code: None, message: format!("the shop has no tool {other}") }),
    }
}

pub(crate) struct Host {
    engine: Engine<MemoryStore>,
    store: MemoryStore,
    tools: Tools<MemoryStore>,
    refresher: Arc<Refresher>,
    session: Session,
    clock: Arc<AtomicU64>,
    calls: u64,
}

type Outcome<T> = Result<T, Box<dyn Error>>;

impl Host {
    pub(crate) fn open() -> Outcome<Self> {
        let clock = Arc::new(AtomicU64::new(BEGIN));
        let shared = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
        let now = Timestamp::from_millis(BEGIN);
        let engine = engine(&store, "1.0")?;
        let (canvas, chat) = (CanvasId::new("shop")?, ConversationId::new("chat")?);
        let key = OpKey::of(chat.clone(), "create".parse()?);
        block_on(engine.create(&canvas, "# Orders\n", &key, now))?;
        let session = block_on(Session::open(&engine, canvas, chat, now))?;
        let refresher = Arc::default();
        let tools = Tools::new(RecipeTools::new(Arc::new(Shop), Arc::clone(&refresher)))?;
        Ok(Self { engine, store, tools, refresher, session, clock, calls: 0 })
    }

    pub(crate) fn wait(&self, ms: u64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    /// A call of the assistant's that the host runs, and shows to the recorder.
    pub(crate) fn turn_call(&mut self, id: &str, tool: &str, arguments: Value) -> Outcome<Value> {
        let result = answer(tool, &arguments).map_err(|failure| format!("{failure:?}"))?;
        let call = ObservedCall {
            id: StepId::deserialize(json!(id))?,
            tool: ToolName::new(tool)?,
            arguments,
            result: result.clone(),
            now: self.now(),
        };
        let limits = &self.engine.policy().recipe;
        self.session.recorder.observe(call, self.engine.ceiling(), limits)?;
        Ok(result)
    }

    /// A call of a canvas tool by the assistant.
    pub(crate) fn assistant(&mut self, name: &str, arguments: Value) -> Value {
        self.calls += 1;
        let call = ToolCall { id: format!("call-{}", self.calls), name: name.to_owned(), arguments };
        let now = self.now();
        block_on(self.tools.call(&self.engine, &mut self.session, &call, now)).body().clone()
    }

    /// A refresh by the user: all components, by the clock. Refreshes of a canvas are some seconds apart.
    pub(crate) fn refresh(&mut self) -> Outcome<ReplayReport> {
        self.wait(60_000);
        self.calls += 1;
        let run = RunId::new(&format!("run-{}", self.calls))?;
        let call = CallId::new(run.as_str())?;
        let operation = OpKey::user(call);
        let request =
            ReplayRequest { by: Author::User, now: self.now(), zone: None, components: None, dry_run: false };
        let (engine, place) = (&self.engine, (&self.session.canvas, &operation));
        Ok(block_on(self.refresher.refresh(engine, &Shop, place, run, request))?)
    }

    /// Whether the record of a refresh, with its responses, gives the same calls and the same patch again.
    pub(crate) async fn rerun(&self, report: &ReplayReport) -> Outcome<bool> {
        let (stored, _) = self.engine.recipe(&self.session.canvas, self.now()).await?;
        let stored = stored.ok_or("there is no recipe")?;
        let recipe = stored.recipe().map_err(|drift| drift.message.clone())?.clone();
        let rerun = report.run.rerun(recipe, &report.responses, self.engine.policy().recipe)?;
        let text = |calls, patch| json!([calls, patch]).to_string();
        Ok(text(json!(rerun.calls), json!(rerun.patch))
            == text(json!(report.run.calls), json!(report.patch())))
    }

    pub(crate) fn data(&self) -> Outcome<CanvasData> {
        Ok(block_on(self.engine.data(&self.session.canvas, self.now()))?.0)
    }

    /// From now on the shop has another version of `shop__Customer`.
    pub(crate) fn break_customer(&mut self) -> Outcome<()> {
        self.engine = engine(&self.store, "2.0")?;
        Ok(())
    }
}

fn engine(store: &MemoryStore, customer: &str) -> Outcome<Engine<MemoryStore>> {
    let mut tools = BTreeMap::new();
    for (name, version) in [("shop__Orders", "1.0"), ("shop__Customer", customer)] {
        let name = ToolName::new(name)?;
        let version = Some(version.to_owned());
        let declaration = ToolDeclaration { read_only: true, version, ..ToolDeclaration::default() };
        tools.insert(name.clone(), ToolContract::new(name, declaration)?);
    }
    let ceiling = Arc::new(Ceiling { tools, ..Ceiling::default() });
    Ok(Engine::new(store.clone(), Policy::default()).with_ceiling(ceiling))
}
