//! Surfaces in memory: one place of a state replaced, a spec compiled, and an update told to many.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use canvas_core::lease::Timestamp;
use canvas_core::policy::ReceiptLimits;
use canvas_core::store::MemoryStore;
use canvas_core::surface::{
    Ceiling, ClientId, CreateSurface, PatchState, RunnerId, Spec, StatePatch, StatePointer, SurfaceActor,
    SurfaceEvent, SurfaceEventKind, SurfaceLimits, ToolContract, ToolDeclaration, ToolName,
};
use canvas_core::testing::block_on;
use canvas_core::{CallId, CanvasId, ConversationId, Engine, OpKey, Policy, Revision};
use canvas_tools::surface::SurfaceDoor;
use serde_json::{Value, json};

use crate::measure::{Effort, Subject, fine, side_by_side};
use crate::report::Row;

const NOW: Timestamp = Timestamp::from_millis(1_000);

/// The rows of each work are at one size only, and are measured beside documents of this size.
const BESIDE: usize = 100_000;

/// Bytes of the state in which one place is replaced.
const STATE: usize = 250 << 10;

/// A tree of short members, like what tools answer.
fn state(bytes: usize) -> Value {
    let (mut groups, mut left, mut number) = (serde_json::Map::new(), bytes, 0);
    while left > 0 {
        let mut group = serde_json::Map::new();
        while left > 0 && group.len() < 64 {
            let value = json!({"id": number, "name": format!("service {number}"), "ok": number % 3 == 0});
            left = left.saturating_sub(value.to_string().len() + 16);
            group.insert(format!("item-{number}"), value);
            number += 1;
        }
        groups.insert(format!("group-{}", groups.len()), group.into());
    }
    groups.into()
}

/// An engine with one surface.
struct Host {
    engine: Engine<MemoryStore>,
    canvas: CanvasId,
    by: SurfaceActor,
    calls: u64,
}

impl Host {
    fn new(state: &Value) -> Self {
        // Receipts are not what is measured.
        let policy = Policy {
            receipts: ReceiptLimits {
                min_changes: 0,
                lifetime: std::time::Duration::ZERO,
                ..Default::default()
            },
            ..Policy::default()
        };
        let engine = Engine::new(MemoryStore::new(|| NOW), policy);
        let by = SurfaceActor::ClientId(ClientId::new("window").expect("short"));
        let mut host = Self { engine, canvas: CanvasId::new("bench").expect("short"), by, calls: 0 };
        let create = CreateSurface {
            by: host.by.clone(),
            agent_id: None,
            title: None,
            owner_session_key: None,
            entry_asset: None,
            spec: json!({"version": 1, "mode": "html", "state": state}),
            assets: BTreeMap::new(),
        };
        let key = host.operation();
        let made = block_on(host.engine.call_or_create(&host.canvas, &key, create, NOW)).expect("it is new");
        made.expect("the spec is right").result.expect("the spec is right");
        host
    }

    fn operation(&mut self) -> OpKey {
        self.calls += 1;
        let call = CallId::new(&format!("call-{}", self.calls)).expect("short");
        OpKey::of(ConversationId::new("window").expect("short"), call)
    }

    fn replace(&mut self, path: &str) {
        let patch = StatePatch::parse(&json!([{"op": "replace", "path": path, "value": self.calls}]));
        let command = PatchState { by: self.by.clone(), patch: patch.expect("it is one"), expected: None };
        let key = self.operation();
        let answered = block_on(self.engine.call(&self.canvas, &key, command, NOW));
        answered.expect("the store is there").result.expect("the place is there");
    }
}

/// Measures one replacement in a state of 250 KiB with its commit, beside the crate json-patch, writing the JSON and hashing
/// it.
///
/// # Panics
///
/// Where the engine refuses it: a defect of the input.
pub fn rows_of_replacing(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    if size != BESIDE {
        return Vec::new();
    }
    let state = state(STATE);
    let path = "/group-3/item-200/name";
    let text = state.to_string();
    let (host, peer) = (RefCell::new(Host::new(&state)), RefCell::new((state, 0_u64)));
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new(
            "json-patch",
            || {
                let (state, number) = &mut *peer.borrow_mut();
                *number += 1;
                let patch: json_patch::Patch =
                    serde_json::from_value(json!([{"op": "replace", "path": path, "value": *number}]))?;
                json_patch::patch(state, &patch).expect("the place is there");
                serde_json::to_string(state).map(|text| blake3::hash(text.as_bytes()))
            },
            |_| true,
        ),
        Subject::new(
            "canvas",
            || {
                host.borrow_mut().replace(path);
                fine(())
            },
            |()| true,
        ),
    ];
    Row::of(work, text.len(), side_by_side(&subjects, effort))
}

/// Measures compiling a spec of 256 actions.
///
/// # Panics
///
/// Where the engine refuses it: a defect of the input.
pub fn rows_of_compiling(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    if size != BESIDE {
        return Vec::new();
    }
    let name = ToolName::new("server-a__Bash").expect("short");
    let schema = json!({
        "type": "object", "required": ["command"], "properties": {"command": {"type": "string"}},
    });
    let declaration = ToolDeclaration { input_schema: schema, ..ToolDeclaration::default() };
    let tool = ToolContract::new(name.clone(), declaration).expect("a schema");
    let ceiling = Ceiling { tools: BTreeMap::from([(name, tool)]), ..Ceiling::default() };
    let action = |number: usize| {
        let command =
            format!("./deploy {{{{state.service}}}} {{{{state.version}}}} --to {{{{input.place}}}} {number}");
        let action = json!({
            "kind": "tool.call", "tool": "server-a__Bash", "args": {"command": command}, "saveAs": format!("last.a{number}"),
            "confirm": "always", "timeoutMs": 120_000,
        });
        (format!("action-{number}"), action)
    };
    let actions: serde_json::Map<String, Value> = (0..256).map(action).collect();
    let spec = json!({
        "version": 1, "mode": "html", "toolPolicy": {"allow": ["server-a__Bash"]}, "actions": actions,
        "state": {"service": "api", "version": "1.2.7"},
    });
    let text = spec.to_string();
    let limits = SurfaceLimits::default();
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new("serde_json", || serde_json::from_str::<Value>(&text), |read| *read == spec),
        Subject::new(
            "canvas",
            || Spec::compile(&spec, &ceiling, &limits).map_err(|faults| faults[0].message.clone()),
            |spec| spec.actions().len() == 256,
        ),
    ];
    Row::of(work, text.len(), side_by_side(&subjects, effort))
}

/// Measures telling an update to 1,000 clients, beside one JSON for each.
///
/// # Panics
///
/// Where the engine refuses it: a defect of the input.
pub fn rows_of_telling(work: &'static str, size: usize, effort: Effort) -> Vec<Row> {
    const CLIENTS: usize = 1_000;
    if size != BESIDE {
        return Vec::new();
    }
    let canvas = CanvasId::new("bench").expect("short");
    let door = SurfaceDoor::new(RunnerId::new("bench").expect("short"), 0);
    let mut name = String::new();
    for number in 0..CLIENTS {
        name.clear();
        let _ = write!(name, "window-{number}");
        let client = SurfaceActor::ClientId(ClientId::new(&name).expect("short"));
        door.views().open(&canvas, &client, NOW);
    }
    let revision = Revision::new(7).expect("small");
    let paths = ["/lastDeploy", "/logsTail/result"].map(|path| StatePointer::new(path).expect("a pointer"));
    let event =
        SurfaceEvent::new(SurfaceEventKind::Updated, canvas.clone(), revision, NOW).at_paths(paths.into());
    let text = event.encode();
    let subjects = [
        Subject::memcpy(text.as_bytes()),
        Subject::new(
            "one JSON each",
            || {
                let views = door.views();
                fine(views.clients(&canvas).map(|_| event.encode()).collect::<Vec<_>>())
            },
            |sent| sent.len() == CLIENTS,
        ),
        Subject::new(
            "canvas",
            || {
                let (views, text) = (door.views(), event.encode());
                fine(views.clients(&canvas).map(|_| Arc::clone(&text)).collect::<Vec<_>>())
            },
            |sent| sent.len() == CLIENTS,
        ),
    ];
    Row::of(work, text.len(), side_by_side(&subjects, effort))
}
