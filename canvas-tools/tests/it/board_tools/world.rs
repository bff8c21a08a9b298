//! A canvas with a board, a conversation about it, and a host that counts calls.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::board::{
    Aliases, BoardCommandRun, CanvasCommand, CreateBoard, DataLoadingState, Registry, RunBoardCommand,
    Workspace,
};
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{Author, CallId, CanvasId, Command, ConversationId, Engine, OpKey, Policy};
use canvas_tools::{BoardTools, Session, ToolCall, ToolReply, Tools};
use serde_json::{Value, json};

pub(crate) struct World {
    pub(crate) engine: Engine<MemoryStore>,
    pub(crate) session: Session,
    pub(crate) toolset: BoardTools,
    calls: AtomicU64,
}

const NOW: Timestamp = Timestamp::from_millis(1_000);

impl World {
    /// A canvas with an empty board of 12 columns and 8 rows, and its first turn.
    pub(crate) fn new() -> Self {
        Self::of(workspace(12, 8))
    }

    pub(crate) fn of(workspace: Workspace) -> Self {
        Self::with(Some(workspace), Policy::default(), Arc::new(Registry::built_in()))
    }

    pub(crate) fn with(workspace: Option<Workspace>, policy: Policy, registry: Arc<Registry>) -> Self {
        let engine = Engine::new(MemoryStore::new(|| NOW), policy).with_registry(registry);
        let (canvas, who) = (CanvasId::new("c").unwrap(), ConversationId::new("main").unwrap());
        block_on(engine.create(&canvas, "a\n", &key("main", "create"), NOW)).unwrap();
        if let Some(workspace) = workspace {
            let command = CreateBoard { workspace: Box::new(workspace) };
            block_on(engine.call(&canvas, &key("host", "board"), command, NOW)).unwrap().result.unwrap();
        }
        let session = block_on(Session::open(&engine, canvas, who, NOW)).unwrap();
        Self { engine, session, toolset: BoardTools::default(), calls: AtomicU64::new(0) }
    }

    pub(crate) fn fresh_id(&self) -> String {
        format!("call-{}", self.calls.fetch_add(1, Ordering::Relaxed))
    }

    /// Runs one of the nine tools under a new call id and checks what every reply has.
    #[track_caller]
    pub(crate) fn tool(&self, name: &str, arguments: Value) -> ToolReply {
        self.again(&self.fresh_id(), name, arguments)
    }

    #[track_caller]
    pub(crate) fn again(&self, id: &str, name: &str, arguments: Value) -> ToolReply {
        let mut session = self.session.clone();
        session.board.aliases = Aliases::default();
        call(&self.engine, BoardTools::default(), &mut session, id, name, arguments)
    }

    /// The same with the toolset and the session of this host.
    #[track_caller]
    pub(crate) fn host(&mut self, name: &str, arguments: Value) -> ToolReply {
        let id = self.fresh_id();
        self.host_again(&id, name, arguments)
    }

    #[track_caller]
    pub(crate) fn host_again(&mut self, id: &str, name: &str, arguments: Value) -> ToolReply {
        call(&self.engine, self.toolset, &mut self.session, id, name, arguments)
    }

    /// Makes the call that a refusal offers.
    #[track_caller]
    pub(crate) fn corrected(&mut self, refused: &ToolReply) -> ToolReply {
        let call = &refused.body()["error"]["corrected_call"];
        let name = call["name"].as_str().unwrap_or_else(|| panic!("no correction: {}", refused.body()));
        self.host(name, call["arguments"].clone())
    }

    /// A stat tile at a place; gives its id.
    #[track_caller]
    pub(crate) fn tile(&self, col: u32, row: u32, cols: u32, rows: u32) -> String {
        let reply = self.tool(
            "create_component",
            json!({
                "type_id": "github.stat-tile", "config": {"repo": "o/r", "metric": "stars"},
                "position": {"col": col, "row": row}, "size": {"cols": cols, "rows": rows},
            }),
        );
        reply.body()["component_id"].as_str().unwrap_or_else(|| panic!("{}", reply.body())).to_owned()
    }

    /// Something that the host does, or the user.
    #[track_caller]
    pub(crate) fn user<C: Command>(&self, command: C) -> C::Done {
        let operation = key("user", &self.fresh_id());
        block_on(self.engine.call(&self.session.canvas, &operation, command, NOW)).unwrap().result.unwrap()
    }

    #[track_caller]
    pub(crate) fn by_user(&self, command: Value) -> BoardCommandRun {
        let command: CanvasCommand = serde_json::from_value(command).unwrap();
        self.user(RunBoardCommand { by: Author::User, command: Box::new(command), base: None, grid: None })
    }

    #[track_caller]
    pub(crate) fn message(&mut self) {
        let call = CallId::new(&self.fresh_id()).unwrap();
        block_on(self.session.begin_turn(&self.engine, call, NOW)).unwrap();
    }

    pub(crate) fn board(&self) -> Workspace {
        let (board, _) = block_on(self.engine.board(&self.session.canvas, NOW)).unwrap();
        board.unwrap().workspace(|_| DataLoadingState::Idle)
    }

    pub(crate) fn revision(&self) -> String {
        block_on(self.engine.snapshot(&self.session.canvas, NOW)).unwrap().revision_id().to_string()
    }

    /// Where a component is: `col,row cols x rows`.
    #[track_caller]
    pub(crate) fn place(&self, id: &str) -> String {
        let board = self.board();
        let one = board.canvas.components.iter().find(|one| one.id.as_str() == id).unwrap();
        format!("{} {}", one.position, one.size)
    }
}

#[track_caller]
fn call(
    engine: &Engine<MemoryStore>,
    toolset: BoardTools,
    session: &mut Session,
    id: &str,
    name: &str,
    arguments: Value,
) -> ToolReply {
    let tools = Tools::new(toolset).unwrap();
    let call = ToolCall { id: id.into(), name: name.into(), arguments };
    *session = crate::restored(session);
    let reply = block_on(tools.call(engine, session, &call, NOW));
    crate::recorded::judge(name, &reply);
    is_whole(&reply);
    reply
}

pub(crate) fn workspace(columns: u32, rows: u32) -> Workspace {
    let grid = json!({"columns": columns, "rows": rows, "gap": 8, "cellWidth": 80, "cellHeight": 60});
    serde_json::from_value(json!({
        "id": "ws_1", "name": "Board", "canvas": {"grid": grid, "components": []}, "threadId": "thread", "views": [],
        "triggers": [], "createdAt": 1, "updatedAt": 1,
        "settings": {
            "theme": "system", "voiceEnabled": false, "defaultRefreshInterval": 60000, "grid": grid, "proactiveMode": "off",
        },
    }))
    .unwrap()
}

fn key(who: &str, call: &str) -> OpKey {
    OpKey::of(ConversationId::new(who).unwrap(), CallId::new(call).unwrap())
}

/// What every reply has: `ok`; a revision; for a failure code, message and whether to retry; and a size that a model
/// can take.
#[track_caller]
fn is_whole(reply: &ToolReply) {
    let body = reply.body();
    assert_eq!(body["ok"], reply.is_ok(), "{body}");
    let revision = reply.revision_id().unwrap_or_else(|| panic!("no revision: {body}"));
    revision.parse::<canvas_core::RevisionId>().unwrap_or_else(|e| panic!("{body}: {e}"));
    if reply.is_ok() {
        assert_eq!((reply.code(), body.get("error")), (None, None), "{body}");
        assert!(body["explanation"].as_str().is_some_and(|text| text.ends_with('.')), "{body}");
    } else {
        let code = reply.code().unwrap_or_else(|| panic!("no code: {body}"));
        assert!(code.chars().all(|c| c.is_ascii_uppercase() || c == '_'), "{body}");
        let message = body["error"]["message"].as_str().unwrap_or_else(|| panic!("no message: {body}"));
        assert!(message.contains(' ') && message.len() <= 5_000, "{body}");
        assert!(body["error"]["retryable"].is_boolean() && body["canvas_epoch"].is_u64(), "{body}");
    }
    has_snake_case_only(body);
}

/// The JSON of the core is in camel case; none of it may get out.
#[track_caller]
fn has_snake_case_only(body: &Value) {
    match body {
        Value::Object(fields) => fields.iter().for_each(|(name, value)| {
            assert!(!name.chars().any(char::is_uppercase), "{name}");
            has_snake_case_only(value);
        }),
        Value::Array(items) => items.iter().for_each(has_snake_case_only),
        _ => {}
    }
}

/// Code and place of a failure: `INVALID_SIZE at "/size"`; `OK` where there is none.
pub(crate) fn failure(reply: &ToolReply) -> String {
    let error = &reply.body()["error"];
    let Some(code) = reply.code() else { return "OK".into() };
    let place = error["place"].as_str().map_or_else(String::new, |place| format!(" at {place:?}"));
    format!("{code}{place}")
}
