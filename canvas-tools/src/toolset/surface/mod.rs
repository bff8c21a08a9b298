//! The tool of surfaces, `gsv__Canvas`, with six operations. It takes no lease.
//!
//! * A model sees only the surfaces of its own agent, and changes them in its own turn.
//! * It cannot run an action. Only the user can.

mod arguments;
mod names;
mod next;
mod prompt;
mod reply_schema;

use std::fmt;
use std::sync::Arc;

use canvas_core::lease::Turn;
use canvas_core::rollout::Access;
use canvas_core::store::Store;
use canvas_core::surface::{SessionKey, SurfaceActor};
use canvas_core::{CanvasId, CodedError as _, ConversationId, Engine, EngineError, OpKey, Policy};
use serde_json::json;

use self::arguments::{Arguments, Operation};
pub use self::names::SURFACE_TOOL;
use self::next::next;
pub(crate) use self::reply_schema::reply_schema;
use super::call::ToolCall;
use super::context::{ToolContext, ToolFuture, Toolset};
use super::spec::{ToolSpec, schema_of};
use crate::arguments::arguments;
use crate::reply::{ToolError, ToolReply};
use crate::surface::{SurfaceCaller, SurfaceDoor, SurfaceReply};

/// The tool `gsv__Canvas`, which creates surfaces, shows them, and changes their state.
///
/// [`ToolReply::surface_events`] has its events, for the clients that show the surface.
#[derive(Clone)]
pub struct SurfaceTools {
    door: Arc<SurfaceDoor>,
    session_key: fn(&ConversationId) -> SessionKey,
}

impl fmt::Debug for SurfaceTools {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SurfaceTools").field("door", &self.door).finish_non_exhaustive()
    }
}

impl SurfaceTools {
    /// Creates the tool, with the door through which clients reach the same surfaces. If a conversation's name is a
    /// session key, such as `agent:main:main`, the conversation is that session. Otherwise it is a session of the agent
    /// `main`.
    #[expect(clippy::missing_panics_doc, reason = "the name is short")]
    pub fn new(door: Arc<SurfaceDoor>) -> Self {
        Self::with_sessions(door, |conversation| {
            let of_main = || SessionKey::new(&format!("agent:main:{conversation}"));
            let own = SessionKey::new(conversation.as_str()).ok().filter(|key| key.agent().is_some());
            // A name that is too long for that names no agent, and sees no surface.
            own.or_else(|| of_main().ok()).unwrap_or_else(|| SessionKey::new("-").expect("it is short"))
        })
    }

    /// Creates the tool, with a function that returns the session of each conversation.
    pub fn with_sessions(door: Arc<SurfaceDoor>, session_key: fn(&ConversationId) -> SessionKey) -> Self {
        Self { door, session_key }
    }

    /// Returns the tools that a policy opens to models.
    pub fn list(policy: &Policy) -> Vec<ToolSpec> {
        if policy.permits(Access::Read).is_err() {
            return Vec::new();
        }
        let may_write = policy.permits(Access::Write).is_ok();
        let open = Operation::ALL.into_iter().filter(|operation| may_write || !operation.is_write());
        let open: Vec<&str> = open.map(Operation::name).collect();
        let what = if may_write { "Make, change and see" } else { "See" };
        let description = format!(
            "{what} surfaces: persistent panels with state, actions (tool calls that the user starts) and assets. \
             Operations: {}.",
            open.join(", "),
        );
        let mut parameters = schema_of::<Arguments>();
        parameters["properties"]["operation"]["enum"] = json!(open);
        vec![ToolSpec { name: SURFACE_TOOL.into(), description, parameters }]
    }
}

impl<S: Store> Toolset<S> for SurfaceTools {
    fn names(&self) -> Vec<&str> {
        vec![SURFACE_TOOL]
    }

    fn specs(&self, engine: &Engine<S>) -> Vec<ToolSpec> {
        Self::list(engine.policy())
    }

    fn task(&self) -> &'static str {
        "make surfaces of state and actions for a user"
    }

    fn prompt(&self, specs: &[ToolSpec]) -> Vec<String> {
        prompt::lines(SURFACE_TOOL, specs)
    }

    fn call<'a>(&'a self, context: ToolContext<'a, S>, call: &'a ToolCall) -> ToolFuture<'a> {
        Box::pin(call_surface_tool(self, context, call))
    }
}

async fn call_surface_tool<S: Store>(
    tools: &SurfaceTools,
    context: ToolContext<'_, S>,
    call: &ToolCall,
) -> Result<ToolReply, ToolError> {
    let arguments: Arguments = arguments(&call.arguments)?;
    let access = if arguments.operation().is_write() { Access::Write } else { Access::Read };
    context.permits(&call.name, access)?;
    let request = arguments.request(&context.session.canvas)?;
    let actor = SurfaceActor::SessionKey((tools.session_key)(&context.session.conversation));
    let canvas = request.canvas().cloned();
    let operation = match &canvas {
        Some(canvas) => operation_on(&context, canvas).await?,
        None => context.session.operation(context.id.clone()),
    };
    let caller = SurfaceCaller { actor, operation };
    let answer = tools.door.answer(context.engine, &caller, request, context.now).await;
    let SurfaceReply { result, events, .. } = answer;
    // Who may not see a surface does not learn either that the canvas is there.
    let is_hidden = result.as_ref().is_err_and(|error| error.code() == "SURFACE_NOT_FOUND");
    let snapshot = match &canvas {
        Some(canvas) if !is_hidden => context.engine.snapshot(canvas, context.now).await.ok(),
        _ => None,
    };
    Ok(match result {
        Ok(result) => {
            let reply = match &snapshot {
                Some(snapshot) => ToolReply::of_snapshot(snapshot),
                None => ToolReply::new(json!({"ok": true})),
            };
            reply.with(result).with_surface_events(events)
        }
        Err(error) => ToolReply::failed(&error.failure().clone().with_next(next(&error)), snapshot.as_ref()),
    })
}

/// Returns the key of a call about a canvas. For the session's canvas it is in the session's turn, and for another
/// canvas in that canvas's current turn.
async fn operation_on<S: Store>(
    context: &ToolContext<'_, S>,
    canvas: &CanvasId,
) -> Result<OpKey, EngineError> {
    let operation = context.session.operation(context.id.clone());
    if *canvas == context.session.canvas {
        return Ok(operation);
    }
    match context.engine.snapshot(canvas, context.now).await {
        Ok(snapshot) => {
            Ok(OpKey { turn: snapshot.head.lock_of(&operation.conversation).turn(), ..operation })
        }
        Err(EngineError::NotFound { .. }) => Ok(OpKey { turn: Turn::ZERO, ..operation }),
        Err(error) => Err(error),
    }
}
