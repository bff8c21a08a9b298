//! Running an action of a panel, which a person confirms where it is not harmless.
//!
//! The model asks. What waits for a person is put to the person by the client: as input that the result requires, or by
//! elicitation where the client speaks an older version. A client that declares elicitation attests that a person answers.
//! Others are told what to confirm, and a page or another host does.

use std::sync::Arc;

use canvas_core::surface::{ClientId, Confirmation, ConfirmationPrompt, SessionKey, SurfaceActor};
use canvas_core::{BlobId, CallId, CanvasId, OpKey, Revision};
use canvas_tools::surface::{ActionParams, SurfaceCaller, SurfaceReply, SurfaceRequest};
use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ElicitRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, ErrorData, InputRequest,
    InputRequests, InputRequiredResult, JsonObject, Tool,
};
use rmcp::service::RequestContext;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::caller::Caller;
use crate::catalog::shown;
use crate::clock;
use crate::conversation::Shared;
use crate::host::Host;
use crate::names::plain;
use crate::panel_tools::PanelTools;
use crate::seal::Question;

/// The tool's name.
pub(crate) const SURFACE_ACTION: &str = "surface_action";

/// The name of the question in a result that requires input.
const CONFIRM: &str = "confirm";

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    canvas_id: Option<CanvasId>,
    action_id: Option<canvas_core::surface::ActionId>,
    binding: Option<canvas_core::surface::BindingName>,
    input: Option<Value>,
    expected_revision: Option<Revision>,
}

/// The tool as clients list it.
pub(crate) fn tool() -> Tool {
    let schema = json!({
        "type": "object",
        "properties": {
            "canvasId": {"type": "string", "description": "The canvas of the surface. Leave it out for the usual one."},
            "actionId": {"type": "string", "description": "The action, by its id in the spec."},
            "binding": {"type": "string", "description": "Or the action that a binding names."},
            "input": {"type": "object", "description": "What the action's templates take as input."},
            "expectedRevision": {"type": "integer", "description": "Fails if the surface has changed since."},
        },
        "additionalProperties": false,
    });
    let description = "Run an action of a surface, when the user asks for it. What is not read-only is put to the user first. \
                       Tools that actions may call here: clock.now {}, document.read {}, document.append {text}.";
    shown(SURFACE_ACTION.into(), description.into(), schema)
}

/// How an action runs: for a model, or as a person has confirmed.
struct Run {
    actor: SurfaceActor,
    id: CallId,
    confirmation: Option<Confirmation>,
}

impl Host {
    /// Runs an action, or asks.
    pub(crate) async fn action(
        self: &Arc<Self>,
        caller: &Caller,
        shared: &Shared,
        params: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let json = Value::Object(params.arguments.unwrap_or_default());
        let call = BlobId::of(format!("{SURFACE_ACTION}\n{json}").as_bytes());
        let arguments: Arguments = match serde_json::from_value(json) {
            Ok(arguments) => arguments,
            Err(error) => {
                let message = format!("{error}: correct the argument");
                return Ok(failed(
                    json!({"code": "INVALID_ARGUMENTS", "message": message, "retryable": false}),
                )
                .into());
            }
        };
        let client = ClientId::new(&format!("mcp:{}", plain(&caller.client))).expect("the name is short");
        if let Some(sealed) = &params.request_state {
            let question = self.open_question(sealed, caller, call)?;
            let answer = params.input_responses.as_ref().and_then(|answers| answers.get(CONFIRM));
            if !caller.asks_people || !is_yes(answer.cloned())? {
                return Ok(declined().into());
            }
            let (actor, confirmation) = (SurfaceActor::ClientId(client), Some(question.confirmation));
            let run = Run { actor, id: question.id, confirmation };
            return Ok(outcome(&self.run_action(shared, arguments, run).await).into());
        }
        let session = {
            let conversation = shared.lock().await;
            SessionKey::new(&format!("agent:main:{}", conversation.id)).expect("the name is short")
        };
        let first =
            Run { actor: SurfaceActor::SessionKey(session), id: self.names.call(), confirmation: None };
        let reply = self.run_action(shared, arguments.clone(), first).await;
        let prompt = match &reply.result {
            Err(error) => error.confirmation().cloned(),
            Ok(_) => None,
        };
        let Some(prompt) = prompt.filter(|_| caller.asks_people) else { return Ok(outcome(&reply).into()) };
        let confirmation = Confirmation { digest: prompt.digest, planned_at: prompt.planned_at };
        let asked = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: words(&prompt),
            requested_schema: ElicitationSchema::new(std::collections::BTreeMap::new()),
        };
        let id = self.names.call();
        if caller.is_modern {
            let question = Question { call, confirmation, id, expires_at: prompt.expires_at };
            let sealed = self.seal.close(&question, &caller.principal);
            let sealed = sealed.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
            let request = InputRequest::Elicitation(ElicitRequest::new(asked));
            let requests = InputRequests::from([(CONFIRM.to_owned(), request)]);
            return Ok(InputRequiredResult::new(Some(requests), Some(sealed)).into());
        }
        let answer = tokio::select! {
            answer = context.peer.create_elicitation_with_timeout(asked, Some(Confirmation::LIFETIME)) => answer,
            () = context.ct.cancelled() => return Ok(declined().into()),
        };
        if !answer.is_ok_and(|answer| answer.action == ElicitationAction::Accept) {
            return Ok(declined().into());
        }
        let run = Run { actor: SurfaceActor::ClientId(client), id, confirmation: Some(confirmation) };
        Ok(outcome(&self.run_action(shared, arguments, run).await).into())
    }

    /// The question that an answer belongs to.
    fn open_question(&self, sealed: &str, caller: &Caller, call: BlobId) -> Result<Question, ErrorData> {
        let refused = |why: String| {
            let message = format!("{why}: make the call again without requestState");
            Err(ErrorData::invalid_params(message, Some(json!({"code": "REQUEST_STATE_REFUSED"}))))
        };
        match self.seal.open::<Question>(sealed, &caller.principal) {
            Ok(question) if question.call != call => refused("requestState is of another call".into()),
            Ok(question) if question.expires_at <= clock::now() => refused("requestState is too old".into()),
            Ok(question) => Ok(question),
            Err(error) => refused(error.to_string()),
        }
    }

    async fn run_action(self: &Arc<Self>, shared: &Shared, arguments: Arguments, run: Run) -> SurfaceReply {
        let Arguments { canvas_id, action_id, binding, input, expected_revision } = arguments;
        let canvas_id = canvas_id.unwrap_or_else(|| self.first.clone());
        let snapshot = self.engine.snapshot(&canvas_id, clock::now()).await.ok();
        let mut operation = {
            let mut conversation = shared.lock().await;
            conversation.seat(&canvas_id, snapshot.as_ref()).session.operation(run.id)
        };
        if matches!(run.actor, SurfaceActor::ClientId(_)) {
            // A person's call is its own, whatever the model's turn.
            let (conversation, person) = (self.person.clone(), self.options.person.clone());
            operation = OpKey { conversation, person, ..operation };
        }
        let starter = operation.clone();
        let caller = SurfaceCaller { actor: run.actor, operation };
        let tools = PanelTools { host: Arc::downgrade(self), canvas: canvas_id.clone(), starter };
        let request = SurfaceRequest::Action(ActionParams {
            canvas_id,
            action_id,
            binding,
            input,
            expected_revision,
            confirmation: run.confirmation,
        });
        self.door.request(&self.engine, &tools, &caller, request, clock::now, |_| {}).await
    }
}

/// What a person reads.
fn words(prompt: &ConfirmationPrompt) -> String {
    let what = match (&prompt.tool, &prompt.session_key) {
        (Some(tool), _) => format!("call {tool}"),
        (None, Some(session)) => format!("send a message to {session}"),
        (None, None) => "do this".to_owned(),
    };
    match &prompt.words {
        Some(words) => format!("The panel wants to {what} with the command {}. Let it?", json!(words)),
        None => format!("The panel wants to {what} with {}. Let it?", prompt.args),
    }
}

/// Whether a person has agreed.
fn is_yes(answer: Option<Value>) -> Result<bool, ErrorData> {
    let Some(answer) = answer else {
        let message = "inputResponses has no \"confirm\": answer what inputRequests asks";
        return Err(ErrorData::invalid_params(message, None));
    };
    let answer: ElicitResult = serde_json::from_value(answer).map_err(|error| {
        ErrorData::invalid_params(format!("the answer is no ElicitResult: {error}"), None)
    })?;
    Ok(answer.action == ElicitationAction::Accept)
}

fn declined() -> CallToolResult {
    failed(json!({
        "code": "CONFIRMATION_DECLINED", "retryable": false,
        "message": "the user has not agreed, and nothing was run: do not ask again unless the user wants it",
    }))
}

fn outcome(reply: &SurfaceReply) -> CallToolResult {
    match &reply.result {
        Ok(result) => {
            let mut body = json!({"ok": true});
            if let (Some(body), Value::Object(fields)) = (body.as_object_mut(), result.clone()) {
                body.extend::<JsonObject>(fields);
            }
            with_body(body, false)
        }
        Err(error) => failed(error.to_json()),
    }
}

/// The result of a tool of the server itself.
pub(crate) fn with_answer(answer: Result<Value, Value>) -> CallToolResult {
    match answer {
        Ok(body) => with_body(body, false),
        Err(error) => failed(error),
    }
}

fn failed(error: Value) -> CallToolResult {
    with_body(json!({"ok": false, "error": error}), true)
}

fn with_body(body: Value, is_error: bool) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text(body.to_string())]);
    result.is_error = Some(is_error);
    result.structured_content = Some(body);
    result
}
