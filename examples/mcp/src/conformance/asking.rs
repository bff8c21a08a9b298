//! Tools and a prompt whose results require input.

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, InputRequests,
    InputRequiredResult, InputResponses, RequestStateCodec,
};
use rmcp::service::RequestContext;
use serde_json::{Value, json};

use super::plain::parameters;
use crate::names::random;

pub(super) const NAMES: &[&str] = &[
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_streaming_elicitation",
];

/// Seals what is sent along with a question.
#[derive(Debug)]
pub(crate) struct Asking(RequestStateCodec);

/// What is asked: by names, each with its request.
type Questions = Vec<(&'static str, Value)>;

impl Asking {
    pub(crate) fn new() -> Result<Self, getrandom::Error> {
        Ok(Self(RequestStateCodec::try_new(random::<32>()?).expect("the key is long enough")))
    }

    pub(super) async fn call(
        &self,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Option<Result<CallToolResponse, ErrorData>> {
        if !NAMES.contains(&&*params.name) {
            return None;
        }
        Some(self.answer(params, context))
    }

    fn answer(
        &self,
        params: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let answers = params.input_responses.as_ref();
        let state = match &params.request_state {
            Some(sealed) => Some(self.open(sealed)?),
            None => None,
        };
        let (questions, next): (Questions, Option<&str>) = match (&*params.name, state.as_deref()) {
            ("test_input_required_result_sampling", _) => {
                (vec![("capital_question", sampling("What is the capital of France?", 100))], None)
            }
            ("test_input_required_result_list_roots", _) => (vec![("client_roots", roots())], None),
            ("test_input_required_result_multiple_inputs", _) => (
                vec![
                    ("user_name", form("What is your name?", "name", "string")),
                    ("greeting", sampling("Generate a greeting", 50)),
                    ("client_roots", roots()),
                ],
                Some("multiple"),
            ),
            ("test_input_required_result_request_state" | "test_input_required_result_tampered_state", _) => {
                (vec![("confirm", form("Please confirm", "ok", "boolean"))], Some("confirm"))
            }
            ("test_input_required_result_multi_round", Some(round))
                if round != "one" || has(answers, "step1") =>
            {
                (
                    vec![("step2", form("Step 2: What is your favorite color?", "color", "string"))],
                    Some("two"),
                )
            }
            ("test_input_required_result_multi_round", _) => {
                (vec![("step1", form("Step 1: What is your name?", "name", "string"))], Some("one"))
            }
            ("test_input_required_result_capabilities", _) => (able(context), None),
            _ => (vec![("user_name", form("What is your name?", "name", "string"))], None),
        };
        let is_answered = questions.iter().all(|(name, question)| is_answer(answers, name, question));
        if !is_answered || (next.is_some() && state.is_none()) {
            return Ok(self.ask(questions, next)?.into());
        }
        let text = match (&*params.name, state) {
            ("test_input_required_result_request_state", Some(_)) => "state-ok".to_owned(),
            _ => said(answers, &questions),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }

    /// A result that requires input.
    pub(super) fn ask(
        &self,
        questions: Questions,
        state: Option<&str>,
    ) -> Result<InputRequiredResult, ErrorData> {
        let map: serde_json::Map<_, _> =
            questions.into_iter().map(|(name, one)| (name.to_owned(), one)).collect();
        let requests: InputRequests = parameters(Value::Object(map))?;
        let sealed = state.map(|state| self.0.seal(state.as_bytes()));
        Ok(InputRequiredResult::new(Some(requests), sealed))
    }

    fn open(&self, sealed: &str) -> Result<String, ErrorData> {
        let opened =
            self.0.open(sealed).map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
        Ok(String::from_utf8(opened).unwrap_or_default())
    }
}

/// What this client can be asked.
fn able(context: &RequestContext<RoleServer>) -> Questions {
    let can = context.client_capabilities().unwrap_or_default();
    let mut questions = Questions::new();
    if can.sampling.is_some() {
        questions.push(("greeting", sampling("Generate a greeting", 50)));
    }
    if can.elicitation.is_some() {
        questions.push(("user_name", form("What is your name?", "name", "string")));
    }
    if can.roots.is_some() {
        questions.push(("client_roots", roots()));
    }
    questions
}

pub(super) fn form(message: &str, field: &str, kind: &str) -> Value {
    let schema = json!({"type": "object", "properties": {field: {"type": kind}}, "required": [field]});
    let params = json!({"mode": "form", "message": message, "requestedSchema": schema});
    json!({"method": "elicitation/create", "params": params})
}

fn sampling(text: &str, tokens: u32) -> Value {
    let message = json!({"role": "user", "content": {"type": "text", "text": text}});
    json!({"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": tokens}})
}

fn roots() -> Value {
    json!({"method": "roots/list", "params": {}})
}

fn has(answers: Option<&InputResponses>, name: &str) -> bool {
    answers.is_some_and(|answers| answers.contains_key(name))
}

/// Whether an answer has the shape that its question asks for.
pub(super) fn is_answer(answers: Option<&InputResponses>, name: &str, question: &Value) -> bool {
    let Some(answer) = answers.and_then(|answers| answers.get(name)) else { return false };
    match question["method"].as_str() {
        Some("elicitation/create") => {
            let field = question["params"]["requestedSchema"]["required"][0].as_str().unwrap_or_default();
            answer["action"] == "accept" && !answer["content"][field].is_null()
        }
        Some("roots/list") => answer["roots"].is_array(),
        _ => answer["content"].is_object(),
    }
}

fn said(answers: Option<&InputResponses>, questions: &Questions) -> String {
    let mut words = Vec::new();
    for (name, _) in questions {
        let Some(answer) = answers.and_then(|answers| answers.get(*name)) else { continue };
        words.push(match *name {
            "user_name" => format!("Hello, {}!", answer["content"]["name"].as_str().unwrap_or_default()),
            "client_roots" => format!("roots: {}", answer["roots"]),
            _ => answer["content"]["text"].as_str().map_or_else(|| answer.to_string(), str::to_owned),
        });
    }
    words.join("\n")
}
