//! The host of the cockpit: an engine in memory, a door to its surfaces, a server with a shell, and a clock that the story
//! sets.

use std::collections::BTreeMap;
use std::error::Error;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use canvas_core::history::{Undo, UndoScope};
use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::surface::{
    Ceiling, ClientId, RunnerId, SurfaceActor, ToolContract, ToolDeclaration, ToolName,
};
use canvas_core::testing::block_on;
use canvas_core::{
    Author, CallId, CanvasId, CodedError as _, ConversationId, Engine, OpKey, Policy, Refused as _,
};
use canvas_tools::action::ActionOver;
use canvas_tools::surface::{SurfaceCaller, SurfaceDoor, SurfaceReply, SurfaceRequest};
use canvas_tools::{Session, SurfaceTools, ToolCall, Tools};
use serde_json::{Value, json};

use super::shell::Shell;

/// When the story begins.
pub(crate) const START: Timestamp = Timestamp::from_millis(1_730_000_000_000);

/// The tool that runs commands on the server.
const BASH: &str = "server-a__Bash";

pub(crate) struct Host {
    pub(crate) engine: Engine<MemoryStore>,
    pub(crate) canvas: CanvasId,
    pub(crate) shell: Shell,
    door: Arc<SurfaceDoor>,
    tools: Tools<MemoryStore>,
    session: Session,
    clock: Arc<AtomicU64>,
    calls: AtomicU64,
}

impl Host {
    pub(crate) fn open() -> Result<Self, Box<dyn Error>> {
        let clock = Arc::new(AtomicU64::new(START.as_millis()));
        let shared = Arc::clone(&clock);
        let store = MemoryStore::new(move || Timestamp::from_millis(shared.load(Ordering::Relaxed)));
        let engine = Engine::new(store, Policy::default()).with_ceiling(Arc::new(ceiling()?));
        let canvas = CanvasId::new("deploy-prod")?;
        let door = Arc::new(SurfaceDoor::new(RunnerId::new("cockpit")?, 7));
        let session = Session::new(canvas.clone(), ConversationId::new("agent:main:main")?);
        let tools = Tools::new(SurfaceTools::new(Arc::clone(&door)))?;
        let (shell, calls) = (Shell::open()?, AtomicU64::new(0));
        Ok(Self { engine, canvas, shell, door, tools, session, clock, calls })
    }

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::Relaxed))
    }

    pub(crate) fn wait(&self, ms: u64) {
        self.clock.fetch_add(ms, Ordering::Relaxed);
    }

    /// The assistant calls its tool.
    pub(crate) fn assistant(&mut self, arguments: Value) -> Value {
        let call = ToolCall { id: self.fresh("tool"), name: "gsv__Canvas".to_owned(), arguments };
        let now = self.now();
        block_on(self.tools.call(&self.engine, &mut self.session, &call, now)).body().clone()
    }

    /// A person's window sends a request.
    pub(crate) fn window(&self, method: &str, params: Value) -> Result<SurfaceReply, Box<dyn Error>> {
        let mut params = params;
        params["canvasId"] = json!(self.canvas);
        let caller = SurfaceCaller {
            actor: SurfaceActor::ClientId(ClientId::new("window")?),
            operation: self.operation("window")?,
        };
        let request = SurfaceRequest::parse(method, &params)?;
        let clock = || self.now();
        Ok(block_on(self.door.request(&self.engine, &self.shell, &caller, request, clock, |_| {})))
    }

    /// The state, as a window shows it.
    pub(crate) fn state(&self, pointer: &str) -> Result<Value, Box<dyn Error>> {
        let shown = self.window("canvas.get", json!({}))?.result?;
        Ok(shown["state"].pointer(pointer).cloned().unwrap_or(Value::Null))
    }

    /// Waits until a job is due and runs what is.
    pub(crate) fn poll(&self) -> Result<Vec<ActionOver>, Box<dyn Error>> {
        let next = self.door.jobs().next_due();
        let wait = next.map_or(0, |next| next.as_millis().saturating_sub(self.now().as_millis()));
        self.wait(wait);
        let mut ran = Vec::new();
        for (job, mut run) in block_on(self.door.due(&self.engine, self.now())) {
            let over = block_on(run.drive(&self.engine, &self.shell, || self.now(), |_| {}))?;
            self.door.job_over(&job, &over, self.now());
            ran.push(over);
        }
        Ok(ran)
    }

    /// The person takes the last change back.
    pub(crate) fn undo(&self) -> Result<Vec<String>, Box<dyn Error>> {
        let undo = Undo { by: Author::User, what: UndoScope::Steps(NonZeroU32::MIN) };
        let operation = self.operation("window")?;
        let undone = block_on(self.engine.call(&self.canvas, &operation, undo, self.now()))?.result;
        let undone = undone.map_err(|refusal| format!("{}: {}", refusal.code(), refusal.view()))?;
        Ok(undone.entries.into_iter().map(|entry| entry.summary).collect())
    }

    fn operation(&self, who: &str) -> Result<OpKey, Box<dyn Error>> {
        let (conversation, call) = (ConversationId::new(who)?, CallId::new(&self.fresh("call"))?);
        Ok(OpKey::of(conversation, call))
    }

    fn fresh(&self, what: &str) -> String {
        format!("{what}-{}", self.calls.fetch_add(1, Ordering::Relaxed))
    }
}

/// One tool, which the host trusts: the spec says itself when a person is asked.
fn ceiling() -> Result<Ceiling, Box<dyn Error>> {
    let name = ToolName::new(BASH)?;
    let declaration = ToolDeclaration {
        input_schema: json!({
            "type": "object", "required": ["command"], "properties": {"command": {"type": "string"}},
        }),
        description: Some("Runs a command by sh.".to_owned()),
        ..ToolDeclaration::default()
    };
    let contract = ToolContract::new(name.clone(), declaration)?;
    Ok(Ceiling {
        tools: BTreeMap::from([(name.clone(), contract)]),
        trust: [name].into(),
        ..Ceiling::default()
    })
}
