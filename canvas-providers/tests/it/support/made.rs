//! Answers made for any provider: a text and calls, whole or as the frames of a stream.

use canvas_providers::Provider;
use serde_json::{Map, Value, json};

/// A call as a provider gives it.
#[derive(Debug, Clone)]
pub(crate) struct Call<'a> {
    /// Left out where there is none.
    pub(crate) id: Option<&'a str>,
    pub(crate) name: &'a str,
    /// JSON; where it is none, it goes as a text on wires whose arguments are no text.
    pub(crate) arguments: &'a str,
}

impl<'a> Call<'a> {
    pub(crate) fn new(id: &'a str, name: &'a str, arguments: &'a str) -> Self {
        Self { id: Some(id), name, arguments }
    }

    fn value(&self) -> Value {
        serde_json::from_str(self.arguments).unwrap_or_else(|_| self.arguments.into())
    }

    /// An object with these fields, and with its id under this name.
    fn with_id(&self, id: &str, fields: Value) -> Value {
        let mut fields = fields;
        if let (Some(value), Some(fields)) = (self.id, fields.as_object_mut()) {
            fields.insert(id.to_owned(), value.into());
        }
        fields
    }

    /// The part that it is in a whole answer.
    fn part(&self, provider: Provider) -> Value {
        let (name, text, value) = (self.name, self.arguments, self.value());
        match provider {
            Provider::Anthropic => {
                self.with_id("id", json!({"type": "tool_use", "name": name, "input": value}))
            }
            Provider::OpenAiResponses => {
                let fields =
                    json!({"type": "function_call", "name": name, "arguments": text, "status": "completed"});
                self.with_id("call_id", fields)
            }
            Provider::OpenAiChat => {
                self.with_id("id", json!({"type": "function", "function": {"name": name, "arguments": text}}))
            }
            Provider::Ollama => self.with_id("id", json!({"function": {"name": name, "arguments": value}})),
            Provider::Gemini => {
                json!({"functionCall": self.with_id("id", json!({"name": name, "args": value}))})
            }
            Provider::GeminiInteractions => {
                self.with_id("id", json!({"type": "function_call", "name": name, "arguments": value}))
            }
            Provider::BedrockConverse => {
                json!({"toolUse": self.with_id("toolUseId", json!({"name": name, "input": value}))})
            }
            _ => unreachable!("no other provider is tried"),
        }
    }

    /// The arguments in two pieces.
    fn halves(&self) -> [&'a str; 2] {
        let middle = (0..=self.arguments.len() / 2).rev().find(|at| self.arguments.is_char_boundary(*at));
        let (first, second) = self.arguments.split_at(middle.unwrap_or_default());
        [first, second]
    }
}

/// A whole answer.
pub(crate) fn body(provider: Provider, text: &str, calls: &[Call<'_>]) -> Value {
    let parts = |said: Value| -> Vec<Value> {
        [said].into_iter().chain(calls.iter().map(|call| call.part(provider))).collect()
    };
    let of_calls: Vec<Value> = calls.iter().map(|call| call.part(provider)).collect();
    match provider {
        Provider::Anthropic => {
            json!({"type": "message", "stop_reason": "tool_use", "content": parts(json!({"type": "text", "text": text}))})
        }
        Provider::OpenAiResponses => json!({"status": "completed", "output": parts(responses_message(text))}),
        Provider::OpenAiChat => json!({"choices": [{"index": 0, "finish_reason": "tool_calls", "message":
            {"role": "assistant", "content": text, "tool_calls": of_calls}}]}),
        Provider::Ollama => json!({"done": true, "done_reason": "stop", "message":
            {"role": "assistant", "content": text, "tool_calls": of_calls}}),
        Provider::Gemini => json!({"candidates": [{"index": 0, "finishReason": "STOP", "content":
            {"role": "model", "parts": parts(json!({"text": text}))}}]}),
        Provider::GeminiInteractions => json!({"status": "requires_action", "steps":
            parts(json!({"type": "model_output", "content": [{"type": "text", "text": text}]}))}),
        Provider::BedrockConverse => json!({"stopReason": "tool_use", "output": {"message":
            {"role": "assistant", "content": parts(json!({"text": text}))}}}),
        _ => unreachable!("no other provider is tried"),
    }
}

fn responses_message(text: &str) -> Value {
    json!({"type": "message", "id": "m", "status": "completed", "role": "assistant",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

/// The frames of the same answer in a stream. For Bedrock, each is an object with its kind as the key.
pub(crate) fn frames(provider: Provider, text: &str, calls: &[Call<'_>]) -> Vec<Value> {
    match provider {
        Provider::Anthropic => anthropic(text, calls),
        Provider::OpenAiResponses => responses(text, calls),
        Provider::OpenAiChat => chat(text, calls),
        Provider::Ollama => {
            let line = |message: Value| json!({"message": message, "done": false});
            let calls =
                calls.iter().map(|call| line(json!({"content": "", "tool_calls": [call.part(provider)]})));
            let end =
                json!({"message": {"role": "assistant", "content": ""}, "done": true, "done_reason": "stop"});
            [line(json!({"role": "assistant", "content": text}))]
                .into_iter()
                .chain(calls)
                .chain([end])
                .collect()
        }
        Provider::Gemini => {
            let chunk = |part: Value| json!({"candidates": [{"index": 0, "content": {"role": "model", "parts": [part]}}]});
            let calls = calls.iter().map(|call| chunk(call.part(provider)));
            let end = json!({"candidates": [{"index": 0, "finishReason": "STOP"}]});
            [chunk(json!({"text": text}))].into_iter().chain(calls).chain([end]).collect()
        }
        Provider::GeminiInteractions => interactions(text, calls),
        Provider::BedrockConverse => bedrock(text, calls),
        _ => unreachable!("no other provider is tried"),
    }
}

fn anthropic(text: &str, calls: &[Call<'_>]) -> Vec<Value> {
    let start =
        |at: usize, block: Value| json!({"type": "content_block_start", "index": at, "content_block": block});
    let delta = |at: usize, delta: Value| json!({"type": "content_block_delta", "index": at, "delta": delta});
    let stop = |at: usize| json!({"type": "content_block_stop", "index": at});
    let mut frames = vec![
        json!({"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 7}}}),
        start(0, json!({"type": "text", "text": ""})),
        delta(0, json!({"type": "text_delta", "text": text})),
        stop(0),
    ];
    for (at, call) in (1..).zip(calls) {
        frames
            .push(start(at, call.with_id("id", json!({"type": "tool_use", "name": call.name, "input": {}}))));
        let input = |json: &str| delta(at, json!({"type": "input_json_delta", "partial_json": json}));
        frames.extend(call.halves().map(input));
        frames.push(stop(at));
    }
    frames.push(
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 5}}),
    );
    frames.push(json!({"type": "message_stop"}));
    frames
}

fn responses(text: &str, calls: &[Call<'_>]) -> Vec<Value> {
    let item = |kind: &str, at: usize, item: Value| json!({"type": kind, "output_index": at, "item": item});
    let begun = json!({"type": "message", "id": "m", "role": "assistant", "content": []});
    let mut frames = vec![
        json!({"type": "response.created", "response": {"status": "in_progress", "output": []}}),
        item("response.output_item.added", 0, begun),
        json!({"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": text}),
        item("response.output_item.done", 0, responses_message(text)),
    ];
    let mut output = vec![responses_message(text)];
    for (at, call) in (1..).zip(calls) {
        let begun =
            call.with_id("call_id", json!({"type": "function_call", "name": call.name, "arguments": ""}));
        frames.push(item("response.output_item.added", at, begun));
        let delta = |delta: &str| json!({"type": "response.function_call_arguments.delta", "output_index": at, "delta": delta});
        frames.extend(call.halves().map(delta));
        let whole = call.part(Provider::OpenAiResponses);
        frames.push(item("response.output_item.done", at, whole.clone()));
        output.push(whole);
    }
    frames.push(json!({"type": "response.completed", "response": {"status": "completed", "output": output}}));
    frames
}

fn chat(text: &str, calls: &[Call<'_>]) -> Vec<Value> {
    let chunk = |delta: Value| json!({"choices": [{"index": 0, "delta": delta, "finish_reason": null}]});
    let mut frames = vec![chunk(json!({"role": "assistant", "content": text}))];
    for (at, call) in calls.iter().enumerate() {
        let fields =
            json!({"index": at, "type": "function", "function": {"name": call.name, "arguments": ""}});
        frames.push(chunk(json!({"tool_calls": [call.with_id("id", fields)]})));
        let more =
            |more: &str| chunk(json!({"tool_calls": [{"index": at, "function": {"arguments": more}}]}));
        frames.extend(call.halves().map(more));
    }
    frames.push(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}));
    frames
}

fn interactions(text: &str, calls: &[Call<'_>]) -> Vec<Value> {
    let start = |at: usize, step: Value| json!({"event_type": "step.start", "index": at, "step": step});
    let delta = |at: usize, delta: Value| json!({"event_type": "step.delta", "index": at, "delta": delta});
    let stop = |at: usize| json!({"event_type": "step.stop", "index": at});
    let mut frames = vec![
        json!({"event_type": "interaction.created", "interaction": {"status": "in_progress"}}),
        start(0, json!({"type": "model_output"})),
        delta(0, json!({"type": "text", "text": text})),
        stop(0),
    ];
    for (at, call) in (1..).zip(calls) {
        frames.push(start(
            at,
            call.with_id("id", json!({"type": "function_call", "name": call.name, "arguments": {}})),
        ));
        let more = |more: &str| delta(at, json!({"type": "arguments_delta", "arguments": more}));
        frames.extend(call.halves().map(more));
        frames.push(stop(at));
    }
    frames.push(json!({"event_type": "interaction.completed", "interaction": {"status": "requires_action"}}));
    frames
}

fn bedrock(text: &str, calls: &[Call<'_>]) -> Vec<Value> {
    let delta =
        |at: usize, delta: Value| json!({"contentBlockDelta": {"contentBlockIndex": at, "delta": delta}});
    let stop = |at: usize| json!({"contentBlockStop": {"contentBlockIndex": at}});
    let mut frames =
        vec![json!({"messageStart": {"role": "assistant"}}), delta(0, json!({"text": text})), stop(0)];
    for (at, call) in (1..).zip(calls) {
        let start = json!({"toolUse": call.with_id("toolUseId", json!({"name": call.name}))});
        frames.push(json!({"contentBlockStart": {"contentBlockIndex": at, "start": start}}));
        frames.extend(call.halves().map(|more| delta(at, json!({"toolUse": {"input": more}}))));
        frames.push(stop(at));
    }
    frames.push(json!({"messageStop": {"stopReason": "tool_use"}}));
    frames.push(json!({"metadata": {"usage": {"inputTokens": 7, "outputTokens": 5}}}));
    frames
}

/// The same JSON with a field that nobody knows in each object, but not in arguments, nor where the one field of an object
/// says what it is.
pub(crate) fn with_news(provider: Provider, value: &Value) -> Value {
    let is_arguments = |key: &str| matches!(key, "input" | "args" | "arguments");
    match value {
        Value::Array(items) => items.iter().map(|item| with_news(provider, item)).collect(),
        Value::Object(fields) => {
            let is_union = provider == Provider::BedrockConverse && fields.len() == 1;
            let news = ("zz_new".to_owned(), json!({"deep": [null, 1.5, "\u{1f980}"]}));
            let known = fields.iter().map(|(key, value)| {
                (key.clone(), if is_arguments(key) { value.clone() } else { with_news(provider, value) })
            });
            Value::Object(known.chain(Some(news).filter(|_| !is_union)).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}
