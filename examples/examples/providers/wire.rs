//! What a script has to know of each provider: how an answer looks, and where in a request its tools and messages are.

use canvas_providers::{EncodedRequest, NativeTool, Provider};
use serde_json::{Map, Value, json};

pub(crate) const MODEL: &str = "some-model";

/// Where requests go.
pub(crate) fn endpoint(provider: Provider) -> &'static str {
    match provider {
        Provider::Anthropic => "POST api.anthropic.com/v1/messages",
        Provider::OpenAiResponses => "POST api.openai.com/v1/responses",
        Provider::OpenAiChat => "POST api.openai.com/v1/chat/completions",
        Provider::Ollama => "POST localhost:11434/api/chat",
        Provider::Gemini => "POST generativelanguage.googleapis.com/v1beta/models/…:generateContent",
        Provider::GeminiInteractions => "POST generativelanguage.googleapis.com/v1beta/interactions",
        Provider::BedrockConverse => "POST bedrock-runtime.….amazonaws.com/model/…/converse",
        other => other.name(),
    }
}

/// An answer that makes one call.
pub(crate) fn answer(
    provider: Provider,
    request: &EncodedRequest,
    id: &str,
    name: &str,
    arguments: &Value,
) -> Value {
    let text = arguments.to_string();
    match provider {
        Provider::Anthropic => json!({"stop_reason": "tool_use", "content": [
            {"type": "tool_use", "id": id, "name": name, "input": arguments}]}),
        Provider::OpenAiResponses => {
            let item = match request.context.native {
                Some(NativeTool::ApplyPatch) => {
                    json!({"type": "apply_patch_call", "id": "apc_1", "call_id": id,
                    "status": "completed", "operation": arguments})
                }
                Some(NativeTool::CodexPatch) => {
                    json!({"type": "custom_tool_call", "id": "ctc_1", "call_id": id,
                    "name": name, "input": arguments["input"]})
                }
                _ => {
                    json!({"type": "function_call", "id": "fc_1", "call_id": id, "name": name, "arguments": text})
                }
            };
            json!({"status": "completed", "output": [item]})
        }
        Provider::OpenAiChat => {
            let call = match request.context.native {
                Some(_) => {
                    json!({"id": id, "type": "custom", "custom": {"name": name, "input": arguments["input"]}})
                }
                None => json!({"id": id, "type": "function", "function": {"name": name, "arguments": text}}),
            };
            json!({"choices": [{"finish_reason": "tool_calls", "message": {"content": null, "tool_calls": [call]}}]})
        }
        Provider::Ollama => json!({"done": true, "done_reason": "stop", "message": {"role": "assistant",
            "content": "", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}}),
        Provider::Gemini => {
            json!({"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [
            {"functionCall": {"name": name, "args": arguments}, "thoughtSignature": "c2lnbmF0dXJl"}]}}]})
        }
        Provider::GeminiInteractions => json!({"status": "requires_action", "steps": [
            {"type": "function_call", "id": id, "name": name, "arguments": arguments}]}),
        Provider::BedrockConverse => {
            json!({"stopReason": "tool_use", "output": {"message": {"role": "assistant",
            "content": [{"toolUse": {"toolUseId": id, "name": name, "input": arguments}}]}}})
        }
        _ => Value::Null,
    }
}

/// An answer that ends the turn.
pub(crate) fn end(provider: Provider) -> Value {
    let text = "Done: bread instead of eggs.";
    match provider {
        Provider::Anthropic => {
            json!({"stop_reason": "end_turn", "content": [{"type": "text", "text": text}]})
        }
        Provider::OpenAiResponses => {
            json!({"status": "completed", "output": [{"type": "message", "id": "msg_1",
            "role": "assistant", "status": "completed", "content": [{"type": "output_text", "text": text}]}]})
        }
        Provider::OpenAiChat => json!({"choices": [{"finish_reason": "stop", "message": {"content": text}}]}),
        Provider::Ollama => json!({"done": true, "done_reason": "stop", "message": {"content": text}}),
        Provider::Gemini => {
            json!({"candidates": [{"finishReason": "STOP", "content": {"role": "model", "parts": [{"text": text}]}}]})
        }
        Provider::GeminiInteractions => json!({"status": "completed", "steps": [
            {"type": "model_output", "content": [{"type": "text", "text": text}]}]}),
        Provider::BedrockConverse => {
            json!({"stopReason": "end_turn", "output": {"message": {"role": "assistant", "content": [{"text": text}]}}})
        }
        _ => Value::Null,
    }
}

/// The declaration of a tool, without its description and what its schema says of each argument.
pub(crate) fn declared(provider: Provider, request: &EncodedRequest, name: &str) -> Value {
    let tools = match provider {
        Provider::Gemini => &request.body["tools"][0]["functionDeclarations"],
        Provider::BedrockConverse => &request.body["toolConfig"]["tools"],
        _ => &request.body["tools"],
    };
    let tools = tools.as_array().map_or(&[][..], Vec::as_slice);
    // A hosted tool has a type and no name.
    let found = tools.iter().find(|tool| is_of(tool, name));
    found.map(without_words).unwrap_or_default()
}

fn is_of(tool: &Value, name: &str) -> bool {
    match tool {
        Value::Object(fields) => fields.iter().any(|(key, value)| match key.as_str() {
            "name" | "type" => value == name,
            _ => is_of(value, name),
        }),
        _ => false,
    }
}

/// The names of arguments instead of their schemas, and an ellipsis instead of prose.
fn without_words(value: &Value) -> Value {
    let Value::Object(fields) = value else { return value.clone() };
    let short = |(key, value): (&String, &Value)| {
        let value = match (key.as_str(), value) {
            ("description" | "definition", Value::String(_)) => json!("…"),
            ("properties", Value::Object(arguments)) => {
                Value::Object(arguments.keys().map(|name| (name.clone(), json!("…"))).collect())
            }
            _ => without_words(value),
        };
        (key.clone(), value)
    };
    Value::Object(fields.iter().map(short).collect::<Map<_, _>>())
}

/// The last message of a request.
pub(crate) fn last(provider: Provider, request: &EncodedRequest) -> Value {
    let list = match provider {
        Provider::OpenAiResponses | Provider::GeminiInteractions => "input",
        Provider::Gemini => "contents",
        _ => "messages",
    };
    request.body[list].as_array().and_then(|list| list.last()).cloned().unwrap_or_default()
}
