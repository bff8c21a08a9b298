//! Requests to Gemini and Bedrock: what of a history goes where, and what is said to be lost.

use crate::support;

use canvas_providers::{AnswerContext, Event, Issuer, NativeTool, Provider, RequestOptions, ToolChoice};
use canvas_tools::native::Dialect;
use canvas_tools::{CodedError as _, ToolSpec};
use serde_json::{Map, Value, json};

const PROVIDERS: &[Provider] = &[Provider::Gemini, Provider::GeminiInteractions, Provider::BedrockConverse];

fn events(events: Value) -> Vec<Event> {
    serde_json::from_value(events).expect("events read")
}

/// Faults of a request to a model that checks signatures, or to another.
fn faults(provider: Provider, body: &Value, checks_signatures: bool) -> Vec<String> {
    match provider {
        Provider::Gemini => support::judge_wires::gemini(body, checks_signatures),
        _ => support::faults(provider, body),
    }
}

fn spec(name: &str) -> ToolSpec {
    ToolSpec { name: name.to_owned(), description: String::new(), parameters: json!({"type": "object"}) }
}

/// The body, and what was lost.
fn ask(
    issuer: &Issuer,
    provider: Provider,
    events: &[Event],
    options: &RequestOptions,
) -> (Value, Vec<String>) {
    let request = provider.request(issuer, "Be brief.", &[spec("f"), spec("g.h")], events, options);
    let request = request.expect("encodes");
    let losses = request.degradations.iter().map(|loss| format!("{} {}", loss.path, loss.keyword));
    (request.body, losses.collect())
}

fn default(provider: Provider, model: &str, history: Value) -> (Value, Vec<String>) {
    let (body, losses) = ask(&provider.issuer(model), provider, &events(history), &RequestOptions::default());
    assert_eq!(faults(provider, &body, model.starts_with("gemini-3")), Vec::<String>::new());
    (body, losses)
}

/// Two calls of a host, a result with an image, a failed one with another, and the user's next words.
fn history() -> Value {
    let image = json!([{"media_type": "image/png", "data": "AAAA"}]);
    json!([
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "type": "thinking", "content": "hm"},
        {"role": "assistant", "content": "Look."},
        {"role": "assistant", "type": "tool_call", "call_id": "a/1", "tool_name": "f", "arguments": {"n": 1}},
        {"role": "assistant", "type": "tool_call", "call_id": "b", "tool_name": "g.h", "arguments": {}},
        {"role": "tool", "type": "tool_result", "call_id": "b", "tool_result": {"ok": false, "error": {"code": "X"}}, "images": image},
        {"role": "tool", "type": "tool_result", "call_id": "a/1", "tool_result": "seen", "images": image},
    ])
}

#[test]
fn results_with_errors_and_images() {
    let (body, losses) = default(Provider::Gemini, "gemini-3-pro", history());
    let image = json!({"inlineData": {"mimeType": "image/png", "data": "AAAA"}});
    let expected = json!([
        {"role": "user", "parts": [{"text": "Hi"}]},
        {"role": "model", "parts": [{"text": "Look."},
            {"functionCall": {"id": "a/1", "name": "f", "args": {"n": 1}}, "thoughtSignature": "skip_thought_signature_validator"},
            {"functionCall": {"id": "b", "name": "g.h", "args": {}}}]},
        {"role": "user", "parts": [
            {"functionResponse": {"id": "a/1", "name": "f", "response": {"output": "seen"}, "parts": [image]}},
            {"functionResponse": {"id": "b", "name": "g.h", "response": {"error": {"ok": false, "error": {"code": "X"}}}, "parts": [image]}}]},
    ]);
    assert_eq!(body["contents"], expected);
    assert_eq!(body["systemInstruction"], json!({"parts": [{"text": "Be brief."}]}));
    assert_eq!(body["generationConfig"], json!({"maxOutputTokens": 4096}));
    assert_eq!(losses, ["/events/1 thinking", "/events/3 signature"]);

    let (body, losses) = default(Provider::Gemini, "gemini-2.5-flash", history());
    assert_eq!(
        body["contents"][2]["parts"].as_array().map(|parts| &parts[2..]),
        Some(&[image.clone(), image][..])
    );
    assert_eq!(body["contents"][1]["parts"][1].get("thoughtSignature"), None);
    assert_eq!(losses, ["/events/1 thinking", "/events/6 image", "/events/5 image"]);

    let (body, losses) = default(Provider::GeminiInteractions, "gemini-4-argon", history());
    let said = |text: &str| json!([{"type": "text", "text": text}]);
    let image = json!({"type": "image", "mime_type": "image/png", "data": "AAAA"});
    let failed = "{\"error\":{\"code\":\"X\"},\"ok\":false}";
    let expected = json!([
        {"type": "user_input", "content": said("Hi")},
        {"type": "model_output", "content": said("Look.")},
        {"type": "function_call", "id": "a/1", "name": "f", "arguments": {"n": 1}},
        {"type": "function_call", "id": "b", "name": "g.h", "arguments": {}},
        {"type": "function_result", "call_id": "a/1", "name": "f", "result": [said("seen")[0], image]},
        {"type": "function_result", "call_id": "b", "name": "g.h", "is_error": true, "result": [said(failed)[0], image]},
    ]);
    assert_eq!(body["input"], expected);
    assert_eq!(
        (&body["model"], &body["store"], &body["system_instruction"]),
        (&json!("gemini-4-argon"), &json!(false), &json!("Be brief."))
    );
    assert_eq!(losses, ["/events/1 thinking"]);

    let (body, losses) = default(Provider::BedrockConverse, "m", history());
    let names: Vec<&Value> = body["toolConfig"]["tools"]
        .as_array()
        .expect("tools")
        .iter()
        .map(|tool| &tool["toolSpec"]["name"])
        .collect();
    let id = &body["messages"][1]["content"][1]["toolUse"]["toolUseId"];
    let expected = json!([
        {"role": "user", "content": [{"text": "Hi"}]},
        {"role": "assistant", "content": [{"text": "Look."}, {"toolUse": {"toolUseId": id, "name": "f", "input": {"n": 1}}},
            {"toolUse": {"toolUseId": "b", "name": names[1], "input": {}}}]},
        {"role": "user", "content": [
            {"toolResult": {"toolUseId": id, "status": "success", "content": [{"text": "seen"}, {"image": {"format": "png", "source": {"bytes": "AAAA"}}}]}},
            {"toolResult": {"toolUseId": "b", "status": "error", "content": [{"json": {"ok": false, "error": {"code": "X"}}}]}}]},
    ]);
    assert_eq!(body["messages"], expected);
    assert_eq!(
        (&body["system"], &body["inferenceConfig"]),
        (&json!([{"text": "Be brief."}]), &json!({"maxTokens": 4096}))
    );
    assert_eq!(losses, ["/events/1 thinking", "/events/5 image"]);
}

/// A signed step, its results, and a step of another issuer: in the current turn the sentinel stands for what is missing.
#[test]
fn signatures_of_the_current_turn() {
    let own = |part: Value, fields: Value| {
        let mut event = json!({"role": "assistant", "type": "tool_call", "envelope": {"wire": "gemini", "parts": [part],
            "issuer": {"host": "generativelanguage.googleapis.com", "model": "gemini-3-pro"}}});
        event.as_object_mut().expect("an object").extend(fields.as_object().expect("an object").clone());
        event
    };
    let signed = own(
        json!({"functionCall": {"name": "f"}, "thoughtSignature": "sig"}),
        json!({"tool_name": "f", "call_id": ""}),
    );
    let sibling =
        own(json!({"functionCall": {"name": "f", "id": "own"}}), json!({"tool_name": "f", "call_id": "own"}));
    let foreign = json!({"role": "assistant", "type": "tool_call", "call_id": "c", "tool_name": "f"});
    let answer = |id: &str| json!({"role": "tool", "type": "tool_result", "call_id": id, "tool_name": "f", "tool_result": {}});
    let by_name = json!({"role": "tool", "type": "tool_result", "tool_name": "f", "tool_result": {}});
    let earlier = [json!({"role": "user", "content": "Hi"}), foreign.clone(), answer("c")];
    let current = [
        json!({"role": "user", "content": "Go"}),
        signed,
        sibling,
        by_name,
        answer("own"),
        foreign,
        answer("c"),
    ];
    let (body, losses) =
        default(Provider::Gemini, "gemini-3-pro", Value::from([earlier.as_slice(), &current].concat()));
    let calls = |content: usize| -> Vec<(Value, Value)> {
        let parts = body["contents"][content]["parts"].as_array().expect("parts").iter();
        parts.map(|part| (part["thoughtSignature"].clone(), part["functionCall"]["id"].clone())).collect()
    };
    assert_eq!(calls(1), [(Value::Null, json!("c"))], "an earlier turn is not checked");
    assert_eq!(calls(3), [(json!("sig"), Value::Null), (Value::Null, json!("own"))], "as they came");
    assert_eq!(calls(5), [(json!("skip_thought_signature_validator"), json!("c-2"))]);
    assert_eq!(losses, ["/events/8 call_id", "/events/8 signature"]);
    let ids: Vec<Value> = body["contents"][4]["parts"]
        .as_array()
        .expect("parts")
        .iter()
        .map(|part| part["functionResponse"]["id"].clone())
        .collect();
    assert_eq!(ids, [Value::Null, json!("own")]);
}

/// What a Gemini part says is sent again, and a part that says nothing is not.
#[test]
fn parts_that_say_nothing() {
    let cases = [
        (json!({"text": ""}), false),
        (json!({"text": "", "thought": true}), false),
        (json!({"text": "", "name": ""}), false),
        (json!({"text": "", "thoughtSignature": "sig"}), true),
        (json!({"text": "Well.", "name": ""}), true),
    ];
    for (part, is_sent) in cases {
        let answer = json!({"candidates": [{"content": {"parts": [part]}, "finishReason": "STOP"}]});
        let context = AnswerContext::new(Provider::Gemini.issuer("gemini-3-pro"));
        let mut history = events(json!([{"role": "user", "content": "Hi"}]));
        history.extend(Provider::Gemini.decode(&answer, &context).expect("decodes").events);
        let (body, _) = ask(&context.issuer, Provider::Gemini, &history, &RequestOptions::default());
        assert_eq!(faults(Provider::Gemini, &body, true), Vec::<String>::new(), "{part}");
        let sent = body["contents"][1]["parts"].as_array();
        assert_eq!(sent.is_some_and(|parts| parts.contains(&part)), is_sent, "{part}");
    }
}

#[test]
fn choices() {
    let hi = events(json!([{"role": "user", "content": "Hi"}]));
    let place = |provider| match provider {
        Provider::Gemini => "/toolConfig/functionCallingConfig",
        Provider::GeminiInteractions => "/generation_config/tool_choice",
        _ => "/toolConfig/toolChoice",
    };
    let table = [
        (ToolChoice::Auto, [Value::Null, Value::Null, Value::Null]),
        (ToolChoice::None, [json!({"mode": "NONE"}), json!("none"), Value::Null]),
        (ToolChoice::Required, [json!({"mode": "ANY"}), json!("any"), json!({"any": {}})]),
        (
            ToolChoice::Tool("g.h".to_owned()),
            [
                json!({"mode": "ANY", "allowedFunctionNames": ["g.h"]}),
                json!({"allowed_tools": {"mode": "any", "tools": ["g.h"]}}),
                json!({"tool": {"name": "g_h_781cd5b3"}}),
            ],
        ),
    ];
    for (tool_choice, expected) in table {
        for (&provider, expected) in PROVIDERS.iter().zip(expected) {
            let options = RequestOptions { tool_choice: tool_choice.clone(), ..RequestOptions::default() };
            let (body, losses) = ask(&provider.issuer("m"), provider, &hi, &options);
            let found = body.pointer(place(provider)).cloned().unwrap_or_default();
            assert_eq!(found, expected, "{provider} {tool_choice:?}");
            let is_lost = provider == Provider::BedrockConverse && tool_choice == ToolChoice::None;
            assert_eq!(losses == ["/options/tool_choice none"], is_lost, "{provider} {losses:?}");
            assert_eq!(
                body.get("toolConfig").is_none() && provider == Provider::BedrockConverse,
                is_lost,
                "{provider}"
            );
        }
    }
    let called = events(history());
    let none = RequestOptions { tool_choice: ToolChoice::None, ..RequestOptions::default() };
    let (body, _) = ask(&Provider::BedrockConverse.issuer("m"), Provider::BedrockConverse, &called, &none);
    assert_eq!(body["toolConfig"]["tools"].as_array().expect("a history with calls needs tools").len(), 2);
}

#[test]
fn options_of_all() {
    let hi = events(json!([{"role": "user", "content": "Hi"}]));
    for &provider in PROVIDERS {
        let config = match provider {
            Provider::Gemini => "generationConfig",
            Provider::GeminiInteractions => "generation_config",
            _ => "inferenceConfig",
        };
        let extra = Map::from_iter([
            (config.to_owned(), json!({"temperature": 0.5})),
            ("model".to_owned(), json!("x")),
            ("modelId".to_owned(), json!("x")),
        ]);
        let options = RequestOptions { parallel_calls: false, extra, ..RequestOptions::default() };
        let (body, losses) = ask(&provider.issuer("m"), provider, &hi, &options);
        assert_eq!(body[config]["temperature"], 0.5, "{provider}");
        assert_eq!(body[config].as_object().expect("an object").len(), 2, "{provider}");
        assert!(
            losses.contains(&"/options/parallel_calls parallel_calls".to_owned()),
            "{provider} {losses:?}"
        );
        assert!(losses.iter().any(|loss| loss.starts_with("/options/extra model")), "{provider} {losses:?}");
        let request = |options| provider.request(&provider.issuer("m"), "", &[], &hi, &options);
        let code = |options| request(options).expect_err("a bad option").code();
        assert_eq!(code(RequestOptions { max_tokens: 0, ..RequestOptions::default() }), "BAD_OPTION");
        assert_eq!(
            code(RequestOptions { tool_choice: ToolChoice::Required, ..RequestOptions::default() }),
            "BAD_OPTION"
        );
        let empty = provider.request(&provider.issuer("m"), "x", &[], &[], &RequestOptions::default());
        assert_eq!(empty.expect_err("nothing to send").code(), "EMPTY_HISTORY");
    }
}

#[test]
fn tools_in_each_form() {
    let parameters = json!({"$schema": "x", "type": "object", "additionalProperties": false, "required": ["a", "b-c"],
        "$defs": {"d": {"type": "string", "minLength": 1}},
        "properties": {"a": {"$ref": "#/$defs/d", "description": "A.", "title": "A"}, "b-c": {"not": {}},
            "list": {"type": "array", "uniqueItems": true, "items": {"allOf": [{"type": "string"}]}}}});
    let specs = [ToolSpec { name: "f".to_owned(), description: "Finds.".to_owned(), parameters }];
    let losses = |provider: Provider| {
        let encoded = provider.tools(&specs, NativeTool::of(Dialect::TextEditor));
        let losses = encoded
            .degradations
            .iter()
            .map(|loss| format!("{} {}", loss.path, loss.keyword))
            .collect::<Vec<_>>();
        (encoded.tools, losses)
    };
    let schema = json!({"type": "object", "additionalProperties": false, "required": ["a"],
        "$defs": {"d": {"type": "string", "minLength": 1}},
        "properties": {"a": {"$ref": "#/$defs/d", "description": "A."}, "list": {"type": "array", "items": {}}}});
    let (tools, lost) = losses(Provider::Gemini);
    assert_eq!(
        tools,
        json!([{"functionDeclarations": [{"name": "f", "description": "Finds.", "parametersJsonSchema": schema}]}])
    );
    let at = "/tools/0/parameters";
    let expected = [
        format!("{at} $schema"),
        format!("{at}/properties b-c"),
        format!("{at}/properties/list uniqueItems"),
        format!("{at}/properties/list/items allOf"),
        format!("{at} required"),
        format!("{at}/properties/a title"),
    ];
    assert_eq!(lost, expected);
    let (tools, same) = losses(Provider::GeminiInteractions);
    assert_eq!(
        tools,
        json!([{"type": "function", "name": "f", "description": "Finds.", "parameters": schema}])
    );
    assert_eq!(same, lost);
    let (tools, lost) = losses(Provider::BedrockConverse);
    assert_eq!(tools["tools"][0]["toolSpec"]["inputSchema"]["json"]["properties"]["b-c"], json!({"not": {}}));
    assert_eq!(lost, [format!("{at} $schema")]);
}
