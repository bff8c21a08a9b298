//! Operations on providers' requests and answers, and a whole turn from recorded answers.

use canvas_core::lease::LeaseId;
use canvas_core::turn::Cancel;
use canvas_core::{CallId, CodedError as _, Refused as _};
use canvas_providers::{
    AnswerContext, Body, DecodeError, Decoded, EncodeError, Event, Framing, Interruption, Issuer, LoopAction,
    LoopError, LoopOptions, NativeTool, Provider, Renames, RequestOptions, Role, StopReason, ToolLoop, mcp,
};
use canvas_tools::{DocumentTools, ToolCall, ToolSpec};
use serde_json::{Value, json};

use super::documents::Documents;
use super::faces::join;
use super::native;
use super::request::{BridgeError, Request};

/// MCP has tools and calls, but neither requests with a history nor streams.
const MCP: &str = "mcp";

fn not_supported(what: &str) -> BridgeError {
    BridgeError::new("NOT_SUPPORTED", format!("{what} is not built yet: leave it out"))
}

fn provider(request: &Request<'_>) -> Result<Provider, BridgeError> {
    let name = request.text("provider")?;
    if name == MCP {
        return Err(not_supported("a history or a stream of mcp"));
    }
    name.parse()
        .map_err(|e: canvas_providers::UnknownProvider| BridgeError::new("BAD_REQUEST", e.to_string()))
}

pub(super) fn tools(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let (specs, native) = specs(documents, request)?;
    if request.text("provider")? == MCP {
        return Ok(json!(mcp::tools(&specs)));
    }
    Ok(json!(provider(request)?.tools(&specs, native)))
}

/// The tools of a request, and the one among them that its provider may have built in.
fn specs(
    documents: &Documents,
    request: &Request<'_>,
) -> Result<(Vec<ToolSpec>, Option<NativeTool>), BridgeError> {
    if request.field::<Option<&str>>("toolset")? == Some("native") {
        return Ok((vec![spec(request)?], NativeTool::of(native::dialect(request)?)));
    }
    Ok((documents.toolset(request)?, None))
}

/// The dialect's tool, as a function.
fn spec(request: &Request<'_>) -> Result<ToolSpec, BridgeError> {
    Ok(native::dialect(request)?.spec(native::path(request)?))
}

/// The tool of a dialect as its provider takes it.
pub(super) fn native_tools(request: &Request<'_>) -> Result<Value, BridgeError> {
    let spec = spec(request)?;
    let tool =
        NativeTool::of(native::dialect(request)?).map_or_else(|| json!(spec), |tool| tool.declare(&spec));
    Ok(json!({"tools": [tool]}))
}

pub(super) fn decode(request: &Request<'_>) -> Result<Value, BridgeError> {
    let body: Value = request.field("body")?;
    if request.text("provider")? == MCP {
        return Ok(json!(mcp_call(&body)));
    }
    let provider = provider(request)?;
    let model = ["model", "modelVersion"].iter().find_map(|name| body.get(name).and_then(Value::as_str));
    Ok(json!(provider.decode(&body, &context(request, provider, model.unwrap_or_default())?)?))
}

/// A `tools/call` request of MCP, or its parameters alone.
fn mcp_call(body: &Value) -> Decoded {
    let id = match &body["id"] {
        Value::String(id) => id.clone(),
        Value::Null => String::new(),
        id => id.to_string(),
    };
    let call = mcp::call(id, body.get("params").unwrap_or(body), &Renames::default());
    Decoded::new(vec![Event::new(Role::Assistant, Body::ToolCall(call))], StopReason::ToolUse)
}

/// A stream from its `chunks`, which are text, so that binary frames come as JSON lines; or as it came, from bytes in `hex`.
pub(super) fn decode_stream(request: &Request<'_>) -> Result<Value, BridgeError> {
    let provider = provider(request)?;
    let (framing, chunks) = match request.field::<Option<Vec<String>>>("hex")? {
        Some(chunks) => {
            let chunks = chunks.iter().map(|chunk| bytes(chunk)).collect::<Option<Vec<_>>>();
            let bad = || BridgeError::new("BAD_REQUEST", "hex holds two digits for each byte".into());
            (provider.framing(), chunks.ok_or_else(bad)?)
        }
        None => {
            let chunks = request.field::<Vec<String>>("chunks")?.into_iter().map(String::into_bytes);
            let framing = match provider.framing() {
                Framing::EventStream => Framing::JsonLines,
                framing => framing,
            };
            (framing, chunks.collect())
        }
    };
    let mut stream = provider.stream_framed(framing, context(request, provider, "")?);
    for chunk in &chunks {
        stream.feed(chunk, &mut |_| {});
    }
    Ok(json!(stream.finish()))
}

/// What an answer is read with. A `dialect` says whose the free text of a call is.
fn context(request: &Request<'_>, provider: Provider, model: &str) -> Result<AnswerContext, BridgeError> {
    let native = match request.field::<Option<&str>>("dialect")? {
        Some(_) => NativeTool::of(native::dialect(request)?),
        None => None,
    };
    Ok(AnswerContext { native, ..AnswerContext::new(issuer(request, provider, model)?) })
}

fn bytes(hex: &str) -> Option<Vec<u8>> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()).collect()
}

/// Who answers: as the request says, or this model at the provider's own host.
fn issuer(request: &Request<'_>, provider: Provider, model: &str) -> Result<Issuer, BridgeError> {
    Ok(request.field::<Option<Issuer>>("issuer")?.unwrap_or_else(|| provider.issuer(model)))
}

pub(super) fn replay(request: &Request<'_>) -> Result<Value, BridgeError> {
    let body: Value = request.field("body")?;
    Ok(json!({"parts": provider(request)?.replay(&body)?}))
}

pub(super) fn request(documents: &Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let provider = provider(request)?;
    let (tools, native) = match request.field::<Option<&str>>("toolset")? {
        None => (Vec::new(), None),
        Some(_) => specs(documents, request)?,
    };
    let system = request.field::<Option<&str>>("system")?.unwrap_or_default();
    let events: Vec<Event> = request.field("events")?;
    let options = RequestOptions { native, ..RequestOptions::default() };
    let issuer = issuer(request, provider, request.text("model")?)?;
    let encoded = provider.request(&issuer, system, &tools, &events, &options)?;
    Ok(json!({"body": encoded.body, "losses": encoded.degradations}))
}

/// Runs recorded answers through the tool loop, on a real canvas. The prompt is a user's message, so it begins a
/// turn. After `interrupt_after` steps, each a request with its calls, the user cancels.
pub(super) async fn script(documents: &mut Documents, request: &Request<'_>) -> Result<Value, BridgeError> {
    let provider = provider(request)?;
    let now = documents.now(request)?;
    let bodies: Vec<Value> = request.field("bodies")?;
    let interrupt_after: Option<usize> = request.field("interrupt_after")?;
    let mut options = LoopOptions { lease: documents.engine().policy().lease, ..LoopOptions::default() };
    if let Some(max_steps) = request.field("max_steps")? {
        options.max_steps = max_steps;
    }
    let mut session = documents.session(request, now).await?;
    let message = documents.call_id()?;
    let began = session.begin_turn(documents.engine(), message, now).await?;
    let prompt = request.text("prompt")?;
    let history = began.hidden_message.into_iter().chain([prompt.to_owned()]).map(Event::user).collect();

    let document = join(vec![Box::new(DocumentTools::default())]);
    let (tools, system) = (document.specs(documents.engine()), document.system_prompt(documents.engine()));
    let mut bodies = bodies.into_iter();
    let mut requests = Vec::new();
    let mut turn = ToolLoop::new(options, history);
    let outcome = loop {
        match turn.poll(now) {
            LoopAction::SendRequest if interrupt_after == Some(requests.len()) => {
                let operation = session.operation(documents.call_id()?);
                let cancelled = documents.engine().call(&session.canvas, &operation, Cancel, now).await?;
                cancelled.result.map_err(|refusal| BridgeError::from(refusal.view()))?;
                turn.interrupt(Interruption::Cancel);
            }
            LoopAction::SendRequest => {
                let encoded = provider.request(
                    &provider.issuer("script"),
                    &system,
                    &tools,
                    turn.events(),
                    &RequestOptions::default(),
                )?;
                requests.push(encoded.body);
                match bodies.next().map(|body| provider.decode(&body, &encoded.context)) {
                    Some(Ok(answer)) => turn.on_response(answer)?,
                    Some(Err(e)) => turn.on_unusable(&e)?,
                    None => turn.on_transport_error("the script has no further answer", false)?,
                }
            }
            LoopAction::RunCalls(calls) => {
                for call in calls {
                    let reply = document.call(documents.engine(), &mut session, &call, now).await;
                    turn.on_reply(&call.id, reply)?;
                }
            }
            LoopAction::RenewLease { lease_id } => {
                let call = lease_call(documents, "canvas_renew_lease", lease_id)?;
                let reply = document.call(documents.engine(), &mut session, &call, now).await;
                turn.on_renewed(lease_id, &reply)?;
            }
            LoopAction::ReleaseLease { lease_id } => {
                let call = lease_call(documents, "canvas_check_in", lease_id)?;
                // A lease that is over already needs no check-in.
                drop(document.call(documents.engine(), &mut session, &call, now).await);
                turn.on_released(lease_id)?;
            }
            LoopAction::Wait { .. } => {
                let message = "the script waits though nothing is under way: report this".into();
                return Err(BridgeError::new("INTERNAL", message));
            }
            LoopAction::Done(outcome) => break outcome,
        }
    };
    let snapshot = documents.engine().snapshot(&session.canvas, now).await?;
    let lease_policy = documents.engine().policy().lease;
    Ok(json!({
        "steps": turn.log(),
        "requests": requests,
        "outcome": outcome.name(),
        "locked": snapshot.head.lock_of(&session.conversation).valid_lease(&lease_policy, snapshot.clock).is_some(),
    }))
}

/// A call that the loop makes by itself, under an id of the bridge's own.
fn lease_call(documents: &mut Documents, name: &str, lease_id: LeaseId) -> Result<ToolCall, BridgeError> {
    let id: CallId = documents.call_id()?;
    let arguments = json!({"lease_id": lease_id});
    Ok(ToolCall { id: id.as_str().to_owned(), name: name.to_owned(), arguments })
}

impl From<LoopError> for BridgeError {
    fn from(error: LoopError) -> Self {
        Self::coded(&error, error.message())
    }
}

impl From<DecodeError> for BridgeError {
    fn from(error: DecodeError) -> Self {
        Self::new(error.code(), error.to_string()).with("place", error.place().into())
    }
}

impl From<EncodeError> for BridgeError {
    fn from(error: EncodeError) -> Self {
        Self::new(error.code(), error.to_string()).with("place", error.place().into())
    }
}
