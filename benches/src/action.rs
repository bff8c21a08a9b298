//! Actions of surfaces in memory: one is begun, its tool does nothing, and it ends.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use canvas_core::lease::Timestamp;
use canvas_core::store::{Commit, Head, MemoryStore, Store as _};
use canvas_core::surface::{
    ActionBegun, ActionId, ActionName, ActionRequest, BeginAction, Ceiling, ClientId, EventId, FinishAction,
    RunnerId, StateValue, SurfaceActor, ToolContract, ToolDeclaration, ToolName,
};
use canvas_core::testing::block_on;
use canvas_core::{Blob, CallId, CanvasId, Command, ConversationId, Engine, OpKey, Policy};
use serde_json::{Value, json};

use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// Bytes of the state: of a larger document no more.
const MOST: usize = 16 << 10;

/// A host with a surface, whose button is pressed again and again.
struct Host {
    engine: Engine<MemoryStore>,
    canvas: CanvasId,
    presses: u64,
}

impl Host {
    fn new(state: &Value) -> Self {
        let name = ToolName::new("node__Noop").expect("short");
        let tool = ToolContract::new(name.clone(), ToolDeclaration::default()).expect("it takes anything");
        let tools = BTreeMap::from([(name.clone(), tool)]);
        let ceiling = Ceiling { tools, trust: [name].into(), ..Ceiling::default() };
        let engine = Engine::new(MemoryStore::new(|| NOW), Policy::default()).with_ceiling(Arc::new(ceiling));
        let mut host = Self { engine, canvas: CanvasId::new("bench").expect("short"), presses: 0 };
        let key = host.key("create");
        block_on(host.engine.create(&host.canvas, "", &key, NOW)).expect("it is new");
        host.put_surface(state);
        host.press();
        host
    }

    fn put_surface(&mut self, state: &Value) {
        let owner = "agent:main:main";
        let files = [
            (
                "descriptor.json",
                json!({"agentId": "main", "title": "b", "ownerSessionKey": owner, "mode": "html", "createdAt": 1}),
            ),
            (
                "spec.json",
                json!({
                    "version": 1, "mode": "html", "toolPolicy": {"allow": ["node__Noop"]},
                    "actions": {
                        "act": {
                            "kind": "tool.call", "tool": "node__Noop", "saveAs": "last",
                            "args": {"at": "{{ runtime.now }}", "n": "{{ input.n }}"},
                        },
                    },
                }),
            ),
            ("state/latest.json", state.clone()),
        ];
        let files = files.map(|(path, json)| (path, Blob::text(json.to_string())));
        let row = block_on(self.engine.store().load(&self.canvas)).expect("memory").expect("it was made");
        let mut json: Value = serde_json::from_slice(&row.head.to_json()).expect("a head is JSON");
        for (path, blob) in &files {
            json["draft"][*path] = json!(blob.id());
        }
        let head = Head::from_json(&self.canvas, json.to_string().as_bytes()).expect("it is one still");
        let blobs = files.map(|(_, blob)| blob).into();
        let commit = Commit { expected: Some(row.version), head: Arc::new(head), blobs, not_after: None };
        block_on(self.engine.store().commit(commit)).expect("memory");
        self.engine.forget(&self.canvas);
    }

    fn key(&self, what: &str) -> OpKey {
        let call = CallId::new(&format!("{what} {}", self.presses)).expect("short");
        OpKey::of(ConversationId::new("host").expect("short"), call)
    }

    fn ask<C: Command>(&self, what: &str, command: C) -> Result<C::Done, C::Refusal> {
        let answered = block_on(self.engine.call(&self.canvas, &self.key(what), command, NOW));
        answered.expect("the store is there").result
    }

    /// Begins the action and ends it with another result each time. Gives whether it was saved.
    fn press(&mut self) -> bool {
        self.presses += 1;
        let request = ActionRequest {
            by: SurfaceActor::ClientId(ClientId::new("window").expect("short")),
            job: None,
            action: ActionName::Id(ActionId::new("act").expect("short")),
            input: json!({"n": self.presses}),
            expected: None,
            confirmation: None,
        };
        let event = EventId::new(&self.presses.to_string()).expect("short");
        let begin = BeginAction { request, event, runner: RunnerId::new("host").expect("short") };
        let Ok(ActionBegun::Run(running)) = self.ask("begin", begin) else { return false };
        let finish = FinishAction { running, outcome: Ok(json!({"n": self.presses})) };
        self.ask("finish", finish).is_ok_and(|ended| ended.saved)
    }
}

fn state(size: usize) -> Value {
    let line =
        |n: usize| json!({"id": n, "level": "info", "text": "one line of a log, as services write them"});
    let lines: Vec<_> = (0..size / 81).map(line).collect();
    json!({"log": lines, "service": "api"})
}

/// Measures an action that is begun and ends, each with its commit.
///
/// # Panics
///
/// Where the engine refuses it: a defect of the input.
pub fn rows(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    if size > 100_000 {
        return Vec::new();
    }
    let value = state(size.min(MOST));
    let (text, shared) = (value.to_string(), StateValue::from(value.clone()));
    let host = RefCell::new(Host::new(&value));
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new(
            "JSON and blake3",
            || fine(blake3::hash(serde_json::to_string(&shared).expect("plain JSON").as_bytes())),
            |_| true,
        ),
        Subject::new("canvas", || fine(host.borrow_mut().press()), |saved| *saved),
    ];
    Row::of(work, text.len(), side_by_side(&subjects, effort))
}
