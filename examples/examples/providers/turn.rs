//! A scripted turn of any provider on a canvas of its own.

use std::error::Error;

use canvas_core::lease::Timestamp;
use canvas_core::store::MemoryStore;
use canvas_core::testing::block_on;
use canvas_core::{CanvasId, ConversationId, Engine, OpKey, Policy};
use canvas_providers::{
    Decoded, EncodedRequest, Event, LoopAction, LoopOptions, NativeTool, Outcome, Provider, RequestOptions,
    ToolLoop,
};
use canvas_tools::native::{Dialect, RenderOptions, render_native};
use canvas_tools::{Session, Tools, Toolset};
use serde_json::{Value, json};

use super::wire;

const NOW: Timestamp = Timestamp::from_millis(1_000);
const PATH: &str = "document.md";
pub(crate) const BEFORE: &str = "# Plan\n\n- milk\n- eggs\n";
pub(crate) const AFTER: &str = "# Plan\n\n- milk\n- bread\n";
pub(crate) const USER: &str = "Bread, not eggs.";

/// What the model calls.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Call {
    /// It takes the lease.
    CheckOut,
    /// It patches under the lease.
    Patch,
    /// It gives the lease back.
    CheckIn,
    /// It makes the whole edit in a dialect, whose session keeps the lease.
    Native(Dialect),
}

/// A turn as the provider saw it.
#[derive(Debug)]
pub(crate) struct Turn {
    /// The tools of the request.
    pub(crate) names: Vec<String>,
    /// The one that edits, as it was declared.
    pub(crate) declared: Value,
    pub(crate) steps: Vec<Step>,
}

/// A call and what came of it.
#[derive(Debug)]
pub(crate) struct Step {
    /// The part of the answer.
    pub(crate) answer: Value,
    /// What the next request ends with.
    pub(crate) result: Value,
}

/// Runs the turn to its end.
///
/// # Errors
///
/// If something is refused, or the canvas is not what it should be then: a defect of the script.
pub(crate) fn run(
    provider: Provider,
    toolset: Box<dyn Toolset<MemoryStore>>,
    native: Option<NativeTool>,
    calls: &[Call],
) -> Result<Turn, Box<dyn Error>> {
    let engine = Engine::new(MemoryStore::new(|| NOW), Policy::default());
    let (canvas, chat) = (CanvasId::new("plan")?, ConversationId::new("chat")?);
    let create = OpKey::of(chat.clone(), "create".parse()?);
    block_on(engine.create(&canvas, BEFORE, &create, NOW))?;
    let mut session = block_on(Session::open(&engine, canvas, chat, NOW))?;
    let tools = Tools::try_from(vec![toolset])?;
    let specs = tools.specs(&engine);
    let options = RequestOptions { native, ..RequestOptions::default() };
    let (issuer, system) = (provider.issuer(wire::MODEL), tools.system_prompt(&engine));

    let mut turn = ToolLoop::new(LoopOptions::default(), vec![Event::user(USER)]);
    let (mut lease, mut requests, mut answers) = (Value::Null, Vec::new(), Vec::new());
    loop {
        match turn.poll(NOW) {
            LoopAction::SendRequest => {
                let request = provider.request(&issuer, &system, &specs, turn.events(), &options)?;
                let answer = match calls.get(requests.len()) {
                    Some(call) => {
                        let (name, arguments) = words(*call, &lease)?;
                        let id = format!("call_{}", requests.len() + 1);
                        wire::answer(provider, &request, &id, name, &arguments)
                    }
                    None => wire::end(provider),
                };
                let decoded = provider.decode(&answer, &request.context)?;
                answers.push(part(&decoded));
                turn.on_response(decoded)?;
                requests.push(request);
            }
            LoopAction::RunCalls(calls) => {
                for call in calls {
                    let reply = block_on(tools.call(&engine, &mut session, &call, NOW));
                    if !reply.is_ok() {
                        return Err(reply.body().to_string().into());
                    }
                    lease = reply.body().get("lease_id").cloned().unwrap_or(lease);
                    turn.on_reply(&call.id, reply)?;
                }
            }
            LoopAction::ReleaseLease { lease_id } => turn.on_released(lease_id)?,
            LoopAction::Done(Outcome::Completed) => break,
            other => return Err(format!("the script does not know of {other:?}").into()),
        }
    }
    let text = block_on(engine.snapshot(&session.canvas, NOW))?.text().to_owned();
    if text != AFTER {
        return Err(format!("the canvas holds {text:?}").into());
    }
    let editor = native.map_or("canvas_apply_patch", NativeTool::name);
    let declared =
        requests.first().map(|request| wire::declared(provider, request, editor)).unwrap_or_default();
    let steps = answers.into_iter().zip(requests.iter().skip(1));
    let step =
        |(answer, request): (Value, &EncodedRequest)| Step { answer, result: wire::last(provider, request) };
    Ok(Turn {
        names: specs.into_iter().map(|spec| spec.name).collect(),
        declared,
        steps: steps.map(step).collect(),
    })
}

/// The part of an answer that is its call, as the provider gave it.
fn part(decoded: &Decoded) -> Value {
    let envelope = decoded.events.iter().filter_map(|event| event.envelope.as_ref()).next_back();
    envelope.and_then(|envelope| envelope.parts.first().cloned()).unwrap_or_default()
}

/// The name of the tool and the arguments of a call.
fn words(call: Call, lease: &Value) -> Result<(&'static str, Value), Box<dyn Error>> {
    Ok(match call {
        Call::CheckOut => ("canvas_check_out", json!({})),
        Call::Patch => {
            let patch = "@@\n - milk\n-- eggs\n+- bread\n";
            ("canvas_apply_patch", json!({"lease_id": lease, "patch": patch}))
        }
        Call::CheckIn => ("canvas_check_in", json!({"lease_id": lease})),
        Call::Native(dialect) => {
            let calls = render_native(BEFORE, AFTER, dialect, PATH, &RenderOptions::default())?;
            let call = calls.into_iter().next().ok_or("the texts are the same")?;
            (dialect.tool_names()[0], call)
        }
    })
}
