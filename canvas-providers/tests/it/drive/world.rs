//! A world of its own for turns that drive themselves: a clock that jumps, a server that follows a script, and a store that
//! takes its time and fails on demand.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use canvas_core::lease::{LeaseId, Timestamp, Turn as TurnNumber};
use canvas_core::store::{
    Commit, Committed, Layer, Loaded, MemoryStore, Store as _, StoreError, StoreErrorKind,
};
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, Snapshot};
use canvas_providers::{
    EncodedRequest, Event, Framing, Outcome, Provider, RequestOptions, Response, ResponseBody, Retries,
    SendError, Transport, TurnDriver, TurnEvent, TurnOptions,
};
use canvas_tools::{CallHost, CanvasCalls, DocumentTools, Session, ToolCall, ToolReply, Tools};
use serde_json::{Value, json};

pub(crate) const TEXT: &str = "# List\n\n- one\n";

/// A clock that stands still until everybody sleeps.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    now: AtomicU64,
    sleepers: Mutex<BTreeSet<u64>>,
}

impl Clock {
    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.load(Ordering::Relaxed))
    }

    async fn sleep_until(&self, until: u64) {
        std::future::poll_fn(|_| {
            if self.now.load(Ordering::Relaxed) >= until {
                return Poll::Ready(());
            }
            self.sleepers.lock().expect("no panic").insert(until);
            Poll::Pending
        })
        .await;
    }

    /// Wakes the next sleeper; false where nobody sleeps.
    fn jump(&self) -> bool {
        let mut sleepers = self.sleepers.lock().expect("no panic");
        let next = sleepers.iter().find(|at| **at > self.now.load(Ordering::Relaxed)).copied();
        sleepers.clear();
        if let Some(next) = next {
            self.now.store(next, Ordering::Relaxed);
        }
        next.is_some()
    }
}

/// Gives the executor one more look at the future.
pub(crate) async fn pause() {
    let mut paused = false;
    std::future::poll_fn(|cx| {
        if std::mem::replace(&mut paused, true) {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// One response of the server.
#[derive(Debug, Clone)]
pub(crate) enum Served {
    Stream(Vec<Step>),
    Whole(Value),
    Error(u16, Option<u64>, Value),
    /// The connection is lost before the head came.
    Lost(&'static str, bool),
}

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Bytes(String),
    Wait(u64),
    /// The connection is lost.
    Reset,
}

#[derive(Debug)]
struct Server {
    clock: Arc<Clock>,
    script: Mutex<VecDeque<Served>>,
    /// Bodies that were sent, with the time.
    requests: Mutex<Vec<(u64, Value)>>,
    jitter: f64,
}

#[derive(Debug, Clone)]
pub(crate) struct Net(Arc<Server>);

pub(crate) struct Body {
    clock: Arc<Clock>,
    steps: VecDeque<Step>,
}

impl Transport for Net {
    type Body = Body;

    async fn send(&self, request: &EncodedRequest) -> Result<Response<Body>, SendError> {
        pause().await;
        let Server { clock, script, requests, .. } = &*self.0;
        requests.lock().expect("no panic").push((clock.now().as_millis(), request.body.clone()));
        let served = script.lock().expect("no panic").pop_front().expect("the script is long enough");
        pause().await;
        let whole = |body: Value| VecDeque::from([Step::Bytes(body.to_string())]);
        let (status, retry_after, framing, steps) = match served {
            Served::Stream(steps) => (200, None, Some(Framing::Sse), steps.into()),
            Served::Whole(body) => (200, None, None, whole(body)),
            Served::Error(status, after, body) => (status, after, None, whole(body)),
            Served::Lost(message, retryable) => {
                return Err(SendError { message: message.to_owned(), retryable });
            }
        };
        let retry_after = retry_after.map(Duration::from_millis);
        Ok(Response { status, retry_after, framing, body: Body { clock: Arc::clone(clock), steps } })
    }

    fn now(&self) -> Timestamp {
        self.0.clock.now()
    }

    async fn sleep_until(&self, until: Timestamp) {
        self.0.clock.sleep_until(until.as_millis()).await;
    }

    fn jitter(&self) -> f64 {
        self.0.jitter
    }
}

impl ResponseBody for Body {
    type Chunk = String;

    async fn next(&mut self) -> Result<Option<String>, SendError> {
        loop {
            pause().await;
            match self.steps.pop_front() {
                None => return Ok(None),
                Some(Step::Bytes(bytes)) => return Ok(Some(bytes)),
                Some(Step::Wait(time)) => {
                    self.clock.sleep_until(self.clock.now().as_millis() + time).await;
                }
                Some(Step::Reset) => {
                    return Err(SendError { message: "connection reset".to_owned(), retryable: true });
                }
            }
        }
    }
}

/// A store that others may get in between, before and after each commit, and whose answers get lost.
#[derive(Debug)]
pub(crate) struct SlowStore {
    store: MemoryStore,
    /// Answers that get lost, of commits that are done too.
    lose: Arc<AtomicU64>,
}

impl SlowStore {
    /// Fails as long as that is asked for.
    fn fail(&self, kind: StoreErrorKind) -> Result<(), StoreError> {
        let left = self.lose.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        if left.is_ok() { Err(StoreError::new(kind)) } else { Ok(()) }
    }
}

impl Layer for SlowStore {
    type Inner = MemoryStore;

    fn inner(&self) -> &MemoryStore {
        &self.store
    }

    async fn commit(&self, commit: Commit) -> Result<Committed, StoreError> {
        pause().await;
        let committed = self.store.commit(commit).await;
        pause().await;
        self.fail(StoreErrorKind::Indeterminate)?;
        committed
    }

    async fn load(&self, canvas: &CanvasId) -> Result<Option<Loaded>, StoreError> {
        pause().await;
        self.fail(StoreErrorKind::Unavailable)?;
        self.store.load(canvas).await
    }
}

/// Runs the calls of a canvas, and writes down how often each was begun.
#[derive(Debug)]
pub(crate) struct Counted {
    calls: CanvasCalls<SlowStore>,
    begun: Mutex<BTreeMap<String, u32>>,
    clock: Arc<Clock>,
    takes: u64,
}

impl CallHost for Counted {
    async fn call(&self, call: &ToolCall, now: Timestamp) -> ToolReply {
        *self.begun.lock().expect("no panic").entry(call.id.clone()).or_default() += 1;
        pause().await;
        if call.name == "canvas_read_all" {
            self.clock.sleep_until(now.as_millis() + self.takes).await;
        }
        let reply = self.calls.call(call, self.clock.now()).await;
        pause().await;
        reply
    }

    fn renew(&self, lease: LeaseId, now: Timestamp) -> impl Future<Output = ToolReply> + Send {
        self.calls.renew(lease, now)
    }

    fn release(&self, lease: LeaseId, now: Timestamp) -> impl Future<Output = ToolReply> + Send {
        self.calls.release(lease, now)
    }
}

/// What a scenario sets.
#[derive(Debug, Clone, Default)]
pub(crate) struct Setting {
    pub(crate) script: Vec<Served>,
    /// Answers of the store that get lost, from its first one on.
    pub(crate) lose: u64,
    /// How long each read takes.
    pub(crate) takes: u64,
    pub(crate) jitter: f64,
    pub(crate) retries: Option<Retries>,
}

pub(crate) struct World {
    pub(crate) clock: Arc<Clock>,
    pub(crate) engine: Arc<Engine<SlowStore>>,
    pub(crate) turn: TurnDriver<Net, Arc<Counted>>,
    pub(crate) told: Arc<Mutex<Vec<String>>>,
    pub(crate) host: Arc<Counted>,
    net: Net,
    canvas: CanvasId,
    lose: Arc<AtomicU64>,
}

pub(crate) type Driven = TurnDriver<Net, Arc<Counted>>;

impl World {
    pub(crate) fn new(setting: &Setting) -> Self {
        let clock = Arc::new(Clock::default());
        clock.now.store(1_000, Ordering::Relaxed);
        let shared = Arc::clone(&clock);
        let lose = Arc::new(AtomicU64::new(0));
        let store = SlowStore { store: MemoryStore::new(move || shared.now()), lose: Arc::clone(&lose) };
        let name = |name: &str| ConversationId::new(name).expect("a name");
        let (canvas, chat) = (CanvasId::new("c").expect("a name"), name("main"));
        let key = OpKey {
            conversation: name("user"),
            turn: TurnNumber::ZERO,
            call: CallId::new("create").expect("an id"),
            person: None,
        };
        let engine = Engine::new(store, Policy::default());
        block_on(engine.create(&canvas, TEXT, &key, clock.now())).expect("the canvas is new");
        let session =
            block_on(Session::open(&engine, canvas.clone(), chat, clock.now())).expect("the canvas exists");
        lose.store(setting.lose, Ordering::Relaxed);
        let engine = Arc::new(engine);
        let tools = Tools::new(DocumentTools::default()).expect("one toolset");
        let options = TurnOptions {
            provider: Provider::Anthropic,
            issuer: Provider::Anthropic.issuer("m"),
            system: tools.system_prompt(&engine),
            tools: tools.specs(&engine),
            request: RequestOptions::default(),
            bounds: canvas_providers::LoopOptions::default(),
            retries: setting.retries.unwrap_or_default(),
        };
        let calls = CanvasCalls::new(Arc::clone(&engine), Arc::new(tools), session);
        let host = Arc::new(Counted {
            calls,
            begun: Mutex::default(),
            clock: Arc::clone(&clock),
            takes: setting.takes,
        });
        let net = Net(Arc::new(Server {
            clock: Arc::clone(&clock),
            script: Mutex::new(setting.script.clone().into()),
            requests: Mutex::default(),
            jitter: setting.jitter,
        }));
        let told = Arc::new(Mutex::new(Vec::new()));
        let ears = Arc::clone(&told);
        let on_event = move |event: TurnEvent<'_>| {
            let line = match event {
                TurnEvent::Stream(piece) => format!("{piece:?}"),
                TurnEvent::Retry { code, after, .. } => format!("retry {code} after {after:?}"),
                TurnEvent::Reply(call, reply) => format!("{} {}", call.id, reply.code().unwrap_or("ok")),
                TurnEvent::Log(entry) => json!(entry)["did"].as_str().unwrap_or_default().to_owned(),
                other => format!("{other:?}"),
            };
            ears.lock().expect("no panic").push(line);
        };
        let history = vec![Event::user("Add two.")];
        let turn =
            TurnDriver::new(options, net.clone(), Arc::clone(&host)).with_history(history).on_event(on_event);
        Self { clock, engine, turn, told, host, net, canvas, lose }
    }

    /// The canvas as it is, whatever the store does meanwhile.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let lose = self.lose.swap(0, Ordering::Relaxed);
        let mut snapshot = pin!(self.engine.snapshot(&self.canvas, self.clock.now()));
        let polled = executor(&self.clock, usize::MAX, |cx| snapshot.as_mut().poll(cx));
        self.lose.store(lose, Ordering::Relaxed);
        polled.expect("has no limit").expect("the canvas exists")
    }

    pub(crate) fn is_locked(&self) -> bool {
        let snapshot = self.snapshot();
        snapshot.head.lock().valid_lease(&self.engine.policy().lease, snapshot.clock).is_some()
    }

    pub(crate) fn requests(&self) -> Vec<(u64, Value)> {
        self.net.0.requests.lock().expect("no panic").clone()
    }

    /// How often each call was begun.
    pub(crate) fn begun(&self) -> BTreeMap<String, u32> {
        self.host.begun.lock().expect("no panic").clone()
    }

    pub(crate) fn told(&self) -> Vec<String> {
        self.told.lock().expect("no panic").clone()
    }

    /// Runs the turn for at most so many polls; `None` if it is not over then.
    pub(crate) fn run_for(&mut self, polls: usize) -> Option<Outcome> {
        run_for(&self.clock, &mut self.turn, polls)
    }

    pub(crate) fn run(&mut self) -> Outcome {
        self.run_for(usize::MAX).expect("has no limit")
    }
}

pub(crate) fn run_for(clock: &Clock, turn: &mut Driven, polls: usize) -> Option<Outcome> {
    let mut run = pin!(turn.run());
    executor(clock, polls, |cx| run.as_mut().poll(cx))
}

struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Polls at most so often. Where nothing is ready, the clock jumps.
pub(crate) fn executor<T>(
    clock: &Clock,
    polls: usize,
    mut poll: impl FnMut(&mut Context<'_>) -> Poll<T>,
) -> Option<T> {
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(Arc::clone(&woken));
    for count in 0..polls {
        assert!(count < 1_000_000, "the future does not come to an end");
        if let Poll::Ready(value) = poll(&mut Context::from_waker(&waker)) {
            return Some(value);
        }
        if !woken.0.swap(false, Ordering::Relaxed) {
            assert!(clock.jump(), "nobody will ever wake the future");
        }
    }
    None
}

/// An answer of these blocks as a stream, a frame at a time, with a wait before each block.
pub(crate) fn stream(stop_reason: &str, blocks: &[Value], wait: u64) -> Vec<Step> {
    let frame = |data: Value| {
        Step::Bytes(format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap_or_default()))
    };
    let usage = json!({"input_tokens": 10, "output_tokens": 1});
    let mut steps = vec![frame(json!({"type": "message_start", "message": {"usage": usage}}))];
    for (index, block) in blocks.iter().enumerate() {
        steps.push(Step::Wait(wait));
        let (start, delta) = match block["type"].as_str() {
            Some("text") => {
                (json!({"type": "text", "text": ""}), json!({"type": "text_delta", "text": block["text"]}))
            }
            _ => {
                let mut start = block.clone();
                start["input"] = json!({});
                (start, json!({"type": "input_json_delta", "partial_json": block["input"].to_string()}))
            }
        };
        steps.push(frame(json!({"type": "content_block_start", "index": index, "content_block": start})));
        steps.push(frame(json!({"type": "content_block_delta", "index": index, "delta": delta})));
        steps.push(frame(json!({"type": "content_block_stop", "index": index})));
    }
    let usage = json!({"output_tokens": 20});
    let delta = json!({"stop_reason": stop_reason});
    steps.push(frame(json!({"type": "message_delta", "delta": delta, "usage": usage})));
    steps.push(frame(json!({"type": "message_stop"})));
    steps
}

pub(crate) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub(crate) fn tool(id: &str, name: &str, input: Value) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": input})
}
