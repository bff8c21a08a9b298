//! Tools of the host, called by a model beside those of the canvas.

use std::future::poll_fn;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::surface::ActionFailure;
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy};
use canvas_tools::action::{ToolHost, ToolInvocation};
use canvas_tools::{
    CallHost as _, CanvasCalls, DocumentTools, HostTools, Session, ToolCall, ToolContext, ToolFuture,
    ToolReply, ToolSpec, Tools, Toolset,
};
use serde_json::{Value, json};

/// Answers as its argument says.
#[derive(Debug, Default)]
struct Host {
    heard: Mutex<Vec<ToolInvocation>>,
}

impl ToolHost for Host {
    async fn call(&self, invocation: &ToolInvocation) -> Result<Value, ActionFailure> {
        self.heard.lock().expect("no panic").push(invocation.clone());
        match invocation.arguments["do"].as_str() {
            Some("fail") => {
                Err(ActionFailure::Failed { code: Some("E7".to_owned()), message: "no such file".to_owned() })
            }
            Some("sleep") => Err(ActionFailure::TimedOut),
            _ => Ok(json!({"lines": 3})),
        }
    }
}

#[test]
fn a_model_calls_tools_of_the_host_and_of_the_canvas() {
    let now = Timestamp::from_millis(1_000);
    let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    let (canvas, chat) = (CanvasId::new("c").unwrap(), ConversationId::new("chat").unwrap());
    let key = OpKey::of(chat.clone(), CallId::new("create").unwrap());
    block_on(engine.create(&canvas, "# A\n", &key, now)).expect("the canvas is new");
    let session = block_on(Session::open(&engine, canvas, chat, now)).expect("the canvas exists");
    let host = Arc::new(Host::default());
    let spec = ToolSpec {
        name: "count".to_owned(),
        description: "Count.".to_owned(),
        parameters: json!({"type": "object"}),
    };
    let host_tools =
        HostTools { host: Arc::clone(&host), specs: vec![spec], timeout: Duration::from_secs(5) };
    let tools =
        Tools::new(DocumentTools::default()).and_then(|tools| tools.with(host_tools)).expect("two sets");
    assert!(tools.system_prompt(&engine).contains("canvas_apply_patch, count."));
    assert_eq!(tools.specs(&engine).last().map(|spec| spec.name.as_str()), Some("count"));
    let calls = CanvasCalls::new(Arc::new(engine), Arc::new(tools), session);
    let call = |id: &str, name: &str, arguments| {
        let call = ToolCall { id: id.to_owned(), name: name.to_owned(), arguments };
        block_on(calls.call(&call, now))
    };

    assert_eq!(call("1", "count", json!({})).body(), &json!({"ok": true, "result": {"lines": 3}}));
    let failed = call("2", "count", json!({"do": "fail"}));
    assert_eq!(failed.code(), Some("TOOL_FAILED"));
    assert_eq!((&failed.body()["error"]["reason"], failed.is_unanswered()), (&json!("E7"), false));
    assert_eq!(call("3", "count", json!({"do": "sleep"})).code(), Some("TOOL_TIMEOUT"));
    assert!(call("4", "canvas_check_out", json!({})).is_ok());
    assert_eq!(call("5", "nothing", json!({})).code(), Some("UNKNOWN_TOOL"));

    // A call has one name for the host, however often it is made; another call has another.
    assert!(call("1", "count", json!({})).is_ok());
    let heard = host.heard.lock().expect("no panic");
    assert_eq!(heard[0].event_id, heard[3].event_id);
    assert_ne!(heard[0].event_id, heard[1].event_id);
    assert_eq!(heard[0].timeout, Duration::from_secs(5));
}

#[test]
fn leases_are_renewed_and_released_whatever_tools_the_model_has() {
    let now = Timestamp::from_millis(1_000);
    let engine = Arc::new(Engine::new(MemoryStore::new(move || now), Policy::default()));
    let (canvas, chat) = (CanvasId::new("c").unwrap(), ConversationId::new("chat").unwrap());
    let key = OpKey::of(chat.clone(), CallId::new("create").unwrap());
    block_on(engine.create(&canvas, "# A\n", &key, now)).expect("the canvas is new");
    let session = block_on(Session::open(&engine, canvas, chat, now)).expect("the canvas exists");
    let with = |tools| CanvasCalls::new(Arc::clone(&engine), Arc::new(tools), session.clone());
    let document = with(Tools::new(DocumentTools::default()).expect("one set"));
    let out = ToolCall { id: "out".to_owned(), name: "canvas_check_out".to_owned(), arguments: json!({}) };
    let lease = block_on(document.call(&out, now)).lease_id().expect("a lease").parse().expect("an id");
    let none = with(Tools::try_from(Vec::new()).expect("no sets"));
    for time in [1_000, 1_000, 2_000] {
        assert!(block_on(none.renew(lease, Timestamp::from_millis(time))).is_ok());
    }
    assert!(block_on(none.release(lease, now)).is_ok());
    let later = Timestamp::from_millis(3_000);
    assert_eq!(block_on(none.renew(lease, later)).code(), Some("LOCK_NOT_OWNED"));
    assert_eq!(none.session(), session);
}

/// Waits once, and then counts in its session.
#[derive(Debug)]
struct Counting;

impl Toolset<MemoryStore> for Counting {
    fn names(&self) -> Vec<&str> {
        vec!["count"]
    }

    fn specs(&self, _: &Engine<MemoryStore>) -> Vec<ToolSpec> {
        Vec::new()
    }

    fn task(&self) -> &'static str {
        "count"
    }

    fn prompt(&self, _: &[ToolSpec]) -> Vec<String> {
        Vec::new()
    }

    fn call<'a>(&'a self, context: ToolContext<'a, MemoryStore>, _: &'a ToolCall) -> ToolFuture<'a> {
        let mut waits = 1;
        Box::pin(async move {
            poll_fn(|_| {
                if waits == 0 {
                    Poll::Ready(())
                } else {
                    waits -= 1;
                    Poll::Pending
                }
            })
            .await;
            context.session.document.misses += 1;
            Ok(ToolReply::new(json!({"ok": true})))
        })
    }
}

#[test]
fn of_two_calls_at_once_the_last_leaves_its_memory() {
    let now = Timestamp::from_millis(1_000);
    let engine = Arc::new(Engine::new(MemoryStore::new(move || now), Policy::default()));
    let session = Session::new(CanvasId::new("c").unwrap(), ConversationId::new("chat").unwrap());
    let tools = Tools::new(Counting).expect("one set");
    let calls = CanvasCalls::new(engine, Arc::new(tools), session);
    let call = |id: &str| ToolCall { id: id.to_owned(), name: "count".to_owned(), arguments: json!({}) };
    for (first, second, misses) in [("1", "2", 1), ("3", "4", 2)] {
        let (first, second) = (call(first), call(second));
        let mut both = [Box::pin(calls.call(&first, now)), Box::pin(calls.call(&second, now))];
        let cx = &mut Context::from_waker(Waker::noop());
        assert!(both.iter_mut().all(|call| call.as_mut().poll(cx).is_pending()));
        assert!(both.iter_mut().all(|call| call.as_mut().poll(cx).is_ready()));
        assert_eq!(calls.session().document.misses, misses);
    }
}

#[test]
fn a_late_call_leaves_the_session_of_the_next_turn_alone() {
    let now = Timestamp::from_millis(1_000);
    let engine = Engine::new(MemoryStore::new(move || now), Policy::default());
    let canvas = CanvasId::new("c").unwrap();
    block_on(engine.create(&canvas, "a\n", &OpKey::host("create".parse().unwrap()), now)).unwrap();
    let session = block_on(Session::open(&engine, canvas, "chat".parse().unwrap(), now)).unwrap();
    let calls = CanvasCalls::new(Arc::new(engine), Arc::new(Tools::new(Counting).unwrap()), session);
    let begin = |call: &str| block_on(calls.begin_turn(call.parse().unwrap(), now)).unwrap();
    begin("message-1");

    let call = ToolCall { id: "1".to_owned(), name: "count".to_owned(), arguments: json!({}) };
    let mut late = Box::pin(calls.call(&call, now));
    assert!(late.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    begin("message-2");
    let next = calls.session();
    assert!(block_on(late).is_ok());
    assert_eq!(calls.session(), next);
    block_on(calls.end_turn("end".parse().unwrap(), now)).unwrap();
}
